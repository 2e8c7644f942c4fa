//! The README is true: each of its calls gets the answer that is printed there.

use std::path::Path;

use actix_web::{http::Method, test::TestRequest};
use serde_json::Value;

use crate::support::{Application, ConfigFile, directories, records};

const README: &str = include_str!("../../../README.md");
const CONFIGURATION: &str = include_str!("../../../config/rookery.toml");

/// A `curl` of the README, and the answer below it.
struct Example {
    command: String,
    answer: Vec<Value>,
}

fn examples() -> Vec<Example> {
    let blocks = README.split("```console\n$ curl ").skip(1).map(|rest| rest.split_once("\n```").unwrap().0);
    let example = |block: &str| {
        let block = block.replace(" \\\n    ", " ");
        let (command, answer) = block.split_once('\n').unwrap();
        // A stream is several values.
        let answer = serde_json::Deserializer::from_str(answer).into_iter().collect::<Result<_, _>>();
        Example { command: command.to_owned(), answer: answer.unwrap() }
    };
    blocks.map(example).collect()
}

/// The words of a command line; what stands in single quotes is one.
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

/// The request that `curl` would send.
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

/// What differs from run to run or from build to build.
fn without_chance(mut value: Value) -> Value {
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
async fn every_call_of_the_readme_gets_the_answer_that_is_printed_there() {
    // The shipped configuration; only where its libraries are built differs.
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
        // Whether there is time to tell of a thought is chance.
        let without_chance = |mut values: Vec<Value>| {
            values.retain(|value| value["type"] != "info");
            values.into_iter().map(without_chance).collect::<Vec<_>>()
        };
        assert_eq!(without_chance(found), without_chance(answer), "{command}");
    }
}

#[test]
fn every_file_that_the_readme_links_to_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let links: Vec<_> = README.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert!(links.len() > 5);
    for link in links.iter().filter(|link| !link.contains("://")) {
        assert!(root.join(link).exists(), "{link}");
    }
}

#[test]
fn every_error_code_stands_in_the_readme() {
    let table = include_str!("../../src/http/problem.rs");
    let codes: Vec<_> = table.split("(\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let codes: Vec<_> =
        codes.into_iter().filter(|code| code.chars().all(|c| c.is_ascii_lowercase() || c == '_')).collect();
    assert!(codes.len() >= 18, "{codes:?}");
    for code in codes {
        assert!(README.contains(&format!("`{code}`")), "{code}");
    }
}
