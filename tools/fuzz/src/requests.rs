//! The bodies of requests.

use std::{cell::OnceCell, fs};

use ::config::{ClientSettings, Overrides, load};
use ::pool::{ClientIdentity, WorkerProgram};
use futures_util::FutureExt as _;
use game::{Client, GameService};
use serde::de::DeserializeOwned;
use serde_json::Value;
use server::{
    calls::{
        best_move::{self, BestMoveForm},
        blogchess::{self, ChessGameForm},
        compare::{self, CompareForm},
        evaluate::{self, EvaluateForm},
        forms::game::GameForm,
        legal_moves::{self, LegalMovesForm},
        replies::game::{GameReply, MoveReply},
        report::{self, ReportForm},
        validate::{self, ValidateForm},
    },
    error::{Malformed, RequestError},
    parse_body,
};

use crate::assert_printable;

thread_local! {
    static SERVICE: OnceCell<GameService> = const { OnceCell::new() };
}

/// Handles a request body. An error points into the body. The first byte selects the call.
pub fn requests(data: &[u8]) {
    let [call, body @ ..] = data else { return };
    SERVICE.with(|service| {
        let service = service.get_or_init(service_without_ais);
        let settings = ClientSettings::unbounded("anybody".into(), "none".into());
        let client = Client { settings, identity: ClientIdentity::Local };
        match call % 8 {
            0 => check(body, |form: &ValidateForm| {
                let game = validate::respond(service, form)?.game;
                assert_game_round_trips(service, &game);
                Ok(())
            }),
            1 => check(body, |form: &LegalMovesForm| {
                let reply = legal_moves::respond(service, form)?;
                let is_shown = |chosen: &MoveReply| reply.dests.of(chosen.from).contains(chosen.to);
                assert!(reply.moves.iter().all(is_shown));
                assert_game_round_trips(service, &reply.game);
                Ok(())
            }),
            2 => check(body, |form: &BestMoveForm| at_once(best_move::respond(service, &client, form, None))),
            3 => check(body, |form: &EvaluateForm| at_once(evaluate::respond(service, &client, form))),
            4 => check(body, |form: &ChessGameForm| blogchess::valid_moves(service, form).map(drop)),
            5 => check(body, |form: &ChessGameForm| at_once(blogchess::best_move(service, &client, form))),
            6 => check(body, |form: &CompareForm| at_once(compare::respond(service, &client, form, 1, None))),
            _ => check(body, |form: &ReportForm| {
                at_once(report::respond(service, &client, form, async || (), None))
            }),
        }
    });
}

/// Returns the result of a call without AIs, which never waits.
fn at_once<T>(reply: impl Future<Output = Result<T, RequestError>>) -> Result<(), RequestError> {
    reply.now_or_never().expect("there is no AI to wait for").map(drop)
}

fn check<F: DeserializeOwned>(body: &[u8], answer: impl Fn(&F) -> Result<(), RequestError>) {
    let answered = parse_body::<F>(body).map_err(RequestError::from).and_then(|form| answer(&form));
    let Err(error) = answered else { return };
    assert_printable(&error.to_string());
    match error {
        RequestError::Malformed(Malformed { pointer, .. }) => assert_is_pointer(&pointer),
        RequestError::IllegalGame(game) => {
            assert!(!game.issues.is_empty());
            for issue in &game.issues {
                assert_printable(&issue.message);
                assert_is_pointer(&issue.pointer);
                let value: Option<Value> = serde_json::from_slice(body).ok();
                assert!(value.is_none_or(|value| is_in(&value, &issue.pointer)), "{issue:?}");
            }
        }
        RequestError::UnknownAi { .. } => {}
        other => panic!("unexpected error: {other:?}"),
    }
}

/// Checks the syntax of a JSON pointer (RFC 6901).
fn assert_is_pointer(pointer: &str) {
    assert!(pointer.is_empty() || pointer.starts_with('/'), "{pointer:?}");
    assert!(!pointer.contains(char::is_control), "{pointer:?}");
}

/// Returns whether a pointer leads to a value, or to a key that an object could have.
fn is_in(value: &Value, pointer: &str) -> bool {
    let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
    value.pointer(pointer).is_some() || value.pointer(parent).is_some_and(Value::is_object)
}

/// Checks that the game of a reply is accepted in a request, and is the same.
fn assert_game_round_trips(service: &GameService, game: &GameReply) {
    let form = GameForm {
        fen: Some(game.start_fen.clone()),
        moves: Some(game.moves.clone()),
        ..GameForm::default()
    };
    let again =
        validate::respond(service, &ValidateForm { game: form }).expect("the game of a reply is legal").game;
    assert_eq!(
        (again.fen, again.start_fen, again.moves),
        (game.fen.clone(), game.start_fen.clone(), game.moves.clone())
    );
    assert_eq!(again.status, game.status);
}

fn service_without_ais() -> GameService {
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    let path = folder.path().join("rookery.toml");
    fs::write(&path, "").expect("a temporary file can be written");
    let config = load(&path, &Overrides::none()).unwrap_or_else(|errors| panic!("{errors}"));
    GameService::start(config, WorkerProgram::this_binary()).unwrap_or_else(|errors| panic!("{errors}"))
}
