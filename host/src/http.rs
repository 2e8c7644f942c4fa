//! The calls over HTTP: read the request, call the arbiter, write the reply.

mod admission;
mod blogchess;
mod body;
mod client;
mod cors;
mod health;
mod problem;
mod v1;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use actix_web::{
    App, HttpRequest,
    body::MessageBody,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    http::Method,
    web,
};
use tracing_actix_web::TracingLogger;

use crate::arbiter::Arbiter;
use admission::Admissions;
use problem::{Code, Problem};

/// What every handler can see.
#[derive(Clone, Debug)]
pub struct Service {
    /// Who answers.
    pub arbiter: Arc<Arbiter>,
    /// The longest body that is read.
    pub max_body_bytes: usize,
    /// Whether the server is about to end, so that no more requests should come.
    pub draining: Arc<AtomicBool>,
    admissions: Arc<Admissions>,
}

impl Service {
    /// A service that is not draining.
    pub fn new(arbiter: Arc<Arbiter>, max_body_bytes: usize) -> Self {
        let admissions = Arc::new(Admissions::new(arbiter.clients()));
        Self { arbiter, max_body_bytes, draining: Arc::default(), admissions }
    }

    fn is_ready(&self) -> bool {
        !self.draining.load(Ordering::Relaxed) && self.arbiter.is_ready()
    }
}

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
        .wrap(cors::cors(&service.arbiter.server().cors_origins))
        .wrap(actix_web::middleware::from_fn(cors::tell_refusal))
        .wrap(TracingLogger::default())
        .app_data(web::Data::new(service))
        .configure(health::routes)
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
    let known = [
        "/v1/best-move",
        "/v1/legal-moves",
        "/v1/validate",
        "/v1/evaluate",
        "/v1/ais",
        "/healthz",
        "/readyz",
        "/api/BlogChess/BestMove",
        "/api/BlogChess/ValidMoves",
    ];
    let hint = crate::closest::closest(request.path(), known).map(|path| format!("; did you mean {path}?"));
    Problem::new(Code::NotFound, format!("there is nothing at this path{}", hint.unwrap_or_default()))
}

/// A resource at which only some methods are allowed.
fn resource(path: &str, method: Method, handler: actix_web::Route) -> actix_web::Resource {
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
