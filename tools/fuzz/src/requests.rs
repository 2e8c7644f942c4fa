//! Request bodies.

use std::{
    cell::OnceCell,
    fs,
    sync::{Arc, LazyLock},
};

use ::config::{LoadOptions, load};
use ::pool::WorkerProgram;
use actix_web::{
    http::header::ContentType,
    rt::Runtime,
    test::{TestRequest, call_service, init_service, read_body},
};
use game::GameService;
use serde_json::{Value, json};
use server::{Catalog, ServerState, create_app};

use crate::assert_printable;

/// Sends a body to a path, and returns the status and the body of the reply.
type Send = Box<dyn Fn(&str, &[u8]) -> (u16, Value)>;

fn catalog() -> Catalog {
    Catalog::with(&[arena::calls::ENDPOINTS], &[])
}

/// The paths of the calls with a body, according to the `OpenAPI` document.
static PATHS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let document: Value = serde_json::from_str(catalog().document()).expect("the document is JSON");
    let paths = document["paths"]
        .as_object()
        .expect("the document has paths");
    paths
        .iter()
        .filter(|(_, item)| item.get("post").is_some())
        .map(|(path, _)| path.clone())
        .collect()
});

thread_local! {
    /// Never dropped, because actix does not drop its pools when a thread ends.
    static SERVER: OnceCell<&'static Send> = const { OnceCell::new() };
}

/// Sends a body to one of the calls. An error must point into the body. The first byte selects the
/// call.
pub fn requests(data: &[u8]) {
    let [call, body @ ..] = data else { return };
    let path = &PATHS[usize::from(*call) % PATHS.len()];
    SERVER.with(|server| {
        let send = server.get_or_init(|| Box::leak(Box::new(server_without_ais())));
        let (status, reply) = send(path, body);
        assert!(status < 500, "{path}: {reply}");
        if status == 200 {
            if path == "/v1/legal-moves" {
                assert_lists_each_destination(&reply);
            }
            if let Some(game) = reply.get("game") {
                assert_game_round_trips(send, game);
            }
        } else {
            assert_is_problem(&reply, body);
        }
    });
}

fn assert_is_problem(problem: &Value, body: &[u8]) {
    assert_printable(problem["detail"].as_str().expect("a problem has a detail"));
    if let Some(pointer) = problem["pointer"].as_str() {
        assert_is_pointer(pointer);
    }
    let issues = problem["issues"].as_array();
    assert!(issues.is_none_or(|issues| !issues.is_empty()), "{problem}");
    for issue in issues.into_iter().flatten() {
        assert_printable(issue["message"].as_str().expect("an issue has a message"));
        let pointer = issue["pointer"].as_str().expect("an issue has a pointer");
        assert_is_pointer(pointer);
        let sent: Option<Value> = serde_json::from_slice(body).ok();
        assert!(sent.is_none_or(|sent| is_in(&sent, pointer)), "{issue}");
    }
}

/// Checks the syntax of a JSON pointer (RFC 6901).
fn assert_is_pointer(pointer: &str) {
    assert!(
        pointer.is_empty() || pointer.starts_with('/'),
        "{pointer:?}"
    );
    assert!(!pointer.contains(char::is_control), "{pointer:?}");
}

/// Returns whether a pointer leads to a value, or to a key that an object could have.
fn is_in(value: &Value, pointer: &str) -> bool {
    let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
    value.pointer(pointer).is_some() || value.pointer(parent).is_some_and(Value::is_object)
}

fn assert_lists_each_destination(reply: &Value) {
    for chosen in reply["moves"].as_array().expect("the reply has moves") {
        let from = chosen["from"].as_str().expect("a move has a first square");
        let destinations = reply["dests"][from]
            .as_array()
            .expect("its piece has destinations");
        assert!(destinations.contains(&chosen["to"]), "{reply}");
    }
}

/// Checks that the game in a reply is accepted in a request, and stays the same.
fn assert_game_round_trips(send: &Send, game: &Value) {
    let form = json!({"game": {"fen": game["start_fen"], "moves": game["moves"]}});
    let (status, again) = send("/v1/validate", form.to_string().as_bytes());
    assert_eq!(status, 200, "{again}");
    for field in ["fen", "start_fen", "moves", "status"] {
        assert_eq!(again["game"][field], game[field], "{game}");
    }
}

fn server_without_ais() -> Send {
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    let file = folder.path().join("rookery.toml");
    fs::write(&file, "[tablebases]\ndirectories = []\n").expect("a temporary file can be written");
    let config = load(&file, &LoadOptions::none()).unwrap_or_else(|errors| panic!("{errors}"));
    let service = GameService::start(config, WorkerProgram::this_binary())
        .unwrap_or_else(|errors| panic!("{errors}"));
    let runtime = Runtime::new().expect("a thread can have a runtime");
    let state = ServerState::new(Arc::new(service));
    let app = runtime.block_on(init_service(create_app(state, &catalog())));
    Box::new(move |path, body| {
        let request = TestRequest::post()
            .uri(path)
            .insert_header(ContentType::json());
        let request = request.set_payload(body.to_vec()).to_request();
        runtime.block_on(async {
            let response = call_service(&app, request).await;
            let status = response.status().as_u16();
            let answer = read_body(response).await;
            (
                status,
                serde_json::from_slice(&answer)
                    .unwrap_or_else(|error| panic!("{path}: {error}: {answer:?}")),
            )
        })
    })
}
