//! Stop requests.

use std::time::Duration;

use ai_api::Limits;

use super::limits::{TOO_LATE, check_delay};
use crate::{
    check::{Passed, checks},
    failure::CheckFailure,
    positions::{ORDINARY, game},
    session::CheckSession,
    subject::Subject,
};

/// A time limit that no check reaches.
const LONG: Limits = Limits::movetime_ms(60_000);
const REMEDY: &str = "check should_stop every few hundred nodes, and return the best result so far";

checks! { subject =>
    "stop.answers" [MeasuresTime]: "Returns within 100 ms when it is stopped.",
        stops(subject, LONG);
    "stop.at_once" [MeasuresTime]: "Plays a legal move when it is stopped immediately.",
        at_once(subject);
    "stop.deep" [MeasuresTime, OnlyFull]: "Can be stopped in a search with only a depth limit.",
        stops(subject, Limits::depth(1000));
    "stop.many_nodes" [MeasuresTime, OnlyFull]: "Can be stopped in a search with only a node \
        limit.",
        stops(subject, Limits::nodes(1_000_000_000_000));
    "stop.goes_on": "Gives the same result after a stopped search as a fresh worker.",
        searches_after_stop(subject);
}

async fn stops(subject: &Subject, limit: Limits) -> Result<Passed, CheckFailure> {
    const DELAY: Duration = Duration::from_millis(150);
    let mut session = CheckSession::start(subject).await?;
    let mut slowest = Duration::ZERO;
    for fen in &ORDINARY[..4] {
        let found = session.search_and_stop(&game(fen), limit, DELAY).await?;
        slowest = slowest.max(found.after_interruption.unwrap_or_default());
        if slowest >= TOO_LATE {
            break;
        }
    }
    let taken = format!("{} ms after the stop", slowest.as_millis());
    check_delay(slowest, &format!("returned {taken}"), REMEDY)?;
    Ok(Passed::with_note(taken))
}

async fn at_once(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    for fen in ORDINARY {
        let found = session
            .search_and_stop(&game(fen), LONG, Duration::ZERO)
            .await?;
        if found.elapsed > TOO_LATE {
            let reason = format!(
                "returned {} ms after the start, although it was stopped immediately",
                found.elapsed.as_millis()
            );
            return Err(CheckFailure::failed(reason, REMEDY));
        }
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn searches_after_stop(subject: &Subject) -> Result<Passed, CheckFailure> {
    const NODES: Limits = Limits::nodes(2000);
    let requested = game(ORDINARY[2]);
    let fresh = CheckSession::start(subject)
        .await?
        .fingerprint(&requested, NODES)
        .await?;
    let mut session = CheckSession::start(subject).await?;
    session
        .search_and_stop(&game(ORDINARY[1]), LONG, Duration::from_millis(50))
        .await?;
    let after = session.fingerprint(&requested, NODES).await?;
    fresh.must_equal(&after, &requested, "after a stopped search")?;
    Ok(Passed::WITHOUT_NOTE)
}
