//! `rookery check-ai`.

mod request;

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use ai_api::{OptionSetting, OptionValue};
use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::{Failure, print, print_json};
use crate::cli::check_ai::request::{RequestError, RequestForm};
use config::{AiSettings, MEMORY_SIZES_MB, THREAD_COUNTS};
use conformance::{Check, Outcome, Subject, Verdict, checks};
use library::SealedLibrary;
use pool::WorkerProgram;
use protocol::SandboxMode;
use text::{printable, suggest};

#[derive(Debug, Args)]
pub(super) struct CheckAi {
    /// The library of the AI, a .so file
    #[arg(required_unless_present = "list")]
    file: Option<PathBuf>,
    /// Tell every check with what it tries, and try nothing
    #[arg(long)]
    list: bool,
    /// Put the request in this JSON file to the AI, and print what it reports and returns
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["only", "list"])]
    request: Option<PathBuf>,
    /// Make this check only, or those whose names begin so, such as `moves`; may stand several times
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// What chance follows from; left out, another one each time, which is told
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Set an option of the AI; repeat it for other options, and for each path of one that takes several
    #[arg(long, value_name = "NAME=VALUE", value_parser = option_setting)]
    option: Vec<OptionSetting>,
    /// Let the AI read this file, or this folder and all below it; may stand several times. What an option of files names
    /// may be read
    #[arg(long, value_name = "PATH")]
    allow_read: Vec<PathBuf>,
    /// Let the AI start this program; may stand several times
    #[arg(long, value_name = "PATH")]
    allow_exec: Vec<PathBuf>,
    /// How the AI is confined, as `sandbox` in its [ai.ID]
    #[arg(long, value_enum, default_value = "required")]
    sandbox: SandboxMode,
    /// The memory that the AI may have, as in its [ai.ID]; left out, what it has there by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(*MEMORY_SIZES_MB.start()..=*MEMORY_SIZES_MB.end()))]
    memory_mb: Option<u64>,
    /// The threads that the AI may start, as in its [ai.ID]; left out, what it has there by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(*THREAD_COUNTS.start()..=*THREAD_COUNTS.end()))]
    threads: Option<u64>,
    /// For machines
    #[arg(long)]
    json: bool,
}

/// `true`, `false`, whole and decimal numbers are what they look like, everything else is a text.
fn option_setting(text: &str) -> Result<OptionSetting, String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, such as hash_mb=64")?;
    let value = match (value, value.parse()) {
        ("true", _) => OptionValue::Flag(true),
        ("false", _) => OptionValue::Flag(false),
        (_, Ok(number)) => OptionValue::Integer(number),
        _ => match value.parse() {
            Ok(number) if value.contains('.') => OptionValue::Decimal(number),
            _ => OptionValue::Text(value.into()),
        },
    };
    Ok(OptionSetting { name: name.into(), value })
}

/// The settings with each name once: several values of one are a list.
fn joined(settings: &[OptionSetting]) -> Vec<OptionSetting> {
    let mut joined: Vec<OptionSetting> = Vec::new();
    for setting in settings {
        let Some(earlier) = joined.iter_mut().find(|earlier| earlier.name == setting.name) else {
            joined.push(setting.clone());
            continue;
        };
        let mut values = match &earlier.value {
            OptionValue::List(values) => values.clone(),
            value => vec![value.to_string()],
        };
        values.push(setting.value.to_string());
        earlier.value = OptionValue::List(values);
    }
    joined
}

/// An outcome, and the command that repeats it.
#[derive(Serialize)]
struct Entry {
    #[serde(flatten)]
    outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    again: Option<String>,
}

impl CheckAi {
    pub(super) fn run(self) -> Result<(), Failure> {
        let chosen = self.chosen()?;
        let Some(file) = self.file.as_ref().filter(|_| !self.list) else { return self.list(&chosen) };
        let library =
            SealedLibrary::read(file).map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))?;
        let seed = match self.seed {
            Some(seed) => seed,
            None => {
                u64::from(getrandom::u32().map_err(|error| anyhow::anyhow!("there is no chance: {error}"))?)
            }
        };
        let absolute = std::fs::canonicalize(file)?;
        let ai = AiSettings::with_defaults(&library.note().id, &absolute);
        let mut ai = ai.ok_or_else(|| anyhow::anyhow!("{}: the path is not UTF-8", file.display()))?;
        ai.sandbox.mode = self.sandbox;
        ai.sandbox.memory_mb = self.memory_mb.unwrap_or(ai.sandbox.memory_mb);
        ai.sandbox.threads = self.threads.unwrap_or(ai.sandbox.threads);
        for path in &self.allow_read {
            let granted = std::fs::canonicalize(path);
            ai.sandbox.read.push(granted.map_err(|error| no_grant(path, &error))?);
            ai.sandbox.links.extend(std::path::absolute(path).ok());
        }
        for path in &self.allow_exec {
            let granted = std::path::absolute(path).map_err(|error| no_grant(path, &error))?;
            ai.sandbox
                .exec
                .push(library::executable::inspect(&granted).map_err(|error| no_grant(path, &error))?);
        }
        let subject = Subject {
            library: Arc::new(library),
            settings: joined(&self.option),
            ai,
            program: WorkerProgram::this_binary(),
            seed,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        if let Some(request) = &self.request {
            let failure = |error| match error {
                RequestError::Failed(reason) => anyhow::anyhow!("the AI: {reason}").into(),
                wrong => Failure::Usage(format!("{}: {wrong}", request.display())),
            };
            let form = RequestForm::read(request).map_err(failure)?;
            return print_json(&runtime.block_on(form.send(&subject)).map_err(failure)?);
        }
        let told = runtime.block_on(self.examine(&chosen, &subject, file))?;
        let count = |verdict| told.iter().filter(|told| told.outcome.verdict == verdict).count();
        let counts: BTreeMap<_, _> = VERDICTS.iter().map(|&(verdict, name)| (name, count(verdict))).collect();
        if self.json {
            let note = subject.library.note();
            print_json(&json!({
                "id": note.id,
                "version": note.version,
                "library": {"file": file, "sha256": subject.library.sha256().to_string()},
                "seed": seed,
                "counts": counts,
                "checks": told,
            }))?;
        } else {
            let counts: Vec<_> =
                VERDICTS.iter().map(|&(verdict, name)| format!("{} {name}", count(verdict))).collect();
            print(&format!("\n{} checks: {}; seed {seed}", told.len(), counts.join(", ")))?;
        }
        match count(Verdict::Fail) + count(Verdict::Crashed) {
            0 => Ok(()),
            bad => Err(anyhow::anyhow!("{bad} of {} checks are not passed", told.len()).into()),
        }
    }

    fn list(&self, chosen: &[&Check]) -> Result<(), Failure> {
        if self.json {
            let entry = |check: &&Check| json!({"name": check.name, "description": check.description});
            return print_json(&chosen.iter().map(entry).collect::<Vec<_>>());
        }
        let line = |check: &&Check| format!("{:<26} {}", check.name, check.description);
        Ok(print(&chosen.iter().map(line).collect::<Vec<_>>().join("\n"))?)
    }

    fn chosen(&self) -> Result<Vec<&'static Check>, Failure> {
        let is_meant = |check: &Check, name: &str| {
            check.name == name || check.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
        };
        for name in &self.only {
            if !checks().any(|check| is_meant(check, name)) {
                let meant = suggest(name, checks().map(|check| check.name));
                let hint = meant.map(|meant| format!("did you mean '{meant}'? ")).unwrap_or_default();
                let name = printable(name);
                return Err(Failure::Usage(format!(
                    "there is no check '{name}'; {hint}--list tells them all"
                )));
            }
        }
        let is_chosen =
            |check: &&Check| self.only.is_empty() || self.only.iter().any(|name| is_meant(check, name));
        Ok(checks().filter(is_chosen).collect())
    }

    /// Makes the checks one after the other, since some look at the clock; tells each as it ends.
    async fn examine(
        &self,
        chosen: &[&Check],
        subject: &Subject,
        file: &Path,
    ) -> Result<Vec<Entry>, Failure> {
        let mut all = Vec::new();
        let secret = if self.option.is_empty() { Vec::new() } else { subject.secret_options().await };
        for check in chosen {
            let outcome = check.make(subject).await;
            let again = match outcome.verdict {
                Verdict::Pass | Verdict::Skipped => None,
                Verdict::Fail | Verdict::Crashed | Verdict::Warning => {
                    Some(self.again(check.name, subject.seed, file, &secret))
                }
            };
            let told = Entry { outcome, again };
            if !self.json {
                print(&as_text(&told))?;
            }
            all.push(told);
        }
        Ok(all)
    }

    /// The command that makes one check as it was made; secret options are to be filled in.
    fn again(&self, check: &str, seed: u64, file: &Path, secret: &[String]) -> String {
        let mut words: Vec<Cow<'_, str>> = vec!["rookery".into(), "check-ai".into(), file.to_string_lossy()];
        let seed = seed.to_string();
        words.extend(["--only".into(), check.into(), "--seed".into(), seed.into()]);
        for OptionSetting { name, value } in &self.option {
            let shown = if secret.contains(name) { "(secret)".to_owned() } else { value.to_string() };
            words.extend(["--option".into(), format!("{name}={shown}").into()]);
        }
        if self.sandbox != SandboxMode::default() {
            words.extend(["--sandbox".into(), self.sandbox.into_str().into()]);
        }
        for (flag, number) in [("--memory-mb", self.memory_mb), ("--threads", self.threads)] {
            words.extend(number.iter().flat_map(|number| [flag.into(), number.to_string().into()]));
        }
        for (flag, paths) in [("--allow-read", &self.allow_read), ("--allow-exec", &self.allow_exec)] {
            words.extend(paths.iter().flat_map(|path| [flag.into(), path.to_string_lossy()]));
        }
        let quoted = words.iter().map(|word| shlex::try_quote(word).unwrap_or(Cow::Borrowed(word)));
        quoted.collect::<Vec<_>>().join(" ")
    }
}

/// How a check may end, in the order of the summary.
const VERDICTS: [(Verdict, &str); 5] = [
    (Verdict::Pass, "passed"),
    (Verdict::Fail, "failed"),
    (Verdict::Crashed, "crashed"),
    (Verdict::Warning, "warnings"),
    (Verdict::Skipped, "skipped"),
];

fn no_grant(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::Usage(format!("{} can't be granted: {error}", path.display()))
}

fn as_text(Entry { outcome, again }: &Entry) -> String {
    let verdict = match outcome.verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "FAIL",
        Verdict::Crashed => "CRASHED",
        Verdict::Warning => "warning",
        Verdict::Skipped => "skipped",
    };
    let reason = outcome.reason.as_deref().map(printable).unwrap_or_default();
    let mut text = format!("{verdict:<8} {:<26} {reason}", outcome.name).trim_end().to_owned();
    if let Some(remedy) = outcome.remedy {
        let _ = write!(text, "\n{:35} -> {remedy}", "");
    }
    if let Some(again) = again {
        let _ = write!(text, "\n{:35} again: {again}", "");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_what_it_looks_like() {
        let value = |text: &str| option_setting(text).unwrap().value;
        assert_eq!(value("a=true"), OptionValue::Flag(true));
        assert_eq!(value("a=-3"), OptionValue::Integer(-3));
        assert_eq!(value("a=b=c"), OptionValue::Text("b=c".into()));
        assert_eq!(value("a="), OptionValue::Text(String::new()));
        assert_eq!(value("a=0.5"), OptionValue::Decimal(0.5));
        assert_eq!(value("a=v1.5"), OptionValue::Text("v1.5".into()));
        assert_eq!(value("a=inf"), OptionValue::Text("inf".into()));
        assert!(option_setting("a").is_err());
    }

    #[test]
    fn every_check_has_a_name_of_its_own_and_a_description() {
        let names: std::collections::BTreeSet<_> = checks().map(|check| check.name).collect();
        assert_eq!(names.len(), checks().count());
        assert!(names.len() >= 40, "{} checks", names.len());
        assert!(checks().all(|check| check.description.ends_with('.') && check.name.contains('.')));
    }
}
