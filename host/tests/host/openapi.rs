//! The document tells what the server does: its routes, what they take and answer, and its errors.

use std::{collections::BTreeSet, fs, path::Path};

use actix_web::test::TestRequest;
use serde_json::{Value, json};

use crate::support::{Application, ConfigFile, directories};

/// Files of pages, which no client calls for themselves.
const FILES: [&str; 4] = ["/assets/{file}", "/favicon.svg", "/licenses.txt", "/docs/{file}"];

fn application() -> Application {
    let ai = "[ai.basic1]\nlibrary = \"ai_basic1\"\n[client.default]\nai = \"basic1\"\n";
    Application::of(&ConfigFile::verbatim(&format!(
        "[plugins]\npolicy = \"known\"\ndirectories = {}\n{ai}",
        directories()
    )))
}

async fn document(app: &Application) -> Value {
    let reply = app.get("/openapi.json").await;
    assert_eq!((reply.status, reply.header("Content-Type")), (200, Some("application/json")));
    reply.body
}

/// Every operation, as `POST /v1/best-move`, with what is told of it.
fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    paths
        .iter()
        .flat_map(|(path, item)| {
            item.as_object()
                .unwrap()
                .iter()
                .map(move |(method, told)| (method.to_uppercase(), path.clone(), told))
        })
        .collect()
}

/// The routes as the sources have them: each is made by `resource(path, method, …)` in the file of its scope.
fn routes() -> BTreeSet<(String, String)> {
    let http = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/http");
    let mut routes = BTreeSet::new();
    for entry in fs::read_dir(http).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_file() {
            continue;
        }
        let scope = match path.file_name().unwrap().to_str().unwrap() {
            "v1.rs" => "/v1",
            "blogchess.rs" => "/api/BlogChess",
            _ => "",
        };
        let text: String = fs::read_to_string(&path).unwrap().split_whitespace().collect();
        for found in text.split("resource(\"").skip(1) {
            let (path, rest) = found.split_once("\",Method::").unwrap();
            let method = rest.split(',').next().unwrap();
            routes.insert((method.to_owned(), format!("{scope}{path}")));
        }
    }
    routes
}

#[actix_web::test]
async fn every_route_is_in_the_document_and_back() {
    let app = application();
    let document = document(&app).await;
    assert_eq!(document["openapi"], "3.1.0");
    let told: BTreeSet<_> =
        operations(&document).into_iter().map(|(method, path, _)| (method, path)).collect();
    let routes: BTreeSet<_> =
        routes().into_iter().filter(|(_, path)| !FILES.contains(&path.as_str())).collect();
    assert_eq!(told, routes);
    assert!(routes.len() >= 15, "{routes:?}");
    for (method, path) in told {
        let request = TestRequest::with_uri(&path.replace("{id}", "basic1")).method(method.parse().unwrap());
        let reply = app.send(request).await;
        assert!(![404, 405].contains(&reply.status), "{method} {path}: {}", reply.status);
    }
}

/// Fails with what is wrong, if a value is not of a schema of the document.
#[track_caller]
fn assert_is(document: &Value, schema: &Value, value: &Value, what: &str) {
    let mut whole = schema.clone();
    whole["components"] = document["components"].clone();
    let validator = jsonschema::validator_for(&whole).unwrap_or_else(|error| panic!("{what}: {error}"));
    let wrong: Vec<_> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(wrong.is_empty(), "{what}: {wrong:#?}\n{value}");
}

#[actix_web::test]
async fn every_example_is_answered_as_the_document_says() {
    let app = application();
    let document = document(&app).await;
    let mut calls = 0;
    for (method, path, told) in operations(&document) {
        let what = format!("{method} {path}");
        let mut request =
            TestRequest::with_uri(&path.replace("{id}", "basic1")).method(method.parse().unwrap());
        if let Some(content) = told.pointer("/requestBody/content/application~1json") {
            assert_is(&document, &content["schema"], &content["example"], &what);
            request = request.set_json(&content["example"]);
        }
        let reply = app.send(request).await;
        assert_eq!(reply.status, 200, "{what}: {}", reply.body);
        let answer = &told["responses"]["200"];
        let media_type = reply.header("Content-Type").unwrap();
        let content = &answer["content"][media_type];
        assert!(content.is_object(), "{what}: {media_type} is not told");
        assert_is(&document, &content["schema"], &reply.body, &what);
        if let Some(example) = content.get("example") {
            assert_is(&document, &content["schema"], example, &format!("the example of {what}"));
        }
        for (name, header) in answer["headers"].as_object().unwrap() {
            let is_required = header["required"] == true;
            assert!(!is_required || reply.header(name).is_some(), "{what}: {name}");
        }
        for (name, _) in &reply.headers {
            let is_everywhere = ["content-type", "cache-control", "etag", "vary", "referrer-policy"]
                .contains(&name.as_str())
                || name.as_str().starts_with("content-security")
                || name.as_str().starts_with("x-content-type");
            let is_told = answer["headers"]
                .as_object()
                .unwrap()
                .keys()
                .any(|told| told.eq_ignore_ascii_case(name.as_str()));
            assert!(is_told || is_everywhere, "{what}: {name} is not told");
        }
        calls += 1;
    }
    assert!(calls >= 15, "{calls}");
}

#[actix_web::test]
async fn errors_are_what_the_document_says() {
    let app = application();
    let document = document(&app).await;
    let operations = operations(&document);
    let told = |method: &str, path: &str| {
        operations.iter().find(|(other, at, _)| (other.as_str(), at.as_str()) == (method, path)).unwrap().2
    };
    let json = ("Content-Type", "application/json");
    let post = |path: &str, body: &str| {
        TestRequest::post().uri(path).insert_header(json).set_payload(body.to_owned())
    };
    let illegal = r#"{"game": {"moves": ["e2e5"]}}"#;
    let boards = r#"{"GameStatus": 0, "Positions": []}"#;
    let cases = [
        ("POST", "/v1/best-move", 400, post("/v1/best-move", "{")),
        ("POST", "/v1/best-move", 422, post("/v1/best-move", illegal)),
        ("POST", "/v1/best-move", 404, post("/v1/best-move", r#"{"game": {}, "ai": "none"}"#)),
        ("POST", "/v1/best-move", 401, post("/v1/best-move", "{}").insert_header(("X-Client-Id", "nobody"))),
        ("POST", "/v1/validate", 415, TestRequest::post().uri("/v1/validate").set_payload("x")),
        ("POST", "/v1/validate", 413, post("/v1/validate", &" ".repeat(2 << 20))),
        ("POST", "/v1/convert", 422, post("/v1/convert", r#"{"game": {"pgn": "1. e5"}, "to": "fen"}"#)),
        ("GET", "/v1/board.svg", 400, TestRequest::get().uri("/v1/board.svg?size=1")),
        ("GET", "/v1/board.svg", 422, TestRequest::get().uri("/v1/board.svg?fen=x")),
        ("GET", "/v1/ais/{id}", 404, TestRequest::get().uri("/v1/ais/none")),
        ("POST", "/api/BlogChess/BestMove", 400, post("/api/BlogChess/BestMove", boards)),
    ];
    for (method, path, status, request) in cases {
        let what = format!("{method} {path} {status}");
        let reply = app.send(request).await;
        assert_eq!(reply.status, status, "{what}: {}", reply.body);
        let response = &told(method, path)["responses"][status.to_string()];
        let content = &response["content"]["application/problem+json"];
        assert_is(&document, &content["schema"], &reply.body, &what);
        assert!(content["examples"].get(reply.code()).is_some(), "{what}: {} is not told", reply.code());
        for (name, header) in response["headers"].as_object().unwrap() {
            assert!(header["required"] != true || reply.header(name).is_some(), "{what}: {name}");
        }
    }
    // Every example of an error is one.
    for (method, path, told) in &operations {
        for (status, response) in told["responses"].as_object().unwrap() {
            let examples = response.pointer("/content/application~1problem+json/examples");
            for (code, example) in examples.and_then(Value::as_object).into_iter().flatten() {
                let schema = json!({"$ref": "#/components/schemas/Problem"});
                assert_is(&document, &schema, &example["value"], &format!("{method} {path} {status} {code}"));
                assert_eq!(example["value"]["status"].to_string(), *status);
            }
        }
    }
}

#[actix_web::test]
async fn every_reference_of_the_document_leads_somewhere() {
    let app = application();
    let document = document(&app).await;
    let text = document.to_string();
    let references: BTreeSet<_> =
        text.split("\"#/components/schemas/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(references.len() > 20, "{references:?}");
    for name in references {
        assert!(document["components"]["schemas"].get(name).is_some(), "{name}");
    }
}

#[actix_web::test]
async fn the_page_of_the_document_needs_nothing_from_elsewhere() {
    let app = application();
    for (path, media_type) in [
        ("/docs", "text/html; charset=utf-8"),
        ("/docs/docs.js", "text/javascript; charset=utf-8"),
        ("/docs/docs.css", "text/css; charset=utf-8"),
        ("/docs/palette.css", "text/css; charset=utf-8"),
    ] {
        let reply = app.get(path).await;
        assert_eq!((reply.status, reply.header("Content-Type")), (200, Some(media_type)), "{path}");
        assert!(reply.header("Content-Security-Policy").unwrap().starts_with("default-src 'self'"));
        let text = reply.body.as_str().unwrap();
        assert!(!text.contains("://"), "{path}");
        assert!(!text.contains("innerHTML"), "{path}");
    }
    assert_eq!(app.get("/docs/other.js").await.status, 404);
}
