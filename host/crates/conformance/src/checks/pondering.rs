//! Pondering, if the AI declares it.

use std::time::Duration;

use ai_api::Limits;

use super::limits::check_lateness;
use crate::{
    check::{Passed, checks},
    failure::CheckFailure,
    positions::{ORDINARY, game},
    session::{CheckSession, FoundMove},
    subject::Subject,
};
use pool::Interruption;
use protocol::SearchParams;

/// The AI's time limit, which begins with the ponder hit.
const TIME_LIMIT: Duration = Duration::from_millis(30);
/// A depth that no search reaches. Without a depth limit, an AI may end its search at a different
/// depth limit, such as its level's.
const DEPTH_LIMIT: u32 = 1000;
/// How long the opponent thinks.
const PONDER_TIME: Duration = Duration::from_millis(400);

checks! { subject =>
    "ponder.thinks_on" [MeasuresTime]: "Ponders until it is stopped, beyond its own time limit, if \
        it declares pondering.",
        ponders_until_stop(subject);
    "ponder.hit" [MeasuresTime]: "Returns within its own time limit after a ponder hit.",
        ponder_hit(subject);
}

async fn ponders_until_stop(subject: &Subject) -> Result<Passed, CheckFailure> {
    search_pondering(subject, Interruption::Stop(PONDER_TIME)).await?;
    Ok(Passed::WITHOUT_NOTE)
}

async fn ponder_hit(subject: &Subject) -> Result<Passed, CheckFailure> {
    let found = search_pondering(subject, Interruption::PonderHit(PONDER_TIME)).await?;
    let delays = found.iter().filter_map(|found| found.after_interruption);
    let latest = delays
        .map(|delay| delay.saturating_sub(TIME_LIMIT))
        .max()
        .unwrap_or_default();
    check_lateness(
        latest,
        "check is_pondering as often as should_stop, and start the time limit when it turns false",
    )
}

/// Searches some positions while the opponent thinks.
async fn search_pondering(
    subject: &Subject,
    interruption: Interruption,
) -> Result<Vec<FoundMove>, CheckFailure> {
    let mut session =
        CheckSession::start_if(subject, "pondering", |declared| declared.ponder).await?;
    let mut all = Vec::new();
    for fen in &ORDINARY[1..4] {
        let params = SearchParams {
            ponder: true,
            ..SearchParams::default()
        };
        let limits = Limits {
            depth: Some(DEPTH_LIMIT),
            ..Limits::movetime_ms(TIME_LIMIT.as_millis() as u64)
        };
        let found = session
            .search_with_params(&game(fen), limits, params, Some(interruption))
            .await?;
        if found.after_interruption.is_none() {
            let elapsed_ms = found.elapsed.as_millis();
            let depth = found.result.depth;
            return Err(CheckFailure::failed(
                format!(
                    "{fen}: returned at depth {depth} after {elapsed_ms} ms, while still \
                     pondering; the depth limit is {DEPTH_LIMIT}"
                ),
                "search to the depth limit while is_pondering, and start the time limit when it \
                 turns false",
            ));
        }
        all.push(found);
    }
    Ok(all)
}
