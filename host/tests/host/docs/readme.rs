//! The calls, links and tables in the README and `docs`.

use std::{fs, path::Path};

use actix_web::{http::Method, test::TestRequest};
use serde_json::Value;

use crate::support::{Application, ConfigFile, directories, records};

const README: &str = include_str!("../../../../README.md");
const HTTP_API: &str = include_str!("../../../../docs/http-api.md");
/// Each document with the folder of its links.
const DOCUMENTS: [(&str, &str); 9] = [
    (".", README),
    (".", include_str!("../../../../ARCHITECTURE.md")),
    ("docs", HTTP_API),
    ("docs", include_str!("../../../../docs/operations.md")),
    ("docs", include_str!("../../../../docs/blogchess.md")),
    ("docs", include_str!("../../../../docs/matches-and-uci.md")),
    ("docs", include_str!("../../../../docs/calling.md")),
    ("docs", include_str!("../../../../docs/security.md")),
    ("docs", include_str!("../../../../docs/writing-an-ai.md")),
];
const CONFIGURATION: &str = include_str!("../../../../config/rookery.toml");

/// A `curl` command and the printed reply.
struct Example {
    command: String,
    answer: Vec<Value>,
}

fn examples() -> Vec<Example> {
    let texts = DOCUMENTS.iter().flat_map(|(_, text)| text.split("```console\n$ curl ").skip(1));
    let blocks = texts.map(|rest| rest.split_once("\n```").unwrap().0);
    let example = |block: &str| {
        let block = block.replace(" \\\n    ", " ");
        let (command, answer) = block.split_once('\n').unwrap();
        // A stream prints several values.
        let answer = serde_json::Deserializer::from_str(answer).into_iter().collect::<Result<_, _>>();
        Example { command: command.to_owned(), answer: answer.unwrap() }
    };
    blocks.map(example).collect()
}

/// The words of a command line, with single quotes.
fn words(command: &str) -> Vec<String> {
    let split_unquoted = |(index, part): (usize, &str)| -> Vec<String> {
        if index % 2 == 1 {
            vec![part.to_owned()]
        } else {
            part.split_whitespace().map(str::to_owned).collect()
        }
    };
    command.split('\'').enumerate().flat_map(split_unquoted).collect()
}

/// The request of a `curl` command.
fn request(command: &str) -> TestRequest {
    let words = words(command);
    let mut request = TestRequest::default();
    let mut arguments = words.iter();
    while let Some(argument) = arguments.next() {
        request = match argument.as_str() {
            "-s" | "-sN" => request,
            "-H" => request.insert_header(arguments.next().unwrap().split_once(": ").unwrap()),
            "-d" => request.method(Method::POST).set_payload(arguments.next().unwrap().clone()),
            url => request.uri(url.strip_prefix("localhost:8080").expect("an option that is not known here")),
        };
    }
    request
}

/// Removes the fields that vary.
fn without_variable_fields(mut value: Value) -> Value {
    let pointers = [
        "/search/time_ms",
        "/request_id",
        "/library/sha256",
        "/0/library/sha256",
        "/1/library/sha256",
        "/2/library/sha256",
        "/nps",
        // Depends on the machine.
        "/sandbox/cgroup",
        "/0/sandbox/cgroup",
        "/1/sandbox/cgroup",
        "/2/sandbox/cgroup",
        "/answers/0/search/time_ms",
        "/answers/1/search/time_ms",
        "/time_ms",
    ];
    for pointer in pointers {
        if let Some(found) = value.pointer_mut(pointer) {
            *found = Value::Null;
        }
    }
    value
}

#[actix_web::test]
async fn every_documented_call_returns_the_printed_reply() {
    // The shipped configuration with other plugin directories.
    let own = CONFIGURATION.replace("[\"../target/release\"]", &directories());
    assert_ne!(own, CONFIGURATION);
    let app = Application::of(&ConfigFile::verbatim(&own));
    let examples = examples();
    assert!(examples.len() >= 14, "{} examples", examples.len());
    for Example { command, answer } in examples {
        let reply = app.send(request(&command)).await;
        let found = match reply.header("Content-Type") {
            Some("application/x-ndjson") => records(reply.body.as_str().unwrap()),
            _ => vec![reply.body],
        };
        // Progress records depend on the time.
        let without_variable_fields = |mut values: Vec<Value>| {
            values.retain(|value| value["type"] != "info");
            values.into_iter().map(without_variable_fields).collect::<Vec<_>>()
        };
        assert_eq!(without_variable_fields(found), without_variable_fields(answer), "{command}");
    }
}

#[test]
fn every_link_leads_to_a_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for (folder, text) in DOCUMENTS {
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links.filter(|link| !link.contains("://")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let path = root.join(folder).join(file);
            assert!(path.exists(), "{link}");
            if !heading.is_empty() {
                let target =
                    if file.is_empty() { text.to_owned() } else { fs::read_to_string(path).unwrap() };
                let mut anchors = target.lines().filter(|line| line.starts_with('#')).map(anchor);
                assert!(anchors.any(|anchor| anchor == heading), "{link}");
            }
        }
    }
}

/// The anchor of a heading on GitHub.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|&c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn every_source_file_that_the_architecture_names_exists() {
    let host = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names: Vec<_> = DOCUMENTS[1]
        .1
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "rs"))
        .collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names.iter().filter(|name| name.contains('/') && !name.contains('{')) {
        let folders = [host.join("src"), host.join(".."), host.join("tests/host")];
        assert!(folders.iter().any(|folder| folder.join(name).exists()), "{name}");
    }
}

#[test]
fn the_readme_has_at_most_150_lines() {
    assert!(README.lines().count() <= 150, "{} lines", README.lines().count());
}

#[test]
fn every_error_code_is_documented() {
    let table = include_str!("../../../src/http/problem.rs");
    let codes: Vec<_> = table.split("(\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let codes: Vec<_> =
        codes.into_iter().filter(|code| code.chars().all(|c| c.is_ascii_lowercase() || c == '_')).collect();
    assert!(codes.len() >= 18, "{codes:?}");
    for code in codes {
        assert!(HTTP_API.contains(&format!("`{code}`")), "{code}");
    }
}
