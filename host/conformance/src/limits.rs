//! Whether an AI keeps to its limits.

use std::time::Duration;

use ai_api::Limits;

use super::{
    Check, CheckFailure, Passed, Subject,
    positions::{ORDINARY, game},
    session::{CheckSession, place},
};

/// How much later than its limit an answer may come before somebody notices, and before it is wrong. A machine with much
/// else to do adds to both.
const LATE: Duration = Duration::from_millis(100);
const TOO_LATE: Duration = Duration::from_secs(1);
/// How many positions too many are only a warning: engines look at their count once in so many.
const NODES_BETWEEN_LOOKS: u64 = 1024;

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "limits.depth",
        description: "It searches no deeper than it is told.",
        run: |subject| Box::pin(depth(subject)),
    },
    Check {
        name: "limits.nodes",
        description: "It looks at no more positions than it is told; one that counts now and then, at 1,024 more.",
        run: |subject| Box::pin(nodes(subject)),
    },
    Check {
        name: "limits.one_node",
        description: "It plays a move even if it may look at one position only.",
        run: |subject| Box::pin(each_legal(subject, Limits::nodes(1))),
    },
    Check {
        name: "limits.movetime",
        description: "It answers in the time that it is told, 50 to 300 ms.",
        run: |subject| Box::pin(movetime(subject)),
    },
    Check {
        name: "limits.one_millisecond",
        description: "It plays a move even if it has one millisecond.",
        run: |subject| Box::pin(each_legal(subject, Limits::movetime_ms(1))),
    },
    Check {
        name: "limits.extreme",
        description: "The greatest limits that there are do it no harm: it thinks until it is asked to stop.",
        run: |subject| Box::pin(extreme(subject)),
    },
    Check {
        name: "limits.first_ply",
        description: "It searches the first ply within a second.",
        run: |subject| Box::pin(first_ply(subject)),
    },
];

async fn depth(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    for fen in ORDINARY {
        for most in 1..=3 {
            let game = game(fen);
            let found = session.find(&game, Limits::depth(most)).await?;
            let told = found.iterations.iter().map(|iteration| iteration.depth).max().unwrap_or_default();
            let depth = found.answer.depth.max(told);
            if depth > most {
                return Err(CheckFailure::failed(
                    format!("{}: told depth {most}, it tells of depth {depth}", place(&game)),
                    "finish no ply beyond the limit; what captures extend does not count",
                ));
            }
        }
    }
    Ok(Passed::PLAINLY)
}

async fn nodes(subject: &Subject) -> Result<Passed, CheckFailure> {
    const REMEDY: &str = "count each position that is looked at, and stop before the one too many";
    let mut session = CheckSession::of(subject).await?;
    let mut beyond = None;
    for fen in ORDINARY {
        for most in [1, 100, 10_000] {
            let game = game(fen);
            let found = session.find(&game, Limits::nodes(most)).await?;
            let told = found.iterations.iter().map(|iteration| iteration.nodes).max().unwrap_or_default();
            let nodes = found.answer.nodes.max(told);
            if nodes > most {
                let told = format!("{}: told {most} nodes, it tells of {nodes}", place(&game));
                if nodes > most.saturating_add(NODES_BETWEEN_LOOKS) {
                    return Err(CheckFailure::failed(told, REMEDY));
                }
                beyond.get_or_insert(told);
            }
        }
    }
    beyond.map_or(Ok(Passed::PLAINLY), |told| Err(CheckFailure::warning(told, REMEDY)))
}

async fn each_legal(subject: &Subject, limit: Limits) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    for fen in ORDINARY {
        session.find(&game(fen), limit).await?;
    }
    Ok(Passed::PLAINLY)
}

async fn movetime(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    let mut latest = Duration::ZERO;
    for (fen, time_ms) in ORDINARY.iter().zip([50, 100, 200, 300, 50, 100]) {
        let found = session.find(&game(fen), Limits::movetime_ms(time_ms)).await?;
        latest = latest.max(found.elapsed.saturating_sub(Duration::from_millis(time_ms)));
    }
    judge_lateness(latest, "look at the clock every few hundred nodes, and keep some milliseconds back")
}

/// What is thought of answers that come so much later than they may.
pub(super) fn judge_lateness(latest: Duration, remedy: &'static str) -> Result<Passed, CheckFailure> {
    let late = format!("at most {} ms late", latest.as_millis());
    match latest {
        _ if latest >= TOO_LATE => Err(CheckFailure::failed(late, remedy)),
        _ if latest >= LATE => Err(CheckFailure::warning(late, remedy)),
        _ => Ok(Passed::and(late)),
    }
}

async fn extreme(subject: &Subject) -> Result<Passed, CheckFailure> {
    const A_WHILE: Duration = Duration::from_millis(50);
    let mut session = CheckSession::of(subject).await?;
    for limit in [Limits::depth(u32::MAX), Limits::nodes(u64::MAX), Limits::movetime_ms(u64::MAX)] {
        for fen in [ORDINARY[1], "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"] {
            let found = session.find_and_stop(&game(fen), limit, A_WHILE).await;
            found.map_err(|failure| failure.at(&format!("{limit}")))?;
        }
    }
    Ok(Passed::PLAINLY)
}

async fn first_ply(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    let found = session.find(&game(ORDINARY[0]), Limits::depth(1)).await?;
    let taken = format!("{} ms", found.elapsed.as_millis());
    if found.elapsed <= TOO_LATE {
        return Ok(Passed::and(taken));
    }
    Err(CheckFailure::warning(
        format!("one ply took {taken}"),
        "prepare in create what takes long, not in the first search",
    ))
}
