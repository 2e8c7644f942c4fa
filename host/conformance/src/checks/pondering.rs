//! Pondering, if the AI declares it.

use std::time::Duration;

use ai_api::Limits;
use rules::Game;

use super::limits::check_lateness;
use crate::{
    check::{Check, Passed},
    failure::CheckFailure,
    positions::{ORDINARY, game},
    session::{CheckSession, Found, fen_of},
    subject::Subject,
};
use pool::Interruption;
use protocol::SearchParams;

/// The time limit of the AI, which begins with the ponder hit.
const TIME_LIMIT: Duration = Duration::from_millis(30);
/// The time of the opponent.
const PONDER_TIME: Duration = Duration::from_millis(400);

pub(crate) const CHECKS: &[Check] = &[
    Check {
        name: "ponder.thinks_on",
        description: "Ponders until it is stopped, beyond its own time limit, if it declares pondering.",
        run: |subject| Box::pin(ponders_until_stop(subject)),
    },
    Check {
        name: "ponder.hit",
        description: "Returns within its own time limit after a ponder hit.",
        run: |subject| Box::pin(ponder_hit(subject)),
    },
];

async fn ponders_until_stop(subject: &Subject) -> Result<Passed, CheckFailure> {
    search_pondering(subject, Interruption::Stop(PONDER_TIME)).await?;
    Ok(Passed::WITHOUT_NOTE)
}

async fn ponder_hit(subject: &Subject) -> Result<Passed, CheckFailure> {
    let found = search_pondering(subject, Interruption::PonderHit(PONDER_TIME)).await?;
    let delays = found.iter().filter_map(|found| found.after_interruption);
    let latest = delays.map(|delay| delay.saturating_sub(TIME_LIMIT)).max().unwrap_or_default();
    check_lateness(
        latest,
        "check host.is_pondering() as often as host.should_stop(), and start the time limit when it turns false",
    )
}

/// Searches some positions while the opponent thinks.
async fn search_pondering(subject: &Subject, interruption: Interruption) -> Result<Vec<Found>, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    if !session.manifest().capabilities.ponder {
        return Err(CheckFailure::skipped("the AI does not declare pondering"));
    }
    let mut all = Vec::new();
    for fen in &ORDINARY[1..4] {
        let game = game(fen);
        let params = SearchParams { ponder: true, ..SearchParams::default() };
        let limit = Limits::movetime_ms(TIME_LIMIT.as_millis() as u64);
        let found = session.search_with_params(&game, limit, params, Some(interruption)).await?;
        if found.after_interruption.is_none() {
            return Err(returned_early(&game, &found));
        }
        all.push(found);
    }
    Ok(all)
}

fn returned_early(game: &Game, found: &Found) -> CheckFailure {
    let elapsed_ms = found.elapsed.as_millis();
    CheckFailure::failed(
        format!("{}: returned after {elapsed_ms} ms, while still pondering", fen_of(game)),
        "start the time limit when host.is_pondering() turns false",
    )
}
