//! Games as lists of boards.

use ai_api::Color;
use rules::{Game, board_of, legal_moves, play, start_position};

use crate::chess::{assert_is_legal, assert_issues, assert_same_game};

type Boards = Vec<Vec<Vec<i64>>>;

/// A list of boards is the game that it shows, or it is refused. The first byte says who moves and how the rest is read:
/// as squares, or as the moves of a game whose boards are then spoilt in places.
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
        let (spoils, choices) = rest.split_at(rest.len().min(usize::from(how >> 3)) / 3 * 3);
        let mut boards = boards_of_game(choices);
        for spoil in spoils.chunks_exact(3) {
            spoil_board(&mut boards, spoil);
        }
        check(&boards, turn);
    }
}

fn check(boards: &Boards, turn: Option<Color>) {
    match Game::from_boards(boards, turn) {
        Ok((game, _)) => {
            assert_is_legal(game.position());
            assert!(turn.is_none_or(|turn| game.position().turn() == turn));
            assert_eq!(&boards_shown(&game), boards, "the game is another than its boards");
        }
        Err(issues) => assert_issues(&issues, boards.len()),
    }
}

/// Rows of eight squares; a byte in the upper half ends the row early, so that there are others too.
fn boards_of_squares(data: &[u8]) -> Boards {
    let row = |bytes: &[u8]| -> Vec<i64> {
        let end = bytes.iter().position(|byte| *byte >= 0xf0).unwrap_or(bytes.len());
        bytes[..end].iter().map(|&byte| i64::from(byte.cast_signed()).rem_euclid(15) - 7).collect()
    };
    data.chunks(64).map(|board| board.chunks(8).map(row).collect()).collect()
}

/// The boards of a game from the standard start, each byte being a choice among the legal moves.
fn boards_of_game(choices: &[u8]) -> Boards {
    let mut game = Game::new(start_position());
    for &choice in choices.iter().take(300) {
        let moves = legal_moves(game.position());
        if game.status().outcome.is_some() {
            break;
        }
        game.play(moves[usize::from(choice) % moves.len()]).expect("a legal move is played");
    }
    let boards = boards_shown(&game);
    let (again, assumed) = Game::from_boards(&boards, None).unwrap_or_else(|issues| {
        // A single board does not tell who moves.
        assert_eq!(boards.len(), 1, "{issues:?}");
        Game::from_boards(&boards, Some(Color::White)).expect("the start is legal")
    });
    assert_same_game(&again, &game);
    assert_eq!(assumed.castling, "KQkq");
    boards
}

fn spoil_board(boards: &mut Boards, spoil: &[u8]) {
    let [board, square, piece] = *spoil else { return };
    let board = usize::from(board) % boards.len();
    let square = usize::from(square) % 64;
    boards[board][square / 8][square % 8] = i64::from(piece.cast_signed()).rem_euclid(15) - 7;
}

fn boards_shown(game: &Game) -> Boards {
    let mut position = *game.start();
    let mut boards = vec![rows(&board_of(&position))];
    for &chosen in game.moves() {
        position = play(&position, chosen);
        boards.push(rows(&board_of(&position)));
    }
    boards
}

fn rows(board: &rules::Board) -> Vec<Vec<i64>> {
    board.iter().map(|row| row.iter().copied().map(i64::from).collect()).collect()
}
