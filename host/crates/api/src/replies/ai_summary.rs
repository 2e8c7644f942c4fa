//! An AI as clients see it.

use std::ops::RangeInclusive;

use ai_api::{Capabilities, OptionKind, OptionSetting, OptionSpec};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::{
    forms::options::{OptionReply, is_open},
    replies::search::LimitReply,
    words::{
        AiStateWord, ControllerWord, FaultWord, IsolationWord, KindWord, ProtectionWord,
        SandboxWord, kinds, rfc3339,
    },
};
use config::{AiSettings, ClientSettings, DEPTHS, MATES, MOVETIMES_MS, NODES, SearchMaxima};
use game::Limit;
use pool::{Ai, LastFault, SlotCount, cgroup::CgroupStatus};
use protocol::{
    Confined, Executable, MAX_LINES, MAX_TRACE_NODES, Protection, RequestId, SandboxSettings,
};
use text::printable;

/// An AI in `GET /v1/ais`.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct AiSummary {
    /// The id.
    pub id: String,
    /// The display name.
    pub name: String,
    /// The version.
    pub version: String,
    /// The author.
    pub author: String,
    /// `searcher`, `evaluator` or both.
    #[schema(value_type = Vec<KindWord>)]
    pub kinds: Vec<&'static str>,
    /// The AI's optional features, and the threads and memory that it needs.
    pub capabilities: CapabilitiesReply,
    /// The options as JSON Schema. `default` is the configured value. `readOnly` marks options that
    /// a request may not set, `writeOnly` secrets, and `advanced` options for experts. A configured
    /// text or file that requests may not set has no `default`, because it may be a path on the
    /// server.
    #[schema(value_type = Object)]
    pub options: Value,
    /// The limits as JSON Schema. `default` applies to a request without limits, and `maximum` is
    /// the client's maximum.
    #[schema(value_type = Object)]
    pub limit: Value,
    /// `client` if each worker process serves only one client, otherwise `none`.
    #[schema(value_type = IsolationWord)]
    pub isolate: &'static str,
    /// `starting`, `ready`, `busy`, `failed` (it restarts after a delay), `quarantined` (the
    /// circuit breaker is open) or `draining`.
    #[schema(value_type = AiStateWord)]
    pub state: &'static str,
    /// In a fleet, the hash of the library, the options and the files that the AI may read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The nodes that run the AI, instead of this machine or in addition to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeReply>,
    /// The file name and hash of the loaded library.
    pub library: LibraryReply,
    /// The enforced protections, and the protections that the kernel cannot enforce.
    pub sandbox: SandboxReply,
    /// The last fault, for clients with `admin = true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_fault: Option<LastFaultReply>,
}

/// The last fault of an AI.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LastFaultReply {
    /// The code, as in the error that the client received.
    #[schema(value_type = FaultWord)]
    pub code: &'static str,
    /// The time (RFC 3339).
    pub time: String,
    /// The description.
    pub detail: String,
    /// The id of the request, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub request_id: Option<RequestId>,
    /// The last lines that the process wrote to standard error and standard output.
    pub stderr: String,
}

impl LastFaultReply {
    fn new(last: LastFault) -> Self {
        let LastFault {
            fault,
            time,
            request_id,
            output,
        } = last;
        Self {
            code: fault.code().into_str(),
            time: rfc3339(time),
            detail: fault.in_full(),
            request_id,
            stderr: output,
        }
    }
}

/// The capabilities and needs of an AI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the capabilities are independent"
)]
pub struct CapabilitiesReply {
    /// Whether it plays Chess960.
    pub chess960: bool,
    /// Whether it can restrict a search to given root moves.
    pub root_moves: bool,
    /// Whether it ponders.
    pub ponder: bool,
    /// Whether it manages the time on the clocks itself.
    pub manages_time: bool,
    /// Whether results may differ under the same depth or node limit.
    pub varies: bool,
    /// The maximum number of lines in a reply.
    pub lines: u32,
    /// The maximum number of trace nodes in a reply.
    pub trace_nodes: u32,
    /// The number of threads that it starts in addition to the main thread.
    pub threads: u32,
    /// The memory that the AI needs in MB, if the AI declares it.
    #[schema(required)]
    pub memory_mb: Option<u64>,
}

impl From<Capabilities> for CapabilitiesReply {
    fn from(capabilities: Capabilities) -> Self {
        let Capabilities {
            chess960,
            root_moves,
            ponder,
            manages_time,
            max_lines,
            max_trace_nodes,
            threads,
            memory_mb,
            varies,
            ..
        } = capabilities;
        Self {
            chess960,
            root_moves,
            ponder,
            manages_time,
            varies,
            lines: max_lines.clamp(1, MAX_LINES),
            trace_nodes: max_trace_nodes.min(MAX_TRACE_NODES),
            threads,
            memory_mb: (memory_mb > 0).then_some(memory_mb),
        }
    }
}

/// A node that runs an AI.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct NodeReply {
    /// The name.
    pub name: String,
    /// The number of requests that the node can answer at the same time.
    pub slots: usize,
    /// The number of this server's requests that the node is answering.
    pub busy: usize,
}

impl From<(String, SlotCount)> for NodeReply {
    fn from((name, SlotCount { slots, busy }): (String, SlotCount)) -> Self {
        Self { name, slots, busy }
    }
}

/// The library of an AI.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LibraryReply {
    /// The file name.
    pub file: String,
    /// The SHA-256 of the loaded bytes.
    pub sha256: String,
}

/// The sandbox of an AI's workers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SandboxReply {
    /// Whether the AI starts if the kernel cannot enforce the whole sandbox.
    #[schema(value_type = SandboxWord)]
    pub mode: &'static str,
    /// The memory limit in MB, if it is enforced.
    #[schema(required)]
    pub memory_mb: Option<u64>,
    /// The limit on additional threads, if it is enforced.
    #[schema(required)]
    pub threads: Option<u64>,
    /// The file names of the programs that the AI may start.
    pub exec: Vec<String>,
    /// The enforced protections.
    #[schema(value_type = Vec<ProtectionWord>)]
    pub enforced: Vec<&'static str>,
    /// The protections that the kernel cannot enforce.
    #[schema(value_type = Vec<ProtectionWord>)]
    pub missing: Vec<&'static str>,
    /// The cgroups of the AI's workers. Each cgroup limits all processes of a worker together.
    pub cgroup: CgroupReply,
}

/// The limits that cgroups (version 2) enforce.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CgroupReply {
    /// The active controllers. `memory` includes the kernel's memory, `pids` limits processes and
    /// threads, and `cpu` divides the processor equally among workers.
    #[schema(value_type = Vec<ControllerWord>)]
    pub controllers: Vec<&'static str>,
    /// Why a controller is inactive.
    #[schema(required)]
    pub reason: Option<String>,
}

impl From<&CgroupStatus> for CgroupReply {
    fn from(status: &CgroupStatus) -> Self {
        Self {
            controllers: status
                .controllers
                .iter()
                .map(|&controller| controller.into_str())
                .collect(),
            reason: status.reason.map(|reason| reason.to_string()),
        }
    }
}

impl SandboxReply {
    /// Describes the sandbox, without paths on the server.
    pub fn new(settings: &SandboxSettings, confined: &Confined, cgroup: &CgroupStatus) -> Self {
        let enforced = |protection| confined.enforced.contains(&protection);
        Self {
            mode: settings.mode.into_str(),
            memory_mb: enforced(Protection::Memory).then_some(settings.memory_mb),
            threads: enforced(Protection::Threads).then_some(settings.threads),
            exec: settings.exec.iter().map(Executable::name).collect(),
            enforced: confined
                .enforced
                .iter()
                .map(|&protection| protection.into_str())
                .collect(),
            missing: confined
                .missing
                .iter()
                .map(|missing| missing.protection.into_str())
                .collect(),
            cgroup: cgroup.into(),
        }
    }
}

impl AiSummary {
    pub fn new(ai: &Ai, client: &ClientSettings) -> Self {
        Self {
            id: ai.id.clone(),
            name: ai.about.name.clone(),
            version: ai.about.version.clone(),
            author: ai.about.author.clone(),
            kinds: kinds(ai.about.searcher, ai.about.evaluator),
            capabilities: ai.about.capabilities.into(),
            options: options_schema(
                &ai.about.options,
                ai.options(),
                &ai.settings.overridable_options,
            ),
            limit: limit_schema(&ai.settings, &client.max_search),
            isolate: ai.settings.isolate.into_str(),
            state: ai.state().into_str(),
            fingerprint: ai.fingerprint.get().map(ToString::to_string),
            nodes: ai.nodes().into_iter().map(NodeReply::from).collect(),
            library: LibraryReply {
                file: ai.library_file.clone(),
                sha256: ai.library_sha256.to_string(),
            },
            sandbox: SandboxReply::new(&ai.sandbox, &ai.confined, &ai.cgroup),
            last_fault: None,
        }
    }

    /// Adds the last fault.
    #[must_use]
    pub fn with_last_fault(self, ai: &Ai) -> Self {
        Self {
            last_fault: ai.stats.last_fault().map(LastFaultReply::new),
            ..self
        }
    }
}

/// Returns the JSON Schema of `options` in a request: `default` is the configured value, and
/// `readOnly` marks the options that are not `open`. The value of a text option or a file is shown
/// only if a request may set it or if it is the AI's own default, because it may be a path on the
/// server. `writeOnly` marks secret options, and `advanced` marks options for experts.
pub fn options_schema(
    options: &[OptionSpec],
    settings: &[OptionSetting],
    open: &[String],
) -> Value {
    let property = |spec: &OptionSpec| {
        let is_open = is_open(spec, open);
        let value = settings.iter().find(|setting| setting.name == spec.name);
        let value = value.map_or(&spec.default, |setting| &setting.value);
        let is_of_the_server =
            (spec.kind == OptionKind::Text || spec.names_files()) && *value != spec.default;
        let mut schema = match &spec.kind {
            OptionKind::Flag => json!({"type": "boolean"}),
            OptionKind::Integer { min, max } => {
                json!({"type": "integer", "minimum": min, "maximum": max})
            }
            OptionKind::Decimal { min, max } => {
                json!({"type": "number", "minimum": min, "maximum": max})
            }
            OptionKind::Choice(choices) => {
                let choices: Vec<_> = choices.iter().map(|choice| printable(choice)).collect();
                json!({"type": "string", "enum": choices})
            }
            OptionKind::Text => json!({"type": "string"}),
            OptionKind::File | OptionKind::Folder => json!({"type": "string", "format": "path"}),
            OptionKind::Files => {
                json!({"type": "array", "items": {"type": "string", "format": "path"}})
            }
        };
        schema["description"] = printable(&spec.help).into();
        if spec.secret {
            schema["writeOnly"] = true.into();
        } else if is_open || !is_of_the_server {
            schema["default"] = json!(OptionReply::from(value));
        }
        if !is_open {
            schema["readOnly"] = true.into();
        }
        if spec.advanced {
            schema["advanced"] = true.into();
        }
        (printable(&spec.name), schema)
    };
    let properties: serde_json::Map<_, _> = options.iter().map(property).collect();
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

/// Returns the JSON Schema of `limit` in a request to an AI: the default limit and a client's
/// maxima.
pub fn limit_schema(ai: &AiSettings, most: &SearchMaxima) -> Value {
    let bounds = |(name, known, of_client): (&str, RangeInclusive<u64>, Option<u64>)| {
        let (least, greatest) = known.into_inner();
        let maximum = of_client.map_or(greatest, |bound| bound.min(greatest));
        (
            name.to_owned(),
            json!({"type": "integer", "minimum": least, "maximum": maximum}),
        )
    };
    let SearchMaxima {
        depth,
        nodes,
        movetime_ms,
    } = *most;
    let properties: serde_json::Map<_, _> = [
        ("depth", DEPTHS, depth.map(u64::from)),
        ("nodes", NODES, nodes),
        (
            "movetime_ms",
            MOVETIMES_MS,
            Some(
                movetime_ms
                    .into_iter()
                    .fold(ai.thinking_time().as_millis() as u64, u64::min),
            ),
        ),
        ("mate", MATES, None),
    ]
    .into_iter()
    .map(bounds)
    .collect();
    json!({
        "type": "object", "minProperties": 1, "additionalProperties": false,
        "properties": properties, "default": LimitReply::from(Limit::of(&ai.default_limit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_limited_to_what_requests_may_use() {
        for (declared, lines, trace_nodes) in [
            ((0, 0), 1, 0),
            ((8, 100), 8, 100),
            ((500, 1_000_000), MAX_LINES, MAX_TRACE_NODES),
        ] {
            let (max_lines, max_trace_nodes) = declared;
            let reply = CapabilitiesReply::from(Capabilities {
                max_lines,
                max_trace_nodes,
                ..Capabilities::SIMPLEST
            });
            assert_eq!(
                (reply.lines, reply.trace_nodes),
                (lines, trace_nodes),
                "{declared:?}"
            );
        }
    }
}
