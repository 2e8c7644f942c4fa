//! The positions that checks send to the AI.

use rules::{Game, parse_fen, parse_uci, start_position};

pub(crate) const CASTLING: &[&str] = &[
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
    "r3k2r/8/8/8/4Q3/8/8/R3K2R b KQkq - 0 1",
    "r3k2r/8/8/8/8/6n1/8/R3K2R w KQkq - 0 1",
    "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
    "r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1",
    "1r2k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
    "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 6 5",
];

pub(crate) const EN_PASSANT: &[&str] = &[
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "4k3/8/8/8/1pPp4/8/8/4K3 b - c3 0 1",
    "8/8/3k4/8/3pP3/8/8/4K3 b - e3 0 1",
    "8/6bb/8/8/R1pP2k1/4P3/P7/K7 b - d3 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1",
];

pub(crate) const PROMOTION: &[&str] = &[
    "8/P7/8/8/8/8/8/k1K5 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N w - - 0 1",
    "r3k3/1P6/8/8/8/8/8/4K3 w q - 0 1",
    "8/8/8/8/8/8/k1p5/4K3 b - - 0 1",
    "5rk1/4P1P1/8/8/8/8/8/4K3 w - - 0 1",
    "8/5P1k/5K2/8/8/8/8/8 w - - 0 1",
];

pub(crate) const IN_CHECK: &[&str] = &[
    "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1",
    "k3r3/8/8/8/8/3n4/8/4K3 w - - 0 1",
    "4k3/8/7p/1b6/8/8/8/5K2 w - - 0 1",
    "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5P2/PPPP2PP/RNBQKBNR w KQkq - 1 3",
    "r1bqk1nr/pppp1ppp/2n5/4p3/1bPP4/5N2/PP2PPPP/RNBQKB1R w KQkq - 1 4",
    "4k3/4r3/8/8/8/8/3P1P2/3QKB2 w - - 0 1",
];

pub(crate) const ONE_LEGAL_MOVE: &[&str] = &[
    "rnbqkbnr/ppppp1pp/8/5p1Q/8/4P3/PPPP1PPP/RNB1KBNR b KQkq - 1 2",
    "k7/8/1K6/8/8/8/8/7R b - - 0 1",
    "8/8/8/8/8/5k2/7q/5K2 w - - 0 1",
    "7k/8/6K1/8/8/8/8/R7 b - - 0 1",
];

pub(crate) const MATE_IN_ONE: &[&str] = &[
    "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1",
    "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
    "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2",
    "3r2k1/8/8/8/8/8/5PPP/6K1 b - - 0 1",
    "7k/8/5KQ1/8/8/8/8/8 w - - 0 1",
];

pub(crate) const STALEMATE_POSSIBLE: &[&str] = &[
    "8/5P1k/5K2/8/8/8/8/8 w - - 0 1",
    "7k/8/6Q1/8/8/8/8/K7 w - - 0 1",
    "k7/2Q5/8/8/8/8/8/K7 w - - 0 1",
    "5k2/5P2/8/5K2/8/8/8/8 w - - 0 1",
];

pub(crate) const MANY_MOVES: &[&str] = &[
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - - 0 1",
];

pub(crate) const FEW_PIECES: &[&str] = &[
    "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1",
    "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1",
    "8/3k4/8/8/8/8/3KR3/8 b - - 0 1",
    "8/8/3kn3/8/8/3KN3/8/8 w - - 0 1",
    "8/8/3kb3/8/8/3KB3/8/8 b - - 0 1",
    "8/8/8/3k4/8/3K4/3Q4/8 w - - 0 1",
];

pub(crate) const NEAR_FIFTY_MOVES: &[&str] = &[
    "8/8/3k4/8/8/3KR3/8/8 w - - 99 80",
    "8/8/3k4/8/8/3KR3/8/8 b - - 120 120",
    "8/8/3k4/8/8/3KR3/8/8 w - - 148 140",
    "7k/8/5KQ1/8/8/8/8/8 w - - 149 140",
];

pub(crate) const CHESS960: &[&str] = &[
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
    "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9",
    "qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9",
];

/// Positions of ordinary games, for checks that need no special position.
pub(crate) const ORDINARY: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "r2q1rk1/ppp2ppp/2np1n2/2b1p1B1/2B1P1b1/2NP1N2/PPP2PPP/R2Q1RK1 w - - 0 8",
    "2r3k1/1q1nbppp/r3p3/3pP3/pPpP4/P1Q2N2/2RN1PPP/2R4K b - b3 0 23",
    "8/pp3k2/2p2p2/2P1p1p1/1P2P1P1/P4K2/8/8 w - - 0 40",
    "3r1rk1/p4ppp/1p2p3/2qP4/8/1QB5/PP3PPP/R4RK1 b - - 0 20",
];

/// A position that no book contains.
pub(crate) const ENDGAME: &str = ORDINARY[4];

/// The moves of a game that many books contain.
pub(crate) const RUY_LOPEZ: &[&str] = &["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"];

pub(crate) const OPENINGS: [&[&str]; 4] = [
    RUY_LOPEZ,
    &["e2e4", "c7c5", "g1f3"],
    &["d2d4", "d7d5", "c2c4"],
    &["d2d4", "g8f6", "c2c4"],
];

/// Returns a game before its first move and after each of its moves.
///
/// # Panics
/// A move is not legal.
pub(crate) fn game_by_moves(moves: &[&str]) -> Vec<Game> {
    let mut played = Game::new(start_position());
    let mut games = vec![played.clone()];
    for text in moves {
        let chosen =
            parse_uci(played.position(), text).expect("a test proves that every move is legal");
        played
            .play(chosen)
            .expect("a test proves that every move is legal");
        games.push(played.clone());
    }
    games
}

/// Returns the game that starts from one of this file's positions.
///
/// # Panics
/// The FEN is not legal.
pub(crate) fn game(fen: &str) -> Game {
    Game::new(parse_fen(fen).expect("a test proves that every position is legal"))
}

#[cfg(test)]
mod tests {
    use rules::{legal_moves, play};

    use super::*;

    #[test]
    fn positions_are_legal_and_not_over() {
        let groups = [
            CASTLING,
            EN_PASSANT,
            PROMOTION,
            IN_CHECK,
            ONE_LEGAL_MOVE,
            MATE_IN_ONE,
            STALEMATE_POSSIBLE,
            MANY_MOVES,
            FEW_PIECES,
            NEAR_FIFTY_MOVES,
            CHESS960,
            ORDINARY,
        ];
        for fen in groups.into_iter().flatten() {
            let position = parse_fen(fen).unwrap_or_else(|issues| panic!("{fen}: {issues:?}"));
            assert!(Game::new(position).status().outcome.is_none(), "{fen}");
        }
    }

    #[test]
    fn opening_moves_are_legal() {
        for opening in OPENINGS {
            assert_eq!(game_by_moves(opening).len(), opening.len() + 1);
        }
    }

    #[test]
    fn positions_match_the_name_of_their_group() {
        let moves = |fen: &&str| legal_moves(game(fen).position()).to_vec();
        let reaches = |fen: &&str, reason: &str| {
            moves(fen).into_iter().any(|chosen| {
                let next = Game::new(play(game(fen).position(), chosen));
                next.status()
                    .outcome
                    .is_some_and(|outcome| outcome.reason() == reason)
            })
        };
        assert!(ONE_LEGAL_MOVE.iter().all(|fen| moves(fen).len() == 1));
        assert!(MANY_MOVES.iter().all(|fen| moves(fen).len() == 218));
        assert!(IN_CHECK.iter().all(|fen| game(fen).position().in_check()));
        assert!(MATE_IN_ONE.iter().all(|fen| reaches(fen, "checkmate")));
        assert!(
            STALEMATE_POSSIBLE
                .iter()
                .all(|fen| reaches(fen, "stalemate"))
        );
        assert!(
            CHESS960
                .iter()
                .all(|fen| game(fen).position().is_chess960())
        );
        assert!(
            PROMOTION
                .iter()
                .all(|fen| moves(fen).iter().any(|chosen| chosen.promotion().is_some()))
        );
    }
}
