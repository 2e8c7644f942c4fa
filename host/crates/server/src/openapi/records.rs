//! The schemas of stream records.

use crate::calls::{
    record::RecordRow,
    schemas::{Schemas, written},
};
use serde_json::{Map, Value, json};

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
            "result" if examples[kind].is_null() => with_type(kind, reply),
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
