//! Identical results for identical requests.

use std::time::Duration;

use ai_api::Limits;

use crate::{
    check::{Passed, checks},
    failure::CheckFailure,
    positions::{ORDINARY, RUY_LOPEZ, game, game_by_moves},
    session::CheckSession,
    subject::Subject,
};

const NODES: Limits = Limits::nodes(5000);
const DEPTH: Limits = Limits::depth(3);

checks! { subject =>
    "repeat.nodes": "Finds the same move, score and node count in two workers with the same node \
        limit.",
        in_two_workers(subject, NODES);
    "repeat.depth": "Finds the same move, score and node count in two workers with the same depth \
        limit.",
        in_two_workers(subject, DEPTH);
    "repeat.at_once": "Gives the same result when a request is repeated after a new game.",
        repeated(subject);
    "repeat.after_others": "Gives the same result after a new game, even if other positions were \
        searched before.",
        repeated_after_others(subject);
    "repeat.new_game": "Gives the same result in a new game as a fresh worker.",
        new_game(subject);
    "repeat.game": "Gives the same results when all requests of a game are repeated in the same \
        order after a new game.",
        whole_game(subject);
    "repeat.new_game_time" [MeasuresTime]: "Is ready for a new game within 50 ms: over HTTP, a new \
        game precedes each request with a depth or node limit.",
        new_game_time(subject);
    "repeat.judgement": "Gives the same evaluation of a position each time, if it is an evaluator.",
        evaluation(subject);
}

/// Starts a worker. Skips the check if the AI's results vary.
async fn start(subject: &Subject) -> Result<CheckSession, CheckFailure> {
    let session = CheckSession::start(subject).await?;
    if session.manifest().capabilities.varies {
        return Err(CheckFailure::skipped(
            "the AI declares that its results vary",
        ));
    }
    Ok(session)
}

async fn in_two_workers(subject: &Subject, limit: Limits) -> Result<Passed, CheckFailure> {
    let (mut one, mut other) = (start(subject).await?, start(subject).await?);
    for fen in ORDINARY {
        let game = game(fen);
        let first = one.fingerprint(&game, limit).await?;
        first.must_equal(
            &other.fingerprint(&game, limit).await?,
            &game,
            "in another worker",
        )?;
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn repeated(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = start(subject).await?;
    for fen in &ORDINARY[..3] {
        let game = game(fen);
        let first = session.fingerprint(&game, NODES).await?;
        first.must_equal(&session.fingerprint(&game, NODES).await?, &game, "repeated")?;
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn repeated_after_others(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = start(subject).await?;
    let requested = game(ORDINARY[3]);
    let first = session.fingerprint(&requested, DEPTH).await?;
    for fen in ORDINARY {
        session.search(&game(fen), NODES).await?;
    }
    first.must_equal(
        &session.fingerprint(&requested, DEPTH).await?,
        &requested,
        "after other requests",
    )?;
    Ok(Passed::WITHOUT_NOTE)
}

async fn new_game(subject: &Subject) -> Result<Passed, CheckFailure> {
    let fresh = start(subject)
        .await?
        .fingerprint(&game(ORDINARY[1]), DEPTH)
        .await?;
    let mut session = start(subject).await?;
    // Plays a game through the positions that the repeated request visits.
    for played in game_by_moves(RUY_LOPEZ) {
        session.search_on(&played, DEPTH).await?;
    }
    let requested = game(ORDINARY[1]);
    fresh.must_equal(
        &session.fingerprint(&requested, DEPTH).await?,
        &requested,
        "after another game",
    )?;
    Ok(Passed::WITHOUT_NOTE)
}

async fn whole_game(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = start(subject).await?;
    let games = game_by_moves(RUY_LOPEZ);
    let mut found = Vec::new();
    for _ in 0..2 {
        for (number, game) in games.iter().enumerate() {
            let result = match number {
                0 => session.search(game, NODES).await?,
                _ => session.search_on(game, NODES).await?,
            };
            found.push(result.fingerprint());
        }
    }
    let (first_game, second_game) = found.split_at(games.len());
    for ((first, second), game) in first_game.iter().zip(second_game).zip(&games) {
        first.must_equal(second, game, "in the repeated game")?;
    }
    Ok(Passed::WITHOUT_NOTE)
}

/// Compares one-node searches with and without a new game before them.
async fn new_game_time(subject: &Subject) -> Result<Passed, CheckFailure> {
    const LONG: Duration = Duration::from_millis(50);
    const ONE: Limits = Limits::nodes(1);
    let mut session = CheckSession::start(subject).await?;
    let game = game(ORDINARY[0]);
    // Creates the state that a new game has to forget.
    session.search_on(&game, NODES).await?;
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..15 {
        times[0].push(session.search(&game, ONE).await?.elapsed);
        times[1].push(session.search_on(&game, ONE).await?.elapsed);
    }
    let [with, without] = times.map(|mut times| {
        times.sort();
        times[times.len() / 2]
    });
    let time = with.saturating_sub(without);
    let note = format!("a new game takes {:.1} ms", time.as_secs_f64() * 1000.0);
    if time < LONG {
        return Ok(Passed::with_note(note));
    }
    Err(CheckFailure::warning(
        note,
        "store the game number in each table entry instead of clearing the table",
    ))
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
        format!(
            "{}: first evaluated as {}, then as {}",
            ORDINARY[at], first[at], second[at]
        ),
        "let the evaluation depend only on the position",
    ))
}
