//! `rookery replay`: repeats served requests.

use std::{
    io::Read as _,
    os::unix::fs::FileTypeExt as _,
    path::{Path, PathBuf},
};

use clap::Args;
use serde_json::{Value, json};

use crate::cli::{
    best_move::tree,
    config_file::{ConfigFile, choose_ai},
    failure::Failure,
    input::Input,
    output::{print, print_json},
    runtime::CommandRuntime,
};
use crate::log::{self, LogFormat};
use api::{
    forms::search::TraceForm,
    replay::Answer,
    served_request::{ServedRequestReply, ServedRequestsReply},
};
use config::SetLimit;
use game::GameService;
use pool::WorkerProgram;
use text::{printable, without_mark};

/// The maximum size of the file.
const MAX_BYTES: u64 = 64 << 20;
/// The maximum number of differences printed.
const MAX_DIFFERENCES: usize = 20;
/// The printed fields of a reply, with their labels.
const SUMMARY: [(&str, &str); 14] = [
    ("/code", ""),
    ("/detail", ""),
    ("/ai/id", ""),
    ("/move/uci", ""),
    ("/move/san", ""),
    ("/score/cp", "cp "),
    ("/score/mate", "mate "),
    ("/search/depth", "depth "),
    ("/search/nodes", "nodes "),
    ("/search/stopped_by", "stopped by "),
    ("/accuracy/white", "accuracy of White "),
    ("/accuracy/black", "of Black "),
    ("/GameStatus", "GameStatus "),
    ("/CurrentEvaluation", "evaluation "),
];
/// The fields in which equal answers may differ: times, messages for people, and fields that are
/// compared separately.
const NOT_COMPARED: [&str; 6] = ["time_ms", "nps", "detail", "request_id", "ai", "cached"];

#[derive(Debug, Args)]
pub(super) struct Replay {
    /// Saved reply of `GET /v1/requests/{request_id}`; - is standard input
    file: PathBuf,
    #[command(flatten)]
    config: ConfigFile,
    /// Ask this AI instead of the original one
    #[arg(long, value_name = "ID")]
    ai: Option<String>,
    /// Print the search tree of a best move, with at most N nodes
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "200")]
    trace: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A repeated request.
struct Replayed<'a> {
    request: &'a ServedRequestReply,
    now: Answer,
    /// How the AIs differ from the original ones.
    changes: Vec<String>,
    /// Why equal requests may have different results.
    may_vary: Vec<String>,
    /// `None` if there is no original answer.
    differences: Option<Vec<String>>,
}

impl Replay {
    pub(super) fn run(self) -> Result<(), Failure> {
        log::start("error", LogFormat::Text);
        let ServedRequestsReply { requests } = read(&self.file)?;
        let replayed = requests
            .iter()
            .map(|request| self.replay(request))
            .collect::<Result<Vec<_>, Failure>>()?;
        if self.json {
            print_json(
                &json!({"requests": replayed.iter().map(Replayed::json).collect::<Vec<_>>()}),
            )?;
        } else {
            replayed
                .iter()
                .try_for_each(|replayed| print(&replayed.text()))?;
        }
        if replayed
            .iter()
            .any(|replayed| replayed.is_same() == Some(false))
        {
            return Err(Failure::Other(anyhow::anyhow!(
                "the answer differs from the original one"
            )));
        }
        Ok(())
    }

    fn replay<'a>(&self, request: &'a ServedRequestReply) -> Result<Replayed<'a>, Failure> {
        let usage = |error: &dyn std::fmt::Display| {
            Failure::Usage(format!("{}: {error}", self.file.display()))
        };
        let mut config = self.config.load()?;
        let asked = &request.asked.ais;
        if self.ai.is_some() && asked.len() != 1 {
            return Err(usage(
                &"the request names several AIs or none; repeat it without --ai",
            ));
        }
        let mut ids = Vec::new();
        for ai in asked {
            let id = choose_ai(&mut config, Some(self.ai.as_ref().unwrap_or(&ai.id)))?;
            let limit = ai.limit().map_err(|error| usage(&error))?;
            config.ais.entry(id.clone()).and_modify(|settings| {
                settings.limit = Some(SetLimit::default(limit));
                settings.workers = Some(1);
            });
            ids.push(id);
        }
        config.ais.retain(|id, _| ids.contains(id));
        let service = GameService::start(config, WorkerProgram::this_binary())?;
        let runtime = CommandRuntime::new()?;
        let trace = self.trace.map(|nodes| TraceForm { nodes });
        let now = runtime.block_on(request.ask(&service, self.ai.as_deref(), trace));
        let now = now.map_err(|error| usage(&error))?;
        let (mut changes, mut may_vary) = (Vec::new(), Vec::new());
        for (saved, id) in asked.iter().zip(&ids) {
            let Some(ai) = service.ais().get(id) else {
                continue;
            };
            changes.extend(
                saved
                    .differences(ai)
                    .into_iter()
                    .map(|change| format!("AI {id}: {change}")),
            );
            if ai.about.capabilities.varies {
                may_vary.push(format!("the AI {id} says that its results vary"));
            }
        }
        if [&request.reply, &now.reply].into_iter().any(ended_by_time) {
            may_vary.push("a time limit ended a search".to_owned());
        }
        let differences = request.status.map(|status| {
            let mut found = Vec::new();
            if status != now.status {
                found.push(format!("status: {status} then, {} now", now.status));
            }
            differ(&request.reply, &now.reply, "", &mut found);
            found
        });
        Ok(Replayed {
            request,
            now,
            changes,
            may_vary,
            differences,
        })
    }
}

impl Replayed<'_> {
    fn is_same(&self) -> Option<bool> {
        self.differences.as_ref().map(Vec::is_empty)
    }

    fn json(&self) -> Value {
        let Self {
            request,
            now,
            changes,
            may_vary,
            differences,
        } = self;
        let mut reply = json!({
            "request_id": request.request_id,
            "path": request.path,
            "same": self.is_same(),
            "differences": differences,
            "changes": changes,
            "may_vary": may_vary,
            "then": {"status": request.status, "reply": request.reply},
            "now": {"status": now.status, "reply": now.reply},
        });
        if let Some(trace) = &now.trace {
            reply["now"]["trace"] = json!(trace);
        }
        reply
    }

    fn text(&self) -> String {
        let Self {
            request,
            now,
            changes,
            may_vary,
            differences,
        } = self;
        let ServedRequestReply {
            request_id,
            time,
            client,
            path,
            status,
            reply,
            ..
        } = request;
        let mut lines = vec![printable(&format!(
            "request {request_id} of {client} at {time} to {path}"
        ))];
        lines.extend(
            now.trace
                .as_ref()
                .map(|trace| tree::tree(trace).trim_end().to_owned()),
        );
        let part = |name: &'static str, code: Option<u16>, answer: &Value| {
            let code = code.map_or("no answer".to_owned(), |code| code.to_string());
            summary(answer)
                .into_iter()
                .map(move |text| indented(&format!("{name}  {code}  {text}")))
        };
        lines.extend(part("then", *status, reply));
        lines.extend(part("now ", Some(now.status), &now.reply));
        lines.extend(changes.iter().map(|change| indented(change)));
        let shown = differences.iter().flatten().take(MAX_DIFFERENCES);
        lines.extend(shown.map(|difference| indented(difference)));
        lines.extend(
            may_vary
                .iter()
                .map(|reason| format!("  the results may vary: {reason}")),
        );
        lines.push(match differences.as_ref().map(Vec::len) {
            None => "there is no original answer".to_owned(),
            Some(0) => "the same answer".to_owned(),
            Some(count) => format!("a different answer: {count} differences"),
        });
        lines.join("\n")
    }
}

fn indented(text: &str) -> String {
    format!("  {}", printable(text))
}

fn read(path: &Path) -> Result<ServedRequestsReply, Failure> {
    // Opening a named pipe would wait for a writer.
    if path
        .symlink_metadata()
        .is_ok_and(|found| found.file_type().is_fifo())
    {
        return Err(Failure::Usage(format!(
            "{}: this is a named pipe; - reads standard input",
            path.display()
        )));
    }
    let Input { source, name, .. } = Input::open(path)?;
    let usage = |text: String| Failure::Usage(format!("{name}: {text}"));
    let mut bytes = Vec::new();
    source
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| usage(error.to_string()))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(usage(format!(
            "the file is larger than {} MiB",
            MAX_BYTES >> 20
        )));
    }
    if bytes.trim_ascii().is_empty() {
        return Err(usage(
            "the file is empty; save the reply of GET /v1/requests/{request_id} in it".into(),
        ));
    }
    let saved: ServedRequestsReply =
        serde_json::from_slice(without_mark(&bytes)).map_err(|error| {
            usage(format!(
                "this is not a reply of GET /v1/requests/{{request_id}}: {}",
                printable(&error.to_string())
            ))
        })?;
    if saved.requests.is_empty() {
        return Err(usage("the reply has no requests".into()));
    }
    Ok(saved)
}

/// Returns a line for the reply, or for each answer of a comparison.
fn summary(reply: &Value) -> Vec<String> {
    if let Some(answers) = reply["answers"].as_array() {
        return answers.iter().flat_map(summary).collect();
    }
    let part = |(place, name): &(&str, &str)| {
        let value = reply.pointer(place).filter(|value| !value.is_null())?;
        Some(format!(
            "{name}{}",
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        ))
    };
    vec![
        SUMMARY
            .iter()
            .filter_map(part)
            .collect::<Vec<_>>()
            .join("  "),
    ]
}

/// Returns whether a time limit ended a search of a reply.
fn ended_by_time(reply: &Value) -> bool {
    match reply {
        Value::Object(fields) => fields.iter().any(|(key, value)| {
            key == "stopped_by" && (value == "movetime" || value == "clock") || ended_by_time(value)
        }),
        Value::Array(values) => values.iter().any(ended_by_time),
        _ => false,
    }
}

/// Adds to `found` the places in which two replies differ.
fn differ(then: &Value, now: &Value, place: &str, found: &mut Vec<String>) {
    match (then, now) {
        (Value::Object(one), Value::Object(other)) => {
            let added = other.keys().filter(|key| !one.contains_key(*key));
            for key in one
                .keys()
                .chain(added)
                .filter(|key| !NOT_COMPARED.contains(&key.as_str()))
            {
                differ(&then[key], &now[key], &format!("{place}/{key}"), found);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for index in 0..one.len() {
                differ(
                    &one[index],
                    &other[index],
                    &format!("{place}/{index}"),
                    found,
                );
            }
        }
        _ if then != now => found.push(format!("{place}: {then} then, {now} now")),
        _ => {}
    }
}
