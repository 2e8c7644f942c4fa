//! The positions that AIs are asked about.

use rules::{Game, legal_moves, parse_fen};

pub(super) const CASTLING: &[&str] = &[
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

pub(super) const EN_PASSANT: &[&str] = &[
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "4k3/8/8/8/1pPp4/8/8/4K3 b - c3 0 1",
    "8/8/3k4/8/3pP3/8/8/4K3 b - e3 0 1",
    "8/6bb/8/8/R1pP2k1/4P3/P7/K7 b - d3 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1",
];

pub(super) const PROMOTION: &[&str] = &[
    "8/P7/8/8/8/8/8/k1K5 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N w - - 0 1",
    "r3k3/1P6/8/8/8/8/8/4K3 w q - 0 1",
    "8/8/8/8/8/8/k1p5/4K3 b - - 0 1",
    "5rk1/4P1P1/8/8/8/8/8/4K3 w - - 0 1",
    "8/5P1k/5K2/8/8/8/8/8 w - - 0 1",
];

pub(super) const IN_CHECK: &[&str] = &[
    "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1",
    "k3r3/8/8/8/8/3n4/8/4K3 w - - 0 1",
    "4k3/8/7p/1b6/8/8/8/5K2 w - - 0 1",
    "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5P2/PPPP2PP/RNBQKBNR w KQkq - 1 3",
    "r1bqk1nr/pppp1ppp/2n5/4p3/1bPP4/5N2/PP2PPPP/RNBQKB1R w KQkq - 1 4",
    "4k3/4r3/8/8/8/8/3P1P2/3QKB2 w - - 0 1",
];

pub(super) const ONE_MOVE: &[&str] = &[
    "rnbqkbnr/ppppp1pp/8/5p1Q/8/4P3/PPPP1PPP/RNB1KBNR b KQkq - 1 2",
    "k7/8/1K6/8/8/8/8/7R b - - 0 1",
    "8/8/8/8/8/5k2/7q/5K2 w - - 0 1",
    "7k/8/6K1/8/8/8/8/R7 b - - 0 1",
];

pub(super) const MATE_NEXT: &[&str] = &[
    "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1",
    "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
    "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2",
    "3r2k1/8/8/8/8/8/5PPP/6K1 b - - 0 1",
    "7k/8/5KQ1/8/8/8/8/8 w - - 0 1",
];

pub(super) const STALEMATE_NEAR: &[&str] = &[
    "8/5P1k/5K2/8/8/8/8/8 w - - 0 1",
    "7k/8/6Q1/8/8/8/8/K7 w - - 0 1",
    "k7/2Q5/8/8/8/8/8/K7 w - - 0 1",
    "5k2/5P2/8/5K2/8/8/8/8 w - - 0 1",
];

pub(super) const MANY_MOVES: &[&str] = &[
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - - 0 1",
];

pub(super) const FEW_MEN: &[&str] = &[
    "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1",
    "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1",
    "8/3k4/8/8/8/8/3KR3/8 b - - 0 1",
    "8/8/3kn3/8/8/3KN3/8/8 w - - 0 1",
    "8/8/3kb3/8/8/3KB3/8/8 b - - 0 1",
    "8/8/8/3k4/8/3K4/3Q4/8 w - - 0 1",
];

pub(super) const NEAR_A_DRAW: &[&str] = &[
    "8/8/3k4/8/8/3KR3/8/8 w - - 99 80",
    "8/8/3k4/8/8/3KR3/8/8 b - - 120 120",
    "8/8/3k4/8/8/3KR3/8/8 w - - 148 140",
    "7k/8/5KQ1/8/8/8/8/8 w - - 149 140",
];

pub(super) const CHESS960: &[&str] = &[
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
    "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9",
    "qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9",
];

/// Positions of ordinary games, for what any position will do.
pub(super) const ORDINARY: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "r2q1rk1/ppp2ppp/2np1n2/2b1p1B1/2B1P1b1/2NP1N2/PPP2PPP/R2Q1RK1 w - - 0 8",
    "2r3k1/1q1nbppp/r3p3/3pP3/pPpP4/P1Q2N2/2RN1PPP/2R4K b - b3 0 23",
    "8/pp3k2/2p2p2/2P1p1p1/1P2P1P1/P4K2/8/8 w - - 0 40",
    "3r1rk1/p4ppp/1p2p3/2qP4/8/1QB5/PP3PPP/R4RK1 b - - 0 20",
];

/// The game that begins with a position of this file.
pub(super) fn game(fen: &str) -> Game {
    Game::new(parse_fen(fen).expect("the positions are legal, which a test holds"))
}

/// Chance that follows from a seed.
pub(super) struct Chance(fastrand::Rng);

impl Chance {
    pub(super) fn of(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0.usize(..bound)
    }

    /// A game of at most so many random moves that is not over.
    pub(super) fn game(&mut self, plies: usize) -> Game {
        let mut game = Game::new(rules::start_position());
        for _ in 0..plies {
            let moves = legal_moves(game.position());
            let mut next = game.clone();
            if next.play(moves[self.below(moves.len())]).is_err() || next.status().outcome.is_some() {
                break;
            }
            game = next;
        }
        game
    }
}

#[cfg(test)]
mod tests {
    use rules::play;

    use super::*;

    #[test]
    fn every_position_is_legal_and_its_game_goes_on() {
        let groups = [
            CASTLING,
            EN_PASSANT,
            PROMOTION,
            IN_CHECK,
            ONE_MOVE,
            MATE_NEXT,
            STALEMATE_NEAR,
            MANY_MOVES,
            FEW_MEN,
            NEAR_A_DRAW,
            CHESS960,
            ORDINARY,
        ];
        for fen in groups.into_iter().flatten() {
            let position = parse_fen(fen).unwrap_or_else(|issues| panic!("{fen}: {issues:?}"));
            assert!(Game::new(position).status().outcome.is_none(), "{fen}");
        }
    }

    #[test]
    fn every_position_is_what_its_group_says() {
        let moves = |fen: &&str| legal_moves(game(fen).position()).to_vec();
        let leads_to = |fen: &&str, reason: &str| {
            moves(fen).into_iter().any(|chosen| {
                let next = Game::new(play(game(fen).position(), chosen));
                next.status().outcome.is_some_and(|outcome| outcome.reason() == reason)
            })
        };
        assert!(ONE_MOVE.iter().all(|fen| moves(fen).len() == 1));
        assert!(MANY_MOVES.iter().all(|fen| moves(fen).len() == 218));
        assert!(IN_CHECK.iter().all(|fen| game(fen).position().in_check()));
        assert!(MATE_NEXT.iter().all(|fen| leads_to(fen, "checkmate")));
        assert!(STALEMATE_NEAR.iter().all(|fen| leads_to(fen, "stalemate")));
        assert!(CHESS960.iter().all(|fen| game(fen).position().is_chess960()));
        assert!(PROMOTION.iter().all(|fen| moves(fen).iter().any(|chosen| chosen.promotion().is_some())));
    }

    #[test]
    fn chance_follows_from_its_seed() {
        let games = |seed| {
            let mut chance = Chance::of(seed);
            [chance.game(40), chance.game(300)].map(|game| game.uci_moves())
        };
        assert_eq!(games(1), games(1));
        assert_ne!(games(1), games(2));
    }
}
