//! The progress of a running search: its lines, depth, nodes and time.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::{
    replies::{game::ScoreReply, search::LineReply},
    words::BoundWord,
};
use ai_api::PvLine;
use game::{SearchLimits, playable_lines};
use pool::Listener;
use protocol::{Iteration, sanitize::MAX_COUNT};
use rules::Game;
use serde::Serialize;
use utoipa::ToSchema;

/// The progress of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct InfoReply {
    /// The id of the AI, if several AIs search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ai: Option<String>,
    /// The number of half-moves before the searched position, if several positions are searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ply: Option<usize>,
    /// The index of the game, from 0, if positions of several games are searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// The completed depth in plies, as the AI reports it.
    pub depth: u32,
    /// The searched nodes, as the AI reports them.
    pub nodes: u64,
    /// The searched nodes per second.
    pub nps: u64,
    /// The milliseconds since the request to the AI.
    pub time_ms: u64,
    /// The score of the line, from White's point of view.
    pub score: ScoreReply,
    /// `lower` or `upper` if the score is not exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<BoundWord>)]
    pub bound: Option<&'static str>,
    /// White's chances of a win, a draw and a loss in thousandths, if the AI reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wdl: Option<[u16; 3]>,
    /// The legal part of the best line so far, in UCI.
    pub pv: Vec<String>,
    /// The same moves in SAN.
    pub san: Vec<String>,
    /// All lines, the best first, if several were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<LineReply>>,
}

/// The progress of a search, with the latest iteration of each line.
#[derive(Debug)]
pub struct SearchProgress {
    /// The id of the AI, if several AIs search.
    pub ai: Option<String>,
    ply: Option<usize>,
    index: Option<usize>,
    game: Game,
    limits: SearchLimits,
    requested: Instant,
    /// Held only to read or update the state.
    state: Mutex<ProgressState>,
}

#[derive(Clone, Debug)]
struct ProgressState {
    /// The time when a worker started the search.
    started: Instant,
    last: Instant,
    nodes: u64,
    lines: BTreeMap<u32, Iteration>,
    is_unread: bool,
}

impl ProgressState {
    fn new() -> Self {
        let now = Instant::now();
        Self {
            started: now,
            last: now,
            nodes: 0,
            lines: BTreeMap::new(),
            is_unread: false,
        }
    }
}

impl SearchProgress {
    /// Creates the progress of a search that is about to be requested.
    pub fn new(game: Game, limits: &SearchLimits) -> Self {
        let state = Mutex::new(ProgressState::new());
        Self {
            ai: None,
            ply: None,
            index: None,
            game,
            limits: *limits,
            requested: Instant::now(),
            state,
        }
    }

    /// Adds the id of the AI, if several AIs search.
    pub(crate) fn of_ai(self, id: String) -> Self {
        Self {
            ai: Some(id),
            ..self
        }
    }

    /// Adds the ply of the searched position and, in a report about several games, the index of the
    /// game.
    pub(crate) fn with_ply(self, index: Option<usize>) -> Self {
        Self {
            ply: Some(self.game.moves().len()),
            index,
            ..self
        }
    }

    /// Returns the index of the game and the ply of the searched position, if several are searched.
    pub(crate) fn place(&self) -> (Option<usize>, Option<usize>) {
        (self.index, self.ply)
    }

    /// Returns whether there is unread progress.
    pub fn has_unread(&self) -> bool {
        self.state().is_unread
    }

    /// Returns the unread progress; `None` if there is none, or if the best line starts with an
    /// illegal move.
    pub fn read(&self) -> Option<InfoReply> {
        let state = {
            let mut state = self.state();
            if !std::mem::take(&mut state.is_unread) {
                return None;
            }
            state.clone()
        };
        let position = self.game.position();
        let chosen = *state.lines.get(&1)?.pv.first()?;
        if !rules::is_legal(position, chosen) {
            return None;
        }
        let lines = state.lines.into_values().map(
            |Iteration {
                 score,
                 bound,
                 wdl,
                 depth,
                 pv,
                 ..
             }| PvLine {
                bound,
                wdl,
                ..PvLine::new(depth, score, pv)
            },
        );
        let lines = playable_lines(&self.game, lines);
        // The line that the AI chose, even if it scored another line higher.
        let best = lines
            .iter()
            .find(|line| line.moves.first() == Some(&chosen))?;
        let best = LineReply::new(position, best);
        let lines: Vec<_> = lines
            .iter()
            .map(|line| LineReply::new(position, line))
            .collect();
        Some(InfoReply {
            ai: self.ai.clone(),
            ply: self.ply,
            index: self.index,
            depth: best.depth,
            nodes: state.nodes,
            nps: per_second(state.nodes, state.last - state.started),
            time_ms: (state.last - self.requested).as_millis() as u64,
            score: best.score,
            bound: best.bound,
            wdl: best.wdl,
            pv: best.pv,
            san: best.san,
            lines: self.limits.wants_lines().then_some(lines),
        })
    }

    fn state(&self) -> MutexGuard<'_, ProgressState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for SearchProgress {
    fn on_start(&self) {
        *self.state() = ProgressState::new();
    }

    fn on_iteration(&self, iteration: Iteration) {
        if iteration.pv.is_empty() || !(1..=self.limits.lines()).contains(&iteration.pv_number) {
            return;
        }
        let mut state = self.state();
        state.last = Instant::now();
        state.nodes = iteration.nodes;
        state.lines.insert(iteration.pv_number, iteration);
        state.is_unread = true;
    }
}

fn per_second(nodes: u64, time: Duration) -> u64 {
    let rate = (u128::from(nodes) * 1_000_000_000)
        .checked_div(time.as_nanos())
        .unwrap_or(0);
    u64::try_from(rate).unwrap_or(u64::MAX).min(MAX_COUNT)
}

#[cfg(test)]
mod tests {
    use ai_api::{Limits, Move, Score, SearchInfo};

    use super::*;
    use config::SearchMaxima;
    use protocol::MAX_LINES;

    /// Returns the progress of a search from the start position.
    fn search(lines: u32) -> SearchProgress {
        let most = SearchMaxima {
            depth: None,
            nodes: None,
            movetime_ms: None,
        };
        let limits = SearchLimits::new(Limits::depth(9), &most).with_lines(lines, MAX_LINES);
        SearchProgress::new(Game::new(rules::start_position()), &limits)
    }

    /// Returns an iteration with a line from the start position that ends with an invalid move.
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
        Iteration {
            pv_number,
            ..Iteration::from(&SearchInfo::new(depth, score, 1000, &line))
        }
    }

    #[test]
    fn returns_the_latest_report_of_each_line_once() {
        let search = search(2);
        search.on_start();
        assert_eq!((search.has_unread(), search.read()), (false, None));
        for iteration in [
            iteration(1, 1, &["e2e4"]),
            iteration(2, 1, &["d2d4"]),
            iteration(3, 1, &["c2c4"]),
            iteration(1, 2, &["d2d4", "d7d5"]),
        ] {
            search.on_iteration(iteration);
        }
        assert!(search.has_unread());
        let info = search.read().unwrap();
        assert_eq!(
            (info.depth, info.nodes, info.score),
            (2, 1000, ScoreReply::Cp(20))
        );
        assert_eq!(
            (info.pv, info.san),
            (
                vec!["d2d4".into(), "d7d5".into()],
                vec!["d4".into(), "d5".to_owned()]
            )
        );
        // The second line starts with the same move as the first one, so it is dropped.
        assert_eq!(info.lines.unwrap().len(), 1);
        assert_eq!((search.has_unread(), search.read()), (false, None));
        search.on_iteration(iteration(2, 2, &["e2e4"]));
        let lines = search.read().unwrap().lines.unwrap();
        assert_eq!(
            lines
                .iter()
                .map(|line| line.san[0].as_str())
                .collect::<Vec<_>>(),
            ["d4", "e4"]
        );
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
        search.on_iteration(Iteration {
            pv: Vec::new(),
            ..iteration(1, 9, &[])
        });
        assert_eq!(search.read(), None);
        search.on_iteration(Iteration {
            nodes: u64::MAX,
            ..iteration(1, u32::MAX / 100, &["g1f3"])
        });
        let info = search.read().unwrap();
        assert_eq!(
            (info.pv, info.lines.unwrap().len()),
            (vec!["g1f3".to_owned()], 2)
        );
    }
}
