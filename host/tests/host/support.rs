//! Shared helpers: configurations, the application, and requests to it.

pub(crate) mod conformance;
pub(crate) mod disclosure;
pub(crate) mod processes;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use actix_web::{
    HttpMessage as _,
    dev::{Service as _, ServiceResponse},
    http::{
        Method, Version,
        header::{HOST, HeaderMap, HeaderValue},
    },
    test,
};
use config::{Config, Overrides, api_key::KeyDigest, load};
use game::GameService;
use pool::WorkerProgram;
use serde_json::Value;
use server::{Service, create_app};
use tempfile::TempDir;

use conformance::Answer;
use disclosure::conceal_paths_of;

/// The command under test.
pub(crate) fn rookery() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_rookery"))
}

/// A configuration in a temporary folder. Its plugin directories are the build folders of cargo.
pub(crate) struct ConfigFile {
    folder: TempDir,
}

/// The build folders of cargo, as a list in a configuration. Only `deps` is current after `cargo test`.
pub(crate) fn directories() -> String {
    let build = rookery().parent().unwrap();
    format!("{:?}", [build.join("deps"), build.to_path_buf(), build.join("examples")])
}

impl ConfigFile {
    /// A configuration with this text after the plugin section.
    pub(crate) fn new(text: &str) -> Self {
        Self::verbatim(&Self::text(text))
    }

    /// A configuration with exactly this text.
    pub(crate) fn verbatim(text: &str) -> Self {
        let file = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::write(file.path(), text).unwrap();
        conceal_paths_of(file.folder(), text);
        file
    }

    /// Replaces the configuration atomically.
    pub(crate) fn write(&self, text: &str) {
        let beside = self.folder().join("rookery.toml.new");
        let text = Self::text(text);
        conceal_paths_of(self.folder(), &text);
        std::fs::write(&beside, text).unwrap();
        std::fs::rename(beside, self.path()).unwrap();
    }

    fn text(text: &str) -> String {
        // Without discovery, since the folders contain every faulty AI.
        format!("[plugins]\npolicy = \"configured\"\ndirectories = {}\n{text}", directories())
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("rookery.toml")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn load(&self) -> Config {
        load(&self.path(), &Overrides::none()).unwrap_or_else(|errors| panic!("{errors}"))
    }
}

/// The faults of `fault_injector`.
const FAULTS: &[&str] = &include!("../ais/faults.rs");

/// The configuration lines of a library, or of `fault_injector` where the name is that of a fault.
pub(crate) fn library(name: &str) -> String {
    if FAULTS.contains(&name) {
        format!("library = \"fault_injector\"\noptions.fault = \"{name}\"\n")
    } else {
        format!("library = \"{name}\"\n")
    }
}

/// A configuration with an AI for each of these libraries and faults, whose id is that name. The default client has the
/// first one.
pub(crate) fn configuration(names: &[&str]) -> ConfigFile {
    let ai = |name: &&str| format!("[ai.{name}]\n{}move_timeout_ms = 1000\n", library(name));
    let ais: String = names.iter().map(ai).collect();
    ConfigFile::new(&format!("{ais}[client.default]\nai = \"{}\"\n", names[0]))
}

/// A client whose key is its id.
pub(crate) fn keyed_client(id: &str, ai: &str) -> String {
    let sha256 = KeyDigest::of(id.as_bytes());
    format!("[client.{id}]\nai = \"{ai}\"\napi_key_sha256 = \"{sha256}\"\n")
}

/// The file of a built library.
pub(crate) fn built(library: &str) -> PathBuf {
    configuration(&[library]).load().ais[library].library.clone()
}

/// The game service of a configuration, its AIs started.
pub(crate) fn game_service(file: &ConfigFile) -> Arc<GameService> {
    let game = GameService::start(file.load(), WorkerProgram::at(rookery()))
        .unwrap_or_else(|errors| panic!("{errors}"));
    Arc::new(game)
}

/// The reply to a request.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Reply {
    pub(crate) fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or("no code")
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The body with placeholders for fields that vary.
    pub(crate) fn stable(&self) -> Value {
        stable(&self.body)
    }
}

/// A body with placeholders for fields that vary.
pub(crate) fn stable(body: &Value) -> Value {
    let mut body = body.clone();
    for (pointer, placeholder) in [("/search/time_ms", "[time]"), ("/search/nodes", "[nodes]")] {
        if let Some(value) = body.pointer_mut(pointer) {
            assert!(value.is_u64());
            *value = placeholder.into();
        }
    }
    if let Some(id) = body.get_mut("request_id") {
        assert!(id.is_string());
        *id = "[id]".into();
    }
    body
}

/// Parses a whole stream, which has one start record and one final record.
pub(crate) fn records(text: &str) -> Vec<Value> {
    assert!(text.ends_with('\n'), "{text}");
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records[0]["type"], "start", "{text}");
    let is_last = |record: &Value| record["type"] == "result" || record["type"] == "error";
    assert_eq!(records.iter().position(is_last), Some(records.len() - 1), "{text}");
    assert!(records[1..].iter().all(|record| record["type"] != "start"), "{text}");
    records
}

/// Pretty JSON: a value that fits is on one line.
pub(crate) fn shown(value: &Value) -> String {
    const WIDTH: usize = 140;
    let line = value.to_string();
    if line.len() <= WIDTH {
        return line;
    }
    let indented = |text: String| text.replace('\n', "\n  ");
    match value {
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| format!("  \"{key}\": {}", indented(shown(value)));
            format!("{{\n{}\n}}", fields.iter().map(field).collect::<Vec<_>>().join(",\n"))
        }
        Value::Array(values) => {
            let value = |value| format!("  {}", indented(shown(value)));
            format!("[\n{}\n]", values.iter().map(value).collect::<Vec<_>>().join(",\n"))
        }
        _ => line,
    }
}

/// The application of the server, with a game service.
pub(crate) struct Application(Service);

impl Application {
    pub(crate) fn new(game: Arc<GameService>) -> Self {
        Self(Service::new(game))
    }

    pub(crate) fn of(file: &ConfigFile) -> Self {
        Self::new(game_service(file))
    }

    pub(crate) fn service(&self) -> &Service {
        &self.0
    }

    /// Swaps the game service.
    pub(crate) fn swap(&self, game: Arc<GameService>) {
        self.0.swap(game);
    }

    /// The last fault of an AI, with the details for operators.
    pub(crate) fn last_fault(&self, ai: &str) -> String {
        let ais = self.0.game().every_ai();
        let ai = ais.iter().find(|found| found.id == ai).unwrap();
        ai.stats.last_fault().map(|last| last.fault.in_full()).unwrap_or_default()
    }

    pub(crate) fn drain(&self) {
        self.0.shutdown.drain();
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        self.send(test::TestRequest::post().uri(path).set_json(body)).await
    }

    pub(crate) async fn post_as(&self, client: &str, path: &str, body: &Value) -> Reply {
        self.send(test::TestRequest::post().uri(path).insert_header(("X-Client-Id", client)).set_json(body))
            .await
    }

    pub(crate) async fn post_with_key(&self, key: &str, path: &str, body: &Value) -> Reply {
        let authorization = ("Authorization", format!("Bearer {key}"));
        self.send(test::TestRequest::post().uri(path).insert_header(authorization).set_json(body)).await
    }

    pub(crate) async fn post_text(&self, path: &str, body: impl Into<String>) -> Reply {
        let request = test::TestRequest::post().uri(path).insert_header(("Content-Type", "application/json"));
        self.send(request.set_payload(body.into())).await
    }

    /// Requests a stream and returns its records.
    pub(crate) async fn stream(&self, path: &str, body: &Value) -> Vec<Value> {
        let request = test::TestRequest::post().uri(path).insert_header(("Accept", "application/x-ndjson"));
        let reply = self.send(request.set_json(body)).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        assert_eq!(reply.header("Content-Type"), Some("application/x-ndjson"));
        records(reply.body.as_str().unwrap())
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(test::TestRequest::get().uri(path)).await
    }

    pub(crate) async fn method(&self, method: Method, path: &str) -> Reply {
        self.send(test::TestRequest::with_uri(path).method(method)).await
    }

    pub(crate) async fn send(&self, request: test::TestRequest) -> Reply {
        let app = test::init_service(create_app(self.0.clone())).await;
        let mut request = request.to_request();
        if !request.headers().contains_key(HOST) && request.version() == Version::HTTP_11 {
            request.headers_mut().insert(HOST, HeaderValue::from_static("localhost"));
        }
        let (method, path) = (request.method().to_string(), request.uri().to_string());
        let response: ServiceResponse<_> = app.call(request).await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = test::read_body(response).await;
        let named =
            headers.iter().map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
        let named: Vec<_> = named.collect();
        let (method, path) = (method.as_str(), path.as_str());
        Answer { method, path, status, headers: &named, body: &bytes }.check();
        let is_json = headers.get("Content-Type").is_some_and(|kind| {
            let kind = kind.as_bytes();
            kind.ends_with(b"/json") || kind.ends_with(b"+json")
        });
        let body = match &bytes[..] {
            [] => Value::Null,
            bytes if is_json => serde_json::from_slice(bytes).unwrap(),
            bytes => std::str::from_utf8(bytes).unwrap().into(),
        };
        Reply { status, headers, body }
    }
}

/// The SHA-256 of [`ADMIN_KEY`], for the configuration of a client that is an administrator.
pub(crate) const ADMIN_KEY_SHA256: &str = "e37833aec4f06ccbc8c2b397908c1dc09b949861e2b485f31299159f2bedae4b";
const ADMIN_KEY: &str = "engine-key";

/// The last fault of an AI, as an administrator receives it.
pub(crate) async fn last_fault(app: &Application, ai: &str) -> Value {
    let request = test::TestRequest::get().uri(&format!("/v1/ais/{ai}"));
    let request = request.insert_header(("Authorization", format!("Bearer {ADMIN_KEY}")));
    app.send(request).await.body["last_fault"].clone()
}
