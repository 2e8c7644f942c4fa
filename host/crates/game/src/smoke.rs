//! The positions of the smoke tests, and the rules for checking their results.

use std::time::Duration;

use ai_api::Limits;
use rules::Game;

use super::{job, legal_move, wrong_response};
use pool::SmokeTest;
use protocol::{Response, Task};

const ONE_PLY: Task = Task::Search(Limits::depth(1));
/// The time for one ply. An AI that ignores depth limits is stopped after this time.
const TIME: Duration = Duration::from_secs(1);
/// More nodes than any AI can search, so the AI must be stopped.
const WITHOUT_END: Task = Task::Search(Limits::nodes(1_000_000_000_000));
const SHORT_TIME: Duration = Duration::from_millis(30);

const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/8/4R2K w - - 0 1";
/// White can mate with the queen, or stalemate with the king.
const STALEMATE_TRAP: &str = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1";

/// Returns the smoke tests: the start position, a mate in one, a stalemate trap, and a timely stop.
/// Every result must be a legal move. Its quality is not checked.
///
/// # Panics
/// Never: the positions are legal.
pub fn smoke_tests() -> Vec<SmokeTest> {
    let smoke_test = |name, fen: Option<&str>, task, stop_after| {
        let game = Game::from_moves(fen, &[] as &[&str])
            .expect("the positions of the smoke tests are legal");
        let job = job(&game, task);
        let expectation = move |response: &Response| match response {
            Response::Searched(answer) => legal_move(&game, answer).map(|_| ()),
            Response::Evaluated(..) | Response::Probed(_) => Err(wrong_response()),
        };
        SmokeTest {
            name,
            job,
            stop_after,
            expectation: Box::new(expectation),
        }
    };
    vec![
        smoke_test("the start position", None, ONE_PLY, TIME),
        smoke_test("a mate in one", Some(MATE_IN_ONE), ONE_PLY, TIME),
        smoke_test("a stalemate trap", Some(STALEMATE_TRAP), ONE_PLY, TIME),
        smoke_test("a stop in time", None, WITHOUT_END, SHORT_TIME),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_match_their_names() {
        let winner = |fen, uci: &str| {
            let outcome = Game::from_moves(Some(fen), &[uci])
                .unwrap()
                .status()
                .outcome;
            outcome.expect("the move ends the game").winner()
        };
        assert_eq!(winner(MATE_IN_ONE, "e1e8"), Some(ai_api::Color::White));
        assert_eq!(winner(STALEMATE_TRAP, "g6g7"), Some(ai_api::Color::White));
        assert_eq!(winner(STALEMATE_TRAP, "f6f7"), None);
    }

    #[test]
    fn only_legal_moves_pass() {
        let [start, mate, ..] = &smoke_tests()[..] else {
            panic!("there are smoke tests")
        };
        let play = |uci: &str, fen: Option<&str>| {
            let game = Game::from_moves(fen, &[uci]).unwrap();
            Response::Searched(ai_api::SearchResult::play(game.moves()[0]))
        };
        let (opening, mating) = (play("e2e4", None), play("e1e8", Some(MATE_IN_ONE)));
        assert!((start.expectation)(&opening).is_ok() && (mate.expectation)(&mating).is_ok());
        assert!((start.expectation)(&mating).is_err() && (mate.expectation)(&opening).is_err());
        assert!(
            (start.expectation)(&Response::Evaluated(ai_api::Score::DRAW, Vec::new())).is_err()
        );
    }
}
