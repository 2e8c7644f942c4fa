//! `GET /openapi.json`: the document of the calls.

use actix_web::{HttpResponse, web};
use serde_json::{Value, json};

use super::call::Call;
use crate::openapi::{Schemas, text};

pub(crate) const CALL: Call = Call {
    tag: "server",
    summary: "This document",
    description: "OpenAPI 3.1; `/docs` is a page for it.",
    example: r#"{"reply": {"openapi": "3.1.0"}}"#,
    ..Call::get("openapi", "/openapi.json", || web::to(openapi), document)
};

fn document(_: &mut Schemas) -> Value {
    json!({"type": "object", "required": ["openapi"]})
}

async fn openapi() -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(text())
}
