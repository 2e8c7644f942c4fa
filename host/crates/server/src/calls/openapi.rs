//! `GET /openapi.json`: the document of the calls.

use crate::calls::{call::Call, schemas::Schemas};
use actix_web::{
    HttpResponse,
    web::{self, Data},
};
use serde_json::{Value, json};

/// Returns the document in JSON. The first call writes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Document(pub(crate) fn() -> &'static str);

pub(crate) const CALL: Call = Call {
    tag: "server",
    summary: "This document",
    description: "OpenAPI 3.1; `/docs` is a page for it.",
    example: r#"{"reply": {"openapi": "3.1.0"}}"#,
    ..Call::get("openapi", "/openapi.json", || web::to(handle), document)
};

fn document(_: &mut Schemas) -> Value {
    json!({"type": "object", "required": ["openapi"]})
}

async fn handle(document: Data<Document>) -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body((document.0)())
}
