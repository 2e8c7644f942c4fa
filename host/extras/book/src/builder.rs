//! Builds books from games.

use std::collections::{BTreeMap, btree_map::Entry as Place};

use ai_api::{Color, Move};
use ai_book::{Entry, key_after};
use rules::{PgnGame, PgnResult, passed_square, play};

/// The points that a move gets in a game, by the result for the side that moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Points {
    pub win: u16,
    /// The points for a draw or a game without a result.
    pub draw: u16,
    pub loss: u16,
}

/// A move of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameMove {
    /// The key of the position before the move.
    pub key: u64,
    pub chosen: Move,
    pub points: u16,
}

/// Returns the first moves of a game.
pub fn moves_of_game(pgn: &PgnGame, plies: usize, points: Points) -> Vec<GameMove> {
    let of = |turn: Color| match pgn.result {
        PgnResult::Win(winner) if winner == turn => points.win,
        PgnResult::Win(_) => points.loss,
        PgnResult::Draw | PgnResult::Unknown => points.draw,
    };
    let (mut position, mut passed) = (*pgn.game.start(), pgn.game.passed_before());
    let moves = pgn.game.moves().iter().take(plies).map(|&chosen| {
        let found = GameMove {
            key: key_after(&position, passed),
            chosen,
            points: of(position.turn()),
        };
        position = play(&position, chosen);
        passed = passed_square(&position, chosen);
        found
    });
    moves.collect()
}

/// Counts the moves of games.
#[derive(Debug, Default)]
pub struct BookBuilder(BTreeMap<(u64, Move), MoveCount>);

#[derive(Debug)]
struct MoveCount {
    games: u64,
    points: u64,
}

impl BookBuilder {
    pub fn add(
        &mut self,
        GameMove {
            key,
            chosen,
            points,
        }: GameMove,
    ) {
        let points = u64::from(points);
        match self.0.entry((key, chosen)) {
            Place::Vacant(place) => {
                place.insert(MoveCount { games: 1, points });
            }
            Place::Occupied(mut place) => {
                let count = place.get_mut();
                count.games += 1;
                count.points += points;
            }
        }
    }

    /// Returns the entries of a book: each move with at least `min_games` games and one point,
    /// weighted by its points. If a weight is too large for the format, all weights of its position
    /// are scaled down.
    pub fn entries(mut self, min_games: u64) -> Vec<Entry> {
        self.0
            .retain(|_, count| count.games >= min_games && count.points > 0);
        let mut most = BTreeMap::<u64, u64>::new();
        for (&(key, _), count) in &self.0 {
            let most = most.entry(key).or_default();
            *most = count.points.max(*most);
        }
        let entries = self.0.into_iter().map(|((key, chosen), count)| {
            let most = most[&key].max(u64::from(u16::MAX));
            let weight = u128::from(count.points) * u128::from(u16::MAX) / u128::from(most);
            Entry {
                key,
                chosen,
                weight: (weight as u16).max(1),
                learn: 0,
            }
        });
        entries.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: Points = Points {
        win: 2,
        draw: 1,
        loss: 0,
    };

    fn entries(pgn: &str, plies: usize, min_games: u64) -> Vec<(String, u16)> {
        let mut builder = BookBuilder::default();
        for game in rules::parse_pgn(pgn).unwrap() {
            for found in moves_of_game(&game, plies, POINTS) {
                builder.add(found);
            }
        }
        let mut entries: Vec<_> = builder
            .entries(min_games)
            .iter()
            .map(|entry| (entry.chosen.to_string(), entry.weight))
            .collect();
        entries.sort();
        entries
    }

    fn expected(moves: &[(&str, u16)]) -> Vec<(String, u16)> {
        moves
            .iter()
            .map(|&(uci, weight)| (uci.to_owned(), weight))
            .collect()
    }

    #[test]
    fn weights_are_the_points_of_the_side_that_moved() {
        let pgn = "1. e4 e5 1-0\n\n1. e4 c5 0-1\n\n1. e4 c5 1/2-1/2\n\n1. d4 d5 *\n\n";
        let all = [("c7c5", 3), ("d2d4", 1), ("d7d5", 1), ("e2e4", 3)];
        // The move that lost every game is not in the book.
        assert_eq!(entries(pgn, 9, 1), expected(&all));
    }

    #[test]
    fn leaves_out_late_and_rare_moves() {
        let pgn = "1. e4 e5 2. Nf3 1/2-1/2\n\n1. e4 c5 1/2-1/2\n\n";
        assert_eq!(entries(pgn, 1, 1), expected(&[("e2e4", 2)]));
        assert_eq!(entries(pgn, 9, 2), expected(&[("e2e4", 2)]));
        assert_eq!(entries(pgn, 9, 3), []);
    }

    #[test]
    fn transpositions_share_their_entries() {
        let pgn = "1. d4 d5 2. c4 e6 1-0\n\n1. c4 d5 2. d4 e6 1/2-1/2\n\n";
        let weights = entries(pgn, 9, 2);
        assert_eq!(weights, expected(&[("e7e6", 1)]));
    }

    #[test]
    fn key_ignores_en_passant_without_a_legal_capture() {
        // The pawn on e4 is pinned. The second game begins in this position.
        let line = "1. e4 d5 2. exd5 e5 3. Qe2 e4 4. d4 Nf6 *\n\n";
        let begun = "[FEN \"rnbqkbnr/ppp2ppp/8/3P4/3Pp3/8/PPP1QPPP/RNB1KBNR b KQkq d3 0 \
            4\"]\n\n4... Nf6 *\n\n";
        let games = rules::parse_pgn(&(line.to_owned() + begun)).unwrap();
        let [first, second] =
            [0, 1].map(|game| *moves_of_game(&games[game], 9, POINTS).last().unwrap());
        assert_eq!(first, second);
        let before = rules::Game::from_moves(
            None,
            &["e2e4", "d7d5", "e4d5", "e7e5", "d1e2", "e5e4", "d2d4"],
        )
        .unwrap();
        assert_eq!(first.key, key_after(before.position(), "d3".parse().ok()));
        assert_ne!(first.key, ai_book::key(before.position()));
    }

    #[test]
    fn large_weights_are_scaled_within_their_position() {
        let mut builder = BookBuilder::default();
        let chosen = Move::from_bits(0o1234);
        for _ in 0..4 {
            builder.add(GameMove {
                key: 1,
                chosen,
                points: u16::MAX,
            });
        }
        builder.add(GameMove {
            key: 1,
            chosen: Move::from_bits(0o1235),
            points: u16::MAX,
        });
        builder.add(GameMove {
            key: 1,
            chosen: Move::from_bits(0o1236),
            points: 1,
        });
        builder.add(GameMove {
            key: 2,
            chosen,
            points: 5,
        });
        let weights: Vec<_> = builder
            .entries(1)
            .iter()
            .map(|entry| entry.weight)
            .collect();
        assert_eq!(weights, [u16::MAX, u16::MAX / 4, 1, 5]);
    }
}
