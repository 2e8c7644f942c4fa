//! The schemas of stream records.

use serde_json::{Map, Value, json};

use super::problems::{problem_fields, retry_after};
use crate::{
    schemas::{SchemaOf, Schemas, schema_of, written},
    stream::{progress::StartReply, search_progress::InfoReply},
};

/// A record of a stream.
pub(crate) struct RecordRow {
    /// The value of its `type`.
    pub(crate) kind: &'static str,
    /// The name of its schema.
    pub(crate) name: &'static str,
    /// The schema of its other fields.
    pub(crate) fields: SchemaOf,
}

pub(crate) const START: RecordRow =
    RecordRow { kind: "start", name: "StreamStart", fields: schema_of::<StartReply> };
pub(crate) const INFO: RecordRow =
    RecordRow { kind: "info", name: "StreamInfo", fields: schema_of::<InfoReply> };
pub(crate) const HEARTBEAT: RecordRow =
    RecordRow { kind: "heartbeat", name: "StreamHeartbeat", fields: heartbeat };
pub(crate) const ERROR: RecordRow = RecordRow { kind: "error", name: "StreamError", fields: error };
/// Returns the last record of a successful stream.
pub(crate) const fn result(name: &'static str, fields: SchemaOf) -> RecordRow {
    RecordRow { kind: "result", name, fields }
}

/// Returns the two media types of a stream, with the schema of a record. `examples` contains records by their types.
pub(crate) fn streams(
    records: &[RecordRow],
    examples: &Value,
    reply: &Value,
    schemas: &mut Schemas,
) -> Vec<(&'static str, Value)> {
    let record = one_of(records, schemas);
    let mut shown: Map<String, Value> = Map::new();
    for RecordRow { kind, .. } in records {
        let record = match *kind {
            "result" => with_type(kind, reply),
            kind => examples[kind].clone(),
        };
        if !record.is_null() {
            shown.insert((*kind).to_owned(), json!({"value": record}));
        }
    }
    let form = |description: &str| {
        let schema = json!({"description": description, "oneOf": record["oneOf"], "discriminator": record["discriminator"]});
        json!({"schema": schema, "examples": shown})
    };
    vec![
        (
            "application/x-ndjson",
            form(
                "Each line is one of these records: first a `start`, and last exactly one `result` or `error`.",
            ),
        ),
        (
            "text/event-stream",
            form(
                "Each event is named like the type of its `data`, which is one of these records: first a `start`, and last exactly \
                 one `result` or `error`.",
            ),
        ),
    ]
}

fn one_of(records: &[RecordRow], schemas: &mut Schemas) -> Value {
    let mut mapping = Map::new();
    let one_of: Vec<Value> = records
        .iter()
        .map(|row| {
            let kind = json!({
                "type": "object", "required": ["type"], "properties": {"type": {"type": "string", "const": row.kind}}
            });
            let fields = (row.fields)(schemas);
            let reference = written(row.name, json!({"allOf": [fields, kind]}), schemas);
            mapping.insert(row.kind.to_owned(), reference["$ref"].clone());
            reference
        })
        .collect();
    json!({"oneOf": one_of, "discriminator": {"propertyName": "type", "mapping": mapping}})
}

/// Returns a reply as the last record of a stream.
fn with_type(kind: &str, reply: &Value) -> Value {
    let mut record = json!({"type": kind});
    let fields = record.as_object_mut().expect("the record is built as an object");
    fields.extend(reply.as_object().cloned().unwrap_or_default());
    record
}

fn heartbeat(_: &mut Schemas) -> Value {
    json!({
        "type": "object",
        "description": "Sent if there was no other record for some seconds.",
        "required": ["time_ms"],
        "properties": {"time_ms": {"type": "integer", "minimum": 0, "description": "The time since the start of the stream."}}
    })
}

/// Returns the fields of an error without its own `type`.
fn error(schemas: &mut Schemas) -> Value {
    let mut problem = problem_fields(schemas);
    problem["properties"]["retry_after_s"] = retry_after();
    problem
}
