//! The page at `/`: the files of `host/web/dist`, which are part of the binary.

use std::borrow::Cow;

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    http::{
        Method,
        header::{
            self, AcceptEncoding, ContentEncoding, Encoding, EntityTag, Header, HeaderValue, IfNoneMatch,
            Preference, Quality,
        },
    },
    web,
};
use rust_embed::{EmbeddedFile, RustEmbed};

use super::security_headers::PAGE_POLICY;
use crate::app::resource;
use library::sha256::Hexadecimal;

/// For files with a hash in their name.
const FOR_GOOD: &str = "public, max-age=31536000, immutable";
/// For files that may change: revalidated by their tag.
pub(super) const ASK_EACH_TIME: &str = "no-cache";

/// As `npm run build` leaves them; none where nobody has run it. Programs for development read them where they lie.
#[derive(RustEmbed)]
#[folder = "../web/dist"]
#[allow_missing = true]
struct Dist;

/// The page for a build without `host/web/dist`.
#[derive(RustEmbed)]
#[folder = "src/static_files"]
struct Instead;

pub(super) fn routes(config: &mut web::ServiceConfig) {
    config
        .service(resource("/", Method::GET, web::to(index::<Dist>)))
        .service(resource("/assets/{file}", Method::GET, web::to(asset::<Dist>)))
        .service(resource("/favicon.svg", Method::GET, web::to(favicon::<Dist>)))
        .service(resource("/licenses.txt", Method::GET, web::to(licenses::<Dist>)));
}

async fn index<Files: RustEmbed>(request: HttpRequest) -> HttpResponse {
    let page = file::<Files>(&request, "index.html", ASK_EACH_TIME);
    page.or_else(|| file::<Instead>(&request, "missing.html", ASK_EACH_TIME))
        .unwrap_or_else(|| nothing(&request))
}

async fn asset<Files: RustEmbed>(request: HttpRequest) -> HttpResponse {
    let name = format!("assets/{}", request.match_info().get("file").unwrap_or_default());
    file_or_nothing::<Files>(&request, &name, FOR_GOOD)
}

async fn favicon<Files: RustEmbed>(request: HttpRequest) -> HttpResponse {
    file_or_nothing::<Files>(&request, "favicon.svg", ASK_EACH_TIME)
}

async fn licenses<Files: RustEmbed>(request: HttpRequest) -> HttpResponse {
    file_or_nothing::<Files>(&request, "licenses.txt", ASK_EACH_TIME)
}

/// Returns a file, or 404.
pub(super) fn file_or_nothing<Files: RustEmbed>(
    request: &HttpRequest,
    name: &str,
    caching: &'static str,
) -> HttpResponse {
    file::<Files>(request, name, caching).unwrap_or_else(|| nothing(request))
}

fn nothing(request: &HttpRequest) -> HttpResponse {
    crate::app::no_path(request.path()).respond_to(request)
}

/// Returns a file in an encoding that the client accepts, or 304.
fn file<Files: RustEmbed>(request: &HttpRequest, name: &str, caching: &'static str) -> Option<HttpResponse> {
    let content_type = content_type(name)?;
    let (file, encoding) = encoded::<Files>(request, name)?;
    let tag = EntityTag::new_strong(Hexadecimal(&file.metadata.sha256_hash()).to_string());
    let mut response = if has(request, &tag) { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response
        .insert_header((header::CACHE_CONTROL, caching))
        .insert_header(header::ETag(tag.clone()))
        .insert_header((header::VARY, HeaderValue::from_static("Accept-Encoding")))
        .insert_header((header::CONTENT_SECURITY_POLICY, PAGE_POLICY));
    if has(request, &tag) {
        return Some(response.finish());
    }
    if let Some(encoding) = encoding {
        response.insert_header(encoding);
    }
    response.content_type(content_type);
    Some(match file.data {
        Cow::Borrowed(bytes) => response.body(web::Bytes::from_static(bytes)),
        Cow::Owned(bytes) => response.body(bytes),
    })
}

/// The smallest form of a file that the client understands. The build has left the compressed ones beside it.
fn encoded<Files: RustEmbed>(
    request: &HttpRequest,
    name: &str,
) -> Option<(EmbeddedFile, Option<ContentEncoding>)> {
    let understood = AcceptEncoding::parse(request).map(|accepted| accepted.0).unwrap_or_default();
    let understands = |encoding| {
        let named = Preference::Specific(Encoding::Known(encoding));
        understood.iter().any(|accepted| accepted.item == named && accepted.quality > Quality::ZERO)
    };
    let forms = [(ContentEncoding::Brotli, "br"), (ContentEncoding::Gzip, "gz")];
    let compressed = forms
        .into_iter()
        .filter(|(encoding, _)| understands(*encoding))
        .find_map(|(encoding, ending)| Some((Files::get(&format!("{name}.{ending}"))?, Some(encoding))));
    compressed.or_else(|| Some((Files::get(name)?, None)))
}

/// Whether the client has the file with this tag.
pub(super) fn has(request: &HttpRequest, tag: &EntityTag) -> bool {
    match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Any) => request.headers().contains_key(header::IF_NONE_MATCH),
        Ok(IfNoneMatch::Items(tags)) => tags.iter().any(|known| known.weak_eq(tag)),
        Err(_) => false,
    }
}

/// What a file is, by the end of its name. The build makes no others, and its compressed ones are nothing by themselves.
fn content_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "html" => Some("text/html; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        "txt" => Some("text/plain; charset=utf-8"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use actix_web::{App, dev::ServiceResponse, middleware::from_fn, test};

    use super::*;
    use crate::security_headers::add_security_headers;

    /// A built page as small as can be.
    #[derive(RustEmbed)]
    #[folder = "../tests/page"]
    struct Built;

    /// Where npm has never run.
    #[derive(RustEmbed)]
    #[folder = "tests/no_such_page"]
    #[allow_missing = true]
    struct NotBuilt;

    async fn get<Files: RustEmbed + 'static>(path: &str, headers: &[(&str, &str)]) -> ServiceResponse {
        let app = App::new()
            .wrap(from_fn(add_security_headers))
            .service(resource("/", Method::GET, web::to(index::<Files>)))
            .service(resource("/assets/{file}", Method::GET, web::to(asset::<Files>)));
        let app = test::init_service(app).await;
        let mut request = test::TestRequest::get().uri(path);
        for header in headers {
            request = request.insert_header(*header);
        }
        test::call_service(&app, request.to_request()).await
    }

    fn told<'a>(response: &'a ServiceResponse, name: &str) -> &'a str {
        response.headers().get(name).map_or("", |value| value.to_str().unwrap())
    }

    #[actix_web::test]
    async fn the_page_may_load_nothing_from_elsewhere() {
        let response = get::<Built>("/", &[]).await;
        assert_eq!(response.status(), 200);
        assert_eq!(told(&response, "content-type"), "text/html; charset=utf-8");
        assert!(told(&response, "content-security-policy").starts_with("default-src 'self';"));
        assert!(!told(&response, "content-security-policy").contains("unsafe"));
        assert_eq!(told(&response, "x-content-type-options"), "nosniff");
        assert_eq!(told(&response, "cache-control"), "no-cache");
        assert!(test::read_body(response).await.starts_with(b"<!doctype html>"));
    }

    #[actix_web::test]
    async fn a_file_that_the_browser_has_is_not_sent_again() {
        for (path, caching) in
            [("/", "no-cache"), ("/assets/board-1a2b.js", "public, max-age=31536000, immutable")]
        {
            let first = get::<Built>(path, &[]).await;
            assert_eq!(told(&first, "cache-control"), caching);
            let tag = told(&first, "etag").to_owned();
            let again = get::<Built>(path, &[("if-none-match", &tag)]).await;
            assert_eq!((again.status().as_u16(), told(&again, "etag")), (304, tag.as_str()));
            assert_eq!(told(&again, "cache-control"), caching);
            assert!(test::read_body(again).await.is_empty());
            let changed = get::<Built>(path, &[("if-none-match", "\"another\"")]).await;
            assert_eq!(changed.status(), 200);
        }
    }

    #[actix_web::test]
    async fn a_browser_gets_the_smallest_form_that_it_understands() {
        let path = "/assets/board-1a2b.js";
        for (accepted, encoding) in [
            ("gzip, deflate, br", "br"),
            ("gzip, deflate", "gzip"),
            ("br;q=0, gzip", "gzip"),
            ("deflate", ""),
            ("identity", ""),
            ("nonsense;;q=", ""),
        ] {
            let response = get::<Built>(path, &[("accept-encoding", accepted)]).await;
            assert_eq!(
                (response.status().as_u16(), told(&response, "content-encoding")),
                (200, encoding),
                "{accepted}"
            );
            assert_eq!(told(&response, "vary"), "Accept-Encoding");
            assert_eq!(told(&response, "content-type"), "text/javascript; charset=utf-8");
        }
        // Another form is another file to a cache.
        let tag = |response: &ServiceResponse| told(response, "etag").to_owned();
        let (plain, small) =
            (get::<Built>(path, &[]).await, get::<Built>(path, &[("accept-encoding", "br")]).await);
        assert_ne!(tag(&plain), tag(&small));
    }

    #[actix_web::test]
    async fn what_is_no_file_of_the_page_is_not_found() {
        for path in [
            "/assets/other.js",
            "/assets/",
            "/assets/board-1a2b.js.br",
            "/assets/..%2findex.html",
            "/assets/%2e%2e%2f%2e%2e%2fCargo.toml",
            "/assets/board-1a2b",
        ] {
            assert_eq!(get::<Built>(path, &[]).await.status(), 404, "{path}");
        }
    }

    #[actix_web::test]
    async fn without_a_page_it_is_said_how_to_get_it() {
        let response = get::<NotBuilt>("/", &[]).await;
        assert_eq!(response.status(), 200);
        assert!(told(&response, "content-security-policy").starts_with("default-src 'self';"));
        let text = String::from_utf8(test::read_body(response).await.to_vec()).unwrap();
        assert!(text.contains("make build") && text.contains("npm"), "{text}");
    }
}
