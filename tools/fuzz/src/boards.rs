//! Games as lists of boards.

use ai_api::Color;
use rules::{Game, legal_moves, start_position};

use crate::chess::{assert_is_legal, assert_issues, assert_same_game};

type Boards = Vec<Vec<Vec<i64>>>;

/// Parses a list of boards. Either it is rejected, or the game has the same boards. The first byte
/// selects the side to move and the form of the rest: squares, or the moves of a game. In the
/// game's boards, some squares are then altered.
pub fn board_lists(data: &[u8]) {
    let [how, rest @ ..] = data else { return };
    let turn = match how & 3 {
        0 => Some(Color::White),
        1 => Some(Color::Black),
        _ => None,
    };
    if how & 4 == 0 {
        check(&boards_of_squares(rest), turn);
    } else {
        let (alterations, choices) = rest.split_at(rest.len().min(usize::from(how >> 3)) / 3 * 3);
        let mut boards = boards_of_game(choices);
        for alteration in alterations.chunks_exact(3) {
            alter_square(&mut boards, alteration);
        }
        check(&boards, turn);
    }
}

fn check(boards: &Boards, turn: Option<Color>) {
    match Game::from_boards(boards, turn) {
        Ok((game, _)) => {
            assert_is_legal(game.position());
            assert!(turn.is_none_or(|turn| game.position().turn() == turn));
            assert_eq!(&boards_of(&game), boards, "the game has different boards");
        }
        Err(issues) => assert_issues(&issues, boards.len()),
    }
}

/// Returns rows of up to eight squares. A byte of 0xf0 or more ends its row early.
fn boards_of_squares(data: &[u8]) -> Boards {
    let row = |bytes: &[u8]| -> Vec<i64> {
        let end = bytes
            .iter()
            .position(|byte| *byte >= 0xf0)
            .unwrap_or(bytes.len());
        bytes[..end]
            .iter()
            .map(|&byte| i64::from(byte.cast_signed()).rem_euclid(15) - 7)
            .collect()
    };
    data.chunks(64)
        .map(|board| board.chunks(8).map(row).collect())
        .collect()
}

/// Returns the boards of a game from the standard start. Each byte selects a legal move.
fn boards_of_game(choices: &[u8]) -> Boards {
    let mut game = Game::new(start_position());
    for &choice in choices.iter().take(300) {
        let moves = legal_moves(game.position());
        if game.status().outcome.is_some() {
            break;
        }
        game.play(moves[usize::from(choice) % moves.len()])
            .expect("a legal move is played");
    }
    let boards = boards_of(&game);
    let (again, assumed) = Game::from_boards(&boards, None).unwrap_or_else(|issues| {
        // A single board does not determine the side to move.
        assert_eq!(boards.len(), 1, "{issues:?}");
        Game::from_boards(&boards, Some(Color::White)).expect("the start is legal")
    });
    assert_same_game(&again, &game);
    assert_eq!(assumed.castling, "KQkq");
    boards
}

fn alter_square(boards: &mut Boards, alteration: &[u8]) {
    let [board, square, piece] = *alteration else {
        return;
    };
    let board = usize::from(board) % boards.len();
    let square = usize::from(square) % 64;
    boards[board][square / 8][square % 8] = i64::from(piece.cast_signed()).rem_euclid(15) - 7;
}

fn boards_of(game: &Game) -> Boards {
    game.boards()
        .map(|board| board.map(|row| row.map(i64::from).to_vec()).to_vec())
        .collect()
}
