//! `GET /openapi.json`: the `OpenAPI` document.

use crate::endpoint::Endpoint;
use crate::http::tagged::{self, REVALIDATE, gzip};
use api::{
    call::{Call, IF_NONE_MATCH, TAGGED},
    schemas::{Schemas, written},
};
use std::sync::{Arc, LazyLock};

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Bytes, Data},
};
use flate2::Compression;
use library::sha256::Sha256Sum;
use serde_json::{Value, json};

/// The document, generated when it is first read.
pub(crate) type SharedDocument =
    Arc<LazyLock<EncodedDocument, Box<dyn FnOnce() -> EncodedDocument + Send + Sync>>>;

/// The document in JSON, with its hash and its compressed form.
#[derive(Debug)]
pub(crate) struct EncodedDocument {
    pub(crate) text: String,
    sha256: String,
    gzip: Bytes,
}

impl EncodedDocument {
    pub(crate) fn of(text: String) -> Self {
        Self {
            sha256: Sha256Sum::of(text.as_bytes()).to_string(),
            gzip: gzip(text.as_bytes(), Compression::best()),
            text,
        }
    }
}

pub(crate) const CALL: Endpoint = Endpoint {
    route: || web::to(handle),
    call: Call {
        tag: "server",
        summary: "Get the OpenAPI document",
        description: "The OpenAPI 3.1 document. `/docs` shows it as a page.",
        header_parameters: IF_NONE_MATCH,
        headers: TAGGED,
        bare_statuses: &["304"],
        example: r#"{"reply": {"openapi": "3.1.0"}}"#,
        ..Call::get("getOpenApi", "/openapi.json", document)
    },
};

fn document(schemas: &mut Schemas) -> Value {
    let fields = json!({"openapi": {"type": "string"}});
    let document = json!({
        "type": "object",
        "required": ["openapi"],
        "properties": fields,
        "additionalProperties": true
    });
    written("OpenApiDocument", document, schemas)
}

async fn handle(document: Data<SharedDocument>, request: HttpRequest) -> HttpResponse {
    let encoded: &EncodedDocument = &document;
    let EncodedDocument { text, sha256, gzip } = encoded;
    let body = |is_compressed| {
        if is_compressed {
            gzip.clone()
        } else {
            Bytes::copy_from_slice(text.as_bytes())
        }
    };
    tagged::respond(
        &request,
        sha256.clone(),
        REVALIDATE,
        "application/json",
        body,
    )
}
