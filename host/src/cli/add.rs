//! `rookery add`.

mod section;

use std::{fmt::Write as _, net::SocketAddr, path::Path};

use ai_api::note::is_id;
use clap::Args;
use serde_json::{Value, json};
use toml_edit::InlineTable;

use self::section::{files, keys, merge, programs};
use crate::cli::{
    failure::Failure,
    file_change::FileChange,
    grants::{MAX_SHOWN, Tried, find_settings},
    output::{print, print_message},
    runtime::CommandRuntime,
    target::{AiFlags, Target},
};
use config::{
    AiSettings, COMMAND, Config, FileEdit, ID_ALLOWED, ListenAddress, PluginPolicy, SectionId,
    UNTIMED_SEARCH,
};
use conformance::{Trial, TrialStep};
use game::smoke_tests;
use library::file_access::canonicalize;
use pool::{AiStartError, Ais, Retry, StartErrors, WorkerProgram};
use text::{counted, printable, visible};

/// The maximum number of options shown.
const MAX_OPTIONS: usize = 8;

#[derive(Debug, Args)]
pub(super) struct AddAi {
    /// Library, UCI engine or script
    #[arg(required_unless_present = "command", conflicts_with = "command")]
    target: Option<String>,
    /// UCI engine with its arguments
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
    /// ID in the configuration; by default the library's, or the name of the engine's file
    #[arg(long)]
    id: Option<String>,
    /// Default search limit: `depth`, `nodes`, `movetime_ms` or `mate`; can be repeated
    #[arg(long, value_name = "NAME=N", value_parser = search_limit)]
    limit: Vec<(String, i64)>,
    /// Enforce the limit for every request
    #[arg(long, requires = "limit")]
    bind: bool,
    #[command(flatten)]
    ai: AiFlags,
    #[command(flatten)]
    change: FileChange,
}

/// Parses text such as `nodes=1`. The configuration checks the number's range.
fn search_limit(text: &str) -> Result<(String, i64), String> {
    let parsed = text.split_once('=').and_then(|(name, number)| {
        let is_limit = ["depth", "nodes", "movetime_ms", "mate"].contains(&name);
        Some((name.to_owned(), number.parse().ok()?)).filter(|_| is_limit)
    });
    parsed.ok_or("expected depth, nodes, movetime_ms or mate and a number, as in nodes=1".into())
}

impl AddAi {
    pub(super) fn run(self) -> Result<(), Failure> {
        let runtime = CommandRuntime::new()?;
        let file = FileEdit::read(self.change.file.path(), &self.change.file.options(None))?;
        let current = file.load()?;
        let words = self
            .target
            .clone()
            .map_or_else(|| self.command.clone(), |target| vec![target]);
        let target = Target::find(&words)?;
        let id = self.chosen_id(&target, &current)?;
        let mut settings = target.settings(&id, &current.plugins.directories)?;
        let existing = current
            .ais
            .get(&id)
            .filter(|existing| is_of(&target, existing));
        if let Some(existing) = existing {
            merge(existing, &mut settings);
        }
        self.ai.apply(&mut settings)?;
        let (program, folder) = (target.file().to_owned(), target.folder());
        let subject = target.subject(settings, 0)?;
        let progress = |message: &str| print_message(&visible(message));
        let tried = runtime.block_on(find_settings(subject, folder.as_deref(), &progress))?;

        let section = SectionId::Ai(&id);
        let before = file.section(section);
        let refusal = format!("[ai.{id}] was not added");
        let change = |edit: &mut FileEdit, _: Option<&Config>| -> Result<(), Failure> {
            let loaded = edit.load()?;
            if edit.section(section) != before {
                return Err(Failure::Other(anyhow::anyhow!(
                    "[ai.{id}] has changed since it was read; run the command again"
                )));
            }
            if existing.is_none() {
                edit.remove(section);
            }
            let mut written = keys(&tried, &self.ai, edit, &loaded);
            if let Some(limit) = self.limit_table() {
                written.retain(|(key, _)| *key != "limit");
                written.push(("limit", limit.into()));
            }
            edit.set(section, written);
            if edit.is_new() && loaded.clients.is_empty() {
                edit.add_default_client(&id);
            }
            Ok(())
        };
        let planned = self.change.plan(&[section], &refusal, change)?;
        let config = planned.config.as_ref().unwrap_or(&current);
        let workers = runtime.block_on(async { start_alone(config, &id) })?;
        if !self.change.json {
            print(&format!("{}\n", about(&tried, &program, workers)))?;
        }
        let reachable = self.change.apply_with(
            &[section],
            None,
            &refusal,
            &details(&tried, workers),
            change,
        )?;
        if !self.change.json && !self.change.dry_run {
            let next_steps = self.next_steps(&id, &words, config, reachable.as_deref());
            print(&format!("\n{}", visible(&next_steps)))?;
        }
        Ok(())
    }

    fn chosen_id(&self, target: &Target, current: &Config) -> Result<String, Failure> {
        let id = self.id.clone().unwrap_or_else(|| target.id());
        if !is_id(&id) {
            return Err(Failure::Usage(format!(
                "'{}' is not a valid id; expected {ID_ALLOWED}",
                printable(&id)
            )));
        }
        if self.id.is_none()
            && let Some(existing) = current.ais.get(&id)
            && !is_of(target, existing)
        {
            return Err(Failure::Usage(format!(
                "[ai.{id}] already exists, for {}; add this AI with --id OTHER, or replace that \
                 one with --id {id}",
                visible(
                    existing
                        .command()
                        .unwrap_or(&existing.library.to_string_lossy())
                )
            )));
        }
        Ok(id)
    }

    /// Returns the limit as TOML.
    fn limit_table(&self) -> Option<InlineTable> {
        let limits = self.limit.iter().cloned();
        let mut table: InlineTable = limits.collect();
        if self.bind {
            table.insert("bind", true.into());
        }
        (!table.is_empty()).then_some(table)
    }

    fn next_steps(
        &self,
        id: &str,
        words: &[String],
        config: &Config,
        running: Option<&[String]>,
    ) -> String {
        let named = self.change.file.named().map(Path::to_string_lossy);
        let with_config = named.as_ref().map(|path| ["--config", path]);
        let with_config = with_config.as_ref().map_or(&[][..], |flag| flag);
        let mut text = String::new();
        let line = |what: &str, command: &[&str]| {
            let quoted = shlex::try_join(command.iter().copied()).unwrap_or_default();
            format!("{what:<8} {}\n", one_line(&quoted))
        };
        if running.is_none() {
            text += &line("serve", &[&["rookery", "serve"], with_config].concat());
        }
        let url = match running {
            Some(addresses) => url_of(addresses),
            None => future_url(config),
        };
        let url = url.unwrap_or_else(|| "at the server's address".to_owned());
        let _ = writeln!(text, "{:<8} {url}", "play");
        let flags = self.ai.words();
        let mut check = vec!["rookery", "check-ai"];
        check.extend(flags.iter().map(String::as_str));
        if self.target.is_none() {
            check.push("--");
        }
        check.extend(words.iter().map(String::as_str));
        text += &line("check", &check);
        let rate = [
            "rookery",
            "match",
            id,
            "--gauntlet",
            "--games",
            "40",
            "--movetime-ms",
            "100",
        ];
        text += &line("rate", &[&rate[..], with_config].concat());
        if config.clients.is_empty() {
            text += "no client may use it yet: add [client.default], or a client with 'rookery \
                client add'\n";
        }
        text
    }
}

/// Returns the URL of a running server that listens on one of these addresses.
fn url_of(addresses: &[String]) -> Option<String> {
    let first = addresses
        .iter()
        .find(|address| address.starts_with("http"))?;
    // A server that listens on every address also listens on the loopback address.
    let local = first.replace("//0.0.0.0:", "//127.0.0.1:");
    Some(local.replace("//[::]:", "//[::1]:") + "/")
}

/// Returns the URL of a server with this configuration, if its address is fixed.
fn future_url(config: &Config) -> Option<String> {
    let scheme = if config.server.tls.is_some() {
        "https"
    } else {
        "http"
    };
    let is_fixed = |address: &&SocketAddr| address.port() != 0 && !address.ip().is_unspecified();
    let addresses = config.server.listen.iter().filter_map(ListenAddress::tcp);
    let address = addresses.into_iter().find(is_fixed)?;
    Some(format!("{scheme}://{address}/"))
}

/// Returns the trial's findings as JSON.
fn details(tried: &Tried, workers: usize) -> Value {
    let Trial {
        manifest,
        options,
        steps,
        late,
        peak_bytes,
        threads,
        ..
    } = &tried.trial;
    let step = |step: &TrialStep| {
        json!({
            "what": step.what,
            "best_move": step.best_move,
            "elapsed_ms": step.elapsed.as_millis() as u64
        })
    };
    let names = options.iter().map(|option| &option.name);
    let sandbox = &tried.settings.sandbox;
    json!({
        "name": manifest.name,
        "version": manifest.version,
        "author": manifest.author,
        "options": names.filter(|name| *name != COMMAND).collect::<Vec<_>>(),
        "allow_exec": programs(sandbox),
        "allow_read": files(sandbox),
        "memory_mb": sandbox.memory_mb,
        "workers": workers,
        "threads": sandbox.threads,
        "trial": {
            "is_traced": tried.is_traced,
            "steps": steps.iter().map(step).collect::<Vec<_>>(),
            "late_ms": late.as_millis() as u64,
            "peak_mb": peak_bytes >> 20,
            "threads": threads,
            "not_found": tried.not_found,
        },
    })
}

/// Starts the AI and runs its smoke tests, as a server does at a reload. Returns its number of
/// workers.
fn start_alone(config: &Config, id: &str) -> Result<usize, Failure> {
    let mut alone = config.clone();
    alone.keep_only(id);
    if alone.plugins.policy == PluginPolicy::Any {
        alone.plugins.policy = PluginPolicy::Configured;
    }
    let mut nothing = alone.clone();
    nothing.ais.clear();
    let ais = Ais::start(&nothing, WorkerProgram::this_binary())?;
    let started = ais.reload_with(&alone, smoke_tests(), Retry::All);
    started
        .map(|next| next.ais.get(id).map_or(0, |ai| ai.workers))
        .map_err(|errors| {
            Failure::Other(anyhow::anyhow!(
                "the AI was not added: {}",
                reasons(&errors)
            ))
        })
}

/// Returns the messages without their places in the file, because the file has not been written.
fn reasons(StartErrors(errors): &StartErrors) -> String {
    let reason = |error: &AiStartError| match error.issue() {
        Some(issue) => [&[issue.message.clone()][..], &issue.notes]
            .concat()
            .join("\n  "),
        None => error.to_string(),
    };
    errors.iter().map(reason).collect::<Vec<_>>().join("\n")
}

/// Returns whether any AI in the configuration uses this file.
fn is_of(target: &Target, existing: &AiSettings) -> bool {
    match target {
        Target::Library { file, .. } => {
            existing
                .library
                .canonicalize()
                .is_ok_and(|library| library == *file)
                || existing.library.file_name() == file.file_name()
        }
        Target::Engine(command) => existing
            .command()
            .is_some_and(|text| command.has_target_of(text)),
    }
}

/// Puts text on one line. Otherwise, a line break in a file name could forge a line.
fn one_line(text: &str) -> String {
    visible(text).replace('\n', " ")
}

fn about(tried: &Tried, file: &Path, workers: usize) -> String {
    let Trial {
        manifest,
        options,
        steps,
        peak_bytes,
        threads,
        ..
    } = &tried.trial;
    let mut text = format!("{} {}", manifest.name, manifest.version)
        .trim()
        .to_owned();
    if !manifest.author.is_empty() {
        let _ = write!(text, " by {}", manifest.author);
    }
    let _ = write!(text, ", {}", one_line(&file.to_string_lossy()));
    if let Some(real) = canonicalize(file).ok().filter(|real| real != file) {
        let _ = write!(text, ", a link to {}", one_line(&real.to_string_lossy()));
    }
    let program = tried
        .settings
        .sandbox
        .exec
        .first()
        .map(|program| &program.file);
    if let Some(interpreter) =
        program.filter(|&program| canonicalize(file).ok().as_ref() != Some(program))
    {
        let _ = write!(
            text,
            "\n  {:<31} {}",
            "run by",
            one_line(&interpreter.to_string_lossy())
        );
    }
    let names: Vec<_> = options
        .iter()
        .map(|option| option.name.as_str())
        .filter(|name| *name != COMMAND)
        .collect();
    let (shown, more) = (
        names.iter().take(MAX_OPTIONS).copied(),
        names.len() > MAX_OPTIONS,
    );
    let shown: Vec<_> = shown.chain(more.then_some("…")).collect();
    let _ = write!(
        text,
        "\n  {:<31} {}",
        counted(names.len(), "option"),
        shown.join(", ")
    );
    for TrialStep {
        what,
        best_move,
        elapsed,
    } in steps
    {
        let _ = write!(
            text,
            "\n  {what:<31} {best_move} after {:.2} s",
            elapsed.as_secs_f64()
        );
    }
    if tried
        .settings
        .options
        .iter()
        .any(|option| option.name == UNTIMED_SEARCH)
    {
        let _ = write!(
            text,
            "\n  {:<31} every search gets a time limit ({UNTIMED_SEARCH})",
            "it ignores 'stop'"
        );
    }
    let _ = write!(
        text,
        "\n  {:<31} {} MiB, {}",
        "at most",
        peak_bytes >> 20,
        counted(*threads, "thread")
    );
    let origin = match tried.settings.workers {
        Some(_) => "as configured",
        None => "as many as the processors and memory allow; set `workers` for a different number",
    };
    let _ = write!(
        text,
        "\n  {:<31} {}, {origin}",
        "searches in parallel",
        counted(workers, "worker")
    );
    for path in tried.not_found.iter().take(MAX_SHOWN) {
        let _ = write!(
            text,
            "\n  {:<31} {}",
            "looked for, but not found",
            one_line(&path.to_string_lossy())
        );
    }
    visible(&text)
}
