//! `rookery rollout`.

mod report;

use anyhow::Context as _;
use clap::{Args, Subcommand, builder::PossibleValuesParser};
use serde_json::{Value, json};

use self::report::RolloutReport;
use crate::cli::{
    config_file::ConfigFile,
    failure::Failure,
    file_change::FileChange,
    output::{print, print_json, print_message},
    runtime::CommandRuntime,
};
use config::{FileEdit, SectionId};
use rollout::{ChangeError, Reason, RolloutChange};
use server::reload::running_servers;
use text::printable;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct RolloutCommand {
    /// AI whose candidate is shown; by default all
    ai: Option<String>,
    #[command(flatten)]
    file: ConfigFile,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    action: Option<RolloutAction>,
}

#[derive(Debug, Subcommand)]
enum RolloutAction {
    /// Replace an AI with its candidate
    Promote {
        /// ID of the AI
        ai: String,
        /// Override this reason against the promotion; can be repeated
        #[arg(
            long,
            value_name = "REASON",
            value_parser = PossibleValuesParser::new(Reason::names().collect::<Vec<_>>())
        )]
        despite: Vec<String>,
        #[command(flatten)]
        change: FileChange,
    },
    /// Remove an AI's candidate
    Abort {
        /// ID of the AI
        ai: String,
        #[command(flatten)]
        change: FileChange,
    },
}

impl RolloutCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        match &self.action {
            None => self.show(),
            Some(RolloutAction::Abort { ai, change }) => {
                apply(RolloutChange::Abort, ai, change, &Value::Null)
            }
            Some(RolloutAction::Promote {
                ai,
                despite,
                change,
            }) => {
                let overridden = check(ai, despite, change)?;
                apply(RolloutChange::Promote, ai, change, &overridden)
            }
        }
    }

    fn show(&self) -> Result<(), Failure> {
        let mut rollouts = Vec::new();
        for (process, reply) in ask(&self.file, &["rollouts"])? {
            for mut rollout in reply["rollouts"].as_array().cloned().unwrap_or_default() {
                rollout["process"] = process.into();
                rollouts.push(rollout);
            }
        }
        if let Some(ai) = &self.ai {
            rollouts.retain(|rollout| rollout["ai"] == json!(ai));
            if rollouts.is_empty() {
                return Err(Failure::Usage(format!(
                    "no running server has a candidate for '{}'",
                    printable(ai)
                )));
            }
        }
        if self.json {
            // In the form that `rookery replay` reads.
            let requests = rollouts
                .iter()
                .filter_map(|rollout| rollout["requests"].as_array());
            let requests: Vec<_> = requests.flatten().cloned().collect();
            return Ok(print_json(
                &json!({"rollouts": rollouts, "requests": requests}),
            )?);
        }
        if rollouts.is_empty() {
            print_message("no AI has a `candidate`");
        }
        for rollout in &rollouts {
            print(&RolloutReport(rollout).to_string())?;
        }
        Ok(())
    }
}

/// Asks every running server. Returns each answer with the server's process.
///
/// # Errors
/// No server runs, or one does not answer.
fn ask(file: &ConfigFile, words: &[&str]) -> Result<Vec<(u32, Value)>, Failure> {
    let runtime = CommandRuntime::new()?;
    let config = file.configuration();
    runtime.block_on(async {
        let servers = running_servers(file.path())
            .await
            .with_context(|| format!("cannot find {config}"))?;
        if servers.is_empty() {
            return Err(Failure::Other(anyhow::anyhow!(
                "no server of this user runs with {config}, so nothing is known about its \
                 candidates; choose its file with --config"
            )));
        }
        let mut answers = Vec::new();
        for server in servers {
            let process = server.process;
            let answer = server.ask(words).await;
            let answer = answer.with_context(|| format!("server {process}"))?;
            let answer = serde_json::from_str(&answer).map_err(anyhow::Error::new)?;
            answers.push((process, answer));
        }
        Ok(answers)
    })
}

/// Asks the servers about the promotion, and returns the overridden reasons as JSON.
///
/// # Errors
/// Other reasons prevent the promotion.
fn check(ai: &str, despite: &[String], change: &FileChange) -> Result<Value, Failure> {
    let action = if change.dry_run { "check" } else { "promote" };
    let mut words = vec![action, ai];
    words.extend(despite.iter().map(String::as_str));
    let (mut reasons, mut overridden) = (Vec::new(), Vec::new());
    for (process, answer) in ask(&change.file, &words)? {
        if !answer["unknown"].is_null() {
            return Err(Failure::Usage(format!(
                "server {process} has no candidate for '{}'",
                printable(ai)
            )));
        }
        let list = |key: &str| answer[key].as_array().cloned().unwrap_or_default();
        overridden.extend(list("overridden"));
        reasons.extend(list("refusals").iter().map(|refusal| {
            let [reason, detail] =
                ["reason", "detail"].map(|key| refusal[key].as_str().unwrap_or_default());
            printable(&format!("server {process}: {detail} (--despite {reason})"))
        }));
    }
    if reasons.is_empty() {
        return Ok(json!({"overridden": overridden}));
    }
    Err(Failure::Other(anyhow::anyhow!(
        "the candidate of '{}' was not promoted:\n  {}",
        printable(ai),
        reasons.join("\n  ")
    )))
}

/// Writes the configuration, keeps a copy of the old file and reloads running servers.
fn apply(
    action: RolloutChange,
    ai: &str,
    change: &FileChange,
    details: &Value,
) -> Result<(), Failure> {
    let file = FileEdit::read(change.file.path(), &change.file.options(None))?;
    let candidate = action.apply(&mut file.clone(), ai)?;
    let sections = [SectionId::Ai(ai), SectionId::Ai(&candidate)];
    let refusal = format!("[ai.{}] was not changed", printable(ai));
    let mut copy = None;
    change.apply_with(&sections, None, &refusal, details, |edit, _| {
        action.apply(edit, ai)?;
        if !change.dry_run {
            copy = Some(action.keep_copy(edit, ai)?);
        }
        Ok(())
    })?;
    if let Some(copy) = copy {
        print_message(&format!("copy of the old file: {}", copy.display()));
    }
    Ok(())
}

impl From<ChangeError> for Failure {
    fn from(error: ChangeError) -> Self {
        match error {
            ChangeError::Config(errors) => errors.into(),
            ChangeError::Write(error) => error.into(),
            other => Self::Usage(other.to_string()),
        }
    }
}
