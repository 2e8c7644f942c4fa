//! Shared helpers: configurations, the application, and requests to it.

pub(crate) mod arena;
pub(crate) mod conformance;
pub(crate) mod disclosure;

use std::{
    io::Read as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use ::arena::Arena;
use actix_web::{
    HttpMessage as _,
    dev::{Service as _, ServiceResponse},
    http::{
        Method, Version,
        header::{HOST, HeaderMap, HeaderValue},
    },
    test,
};
use config::{Config, LoadOptions, api_key::KeyDigest, extra::ExtraSection, load};
use flate2::read::GzDecoder;
use fleet::{FleetSettings, Gateway};
use game::GameService;
use pool::{Activity, Ais, LastFault, WorkerProgram};
use rollout::{RolloutVenue, Rollouts};
use serde_json::Value;
use server::{Catalog, ServerState, create_app};
use tempfile::TempDir;
use test_kit::run;
pub(crate) use test_kit::{built, copy_program, rookery};

use conformance::Answer;
use disclosure::conceal_paths_of;

/// A configuration in a temporary folder. Its plugin directories are the build folders of cargo.
pub(crate) struct ConfigFile {
    folder: TempDir,
}

/// Cargo's build folders that contain libraries after `cargo test`, as a TOML array.
pub(crate) fn directories() -> String {
    let build = test_kit::build();
    format!("{:?}", [build.join("deps"), build.join("examples")])
}

impl ConfigFile {
    /// A configuration with this text after the plugin section.
    pub(crate) fn new(text: &str) -> Self {
        Self::verbatim(&Self::text(text))
    }

    /// A configuration with exactly this text.
    pub(crate) fn verbatim(text: &str) -> Self {
        let file = Self {
            folder: tempfile::tempdir().unwrap(),
        };
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
        // Discovery is off, because the folders contain every faulty AI.
        format!(
            "[plugins]\npolicy = \"configured\"\ndirectories = {}\n{text}",
            directories()
        )
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("rookery.toml")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn load(&self) -> Config {
        load(&self.path(), &options()).unwrap_or_else(|errors| panic!("{errors}"))
    }
}

/// The shipped configuration with the folders of the tests' libraries and the shipped tables. A
/// server finds the tables next to its binary, but a test program does not.
pub(crate) fn shipped() -> ConfigFile {
    const SHIPPED: &str = include_str!("../../../config/rookery.toml");
    let own = SHIPPED.replace("[\"../target/release\"]", &directories());
    assert_ne!(own, SHIPPED);
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../data");
    let own = own.replace("\"../data", &format!("\"{data}"));
    ConfigFile::verbatim(&format!("{own}\n{}", tablebases()))
}

/// The section for the shipped tables.
pub(crate) fn tablebases() -> String {
    concat!(
        "[tablebases]\ndirectories = ['",
        env!("CARGO_MANIFEST_DIR"),
        "/../data/syzygy']\n"
    )
    .to_owned()
}

/// The faults of `fault_injector`.
const FAULTS: &[&str] = &include!("../ais/faults.rs");

/// The configuration lines for a library, or for `fault_injector` if the name is a fault.
pub(crate) fn library(name: &str) -> String {
    if FAULTS.contains(&name) {
        format!("library = \"fault_injector\"\noptions.fault = \"{name}\"\n")
    } else {
        format!("library = \"{name}\"\n")
    }
}

/// A configuration with an AI for each of these libraries and faults, with the name as its id. The
/// default client uses the first AI.
pub(crate) fn configuration(names: &[&str]) -> ConfigFile {
    let ais: Vec<_> = names
        .iter()
        .map(|&name| (name, name, "move_timeout_ms = 1000"))
        .collect();
    with_ais(&ais, "")
}

/// Returns the sections of these AIs and of the default client, which uses the first AI. Each AI is
/// given by its id, its library or fault, and its settings. Further lines belong to this client. An
/// AI has one worker unless its settings say otherwise.
pub(crate) fn ais_text(ais: &[(&str, &str, &str)]) -> String {
    let ai = |(id, name, settings): &(&str, &str, &str)| {
        let workers = if settings.contains("workers") {
            ""
        } else {
            "workers = 1\n"
        };
        format!("[ai.{id}]\n{}{workers}{settings}\n", library(name))
    };
    let sections: String = ais.iter().map(ai).collect();
    format!("{sections}[client.default]\nai = \"{}\"\n", ais[0].0)
}

/// A configuration with these AIs and further lines, which belong to the default client until a
/// section begins.
pub(crate) fn with_ais(ais: &[(&str, &str, &str)], further: &str) -> ConfigFile {
    ConfigFile::new(&(ais_text(ais) + further))
}

/// A configuration with one AI from a library or a fault.
pub(crate) fn ai(id: &str, name: &str, settings: &str) -> ConfigFile {
    with_ais(&[(id, name, settings)], "")
}

/// A configuration with the AI `basic1` and further lines, which belong to the default client until
/// a section begins.
pub(crate) fn basic1_and(further: &str) -> ConfigFile {
    with_ais(&[("basic1", "ai_basic1", "")], further)
}

/// A configuration whose AI `basic1` uses a copy of this library next to the configuration, and the
/// path of the copy.
pub(crate) fn own_library(name: &str, settings: &str) -> (ConfigFile, PathBuf) {
    let file = ai("basic1", "./libown.so", settings);
    let copy = file.folder().join("libown.so");
    std::fs::copy(built(name), &copy).unwrap();
    (file, copy)
}

/// Replaces the file of a library atomically, as package managers do.
pub(crate) fn replace_library(file: &Path, name: &str) {
    let beside = file.with_extension("new");
    std::fs::copy(built(name), &beside).unwrap();
    std::fs::rename(beside, file).unwrap();
}

/// A client whose key is its id.
pub(crate) fn keyed_client(id: &str, ai: &str) -> String {
    let sha256 = KeyDigest::of(id.as_bytes());
    format!("[client.{id}]\nai = \"{ai}\"\napi_key_sha256 = \"{sha256}\"\n")
}

/// Returns the Python with python-chess, mypy, Zig and the tools that build wheels. Panics if a
/// tool is missing and cannot be installed.
pub(crate) fn python_with_tools() -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/scripts/uci-tools.sh");
    run(&mut std::process::Command::new(script))
        .trim()
        .to_owned()
}

/// The started AIs of a configuration.
#[track_caller]
pub(crate) fn started(file: &ConfigFile) -> Ais {
    Ais::start(&file.load(), WorkerProgram::at(rookery()))
        .unwrap_or_else(|errors| panic!("{errors}"))
}

/// Returns why the AIs of a configuration do not start.
#[track_caller]
pub(crate) fn start_error(file: &ConfigFile) -> String {
    Ais::start(&file.load(), WorkerProgram::at(rookery()))
        .unwrap_err()
        .to_string()
}

/// Panics if the text lacks one of these parts.
#[track_caller]
pub(crate) fn assert_has(text: &str, parts: &[impl AsRef<str>]) {
    for part in parts.iter().map(AsRef::as_ref) {
        assert!(text.contains(part), "no {part} in {text}");
    }
}

/// The game service of a configuration, with its AIs started.
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
    /// Returns the body of a reply with status 200.
    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body
    }

    /// Checks the status and the code of an error, and returns its detail.
    #[track_caller]
    pub(crate) fn check_error(&self, status: u16, code: &str) -> String {
        assert_eq!((self.status, self.code()), (status, code), "{}", self.body);
        self.body["detail"].as_str().unwrap().to_owned()
    }

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
    if let Some(search) = body.get_mut("search").and_then(Value::as_object_mut) {
        search.remove("cached");
    }
    if let Some(id) = body.get_mut("request_id") {
        assert!(id.is_string());
        *id = "[id]".into();
    }
    body
}

/// Parses a complete stream, which has one start record and one final record.
pub(crate) fn records(text: &str) -> Vec<Value> {
    assert!(text.ends_with('\n'), "{text}");
    let records: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(records[0]["type"], "start", "{text}");
    let is_last = |record: &Value| record["type"] == "result" || record["type"] == "error";
    assert_eq!(
        records.iter().position(is_last),
        Some(records.len() - 1),
        "{text}"
    );
    assert!(
        records[1..].iter().all(|record| record["type"] != "start"),
        "{text}"
    );
    records
}

/// Formats JSON so that each value that fits is on one line.
pub(crate) fn shown(value: &Value) -> String {
    const WIDTH: usize = 140;
    let line = value.to_string();
    if line.len() <= WIDTH {
        return line;
    }
    let indented = |text: String| text.replace('\n', "\n  ");
    match value {
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| {
                format!("  \"{key}\": {}", indented(shown(value)))
            };
            format!(
                "{{\n{}\n}}",
                fields.iter().map(field).collect::<Vec<_>>().join(",\n")
            )
        }
        Value::Array(values) => {
            let value = |value| format!("  {}", indented(shown(value)));
            format!(
                "[\n{}\n]",
                values.iter().map(value).collect::<Vec<_>>().join(",\n")
            )
        }
        _ => line,
    }
}

/// The calls of a server with all extras.
pub(crate) fn catalog() -> Catalog {
    Catalog::with(
        &[::arena::calls::ENDPOINTS, ::rollout::ENDPOINTS],
        &[::mcp::route],
    )
}

/// The server's application, with a game service.
pub(crate) struct Application(ServerState);

/// The sections of extras, as in `rookery`.
const SECTIONS: &[ExtraSection] = &[
    ExtraSection::of::<FleetSettings>(),
    ExtraSection::of::<::arena::ArenaSettings>(),
    ExtraSection::of::<::rollout::RolloutSettings>(),
    ExtraSection::of::<::mcp::McpSettings>(),
];

/// The options for reading configurations.
pub(crate) fn options() -> LoadOptions {
    LoadOptions::none().with_extras(SECTIONS, &[])
}

impl Application {
    pub(crate) fn new(game: Arc<GameService>) -> Self {
        Self(ServerState::new(game))
    }

    pub(crate) fn of(file: &ConfigFile) -> Self {
        Self::new(game_service(file))
    }

    /// Adds matches, and the arena of the configuration if it has one.
    pub(crate) fn with_matches(self) -> Self {
        let service = self.0.service();
        let (arena, matches) = arena::matches_of(service.config());
        let state = match arena {
            Some(arena) => self.0.with(arena),
            None => self.0,
        };
        Self(state.with(Arc::new(matches)))
    }

    /// Adds rollouts, with or without an arena.
    pub(crate) fn with_rollouts(self, arena: Option<Arc<Arena>>, activity: &Activity) -> Self {
        let venue = RolloutVenue {
            arena: arena.clone(),
            program: WorkerProgram::at(rookery()),
            activity: activity.clone(),
            options: options(),
        };
        let rollouts = Rollouts::start(self.0.service().config(), venue).unwrap();
        let state = match arena {
            Some(arena) => self.0.with(arena),
            None => self.0,
        };
        Self(state.with(Arc::new(rollouts)))
    }

    /// Adds the gateway to the configured fleet.
    pub(crate) fn with_fleet(self) -> Self {
        let fleet = self
            .0
            .service()
            .config()
            .extra::<FleetSettings>()
            .cloned()
            .unwrap();
        let gateway = Gateway::start(fleet, "test".to_owned()).unwrap();
        Self(self.0.with(Arc::new(gateway)))
    }

    /// Adds an arena.
    pub(crate) fn with_arena(self, arena: ::arena::Arena) -> Self {
        Self(self.0.with(Arc::new(arena)))
    }

    pub(crate) fn state(&self) -> &ServerState {
        &self.0
    }

    /// Swaps the game service.
    pub(crate) fn swap(&self, game: Arc<GameService>) {
        self.0.swap(game);
    }

    /// Returns the last fault of an AI, with the details for operators.
    pub(crate) fn last_fault(&self, ai: &str) -> String {
        self.of_last_fault(ai, |last| last.fault.in_full())
    }

    /// Returns the last output of an AI before its last fault.
    pub(crate) fn last_output(&self, ai: &str) -> String {
        self.of_last_fault(ai, |last| last.output.clone())
    }

    fn of_last_fault(&self, ai: &str, part: impl Fn(&LastFault) -> String) -> String {
        let ais = self.0.service().every_ai();
        let ai = ais.iter().find(|found| found.id == ai).unwrap();
        ai.stats
            .last_fault()
            .map(|last| part(&last))
            .unwrap_or_default()
    }

    pub(crate) fn drain(&self) {
        self.0.shutdown.drain();
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        self.post_with(&[], path, body).await
    }

    /// Posts with these headers.
    pub(crate) async fn post_with(
        &self,
        headers: &[(&str, &str)],
        path: &str,
        body: &Value,
    ) -> Reply {
        self.send(with_headers(
            test::TestRequest::post().uri(path).set_json(body),
            headers,
        ))
        .await
    }

    pub(crate) async fn post_as(&self, client: &str, path: &str, body: &Value) -> Reply {
        self.post_with(&[("X-Client-Id", client)], path, body).await
    }

    pub(crate) async fn post_with_key(&self, key: &str, path: &str, body: &Value) -> Reply {
        self.post_with(&[("Authorization", &format!("Bearer {key}"))], path, body)
            .await
    }

    pub(crate) async fn post_text(&self, path: &str, body: impl Into<String>) -> Reply {
        let request = test::TestRequest::post()
            .uri(path)
            .insert_header(("Content-Type", "application/json"));
        self.send(request.set_payload(body.into())).await
    }

    /// Requests a stream and returns its records.
    pub(crate) async fn stream(&self, path: &str, body: &Value) -> Vec<Value> {
        let reply = self
            .post_with(&[("Accept", "application/x-ndjson")], path, body)
            .await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        assert_eq!(reply.header("Content-Type"), Some("application/x-ndjson"));
        records(reply.body.as_str().unwrap())
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.get_with(&[], path).await
    }

    /// Sends a `GET` with these headers.
    pub(crate) async fn get_with(&self, headers: &[(&str, &str)], path: &str) -> Reply {
        self.send(with_headers(test::TestRequest::get().uri(path), headers))
            .await
    }

    pub(crate) async fn get_with_key(&self, key: &str, path: &str) -> Reply {
        self.get_with(&[("Authorization", &format!("Bearer {key}"))], path)
            .await
    }

    pub(crate) async fn method(&self, method: Method, path: &str) -> Reply {
        self.send(test::TestRequest::with_uri(path).method(method))
            .await
    }

    pub(crate) async fn send(&self, request: test::TestRequest) -> Reply {
        let app = test::init_service(create_app(self.0.clone(), &catalog())).await;
        let mut request = request.to_request();
        if !request.headers().contains_key(HOST) && request.version() == Version::HTTP_11 {
            request
                .headers_mut()
                .insert(HOST, HeaderValue::from_static("localhost"));
        }
        let (method, path) = (request.method().to_string(), request.uri().to_string());
        let response: ServiceResponse<_> = app.call(request).await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let mut bytes = test::read_body(response).await.to_vec();
        if headers
            .get("Content-Encoding")
            .is_some_and(|encoding| encoding == "gzip")
            && !bytes.is_empty()
        {
            let mut plain = Vec::new();
            GzDecoder::new(&bytes[..]).read_to_end(&mut plain).unwrap();
            bytes = plain;
        }
        let named = headers
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
        let named: Vec<_> = named.collect();
        let (method, path) = (method.as_str(), path.as_str());
        Answer {
            method,
            path,
            status,
            headers: &named,
            body: &bytes,
        }
        .check();
        let is_json = headers.get("Content-Type").is_some_and(|kind| {
            let kind = kind.as_bytes();
            kind.ends_with(b"/json") || kind.ends_with(b"+json")
        });
        let body = match &bytes[..] {
            [] => Value::Null,
            bytes if is_json => serde_json::from_slice(bytes).unwrap(),
            bytes => std::str::from_utf8(bytes).unwrap().into(),
        };
        Reply {
            status,
            headers,
            body,
        }
    }
}

/// Adds headers to a request.
fn with_headers(request: test::TestRequest, headers: &[(&str, &str)]) -> test::TestRequest {
    headers
        .iter()
        .fold(request, |request, &header| request.append_header(header))
}

pub(crate) const ADMIN_KEY: &str = "engine-key";

/// A client with [`ADMIN_KEY`] that is an administrator.
pub(crate) fn administrator(ai: &str) -> String {
    let sha256 = KeyDigest::of(ADMIN_KEY.as_bytes());
    format!("[client.boss]\nai = \"{ai}\"\nadmin = true\napi_key_sha256 = \"{sha256}\"\n")
}

/// The last fault of an AI, as an administrator receives it.
pub(crate) async fn last_fault(app: &Application, ai: &str) -> Value {
    app.get_with_key(ADMIN_KEY, &format!("/v1/ais/{ai}"))
        .await
        .ok()["last_fault"]
        .clone()
}
