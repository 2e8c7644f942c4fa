//! The schemas of errors.

use crate::{
    error::Issue,
    problem::Code,
    schemas::{Schemas, schema_of, written},
};
use serde_json::{Value, json};
use strum::VariantArray;

/// Returns the schema of the fields that every error has, without `type`.
pub(crate) fn problem_fields(schemas: &mut Schemas) -> Value {
    let codes: Vec<_> = Code::VARIANTS.iter().map(Code::into_str).collect();
    let code = written(
        "ProblemCode",
        json!({"type": "string", "enum": codes}),
        schemas,
    );
    let issue = schema_of::<Issue>(schemas);
    json!({
        "type": "object",
        "required": ["title", "status", "detail", "code", "request_id"],
        "properties": {
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string", "description": "What was found, what was expected and \
                what to do."},
            "code": code,
            "request_id": {"type": ["string", "null"]},
            "pointer": {"type": "string", "description": "The location in the request, as a JSON \
                pointer."},
            "issues": {"type": "array", "items": issue}
        }
    })
}

pub(crate) fn retry_after() -> Value {
    json!({"type": "integer", "minimum": 1, "description": "The number of seconds after which to \
        retry, if there is no `Retry-After` header."})
}
