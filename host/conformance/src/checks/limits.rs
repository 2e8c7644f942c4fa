//! Search limits.

use std::time::Duration;

use ai_api::Limits;

use crate::{
    check::{Check, Passed},
    failure::CheckFailure,
    positions::{ORDINARY, game},
    session::{CheckSession, fen_of},
    subject::Subject,
};

/// The delays of a result after its time limit that cause a warning and a failure, with a margin for a busy machine.
const LATE: Duration = Duration::from_millis(100);
const TOO_LATE: Duration = Duration::from_secs(1);
/// The most positions beyond the limit that are only a warning: engines check their count at intervals.
const NODES_BETWEEN_CHECKS: u64 = 1024;

pub(crate) const CHECKS: &[Check] = &[
    Check {
        name: "limits.depth",
        description: "Searches no deeper than the depth limit.",
        run: |subject| Box::pin(depth(subject)),
    },
    Check {
        name: "limits.nodes",
        description: "Visits no more positions than the node limit; up to 1,024 more, as of an engine that checks its count rarely, are a warning.",
        run: |subject| Box::pin(nodes(subject)),
    },
    Check {
        name: "limits.one_node",
        description: "Plays a legal move with a limit of one node.",
        run: |subject| Box::pin(legal_moves_within(subject, Limits::nodes(1))),
    },
    Check {
        name: "limits.movetime",
        description: "Returns within time limits of 50 to 300 ms.",
        run: |subject| Box::pin(movetime(subject)),
    },
    Check {
        name: "limits.one_millisecond",
        description: "Plays a legal move with a limit of one millisecond.",
        run: |subject| Box::pin(legal_moves_within(subject, Limits::movetime_ms(1))),
    },
    Check {
        name: "limits.extreme",
        description: "Searches with the greatest possible limits until it is stopped.",
        run: |subject| Box::pin(extreme(subject)),
    },
    Check {
        name: "limits.first_ply",
        description: "Searches the first ply within a second.",
        run: |subject| Box::pin(first_ply(subject)),
    },
];

async fn depth(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    for fen in ORDINARY {
        for max in 1..=3 {
            let game = game(fen);
            let found = session.search(&game, Limits::depth(max)).await?;
            let reported = found.iterations.iter().map(|iteration| iteration.depth).max().unwrap_or_default();
            let depth = found.result.depth.max(reported);
            if depth > max {
                return Err(CheckFailure::failed(
                    format!("{}: searched to depth {depth}; the limit is {max}", fen_of(&game)),
                    "complete no iteration beyond the limit; extensions and quiescence search do not count",
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
            let game = game(fen);
            let found = session.search(&game, Limits::nodes(max)).await?;
            let reported = found.iterations.iter().map(|iteration| iteration.nodes).max().unwrap_or_default();
            let nodes = found.result.nodes.max(reported);
            if nodes > max {
                let reason = format!("{}: visited {nodes} nodes; the limit is {max}", fen_of(&game));
                if nodes > max.saturating_add(NODES_BETWEEN_CHECKS) {
                    return Err(CheckFailure::failed(reason, REMEDY));
                }
                exceeded.get_or_insert(reason);
            }
        }
    }
    exceeded.map_or(Ok(Passed::WITHOUT_NOTE), |reason| Err(CheckFailure::warning(reason, REMEDY)))
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
        let found = session.search(&game(fen), Limits::movetime_ms(time_ms)).await?;
        latest = latest.max(found.elapsed.saturating_sub(Duration::from_millis(time_ms)));
    }
    check_lateness(latest, "check the clock every few hundred nodes, and reserve some milliseconds")
}

/// Returns the verdict on the greatest delay after a time limit.
pub(crate) fn check_lateness(latest: Duration, remedy: &'static str) -> Result<Passed, CheckFailure> {
    let late = format!("returned up to {} ms after the time limit", latest.as_millis());
    match latest {
        _ if latest >= TOO_LATE => Err(CheckFailure::failed(late, remedy)),
        _ if latest >= LATE => Err(CheckFailure::warning(late, remedy)),
        _ => Ok(Passed::with_note(late)),
    }
}

async fn extreme(subject: &Subject) -> Result<Passed, CheckFailure> {
    const DELAY: Duration = Duration::from_millis(50);
    let mut session = CheckSession::start(subject).await?;
    for limit in [Limits::depth(u32::MAX), Limits::nodes(u64::MAX), Limits::movetime_ms(u64::MAX)] {
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
        format!("the first ply took {taken}; expected at most {} ms", TOO_LATE.as_millis()),
        "do slow preparation in create, not in the first search",
    ))
}
