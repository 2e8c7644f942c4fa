//! The page of the document: every call, and a way to make it. Its files are in the binary.
//!
//! Ready renderers (openapi-explorer, `RapiDoc`, Swagger UI, Scalar, Redoc, Stoplight Elements) fail axe-core, and all but Swagger UI
//! need inline styles, which the policy of the page forbids.

use actix_web::{HttpRequest, HttpResponse, http::Method, web};
use rust_embed::RustEmbed;

use super::static_files::{ASK_EACH_TIME, file_or_nothing};
use crate::app::resource;

#[derive(RustEmbed)]
#[folder = "src/docs"]
struct Docs;

pub(super) fn routes(config: &mut web::ServiceConfig) {
    config.service(resource("/docs", Method::GET, web::to(page))).service(resource(
        "/docs/{file}",
        Method::GET,
        web::to(file),
    ));
}

async fn page(request: HttpRequest) -> HttpResponse {
    file_or_nothing::<Docs>(&request, "index.html", ASK_EACH_TIME)
}

async fn file(request: HttpRequest) -> HttpResponse {
    let name = request.match_info().get("file").unwrap_or_default();
    file_or_nothing::<Docs>(&request, name, ASK_EACH_TIME)
}
