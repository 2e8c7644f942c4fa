//! Games that a player lost although an evaluation had shown it winning.

use ai_api::{Color, Score};
use rules::{PgnGame, PgnResult, format_san, play};

/// The lowest evaluation of a won position, in centipawns.
const WON: i32 = 300;

/// A game that a player lost, with the last move for which the evaluation was winning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostFromWon {
    /// The game's number in the schedule.
    pub game: usize,
    pub loser: String,
    pub winner: String,
    /// The colour of the loser.
    pub color: Color,
    /// The move with its number: `34... Qxf7`.
    pub at: String,
    /// The evaluation of this move, from the loser's point of view.
    pub score: Score,
    /// The player that moved and gave the evaluation.
    pub by: String,
    /// How the game ended.
    pub reason: String,
    pub result: PgnResult,
    /// The line in the PGN file at which the game begins, from 1.
    pub line: Option<usize>,
}

impl LostFromWon {
    /// Finds the last evaluation that was winning for the loser in a game that was played here.
    pub(crate) fn find(pgn: &PgnGame, line: Option<usize>) -> Option<Self> {
        let PgnResult::Win(winner) = pgn.result else {
            return None;
        };
        let color = !winner;
        let name = |side| {
            pgn.tag(if side == Color::White {
                "White"
            } else {
                "Black"
            })
            .map(str::to_owned)
        };
        let comments = &pgn.notes.comments;
        let mut current = *pgn.game.start();
        let mut last = None;
        for (index, &chosen) in pgn.game.moves().iter().enumerate() {
            let score = comments
                .get(index + 1)
                .and_then(|comment| evaluation(comment));
            let score = score.map(|score| if color == Color::White { score } else { -score });
            if let Some(score) = score.filter(|score| score.value() >= WON) {
                last = Some((current, chosen, score));
            }
            current = play(&current, chosen);
        }
        let (position, chosen, score) = last?;
        let turn = position.turn();
        let dots = if turn == Color::White { "." } else { "..." };
        Some(Self {
            game: pgn.tag("Round")?.parse().ok()?,
            loser: name(color)?,
            winner: name(winner)?,
            color,
            at: format!(
                "{}{dots} {}",
                position.fullmove_number(),
                format_san(&position, chosen)
            ),
            score,
            by: name(turn)?,
            reason: reason(pgn),
            result: pgn.result,
            line,
        })
    }
}

/// Returns how a game that was played here ended: its last comment without the commands before it.
pub fn reason(pgn: &PgnGame) -> String {
    let last = pgn.notes.comments.last();
    // A file wraps its lines at any space.
    let mut words = last
        .map_or("", |comment| comment.as_str())
        .split_whitespace()
        .peekable();
    while let Some(command) = words.next_if(|word| word.starts_with("[%")) {
        if !command.ends_with(']') {
            words.find(|word| word.ends_with(']'));
        }
    }
    words.collect::<Vec<_>>().join(" ")
}

/// Reads a comment's `[%eval]`, from White's point of view.
fn evaluation(comment: &str) -> Option<Score> {
    let mut words = comment
        .split_whitespace()
        .skip_while(|word| *word != "[%eval");
    let value = words.nth(1)?.trim_end_matches(']').split(',').next()?;
    match value.strip_prefix('#') {
        Some(mate) => {
            let moves: i32 = mate.parse().ok()?;
            let plies = moves.unsigned_abs().saturating_mul(2);
            Some(if moves > 0 {
                Score::mate_in_plies(plies - 1)
            } else {
                Score::mated_in_plies(plies)
            })
        }
        None => value
            .parse()
            .ok()
            .map(|pawns: f64| Score::centipawns((pawns * 100.0).round() as i32)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(moves: &str, result: &str) -> Option<LostFromWon> {
        let tags = "[Round \"7\"]\n[White \"new.so\"]\n[Black \"old.so\"]";
        let text = format!("{tags}\n\n{moves} {result}\n");
        LostFromWon::find(&rules::parse_pgn(&text).unwrap()[0], Some(3))
    }

    #[test]
    fn finds_the_last_move_with_a_won_evaluation() {
        let moves = "1. e4 {[%eval 3.10,5] [%emt 0:00:00.001]} e5 {[%eval\n4.00,3] [%emt \
                     0:00:00.001]} 2. Nf3 {[%eval 2.99,5]} Nc6 {[%eval -9.00,5] [%emt 0:00:00.001] \
                     White loses on time}";
        let found = lost(moves, "0-1").unwrap();
        assert_eq!(
            (found.game, found.at.as_str(), found.score),
            (7, "1... e5", Score::centipawns(400))
        );
        assert_eq!(
            (
                found.loser.as_str(),
                found.winner.as_str(),
                found.by.as_str(),
                found.color
            ),
            ("new.so", "old.so", "old.so", Color::White)
        );
        assert_eq!(
            (found.reason.as_str(), found.line),
            ("White loses on time", Some(3))
        );
        assert_eq!(lost(moves, "1/2-1/2"), None);
        let black = lost(moves, "1-0").unwrap();
        assert_eq!(
            (black.at.as_str(), black.score),
            ("2... Nc6", Score::centipawns(900))
        );
    }

    #[test]
    fn a_mate_counts_as_won() {
        let found = lost("1. e4 {[%eval #-3,5]} e5 {[%eval #2,5]}", "1-0").unwrap();
        assert_eq!(
            (found.at.as_str(), found.score),
            ("1. e4", Score::mate_in_plies(6))
        );
        assert_eq!(
            lost("1. e4 {[%eval 2.99,5]} e5 {no evaluation}", "0-1"),
            None
        );
    }
}
