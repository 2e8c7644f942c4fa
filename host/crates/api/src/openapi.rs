//! The `OpenAPI` 3.1 document, generated from the forms, the replies, the error table and the list
//! of calls.

pub mod records;
pub mod shape;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::{
    call::{Call, OF_EVERY_CALL, ReplyType},
    forms::game::GameForm,
    problem::Code,
    problem_schema::{problem_fields, retry_after},
    schemas::Schemas,
};
use records::streams;
use serde_json::{Map, Value, json};

/// The header in which a client identifies itself.
pub const CLIENT_HEADER: &str = "X-Client-Id";
/// The header parameter of every call.
const REQUEST_ID: (&str, &str) = (
    "X-Request-Id",
    "The id of the request: up to 128 letters, digits, `-`, `_` and `.`. The server generates one \
     if it is missing or invalid.",
);

/// The headers in replies to a client with a rate limit (IETF draft "`RateLimit` header fields for
/// HTTP").
const RATE: [(&str, &str); 2] = [
    (
        "RateLimit-Policy",
        "`\"requests\";q=BURST;w=SECONDS`: the number of requests allowed at once, and the time \
            after which all of them are allowed again.",
    ),
    (
        "RateLimit",
        "`\"requests\";r=REMAINING;t=SECONDS`: the number of requests left, and the time until \
            the full number is available.",
    ),
];

/// The groups of calls.
const TAGS: [(&str, &str); 5] = [
    ("chess", "Chess rules, without an AI"),
    ("ai", "AIs and their searches"),
    ("arena", "The endless tournament of the AIs"),
    ("server", "Server"),
    (
        "BlogChess",
        "Calls of the 2014 project, kept for its clients",
    ),
];

/// Returns the `OpenAPI` document for the calls.
pub fn document(calls: &[Call]) -> Value {
    let mut schemas = Schemas::default();
    let problems = problems(&mut schemas);
    let mut paths = BTreeMap::<&str, Map<String, Value>>::new();
    for call in calls {
        let item = paths.entry(call.path).or_default();
        item.insert(
            call.method.into_str().to_ascii_lowercase(),
            operation(call, &mut schemas),
        );
    }
    let paths = json!(paths);
    let schemas = finished(schemas, problems, &paths);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Rookery",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Runs any chess AI, yours or Stockfish, behind one API and one board, \
                        safely",
            "description": "Scores are White's, and times are in milliseconds. Unknown fields are \
                            rejected. Every error is `application/problem+json` with a stable \
                            `code`. Replies to pages of the configured `cors_origins` have the \
                            CORS headers `Access-Control-…`. Every reply has the security \
                            headers `Content-Security-Policy`, `X-Content-Type-Options`, \
                            `X-Frame-Options`, `Referrer-Policy`, `Cross-Origin-Resource-Policy` \
                            and `Cross-Origin-Opener-Policy`. Over TLS it has \
                            `Strict-Transport-Security`.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"}
        },
        "servers": [{"url": "/"}],
        "security": [{}, {"client": []}, {"key": []}],
        "tags": tags(calls),
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "client": {
                    "type": "apiKey", "in": "header", "name": CLIENT_HEADER,
                    "description": "The id of a client without a key. By default the client \
                        `default`."
                },
                "key": {
                    "type": "http", "scheme": "bearer",
                    "description": "The API key of a client, as `rookery client add` prints it."
                }
            }
        }
    })
}

/// Returns the tags that the calls use.
fn tags(calls: &[Call]) -> Vec<Value> {
    let is_used = |(name, _): &&(&str, &str)| calls.iter().any(|call| call.tag == *name);
    TAGS.iter()
        .filter(is_used)
        .map(|(name, description)| json!({"name": name, "description": description}))
        .collect()
}

/// Returns the schemas in the form that code generators need.
fn finished(
    collected: Schemas,
    problems: [(String, Value); 2],
    paths: &Value,
) -> Map<String, Value> {
    let Schemas {
        of_types,
        written,
        excluded,
    } = collected;
    let mut schemas: Map<String, Value> = of_types
        .into_iter()
        .map(|(name, schema)| (name, json!(schema)))
        .collect();
    schemas.extend(written.into_iter().chain(problems));
    shape::flatten(&mut schemas);
    shape::split("GameForm", GameForm::FORMS, &mut schemas);
    shape::require_one(&mut schemas["LimitForm"]);
    shape::remove_unused(&mut schemas, paths);
    shape::exclude(&mut schemas["BoardsGame"], single_board());
    for (name, objects) in excluded {
        shape::exclude(&mut schemas[&name], objects);
    }
    schemas
}

/// Matches a single board without `turn`, which does not show the side to move.
fn single_board() -> Value {
    json!({"properties": {"boards": {"maxItems": 1}}, "maxProperties": 1})
}

fn operation(call: &Call, schemas: &mut Schemas) -> Value {
    let mut operation = json!({
        "operationId": call.id,
        "summary": call.summary,
        "description": call.description,
        "tags": [call.tag],
        "responses": responses(call, schemas),
    });
    let headers = call
        .header_parameters
        .iter()
        .chain(&[REQUEST_ID])
        .map(|(name, description)| {
            json!({
                "name": name,
                "in": "header",
                "required": false,
                "schema": {"type": "string"},
                "description": description
            })
        });
    let parameters: Vec<Value> = (call.parameters)().into_iter().chain(headers).collect();
    operation["parameters"] = parameters.into();
    if !call.identifies_client() {
        operation["security"] = json!([]);
    }
    if let Some(form) = call.form {
        let example = &call.example()["request"];
        let schema = form(schemas);
        if let Some(excluded) = call.excluded {
            schemas.excluded.push((shape::name(&schema), excluded()));
        }
        operation["requestBody"] = json!({
            "required": true,
            "content": {"application/json": {"schema": schema, "example": example}}
        });
    }
    operation
}

fn responses(call: &Call, schemas: &mut Schemas) -> Value {
    let mut headers = headers_of_every_reply(call);
    for (name, description) in call.headers {
        headers[name] = header(description);
    }
    for (name, description) in call.optional_headers {
        headers[name] = json!({"description": description, "schema": {"type": "string"}});
    }
    let example = call.example();
    let (mut responses, mut content) = (Map::new(), Map::new());
    let whole = json!({"schema": (call.reply.schema)(schemas), "example": example["reply"]});
    content.insert(call.reply.media_type.to_owned(), whole);
    if let Some(ReplyType { media_type, schema }) = &call.alternative {
        let alternative = json!({"schema": schema(schemas), "example": example["text"]});
        content.insert((*media_type).to_owned(), alternative);
    }
    let mut stream_headers = headers.clone();
    if !call.records.is_empty() {
        for (media_type, stream) in streams(
            call.records,
            &example["records"],
            &example["reply"],
            schemas,
        ) {
            content.insert(media_type.to_owned(), stream);
        }
        stream_headers["X-Accel-Buffering"] = json!({
            "description": "`no` for a stream, so proxies do not buffer records.",
            "schema": {"type": "string"}
        });
    }
    responses.insert(
        call.status.to_owned(),
        json!({
            "description": call.reply_description,
            "headers": stream_headers,
            "content": content
        }),
    );
    for status in call.bare_statuses {
        let description = "The client's copy is current.";
        responses.insert(
            (*status).to_owned(),
            json!({"description": description, "headers": headers}),
        );
    }
    let mut by_status = BTreeMap::<u16, Vec<Code>>::new();
    for code in call
        .errors
        .iter()
        .chain([&OF_EVERY_CALL])
        .flat_map(|codes| codes.iter())
    {
        let status = if call.is_legacy() {
            code.legacy_status()
        } else {
            code.status()
        };
        let codes = by_status.entry(status).or_default();
        if !codes.contains(code) {
            codes.push(*code);
        }
    }
    for (status, codes) in by_status {
        responses.insert(status.to_string(), error_response(call, status, &codes));
    }
    responses.into()
}

fn headers_of_every_reply(call: &Call) -> Value {
    let mut headers = json!({
        "X-Request-Id": header("The id of the request."),
        "Cache-Control": header("`no-store`.")
    });
    if call.identifies_client() {
        for (name, description) in RATE {
            headers[name] = json!({"description": description, "schema": {"type": "string"}});
        }
    }
    headers
}

fn header(description: &str) -> Value {
    json!({"description": description, "required": true, "schema": {"type": "string"}})
}

/// Returns the response for a status, with an example of each error.
fn error_response(call: &Call, status: u16, codes: &[Code]) -> Value {
    let mut headers = headers_of_every_reply(call);
    match status {
        401 => {
            headers["WWW-Authenticate"] = header("`Bearer`: send the API key of a client.");
        }
        415 => {
            headers["Accept-Post"] = header("The media type that a body may have.");
        }
        429 | 502 | 503 | 504 => {
            headers["Retry-After"] = json!({
                "description": "The number of seconds after which to retry, if the server knows.",
                "required": status == 429,
                "schema": {"type": "integer", "minimum": 1}
            });
        }
        _ => {}
    }
    let examples: Map<String, Value> = codes
        .iter()
        .map(|code| {
            let value = json!({
                "type": format!("urn:rookery:problem:{}", code.into_str()),
                "title": code.title(),
                "status": status,
                "detail": "what was found, what was expected, what to do",
                "code": code.into_str(),
                "request_id": "a1bca2b2-6faa-47a7-b93d-d2d56e10febc"
            });
            (
                code.into_str().to_owned(),
                json!({"summary": code.title(), "value": value}),
            )
        })
        .collect();
    let titles: Vec<_> = codes
        .iter()
        .map(|code| format!("{} (`{}`)", code.title(), code.into_str()))
        .collect();
    json!({
        "description": titles.join("; "),
        "headers": headers,
        "content": {"application/problem+json": {
            "schema": {"$ref": "#/components/schemas/Problem"}, "examples": examples
        }}
    })
}

/// Returns the schemas of an error response, and of an error within a successful reply.
fn problems(schemas: &mut Schemas) -> [(String, Value); 2] {
    let mut problem = problem_fields(schemas);
    problem["description"] = "An error (RFC 9457).".into();
    problem["required"]
        .as_array_mut()
        .expect("the fields are built with a list of required ones")
        .push("type".into());
    problem["properties"]["type"] = json!({"type": "string", "format": "uri"});
    let mut part = problem.clone();
    part["description"] = "The error for one part of the reply.".into();
    part["properties"]["retry_after_s"] = retry_after();
    [
        ("Problem".to_owned(), problem),
        ("PartialProblem".to_owned(), part),
    ]
}
