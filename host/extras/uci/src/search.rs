//! One search: from `go` to `bestmove`.

use std::{future::pending, pin::Pin, sync::Arc, time::Duration};

use ai_api::{Color, Limits, SearchResult};
use rules::Game;
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep_until},
};

use crate::{
    command::Go,
    pv_info::{Notation, PvInfo, best_move},
    search_moves::{candidates, search_moves},
};
use game::{job, legal_move, playable_line, with_seeds, wrong_response};
use pool::{Ai, Fault, RequestContext, Stall};
use protocol::{Iteration, Job, Response, SearchParams, Task};
use text::printable;

/// The time limit for a search that sets none.
const MAX_TIME: Duration = Duration::from_hours(7 * 24);
/// How long a search may continue after its limit or a stop before it fails, in addition to the
/// AI's `stop_grace_ms`.
const GRACE: Duration = Duration::from_secs(1);
/// The shortest time between two `info` lines of the same depth.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);
/// The maximum number of the AI's messages that are passed on in one search.
const MAX_TEXTS: usize = 100;

type PendingResponse = Pin<Box<dyn Future<Output = Result<Response, Fault>>>>;

/// A running search, or a finished one whose result waits for `stop` or `ponderhit`.
pub(crate) struct Search {
    game: Game,
    config: SearchConfig,
    response: PendingResponse,
    iterations: mpsc::Receiver<Iteration>,
    stop: watch::Sender<bool>,
    ponder_hit: watch::Sender<bool>,
    started: Instant,
    hold: Hold,
    /// How long the AI may take to stop.
    grace: Duration,
    /// The deadline for the AI to start a new game.
    prepared_by: Instant,
    /// The time limit after a ponder hit.
    time: Option<Duration>,
    stop_at: Option<Instant>,
    /// When the search fails if it does not stop.
    fail_at: Option<Instant>,
    /// The search stops at a mate in this number of moves.
    mate: Option<u32>,
    best: Option<PvInfo>,
    reported_at: Option<Instant>,
    /// When a current move was last reported.
    news_at: Option<Instant>,
    texts: usize,
    outcome: Option<Result<(), Fault>>,
}

/// The options of the engine that affect searches.
#[derive(Clone, Copy)]
pub(crate) struct SearchConfig {
    /// The part of a time limit that is reserved for the overhead of the chess program.
    pub(crate) overhead_ms: u64,
    pub(crate) notation: Notation,
    /// Whether a new game begins.
    pub(crate) fresh: bool,
    /// `UCI_AnalyseMode`.
    pub(crate) analysis: bool,
    /// `UCI_ShowWDL`.
    pub(crate) shows_wdl: bool,
    pub(crate) lines: u32,
    /// The number from which the game's seeds are derived.
    pub(crate) game_number: u64,
}

/// The command that `bestmove` waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    Nothing,
    /// `go infinite`.
    UntilStop,
    /// `go ponder`.
    UntilPonderHit,
}

impl Hold {
    pub(crate) const fn of(go: &Go) -> Self {
        if go.ponder {
            Self::UntilPonderHit
        } else if go.infinite {
            Self::UntilStop
        } else {
            Self::Nothing
        }
    }
}

pub(crate) enum SearchEvent {
    Lines(Vec<String>),
    /// The last lines, with `bestmove`.
    Done(Vec<String>, AiState),
}

/// The state of the AI after a search.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AiState {
    Idle,
    /// The AI did not stop in time and may still be running.
    Stalled,
}

impl Search {
    /// Starts a search. The game must not be over.
    pub(crate) fn start(ai: &Arc<Ai>, game: Game, go: &Go, config: SearchConfig) -> Self {
        let clocks = go.clocks();
        let manages_time = ai.about.capabilities.manages_time && clocks.is_some();
        let time = time_limits(go, game.position().turn(), config.overhead_ms, manages_time);
        let hold = Hold::of(go);
        // A pondering AI's time starts at the ponder hit.
        let ponders = hold == Hold::UntilPonderHit && ai.about.capabilities.ponder;
        let limits = if hold == Hold::Nothing || ponders {
            time
        } else {
            Limits::NONE
        };
        let limits = search_limits(go, limits, hold, ai.limit);
        let task = Task::Search(ai.settings.hold_limit(limits));
        let grace = GRACE + ai.settings.stop_grace();
        let preparation = if config.fresh {
            ai.settings.new_game_timeout_ms
        } else {
            0
        };
        let time_allowed = match task.limits().hard_ms {
            Some(ms) if !ponders => Duration::from_millis(ms) + grace,
            _ => MAX_TIME,
        };
        let (stop, stopped) = watch::channel(false);
        let (ponder_hit, hit) = watch::channel(false);
        let (sender, iterations) = mpsc::channel(64);
        let context = RequestContext {
            stop: Some(stopped),
            ponder_hit: Some(hit),
            time_allowed: Some(time_allowed),
            ..RequestContext::default()
        };
        let candidates = candidates(&game, &go.search_moves);
        let ai = Arc::clone(ai);
        let options = with_seeds(&ai, config.game_number);
        let response: PendingResponse = if candidates.is_empty() || ai.about.capabilities.root_moves
        {
            let params = SearchParams {
                lines: config.lines,
                root_moves: candidates,
                clocks,
                ponder: ponders,
                analysis: config.analysis,
                ..SearchParams::default()
            };
            let job = Job {
                fresh: config.fresh,
                params,
                options,
                ..job(&game, task)
            };
            Box::pin(async move { ai.ask(context, job, Some(Box::new(sender))).await })
        } else {
            Box::pin(search_moves(
                ai,
                game.clone(),
                candidates,
                task,
                options,
                context,
                sender,
            ))
        };
        Self {
            game,
            config,
            response,
            iterations,
            stop,
            ponder_hit,
            started: Instant::now(),
            hold,
            grace,
            prepared_by: Instant::now() + Duration::from_millis(preparation),
            time: time.hard_ms.map(Duration::from_millis),
            stop_at: None,
            fail_at: None,
            mate: go.mate,
            best: None,
            reported_at: None,
            news_at: None,
            texts: 0,
            outcome: None,
        }
    }

    /// Handles `stop`.
    pub(crate) fn stop(&mut self) {
        self.hold = Hold::Nothing;
        self.request_stop();
    }

    /// Handles `ponderhit`: starts the clock.
    pub(crate) fn ponder_hit(&mut self) {
        if self.hold == Hold::UntilPonderHit {
            self.hold = Hold::Nothing;
            self.ponder_hit.send_replace(true);
            self.stop_at = self.time.map(|time| Instant::now() + time);
        }
    }

    /// Waits for the next lines. Cancel safe: dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> SearchEvent {
        loop {
            if self.outcome.is_some() && self.hold == Hold::Nothing {
                return self.final_event();
            }
            let is_open = self.outcome.is_none();
            tokio::select! {
                biased;
                Some(iteration) = self.iterations.recv(), if is_open => {
                    if let Some(line) = self.on_iteration(&iteration) {
                        return SearchEvent::Lines(vec![line]);
                    }
                }
                response = &mut self.response, if is_open => {
                    let mut lines = Vec::new();
                    while let Ok(iteration) = self.iterations.try_recv() {
                        lines.extend(self.on_iteration(&iteration));
                    }
                    lines.extend(self.on_response(response));
                    if !lines.is_empty() {
                        return SearchEvent::Lines(lines);
                    }
                }
                () = reached(self.stop_at), if is_open => self.request_stop(),
                () = reached(self.fail_at), if is_open => {
                    let elapsed = self.started.elapsed();
                    self.outcome = Some(Err(Fault::Stalled(Stall::Answer(elapsed))));
                }
                () = pending(), if !is_open => {}
            }
        }
    }

    fn request_stop(&mut self) {
        self.stop_at = None;
        if self.fail_at.is_none() {
            self.fail_at = Some(self.prepared_by.max(Instant::now()) + self.grace);
            self.stop.send_replace(true);
        }
    }

    /// Returns the `info` line of an iteration, unless the last line is recent.
    fn on_iteration(&mut self, iteration: &Iteration) -> Option<String> {
        let Some(&first) = iteration.pv.first() else {
            return self.on_news(iteration);
        };
        if !rules::is_legal(self.game.position(), first) {
            return None;
        }
        let line = playable_line(&self.game, first, &iteration.pv);
        let Iteration {
            depth,
            score,
            nodes,
            pv_number: line_number,
            ..
        } = *iteration;
        let is_deeper = self.best.as_ref().is_none_or(|last| depth > last.depth);
        let is_due = self
            .reported_at
            .is_none_or(|at| at.elapsed() >= REPORT_INTERVAL);
        let found = PvInfo {
            selective_depth: iteration.selective_depth,
            hashfull: iteration.hashfull,
            bound: iteration.bound,
            wdl: iteration.wdl.filter(|_| self.config.shows_wdl),
            tablebase_hits: iteration.tablebase_hits,
            ..PvInfo::new(depth, score, nodes, line_number, line)
        };
        if line_number > 1 {
            return (line_number <= self.config.lines).then(|| self.report(&found));
        }
        if self.is_requested_mate(&found) {
            self.request_stop();
        }
        let report = (is_deeper || is_due).then(|| self.report(&found));
        self.best = Some(found);
        report
    }

    /// Returns the `info` line for a message or the current move. Limits the number of messages and
    /// how often moves are reported.
    fn on_news(&mut self, news: &Iteration) -> Option<String> {
        if let Some(text) = news.text.as_ref().filter(|_| self.texts < MAX_TEXTS) {
            self.texts += 1;
            return Some(format!("info string {text}"));
        }
        let (chosen, number) = news.current?;
        let position = self.game.position();
        if self
            .news_at
            .is_some_and(|at| at.elapsed() < REPORT_INTERVAL)
            || !rules::is_legal(position, chosen)
        {
            return None;
        }
        self.news_at = Some(Instant::now());
        let chosen = self.config.notation.format(position, chosen);
        Some(format!(
            "info depth {} currmove {chosen} currmovenumber {number}",
            news.depth
        ))
    }

    /// Returns whether the requested mate has been found.
    fn is_requested_mate(&self, found: &PvInfo) -> bool {
        let mover = found.score.value() * self.game.position().turn().sign();
        let plies = found.score.plies_to_mate().filter(|_| mover > 0);
        self.hold == Hold::Nothing
            && self
                .mate
                .is_some_and(|moves| plies.is_some_and(|plies| plies.div_ceil(2) <= moves))
    }

    fn report(&mut self, found: &PvInfo) -> String {
        self.reported_at = Some(Instant::now());
        let text = found.info_line(
            self.game.position(),
            self.started.elapsed(),
            self.config.notation,
        );
        if self.config.lines > 1 {
            text.replacen(
                " score ",
                &format!(" multipv {} score ", found.line_number),
                1,
            )
        } else {
            text
        }
    }

    /// Checks the response and returns the last `info` line, if it is new.
    fn on_response(&mut self, response: Result<Response, Fault>) -> Option<String> {
        let checked = response.and_then(|response| match response {
            Response::Searched(result) => {
                let line = playable_line(&self.game, legal_move(&self.game, &result)?, &result.pv);
                let SearchResult {
                    depth,
                    score,
                    bound,
                    wdl,
                    nodes,
                    ..
                } = result;
                let wdl = wdl.filter(|_| self.config.shows_wdl);
                Ok(PvInfo {
                    bound,
                    wdl,
                    ..PvInfo::new(depth, score, nodes, 1, line)
                })
            }
            Response::Evaluated(..) | Response::Probed(_) => Err(wrong_response()),
        });
        let mut line = None;
        self.outcome = Some(checked.map(|found| {
            let is_new = self.best.as_ref().is_none_or(|last| !last.is_same(&found));
            line = is_new.then(|| self.report(&found));
            self.best = Some(found);
        }));
        line
    }

    /// Returns the last lines. After a fault, the best move comes from the last iteration, or is
    /// the null move, which loses the game.
    fn final_event(&self) -> SearchEvent {
        let line = self
            .best
            .as_ref()
            .map(|found| found.line.clone())
            .unwrap_or_default();
        let best = |moves: &[_]| best_move(self.game.position(), moves, self.config.notation);
        let (lines, state) = match &self.outcome {
            Some(Err(fault)) => {
                let error = format!(
                    "info string {}: {}",
                    fault.code().into_str(),
                    printable(&fault.in_full())
                );
                let best = if line.is_empty() {
                    "bestmove 0000".into()
                } else {
                    best(&line)
                };
                let stalled = matches!(fault, Fault::Stalled(_));
                (
                    vec![error, best],
                    if stalled {
                        AiState::Stalled
                    } else {
                        AiState::Idle
                    },
                )
            }
            _ => (vec![best(&line)], AiState::Idle),
        };
        SearchEvent::Done(lines, state)
    }
}

/// Returns the time limits of a `go` command: the clock's limits or `movetime`, whichever is
/// shorter.
fn time_limits(go: &Go, turn: Color, overhead_ms: u64, manages_time: bool) -> Limits {
    let clock = go.clock(turn).map_or(Limits::NONE, |clock| {
        clock.limits(overhead_ms, manages_time)
    });
    let shortest = |ms: Option<u64>| {
        let ms = ms.into_iter().chain(go.movetime_ms).min();
        ms.map(|ms| ms.clamp(1, MAX_TIME.as_millis() as u64))
    };
    Limits {
        soft_ms: shortest(clock.soft_ms),
        hard_ms: shortest(clock.hard_ms),
        ..Limits::NONE
    }
}

/// Returns all limits of a `go` command.
fn search_limits(go: &Go, time: Limits, hold: Hold, default: Limits) -> Limits {
    let limits = Limits {
        depth: go.depth.map(|depth| depth.max(1)),
        nodes: go.nodes.map(|nodes| nodes.max(1)),
        // A mate in N moves is N moves of one side and N - 1 of the other.
        mate_plies: go
            .mate
            .map(|moves| moves.saturating_mul(2).saturating_sub(1).max(1)),
        ..time
    };
    if limits == Limits::NONE && hold == Hold::Nothing {
        default
    } else {
        limits
    }
}

/// Completes at `time`, or never if it is `None`.
async fn reached(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_uses_all_limits() {
        let default = Limits::depth(5);
        let go = |depth, nodes, mate| Go {
            depth,
            nodes,
            mate,
            ..Go::default()
        };
        let limits = |depth, nodes, mate_plies, ms| Limits {
            depth,
            nodes,
            mate_plies,
            soft_ms: ms,
            hard_ms: ms,
            ..Limits::NONE
        };
        for (go, ms, expected) in [
            (go(None, None, None), None, default),
            (go(Some(7), None, None), None, Limits::depth(7)),
            (
                go(Some(7), Some(900), None),
                Some(50),
                limits(Some(7), Some(900), None, Some(50)),
            ),
            (go(None, None, None), Some(50), Limits::movetime_ms(50)),
            (
                go(None, None, Some(3)),
                None,
                limits(None, None, Some(5), None),
            ),
            (
                go(Some(0), Some(0), Some(0)),
                None,
                limits(Some(1), Some(1), Some(1), None),
            ),
        ] {
            let time = ms.map_or(Limits::NONE, Limits::movetime_ms);
            assert_eq!(
                search_limits(&go, time, Hold::Nothing, default),
                expected,
                "{go:?}"
            );
        }
        let infinite = search_limits(&Go::default(), Limits::NONE, Hold::UntilStop, default);
        assert_eq!(infinite, Limits::NONE);
    }
}
