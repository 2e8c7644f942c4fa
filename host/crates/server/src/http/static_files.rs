//! The pages at `/` and `/arena`: the files of `host/web/dist`, which are part of the binary.

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{LazyLock, Mutex, PoisonError},
};

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method,
        header::{self, HeaderValue},
    },
    web::{self, Bytes},
};
use flate2::Compression;
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::http::{
    problem::respond_problem,
    resource::{resource, unknown_path},
    security_headers::PAGE_POLICY,
    tagged::{self, REVALIDATE, gzip},
};
use library::sha256::Hexadecimal;

/// The `Cache-Control` for files with a hash in their name.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";

/// The committed build of the page. Development builds of the host read it from disk.
#[derive(RustEmbed)]
#[folder = "../../web/dist"]
struct Dist;

/// Registers the arena page and the files of both pages.
pub(crate) fn routes(config: &mut web::ServiceConfig) {
    config.service(resource(
        "/assets/{file}",
        [(Method::GET, web::to(asset::<Dist>))],
    ));
    for (path, name) in [
        ("/arena", "arena.html"),
        ("/favicon.svg", "favicon.svg"),
        ("/licenses.txt", "licenses.txt"),
    ] {
        let handler =
            move |request: HttpRequest| async move { file::<Dist>(&request, name, REVALIDATE) };
        config.service(resource(path, [(Method::GET, web::to(handler))]));
    }
}

pub(crate) async fn page(request: HttpRequest) -> HttpResponse {
    index::<Dist>(&request)
}

fn index<Files: RustEmbed>(request: &HttpRequest) -> HttpResponse {
    file::<Files>(request, "index.html", REVALIDATE)
}

async fn asset<Files: RustEmbed>(request: HttpRequest) -> HttpResponse {
    let name = format!(
        "assets/{}",
        request.match_info().get("file").unwrap_or_default()
    );
    file::<Files>(&request, &name, IMMUTABLE)
}

/// Returns a file in an encoding that the client accepts, 304 if the client has it, or 404.
pub(crate) fn file<Files: RustEmbed>(
    request: &HttpRequest,
    name: &str,
    caching: &'static str,
) -> HttpResponse {
    let Some((content_type, file)) = content_type(name).zip(Files::get(name)) else {
        return respond_problem(request, &unknown_path(None));
    };
    let hash = Hexadecimal(&file.metadata.sha256_hash()).to_string();
    let body = |is_compressed| match file.data {
        _ if is_compressed => compressed(&file),
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(ref bytes) => Bytes::copy_from_slice(bytes),
    };
    let mut response = tagged::respond(request, hash, caching, content_type, body);
    response.headers_mut().insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(PAGE_POLICY),
    );
    response
}

/// Returns the contents of a file, compressed with gzip. Each file is compressed once, by the first
/// request for it.
fn compressed(file: &EmbeddedFile) -> Bytes {
    static COMPRESSED: LazyLock<Mutex<HashMap<[u8; 32], Bytes>>> = LazyLock::new(Mutex::default);
    let mut known = COMPRESSED.lock().unwrap_or_else(PoisonError::into_inner);
    known
        .entry(file.metadata.sha256_hash())
        .or_insert_with(|| gzip(&file.data, Compression::best()))
        .clone()
}

/// Returns the media type of a file by its extension. The build creates no other types.
fn content_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "html" => Some("text/html; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        "txt" => Some("text/plain; charset=utf-8"),
        "woff2" => Some("font/woff2"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use actix_web::{
        App,
        body::MessageBody,
        dev::{ServiceRequest, ServiceResponse},
        middleware::{Next, from_fn},
        test,
    };
    use flate2::read::GzDecoder;

    use super::*;
    use crate::http::security_headers;

    /// A minimal built page.
    #[derive(RustEmbed)]
    #[folder = "../../tests/page"]
    struct Built;

    async fn with_headers(
        request: ServiceRequest,
        next: Next<impl MessageBody + 'static>,
    ) -> actix_web::Result<ServiceResponse> {
        let mut response = next.call(request).await?.map_into_boxed_body();
        security_headers::add(response.headers_mut(), false);
        Ok(response)
    }

    async fn get<Files: RustEmbed + 'static>(
        path: &str,
        headers: &[(&str, &str)],
    ) -> ServiceResponse {
        let app = App::new()
            .wrap(from_fn(with_headers))
            .service(resource(
                "/",
                [(
                    Method::GET,
                    web::to(async |request: HttpRequest| index::<Files>(&request)),
                )],
            ))
            .service(resource(
                "/assets/{file}",
                [(Method::GET, web::to(asset::<Files>))],
            ));
        let app = test::init_service(app).await;
        let mut request = test::TestRequest::get().uri(path);
        for header in headers {
            request = request.insert_header(*header);
        }
        test::call_service(&app, request.to_request()).await
    }

    fn header_of<'a>(response: &'a ServiceResponse, name: &str) -> &'a str {
        response
            .headers()
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    #[actix_web::test]
    async fn the_page_loads_nothing_external() {
        let response = get::<Built>("/", &[]).await;
        assert_eq!(response.status(), 200);
        assert_eq!(
            header_of(&response, "content-type"),
            "text/html; charset=utf-8"
        );
        assert!(header_of(&response, "content-security-policy").starts_with("default-src 'self';"));
        assert!(!header_of(&response, "content-security-policy").contains("unsafe"));
        assert_eq!(header_of(&response, "x-content-type-options"), "nosniff");
        assert_eq!(header_of(&response, "cache-control"), "no-cache");
        assert!(
            test::read_body(response)
                .await
                .starts_with(b"<!doctype html>")
        );
    }

    #[actix_web::test]
    async fn returns_304_for_a_cached_file() {
        for (path, caching) in [
            ("/", "no-cache"),
            (
                "/assets/board-1a2b.js",
                "public, max-age=31536000, immutable",
            ),
        ] {
            let first = get::<Built>(path, &[]).await;
            assert_eq!(header_of(&first, "cache-control"), caching);
            let tag = header_of(&first, "etag").to_owned();
            let again = get::<Built>(path, &[("if-none-match", &tag)]).await;
            assert_eq!(
                (again.status().as_u16(), header_of(&again, "etag")),
                (304, tag.as_str())
            );
            assert_eq!(header_of(&again, "cache-control"), caching);
            assert!(test::read_body(again).await.is_empty());
            let changed = get::<Built>(path, &[("if-none-match", "\"another\"")]).await;
            assert_eq!(changed.status(), 200);
        }
    }

    #[actix_web::test]
    async fn compresses_a_file_for_clients_that_accept_gzip() {
        let path = "/assets/board-1a2b.js";
        for (accepted, encoding) in [
            ("gzip, deflate, br", "gzip"),
            ("br;q=0, gzip", "gzip"),
            ("br", ""),
            ("gzip;q=0, identity", ""),
            ("identity", ""),
            ("nonsense;;q=", ""),
        ] {
            let response = get::<Built>(path, &[("accept-encoding", accepted)]).await;
            assert_eq!(
                (
                    response.status().as_u16(),
                    header_of(&response, "content-encoding")
                ),
                (200, encoding),
                "{accepted}"
            );
            assert_eq!(header_of(&response, "vary"), "Accept-Encoding");
            assert_eq!(
                header_of(&response, "content-type"),
                "text/javascript; charset=utf-8"
            );
        }
        let (plain, small) = (
            get::<Built>(path, &[]).await,
            get::<Built>(path, &[("accept-encoding", "gzip")]).await,
        );
        assert_ne!(header_of(&plain, "etag"), header_of(&small, "etag"));
        let (plain, small) = (test::read_body(plain).await, test::read_body(small).await);
        let mut unpacked = Vec::new();
        GzDecoder::new(&small[..])
            .read_to_end(&mut unpacked)
            .unwrap();
        assert_eq!(unpacked, plain);
    }

    #[actix_web::test]
    async fn returns_404_for_unknown_files() {
        for path in [
            "/assets/other.js",
            "/assets/",
            "/assets/board-1a2b.js.gz",
            "/assets/..%2findex.html",
            "/assets/%2e%2e%2f%2e%2e%2fCargo.toml",
            "/assets/board-1a2b",
        ] {
            assert_eq!(get::<Built>(path, &[]).await.status(), 404, "{path}");
        }
    }
}
