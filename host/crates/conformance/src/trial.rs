//! Tries out an AI before it is served: three moves, a stop, a clock and many games. Measures the
//! memory and threads that the AI needs.

use std::time::{Duration, Instant};

use ai_api::{Clocks, Limits, OptionSetting};
use rules::{Game, parse_fen, start_position};

use crate::{
    failure::CheckFailure,
    session::{CheckSession, FoundMove, move_text},
    subject::Subject,
};
use config::UNTIMED_SEARCH;
use game::clock::Clock;
use protocol::{Manifest, SearchParams};

/// The time limit for a move.
const MOVE_TIME: Duration = Duration::from_millis(300);
/// How long an unlimited search runs before it is stopped.
const STOP_AFTER: Duration = Duration::from_millis(200);
const CLOCK: Duration = Duration::from_secs(10);
/// The number of short searches, each in a new game. Some engines use more memory or more threads
/// with each search.
const SHORT_SEARCHES: u32 = 100;
const SHORT_MS: u64 = 1;
/// The time after which no short search begins. Slow engines run fewer of them.
const SHORT_SEARCHES_TIME: Duration = Duration::from_secs(3);
/// A position with castling, promotions and captures for both sides.
const MIDDLE_GAME: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const ENDGAME: &str = "8/5p2/6p1/1k5p/7P/1K4P1/5P2/8 b - - 0 40";

/// An AI that has played, and the resources that it needed.
#[derive(Debug)]
pub struct Trial {
    pub manifest: Manifest,
    pub options: Vec<OptionSetting>,
    pub steps: Vec<TrialStep>,
    /// Whether the AI stops an unlimited search when told to. If not, the trial ended there.
    pub stops: bool,
    /// The longest delay of a move after its time limit or its stop.
    pub late: Duration,
    /// The peak that `memory_mb` must allow: the private memory of programs, or the address space
    /// of a library.
    pub peak_bytes: u64,
    /// The maximum number of threads, not counting the main thread.
    pub threads: usize,
}

/// A move in a trial.
#[derive(Debug)]
pub struct TrialStep {
    /// For example "a stop after 0.2 s".
    pub what: &'static str,
    pub best_move: String,
    pub elapsed: Duration,
}

/// A failed trial.
#[derive(Debug)]
pub struct TrialError {
    /// `None` if the AI did not start.
    pub step: Option<&'static str>,
    pub reason: String,
}

/// The length of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialLength {
    /// One search of each kind.
    Short,
    /// One search of each kind, and many short searches.
    Full,
}

/// Runs a trial of an AI. Calls `waits_for` with each step before the step begins.
///
/// # Errors
/// The AI does not start or does not move.
///
/// # Panics
/// Never: the positions are valid.
pub async fn trial(
    subject: &Subject,
    length: TrialLength,
    waits_for: &dyn Fn(&'static str),
) -> Result<Trial, TrialError> {
    let failed = |step| {
        move |CheckFailure { reason, .. }| {
            let printed = subject.printed.replace(String::new());
            let is_told = printed.is_empty() || reason.contains("its last ");
            let reason = if is_told {
                reason
            } else {
                format!("{reason}; it printed: {printed}")
            };
            TrialError { step, reason }
        }
    };
    waits_for("its start");
    let mut session = CheckSession::start(subject).await.map_err(failed(None))?;
    let (manifest, options) = (
        session.manifest().clone(),
        session.worker.options().to_vec(),
    );
    let mut trial = Trial {
        manifest,
        options,
        steps: Vec::new(),
        stops: true,
        late: Duration::ZERO,
        peak_bytes: 0,
        threads: 0,
    };
    let ms = |time: Duration| Some(time.as_millis() as u64);
    let timed = Limits {
        soft_ms: ms(MOVE_TIME),
        hard_ms: ms(MOVE_TIME),
        ..Limits::NONE
    };
    for (what, fen) in [
        ("a move from the start position", None),
        ("a move in a middlegame", Some(MIDDLE_GAME)),
        ("a move in an endgame", Some(ENDGAME)),
    ] {
        waits_for(what);
        let position = fen.map_or_else(start_position, |fen| {
            parse_fen(fen).expect("the position is valid")
        });
        let found = session
            .search(&Game::new(position), timed)
            .await
            .map_err(failed(Some(what)))?;
        let late = found.elapsed.saturating_sub(MOVE_TIME);
        trial.add(what, &found, late, &session);
    }
    let game = Game::new(start_position());
    let stop = "a stop";
    waits_for(stop);
    let has_time = subject
        .settings
        .iter()
        .any(|setting| setting.name == UNTIMED_SEARCH);
    match session
        .search_and_stop(&game, Limits::NONE, STOP_AFTER)
        .await
    {
        Ok(found) => {
            let late = found.after_interruption.unwrap_or_default();
            trial.add(stop, &found, late, &session);
        }
        // An engine that obeys time limits can be served if every search has one.
        Err(failure) if failure.is_stall && subject.drives_a_program() && !has_time => {
            trial.stops = false;
            return Ok(trial);
        }
        Err(failure) => return Err(failed(Some(stop))(failure)),
    }
    let clock_move = "a move with 10 s on the clock";
    waits_for(clock_move);
    // Builds the same request as a server would.
    let remaining_ms = CLOCK.as_millis() as u64;
    let manages_time = trial.manifest.capabilities.manages_time;
    let clock = Clock {
        remaining_ms,
        ..Clock::default()
    };
    let clocks = manages_time.then(|| Clocks {
        remaining_ms: [remaining_ms; 2],
        ..Clocks::default()
    });
    let params = SearchParams {
        clocks,
        ..SearchParams::default()
    };
    let found = session
        .search_with_params(&game, clock.limits(0, manages_time), params, None)
        .await;
    let found = found.map_err(failed(Some(clock_move)))?;
    trial.add(clock_move, &found, Duration::ZERO, &session);
    if length == TrialLength::Full {
        let last_game = "the last of many new games";
        waits_for(last_game);
        let limits = Limits {
            soft_ms: Some(SHORT_MS),
            hard_ms: Some(SHORT_MS),
            ..Limits::NONE
        };
        let began = Instant::now();
        let mut last = None;
        for _ in 0..SHORT_SEARCHES {
            last = Some(
                session
                    .search(&game, limits)
                    .await
                    .map_err(failed(Some(last_game)))?,
            );
            if began.elapsed() > SHORT_SEARCHES_TIME {
                break;
            }
        }
        let last_found = last.expect("at least one search ran");
        trial.add(last_game, &last_found, Duration::ZERO, &session);
    }
    session.worker.stop().await;
    Ok(trial)
}

impl Trial {
    fn add(
        &mut self,
        what: &'static str,
        found: &FoundMove,
        late: Duration,
        session: &CheckSession,
    ) {
        let worker = &session.worker;
        self.late = self.late.max(late);
        self.peak_bytes = self.peak_bytes.max(worker.peak_bytes().unwrap_or(0));
        self.threads = self.threads.max(worker.threads().unwrap_or(0));
        let best_move = move_text(found.result.best_move);
        self.steps.push(TrialStep {
            what,
            best_move,
            elapsed: found.elapsed,
        });
    }
}
