//! Response of an AI as lines of UCI.

use std::{fmt, time::Duration};

use ai_api::{Color, Move, Position, Score, ScoreKind};

/// How castling is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// As the king's two steps, where the position is not one of Chess960.
    Orthodox,
    /// As king takes rook.
    Chess960,
}

impl Notation {
    /// A legal move, as the chess program reads it.
    pub(super) fn write(self, position: &Position, chosen: Move) -> String {
        match self {
            Self::Orthodox => rules::format_uci(position, chosen).to_string(),
            Self::Chess960 => chosen.to_string(),
        }
    }

    /// A legal line of play.
    fn write_line(self, position: &Position, line: &[Move]) -> String {
        let mut position = *position;
        let mut text = String::new();
        for &chosen in line {
            text.push(' ');
            text.push_str(&self.write(&position, chosen));
            position = rules::play(&position, chosen);
        }
        text
    }
}

/// What is known after an iteration, its line played out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) depth: u32,
    /// The length of the longest line looked at; 0 where it is not known.
    pub(super) selective_depth: u32,
    /// For White.
    pub(super) score: Score,
    pub(super) nodes: u64,
    /// Which line it is: 1 is the best one.
    pub(super) line_number: u32,
    /// A line of play that is legal.
    pub(super) line: Vec<Move>,
}

impl Finding {
    /// Whether the other one is no news after this one.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        let figures = |found: &Self| (found.depth, found.score, found.nodes);
        figures(self) == figures(other) && self.line == other.line
    }

    /// The `info` line.
    pub(super) fn line(&self, position: &Position, time: Duration, notation: Notation) -> String {
        let Self { depth, selective_depth, score, nodes, line_number: _, line } = self;
        let score = ForMover { score: *score, turn: position.turn() };
        let time_ms = time.as_millis();
        let nps = (u128::from(*nodes) * 1_000_000_000).checked_div(time.as_nanos()).unwrap_or(0);
        let pv = if line.is_empty() {
            String::new()
        } else {
            format!(" pv{}", notation.write_line(position, line))
        };
        let seldepth =
            if *selective_depth > 0 { format!(" seldepth {selective_depth}") } else { String::new() };
        format!("info depth {depth}{seldepth} score {score} nodes {nodes} nps {nps} time {time_ms}{pv}")
    }
}

/// A score as the side to move sees it.
struct ForMover {
    score: Score,
    turn: Color,
}

impl fmt::Display for ForMover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let score = Score::from_value(self.score.value().saturating_mul(self.turn.sign()));
        match score.kind() {
            ScoreKind::Centipawns(value) => write!(f, "cp {value}"),
            ScoreKind::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}

/// The `bestmove` line. The second move of the line is what the AI expects.
pub(super) fn best_move(position: &Position, line: &[Move], notation: Notation) -> String {
    let Some(&chosen) = line.first() else { return "bestmove (none)".into() };
    let text = notation.write(position, chosen);
    match line.get(1) {
        Some(&expected) => {
            let expected = notation.write(&rules::play(position, chosen), expected);
            format!("bestmove {text} ponder {expected}")
        }
        None => format!("bestmove {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(score: Score, moves: &[&str], position: &Position) -> Finding {
        let mut at = *position;
        let line = moves.iter().map(|text| {
            let chosen = rules::parse_uci(&at, text).unwrap();
            at = rules::play(&at, chosen);
            chosen
        });
        Finding { depth: 7, selective_depth: 0, score, nodes: 5000, line_number: 1, line: line.collect() }
    }

    #[test]
    fn scores_are_those_of_the_side_to_move() {
        let white = rules::start_position();
        let black = rules::play(&white, rules::parse_uci(&white, "e2e4").unwrap());
        for (position, score, expected) in [
            (white, Score::centipawns(34), "score cp 34 "),
            (black, Score::centipawns(34), "score cp -34 "),
            (white, Score::mate_in_plies(5), "score mate 3 "),
            (black, Score::mate_in_plies(6), "score mate -3 "),
            (black, Score::mated_in_plies(1), "score mate 1 "),
        ] {
            let line =
                finding(score, &[], &position).line(&position, Duration::from_millis(50), Notation::Orthodox);
            assert!(line.contains(expected), "{line}");
        }
    }

    #[test]
    fn a_line_has_all_that_chess_programs_show() {
        let start = rules::start_position();
        let line = finding(Score::centipawns(12), &["e2e4", "e7e5"], &start);
        let text = line.line(&start, Duration::from_millis(50), Notation::Orthodox);
        assert_eq!(text, "info depth 7 score cp 12 nodes 5000 nps 100000 time 50 pv e2e4 e7e5");
        assert!(line.line(&start, Duration::ZERO, Notation::Orthodox).contains("nps 0 time 0"));
        assert_eq!(best_move(&start, &line.line, Notation::Orthodox), "bestmove e2e4 ponder e7e5");
        assert_eq!(best_move(&start, &line.line[..1], Notation::Orthodox), "bestmove e2e4");
        assert_eq!(best_move(&start, &[], Notation::Orthodox), "bestmove (none)");
    }

    #[test]
    fn castling_is_written_as_the_chess_program_wants_it() {
        let position = rules::parse_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
        let line = finding(Score::DRAW, &["e1g1"], &position).line;
        assert_eq!(best_move(&position, &line, Notation::Orthodox), "bestmove e1g1");
        assert_eq!(best_move(&position, &line, Notation::Chess960), "bestmove e1h1");
    }
}
