//! Stream records.

use serde_json::{Value, json};

use super::{
    problem_schema::{problem_fields, retry_after},
    progress::AskedAiReply,
    replies::{ai::AiReply, game::GameReply, search::LimitReply},
    schemas::{SchemaOf, Schemas, schema_of},
    search_progress::InfoReply,
};

/// A stream record.
#[derive(Clone, Copy, Debug)]
pub struct RecordRow {
    /// The value of its `type`.
    pub kind: &'static str,
    /// The name of its schema.
    pub name: &'static str,
    /// The schema of its other fields.
    pub fields: SchemaOf,
}

/// The first record of a stream from one AI.
pub const START: RecordRow = RecordRow {
    kind: "start",
    name: "StreamStart",
    fields: start,
};
pub const INFO: RecordRow = RecordRow {
    kind: "info",
    name: "StreamInfo",
    fields: schema_of::<InfoReply>,
};
pub const HEARTBEAT: RecordRow = RecordRow {
    kind: "heartbeat",
    name: "StreamHeartbeat",
    fields: heartbeat,
};
pub const ERROR: RecordRow = RecordRow {
    kind: "error",
    name: "StreamError",
    fields: error,
};
/// Returns the last record of a successful stream.
pub const fn result(name: &'static str, fields: SchemaOf) -> RecordRow {
    RecordRow {
        kind: "result",
        name,
        fields,
    }
}

/// Returns the schema of [`StartReply`](super::progress::StartReply) for one AI.
fn start(schemas: &mut Schemas) -> Value {
    json!({
        "type": "object",
        "description": "The AI to ask. If it becomes unavailable, its fallback may answer. \
            The `ai` of the result is the AI that answered.",
        "required": ["ai", "limit", "game"],
        "properties": {
            "ai": schema_of::<AiReply>(schemas),
            "limit": schema_of::<LimitReply>(schemas),
            "game": schema_of::<GameReply>(schemas),
            "of": {"type": "integer", "minimum": 0, "description": "The number of moves to judge."}
        }
    })
}

/// Returns the schema of [`StartReply`](super::progress::StartReply) for several AIs.
pub fn start_of_several(schemas: &mut Schemas) -> Value {
    json!({
        "type": "object",
        "description": "The AIs to ask.",
        "required": ["ais", "game"],
        "properties": {
            "ais": {"type": "array", "items": schema_of::<AskedAiReply>(schemas)},
            "game": schema_of::<GameReply>(schemas)
        }
    })
}

fn heartbeat(_: &mut Schemas) -> Value {
    json!({
        "type": "object",
        "description": "Sent after several seconds without another record.",
        "required": ["time_ms"],
        "properties": {"time_ms": {"type": "integer", "minimum": 0, "description": "The \
            milliseconds since the start of the stream."}}
    })
}

/// Returns the schema of an error without `type`, which the record replaces with its own.
fn error(schemas: &mut Schemas) -> Value {
    let mut problem = problem_fields(schemas);
    problem["properties"]["retry_after_s"] = retry_after();
    problem
}
