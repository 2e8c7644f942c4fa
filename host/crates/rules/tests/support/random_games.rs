//! Games of random moves, generated from a seed.

use ai_api::{Move, Position, Role};
use fastrand::Rng;
use rules::{Game, legal_moves};

/// A game of random legal moves that ends by the rules or after `plies` half-moves. Castling and en
/// passant captures are preferred, so that they occur.
pub(crate) fn random_game(start: Position, plies: usize, random: &mut Rng) -> Game {
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
        let chosen = if !rare.is_empty() && random.bool() {
            rare[random.usize(..rare.len())]
        } else {
            moves[random.usize(..moves.len())]
        };
        game.play(chosen).expect("a legal move is played");
    }
    game
}
