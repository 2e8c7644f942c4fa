//! One search: from `go` to `bestmove`.

use std::{future::pending, pin::Pin, sync::Arc, time::Duration};

use ai_api::{Limits, Score};
use rules::Game;
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep_until},
};

use super::{
    command::Go,
    report::{Finding, Notation, best_move},
    search_moves::{candidates, search_moves},
};
use game::{job, legal_move, playable_line, wrong_response};
use pool::{Ai, Fault, RequestContext, Stall};
use protocol::{Iteration, Job, Response, SearchParams, Task};
use text::printable;

/// How long a search without an end of its own may last.
const LONGEST: Duration = Duration::from_hours(7 * 24);
/// What an AI may take beyond its time before it is given up.
const PATIENCE: Duration = Duration::from_secs(1);
/// An iteration that is no deeper than the last is told only so often.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

type SearchResult = Pin<Box<dyn Future<Output = Result<Response, Fault>>>>;

/// A search that is running, or whose answer waits to be asked for.
pub(super) struct Search {
    game: Game,
    notation: Notation,
    /// How many lines are told.
    lines: u32,
    answer: SearchResult,
    iterations: mpsc::Receiver<Iteration>,
    stop: watch::Sender<bool>,
    ponder_hit: watch::Sender<bool>,
    started: Instant,
    /// What the answer has to wait for.
    hold: Hold,
    /// How long to think once nothing has to be waited for.
    time: Option<Duration>,
    stop_at: Option<Instant>,
    give_up_at: Option<Instant>,
    /// Moves until mate that are enough.
    mate: Option<u32>,
    found: Option<Finding>,
    told_at: Option<Instant>,
    outcome: Option<Result<(), Fault>>,
}

/// How searches go, as the options of the engine say.
#[derive(Clone, Copy)]
pub(super) struct SearchConfig {
    /// Between the end of thinking and the chess program's clock, in milliseconds.
    pub(super) overhead_ms: u64,
    /// How castling is written.
    pub(super) notation: Notation,
    /// How many lines are wanted.
    pub(super) lines: u32,
}

/// What keeps an answer back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hold {
    Nothing,
    /// `go infinite`: an answer is wanted after `stop` only.
    UntilStop,
    /// `go ponder`: the opponent is still to move.
    UntilPonderHit,
}

/// What a search has to say.
pub(super) enum Event {
    /// Some lines on the way.
    Lines(Vec<String>),
    /// The last lines, `bestmove` among them.
    Done(Vec<String>, Ended),
}

/// How a search ended, for the AI.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// It can be asked again.
    Well,
    /// It did not stop when asked to and may be at it still.
    Stalled,
}

impl Search {
    /// Asks the AI. The game is not over.
    pub(super) fn start(ai: &Arc<Ai>, game: Game, go: &Go, manner: SearchConfig) -> Self {
        let SearchConfig { overhead_ms, notation, .. } = manner;
        let manages_time = ai.about.capabilities.manages_time && go.clocks().is_some();
        let time = go
            .clock(game.position().turn())
            .map_or(Limits::NONE, |clock| clock.limits(overhead_ms, manages_time));
        let least = |ms: Option<u64>| {
            let ms = ms.into_iter().chain(go.movetime_ms).min();
            ms.map(|ms| ms.clamp(1, LONGEST.as_millis() as u64))
        };
        let time = Limits { soft_ms: least(time.soft_ms), hard_ms: least(time.hard_ms), ..Limits::NONE };
        let hold = if go.ponder {
            Hold::UntilPonderHit
        } else if go.infinite {
            Hold::UntilStop
        } else {
            Hold::Nothing
        };
        // Its time begins when it hears of the move.
        let ponders = hold == Hold::UntilPonderHit && ai.about.capabilities.ponder;
        let told = if hold == Hold::Nothing || ponders { time } else { Limits::NONE };
        let task = task(go, told, hold, ai.limit);
        let time_allowed = match task.limits().hard_ms {
            Some(ms) if !ponders => Duration::from_millis(ms) + PATIENCE,
            _ => LONGEST,
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
        let answer: SearchResult = if candidates.is_empty() || ai.about.capabilities.root_moves {
            let clocks = go.clocks();
            let params = SearchParams {
                lines: manner.lines,
                root_moves: candidates,
                clocks,
                ponder: ponders,
                ..SearchParams::default()
            };
            let asked = Job { params, ..job(&game, task) };
            Box::pin(async move { ai.ask_with(context, asked, Some(Box::new(sender))).await })
        } else {
            Box::pin(search_moves(ai, game.clone(), candidates, task, context, sender))
        };
        Self {
            game,
            notation,
            lines: manner.lines,
            answer,
            iterations,
            stop,
            ponder_hit,
            started: Instant::now(),
            hold,
            time: time.hard_ms.map(Duration::from_millis),
            stop_at: None,
            give_up_at: None,
            mate: go.mate,
            found: None,
            told_at: None,
            outcome: None,
        }
    }

    /// `stop`: answer with what there is.
    pub(super) fn stop(&mut self) {
        self.hold = Hold::Nothing;
        self.end_thinking();
    }

    /// `ponderhit`: the expected move was played, and from now on the clock runs.
    pub(super) fn ponder_hit(&mut self) {
        if self.hold == Hold::UntilPonderHit {
            self.hold = Hold::Nothing;
            self.ponder_hit.send_replace(true);
            self.stop_at = self.time.map(|time| Instant::now() + time);
        }
    }

    /// The next that there is to say. Nothing is lost when the future is dropped halfway.
    pub(super) async fn next(&mut self) -> Event {
        loop {
            if self.outcome.is_some() && self.hold == Hold::Nothing {
                return self.done();
            }
            let is_open = self.outcome.is_none();
            tokio::select! {
                biased;
                Some(iteration) = self.iterations.recv(), if is_open => {
                    let lines = self.hear(&iteration);
                    if !lines.is_empty() {
                        return Event::Lines(lines);
                    }
                }
                answer = &mut self.answer, if is_open => {
                    let mut lines = Vec::new();
                    while let Ok(iteration) = self.iterations.try_recv() {
                        lines.extend(self.hear(&iteration));
                    }
                    lines.extend(self.conclude(answer));
                    if !lines.is_empty() {
                        return Event::Lines(lines);
                    }
                }
                () = at(self.stop_at), if is_open => self.end_thinking(),
                () = at(self.give_up_at), if is_open => {
                    let waited = self.started.elapsed();
                    self.outcome = Some(Err(Fault::Stalled(Stall::Answer(waited))));
                }
                () = pending(), if !is_open => {}
            }
        }
    }

    fn end_thinking(&mut self) {
        self.stop_at = None;
        if self.give_up_at.is_none() {
            self.give_up_at = Some(Instant::now() + PATIENCE);
            self.stop.send_replace(true);
        }
    }

    /// Takes over an iteration, and says so if there is news.
    fn hear(&mut self, iteration: &Iteration) -> Vec<String> {
        let Some(&first) = iteration.pv.first() else { return Vec::new() };
        if !rules::is_legal(self.game.position(), first) {
            return Vec::new();
        }
        let line = playable_line(&self.game, first, &iteration.pv);
        let Iteration { depth, score, nodes, pv_number: line_number, selective_depth, .. } = *iteration;
        let is_deeper = self.found.as_ref().is_none_or(|last| depth > last.depth);
        let is_due = self.told_at.is_none_or(|told| told.elapsed() >= REPORT_INTERVAL);
        let score = Score::from_value(score.value());
        let found = Finding { depth, selective_depth, score, nodes, line_number, line };
        if line_number > 1 {
            return if line_number <= self.lines { vec![self.tell(&found)] } else { Vec::new() };
        }
        if self.has_enough(&found) {
            self.end_thinking();
        }
        let lines = if is_deeper || is_due { vec![self.tell(&found)] } else { Vec::new() };
        self.found = Some(found);
        lines
    }

    /// Whether the mate that was asked for is found.
    fn has_enough(&self, found: &Finding) -> bool {
        let mover = found.score.value() * self.game.position().turn().sign();
        let plies = found.score.plies_to_mate().filter(|_| mover > 0);
        self.hold == Hold::Nothing
            && self.mate.is_some_and(|moves| plies.is_some_and(|plies| plies.div_ceil(2) <= moves))
    }

    fn tell(&mut self, found: &Finding) -> String {
        self.told_at = Some(Instant::now());
        let text = found.line(self.game.position(), self.started.elapsed(), self.notation);
        if self.lines > 1 {
            text.replacen(" score ", &format!(" multipv {} score ", found.line_number), 1)
        } else {
            text
        }
    }

    /// Takes over the answer.
    fn conclude(&mut self, answer: Result<Response, Fault>) -> Vec<String> {
        let checked = answer.and_then(|response| match response {
            Response::Searched(answer) => {
                let chosen = legal_move(&self.game, &answer)?;
                Ok((playable_line(&self.game, chosen, &answer.pv), answer))
            }
            Response::Evaluated(..) => Err(wrong_response()),
        });
        match checked {
            Ok((line, answer)) => {
                let score = Score::from_value(answer.score.value());
                let found = Finding {
                    depth: answer.depth,
                    selective_depth: 0,
                    score,
                    nodes: answer.nodes,
                    line_number: 1,
                    line,
                };
                let is_news = self.found.as_ref().is_none_or(|last| !last.says_the_same(&found));
                let lines = if is_news { vec![self.tell(&found)] } else { Vec::new() };
                self.found = Some(found);
                self.outcome = Some(Ok(()));
                lines
            }
            Err(fault) => {
                self.outcome = Some(Err(fault));
                Vec::new()
            }
        }
    }

    /// The last lines. An AI that did not answer plays what it last thought best; where it had not said, the null move,
    /// which loses the game, for there is no move of its own.
    fn done(&mut self) -> Event {
        let line = self.found.as_ref().map(|found| found.line.clone()).unwrap_or_default();
        let best = |line: &[_]| best_move(self.game.position(), line, self.notation);
        let (lines, ended) = match &self.outcome {
            Some(Err(fault)) => {
                let why = format!("info string {}: {}", fault.code(), printable(&fault.in_full()));
                let best = if line.is_empty() { "bestmove 0000".into() } else { best(&line) };
                let stalled = matches!(fault, Fault::Stalled(_));
                (vec![why, best], if stalled { Ended::Stalled } else { Ended::Well })
            }
            _ => (vec![best(&line)], Ended::Well),
        };
        Event::Done(lines, ended)
    }
}

/// What the AI is asked.
fn task(go: &Go, time: Limits, hold: Hold, usual: Limits) -> Task {
    let limits = Limits {
        depth: go.depth.map(|depth| depth.max(1)),
        nodes: go.nodes.map(|nodes| nodes.max(1)),
        // A mate in N moves is N moves of one side and N - 1 of the other.
        mate_plies: go.mate.map(|moves| moves.saturating_mul(2).saturating_sub(1).max(1)),
        ..time
    };
    Task::Search(if limits == Limits::NONE && hold == Hold::Nothing { usual } else { limits })
}

/// Comes at a time; never, if there is none.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_all_limits_on() {
        let usual = Limits::depth(5);
        let go = |depth, nodes, mate| Go { depth, nodes, mate, ..Go::default() };
        let limits =
            |depth, nodes, mate_plies, ms| Limits { depth, nodes, mate_plies, soft_ms: ms, hard_ms: ms };
        for (go, ms, expected) in [
            (go(None, None, None), None, usual),
            (go(Some(7), None, None), None, Limits::depth(7)),
            (go(Some(7), Some(900), None), Some(50), limits(Some(7), Some(900), None, Some(50))),
            (go(None, None, None), Some(50), Limits::movetime_ms(50)),
            (go(None, None, Some(3)), None, limits(None, None, Some(5), None)),
            (go(Some(0), Some(0), Some(0)), None, limits(Some(1), Some(1), Some(1), None)),
        ] {
            let time = ms.map_or(Limits::NONE, Limits::movetime_ms);
            assert_eq!(task(&go, time, Hold::Nothing, usual), Task::Search(expected), "{go:?}");
        }
        let endless = task(&Go::default(), Limits::NONE, Hold::UntilStop, usual);
        assert_eq!(endless, Task::Search(Limits::NONE));
    }
}
