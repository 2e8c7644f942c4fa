//! The bodies of requests.

use std::{cell::OnceCell, fs};

use ::config::{ClientSettings, Overrides, load};
use ::pool::{Ais, Requester, WorkerProgram};
use futures_util::FutureExt as _;
use serde::de::DeserializeOwned;
use serde_json::Value;
use server::{
    arbiter::{
        Arbiter, ArbiterError, BestMoveForm, Caller, CompareForm, EvaluateForm, GameForm, GameReply,
        LegalMovesForm, Malformed, MoveReply, ReportForm, ValidateForm, blogchess::ChessGameForm,
    },
    parse_body,
};

use crate::assert_can_be_shown;

thread_local! {
    static ARBITER: OnceCell<Arbiter> = const { OnceCell::new() };
}

/// A body is answered or refused, with the place in it that is meant. The first byte says which call it is of.
pub fn requests(data: &[u8]) {
    let [call, body @ ..] = data else { return };
    ARBITER.with(|arbiter| {
        let arbiter = arbiter.get_or_init(arbiter_without_ais);
        let settings = ClientSettings::unbounded("anybody".into(), "none".into());
        let client = Caller { settings, requester: Requester::Local };
        match call % 8 {
            0 => check(body, |form: &ValidateForm| {
                let game = arbiter.validate(form)?.game;
                assert_can_be_sent_again(arbiter, &game);
                Ok(())
            }),
            1 => check(body, |form: &LegalMovesForm| {
                let reply = arbiter.legal_moves(form)?;
                let is_shown = |chosen: &MoveReply| reply.dests[&chosen.from].contains(&chosen.to);
                assert!(reply.moves.iter().all(is_shown));
                assert_can_be_sent_again(arbiter, &reply.game);
                Ok(())
            }),
            2 => check(body, |form: &BestMoveForm| {
                let answer = arbiter.best_move(&client, form, None).now_or_never();
                answer.expect("there is no AI to wait for").map(drop)
            }),
            3 => check(body, |form: &EvaluateForm| {
                let answer = arbiter.evaluate(&client, form).now_or_never();
                answer.expect("there is no AI to wait for").map(drop)
            }),
            4 => check(body, |form: &ChessGameForm| arbiter.blogchess_valid_moves(form).map(drop)),
            5 => check(body, |form: &ChessGameForm| {
                let answer = arbiter.blogchess_best_move(&client, form).now_or_never();
                answer.expect("there is no AI to wait for").map(drop)
            }),
            6 => check(body, |form: &CompareForm| {
                let answer = arbiter.compare(&client, form, 1, None).now_or_never();
                answer.expect("there is no AI to wait for").map(drop)
            }),
            _ => check(body, |form: &ReportForm| {
                let answer = arbiter.report(&client, form, async || (), None).now_or_never();
                answer.expect("there is no AI to wait for").map(drop)
            }),
        }
    });
}

fn check<F: DeserializeOwned>(body: &[u8], answer: impl Fn(&F) -> Result<(), ArbiterError>) {
    let answered = parse_body::<F>(body).map_err(ArbiterError::from).and_then(|form| answer(&form));
    let Err(error) = answered else { return };
    assert_can_be_shown(&error.to_string());
    match error {
        ArbiterError::Malformed(Malformed { pointer, .. }) => assert_is_pointer(&pointer),
        ArbiterError::IllegalGame(game) => {
            assert!(!game.issues.is_empty());
            for issue in &game.issues {
                assert_can_be_shown(&issue.message);
                assert_is_pointer(&issue.pointer);
                let value: Option<Value> = serde_json::from_slice(body).ok();
                assert!(value.is_none_or(|value| is_in(&value, &issue.pointer)), "{issue:?}");
            }
        }
        ArbiterError::UnknownAi { .. } => {}
        other => panic!("no such error can come of a body: {other:?}"),
    }
}

/// A JSON pointer as RFC 6901 has it.
fn assert_is_pointer(pointer: &str) {
    assert!(pointer.is_empty() || pointer.starts_with('/'), "{pointer:?}");
    assert!(!pointer.contains(char::is_control), "{pointer:?}");
}

/// Whether a pointer leads to something, or to a key that an object could have.
fn is_in(value: &Value, pointer: &str) -> bool {
    let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
    value.pointer(pointer).is_some() || value.pointer(parent).is_some_and(Value::is_object)
}

/// What the server says of a game is the same game when it is sent again.
fn assert_can_be_sent_again(arbiter: &Arbiter, game: &GameReply) {
    let form = GameForm {
        fen: Some(game.start_fen.clone()),
        moves: Some(game.moves.clone()),
        ..GameForm::default()
    };
    let again = arbiter.validate(&ValidateForm { game: form }).expect("a game that was shown is legal").game;
    assert_eq!(
        (again.fen, again.start_fen, again.moves),
        (game.fen.clone(), game.start_fen.clone(), game.moves.clone())
    );
    assert_eq!(again.status, game.status);
}

fn arbiter_without_ais() -> Arbiter {
    let folder = tempfile::tempdir().expect("a folder for temporary files can be made");
    let path = folder.path().join("rookery.toml");
    fs::write(&path, "").expect("a file can be written there");
    let config = load(&path, &Overrides::none()).unwrap_or_else(|errors| panic!("{errors}"));
    let ais = Ais::start(&config, WorkerProgram::this_binary()).unwrap_or_else(|errors| panic!("{errors}"));
    Arbiter::new(config, ais)
}
