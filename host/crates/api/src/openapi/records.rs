//! The schemas of stream records.

use crate::{
    record::RecordRow,
    schemas::{Schemas, written},
};
use serde_json::{Map, Value, json};

/// Returns a stream's two media types, with the schema of a record. `examples` contains records by
/// type.
pub fn streams(
    records: &[RecordRow],
    examples: &Value,
    reply: &Value,
    schemas: &mut Schemas,
) -> Vec<(&'static str, Value)> {
    let schema = one_of(records, schemas);
    let mut shown: Map<String, Value> = Map::new();
    for RecordRow { kind, .. } in records {
        let record = match *kind {
            "result" if examples[kind].is_null() => with_type(kind, reply),
            kind => examples[kind].clone(),
        };
        if !record.is_null() {
            shown.insert((*kind).to_owned(), json!({"value": record}));
        }
    }
    let content = json!({"schema": schema, "examples": shown});
    ["application/x-ndjson", "text/event-stream"]
        .map(|media_type| (media_type, content.clone()))
        .into()
}

fn one_of(records: &[RecordRow], schemas: &mut Schemas) -> Value {
    let mut mapping = Map::new();
    let one_of: Vec<Value> = records
        .iter()
        .map(|row| {
            let kind = json!({
                "type": "object",
                "required": ["type"],
                "properties": {"type": {"type": "string", "const": row.kind}}
            });
            let fields = (row.fields)(schemas);
            let reference = written(row.name, json!({"allOf": [fields, kind]}), schemas);
            mapping.insert(row.kind.to_owned(), reference["$ref"].clone());
            reference
        })
        .collect();
    let record = json!({
        "description": "A record of a stream: a line of `application/x-ndjson`, or the `data` of \
            a `text/event-stream` event named after its `type`. The last record is the only \
            `result` or `error`.",
        "oneOf": one_of,
        "discriminator": {"propertyName": "type", "mapping": mapping}
    });
    written(&union_name(records), record, schemas)
}

/// Returns the name of a call's records: `MatchRecord` for the result `StreamMatchResult`.
fn union_name(records: &[RecordRow]) -> String {
    let last = records
        .iter()
        .rfind(|row| !["heartbeat", "error"].contains(&row.kind));
    let name = last
        .expect("every stream has a result")
        .name
        .trim_start_matches("Stream")
        .trim_end_matches("Result");
    format!("{name}Record")
}

/// Adds the `type` of a stream record to a reply.
fn with_type(kind: &str, reply: &Value) -> Value {
    let mut record = json!({"type": kind});
    let fields = record
        .as_object_mut()
        .expect("the record is built as an object");
    fields.extend(reply.as_object().cloned().unwrap_or_default());
    record
}
