//! Memory, threads and processor time over many requests.

use std::time::Duration;

use ai_api::Limits;
use tokio::time::{Instant, sleep};

use crate::{
    check::{Passed, checks},
    failure::CheckFailure,
    positions::{ORDINARY, game},
    random_games::RandomGames,
    report::Verdict,
    session::CheckSession,
    subject::Subject,
};
use pool::WorkerSession;

/// The number of searches that fill tables before memory is first measured.
const WARM_UP: usize = 200;
const SEARCHES: usize = 1000;
/// The maximum memory that the searches may add.
const MAX_GROWTH_BYTES: u64 = 16 << 20;
/// The maximum memory that each half of a hundred searches may add. A table grows when it is first
/// touched.
const MAX_HALF_BYTES: u64 = 8 << 20;
const THREADS_END_WITHIN: Duration = Duration::from_millis(100);

checks! { subject =>
    "memory.thousand_searches" [OnlyFull]: "Uses at most 16 MiB more memory after a thousand \
        searches.",
        thousand_searches(subject);
    "memory.hundred_searches": "Does not use more and more memory in the course of a hundred short \
        searches; a warning names the growth per search in MiB.",
        hundred_searches(subject);
    "memory.declared": "Uses no more memory than it declares.",
        memory_declared(subject);
    "threads.declared" [MeasuresTime]: "Uses no more threads than it declares, and leaves none \
        running.",
        threads_declared(subject);
    "rest.after_a_search": "Uses no processor time between requests.",
        idle_after_search(subject);
    "panics.are_errors": "Returns an error for each failure instead of ending its process.",
        panics_are_errors(subject);
}

async fn thousand_searches(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    let mut random = RandomGames::new(subject.seed);
    let mut before = None;
    for number in 0..WARM_UP + SEARCHES {
        if number == WARM_UP {
            before = session.worker.resident_bytes();
        }
        let plies = random.below(80);
        session
            .search(&random.next(plies), Limits::nodes(50))
            .await?;
    }
    let after = session.worker.resident_bytes().ok_or_else(not_reported)?;
    let grown = after.saturating_sub(before.ok_or_else(not_reported)?);
    let growth = format!("{} KiB more", grown >> 10);
    if grown <= MAX_GROWTH_BYTES {
        return Ok(Passed::with_note(growth));
    }
    Err(CheckFailure::failed(
        format!(
            "uses {growth} after {SEARCHES} searches; expected at most {} KiB",
            MAX_GROWTH_BYTES >> 10
        ),
        "keep only data of fixed size in the instance, and free the rest after each search",
    ))
}

/// Compares the two halves of the searches, because tables and caches fill up in the first.
async fn hundred_searches(subject: &Subject) -> Result<Passed, CheckFailure> {
    const WARM_UP: usize = 20;
    const HALF: usize = 50;
    // The time limit is for engines that don't count nodes.
    let limit = Limits {
        nodes: Some(50),
        ..Limits::movetime_ms(20)
    };
    let mut session = CheckSession::start(subject).await?;
    let mut random = RandomGames::new(subject.seed);
    let mut sizes = Vec::new();
    for searches in [WARM_UP, HALF, HALF] {
        for _ in 0..searches {
            let plies = random.below(80);
            session.search(&random.next(plies), limit).await?;
        }
        sizes.push(session.worker.resident_bytes().ok_or_else(not_reported)?);
    }
    let grown = sizes
        .windows(2)
        .map(|sizes| sizes[1].saturating_sub(sizes[0]))
        .min()
        .unwrap_or_default();
    let hundredths = (grown * 100 / HALF as u64) >> 20;
    let each = format!("{}.{:02} MiB a search", hundredths / 100, hundredths % 100);
    if grown <= MAX_HALF_BYTES {
        return Ok(Passed::with_note(each));
    }
    Err(CheckFailure::warning(
        format!(
            "uses more and more memory during {} searches: at least {each}",
            2 * HALF
        ),
        "free what a search allocates, or keep it in tables of fixed size; set memory_mb in its \
         [ai.ID] for the most that it needs: a worker that reaches it is replaced",
    ))
}

async fn memory_declared(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session =
        CheckSession::start_if(subject, "its memory", |declared| declared.memory_mb > 0).await?;
    let declared_mb = session.manifest().capabilities.memory_mb;
    for fen in ORDINARY {
        session.search(&game(fen), Limits::movetime_ms(200)).await?;
    }
    let bytes = session.worker.resident_bytes().ok_or_else(not_reported)?;
    if bytes <= declared_mb << 20 {
        return Ok(Passed::with_note(format!(
            "{} of {declared_mb} MiB",
            bytes >> 20
        )));
    }
    Err(CheckFailure::failed(
        format!("uses {} MiB; declares {declared_mb} MiB", bytes >> 20),
        "declare the most memory that the AI needs as memory_mb in the capabilities of its \
         manifest",
    ))
}

async fn threads_declared(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    let declared = session.manifest().capabilities.threads as usize;
    let mut peak = 0;
    for fen in ORDINARY.iter().cycle().take(30) {
        session.search(&game(fen), Limits::nodes(500)).await?;
        let answered = Instant::now();
        let threads = loop {
            let threads = session.worker.threads().ok_or_else(not_reported)?;
            // The kernel takes a moment to remove a thread or process that has ended.
            if threads <= declared || answered.elapsed() >= THREADS_END_WITHIN {
                break threads;
            }
            sleep(Duration::from_millis(10)).await;
        };
        peak = peak.max(threads);
    }
    if peak <= declared {
        return Ok(Passed::with_note(format!("{peak} of {declared}")));
    }
    // Runtimes such as Java's have their own threads, which `ai_uci` can't know about.
    if subject.drives_a_program() {
        return Ok(Passed::with_note(format!(
            "{peak}, including its runtime's"
        )));
    }
    Err(CheckFailure::failed(
        format!("has {peak} threads after a result; declares {declared}"),
        "declare threads in the capabilities of the manifest, allow them with threads in its \
         [ai.ID] (here --threads), and join the threads of a search before it returns",
    ))
}

async fn idle_after_search(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
    for fen in ORDINARY {
        session.search(&game(fen), Limits::nodes(2000)).await?;
    }
    session
        .search_and_stop(
            &game(ORDINARY[1]),
            Limits::movetime_ms(60_000),
            Duration::from_millis(50),
        )
        .await?;
    check_idle(
        &mut session.worker,
        "after a result",
        "end all work before a search returns; the host replaces workers that continue",
    )
    .await
}

/// Passes if the AI uses no processor time for a second. `when` names the point in time.
pub(crate) async fn check_idle(
    worker: &mut WorkerSession,
    when: &str,
    remedy: &'static str,
) -> Result<Passed, CheckFailure> {
    const PERIOD: Duration = Duration::from_secs(1);
    let before = worker.cpu_time().ok_or_else(not_reported)?;
    tokio::time::sleep(PERIOD).await;
    let used = worker.cpu_time().unwrap_or(before).saturating_sub(before);
    // The kernel rounds processor time.
    if used < PERIOD / 50 {
        return Ok(Passed::WITHOUT_NOTE);
    }
    let (period_ms, used_ms) = (PERIOD.as_millis(), used.as_millis());
    Err(CheckFailure::failed(
        format!("used {used_ms} ms of processor time in {period_ms} ms {when}"),
        remedy,
    ))
}

fn not_reported() -> CheckFailure {
    CheckFailure::skipped("the kernel does not report this value")
}

/// Accepts errors; fails if the process ends.
async fn panics_are_errors(subject: &Subject) -> Result<Passed, CheckFailure> {
    let mut session = CheckSession::start(subject).await?;
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
            let found = session
                .search_and_stop(&game(fen), limit, Duration::from_millis(5))
                .await;
            let Err(failure) = found else { continue };
            if failure.verdict == Verdict::Crashed {
                return Err(failure.at(&format!("{limit}")));
            }
            errors += 1;
        }
    }
    // The instance must still work.
    session
        .search(&game(ORDINARY[0]), Limits::nodes(500))
        .await?;
    Ok(Passed::with_note(format!(
        "{errors} requests returned an error"
    )))
}
