//! Search limits.

use std::time::Duration;

use ai_api::{Clocks, Limits};

use crate::{
    check::{Passed, checks},
    failure::CheckFailure,
    positions::{ORDINARY, game},
    session::CheckSession,
    subject::Subject,
};
use game::clock::Clock;
use protocol::SearchParams;

/// A result that is later than this after its time limit or a stop causes a warning (`LATE`) or a
/// failure (`TOO_LATE`). Both delays include a margin for a busy machine.
const LATE: Duration = Duration::from_millis(100);
pub(crate) const TOO_LATE: Duration = Duration::from_secs(1);
/// If a search exceeds its node limit by at most this many positions, that is only a warning.
/// Engines check their count at intervals.
const NODES_BETWEEN_CHECKS: u64 = 1024;

checks! { subject =>
    "limits.depth": "Searches no deeper than the depth limit.",
        depth(subject);
    "limits.nodes": "Keeps the node limit. An excess of at most 1,024 positions is only a warning, \
        because some engines check their count at intervals.",
        nodes(subject);
    "limits.one_node": "Plays a legal move with a limit of one node.",
        legal_moves_within(subject, Limits::nodes(1));
    "limits.movetime" [MeasuresTime]: "Returns within time limits of 50 to 300 ms.",
        movetime(subject);
    "limits.clocks" [MeasuresTime]: "Moves in time with 100 ms on both clocks, with and without an \
        increment, if it manages its time.",
        clocks(subject);
    "limits.one_millisecond": "Plays a legal move with a limit of one millisecond.",
        legal_moves_within(subject, Limits::movetime_ms(1));
    "limits.extreme": "Searches with the greatest possible limits until it is stopped.",
        extreme(subject);
    "limits.first_ply" [MeasuresTime]: "Searches the first ply within a second.",
        first_ply(subject);
}

async fn depth(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    for fen in ORDINARY {
        for max in 1..=3 {
            let found = session.search(&game(fen), Limits::depth(max)).await?;
            let reported = found
                .iterations
                .iter()
                .map(|iteration| iteration.depth)
                .max()
                .unwrap_or_default();
            let depth = found.result.depth.max(reported);
            if depth > max {
                return Err(CheckFailure::failed(
                    format!("{fen}: searched to depth {depth}; the limit is {max}"),
                    "complete no iteration beyond the limit; extensions and quiescence search do \
                     not count",
                ));
            }
        }
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn nodes(subject: &Subject) -> Result<Passed, CheckFailure> {
    const REMEDY: &str = "count each visited position, and stop at the limit";
    let mut session = CheckSession::start(subject).await?;
    let mut exceeded = None;
    for fen in ORDINARY {
        for max in [1, 100, 10_000] {
            let found = session.search(&game(fen), Limits::nodes(max)).await?;
            let reported = found
                .iterations
                .iter()
                .map(|iteration| iteration.nodes)
                .max()
                .unwrap_or_default();
            let nodes = found.result.nodes.max(reported);
            if nodes > max {
                let reason = format!("{fen}: visited {nodes} nodes; the limit is {max}");
                if nodes > max.saturating_add(NODES_BETWEEN_CHECKS) {
                    return Err(CheckFailure::failed(reason, REMEDY));
                }
                exceeded.get_or_insert(reason);
            }
        }
    }
    exceeded.map_or(Ok(Passed::WITHOUT_NOTE), |reason| {
        Err(CheckFailure::warning(reason, REMEDY))
    })
}

async fn legal_moves_within(subject: &Subject, limit: Limits) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    for fen in ORDINARY {
        session.search(&game(fen), limit).await?;
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn movetime(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    let mut latest = Duration::ZERO;
    for (fen, time_ms) in ORDINARY.iter().zip([50, 100, 200, 300, 50, 100]) {
        let found = session
            .search(&game(fen), Limits::movetime_ms(time_ms))
            .await?;
        latest = latest.max(found.elapsed.saturating_sub(Duration::from_millis(time_ms)));
    }
    check_lateness(
        latest,
        "check the clock every few hundred nodes, and reserve some milliseconds",
    )
}

async fn clocks(subject: &Subject) -> Result<Passed, CheckFailure> {
    const REMAINING_MS: u64 = 100;
    let mut session =
        CheckSession::start_if(subject, "clocks", |declared| declared.manages_time).await?;
    let mut latest = Duration::ZERO;
    for (fen, increment_ms) in ORDINARY.iter().zip([0, 0, 100, 100]) {
        let clock = Clock {
            remaining_ms: REMAINING_MS,
            increment_ms,
            moves_to_go: None,
        };
        let limits = clock.limits(0, true);
        let clocks = Clocks {
            remaining_ms: [REMAINING_MS; 2],
            increment_ms: [increment_ms; 2],
            ..Clocks::default()
        };
        let params = SearchParams {
            clocks: Some(clocks),
            ..SearchParams::default()
        };
        let found = session
            .search_with_params(&game(fen), limits, params, None)
            .await?;
        latest = latest.max(
            found
                .elapsed
                .saturating_sub(Duration::from_millis(REMAINING_MS)),
        );
    }
    check_lateness(
        latest,
        "spend a small part of the remaining time on a move, and never all of it",
    )
}

/// Passes unless the longest delay after a time limit is too long.
pub(crate) fn check_lateness(
    latest: Duration,
    remedy: &'static str,
) -> Result<Passed, CheckFailure> {
    let late = format!(
        "returned up to {} ms after the time limit",
        latest.as_millis()
    );
    check_delay(latest, &late, remedy)?;
    Ok(Passed::with_note(late))
}

/// Warns or fails if a result came too late. `reason` describes the delay.
pub(crate) fn check_delay(
    delay: Duration,
    reason: &str,
    remedy: &'static str,
) -> Result<(), CheckFailure> {
    match delay {
        _ if delay >= TOO_LATE => Err(CheckFailure::failed(reason, remedy)),
        _ if delay >= LATE => Err(CheckFailure::warning(reason, remedy)),
        _ => Ok(()),
    }
}

async fn extreme(subject: &Subject) -> Result<Passed, CheckFailure> {
    const DELAY: Duration = Duration::from_millis(50);
    let mut session = CheckSession::start(subject).await?;
    for limit in [
        Limits::depth(u32::MAX),
        Limits::nodes(u64::MAX),
        Limits::movetime_ms(u64::MAX),
    ] {
        for fen in [ORDINARY[1], "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"] {
            let found = session.search_and_stop(&game(fen), limit, DELAY).await;
            found.map_err(|failure| failure.at(&format!("{limit}")))?;
        }
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn first_ply(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    let found = session.search(&game(ORDINARY[0]), Limits::depth(1)).await?;
    let taken = format!("{} ms", found.elapsed.as_millis());
    if found.elapsed <= TOO_LATE {
        return Ok(Passed::with_note(taken));
    }
    Err(CheckFailure::warning(
        format!(
            "the first ply took {taken}; expected at most {} ms",
            TOO_LATE.as_millis()
        ),
        "do slow preparation in create, not in the first search",
    ))
}
