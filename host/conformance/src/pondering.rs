//! Whether an AI thinks on the opponent's time, where it declares to.

use std::time::Duration;

use ai_api::Limits;
use rules::Game;

use super::{
    Check, CheckFailure, Passed, Subject,
    limits::judge_lateness,
    positions::{ORDINARY, game},
    session::{CheckSession, Found, place},
};
use pool::Interruption;
use protocol::SearchParams;

/// The time of its own, which is not to run, and how long the opponent thinks.
const OWN_TIME: Duration = Duration::from_millis(30);
const OPPONENTS_TIME: Duration = Duration::from_millis(400);

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "ponder.thinks_on",
        description: "While its opponent thinks, its own time does not run; asked to stop, it answers. Where it declares to ponder.",
        run: |subject| Box::pin(thinks_on(subject)),
    },
    Check {
        name: "ponder.hit",
        description: "Once its opponent has played what it expects, its own time runs, and it answers within it.",
        run: |subject| Box::pin(hit(subject)),
    },
];

async fn thinks_on(subject: &Subject) -> Result<Passed, CheckFailure> {
    for_each_pondered(subject, Interruption::Stop(OPPONENTS_TIME)).await?;
    Ok(Passed::PLAINLY)
}

async fn hit(subject: &Subject) -> Result<Passed, CheckFailure> {
    let all = for_each_pondered(subject, Interruption::PonderHit(OPPONENTS_TIME)).await?;
    let since = all.iter().filter_map(|found| found.after_interruption);
    let latest = since.map(|since| since.saturating_sub(OWN_TIME)).max().unwrap_or_default();
    judge_lateness(
        latest,
        "ask host.is_pondering() as often as host.should_stop(), and let the time of the limit begin then",
    )
}

/// What it finds while its opponent thinks, about some positions.
async fn for_each_pondered(
    subject: &Subject,
    interruption: Interruption,
) -> Result<Vec<Found>, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    if !session.session.manifest().capabilities.ponder {
        return Err(CheckFailure::skipped("the AI does not declare to ponder"));
    }
    let mut all = Vec::new();
    for fen in &ORDINARY[1..4] {
        let game = game(fen);
        let params = SearchParams { ponder: true, ..SearchParams::default() };
        let limit = Limits::movetime_ms(OWN_TIME.as_millis() as u64);
        let found = session.find_with(&game, limit, params, Some(interruption)).await?;
        if found.after_interruption.is_none() {
            return Err(too_soon(&game, &found));
        }
        all.push(found);
    }
    Ok(all)
}

fn too_soon(game: &Game, found: &Found) -> CheckFailure {
    let after_ms = found.elapsed.as_millis();
    CheckFailure::failed(
        format!("{}: it answered after {after_ms} ms, and its opponent was still thinking", place(game)),
        "let the time of a limit begin when host.is_pondering() turns false",
    )
}
