//! The numbers, for whoever watches the server.

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::Method,
    middleware::{Next, from_fn},
    web::{self, Data},
};

use super::{
    client::admit,
    generation::Snapshot,
    problem::{Code, Problem, refuse},
};
use crate::telemetry::{CONTENT_TYPE, render};
use crate::{app::resource, service::Service};
use config::MetricsAccess;

pub(super) fn routes(config: &mut web::ServiceConfig) {
    config.service(resource("/metrics", Method::GET, web::to(metrics)).wrap(from_fn(guard)));
}

/// Lets in whom the configuration does.
async fn guard(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> actix_web::Result<ServiceResponse<BoxBody>> {
    match check(&request) {
        Ok(()) => Ok(next.call(request).await?.map_into_boxed_body()),
        Err(problem) => Ok(refuse(request.into_parts().0, problem)),
    }
}

fn check(request: &ServiceRequest) -> Result<(), Problem> {
    match Snapshot::of(request.request())?.arbiter.server().metrics {
        MetricsAccess::Open => Ok(()),
        MetricsAccess::Admin if admit(request)?.caller.admin => Ok(()),
        MetricsAccess::Admin => Err(Problem::new(
            Code::NotFound,
            "there is nothing at this path for this client; ask with the key of one that has `admin = true`",
        )),
        MetricsAccess::Off => Err(Problem::new(
            Code::NotFound,
            "there is nothing at this path; the server's operator can change it with `metrics`",
        )),
    }
}

async fn metrics(service: Data<Service>, request: HttpRequest) -> HttpResponse {
    let now = match Snapshot::of(&request) {
        Ok(now) => now,
        Err(problem) => return problem.respond_to(&request),
    };
    // It asks the kernel for the memory of each worker, which must not keep other requests waiting.
    let rendered = web::block(move || render(&service.metrics, now.arbiter.every_ai())).await;
    match rendered {
        Ok(Ok(text)) => HttpResponse::Ok().content_type(CONTENT_TYPE).body(text),
        Ok(Err(_)) | Err(_) => {
            Problem::new(Code::Internal, "the numbers could not be read").respond_to(&request)
        }
    }
}
