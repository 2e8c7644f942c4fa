//! `rookery check-ai`.

mod progress;
mod request;

use std::{
    borrow::Cow, collections::BTreeMap, fmt::Write as _, iter, path::PathBuf, time::Duration,
};

use ai_api::OptionSetting;
use clap::Args;
use serde::Serialize;
use serde_json::json;
use strum::VariantArray as _;
use tokio::time::{Instant, timeout_at};

use self::{
    progress::CheckProgress,
    request::{CheckRequestError, RequestForm},
};
use crate::cli::{
    failure::Failure,
    grants::{MEMORY_FLAG, find_files, lacks_memory},
    output::{print, print_json, print_message, print_table},
    runtime::CommandRuntime,
    target::{AiFlags, Target},
};
use conformance::{Check, CheckReport, Subject, Verdict, checks, run_checks};
use protocol::SandboxMode;
use text::{counted, printable, suggest, visible};

/// The column at which descriptions of checks begin.
const DESCRIPTION: usize = 27;

#[derive(Debug, Args)]
pub(super) struct CheckAi {
    /// Library (.so), UCI engine or script
    #[arg(required_unless_present_any = ["list", "command"], conflicts_with = "command")]
    file: Option<PathBuf>,
    /// UCI engine with its arguments
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
    /// List the checks without running them
    #[arg(long)]
    list: bool,
    /// Send the request in this file and print the reports and result
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["only", "list"])]
    request: Option<PathBuf>,
    /// Run only this check, or the checks with this prefix; can be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    #[command(flatten)]
    form: FormFlags,
    /// Random seed; by default a new one
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    ai: AiFlags,
    /// Sandbox mode, like `sandbox` in [ai.ID]
    #[arg(long, value_enum, default_value = "required")]
    sandbox: SandboxMode,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct FormFlags {
    /// Run only the checks that fit in a minute (default for UCI engines)
    #[arg(long, conflicts_with_all = ["full", "only"])]
    quick: bool,
    /// Run every check (default for libraries)
    #[arg(long, conflicts_with = "only")]
    full: bool,
}

/// The check that every other check depends on.
const STARTS: &str = "load.starts";
/// The time limit of the quick form. It leaves time to stop the workers within a minute.
const QUICK: Duration = Duration::from_secs(50);
/// The time that the quick form may spend on finding an engine's files.
const FINDING_FILES: Duration = Duration::from_secs(20);

/// The selection of checks to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum CheckForm {
    /// Leaves out checks without [`Check::is_quick`], and checks that do not finish in time.
    Quick,
    Full,
    /// The checks that `--only` names.
    Only,
}

/// The checks that ran, and the ones that did not.
struct CheckOutcome {
    form: CheckForm,
    entries: Vec<ReportEntry>,
    /// The form's checks for which no time was left.
    unfinished: Vec<&'static str>,
    /// The checks that the form leaves out.
    left_out: Vec<&'static str>,
}

/// GDB commands that follow all workers: the debugger continues when one exits, and stops at a
/// crash.
const GDB: [&str; 6] = [
    "set pagination off",
    "set detach-on-fork off",
    "set schedule-multiple on",
    "run",
    "python while not gdb.selected_thread() and gdb.inferiors()[0].pid: gdb.execute('inferior 1'); \
     gdb.execute('continue')",
    "bt",
];

/// A report with the command that repeats its check.
#[derive(Serialize)]
struct ReportEntry {
    #[serde(flatten)]
    report: CheckReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    again: Option<String>,
    /// The command that repeats a crash in the debugger.
    #[serde(skip_serializing_if = "Option::is_none")]
    gdb: Option<String>,
}

impl CheckAi {
    pub(super) fn run(self) -> Result<(), Failure> {
        let chosen = self.chosen()?;
        if self.list {
            return self.list(&chosen);
        }
        let started = Instant::now();
        let runtime = CommandRuntime::new()?;
        let target = self.target()?;
        let form = self.form(&target);
        let subject = runtime.block_on(self.subject(
            target,
            (form == CheckForm::Quick).then(|| started + FINDING_FILES),
        ))?;
        if let Some(request) = &self.request {
            let failure = |error| match error {
                CheckRequestError::Failed(reason) => anyhow::anyhow!("the AI: {reason}").into(),
                wrong => Failure::Usage(format!("{}: {wrong}", request.display())),
            };
            let sent = RequestForm::read(request).map_err(failure)?;
            return Ok(print_json(
                &runtime.block_on(sent.send(&subject)).map_err(failure)?,
            )?);
        }
        let deadline = (form == CheckForm::Quick).then(|| started + QUICK);
        let outcome = runtime.block_on(self.run_checks(form, &chosen, &subject, deadline))?;
        self.print_summary(&outcome, &subject)
    }

    fn target(&self) -> Result<Target, Failure> {
        match &self.file {
            Some(file) => match file.to_str() {
                // Any other file may be an engine.
                Some(text)
                    if !file.is_dir()
                        && file.extension().is_none_or(|extension| extension != "so") =>
                {
                    Target::find(&[text.to_owned()])
                }
                _ => Target::library(file),
            },
            None => Target::find(&self.command),
        }
    }

    fn form(&self, target: &Target) -> CheckForm {
        match target {
            _ if !self.only.is_empty() => CheckForm::Only,
            Target::Engine(_) if !self.form.full => CheckForm::Quick,
            _ if self.form.quick => CheckForm::Quick,
            _ => CheckForm::Full,
        }
    }

    /// Reads the library, its settings and its grants. Adds grants for the files that an engine
    /// looks for in its own folder before the deadline.
    async fn subject(&self, target: Target, deadline: Option<Instant>) -> Result<Subject, Failure> {
        let seed = match self.seed {
            Some(seed) => seed,
            None => u64::from(getrandom::u32()?),
        };
        let mut ai = target.settings(&target.id(), &[])?;
        ai.sandbox.mode = self.sandbox;
        self.ai.apply(&mut ai)?;
        let (folder, is_engine) = (target.folder(), matches!(target, Target::Engine(_)));
        let mut subject = target.subject(ai, seed)?;
        if is_engine {
            let progress = |message: &str| print_message(&visible(message));
            let finding = find_files(&mut subject, folder.as_deref(), &progress);
            match deadline {
                // After the deadline, the subject keeps the grants found so far.
                Some(deadline) => _ = timeout_at(deadline, finding).await.ok().transpose()?,
                None => _ = finding.await?,
            }
        }
        Ok(subject)
    }

    /// Prints the count of each verdict. The JSON includes the reports. Fails if a check failed.
    fn print_summary(&self, outcome: &CheckOutcome, subject: &Subject) -> Result<(), Failure> {
        let CheckOutcome {
            form,
            entries,
            unfinished,
            left_out,
        } = outcome;
        let seed = subject.seed;
        let count_of = |verdict| {
            entries
                .iter()
                .filter(|entry| entry.report.verdict == verdict)
                .count()
        };
        let counts = Verdict::VARIANTS
            .iter()
            .map(|&verdict| (summary_name(verdict), count_of(verdict)));
        if self.json {
            let note = subject.library.note();
            print_json(&json!({
                "id": subject.ai.id,
                "version": note.version,
                "library": {
                    "file": subject.ai.library,
                    "sha256": subject.library.sha256().to_string()
                },
                "seed": seed,
                "form": form,
                "left_out": left_out,
                "unfinished": unfinished,
                "counts": counts.collect::<BTreeMap<_, _>>(),
                "checks": entries,
            }))?;
        } else {
            let count_text = |(name, count)| {
                if (name, count) == ("warnings", 1) {
                    "1 warning".into()
                } else {
                    format!("{count} {name}")
                }
            };
            let counts: Vec<_> = counts.map(count_text).collect();
            print(&format!(
                "\n{}: {}; seed {seed}",
                counted(entries.len(), "check"),
                counts.join(", ")
            ))?;
            if !unfinished.is_empty() {
                print(&format!("no time was left for {}", unfinished.join(", ")))?;
            }
            if !left_out.is_empty() {
                print(&format!(
                    "the quick form leaves out {}; --full runs all",
                    left_out.join(", ")
                ))?;
            }
        }
        match count_of(Verdict::Fail) + count_of(Verdict::Crashed) {
            0 => Ok(()),
            _ if entries.len() == 1 => Err(anyhow::anyhow!("the check failed").into()),
            failed => Err(anyhow::anyhow!("{failed} of {} checks failed", entries.len()).into()),
        }
    }

    fn list(&self, chosen: &[&Check]) -> Result<(), Failure> {
        if self.json {
            let entry =
                |check: &&Check| json!({"name": check.name, "description": check.description});
            return Ok(print_json(&chosen.iter().map(entry).collect::<Vec<_>>())?);
        }
        let line = |check: &&Check| {
            format!(
                "{:<width$}{}",
                check.name,
                check.description,
                width = DESCRIPTION
            )
        };
        let lines: Vec<_> = chosen.iter().map(line).collect();
        Ok(print_table(&lines.join("\n"), DESCRIPTION)?)
    }

    fn chosen(&self) -> Result<Vec<&'static Check>, Failure> {
        let matches = |check: &Check, name: &str| {
            check.name == name
                || check
                    .name
                    .strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with('.'))
        };
        for name in &self.only {
            if !checks().any(|check| matches(check, name)) {
                let meant = suggest(name, checks().map(|check| check.name));
                let hint = meant
                    .map(|meant| format!("did you mean '{meant}'? "))
                    .unwrap_or_default();
                let name = printable(name);
                return Err(Failure::Usage(format!(
                    "there is no check '{name}'; {hint}--list lists the checks"
                )));
            }
        }
        let is_chosen = |check: &&Check| {
            self.only.is_empty() || self.only.iter().any(|name| matches(check, name))
        };
        Ok(checks().filter(is_chosen).collect())
    }

    /// Runs the checks of a form, and prints each report when its check ends.
    async fn run_checks(
        &self,
        form: CheckForm,
        chosen: &[&'static Check],
        subject: &Subject,
        deadline: Option<Instant>,
    ) -> Result<CheckOutcome, Failure> {
        let (checks, left_out): (Vec<_>, Vec<_>) = chosen
            .iter()
            .copied()
            .partition(|check| form != CheckForm::Quick || check.is_quick());
        let secret = if self.ai.option.is_empty() {
            Vec::new()
        } else {
            subject.secret_options().await
        };
        let progress = CheckProgress::new(checks.len(), deadline);
        let (mut entries, mut printed) = (Vec::new(), Ok(()));
        let mut add = |report: CheckReport| {
            let entry = self.entry(report, subject.seed, &secret);
            progress.add();
            if !self.json && printed.is_ok() {
                printed = progress.beside(|| print(&as_text(&entry)));
            }
            entries.push(entry);
        };
        let (first, others): (Vec<_>, Vec<_>) =
            checks.iter().partition(|check| check.name == STARTS);
        let mut starts = true;
        let run = async {
            run_checks(&first, subject, deadline, |report| {
                starts = !matches!(report.verdict, Verdict::Fail | Verdict::Crashed);
                add(report);
            })
            .await;
            if starts {
                run_checks(&others, subject, deadline, &mut add).await;
            }
        };
        progress.shown_while(run).await;
        printed?;
        if !starts {
            // Each of the other checks would only repeat the reason.
            let skip = |check: &&Check| CheckReport::skipped(check.name, "the AI failed to start");
            entries.extend(others.iter().map(skip).map(|report| ReportEntry {
                report,
                again: None,
                gdb: None,
            }));
            if !self.json && !others.is_empty() {
                let others = counted(others.len(), "other check");
                print(&format!("skipped  {others}: the AI failed to start"))?;
            }
        }
        let place = |name: &str| checks.iter().position(|check| check.name == name);
        entries.sort_by_key(|entry| place(entry.report.name));
        let has_run = |check: &&&Check| entries.iter().any(|entry| entry.report.name == check.name);
        let unfinished = checks
            .iter()
            .filter(|check| !has_run(check))
            .map(|check| check.name)
            .collect();
        Ok(CheckOutcome {
            form,
            unfinished,
            left_out: left_out.iter().map(|check| check.name).collect(),
            entries,
        })
    }

    /// Adds the commands that repeat a check.
    fn entry(&self, report: CheckReport, seed: u64, secret: &[String]) -> ReportEntry {
        let again =
            |program: &[&str], sandbox| self.again(program, sandbox, report.name, seed, secret);
        let is_repeated = !matches!(report.verdict, Verdict::Pass | Verdict::Skipped);
        let gdb = report.is_for_a_debugger().then(|| {
            let program = std::env::args().next().unwrap_or_default();
            // The sandbox keeps debuggers out.
            let commands = GDB.iter().flat_map(|command| ["-ex", command]);
            let words: Vec<_> = iter::once("gdb")
                .chain(commands)
                .chain(["--args", &program])
                .collect();
            again(&words, SandboxMode::Off)
        });
        let again = is_repeated.then(|| again(&["rookery"], self.sandbox));
        ReportEntry { report, again, gdb }
    }

    /// Returns the command that repeats a check, without the values of secret options.
    fn again(
        &self,
        program: &[&str],
        sandbox: SandboxMode,
        check: &str,
        seed: u64,
        secret: &[String],
    ) -> String {
        let mut words: Vec<Cow<'_, str>> = program.iter().map(|&word| word.into()).collect();
        words.push("check-ai".into());
        words.extend(self.file.iter().map(|file| file.to_string_lossy()));
        let seed = seed.to_string();
        words.extend(["--only".into(), check.into(), "--seed".into(), seed.into()]);
        for OptionSetting { name, value } in &self.ai.option {
            let shown = if secret.contains(name) {
                "(secret)".to_owned()
            } else {
                value.to_string()
            };
            words.extend(["--option".into(), format!("{name}={shown}").into()]);
        }
        if sandbox != SandboxMode::default() {
            words.extend(["--sandbox".into(), sandbox.into_str().into()]);
        }
        for (flag, number) in [
            ("--memory-mb", self.ai.memory_mb),
            ("--threads", self.ai.threads),
        ] {
            words.extend(
                number
                    .iter()
                    .flat_map(|number| [flag.into(), number.to_string().into()]),
            );
        }
        for (flag, paths) in [
            ("--allow-read", &self.ai.allow_read),
            ("--allow-exec", &self.ai.allow_exec),
        ] {
            words.extend(
                paths
                    .iter()
                    .flat_map(|path| [flag.into(), path.to_string_lossy()]),
            );
        }
        if !self.command.is_empty() {
            words.extend(
                iter::once("--".into()).chain(self.command.iter().map(|word| word.as_str().into())),
            );
        }
        let quoted = words
            .iter()
            .map(|word| shlex::try_quote(word).unwrap_or(Cow::Borrowed(word)));
        quoted.collect::<Vec<_>>().join(" ")
    }
}

/// Returns the name of a verdict's count in the summary.
const fn summary_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "passed",
        Verdict::Fail => "failed",
        Verdict::Crashed => "crashed",
        Verdict::Warning => "warnings",
        Verdict::Skipped => "skipped",
    }
}

fn as_text(ReportEntry { report, again, gdb }: &ReportEntry) -> String {
    let name: &str = report.verdict.into_str();
    let verdict = match report.verdict {
        Verdict::Fail | Verdict::Crashed => name.to_uppercase(),
        _ => name.to_owned(),
    };
    // The end matters most: it is what the AI printed last.
    let reason = report
        .reason
        .as_deref()
        .map(|reason| visible(reason).replace('\n', " "))
        .unwrap_or_default();
    let mut text = format!("{verdict:<8} {:<26} {reason}", report.name)
        .trim_end()
        .to_owned();
    if let Some(remedy) = report.remedy {
        let _ = write!(text, "\n{:35} -> {remedy}", "");
    }
    if report.reason.as_deref().is_some_and(lacks_memory) {
        let _ = write!(text, "\n{:35} -> {MEMORY_FLAG}", "");
    }
    if let Some(again) = again {
        let _ = write!(text, "\n{:35} again: {again}", "");
    }
    if let Some(gdb) = gdb {
        let _ = write!(text, "\n{:35} debug: {gdb}", "");
    }
    // The words of the command can contain any character.
    visible(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_have_unique_names_and_descriptions() {
        let names: std::collections::BTreeSet<_> = checks().map(|check| check.name).collect();
        assert_eq!(names.len(), checks().count());
        assert!(names.len() >= 40, "{} checks", names.len());
        assert!(checks().all(|check| check.description.ends_with('.') && check.name.contains('.')));
    }
}
