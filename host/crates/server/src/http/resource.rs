//! Resources: a path and its methods.

use crate::http::problem::respond_problem;
use actix_web::{
    HttpRequest, HttpResponse,
    guard::fn_guard,
    http::{Method, header::ALLOW},
    web,
};
use api::problem::{Code, Problem};

/// Returns the 404 for an unknown path, which suggests a similar path.
pub(crate) fn unknown_path(similar: Option<&str>) -> Problem {
    let hint = similar.map(|path| format!("; did you mean {path}?"));
    Problem::new(
        Code::NotFound,
        format!("there is nothing at this path{}", hint.unwrap_or_default()),
    )
}

/// Creates a resource with these methods.
pub fn resource(
    path: &str,
    methods: impl IntoIterator<Item = (Method, actix_web::Route)>,
) -> actix_web::Resource {
    let mut resource = web::resource(path);
    let mut allowed = Vec::new();
    for (method, handler) in methods {
        allowed.push(method.to_string());
        // HEAD is allowed wherever GET is.
        if method == Method::GET {
            allowed.push(Method::HEAD.to_string());
        }
        // actix-web's guards allocate a list of methods for each request.
        let guard = fn_guard(move |request| {
            let asked = &request.head().method;
            *asked == method || method == Method::GET && *asked == Method::HEAD
        });
        resource = resource.route(handler.guard(guard));
    }
    allowed.push(Method::OPTIONS.to_string());
    let allowed = allowed.join(", ");
    resource.default_service(web::to(move |request: HttpRequest| {
        let response = if request.method() == Method::OPTIONS {
            HttpResponse::NoContent()
                .insert_header((ALLOW, &*allowed))
                .finish()
        } else {
            respond_problem(
                &request,
                &Problem::method_not_allowed(request.method().as_str(), allowed.clone()),
            )
        };
        async move { response }
    }))
}
