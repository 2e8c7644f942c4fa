//! What clients are told of an AI.

use ai_api::{Capabilities, OptionKind, OptionSetting, OptionSpec};
use serde::Serialize;
use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use utoipa::ToSchema;

use super::{
    OptionReply,
    limits::limit_schema,
    options::is_open,
    words::{AiStateWord, ControllerWord, FaultWord, IsolationWord, KindWord, ProtectionWord, SandboxWord},
};
use config::ClientSettings;
use pool::{Ai, LastFault, cgroup::CgroupStatus};
use protocol::{Confined, Executable, Protection, RequestId, SandboxSettings};
use text::printable;

/// What `GET /v1/ais` tells of an AI.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct AiSummary {
    /// What clients call it.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Who wrote it.
    pub author: String,
    /// Whether it searches, judges or both.
    #[schema(value_type = Vec<KindWord>)]
    pub kinds: Vec<&'static str>,
    /// What it can do beyond the simplest, and what it needs.
    pub capabilities: CapabilitiesReply,
    /// Its options, as JSON Schema: what each is set to, and which a request may set.
    #[schema(value_type = Object)]
    pub options: Value,
    /// The limits of a search, as JSON Schema: that of a request that sets none, and the most that one for this client may
    /// take. A request for more is answered within that.
    #[schema(value_type = Object)]
    pub limit: Value,
    /// Which requests share one of its processes.
    #[schema(value_type = IsolationWord)]
    pub isolate: &'static str,
    /// What it is doing.
    #[schema(value_type = AiStateWord)]
    pub state: &'static str,
    /// Where it comes from.
    pub library: LibraryReply,
    /// What its workers may do.
    pub sandbox: SandboxReply,
    /// What went wrong last, if anything did; for those who run the server only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_fault: Option<LastFaultReply>,
}

/// What an AI did last instead of answering.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LastFaultReply {
    /// What it was, as in the error that its client saw.
    #[schema(value_type = FaultWord)]
    pub code: &'static str,
    /// When, in the form of RFC 3339.
    pub time: String,
    /// What it was, in words.
    pub detail: String,
    /// The request that was being answered, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub request_id: Option<RequestId>,
    /// The end of what the AI's process had written to its standard error and output.
    pub stderr: String,
}

impl LastFaultReply {
    fn new(last: LastFault) -> Self {
        let LastFault { fault, time, request_id, output } = last;
        let time = OffsetDateTime::from(time).format(&Rfc3339);
        Self {
            code: fault.code().into_str(),
            time: time.expect("a clock of these days shows a year of four digits"),
            detail: fault.in_full(),
            request_id,
            stderr: output,
        }
    }
}

/// What an AI can do beyond the simplest, and what it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each capability is one of its own")]
pub struct CapabilitiesReply {
    /// Whether it plays Chess960.
    pub chess960: bool,
    /// Whether it chooses among some moves alone.
    pub root_moves: bool,
    /// Whether it thinks while the opponent does.
    pub ponder: bool,
    /// Whether it divides the time on the clocks itself.
    pub manages_time: bool,
    /// The most lines that it tells at once.
    pub lines: u32,
    /// The most nodes of a trace that it tells.
    pub trace_nodes: u32,
    /// The threads that it starts beside the one that is asked.
    pub threads: u32,
    /// The memory that it needs, where it says so.
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
        } = capabilities;
        Self {
            chess960,
            root_moves,
            ponder,
            manages_time,
            lines: max_lines.max(1),
            trace_nodes: max_trace_nodes,
            threads,
            memory_mb: (memory_mb > 0).then_some(memory_mb),
        }
    }
}

/// The library of an AI.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LibraryReply {
    /// The file's name.
    pub file: String,
    /// The SHA-256 of the bytes that are loaded.
    pub sha256: String,
}

/// The sandbox of an AI's workers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SandboxReply {
    /// What happens where the kernel can't confine an AI wholly.
    #[schema(value_type = SandboxWord)]
    pub mode: &'static str,
    /// The memory that the AI may have, where that is enforced.
    #[schema(required)]
    pub memory_mb: Option<u64>,
    /// The threads that the AI may have beside the one that is asked, where that is enforced.
    #[schema(required)]
    pub threads: Option<u64>,
    /// The file names of the programs that the AI may start.
    pub exec: Vec<String>,
    /// What is enforced, each part by its name.
    #[schema(value_type = Vec<ProtectionWord>)]
    pub enforced: Vec<&'static str>,
    /// What the kernel can't enforce.
    #[schema(value_type = Vec<ProtectionWord>)]
    pub missing: Vec<&'static str>,
    /// The cgroups of its workers, which bound all processes of a worker together.
    pub cgroup: CgroupReply,
}

/// What cgroups (version 2) enforce, beside the other means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CgroupReply {
    /// The controllers in force: `memory` counts the kernel's memory too, `pids` bounds processes and threads, `cpu` divides the
    /// processor equally among workers.
    #[schema(value_type = Vec<ControllerWord>)]
    pub controllers: Vec<&'static str>,
    /// Why not every controller is in force.
    #[schema(required)]
    pub reason: Option<String>,
}

impl From<&CgroupStatus> for CgroupReply {
    fn from(status: &CgroupStatus) -> Self {
        Self {
            controllers: status.controllers.iter().map(|&controller| controller.into_str()).collect(),
            reason: status.reason.map(|reason| reason.to_string()),
        }
    }
}

impl SandboxReply {
    /// A sandbox as clients see it: without the server's paths.
    pub fn new(settings: &SandboxSettings, confined: &Confined, cgroup: &CgroupStatus) -> Self {
        let enforced = |protection| confined.enforced.contains(&protection);
        Self {
            mode: settings.mode.into_str(),
            memory_mb: enforced(Protection::Memory).then_some(settings.memory_mb),
            threads: enforced(Protection::Threads).then_some(settings.threads),
            exec: settings.exec.iter().map(Executable::name).collect(),
            enforced: confined.enforced.iter().map(|&protection| protection.into_str()).collect(),
            missing: confined.missing.iter().map(|missing| missing.protection.into_str()).collect(),
            cgroup: cgroup.into(),
        }
    }
}

impl AiSummary {
    pub(super) fn new(ai: &Ai, client: &ClientSettings) -> Self {
        Self {
            id: ai.id.clone(),
            name: ai.about.name.clone(),
            version: ai.about.version.clone(),
            author: ai.about.author.clone(),
            kinds: kinds(ai.about.searcher, ai.about.evaluator),
            capabilities: ai.about.capabilities.into(),
            options: options_schema(&ai.about.options, ai.options(), &ai.settings.overridable_options),
            limit: limit_schema(&ai.settings, &client.max_search),
            isolate: ai.settings.isolate.into_str(),
            state: ai.state().into_str(),
            library: LibraryReply { file: ai.library_file.clone(), sha256: ai.library_sha256.to_string() },
            sandbox: SandboxReply::new(&ai.sandbox, &ai.confined, &ai.cgroup),
            last_fault: None,
        }
    }

    /// The same with what went wrong last.
    pub(super) fn with_last_fault(self, ai: &Ai) -> Self {
        Self { last_fault: ai.stats.last_fault().map(LastFaultReply::new), ..self }
    }
}

/// What an AI is, in the words of the contract.
pub fn kinds(searcher: bool, evaluator: bool) -> Vec<&'static str> {
    [(searcher, "searcher"), (evaluator, "evaluator")]
        .into_iter()
        .filter(|kind| kind.0)
        .map(|kind| kind.1)
        .collect()
}

/// Declared options as a JSON Schema of `options` in a request: `default` is what an option is set to, and `readOnly` are those
/// that are not among the `open` ones. What texts and files are set to is told where a request may set it, or where it is the AI's
/// own default: it may be a path of the server. `writeOnly` are those whose value is never told, `advanced` those for experts.
pub fn options_schema(options: &[OptionSpec], settings: &[OptionSetting], open: &[String]) -> Value {
    let property = |spec: &OptionSpec| {
        let is_open = is_open(spec, open);
        let value = settings.iter().find(|setting| setting.name == spec.name);
        let value = value.map_or(&spec.default, |setting| &setting.value);
        let is_of_the_server =
            (spec.kind == OptionKind::Text || spec.names_files()) && *value != spec.default;
        let mut schema = match &spec.kind {
            OptionKind::Flag => json!({"type": "boolean"}),
            OptionKind::Integer { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
            OptionKind::Decimal { min, max } => json!({"type": "number", "minimum": min, "maximum": max}),
            OptionKind::Choice(choices) => {
                json!({"type": "string", "enum": choices.iter().map(|choice| printable(choice)).collect::<Vec<_>>()})
            }
            OptionKind::Text => json!({"type": "string"}),
            OptionKind::File | OptionKind::Folder => json!({"type": "string", "format": "path"}),
            OptionKind::Files => json!({"type": "array", "items": {"type": "string", "format": "path"}}),
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
