//! The documents are correct: each documented call gets the printed reply, links lead to files and
//! headings, and the book contains every page.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use actix_web::{http::Method, test::TestRequest};
use serde_json::Value;

use crate::{
    compatibility,
    support::{Application, catalog, records, shipped},
};

const README: &str = include_str!("../../../../README.md");
const HTTP_API: &str = include_str!("../../../../docs/http-api.md");
/// The documents outside `docs`, and the notes for developers, which are not pages of the book.
const OTHERS: [&str; 15] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "docs/lab/engines.md",
    "docs/lab/nnue1.md",
    "docs/lab/performance.md",
    "ai-api/README.md",
    "sdk/attacks/README.md",
    "sdk/book/README.md",
    "sdk/python/README.md",
    "sdk/search/README.md",
    "host/crates/formats/openings/README.md",
    "host/crates/rules/README.md",
];

struct Document {
    path: PathBuf,
    text: String,
}

pub(super) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Returns the names of the pages in `docs`, sorted.
fn pages() -> Vec<String> {
    let files = fs::read_dir(root().join("docs")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut pages: Vec<_> = names
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == "md"))
        .collect();
    pages.sort();
    pages
}

fn documents() -> Vec<Document> {
    let pages = pages().into_iter().map(|page| format!("docs/{page}"));
    let paths = OTHERS
        .into_iter()
        .map(str::to_owned)
        .chain(pages)
        .map(|path| root().join(path));
    paths
        .map(|path| Document {
            text: fs::read_to_string(&path).unwrap(),
            path,
        })
        .collect()
}

/// Returns the targets of a document's links to other files and to headings.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let links = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    links.filter(|link| !link.contains("://"))
}

/// A documented `curl` call and its printed reply.
struct Example {
    command: String,
    reply: Vec<Value>,
}

fn examples() -> Vec<Example> {
    let example = |block: &str| {
        let block = block.replace(" \\\n    ", " ");
        let (command, reply) = block.split_once('\n').unwrap();
        // A folded object has a field "…".
        let reply = reply.replace(", …", r#", "…": null"#);
        // A stream contains several values.
        let reply = serde_json::Deserializer::from_str(&reply)
            .into_iter()
            .collect::<Result<_, _>>();
        Example {
            command: command.to_owned(),
            reply: reply.unwrap(),
        }
    };
    let examples = documents().into_iter().flat_map(|Document { text, .. }| {
        let blocks = text
            .split("```console\n$ curl ")
            .skip(1)
            .map(|rest| rest.split_once("\n```").unwrap().0);
        blocks.map(example).collect::<Vec<_>>()
    });
    examples.collect()
}

/// Splits a command line into words; text in single quotes is one word.
fn words(command: &str) -> Vec<String> {
    let split_unquoted = |(index, part): (usize, &str)| -> Vec<String> {
        if index % 2 == 1 {
            vec![part.to_owned()]
        } else {
            part.split_whitespace().map(str::to_owned).collect()
        }
    };
    command
        .split('\'')
        .enumerate()
        .flat_map(split_unquoted)
        .collect()
}

/// Returns the request that `curl` would send.
fn request(command: &str) -> TestRequest {
    let words = words(command);
    let mut request = TestRequest::default();
    let mut arguments = words.iter();
    while let Some(argument) = arguments.next() {
        request = match argument.as_str() {
            "-s" | "-sN" => request,
            "-H" => request.insert_header(arguments.next().unwrap().split_once(": ").unwrap()),
            "-d" => request
                .method(Method::POST)
                .set_payload(arguments.next().unwrap().clone()),
            url => request.uri(
                url.strip_prefix("localhost:8080")
                    .expect("an option that this test does not know"),
            ),
        };
    }
    request
}

/// Removes values that differ from run to run or from build to build.
fn repeatable(mut value: Value) -> Value {
    let pointers = [
        "/search/time_ms",
        "/request_id",
        "/library/sha256",
        "/0/library/sha256",
        "/1/library/sha256",
        "/2/library/sha256",
        "/3/library/sha256",
        "/nps",
        // The cgroups depend on the machine.
        "/sandbox/cgroup",
        "/0/sandbox/cgroup",
        "/1/sandbox/cgroup",
        "/2/sandbox/cgroup",
        "/3/sandbox/cgroup",
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

/// Folds each object of `found` where the document does: it keeps the documented fields only.
fn fold(found: &mut Value, documented: &Value) {
    let (Value::Object(found), Value::Object(documented)) = (found, documented) else {
        return;
    };
    if documented.contains_key("…") {
        found.retain(|field, _| documented.contains_key(field));
        found.insert("…".to_owned(), Value::Null);
    }
    for (field, value) in found {
        fold(value, documented.get(field).unwrap_or(&Value::Null));
    }
}

#[actix_web::test]
async fn every_documented_call_returns_the_printed_reply() {
    let app = Application::of(&shipped());
    let examples = examples();
    assert!(examples.len() >= 10, "{} examples", examples.len());
    for Example { command, reply } in examples {
        let found = app.send(request(&command)).await;
        let mut found = match found.header("Content-Type") {
            Some("application/x-ndjson") => records(found.body.as_str().unwrap()),
            _ => vec![found.body],
        };
        for (found, documented) in found.iter_mut().zip(&reply) {
            fold(found, documented);
        }
        // The number of `info` records depends on time.
        let comparable = |mut values: Vec<Value>| {
            values.retain(|value| value["type"] != "info");
            values.into_iter().map(repeatable).collect::<Vec<_>>()
        };
        assert_eq!(comparable(found), comparable(reply), "{command}");
    }
}

#[test]
fn every_documented_command_has_its_flags() {
    let commands = compatibility::commands();
    let mut count = 0;
    for Document { path, text } in documents() {
        let text = text.replace("\\\n", " ");
        let lines = text
            .lines()
            .map(|line| line.trim_start().trim_start_matches("$ "));
        let in_prose = text.split('`').skip(1).step_by(2);
        for line in lines
            .chain(in_prose)
            .filter_map(|line| line.strip_prefix("rookery "))
            .filter(|line| line.starts_with(|first: char| first.is_lowercase() || first == '-'))
        {
            // The rest belongs to the engine, to the reader or to the shell.
            let words = line.split_whitespace();
            let words: Vec<_> = words
                .take_while(|word| !["--", "#", "|", ">", ">>", "&&"].contains(word))
                .collect();
            let (name, flags) = (0..=words.len().min(2))
                .rev()
                .map(|length| format!("rookery {}", words[..length].join(" ")))
                .find_map(|name| commands.get_key_value(name.replace('-', " ").trim_end()))
                .unwrap();
            let is_known = name != "rookery" || words[0].starts_with('-');
            assert!(is_known, "{}: no such command: {line}", path.display());
            for flag in words.iter().filter(|word| word.starts_with("--")) {
                let flag = flag.split('=').next().unwrap();
                assert!(
                    flag == "--help" || flags.iter().any(|known| known == flag),
                    "{}: '{name}' has no {flag}: {line}",
                    path.display()
                );
            }
            count += 1;
        }
    }
    assert!(count >= 100, "{count}");
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    for Document { path, text } in documents() {
        for link in links(&text) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() {
                path.clone()
            } else {
                path.with_file_name("").join(file)
            };
            assert!(target.exists(), "{}: {link}", path.display());
            if !heading.is_empty() {
                let target = fs::read_to_string(target).unwrap();
                assert!(
                    headings(&target).any(|line| anchor(line) == heading),
                    "{}: {link}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn the_book_contains_every_page_once() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let mut listed: Vec<_> = links(&summary).collect();
    listed.sort_unstable();
    let mut pages = pages();
    pages.retain(|page| page != "SUMMARY.md");
    assert_eq!(listed, pages);
}

/// Returns the heading lines of a document, without lines of code.
fn headings(text: &str) -> impl Iterator<Item = &str> {
    let prose = text.split("```").step_by(2);
    prose
        .flat_map(str::lines)
        .filter(|line| line.starts_with('#'))
}

/// Returns the anchor of a heading, as GitHub and mdBook generate it.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text
        .chars()
        .filter(|&c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns the files and folders that a document names in code: names with a source file's
/// extension, and paths below one of our folders.
fn named_files(text: &str) -> Vec<&str> {
    const SOURCES: [&str; 6] = ["rs", "sh", "py", "ts", "h", "txt"];
    let prose = text.split("```").step_by(2);
    let names = prose.flat_map(|prose| prose.split('`').skip(1).step_by(2));
    let is_path = |name: &&str| {
        let is_source = Path::new(name)
            .extension()
            .is_some_and(|end| SOURCES.iter().any(|own| end == *own));
        let first = name.split('/').next().unwrap();
        let is_ours = name.contains('/')
            && first != "target"
            && !first.is_empty()
            && root().join(first).is_dir();
        (is_source || is_ours) && !name.starts_with('/') && !name.contains(['*', ' ', '<', '='])
    };
    names.filter(is_path).collect()
}

/// Returns the path of each file and folder of the repository, from `/` at its root.
fn all_files() -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap();
            if path.is_dir()
                && !["target", "node_modules", ".git", ".tools"]
                    .iter()
                    .any(|skipped| name == *skipped)
            {
                folders.push(path.clone());
            }
            files.push(format!("/{}", path.strip_prefix(root()).unwrap().display()));
        }
    }
    files
}

#[test]
fn every_named_file_exists() {
    let files = all_files();
    let mut count = 0;
    let mut missing = Vec::new();
    // The changelog names files of earlier versions.
    for Document { path, text } in documents()
        .into_iter()
        .filter(|document| !document.path.ends_with("CHANGELOG.md"))
    {
        for name in named_files(&text) {
            count += 1;
            // A page may name a file by the end of its path.
            let end = format!("/{}", name.trim_end_matches('/'));
            if !files.iter().any(|file| file.ends_with(&end)) {
                missing.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert!(count > 40, "{count}");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn the_readme_shows_the_ai_that_new_ai_writes() {
    let template = include_str!("../../../templates/rust/evaluator.rs.in");
    assert!(README.contains(template.replace("{name}", "dice").trim_end()));
}

#[test]
fn every_error_code_is_documented() {
    let document: Value = serde_json::from_str(catalog().document()).unwrap();
    let codes = document["components"]["schemas"]["ProblemCode"]["enum"]
        .as_array()
        .unwrap();
    let codes: Vec<_> = codes.iter().map(|code| code.as_str().unwrap()).collect();
    assert!(codes.len() >= 18, "{codes:?}");
    for code in codes {
        assert!(HTTP_API.contains(&format!("`{code}`")), "{code}");
    }
}

#[test]
fn alerts_and_the_dashboard_use_documented_metrics() {
    let text = |file: &str| std::fs::read_to_string(root().join(file)).unwrap();
    let (examples, documents) = (
        text("deploy/alerts.yaml") + &text("deploy/grafana.json"),
        text("docs/operations.md") + &text("docs/fleet.md"),
    );
    let words = examples.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let metrics: BTreeSet<_> = words
        .filter(|word| word.starts_with("rookery_") || word.starts_with("process_"))
        .collect();
    assert!(metrics.len() > 10, "{metrics:?}");
    for metric in metrics {
        let name = metric
            .trim_start_matches("rookery_")
            .trim_end_matches("_bucket");
        let is_documented = [format!("`{name}`"), format!("`rookery_{name}")]
            .iter()
            .any(|shown| documents.contains(shown));
        assert!(is_documented, "{metric}");
    }
}
