//! Probes the shipped tables, which cover all endings with three and four pieces.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::sync::{LazyLock, Mutex, PoisonError};

use ai_api::{Color, Move, Position, Role, Square, TableMove, TableResult};
use ai_tablebase::{KingPawnBitbase, Tablebases};
use proptest::prelude::*;
use sha2::{Digest as _, Sha256};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/syzygy");

/// A process can have only one instance.
static TABLES: LazyLock<Tablebases> =
    LazyLock::new(|| Tablebases::open(&[DATA], 64 << 20).unwrap());

fn position(fen: &str) -> Position {
    rules::parse_fen(fen).unwrap()
}

fn legal_moves(position: &Position) -> ai_api::MoveList {
    let mut moves = ai_api::MoveList::new();
    (rules::RULES.legal_moves)(position, &mut moves);
    moves
}

#[test]
fn the_shipped_tables_match_their_checksums() {
    let sums = std::fs::read_to_string(format!("{DATA}/SHA256SUMS")).unwrap();
    let mut count = 0;
    for line in sums.lines() {
        let (sum, name) = line.split_once("  ").unwrap();
        let found = Sha256::digest(std::fs::read(format!("{DATA}/{name}")).unwrap());
        let found = found
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<Vec<_>>()
            .concat();
        assert_eq!(found, sum, "{name}");
        count += 1;
    }
    assert_eq!(count, 2 * 35);
}

#[test]
fn returns_results_distances_and_the_best_move() {
    use TableResult::{BlessedLoss, CursedWin, Draw, Loss, Win};
    for (fen, result, dtz, best) in [
        ("8/8/8/8/8/2k5/8/K6Q w - - 0 1", Win, 11, None),
        ("8/8/8/8/8/2k5/8/K6Q b - - 0 1", Loss, -16, None),
        // Mate in one.
        ("k7/8/1K6/8/8/8/7Q/8 w - - 0 1", Win, 1, None),
        // A pawn move zeroes.
        ("8/8/8/8/8/7k/P7/7K w - - 0 1", Win, 1, None),
        ("8/8/8/8/4k3/8/P7/7K w - - 0 1", Draw, 0, None),
        // The king leads its pawn.
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", Loss, -4, None),
        ("4k3/4P3/8/4K3/8/8/8/8 w - - 0 1", Win, 5, Some("e5")),
        // Only promotion to a rook avoids stalemate.
        ("8/8/8/8/8/8/k1K1p3/8 b - - 0 1", Win, 1, Some("e2e1")),
        ("8/8/8/8/8/8/8/k1K5 w - - 0 1", Draw, 0, None),
        // The fifty-move rule ends the game first.
        ("8/8/8/8/8/2k5/8/K6Q w - - 90 80", CursedWin, 11, None),
        ("8/8/8/8/8/2k5/8/K6Q b - - 90 80", BlessedLoss, -16, None),
    ] {
        let probed = TABLES.probe_root(&position(fen)).expect(fen);
        assert_eq!((probed.result, probed.dtz), (result, dtz), "{fen}");
        assert_eq!(
            probed.moves.len(),
            legal_moves(&position(fen)).len(),
            "{fen}"
        );
        assert!(
            probed
                .moves
                .iter()
                .all(|found| rules::is_legal(&position(fen), found.chosen)),
            "{fen}"
        );
        if let Some(best) = best {
            assert!(
                probed.moves[0].chosen.to_string().starts_with(best),
                "{fen}: {:?}",
                probed.moves[0]
            );
        }
        assert_eq!(probed.moves[0].result, result, "{fen}");
    }
}

#[test]
fn a_finished_game_has_a_result_without_moves() {
    let mated = TABLES
        .probe_root(&position("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1"))
        .unwrap();
    assert_eq!(
        (mated.result, mated.dtz, mated.moves.len()),
        (TableResult::Loss, 0, 0)
    );
    let stalemate = TABLES
        .probe_root(&position("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1"))
        .unwrap();
    assert_eq!(
        (stalemate.result, stalemate.dtz, stalemate.moves.len()),
        (TableResult::Draw, 0, 0)
    );
}

#[test]
fn has_no_result_with_castling_rights_or_more_pieces_than_any_table() {
    for fen in [
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        // The same right in Chess960.
        "4k3/8/8/8/8/8/8/1K1R4 w D - 0 1",
        "4k3/8/8/8/8/8/4PP2/3QK3 w - - 0 1",
        START,
    ] {
        assert_eq!(TABLES.probe_wdl(&position(fen)), None, "{fen}");
        assert_eq!(TABLES.probe_root(&position(fen)), None, "{fen}");
    }
    assert_eq!((TABLES.max_pieces(), TABLES.skipped_files()), (4, 0));
}

#[test]
fn captures_en_passant() {
    // The capture is the only move that wins.
    let fen = "8/8/8/k7/1pP5/8/8/7K b - c3 0 1";
    let probed = TABLES.probe_root(&position(fen)).unwrap();
    let capture = probed
        .moves
        .iter()
        .find(|found| found.chosen.to_string() == "b4c3")
        .unwrap();
    let after = rules::RULES.play(&position(fen), capture.chosen);
    assert_eq!(
        Some(opposite(TABLES.probe_wdl(&after).unwrap())),
        Some(capture.result)
    );
}

#[test]
fn rejects_a_second_instance_while_the_first_is_open() {
    LazyLock::force(&TABLES);
    assert_eq!(
        Tablebases::open(&[DATA], 64 << 20).err(),
        Some(ai_tablebase::OpenError::AlreadyOpen)
    );
    assert!(Tablebases::open::<&str>(&[], 0).is_ok(), "without tables");
}

/// Returns the result for the other side.
fn opposite(result: TableResult) -> TableResult {
    TableResult::from_number(6 - result as u32).unwrap()
}

#[test]
fn the_bitbase_agrees_with_the_table_in_every_position() {
    let bitbase = KingPawnBitbase::generate();
    let (mut positions, mut won) = (0, 0);
    let squares = || Square::all();
    for pawn in squares().filter(|pawn| (1..7).contains(&pawn.rank())) {
        for (strong, weak) in squares().flat_map(|strong| squares().map(move |weak| (strong, weak)))
        {
            for (pawn_of, turn) in Color::ALL
                .into_iter()
                .flat_map(|of| Color::ALL.map(|turn| (of, turn)))
            {
                let Some(position) = king_and_pawn(pawn_of, turn, pawn, strong, weak) else {
                    continue;
                };
                let is_win = bitbase.is_win(&position).unwrap();
                let expected = TABLES.probe_wdl(&position).unwrap();
                let expected = if turn == pawn_of {
                    expected
                } else {
                    opposite(expected)
                };
                assert_eq!(
                    is_win,
                    expected == TableResult::Win,
                    "{pawn_of:?} {turn:?} {pawn} {strong} {weak}"
                );
                positions += 1;
                won += usize::from(is_win);
            }
        }
    }
    assert_eq!((positions, won), (662_704, 445_128));
    assert_eq!(
        bitbase.is_win(&position("8/8/8/8/8/2k5/8/K6Q w - - 0 1")),
        None
    );
    assert_eq!(bitbase.is_win(&position(START)), None);
}

/// Returns the position with these pieces, if it is legal.
fn king_and_pawn(
    of: Color,
    turn: Color,
    pawn: Square,
    strong: Square,
    weak: Square,
) -> Option<Position> {
    let mut board = [[None; 8]; 8];
    for (square, piece) in [
        (pawn, (of, Role::Pawn)),
        (strong, (of, Role::King)),
        (weak, (!of, Role::King)),
    ] {
        let place = &mut board[7 - square.rank() as usize][square.file() as usize];
        if place.replace(piece).is_some() {
            return None;
        }
    }
    from_board(&board, turn)
}

/// Returns the position of a board whose first row is rank 8, if it is legal.
fn from_board(board: &[[Option<(Color, Role)>; 8]; 8], turn: Color) -> Option<Position> {
    let letter = |piece: &Option<(Color, Role)>| match piece {
        None => '1',
        Some((Color::White, role)) => role.letter().to_ascii_uppercase(),
        Some((Color::Black, role)) => role.letter(),
    };
    let rows: Vec<String> = board
        .iter()
        .map(|row| row.iter().map(letter).collect())
        .collect();
    let fen = format!(
        "{} {} - - 0 1",
        rows.join("/"),
        if turn == Color::White { 'w' } else { 'b' }
    );
    rules::parse_fen(&fen).ok()
}

/// Generates a random legal position with three or four pieces.
fn endings() -> impl Strategy<Value = Position> {
    let role = prop_oneof![
        3 => Just(Role::Pawn),
        1 => Just(Role::Knight),
        1 => Just(Role::Bishop),
        1 => Just(Role::Rook),
        1 => Just(Role::Queen),
    ];
    let color = || prop_oneof![Just(Color::White), Just(Color::Black)];
    let pieces = prop::collection::vec((role, color(), 0_usize..64), 1..=2);
    (pieces, 0_usize..64, 0_usize..64, color()).prop_filter_map(
        "illegal",
        |(pieces, white, black, turn)| {
            let kings = [
                (Role::King, Color::White, white),
                (Role::King, Color::Black, black),
            ];
            let mut board = [[None; 8]; 8];
            for (role, color, square) in kings.into_iter().chain(pieces) {
                let place = &mut board[square / 8][square % 8];
                if place.replace((color, role)).is_some() {
                    return None;
                }
            }
            from_board(&board, turn)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// The host's rules and the tables agree: a position is as good as its best move.
    #[test]
    fn a_result_follows_from_the_results_after_each_move(position in endings()) {
        let moves = legal_moves(&position);
        prop_assume!(!moves.is_empty());
        let after = |&chosen: &Move| {
            let next = rules::RULES.play(&position, chosen);
            if legal_moves(&next).is_empty() {
                return if next.in_check() { TableResult::Win } else { TableResult::Draw };
            }
            opposite(TABLES.probe_wdl(&next).expect("a table with no more pieces than this one"))
        };
        let best = moves.iter().map(after).max().unwrap();
        let result = TABLES.probe_wdl(&position).unwrap();
        // No ending with up to four pieces needs fifty moves: the fifty-move rule never changes a
        // result.
        prop_assert_eq!(result, best);
        let root = TABLES.probe_root(&position).unwrap();
        prop_assert_eq!(root.result, result);
        prop_assert_eq!((root.moves.len(), root.dtz), (moves.len(), root.moves[0].dtz));
        for found in &root.moves {
            prop_assert_eq!(found.result, after(&found.chosen), "{:?}", found);
        }
        let by_rank = |found: &TableMove| (std::cmp::Reverse(found.result), found.dtz);
        prop_assert!(root.moves.is_sorted_by_key(by_rank));
    }
}

#[test]
fn a_double_push_that_loses_to_en_passant_is_a_loss() {
    let position = position("8/1k3p2/8/K3P3/8/8/8/8 b - - 0 1");
    let root = TABLES.probe_root(&position).unwrap();
    let push = root
        .moves
        .iter()
        .find(|found| found.chosen.to_string() == "f7f5")
        .unwrap();
    assert_eq!((push.result, push.dtz), (TableResult::Loss, -1));
}

#[test]
fn threads_probe_at_the_same_time() {
    let positions: Vec<_> = [
        "8/8/8/8/8/2k5/8/K6Q w - - 0 1",
        "8/8/8/8/4k3/8/P7/7K w - - 0 1",
        "8/8/8/8/8/r1k5/8/K6Q w - - 0 1",
    ]
    .map(position)
    .to_vec();
    let expected: Vec<_> = positions
        .iter()
        .map(|position| TABLES.probe_root(position))
        .collect();
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200 {
                    let probed: Vec<_> = positions
                        .iter()
                        .map(|position| TABLES.probe_root(position))
                        .collect();
                    found
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(probed);
                }
            });
        }
    });
    let found = found.into_inner().unwrap();
    assert_eq!(found.len(), 800);
    assert!(found.iter().all(|probed| *probed == expected));
}
