//! The application: middleware, routes and resources.

use actix_web::{
    App, HttpRequest,
    body::MessageBody,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    http::Method,
    web,
};

use crate::{
    allowed_host, blogchess, client, connection, cors, docs, health, metrics, openapi,
    problem::{Code, Problem},
    request_log, security_headers,
    service::Service,
    static_files, v1,
};

/// The application, for the server and for the tests.
pub fn create_app(
    service: Service,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<impl MessageBody>,
        Error = actix_web::Error,
        InitError = (),
    >,
> {
    App::new()
        .wrap(actix_web::middleware::from_fn(cors::let_pages_in))
        .wrap(actix_web::middleware::from_fn(cors::tell_refusal))
        .wrap(actix_web::middleware::from_fn(allowed_host::require_allowed_host))
        .wrap(actix_web::middleware::from_fn(request_log::request_log))
        .wrap(actix_web::middleware::from_fn(security_headers::add_security_headers))
        .wrap(actix_web::middleware::from_fn(connection::receive))
        .app_data(web::Data::new(service))
        .configure(health::routes)
        .configure(metrics::routes)
        .configure(openapi::routes)
        .configure(docs::routes)
        .configure(static_files::routes)
        .service(
            web::scope("/v1")
                .wrap(actix_web::middleware::from_fn(client::identify))
                .configure(v1::routes)
                .default_service(web::to(not_found)),
        )
        .service(
            web::scope("/api/BlogChess")
                .wrap(actix_web::middleware::from_fn(client::identify))
                .configure(blogchess::routes)
                .default_service(web::to(not_found)),
        )
        .default_service(web::to(not_found))
}

async fn not_found(request: HttpRequest) -> Problem {
    no_path(request.path())
}

pub(crate) fn no_path(path: &str) -> Problem {
    let known = [
        "/v1/best-move",
        "/v1/compare",
        "/v1/report",
        "/v1/legal-moves",
        "/v1/reachable",
        "/v1/validate",
        "/v1/evaluate",
        "/v1/convert",
        "/v1/board.svg",
        "/v1/ais",
        "/healthz",
        "/readyz",
        "/metrics",
        "/openapi.json",
        "/docs",
        "/api/BlogChess/BestMove",
        "/api/BlogChess/ValidMoves",
    ];
    let hint = text::suggest(path, known).map(|path| format!("; did you mean {path}?"));
    Problem::new(Code::NotFound, format!("there is nothing at this path{}", hint.unwrap_or_default()))
}

/// A resource at which only some methods are allowed.
pub(crate) fn resource(path: &str, method: Method, handler: actix_web::Route) -> actix_web::Resource {
    // What can be got can be asked for without its body too.
    let allowed = if method == Method::GET { "GET, HEAD" } else { "POST" };
    let refuse = move |request: HttpRequest| {
        let problem = Problem::method_not_allowed(request.method(), allowed);
        async move { problem }
    };
    let resource = web::resource(path).default_service(web::to(refuse));
    if method == Method::GET {
        resource
            .route(handler.guard(actix_web::guard::Any(actix_web::guard::Get()).or(actix_web::guard::Head())))
    } else {
        resource.route(handler.method(method))
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test;
    use serde_json::{Value, json};

    use super::*;

    #[actix_web::test]
    async fn a_bug_of_ours_is_told_as_such() {
        // Nobody has put the service in, or looked up who asks.
        let app = test::init_service(App::new().configure(v1::routes)).await;
        let response =
            test::call_service(&app, test::TestRequest::post().uri("/validate").to_request()).await;
        assert_eq!(response.status().as_u16(), 500);
        assert_eq!(response.headers().get("Content-Type").unwrap(), "application/problem+json");
        let body: Value = test::read_body_json(response).await;
        let told = json!({
            "type": "urn:rookery:problem:internal", "title": "A bug of the server", "status": 500,
            "detail": "the service is not set up", "code": "internal", "request_id": null,
        });
        assert_eq!(body, told);
    }
}
