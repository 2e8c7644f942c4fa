//! `GET /openapi.json`: the document of the calls.

use crate::{
    calls::{
        call::{Call, IF_NONE_MATCH, TAGGED},
        schemas::{Schemas, written},
    },
    http::tagged::{self, REVALIDATE, gzip},
};
use std::sync::OnceLock;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Bytes, Data},
};
use flate2::Compression;
use library::sha256::Sha256Sum;
use serde_json::{Value, json};

/// Returns the document in JSON. The first call writes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Document(pub(crate) fn() -> &'static str);

pub(crate) const CALL: Call = Call {
    tag: "server",
    summary: "This document",
    description: "OpenAPI 3.1; `/docs` is a page for it.",
    header_parameters: IF_NONE_MATCH,
    headers: TAGGED,
    bare_statuses: &["304"],
    example: r#"{"reply": {"openapi": "3.1.0"}}"#,
    ..Call::get("getOpenApi", "/openapi.json", || web::to(handle), document)
};

fn document(schemas: &mut Schemas) -> Value {
    let fields = json!({"openapi": {"type": "string"}});
    let document = json!({
        "type": "object", "required": ["openapi"], "properties": fields, "additionalProperties": true
    });
    written("OpenApiDocument", document, schemas)
}

async fn handle(document: Data<Document>, request: HttpRequest) -> HttpResponse {
    /// The hash of the document, and the document compressed.
    static WRITTEN: OnceLock<(String, Bytes)> = OnceLock::new();
    let text = (document.0)();
    let (hash, compressed) = WRITTEN.get_or_init(|| {
        (
            Sha256Sum::of(text.as_bytes()).to_string(),
            gzip(text.as_bytes(), Compression::best()),
        )
    });
    let body = |is_compressed| {
        if is_compressed {
            compressed.clone()
        } else {
            Bytes::from_static(text.as_bytes())
        }
    };
    tagged::respond(&request, hash.clone(), REVALIDATE, "application/json", body)
}
