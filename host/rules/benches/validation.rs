//! The time to validate a whole game: 200 plies from moves and from boards, and the same moves with their
//! legality checked by `cozy-chess`.

use std::hint::black_box;

use ai_api::Position;
use criterion::{Criterion, criterion_group, criterion_main};
use fastrand::Rng;
use rules::{Game, Setup, board_of, play};

#[path = "../tests/support/random_games.rs"]
mod random_games;

use random_games::random_game;

const PLIES: usize = 200;

/// The first game of random moves that lasts for [`PLIES`].
fn long_game(start: Position) -> Game {
    let mut random = Rng::with_seed(2026);
    loop {
        let game = random_game(start, PLIES, &mut random);
        if game.moves().len() == PLIES && game.status().outcome.is_none() {
            return game;
        }
    }
}

fn boards_of(game: &Game) -> Vec<Vec<Vec<i64>>> {
    let rows = |position: &Position| {
        board_of(position).iter().map(|row| row.iter().copied().map(i64::from).collect()).collect()
    };
    let mut position = *game.start();
    let mut boards = vec![rows(&position)];
    for &chosen in game.moves() {
        position = play(&position, chosen);
        boards.push(rows(&position));
    }
    boards
}

/// Plays the moves, each parsed and looked up among the legal ones, and returns the status of the game.
fn play_with_cozy_chess(moves: &[String]) -> cozy_chess::Board {
    let mut board = cozy_chess::Board::default();
    for text in moves {
        let chosen = cozy_chess::util::parse_uci_move(&board, text).expect("a move");
        board.try_play(chosen).expect("a legal move");
        assert_eq!(board.status(), cozy_chess::GameStatus::Ongoing);
    }
    board
}

fn validation(criterion: &mut Criterion) {
    let game = long_game(Setup::standard().into_position().expect("the start is legal"));
    let moves = game.uci_moves();
    let boards = boards_of(&game);

    let mut group = criterion.benchmark_group("a game of 200 plies");
    group.bench_function("from moves", |bencher| {
        bencher.iter(|| Game::from_moves(None, black_box(&moves)).expect("a legal game"));
    });
    group.bench_function("from moves, cozy-chess", |bencher| {
        bencher.iter(|| play_with_cozy_chess(black_box(&moves)));
    });
    group.bench_function("from boards", |bencher| {
        bencher.iter(|| Game::from_boards(black_box(&boards), None).expect("a legal game"));
    });
    group.finish();

    let fen = rules::format_fen(game.position());
    let mut group = criterion.benchmark_group("a FEN");
    group
        .bench_function("read", |bencher| bencher.iter(|| rules::parse_fen(black_box(&fen)).expect("legal")));
    group.bench_function("read, cozy-chess", |bencher| {
        bencher.iter(|| cozy_chess::Board::from_fen(black_box(&fen), false).expect("legal"));
    });
    group.bench_function("written", |bencher| bencher.iter(|| rules::format_fen(black_box(game.position()))));
    group.finish();
}

criterion_group!(benches, validation);
criterion_main!(benches);
