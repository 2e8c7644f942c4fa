//! Checks every reply in every test against the API document.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::support::{catalog, disclosure::check_reply};

const REFERENCE: &str = "#/components/schemas/";
/// The suffix of a schema that allows further fields.
const OPEN: &str = ".open";

/// The server's API document.
static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(catalog().document()).expect("the document is JSON"));

/// The document's schemas without further fields, and a second version of each for use as part of
/// another schema.
static SCHEMAS: LazyLock<Value> = LazyLock::new(|| {
    let schemas = DOCUMENT["components"]["schemas"].as_object().unwrap();
    let both = schemas.iter().flat_map(|(name, schema)| {
        [
            (name.clone(), closed(schema)),
            (format!("{name}{OPEN}"), as_part(schema)),
        ]
    });
    Value::Object(both.collect())
});

/// The headers of every reply, which the document describes once.
const SECURITY: [&str; 6] = [
    "content-security-policy",
    "x-content-type-options",
    "x-frame-options",
    "referrer-policy",
    "cross-origin-resource-policy",
    "cross-origin-opener-policy",
];

/// HTTP and CORS headers that the document does not describe.
const OTHER_HEADERS: [&str; 7] = [
    "content-type",
    "content-encoding",
    "content-length",
    "date",
    "transfer-encoding",
    "connection",
    "vary",
];

/// A reply to check.
pub(crate) struct Answer<'a> {
    pub(crate) method: &'a str,
    /// The path with its query.
    pub(crate) path: &'a str,
    pub(crate) status: u16,
    /// The headers, with lower-case names.
    pub(crate) headers: &'a [(String, String)],
    pub(crate) body: &'a [u8],
}

impl Answer<'_> {
    /// Panics if the document does not describe this reply.
    #[track_caller]
    pub(crate) fn check(&self) {
        let what = format!("{} {} {}", self.method, self.path, self.status);
        for name in SECURITY.into_iter().chain(["cache-control"]) {
            assert!(
                self.header(name).is_some(),
                "{what}: the header {name} is missing"
            );
        }
        check_reply(&what, self.body);
        let Some(operation) = self.operation() else {
            if self.status >= 400 && self.method != "HEAD" && !self.body.is_empty() {
                check_value(
                    &json!({"$ref": format!("{REFERENCE}Problem")}),
                    &self.json(&what),
                    "Problem",
                    &what,
                );
            }
            return;
        };
        let response = &operation["responses"][self.status.to_string()];
        assert!(
            response.is_object(),
            "{what}: the document does not describe this status\n{}",
            self.text()
        );
        let documented = response["headers"].as_object().unwrap();
        for (name, header) in documented {
            let is_present = self.header(&name.to_ascii_lowercase()).is_some();
            assert!(
                is_present || header["required"] != true,
                "{what}: the header {name} is missing"
            );
        }
        for (name, _) in self.headers {
            let is_documented = documented
                .keys()
                .any(|documented| documented.eq_ignore_ascii_case(name));
            let is_other = OTHER_HEADERS.contains(&name.as_str())
                || SECURITY.contains(&name.as_str())
                || name == "strict-transport-security"
                || name.starts_with("access-control-");
            assert!(
                is_documented || is_other,
                "{what}: the header {name} is not documented"
            );
        }
        if self.method == "HEAD" || self.body.is_empty() {
            return;
        }
        let media_type = self.header("content-type").unwrap_or_default();
        let content = &response["content"][media_type];
        assert!(
            content.is_object(),
            "{what}: {media_type} is not documented"
        );
        let key = format!("{} {} {media_type}", operation["operationId"], self.status);
        match media_type {
            "application/x-ndjson" => {
                self.text()
                    .lines()
                    .for_each(|line| check_record(&content["schema"], line, &key, &what));
            }
            "text/event-stream" => {
                for event in self.text().split_terminator("\n\n") {
                    let data = event
                        .split_once("\ndata: ")
                        .unwrap_or_else(|| panic!("{what}: {event}"))
                        .1;
                    check_record(&content["schema"], data, &key, &what);
                }
            }
            "application/problem+json" => {
                let problem = self.json(&what);
                let code = problem["code"].as_str().unwrap().to_owned();
                assert!(
                    content["examples"].get(&code).is_some(),
                    "{what}: the code {code} is not documented"
                );
                check_value(&content["schema"], &problem, &key, &what);
            }
            "application/json" => check_value(&content["schema"], &self.json(&what), &key, &what),
            _ => assert_eq!(content["schema"], json!({"type": "string"}), "{what}"),
        }
    }

    /// Returns the document's operation for this request.
    fn operation(&self) -> Option<&'static Value> {
        let path = self.path.split('?').next().unwrap_or_default();
        let is_at = |template: &str| {
            let parts = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
            let (template, path) = (parts(template), parts(path));
            template.len() == path.len()
                && template.iter().zip(&path).all(|(documented, found)| {
                    documented == found || (documented.starts_with('{') && !found.is_empty())
                })
        };
        let (_, item) = DOCUMENT["paths"]
            .as_object()?
            .iter()
            .find(|(template, _)| is_at(template))?;
        let method = if self.method == "HEAD" {
            "GET"
        } else {
            self.method
        };
        // The document has lower-case methods.
        let documented = item
            .as_object()?
            .iter()
            .find(|(documented, _)| documented.to_ascii_uppercase() == method);
        documented.map(|(_, operation)| operation)
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(found, _)| found == name)
            .map(|(_, value)| value.as_str())
    }

    fn text(&self) -> &str {
        std::str::from_utf8(self.body).unwrap()
    }

    fn json(&self, what: &str) -> Value {
        serde_json::from_slice(self.body)
            .unwrap_or_else(|error| panic!("{what}: {error}: {}", self.text()))
    }
}

/// Panics if the document does not describe this stream record.
#[track_caller]
pub(crate) fn check_stream_record(path: &str, record: &Value) {
    let content =
        &DOCUMENT["paths"][path]["post"]["responses"]["200"]["content"]["application/x-ndjson"];
    check_value(
        &content["schema"],
        record,
        &format!("a record of {path}"),
        path,
    );
}

#[track_caller]
fn check_record(schema: &Value, text: &str, key: &str, what: &str) {
    let record =
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{what}: {error}: {text}"));
    check_value(schema, &record, key, what);
}

/// Panics if a value does not match a schema. The validator is cached under `key`.
#[track_caller]
fn check_value(schema: &Value, value: &Value, key: &str, what: &str) {
    static USED: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);
    let validator = {
        let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(
            used.entry(key.to_owned())
                .or_insert_with(|| Arc::new(validator(schema))),
        )
    };
    let wrong: Vec<_> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(wrong.is_empty(), "{what}: {wrong:#?}\n{value}");
}

fn validator(schema: &Value) -> Validator {
    let mut whole = closed(schema);
    whole["components"] = json!({"schemas": *SCHEMAS});
    jsonschema::draft202012::new(&whole).unwrap_or_else(|error| panic!("{error}: {schema}"))
}

/// Returns the schema with further fields forbidden.
fn closed(schema: &Value) -> Value {
    let mut closed = as_part(schema);
    if let Some(reference) = schema["$ref"].as_str() {
        closed["$ref"] = reference.into();
        return closed;
    }
    let declares_fields = ["properties", "allOf", "anyOf", "oneOf"]
        .iter()
        .any(|key| closed.get(key).is_some());
    if declares_fields && closed.get("additionalProperties").is_none() {
        closed["unevaluatedProperties"] = false.into();
    }
    closed
}

/// Returns the schema for use as part of another schema.
fn as_part(schema: &Value) -> Value {
    let Value::Object(keywords) = schema else {
        return schema.clone();
    };
    let keyword = |(key, value): (&String, &Value)| {
        let value = match (key.as_str(), value) {
            ("$ref", Value::String(reference)) => format!("{reference}{OPEN}").into(),
            ("properties", Value::Object(fields)) => {
                let field = |(name, schema): (&String, &Value)| (name.clone(), closed(schema));
                Value::Object(fields.iter().map(field).collect())
            }
            ("items" | "additionalProperties", schema) => closed(schema),
            ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => {
                parts.iter().map(as_part).collect()
            }
            _ => value.clone(),
        };
        (key.clone(), value)
    };
    Value::Object(keywords.iter().map(keyword).collect::<Map<_, _>>())
}

#[test]
fn detects_replies_that_the_document_does_not_describe() {
    let start = json!({
        "type": "start",
        "ai": {
            "id": "x",
            "name": "X",
            "version": "1",
        },
        "limit": {"depth": 1},
        "game": {
            "fen": "x",
            "start_fen": "x",
            "moves": [],
            "status": {
                "state": "in_progress",
                "winner": null,
                "reason": null,
                "turn": "white",
                "check": false,
                "claims": [],
            },
        },
    });
    check_stream_record("/v1/best-move", &start);
    for (pointer, field, value) in [
        ("", "type", json!("begin")),
        ("", "type", json!("judged")),
        ("", "more", json!(1)),
        ("/ai", "more", json!(1)),
        ("/game/status", "turn", json!("red")),
        ("/game/status", "winner", json!("red")),
        ("/game/status", "more", json!(null)),
        ("/limit", "depth", json!("1")),
    ] {
        let mut other = start.clone();
        other.pointer_mut(pointer).unwrap()[field] = value;
        let noticed = std::panic::catch_unwind(|| check_stream_record("/v1/best-move", &other));
        assert!(noticed.is_err(), "{other}");
    }
    let answer = |status: u16, body: Value| {
        let documented = [
            ("content-type", "application/json"),
            ("x-request-id", "x"),
            ("cache-control", "no-store"),
        ];
        let headers = documented
            .into_iter()
            .chain(SECURITY.map(|name| (name, "x")));
        let headers: Vec<_> = headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let body = body.to_string();
        let answer = Answer {
            method: "GET",
            path: "/healthz",
            status,
            headers: &headers,
            body: body.as_bytes(),
        };
        std::panic::catch_unwind(|| answer.check()).is_ok()
    };
    assert!(answer(200, json!({"status": "alive"})));
    assert!(!answer(200, json!({"status": "dead"})));
    assert!(!answer(200, json!({"status": "alive", "more": 1})));
    assert!(!answer(418, json!({"status": "alive"})));
}
