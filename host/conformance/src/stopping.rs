//! Whether an AI stops when it is asked to.

use std::time::Duration;

use ai_api::Limits;

use super::{
    Check, CheckFailure, Passed, Subject,
    positions::{ORDINARY, game},
    session::CheckSession,
};

/// After this an answer is slow, and after the next the AI did not listen.
const SLOW: Duration = Duration::from_millis(100);
const DEAF: Duration = Duration::from_secs(1);
/// A search that nobody waits for to end by itself.
const LONG: Limits = Limits::movetime_ms(60_000);
const REMEDY: &str = "ask host.should_stop() every few hundred nodes, and answer with what you have";

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "stop.answers",
        description: "Asked to stop, it answers at once, a tenth of a second at most.",
        run: |subject| Box::pin(answers(subject)),
    },
    Check {
        name: "stop.at_once",
        description: "Asked to stop as soon as it begins, it still plays a legal move.",
        run: |subject| Box::pin(at_once(subject)),
    },
    Check {
        name: "stop.deep",
        description: "It can be stopped in a search that is limited by depth alone.",
        run: |subject| Box::pin(stop(subject, Limits::depth(1000))),
    },
    Check {
        name: "stop.many_nodes",
        description: "It can be stopped in a search that is limited by nodes alone.",
        run: |subject| Box::pin(stop(subject, Limits::nodes(1_000_000_000_000))),
    },
    Check {
        name: "stop.goes_on",
        description: "Once stopped, it answers the next question as if nothing had been.",
        run: |subject| Box::pin(goes_on(subject)),
    },
];

async fn answers(subject: &Subject) -> Result<Passed, CheckFailure> {
    stop(subject, LONG).await
}

async fn stop(subject: &Subject, limit: Limits) -> Result<Passed, CheckFailure> {
    const THINKING: Duration = Duration::from_millis(150);
    let mut session = CheckSession::of(subject).await?;
    let mut slowest = Duration::ZERO;
    for fen in &ORDINARY[..4] {
        let found = session.find_and_stop(&game(fen), limit, THINKING).await?;
        slowest = slowest.max(found.after_interruption.unwrap_or_default());
    }
    let taken = format!("{} ms after it was asked", slowest.as_millis());
    match slowest {
        _ if slowest >= DEAF => Err(CheckFailure::failed(format!("it answered {taken}"), REMEDY)),
        _ if slowest >= SLOW => Err(CheckFailure::warning(format!("it answered {taken}"), REMEDY)),
        _ => Ok(Passed::and(taken)),
    }
}

async fn at_once(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    for fen in ORDINARY {
        let found = session.find_and_stop(&game(fen), LONG, Duration::ZERO).await?;
        if found.elapsed > DEAF {
            let reason = format!("it answered after {} ms", found.elapsed.as_millis());
            return Err(CheckFailure::failed(reason, REMEDY));
        }
    }
    Ok(Passed::PLAINLY)
}

async fn goes_on(subject: &Subject) -> Result<Passed, CheckFailure> {
    let asked = game(ORDINARY[2]);
    let fresh = CheckSession::of(subject).await?.find(&asked, Limits::nodes(2000)).await?.fingerprint();
    let mut session = CheckSession::of(subject).await?;
    session.find_and_stop(&game(ORDINARY[1]), LONG, Duration::from_millis(50)).await?;
    let after = session.find(&asked, Limits::nodes(2000)).await?.fingerprint();
    fresh.must_be(&after, &asked, "after a search that was stopped")?;
    Ok(Passed::PLAINLY)
}
