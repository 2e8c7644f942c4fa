//! Whether an AI stays as it is, however long it runs.

use std::time::Duration;

use ai_api::Limits;

use super::{
    Check, CheckFailure, Passed, Subject,
    positions::{Chance, ORDINARY, game},
    session::CheckSession,
};
use pool::WorkerSession;

/// Searches before memory is looked at for the first time: tables fill.
const WARM_UP: usize = 200;
const SEARCHES: usize = 1000;
/// What a thousand searches may leave.
const MOST_GROWTH_BYTES: u64 = 16 << 20;

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "memory.thousand_searches",
        description: "It takes no more memory after a thousand searches than after the first of them.",
        run: |subject| Box::pin(thousand_searches(subject)),
    },
    Check {
        name: "memory.declared",
        description: "It keeps to the memory that it declares.",
        run: |subject| Box::pin(memory_declared(subject)),
    },
    Check {
        name: "threads.declared",
        description: "It keeps to the threads that it declares, and leaves none behind.",
        run: |subject| Box::pin(threads_declared(subject)),
    },
    Check {
        name: "rest.after_a_search",
        description: "It computes nothing once it has answered.",
        run: |subject| Box::pin(rests_after_a_search(subject)),
    },
    Check {
        name: "panics.are_errors",
        description: "What goes wrong in it is told as an error and ends no process, whatever it is asked.",
        run: |subject| Box::pin(panics_are_errors(subject)),
    },
];

async fn thousand_searches(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    let mut chance = Chance::of(subject.seed);
    let mut before = None;
    for number in 0..WARM_UP + SEARCHES {
        if number == WARM_UP {
            before = session.session.resident_bytes();
        }
        let plies = chance.below(80);
        session.find(&chance.game(plies), Limits::nodes(50)).await?;
    }
    let (Some(before), Some(after)) = (before, session.session.resident_bytes()) else {
        return Err(CheckFailure::skipped("the kernel does not tell"));
    };
    let grown = after.saturating_sub(before);
    let told = format!("{} KiB more than before", grown >> 10);
    if grown <= MOST_GROWTH_BYTES {
        return Ok(Passed::and(told));
    }
    Err(CheckFailure::failed(
        format!("after {SEARCHES} searches it has {told}"),
        "keep in the instance only what has a fixed size, and drop the rest with each search",
    ))
}

async fn memory_declared(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    let declared_mb = session.session.manifest().capabilities.memory_mb;
    if declared_mb == 0 {
        return Err(CheckFailure::skipped("the AI does not declare how much memory it needs"));
    }
    for fen in ORDINARY {
        session.find(&game(fen), Limits::movetime_ms(200)).await?;
    }
    let Some(bytes) = session.session.resident_bytes() else {
        return Err(CheckFailure::skipped("the kernel does not tell"));
    };
    if bytes <= declared_mb << 20 {
        return Ok(Passed::and(format!("{} of {declared_mb} MiB", bytes >> 20)));
    }
    Err(CheckFailure::failed(
        format!("it declares {declared_mb} MiB and has {}", bytes >> 20),
        "declare in Capabilities::memory_mb what it needs at most",
    ))
}

async fn threads_declared(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    let declared = session.session.manifest().capabilities.threads as usize;
    let mut most = 0;
    for fen in ORDINARY.iter().cycle().take(30) {
        session.find(&game(fen), Limits::nodes(500)).await?;
        let Some(threads) = session.session.threads(&subject.ai.sandbox) else {
            return Err(CheckFailure::skipped("the kernel does not tell"));
        };
        most = most.max(threads);
    }
    if most <= declared {
        return Ok(Passed::and(format!("{most} of {declared}")));
    }
    Err(CheckFailure::failed(
        format!("it declares {declared} threads and has {most} after its answers"),
        "declare them as threads in the capabilities of its manifest, allow them with threads in its [ai.ID] (here --threads), and join those \
         that a search starts",
    ))
}

async fn rests_after_a_search(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::of(subject).await?;
    for fen in ORDINARY {
        session.find(&game(fen), Limits::nodes(2000)).await?;
    }
    session.find_and_stop(&game(ORDINARY[1]), Limits::movetime_ms(60_000), Duration::from_millis(50)).await?;
    rests(
        &mut session.session,
        "after its answer",
        "end all work before you answer; the host replaces workers that go on",
    )
    .await
}

/// Whether the AI computes nothing for a while.
pub(super) async fn rests(
    session: &mut WorkerSession,
    when: &str,
    remedy: &'static str,
) -> Result<Passed, CheckFailure> {
    const WATCHED: Duration = Duration::from_secs(1);
    let Some(before) = session.cpu_time() else {
        return Err(CheckFailure::skipped("the kernel does not tell"));
    };
    tokio::time::sleep(WATCHED).await;
    let used = session.cpu_time().unwrap_or(before).saturating_sub(before);
    // Less is what the kernel rounds to.
    if used < WATCHED / 50 {
        return Ok(Passed::PLAINLY);
    }
    let (watched_ms, used_ms) = (WATCHED.as_millis(), used.as_millis());
    Err(CheckFailure::failed(format!("in {watched_ms} ms {when} it computed for {used_ms} ms"), remedy))
}

/// An error is an answer here; only the end of the process is not.
async fn panics_are_errors(subject: &Subject) -> Result<Passed, CheckFailure> {
    use super::Verdict;
    let mut session = CheckSession::of(subject).await?;
    let mut errors = 0;
    let limits = [
        Limits::NONE,
        Limits::depth(1),
        Limits::nodes(1),
        Limits::movetime_ms(1),
        Limits::depth(u32::MAX),
        Limits::nodes(u64::MAX),
    ];
    for limit in limits {
        for fen in ORDINARY {
            let found = session.find_and_stop(&game(fen), limit, Duration::from_millis(5)).await;
            let Err(failure) = found else { continue };
            if failure.verdict() == Verdict::Crashed {
                return Err(failure.at(&format!("{limit}")));
            }
            errors += 1;
        }
    }
    // Afterwards it is asked as usual, and must be there.
    session.find(&game(ORDINARY[0]), Limits::nodes(500)).await?;
    Ok(Passed::and(format!("{errors} questions answered by an error")))
}
