//! Equal results of equal requests.

use ai_api::Limits;
use rules::Game;

use crate::{
    check::{Passed, checks},
    failure::CheckFailure,
    positions::{ORDINARY, game},
    session::CheckSession,
    subject::Subject,
};

const NODES: Limits = Limits::nodes(5000);
const DEPTH: Limits = Limits::depth(3);

checks! { subject =>
    "repeat.nodes": "Finds the same move, score and node count in two workers with the same node limit.",
        in_two_workers(subject, NODES);
    "repeat.depth": "Finds the same move, score and node count in two workers with the same depth limit.",
        in_two_workers(subject, DEPTH);
    "repeat.at_once": "Gives the same result when a request is repeated.",
        repeated(subject);
    "repeat.after_others": "Gives the same result when a request is repeated after requests about other positions.",
        repeated_after_others(subject);
    "repeat.new_game": "Gives the same result in a new game as a fresh worker.",
        new_game(subject);
    "repeat.judgement": "Gives the same evaluation of a position each time, if it is an evaluator.",
        evaluation(subject);
}

async fn in_two_workers(subject: &Subject, limit: Limits) -> Result<Passed, CheckFailure> {
    let (mut one, mut other) = (CheckSession::start(subject).await?, CheckSession::start(subject).await?);
    for fen in ORDINARY {
        let game = game(fen);
        let first = one.fingerprint(&game, limit).await?;
        first.must_equal(&other.fingerprint(&game, limit).await?, &game, "in another worker")?;
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn repeated(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    for fen in &ORDINARY[..3] {
        let game = game(fen);
        let first = session.fingerprint(&game, NODES).await?;
        first.must_equal(&session.fingerprint(&game, NODES).await?, &game, "repeated")?;
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn repeated_after_others(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    let requested = game(ORDINARY[3]);
    let first = session.fingerprint(&requested, DEPTH).await?;
    for fen in ORDINARY {
        session.search(&game(fen), NODES).await?;
    }
    first.must_equal(&session.fingerprint(&requested, DEPTH).await?, &requested, "after other requests")?;
    Ok(Passed::WITHOUT_NOTE)
}

async fn new_game(subject: &Subject) -> Result<Passed, CheckFailure> {
    let fresh = CheckSession::start(subject).await?.fingerprint(&game(ORDINARY[1]), DEPTH).await?;
    let mut session = CheckSession::start(subject).await?;
    // Another game with the positions that the repeated request also visits.
    let mut played = Game::new(rules::start_position());
    for chosen in ["e2e4", "e7e5", "g1f3", "b8c6"] {
        let chosen = rules::parse_uci(played.position(), chosen).expect("the opening is legal");
        played.play(chosen).expect("the opening is legal");
        session.search(&played, DEPTH).await?;
    }
    let requested = game(ORDINARY[1]);
    fresh.must_equal(&session.fingerprint(&requested, DEPTH).await?, &requested, "after another game")?;
    Ok(Passed::WITHOUT_NOTE)
}

async fn evaluation(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start_evaluator(subject).await?;
    let mut scores = Vec::new();
    for fen in ORDINARY.iter().chain(ORDINARY) {
        scores.push(session.evaluate(&game(fen)).await?.0);
    }
    let (first, second) = scores.split_at(ORDINARY.len());
    let Some(at) = (0..ORDINARY.len()).find(|&at| first[at] != second[at]) else {
        return Ok(Passed::WITHOUT_NOTE);
    };
    Err(CheckFailure::failed(
        format!("{}: first evaluated as {}, then as {}", ORDINARY[at], first[at], second[at]),
        "let the evaluation depend only on the position",
    ))
}
