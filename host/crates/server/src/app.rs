//! The application: middleware and routes.

use text::printable;

use crate::{
    calls::{ENDPOINTS, docs, version},
    catalog::Catalog,
    connection::Encrypted,
    endpoint::Endpoint,
    http::{
        allowed_host::check_host,
        client, cors,
        problem::{reject, respond_problem},
        receive::{ReplyBody, receive},
        request_log::request_log,
        resource::{resource, unknown_path},
        security_headers, static_files,
    },
    state::server_state::ServerState,
};
use actix_web::{
    App, HttpRequest, HttpResponse,
    body::{BoxBody, MessageBody},
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    http::Uri,
    middleware::{Next, from_fn},
    web,
};
use api::{
    call::Call,
    error::{Malformed, pointer_part},
};

/// The scopes whose calls identify their client.
const SCOPES: [&str; 2] = ["/v1", "/api/BlogChess"];

/// Creates the application, for the server and for the tests.
pub fn create_app(
    state: ServerState,
    catalog: &Catalog,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<impl MessageBody + use<>>,
        Error = actix_web::Error,
        InitError = (),
    > + use<>,
> {
    App::new()
        .wrap(from_fn(exchange))
        .app_data(web::Data::new(state))
        .app_data(web::Data::new(catalog.encoded_document().clone()))
        .app_data(web::Data::new(catalog.clone()))
        // The most used services come first, because a request is matched against them in order.
        .configure(|config| scopes(config, catalog))
        .configure(|config| calls(config, catalog, ""))
        .configure(|config| catalog.routes.iter().for_each(|route| route(config)))
        .configure(static_files::routes)
        .configure(docs::files)
        .default_service(web::to(not_found))
}

fn scopes(app: &mut web::ServiceConfig, catalog: &Catalog) {
    for path in SCOPES {
        let scope = web::scope(path)
            .wrap(from_fn(identify))
            .configure(|config| calls(config, catalog, path))
            .default_service(web::to(not_found));
        app.service(scope);
    }
}

/// Registers the calls of a scope.
fn calls(config: &mut web::ServiceConfig, catalog: &Catalog, scope: &str) {
    // Fixed paths come first, because they are faster to match than patterns.
    let (patterns, fixed): (Vec<&Endpoint>, Vec<&Endpoint>) = catalog
        .endpoints()
        .iter()
        .partition(|endpoint| endpoint.call.path.contains('{'));
    let endpoints: Vec<_> = fixed.into_iter().chain(patterns).collect();
    for of_path in endpoints.chunk_by(|one, other| one.call.path == other.call.path) {
        let path = of_path[0].call.path;
        let own = SCOPES
            .into_iter()
            .find(|prefix| path.starts_with(prefix))
            .unwrap_or_default();
        if own == scope {
            let methods = of_path
                .iter()
                .map(|endpoint| (endpoint.method(), (endpoint.route)()));
            config.service(resource(&path[scope.len()..], methods));
        }
    }
}

/// Wraps the processing of every request. It is a single middleware, because each middleware costs
/// two allocations per request.
async fn exchange(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> actix_web::Result<ServiceResponse<ReplyBody>> {
    spell_legacy_path(&mut request);
    receive(request, async |received| {
        let is_encrypted = received.conn_data::<Encrypted>().is_some();
        let mut response = request_log(received, async |logged| {
            match check_host(logged.request()) {
                Ok(()) => cors::allow_origins(logged, next).await,
                Err(problem) => Ok(reject(logged.into_parts().0, &problem)),
            }
        })
        .await?;
        security_headers::add(response.headers_mut(), is_encrypted);
        Ok(response)
    })
    .await
}

/// Accepts the 2014 calls as their original server did: the path in any case and with a trailing
/// slash, and the parameter names in any case.
fn spell_legacy_path(request: &mut ServiceRequest) {
    // Almost no request uses these calls.
    if !request
        .path()
        .as_bytes()
        .get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"/api/"))
    {
        return;
    }
    let path = request.path().strip_suffix('/').unwrap_or(request.path());
    let mut legacy = ENDPOINTS
        .iter()
        .map(|endpoint| &endpoint.call)
        .filter(|call| call.is_legacy());
    let Some(call) = legacy.find(|call| call.path.eq_ignore_ascii_case(path)) else {
        return;
    };
    let query = request
        .uri()
        .query()
        .map(|query| format!("?{}", spelled_query(query, call)));
    let spelled = format!("{}{}", call.path, query.unwrap_or_default());
    if request
        .uri()
        .path_and_query()
        .is_none_or(|found| found.as_str() != spelled)
    {
        let mut parts = request.uri().clone().into_parts();
        parts.path_and_query = spelled.parse().ok();
        if let Ok(uri) = Uri::from_parts(parts) {
            request.match_info_mut().get_mut().update(&uri);
            request.head_mut().uri = uri;
        }
    }
}

/// Returns a query with its parameter names spelled as in the call.
fn spelled_query(query: &str, call: &Call) -> String {
    let parameters = (call.parameters)();
    let names: Vec<_> = parameters
        .iter()
        .filter_map(|parameter| parameter["name"].as_str())
        .collect();
    let pairs = query.split('&').map(|pair| {
        let (name, value) = pair.split_at(pair.find('=').unwrap_or(pair.len()));
        let known = names.iter().find(|known| known.eq_ignore_ascii_case(name));
        format!("{}{value}", known.unwrap_or(&name))
    });
    pairs.collect::<Vec<_>>().join("&")
}

/// Middleware of the scopes: rejects a request with an unknown parameter in its query, otherwise
/// identifies its client.
async fn identify(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> actix_web::Result<ServiceResponse<BoxBody>> {
    match unknown_parameter(request.request()) {
        // The version call does not require a client, because the public OpenAPI document reveals
        // the same facts.
        None if request.path() == version::CALL.call.path => {
            Ok(next.call(request).await?.map_into_boxed_body())
        }
        None => client::identify(request, next).await,
        Some(problem) => Ok(reject(request.into_parts().0, &problem.into())),
    }
}

/// Returns an error if a request's query has a parameter that its call does not accept.
fn unknown_parameter(request: &HttpRequest) -> Option<Malformed> {
    let query = Some(request.query_string()).filter(|query| !query.is_empty())?;
    let pattern = request.match_pattern()?;
    let catalog = request.app_data::<web::Data<Catalog>>()?;
    let call = catalog
        .endpoints()
        .iter()
        .find(|endpoint| endpoint.call.path == pattern && endpoint.method() == *request.method())
        .map(|endpoint| &endpoint.call)?;
    let parameters = (call.parameters)();
    let known = parameters
        .iter()
        .filter(|parameter| parameter["in"] == "query");
    let known: Vec<_> = known
        .filter_map(|parameter| parameter["name"].as_str())
        .collect();
    let pairs = web::Query::<Vec<(String, String)>>::from_query(query)
        .ok()?
        .into_inner();
    let (unknown, _) = pairs
        .into_iter()
        .find(|(name, _)| !known.contains(&name.as_str()))?;
    let name = printable(&unknown);
    let detail = if known.is_empty() {
        format!("unknown query parameter '{name}'; this call takes none")
    } else {
        format!(
            "unknown query parameter '{name}'; this call takes {}",
            known.join(", ")
        )
    };
    Some(Malformed::new(pointer_part(&unknown), detail))
}

async fn not_found(request: HttpRequest, catalog: web::Data<Catalog>) -> HttpResponse {
    let known = catalog
        .calls()
        .map(|call| call.path)
        .filter(|path| *path != "/" && !path.contains('{'));
    let problem = unknown_path(text::suggest(request.path(), known));
    respond_problem(&request, &problem)
}

#[cfg(test)]
mod tests {
    use actix_web::test;
    use serde_json::{Value, json};

    use super::*;

    #[actix_web::test]
    async fn reports_internal_errors() {
        // Neither the state nor the client is set.
        let calls = |config: &mut _| calls(config, &Catalog::with(&[], &[]), "/v1");
        let app = test::init_service(App::new().configure(calls)).await;
        let response = test::call_service(
            &app,
            test::TestRequest::post().uri("/validate").to_request(),
        )
        .await;
        assert_eq!(response.status().as_u16(), 500);
        assert_eq!(
            response.headers().get("Content-Type").unwrap(),
            "application/problem+json"
        );
        let body: Value = test::read_body_json(response).await;
        let expected = json!({
            "type": "urn:rookery:problem:internal", "title": "Internal server error", "status": 500,
            "detail": "the state is not set up", "code": "internal", "request_id": null,
        });
        assert_eq!(body, expected);
    }
}
