//! Lines with one byte per move.

use ai_api::{Move, Position};
use rules::{Game, legal_moves, start_position};

/// Returns the moves of a game, each as its index among the legal moves in the order of [`Move`].
/// Returns `None` if the game does not begin at the start position.
pub fn pack(game: &Game) -> Option<Vec<u8>> {
    let mut position = start_position();
    let number_of = |&chosen: &Move| {
        let number = sorted_moves(&position)
            .iter()
            .position(|&legal| legal == chosen)?;
        position = rules::play(&position, chosen);
        u8::try_from(number).ok()
    };
    if game.start().hash() != start_position().hash() {
        return None;
    }
    game.moves().iter().map(number_of).collect()
}

/// Unpacks a game. Returns `None` if a byte is not the index of a legal move.
pub fn unpack(moves: &[u8]) -> Option<Game> {
    let mut game = Game::new(start_position());
    for &number in moves {
        let chosen = *sorted_moves(game.position()).get(usize::from(number))?;
        game.play(chosen).ok()?;
    }
    Some(game)
}

fn sorted_moves(position: &Position) -> Vec<Move> {
    let mut moves = legal_moves(position).to_vec();
    moves.sort_unstable();
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpacks_what_was_packed() {
        for moves in [
            "",
            "e2e4",
            "e2e4 d7d5 e4d5 g8f6 d5d6 f6e4 d6c7 e4f2 c7b8n",
            "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1g1",
        ] {
            let moves: Vec<_> = moves.split_whitespace().collect();
            let game = Game::from_moves(None, &moves).unwrap();
            let packed = pack(&game).unwrap();
            assert_eq!(packed.len(), moves.len());
            assert_eq!(unpack(&packed).unwrap().moves(), game.moves());
        }
    }

    #[test]
    fn rejects_games_from_other_positions() {
        let other = rules::parse_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
        let mut game = Game::new(other);
        game.play(rules::parse_uci(&other, "e2e4").unwrap())
            .unwrap();
        assert_eq!(pack(&game), None);
    }

    #[test]
    fn packed_bytes_do_not_depend_on_the_generation_order() {
        let first = unpack(&[0]).unwrap();
        assert_eq!(
            first.uci_moves(),
            [legal_moves(&start_position())
                .iter()
                .min()
                .unwrap()
                .to_string()]
        );
        assert!(unpack(&[19]).is_some());
        assert!(unpack(&[20]).is_none(), "the start position has 20 moves");
    }
}
