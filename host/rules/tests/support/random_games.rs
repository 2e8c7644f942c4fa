//! Games of random moves from a seed.

use ai_api::{Move, Position, Role};
use rules::{Game, legal_moves};

/// Splitmix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// A game of random legal moves that ends with the rules or after `plies`. Castling and captures en passant are
/// preferred, so that they occur.
pub(crate) fn random_game(start: Position, plies: usize, random: &mut Random) -> Game {
    let mut game = Game::new(start);
    while game.moves().len() < plies && game.status().outcome.is_none() {
        let position = *game.position();
        let moves = legal_moves(&position);
        let is_rare = |chosen: &&Move| {
            position.is_castling(**chosen)
                || position.role_at(chosen.from()) == Some(Role::Pawn)
                    && position.en_passant() == Some(chosen.to())
        };
        let rare: Vec<Move> = moves.iter().filter(is_rare).copied().collect();
        let chosen = if !rare.is_empty() && random.below(2) == 0 {
            rare[random.below(rare.len())]
        } else {
            moves[random.below(moves.len())]
        };
        game.play(chosen).expect("a legal move is played");
    }
    game
}
