//! `GET /openapi.json`: the document of the calls.

use std::sync::LazyLock;

use actix_web::{HttpResponse, web};
use serde_json::{Value, json};

use super::{CALLS, call::Call};
use crate::openapi::{self, Schemas};

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

static DOCUMENT: LazyLock<String> = LazyLock::new(|| openapi::document(&CALLS).to_string());

/// Returns the document in JSON.
pub fn text() -> &'static str {
    &DOCUMENT
}

async fn handle() -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(text())
}
