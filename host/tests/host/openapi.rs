//! The API document: its routes, schemas, examples and errors.

mod generated_code;

use std::collections::BTreeSet;

use actix_web::test::TestRequest;
use ai_api::Color;
use pool::Activity;
use serde_json::{Value, json};
use tournament::GameResult;

use crate::support::{
    ADMIN_KEY, Application, administrator,
    arena::{self, ArenaFile, fault},
    tablebases, with_ais,
};

/// An application with the kept request that an example asks for.
pub(crate) async fn application() -> Application {
    let levels = "[level.five]\nname = \"Level 5\"\nai = \"basic1\"\nelo = 1550\nelo_error = \
                  60\nscale = \"CCRL Blitz\"\nlimit.depth = 3\n[level.one]\nname = \"Level \
                  1\"\nai = \"basic1\"\nelo = 1050\nlimit.depth = 1\noptions.quiescence = \
                  false\n";
    let basic1 = (
        "basic1",
        "ai_basic1",
        "overridable_options = [\"quiescence\"]\ncandidate = \"basic2\"",
    );
    let candidate = ("basic2", "ai_basic1", "");
    let kept = administrator("basic1") + "[server]\nreplay_kb = 64\ncache = \"off\"\n";
    let players = "[arena]\nplayers = [\"basic1\", \"basic1,depth=1\"]\n";
    let file = with_ais(
        &[basic1, candidate],
        &(tablebases() + levels + &kept + players),
    );
    let games = ArenaFile::new(&file);
    games.add_pair(
        [0, 1],
        [GameResult::Win, GameResult::Loss],
        Some(fault(Color::White)),
    );
    games.rest(1);
    drop(games);
    let app = Application::of(&file)
        .with_arena(arena::start(&file, &Activity::default()).await)
        .with_rollouts(None, &Activity::default());
    let body = json!({"game": {"moves": ["e2e4"]}, "limit": {"depth": 2}});
    app.post_with(&[("X-Request-Id", "trace-7")], "/v1/best-move", &body)
        .await
        .ok();
    app
}

pub(crate) async fn document(app: &Application) -> Value {
    let reply = app.get("/openapi.json").await;
    assert_eq!(
        (reply.status, reply.header("Content-Type")),
        (200, Some("application/json"))
    );
    reply.body
}

/// Returns the operations whose examples can be sent, with their methods and paths. The ids of
/// matches vary, so `calls::matches` compares their replies.
fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let mut operations = every_operation(document);
    operations.retain(|(_, path, _)| !path.starts_with("/v1/matches"));
    operations
}

fn every_operation(document: &Value) -> Vec<(String, String, &Value)> {
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, documented) in item.as_object().unwrap() {
            operations.push((method.to_uppercase(), path.clone(), documented));
        }
    }
    operations
}

#[actix_web::test]
async fn answers_every_documented_call() {
    let app = application().await;
    let document = document(&app).await;
    assert_eq!(document["openapi"], "3.1.0");
    let documented: BTreeSet<_> = operations(&document)
        .into_iter()
        .map(|(method, path, _)| (method, path))
        .collect();
    assert!(documented.len() >= 15, "{documented:?}");
    for (method, path) in documented {
        let reply = app.send(request_of(&method, &path, &Value::Null)).await;
        assert!(
            ![404, 405].contains(&reply.status),
            "{method} {path}: {}",
            reply.status
        );
    }
}

#[actix_web::test]
async fn no_enumeration_repeats_a_value() {
    fn visit(value: &Value, seen: &mut usize) {
        if let Some(words) = value.get("enum").and_then(Value::as_array) {
            let different: BTreeSet<_> = words.iter().map(Value::to_string).collect();
            assert_eq!(different.len(), words.len(), "{words:?}");
            *seen += 1;
        }
        match value {
            Value::Object(fields) => fields.values().for_each(|field| visit(field, seen)),
            Value::Array(items) => items.iter().for_each(|item| visit(item, seen)),
            _ => {}
        }
    }
    let mut seen = 0;
    visit(
        &document(&application().await).await["components"]["schemas"],
        &mut seen,
    );
    assert!(seen >= 20, "only {seen}");
}

#[actix_web::test]
async fn a_parameter_is_as_strict_as_the_field_of_the_form() {
    let document = document(&application().await).await;
    let mut compared = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        let form = &item["post"]["requestBody"]["content"]["application/json"]["schema"];
        let Some(name) = form["$ref"]
            .as_str()
            .and_then(|name| name.strip_prefix('#'))
        else {
            continue;
        };
        let fields = &document.pointer(name).unwrap()["properties"];
        for parameter in item["get"]["parameters"].as_array().into_iter().flatten() {
            if let Some(pattern) = fields[parameter["name"].as_str().unwrap()].get("pattern") {
                assert_eq!(
                    parameter["schema"].get("pattern"),
                    Some(pattern),
                    "{path}: {parameter}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 0);
}

/// Panics if a value does not match a schema of the document.
#[track_caller]
fn assert_is(document: &Value, schema: &Value, value: &Value, what: &str) {
    let mut whole = schema.clone();
    whole["components"] = document["components"].clone();
    let validator =
        jsonschema::validator_for(&whole).unwrap_or_else(|error| panic!("{what}: {error}"));
    let wrong: Vec<_> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(wrong.is_empty(), "{what}: {wrong:#?}\n{value}");
}

/// Fields that vary between runs, machines and versions.
const VARIES: [&str; 15] = [
    "sides",
    "refusals",
    "time",
    "time_ms",
    "nodes",
    "nps",
    "version",
    "sha256",
    "fingerprint",
    "sandbox",
    "options",
    "since",
    "finished",
    "rejected",
    "ai_seconds",
];

/// Panics if a reply differs from its example, apart from fields that vary. The example in the
/// `OpenAPI` document shows only part of the reply.
#[track_caller]
fn assert_like(example: &Value, answer: &Value, what: &str) {
    match (example, answer) {
        (Value::Object(documented), Value::Object(found)) => {
            assert!(
                documented.keys().all(|key| found.contains_key(key)),
                "{what}: {found:?}"
            );
            assert!(
                documented.contains_key("openapi") || documented.len() == found.len(),
                "{what}: {found:?}"
            );
            for (key, documented) in documented
                .iter()
                .filter(|(key, _)| !VARIES.contains(&key.as_str()))
            {
                assert_like(documented, &found[key], &format!("{what}/{key}"));
            }
        }
        (Value::Array(documented), Value::Array(found)) => {
            assert_eq!(documented.len(), found.len(), "{what}: {answer}");
            documented
                .iter()
                .zip(found)
                .for_each(|(documented, found)| assert_like(documented, found, what));
        }
        (Value::String(text), Value::String(found)) if text.contains(['\n', '…']) => {
            for line in text.lines() {
                assert!(
                    found.contains(line.trim_end_matches('…')),
                    "{what}: {line}: {found}"
                );
            }
        }
        _ => assert_eq!(example, answer, "{what}"),
    }
}

/// The request id in the error examples.
const REQUEST_ID: &str = "a1bca2b2-6faa-47a7-b93d-d2d56e10febc";

fn request_of(method: &str, path: &str, documented: &Value) -> TestRequest {
    let id = if path.contains("/arena/") {
        "1"
    } else {
        "basic1"
    };
    let path = path.replace("{id}", id).replace("{request_id}", "trace-7");
    let parameters = documented["parameters"].as_array().into_iter().flatten();
    let examples = parameters
        .filter(|parameter| parameter["in"] == "query" && !parameter["example"].is_null());
    let query = examples.map(|parameter| {
        let example = parameter["example"]
            .to_string()
            .replace('"', "")
            .replace(' ', "%20");
        format!("{}={example}", parameter["name"].as_str().unwrap())
    });
    let query = query.collect::<Vec<_>>().join("&");
    let request = TestRequest::with_uri(&format!("{path}?{query}"))
        .method(method.parse().unwrap())
        .insert_header(("X-Request-Id", REQUEST_ID));
    let is_for_admins = [
        "/requests/",
        "/clients",
        "/pause",
        "/resume",
        "/rate-now",
        "/rollouts",
    ]
    .iter()
    .any(|part| path.contains(part));
    let request = if is_for_admins {
        request.insert_header(("Authorization", format!("Bearer {ADMIN_KEY}")))
    } else {
        request
    };
    match documented.pointer("/requestBody/content/application~1json") {
        Some(content) => request.set_json(&content["example"]),
        None => request,
    }
}

#[actix_web::test]
async fn every_example_returns_the_documented_reply() {
    let app = application().await;
    let document = document(&app).await;
    let mut calls = 0;
    for (method, path, documented) in operations(&document) {
        let what = format!("{method} {path}");
        if let Some(content) = documented.pointer("/requestBody/content/application~1json") {
            assert_is(&document, &content["schema"], &content["example"], &what);
        }
        // Sending a request checks the reply against its schema.
        let reply = app.send(request_of(&method, &path, documented)).await;
        assert_eq!(reply.status, 200, "{what}: {}", reply.body);
        let content =
            &documented["responses"]["200"]["content"][reply.header("Content-Type").unwrap()];
        assert_is(
            &document,
            &content["schema"],
            &content["example"],
            &format!("the example of {what}"),
        );
        assert_like(&content["example"], &reply.body, &what);
        calls += 1;
    }
    assert!(calls >= 19, "{calls}");
}

#[actix_web::test]
async fn every_stream_returns_the_documented_records() {
    let app = application().await;
    let document = document(&app).await;
    let mut streams = 0;
    for (method, path, documented) in operations(&document) {
        for (media_type, content) in documented["responses"]["200"]["content"]
            .as_object()
            .unwrap()
        {
            // The arena's stream never ends. `calls::arena` reads it.
            if !["application/x-ndjson", "text/event-stream"].contains(&media_type.as_str())
                || path == "/v1/arena/live"
            {
                continue;
            }
            let what = format!("{method} {path} {media_type}");
            let examples = content["examples"].as_object().unwrap();
            for example in examples.values() {
                assert_is(&document, &content["schema"], &example["value"], &what);
            }
            let request = request_of(&method, &path, documented)
                .insert_header(("Accept", media_type.as_str()));
            let reply = app.send(request).await;
            assert_eq!(
                (reply.status, reply.header("Content-Type")),
                (200, Some(media_type.as_str()))
            );
            let lines = reply.body.as_str().unwrap().lines();
            let data = lines.map(|line| line.strip_prefix("data: ").unwrap_or(line));
            let records: Vec<Value> = data
                .filter(|line| line.starts_with('{'))
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            for (kind, example) in examples {
                let example = &example["value"];
                assert_eq!(example["type"], *kind, "{what}");
                let is_it =
                    |record: &&Value| record["type"] == *kind && record["ply"] == example["ply"];
                // Progress records depend on timing.
                let may_be_missing = ["info", "heartbeat", "error"].contains(&kind.as_str());
                match records.iter().find(is_it) {
                    Some(record) if kind != "info" => {
                        assert_like(example, record, &format!("{what} {kind}"));
                    }
                    record => assert!(
                        record.is_some() || may_be_missing,
                        "{what}: no {kind} in {records:?}"
                    ),
                }
            }
            let name = content["schema"]["$ref"]
                .as_str()
                .unwrap()
                .trim_start_matches('#');
            let mapping = document.pointer(name).unwrap()["discriminator"]["mapping"]
                .as_object()
                .unwrap();
            let kinds: Vec<_> = records
                .iter()
                .map(|record| record["type"].as_str().unwrap())
                .collect();
            assert!(
                kinds.iter().all(|kind| mapping.contains_key(*kind)),
                "{what}: {kinds:?}"
            );
            streams += 1;
        }
    }
    assert_eq!(streams, 12);
}

#[actix_web::test]
async fn every_example_matches_its_schema() {
    let document = document(&application().await).await;
    let mut examples = 0;
    for (method, path, documented) in every_operation(&document) {
        let request = documented.pointer("/requestBody/content/application~1json");
        let replies = documented["responses"].as_object().unwrap().values();
        let contents = replies
            .filter_map(|reply| reply["content"].as_object())
            .flat_map(|content| content.values());
        for content in request.into_iter().chain(contents) {
            let shown = content["examples"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(_, example)| &example["value"]);
            for example in content.get("example").into_iter().chain(shown) {
                assert_is(
                    &document,
                    &content["schema"],
                    example,
                    &format!("an example of {method} {path}"),
                );
                examples += 1;
            }
        }
    }
    assert!(examples > 100, "{examples}");
}

#[actix_web::test]
async fn documented_etags_return_304() {
    let app = application().await;
    let document = document(&app).await;
    let mut tagged = 0;
    for (method, path, documented) in operations(&document) {
        let parameters = documented["parameters"].as_array().unwrap();
        if !parameters
            .iter()
            .any(|parameter| parameter["name"] == "If-None-Match")
        {
            assert!(documented["responses"].get("304").is_none(), "{path}");
            continue;
        }
        let first = app.send(request_of(&method, &path, documented)).await;
        let tag = first.header("ETag").unwrap().to_owned();
        let again = request_of(&method, &path, documented).insert_header(("If-None-Match", tag));
        assert_eq!(app.send(again).await.status, 304, "{path}");
        tagged += 1;
    }
    assert_eq!(tagged, 11);
}

#[actix_web::test]
async fn the_document_is_compressed_and_revalidated() {
    let app = application().await;
    let plain = app.get("/openapi.json").await;
    assert_eq!(
        (plain.header("Cache-Control"), plain.header("Vary")),
        (Some("no-cache"), Some("Accept-Encoding"))
    );
    let get = || {
        TestRequest::get()
            .uri("/openapi.json")
            .insert_header(("Accept-Encoding", "gzip"))
    };
    let small = app.send(get()).await;
    assert_eq!(
        (small.status, small.header("Content-Encoding")),
        (200, Some("gzip"))
    );
    let tag = small.header("ETag").unwrap();
    assert_ne!(Some(tag), plain.header("ETag"));
    let again = app.send(get().insert_header(("If-None-Match", tag))).await;
    assert_eq!((again.status, again.header("ETag")), (304, Some(tag)));
    assert_eq!(small.body, plain.body);
}

#[actix_web::test]
async fn every_example_of_an_error_is_a_problem() {
    let app = application().await;
    let document = document(&app).await;
    for (method, path, documented) in operations(&document) {
        for (status, response) in documented["responses"].as_object().unwrap() {
            let examples = response.pointer("/content/application~1problem+json/examples");
            for (code, example) in examples.and_then(Value::as_object).into_iter().flatten() {
                let schema = json!({"$ref": "#/components/schemas/Problem"});
                assert_is(
                    &document,
                    &schema,
                    &example["value"],
                    &format!("{method} {path} {status} {code}"),
                );
                assert_eq!(example["value"]["status"].to_string(), *status);
            }
        }
    }
}

#[actix_web::test]
async fn every_reference_resolves() {
    let app = application().await;
    let document = document(&app).await;
    let text = document.to_string();
    let references: BTreeSet<_> = text
        .split("\"#/components/schemas/")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert!(references.len() > 20, "{references:?}");
    for name in references {
        assert!(
            document["components"]["schemas"].get(name).is_some(),
            "{name}"
        );
    }
}

#[actix_web::test]
async fn the_docs_page_loads_nothing_external() {
    let app = application().await;
    for (path, media_type) in [
        ("/docs", "text/html; charset=utf-8"),
        ("/docs/docs.js", "text/javascript; charset=utf-8"),
        ("/docs/docs.css", "text/css; charset=utf-8"),
        ("/docs/palette.css", "text/css; charset=utf-8"),
    ] {
        let reply = app.get(path).await;
        assert_eq!(
            (reply.status, reply.header("Content-Type")),
            (200, Some(media_type)),
            "{path}"
        );
        assert!(
            reply
                .header("Content-Security-Policy")
                .unwrap()
                .starts_with("default-src 'self'")
        );
        let text = reply.body.as_str().unwrap();
        assert!(!text.contains("://"), "{path}");
        assert!(!text.contains("innerHTML"), "{path}");
    }
    assert_eq!(app.get("/docs/other.js").await.status, 404);
}
