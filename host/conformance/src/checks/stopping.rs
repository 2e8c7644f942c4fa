//! Stop requests.

use std::time::Duration;

use ai_api::Limits;

use crate::{
    check::{Check, Passed},
    failure::CheckFailure,
    positions::{ORDINARY, game},
    session::CheckSession,
    subject::Subject,
};

/// The delays after a stop that cause a warning and a failure.
const SLOW: Duration = Duration::from_millis(100);
const TOO_SLOW: Duration = Duration::from_secs(1);
/// A limit that no check reaches.
const LONG: Limits = Limits::movetime_ms(60_000);
const REMEDY: &str = "check host.should_stop() every few hundred nodes, and return the best result so far";

pub(crate) const CHECKS: &[Check] = &[
    Check {
        name: "stop.answers",
        description: "Returns within 100 ms when it is stopped.",
        run: |subject| Box::pin(stops_long_search(subject)),
    },
    Check {
        name: "stop.at_once",
        description: "Plays a legal move when it is stopped immediately.",
        run: |subject| Box::pin(at_once(subject)),
    },
    Check {
        name: "stop.deep",
        description: "Can be stopped in a search with only a depth limit.",
        run: |subject| Box::pin(stops(subject, Limits::depth(1000))),
    },
    Check {
        name: "stop.many_nodes",
        description: "Can be stopped in a search with only a node limit.",
        run: |subject| Box::pin(stops(subject, Limits::nodes(1_000_000_000_000))),
    },
    Check {
        name: "stop.goes_on",
        description: "Gives the same result after a stopped search as a fresh worker.",
        run: |subject| Box::pin(searches_after_stop(subject)),
    },
];

async fn stops_long_search(subject: &Subject) -> Result<Passed, CheckFailure> {
    stops(subject, LONG).await
}

async fn stops(subject: &Subject, limit: Limits) -> Result<Passed, CheckFailure> {
    const DELAY: Duration = Duration::from_millis(150);
    let mut session = CheckSession::start(subject).await?;
    let mut slowest = Duration::ZERO;
    for fen in &ORDINARY[..4] {
        let found = session.search_and_stop(&game(fen), limit, DELAY).await?;
        slowest = slowest.max(found.after_interruption.unwrap_or_default());
    }
    let taken = format!("{} ms after the stop", slowest.as_millis());
    match slowest {
        _ if slowest >= TOO_SLOW => Err(CheckFailure::failed(format!("returned {taken}"), REMEDY)),
        _ if slowest >= SLOW => Err(CheckFailure::warning(format!("returned {taken}"), REMEDY)),
        _ => Ok(Passed::with_note(taken)),
    }
}

async fn at_once(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    for fen in ORDINARY {
        let found = session.search_and_stop(&game(fen), LONG, Duration::ZERO).await?;
        if found.elapsed > TOO_SLOW {
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
    let requested = game(ORDINARY[2]);
    let fresh =
        CheckSession::start(subject).await?.search(&requested, Limits::nodes(2000)).await?.fingerprint();
    let mut session = CheckSession::start(subject).await?;
    session.search_and_stop(&game(ORDINARY[1]), LONG, Duration::from_millis(50)).await?;
    let after = session.search(&requested, Limits::nodes(2000)).await?.fingerprint();
    fresh.must_equal(&after, &requested, "after a stopped search")?;
    Ok(Passed::WITHOUT_NOTE)
}
