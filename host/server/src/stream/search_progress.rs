//! The state of a running search as clients read it: its lines, depth, nodes and time.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use ai_api::PvLine;
use game::{SearchLimits, playable_lines};
use pool::Listener;
use protocol::{Iteration, sanitize::MAX_COUNT};
use rules::Game;
use serde::Serialize;
use utoipa::ToSchema;

use crate::replies::{game::ScoreReply, search::LineReply, words::BoundWord};

/// How far a search has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct InfoReply {
    /// Which AI thinks, where several do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ai: Option<String>,
    /// How many half-moves of the game lead to the position that is thought about, where it is one of many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ply: Option<usize>,
    /// Plies searched completely, as the AI says.
    pub depth: u32,
    /// Positions looked at, as the AI says.
    pub nodes: u64,
    /// Positions looked at in a second.
    pub nps: u64,
    /// How long the client has waited for the AI.
    pub time_ms: u64,
    /// What the line leads to, for White.
    pub score: ScoreReply,
    /// How the score relates to the true one; left out where it is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<BoundWord>)]
    pub bound: Option<&'static str>,
    /// White's chances of a win, a draw and a loss per mille, if the AI reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wdl: Option<[u16; 3]>,
    /// The best line of play so far, in UCI, as far as it is legal.
    pub pv: Vec<String>,
    /// The same in SAN.
    pub san: Vec<String>,
    /// Every line, the best first, where several are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<LineReply>>,
}

/// A search as it goes on: of each line, what was heard last.
#[derive(Debug)]
pub(crate) struct SearchProgress {
    /// Which AI thinks, where several do.
    pub(crate) ai: Option<String>,
    ply: Option<usize>,
    game: Game,
    lines: u32,
    wants_lines: bool,
    asked: Instant,
    heard: Mutex<ProgressState>,
}

#[derive(Debug)]
struct ProgressState {
    /// When a worker began.
    begun: Instant,
    last: Instant,
    nodes: u64,
    lines: BTreeMap<u32, Iteration>,
    /// Whether something of it was not read yet.
    is_news: bool,
}

impl ProgressState {
    fn nothing() -> Self {
        let now = Instant::now();
        Self { begun: now, last: now, nodes: 0, lines: BTreeMap::new(), is_news: false }
    }
}

impl SearchProgress {
    /// A search in a game that is about to be asked for.
    pub(crate) fn new(game: Game, limits: &SearchLimits) -> Self {
        let (lines, wants_lines) = (limits.lines(), limits.wants_lines());
        let heard = Mutex::new(ProgressState::nothing());
        Self { ai: None, ply: None, game, lines, wants_lines, asked: Instant::now(), heard }
    }

    /// The same by one of several AIs.
    pub(crate) fn of_ai(self, id: String) -> Self {
        Self { ai: Some(id), ..self }
    }

    /// The same of one of several positions of a game.
    pub(crate) fn at_its_ply(self) -> Self {
        Self { ply: Some(self.game.moves().len()), ..self }
    }

    /// Whether there is something that was not read yet.
    pub(crate) fn has_news(&self) -> bool {
        self.heard().is_news
    }

    /// How far it has come, if that was not read yet and is worth reading: not all that AIs say is.
    pub(crate) fn read(&self) -> Option<InfoReply> {
        let (lines, nodes, time, thinking_time) = {
            let mut heard = self.heard();
            if !std::mem::take(&mut heard.is_news) {
                return None;
            }
            let times = (heard.last - self.asked, heard.last - heard.begun);
            (heard.lines.clone(), heard.nodes, times.0, times.1)
        };
        let is_led =
            lines.get(&1)?.pv.first().is_some_and(|&first| rules::is_legal(self.game.position(), first));
        let lines = lines.into_values().map(|Iteration { score, bound, wdl, depth, pv, .. }| PvLine {
            score,
            bound,
            wdl,
            depth,
            moves: pv,
        });
        let lines = playable_lines(&self.game, lines);
        let lines: Vec<_> = lines.iter().map(|line| LineReply::new(self.game.position(), line)).collect();
        let best = lines.first().filter(|_| is_led)?.clone();
        Some(InfoReply {
            ai: self.ai.clone(),
            ply: self.ply,
            depth: best.depth,
            nodes,
            nps: per_second(nodes, thinking_time),
            time_ms: time.as_millis() as u64,
            score: best.score,
            bound: best.bound,
            wdl: best.wdl,
            pv: best.pv,
            san: best.san,
            lines: self.wants_lines.then_some(lines),
        })
    }

    fn heard(&self) -> MutexGuard<'_, ProgressState> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for SearchProgress {
    fn on_start(&self) {
        *self.heard() = ProgressState::nothing();
    }

    fn on_iteration(&self, iteration: Iteration) {
        if !(1..=self.lines).contains(&iteration.pv_number) {
            return;
        }
        let mut heard = self.heard();
        heard.last = Instant::now();
        heard.nodes = iteration.nodes;
        heard.lines.insert(iteration.pv_number, iteration);
        heard.is_news = true;
    }
}

fn per_second(nodes: u64, time: Duration) -> u64 {
    let rate = (u128::from(nodes) * 1_000_000_000).checked_div(time.as_nanos()).unwrap_or(0);
    u64::try_from(rate).unwrap_or(u64::MAX).min(MAX_COUNT)
}

#[cfg(test)]
mod tests {
    use ai_api::{Bound, Limits, Move, Score};

    use super::*;
    use config::SearchMaxima;
    use protocol::MAX_LINES;

    /// A search from the start.
    fn search(lines: u32) -> SearchProgress {
        let most = SearchMaxima { depth: None, nodes: None, movetime_ms: None };
        let limits = SearchLimits::new(Limits::depth(9), &most).with_lines(lines, MAX_LINES);
        SearchProgress::new(Game::new(rules::start_position()), &limits)
    }

    /// A line of play from the start, and then a move that is none.
    fn iteration(pv_number: u32, depth: u32, moves: &[&str]) -> Iteration {
        let mut position = rules::start_position();
        let mut line = Vec::new();
        for text in moves {
            let chosen = rules::parse_uci(&position, text).unwrap();
            position = rules::play(&position, chosen);
            line.push(chosen);
        }
        line.push(Move::from_bits(u16::MAX));
        let score = Score::centipawns(10 * depth as i32);
        let (bound, wdl) = (Bound::Exact, None);
        Iteration { depth, score, bound, wdl, nodes: 1000, pv: line, pv_number, selective_depth: 0 }
    }

    #[test]
    fn returns_the_latest_report_of_each_line_once() {
        let search = search(2);
        search.on_start();
        assert_eq!((search.has_news(), search.read()), (false, None));
        for heard in [
            iteration(1, 1, &["e2e4"]),
            iteration(2, 1, &["d2d4"]),
            iteration(3, 1, &["c2c4"]),
            iteration(1, 2, &["d2d4", "d7d5"]),
        ] {
            search.on_iteration(heard);
        }
        assert!(search.has_news());
        let info = search.read().unwrap();
        assert_eq!((info.depth, info.nodes, info.score), (2, 1000, ScoreReply::Cp(20)));
        assert_eq!(
            (info.pv, info.san),
            (vec!["d2d4".into(), "d7d5".into()], vec!["d4".into(), "d5".to_owned()])
        );
        // The second line begins with what is now the first one's move.
        assert_eq!(info.lines.unwrap().len(), 1);
        assert_eq!((search.has_news(), search.read()), (false, None));
        search.on_iteration(iteration(2, 2, &["e2e4"]));
        let lines = search.read().unwrap().lines.unwrap();
        assert_eq!(lines.iter().map(|line| line.san[0].as_str()).collect::<Vec<_>>(), ["d4", "e4"]);
    }

    #[test]
    fn discards_progress_of_a_dead_worker() {
        let search = search(1);
        search.on_iteration(iteration(1, 9, &["e2e4"]));
        search.on_start();
        assert_eq!(search.read(), None);
        search.on_iteration(iteration(1, 1, &["e2e4"]));
        assert_eq!(search.read().unwrap().depth, 1);
    }

    #[test]
    fn drops_invalid_progress() {
        let search = search(3);
        search.on_iteration(iteration(1, 9, &[]));
        search.on_iteration(iteration(2, 9, &["e2e4"]));
        assert_eq!(search.read(), None);
        search.on_iteration(Iteration { pv: Vec::new(), ..iteration(1, 9, &[]) });
        assert_eq!(search.read(), None);
        search.on_iteration(Iteration { nodes: u64::MAX, ..iteration(1, u32::MAX / 100, &["g1f3"]) });
        let info = search.read().unwrap();
        assert_eq!((info.pv, info.lines.unwrap().len()), (vec!["g1f3".to_owned()], 2));
    }
}
