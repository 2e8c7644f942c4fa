//! Asks an AI: turns a position into a job, and the result into a legal move and a playable line.

use std::{cmp::Reverse, collections::BTreeSet};

use ai_api::{Bound, Move, PvLine, Score, SearchResult};
use pool::{Ai, Fault};
use protocol::{Job, SearchParams, Task};
use rules::{Game, Status};

use crate::error::ServiceError;

/// Returns the job for an AI in a game, with its configured options. A job whose result is
/// repeatable is independent of earlier jobs.
pub fn job(game: &Game, task: Task) -> Job {
    let (params, options) = (SearchParams::default(), Vec::new());
    let fresh = task.is_repeatable();
    Job {
        fresh,
        fen: rules::format_fen(game.start()),
        moves: game.moves().to_vec(),
        task,
        params,
        options,
    }
}

/// Returns the move of a result.
///
/// # Errors
/// The result contains no move, or an illegal one.
pub fn legal_move(game: &Game, answer: &SearchResult) -> Result<Move, Fault> {
    let Some(chosen) = answer.best_move else {
        return Err(Fault::IllegalMove("played no move".into()));
    };
    if rules::is_legal(game.position(), chosen) {
        Ok(chosen)
    } else {
        let fen = rules::format_fen(game.position());
        Err(Fault::IllegalMove(
            format!("played {chosen}, which is not legal in {fen}").into(),
        ))
    }
}

/// Returns the score of a result; `None` if no search has found it. Every result in the contract
/// has a score, so a score of depth 0 means nothing if the AI visited at most one position, as with
/// a book move, or if the score is exactly 0. A mate is never a guess.
pub fn known_score(result: &SearchResult) -> Option<Score> {
    let is_zero =
        result.score == Score::DRAW && result.bound == Bound::Exact && result.wdl.is_none();
    let is_guess = result.nodes <= 1 && result.score.plies_to_mate().is_none();
    (result.depth > 0 || !is_zero && !is_guess).then_some(result.score)
}

/// Returns the longest playable prefix of a line. If the line does not start with the chosen move,
/// it is reduced to that move.
pub fn playable_line(game: &Game, chosen: Move, line: &[Move]) -> Vec<Move> {
    if line.first() != Some(&chosen) {
        return vec![chosen];
    }
    let mut ahead = game.clone();
    line.iter()
        .copied()
        .take_while(|&next| ahead.play(next).is_ok())
        .collect()
}

/// Returns the score of a game that is over.
pub(crate) fn final_score(status: &Status) -> Option<Score> {
    status.outcome.map(|outcome| match outcome.winner() {
        Some(ai_api::Color::White) => Score::MAX,
        Some(ai_api::Color::Black) => Score::MIN,
        None => Score::DRAW,
    })
}

/// Returns the fault of an AI that evaluates when it should search, or the reverse.
pub fn wrong_response() -> Fault {
    Fault::Protocol("its response does not match the request".into())
}

/// Cuts each line to its playable prefix and orders the lines by score, the best for the side to
/// move first. Equal lines keep the AI's order. Drops a line that starts with an illegal move or
/// with the move of an earlier line.
///
/// An AI may score a later line higher than an earlier one, because each line is a separate search.
pub fn playable_lines(game: &Game, lines: impl Iterator<Item = PvLine>) -> Vec<PvLine> {
    let mut seen = BTreeSet::new();
    let playable = lines.filter_map(|line| {
        let first = *line.moves.first()?;
        let is_new = rules::is_legal(game.position(), first) && seen.insert(first.to_bits());
        is_new.then(|| PvLine {
            moves: playable_line(game, first, &line.moves),
            ..line
        })
    });
    let mut ordered: Vec<PvLine> = playable.collect();
    let sign = game.position().turn().sign();
    ordered.sort_by_key(|line| Reverse(line.score.value() * sign));
    ordered
}

/// Checks that the AI plays the game's variant.
pub(crate) fn check_variant(ai: &Ai, game: &Game) -> Result<(), ServiceError> {
    if !game.position().is_chess960() || ai.about.capabilities.chess960 {
        return Ok(());
    }
    Err(ServiceError::NoChess960 { ai: ai.id.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first moves of an AI's lines, in the order of `playable_lines`.
    fn ordered(game: &Game, lines: &[(&str, i32)]) -> Vec<String> {
        let line = |&(uci, score): &(&str, i32)| {
            let moves = vec![rules::parse_uci(game.position(), uci).unwrap()];
            PvLine::new(1, Score::centipawns(score), moves)
        };
        playable_lines(game, lines.iter().map(line))
            .iter()
            .map(|line| line.moves[0].to_string())
            .collect()
    }

    #[test]
    fn orders_lines_by_score_for_the_side_to_move() {
        let mut game = Game::new(rules::start_position());
        assert_eq!(
            ordered(
                &game,
                &[("e2e4", 5), ("d2d4", 35), ("c2c4", 25), ("g1f3", 25)]
            ),
            ["d2d4", "c2c4", "g1f3", "e2e4"]
        );
        game.play(rules::parse_uci(game.position(), "e2e4").unwrap())
            .unwrap();
        assert_eq!(
            ordered(&game, &[("e7e5", 30), ("c7c5", -10), ("e7e6", 20)]),
            ["c7c5", "e7e6", "e7e5"]
        );
    }

    #[test]
    fn a_result_without_a_search_has_no_score() {
        let moved = || SearchResult::play(Move::from_bits(0));
        let score = Score::centipawns(30);
        for result in [
            moved(),
            SearchResult { score, ..moved() },
            SearchResult {
                score,
                nodes: 0,
                ..moved()
            },
            SearchResult {
                bound: Bound::Lower,
                ..moved()
            },
            SearchResult {
                nodes: 900,
                ..moved()
            },
        ] {
            assert_eq!(known_score(&result), None, "{result:?}");
        }
        let mate = Score::mate_in_plies(1);
        for result in [
            SearchResult {
                depth: 1,
                ..moved()
            },
            SearchResult {
                score,
                depth: 9,
                nodes: 0,
                ..moved()
            },
            SearchResult {
                score,
                nodes: 2,
                ..moved()
            },
            SearchResult {
                bound: Bound::Lower,
                nodes: 2,
                ..moved()
            },
            SearchResult {
                score: mate,
                ..moved()
            },
            SearchResult {
                score: -mate,
                ..moved()
            },
        ] {
            assert_eq!(known_score(&result), Some(result.score), "{result:?}");
        }
    }

    #[test]
    fn keeps_only_the_first_line_of_a_move() {
        assert_eq!(
            ordered(
                &Game::new(rules::start_position()),
                &[("e2e4", 5), ("d2d4", 1), ("e2e4", 9)]
            ),
            ["e2e4", "d2d4"]
        );
    }
}
