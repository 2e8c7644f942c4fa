//! Validates complete games: 200 plies in three notations compared with peers, and the cost of a
//! ply in games of 1 to 8,000 plies.

use std::hint::black_box;

use cozy_chess::Board;
use rules::{Game, board_of, format_san, legal_moves, play};
use shakmaty::{Chess, Position as _, san::SanPlus, uci::UciMove};

use crate::rounds::{contender, report};

const GROUP: &str = "games";
const UNIT: &str = "million plies/s";
const PLIES: usize = 200;
const LENGTHS: [usize; 5] = [1, 10, 100, 1_000, 8_000];

/// Measures each notation.
pub fn compare(rounds: usize) {
    // The peers call a game drawn after fifty moves.
    let game = long_game(PLIES, 90);
    report(
        GROUP,
        "200 plies in UCI",
        UNIT,
        rounds,
        vec![vec![
            contender("rules", || read_uci(&game.uci_moves)),
            contender("cozy-chess", || cozy_uci(&game.uci_moves)),
            contender("shakmaty", || shakmaty_uci(&game.uci_moves)),
        ]],
    );
    report(
        GROUP,
        "200 plies in SAN, as in PGN",
        UNIT,
        rounds,
        vec![vec![
            contender("rules", || {
                plies(&Game::from_san(None, black_box(&game.san_moves)).expect("a legal game"))
            }),
            contender("shakmaty", || shakmaty_san(&game.san_moves)),
        ]],
    );
    report(
        GROUP,
        "200 plies as boards",
        UNIT,
        rounds,
        vec![vec![
            contender("rules", || {
                plies(
                    &Game::from_boards(black_box(&game.boards), None)
                        .expect("a legal game")
                        .0,
                )
            }),
            contender("cozy-chess", || cozy_boards(&game.cozy_boards)),
        ]],
    );
    let longest = long_game(LENGTHS[LENGTHS.len() - 1], 140).uci_moves;
    for length in LENGTHS {
        let moves = &longest[..length];
        let work = format!("{length} plies in UCI");
        report(
            GROUP,
            &work,
            UNIT,
            rounds,
            vec![vec![contender("rules", || read_uci(moves))]],
        );
    }
}

/// A game in every notation.
struct LongGame {
    uci_moves: Vec<String>,
    san_moves: Vec<String>,
    boards: Vec<Vec<Vec<i64>>>,
    cozy_boards: Vec<Board>,
}

/// Returns a game of random moves. To make the game last, captures and pawn moves are saved until
/// the half-move clock runs out.
fn long_game(plies: usize, last_clock: u8) -> LongGame {
    let mut seed = 2014_u64;
    loop {
        let mut game = Game::from_moves(None, &[] as &[&str]).expect("the start");
        while game.moves().len() < plies {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let Some(next) = next_of(&game, (seed >> 33) as usize, last_clock) else {
                break;
            };
            game = next;
        }
        if game.moves().len() == plies {
            return LongGame::of(&game);
        }
    }
}

/// Returns the game after a move that does not end it. Prefers moves that advance the half-move
/// clock until it reaches `last_clock`, and then one that resets it.
fn next_of(game: &Game, first: usize, last_clock: u8) -> Option<Game> {
    let moves = legal_moves(game.position());
    let clock = game.position().halfmove_clock();
    let mut continued: Vec<Game> = (0..moves.len())
        .filter_map(|offset| {
            let mut next = game.clone();
            next.play(moves[(first + offset) % moves.len()]).ok()?;
            next.outcome().is_none().then_some(next)
        })
        .collect();
    let is_wanted =
        |next: &Game| (next.position().halfmove_clock() > clock) == (clock < last_clock);
    // Pawn moves without captures come first, because captures cannot be repeated.
    let pieces = |next: &Game| next.position().occupied().count();
    continued.sort_by_key(|next| (!is_wanted(next), std::cmp::Reverse(pieces(next))));
    continued.into_iter().next()
}

impl LongGame {
    fn of(game: &Game) -> Self {
        let rows = |position: &ai_api::Position| -> Vec<Vec<i64>> {
            board_of(position)
                .iter()
                .map(|row| row.iter().copied().map(i64::from).collect())
                .collect()
        };
        let mut position = *game.start();
        let (mut san_moves, mut boards) = (Vec::new(), vec![rows(&position)]);
        let mut board = Board::default();
        let mut cozy_boards = vec![board.clone()];
        for (&chosen, text) in game.moves().iter().zip(game.uci_moves()) {
            san_moves.push(format_san(&position, chosen).to_string());
            position = play(&position, chosen);
            boards.push(rows(&position));
            board.play(cozy_chess::util::parse_uci_move(&board, &text).expect("a move"));
            cozy_boards.push(board.clone());
        }
        Self {
            uci_moves: game.uci_moves(),
            san_moves,
            boards,
            cozy_boards,
        }
    }
}

fn plies(game: &Game) -> u64 {
    game.moves().len() as u64
}

fn read_uci(moves: &[String]) -> u64 {
    plies(&Game::from_moves(None, black_box(moves)).expect("a legal game"))
}

/// Checks each move and the status after it, but not repetitions.
fn cozy_uci(moves: &[String]) -> u64 {
    let mut board = Board::default();
    for text in black_box(moves) {
        let chosen = cozy_chess::util::parse_uci_move(&board, text).expect("a move");
        board.try_play(chosen).expect("a legal move");
        assert_eq!(board.status(), cozy_chess::GameStatus::Ongoing);
    }
    moves.len() as u64
}

fn shakmaty_uci(moves: &[String]) -> u64 {
    let mut position = Chess::default();
    for text in black_box(moves) {
        let chosen = text
            .parse::<UciMove>()
            .expect("a move")
            .to_move(&position)
            .expect("a legal move");
        position.play_unchecked(chosen);
        assert!(!position.is_game_over());
    }
    moves.len() as u64
}

fn shakmaty_san(moves: &[String]) -> u64 {
    let mut position = Chess::default();
    for text in black_box(moves) {
        let chosen = text
            .parse::<SanPlus>()
            .expect("a move")
            .san
            .to_move(&position)
            .expect("a legal move");
        position.play_unchecked(chosen);
        assert!(!position.is_game_over());
    }
    moves.len() as u64
}

/// Finds the move between two boards by playing every legal move.
fn cozy_boards(boards: &[Board]) -> u64 {
    let mut board = boards[0].clone();
    for wanted in black_box(&boards[1..]) {
        let mut found = None;
        board.generate_moves(|moves| {
            found = moves.into_iter().find_map(|chosen| {
                let mut next = board.clone();
                next.play_unchecked(chosen);
                let is_wanted = next.colors(cozy_chess::Color::White)
                    == wanted.colors(cozy_chess::Color::White)
                    && cozy_chess::Piece::ALL
                        .iter()
                        .all(|&piece| next.pieces(piece) == wanted.pieces(piece));
                is_wanted.then_some(next)
            });
            found.is_some()
        });
        board = found.expect("a legal game");
    }
    boards.len() as u64 - 1
}
