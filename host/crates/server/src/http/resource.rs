//! Resources: a path and its methods.

use crate::problem::{Code, Problem};
use actix_web::{
    HttpRequest, HttpResponse, Responder as _,
    guard::fn_guard,
    http::{Method, header::ALLOW},
    web,
};

/// Returns the 404 for an unknown path, with a similar path.
pub(crate) fn unknown_path(similar: Option<&str>) -> Problem {
    let hint = similar.map(|path| format!("; did you mean {path}?"));
    Problem::new(
        Code::NotFound,
        format!("there is nothing at this path{}", hint.unwrap_or_default()),
    )
}

/// Returns whether a path is one of the 2014 project.
pub(crate) fn is_legacy_path(path: &str) -> bool {
    path.starts_with("/api/")
}

/// Creates a resource with these methods.
pub(crate) fn resource(
    path: &str,
    methods: impl IntoIterator<Item = (Method, actix_web::Route)>,
) -> actix_web::Resource {
    let mut resource = web::resource(path);
    let mut allowed = Vec::new();
    for (method, handler) in methods {
        allowed.push(method.to_string());
        // HEAD is allowed with GET.
        if method == Method::GET {
            allowed.push(Method::HEAD.to_string());
        }
        // The guards of actix-web allocate a list of methods for each request.
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
            Problem::method_not_allowed(request.method(), allowed.clone()).respond_to(&request)
        };
        async move { response }
    }))
}
