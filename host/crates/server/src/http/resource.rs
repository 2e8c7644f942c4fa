//! Resources: a path and its methods.

use crate::problem::{Code, Problem};
use actix_web::{HttpRequest, http::Method, web};

/// Returns the problem of a path without a resource. Suggests a similar path.
pub(crate) fn unknown_path(similar: Option<&str>) -> Problem {
    let hint = similar.map(|path| format!("; did you mean {path}?"));
    Problem::new(Code::NotFound, format!("there is nothing at this path{}", hint.unwrap_or_default()))
}

/// Creates a resource with one method.
pub(crate) fn resource(path: &str, method: Method, handler: actix_web::Route) -> actix_web::Resource {
    // HEAD is allowed with GET.
    let allowed = if method == Method::GET { "GET, HEAD" } else { "POST" };
    let reject = move |request: HttpRequest| {
        let problem = Problem::method_not_allowed(request.method(), allowed);
        async move { problem }
    };
    let resource = web::resource(path).default_service(web::to(reject));
    if method == Method::GET {
        resource
            .route(handler.guard(actix_web::guard::Any(actix_web::guard::Get()).or(actix_web::guard::Head())))
    } else {
        resource.route(handler.method(method))
    }
}
