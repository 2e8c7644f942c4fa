//! `info` and `bestmove` lines.

use std::{fmt, time::Duration};

use ai_api::{Bound, Color, Move, Position, Score, ScoreKind, Wdl};

/// The notation of castling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    /// The king moves two squares, except in positions of Chess960.
    Orthodox,
    /// King takes rook.
    Chess960,
}

impl Notation {
    /// Formats a legal move.
    pub(crate) fn format(self, position: &Position, chosen: Move) -> String {
        match self {
            Self::Orthodox => rules::format_uci(position, chosen).to_string(),
            Self::Chess960 => chosen.to_string(),
        }
    }

    /// Formats a legal line, with a leading space.
    fn format_line(self, position: &Position, line: &[Move]) -> String {
        let mut position = *position;
        let mut text = String::new();
        for &chosen in line {
            text.push(' ');
            text.push_str(&self.format(&position, chosen));
            position = rules::play(&position, chosen);
        }
        text
    }
}

/// The result of an iteration with a legal line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PvInfo {
    pub(crate) depth: u32,
    /// 0 if unknown.
    pub(crate) selective_depth: u32,
    /// Per mille; 0 if unknown.
    pub(crate) hashfull: u16,
    pub(crate) tablebase_hits: u64,
    /// For White.
    pub(crate) score: Score,
    /// For White.
    pub(crate) bound: Bound,
    /// For White, or `None` if it is unknown or hidden.
    pub(crate) wdl: Option<Wdl>,
    pub(crate) nodes: u64,
    /// 1 is the best line.
    pub(crate) line_number: u32,
    /// Legal from the position of the search.
    pub(crate) line: Vec<Move>,
}

impl PvInfo {
    pub(crate) const fn new(
        depth: u32,
        score: Score,
        nodes: u64,
        line_number: u32,
        line: Vec<Move>,
    ) -> Self {
        Self {
            depth,
            selective_depth: 0,
            hashfull: 0,
            tablebase_hits: 0,
            score,
            bound: Bound::Exact,
            wdl: None,
            nodes,
            line_number,
            line,
        }
    }

    /// Returns whether depth, score, bound, nodes and line are equal.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let values = |found: &Self| (found.depth, found.score, found.bound, found.nodes);
        values(self) == values(other) && self.line == other.line
    }

    /// Returns the `info` line.
    pub(crate) fn info_line(
        &self,
        position: &Position,
        time: Duration,
        notation: Notation,
    ) -> String {
        let Self {
            depth,
            selective_depth,
            hashfull,
            tablebase_hits,
            score,
            bound,
            wdl,
            nodes,
            line,
            ..
        } = self;
        let turn = position.turn();
        let score = ScoreForMover {
            score: *score,
            turn,
        };
        let bound = match (bound, turn) {
            (Bound::Exact, _) => "",
            (Bound::Lower, Color::White) | (Bound::Upper, Color::Black) => " lowerbound",
            (Bound::Upper, Color::White) | (Bound::Lower, Color::Black) => " upperbound",
        };
        let wdl = wdl.map(|wdl| {
            if turn == Color::White {
                wdl
            } else {
                wdl.swapped()
            }
        });
        let wdl = wdl.map_or_else(String::new, |Wdl { win, draw, loss }| {
            format!(" wdl {win} {draw} {loss}")
        });
        let time_ms = time.as_millis();
        let nps = (u128::from(*nodes) * 1_000_000_000)
            .checked_div(time.as_nanos())
            .unwrap_or(0);
        let pv = if line.is_empty() {
            String::new()
        } else {
            format!(" pv{}", notation.format_line(position, line))
        };
        let seldepth = if *selective_depth > 0 {
            format!(" seldepth {selective_depth}")
        } else {
            String::new()
        };
        let hashfull = if *hashfull > 0 {
            format!(" hashfull {hashfull}")
        } else {
            String::new()
        };
        let hits = if *tablebase_hits > 0 {
            format!(" tbhits {tablebase_hits}")
        } else {
            String::new()
        };
        format!(
            "info depth {depth}{seldepth} score {score}{bound}{wdl} nodes {nodes} nps \
             {nps}{hashfull}{hits} time {time_ms}{pv}"
        )
    }
}

/// A score for the side to move.
struct ScoreForMover {
    score: Score,
    turn: Color,
}

impl fmt::Display for ScoreForMover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let score = Score::from_value(self.score.value().saturating_mul(self.turn.sign()));
        match score.kind() {
            ScoreKind::Centipawns(value) => write!(f, "cp {value}"),
            ScoreKind::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}

/// Returns the `bestmove` line. The second move of the line is the expected reply.
pub(crate) fn best_move(position: &Position, line: &[Move], notation: Notation) -> String {
    let Some(&chosen) = line.first() else {
        return "bestmove (none)".into();
    };
    let text = notation.format(position, chosen);
    match line.get(1) {
        Some(&expected) => {
            let expected = notation.format(&rules::play(position, chosen), expected);
            format!("bestmove {text} ponder {expected}")
        }
        None => format!("bestmove {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(score: Score, moves: &[&str], position: &Position) -> PvInfo {
        let mut at = *position;
        let line = moves.iter().map(|text| {
            let chosen = rules::parse_uci(&at, text).unwrap();
            at = rules::play(&at, chosen);
            chosen
        });
        PvInfo::new(7, score, 5000, 1, line.collect())
    }

    #[test]
    fn formats_scores_for_the_side_to_move() {
        let white = rules::start_position();
        let black = rules::play(&white, rules::parse_uci(&white, "e2e4").unwrap());
        for (position, score, expected) in [
            (white, Score::centipawns(34), "score cp 34 "),
            (black, Score::centipawns(34), "score cp -34 "),
            (white, Score::mate_in_plies(5), "score mate 3 "),
            (black, Score::mate_in_plies(6), "score mate -3 "),
            (black, Score::mated_in_plies(1), "score mate 1 "),
        ] {
            let line = info(score, &[], &position).info_line(
                &position,
                Duration::from_millis(50),
                Notation::Orthodox,
            );
            assert!(line.contains(expected), "{line}");
        }
    }

    #[test]
    fn formats_bounds_and_chances_for_the_side_to_move() {
        let white = rules::start_position();
        let black = rules::play(&white, rules::parse_uci(&white, "e2e4").unwrap());
        let wdl = Some(Wdl {
            win: 300,
            draw: 600,
            loss: 100,
        });
        for (position, bound, expected) in [
            (white, Bound::Exact, " score cp 9 wdl 300 600 100 nodes "),
            (black, Bound::Exact, " score cp -9 wdl 100 600 300 nodes "),
            (
                white,
                Bound::Lower,
                " score cp 9 lowerbound wdl 300 600 100 nodes ",
            ),
            (
                black,
                Bound::Lower,
                " score cp -9 upperbound wdl 100 600 300 nodes ",
            ),
            (
                white,
                Bound::Upper,
                " score cp 9 upperbound wdl 300 600 100 nodes ",
            ),
            (
                black,
                Bound::Upper,
                " score cp -9 lowerbound wdl 100 600 300 nodes ",
            ),
        ] {
            let found = PvInfo {
                bound,
                wdl,
                ..info(Score::centipawns(9), &[], &position)
            };
            let line = found.info_line(&position, Duration::ZERO, Notation::Orthodox);
            assert!(line.contains(expected), "{line}");
        }
    }

    #[test]
    fn info_lines_contain_all_fields() {
        let start = rules::start_position();
        let line = info(Score::centipawns(12), &["e2e4", "e7e5"], &start);
        let text = line.info_line(&start, Duration::from_millis(50), Notation::Orthodox);
        assert_eq!(
            text,
            "info depth 7 score cp 12 nodes 5000 nps 100000 time 50 pv e2e4 e7e5"
        );
        assert!(
            line.info_line(&start, Duration::ZERO, Notation::Orthodox)
                .contains("nps 0 time 0")
        );
        assert_eq!(
            best_move(&start, &line.line, Notation::Orthodox),
            "bestmove e2e4 ponder e7e5"
        );
        assert_eq!(
            best_move(&start, &line.line[..1], Notation::Orthodox),
            "bestmove e2e4"
        );
        assert_eq!(
            best_move(&start, &[], Notation::Orthodox),
            "bestmove (none)"
        );
    }

    #[test]
    fn formats_castling_in_the_requested_notation() {
        let position = rules::parse_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
        let line = info(Score::DRAW, &["e1g1"], &position).line;
        assert_eq!(
            best_move(&position, &line, Notation::Orthodox),
            "bestmove e1g1"
        );
        assert_eq!(
            best_move(&position, &line, Notation::Chess960),
            "bestmove e1h1"
        );
    }
}
