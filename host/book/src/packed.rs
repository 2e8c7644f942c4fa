//! Lines of moves in a byte each.

use ai_api::{Move, Position};
use rules::{Game, legal_moves, start_position};

/// Returns the moves of a game from the start position: each is its number among the legal moves, in the order of [`Move`].
pub fn pack(game: &Game) -> Vec<u8> {
    let mut position = start_position();
    let number_of = |&chosen: &Move| {
        let number = sorted_moves(&position).iter().position(|&legal| legal == chosen);
        position = rules::play(&position, chosen);
        number.and_then(|number| u8::try_from(number).ok()).expect("a legal move, one of at most 218")
    };
    game.moves().iter().map(number_of).collect()
}

/// Returns the game of packed moves; none if a byte is the number of no legal move.
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
            let packed = pack(&game);
            assert_eq!(packed.len(), moves.len());
            assert_eq!(unpack(&packed).unwrap().moves(), game.moves());
        }
    }

    #[test]
    fn numbers_do_not_depend_on_the_order_of_generation() {
        let first = unpack(&[0]).unwrap();
        assert_eq!(first.uci_moves(), [legal_moves(&start_position()).iter().min().unwrap().to_string()]);
        assert!(unpack(&[19]).is_some());
        assert!(unpack(&[20]).is_none(), "the start position has 20 moves");
    }
}
