//! The page for the `OpenAPI` document, which shows the calls and can send them. Its files are part
//! of the binary.
//!
//! Existing renderers (openapi-explorer, `RapiDoc`, Swagger UI, Scalar, Redoc, Stoplight Elements)
//! fail axe-core, and all but Swagger UI need inline styles, which the page's policy forbids.

use super::page::page_call;
use crate::endpoint::Endpoint;
use crate::http::{resource::resource, static_files, tagged::REVALIDATE};
use actix_web::{HttpRequest, HttpResponse, http::Method, web};
use api::call::Call;
use rust_embed::RustEmbed;

pub(crate) const CALL: Endpoint = Endpoint {
    route: || web::to(page),
    call: Call {
        summary: "Browse the OpenAPI document",
        description: "A web page that shows the calls and can send them.",
        ..page_call("docsPage", "/docs")
    },
};

#[derive(RustEmbed)]
#[folder = "src/docs"]
struct Docs;

/// Registers the page's files.
pub(crate) fn files(config: &mut web::ServiceConfig) {
    config.service(resource("/docs/{file}", [(Method::GET, web::to(file))]));
}

async fn page(request: HttpRequest) -> HttpResponse {
    static_files::file::<Docs>(&request, "index.html", REVALIDATE)
}

async fn file(request: HttpRequest) -> HttpResponse {
    let name = request.match_info().get("file").unwrap_or_default();
    static_files::file::<Docs>(&request, name, REVALIDATE)
}
