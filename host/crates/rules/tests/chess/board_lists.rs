//! Games from lists of boards.

use ai_api::Color;
use rules::{Assumed, Game, GameIssue, Place, board_of, format_fen};

use crate::{Boards, START, boards_of, codes, game, position};

/// The boards of a game, including the first position.
fn boards(fen: Option<&str>, moves: &str) -> Boards {
    boards_of(&game(fen, moves))
}

/// Boards from the piece fields of FENs.
fn placements(pieces: &[&str]) -> Boards {
    let row = |text: &str| {
        text.chars()
            .flat_map(|letter| {
                let code = " pnbrqk"
                    .find(letter.to_ascii_lowercase())
                    .map_or(0, |code| code as i64);
                let count = letter.to_digit(10).unwrap_or(1) as usize;
                vec![
                    if letter.is_ascii_uppercase() {
                        code
                    } else {
                        -code
                    };
                    count
                ]
            })
            .collect()
    };
    pieces
        .iter()
        .map(|pieces| pieces.split('/').map(row).collect())
        .collect()
}

fn read(boards: &[Vec<Vec<i64>>], turn: Option<Color>) -> (Game, Assumed) {
    Game::from_boards(boards, turn).unwrap_or_else(|issues| panic!("{issues:#?}"))
}

fn issues(boards: &[Vec<Vec<i64>>], turn: Option<Color>) -> Vec<GameIssue> {
    Game::from_boards(boards, turn)
        .map(|(game, _)| game.uci_moves())
        .expect_err("the boards are illegal")
}

fn named(
    boards: &[Vec<Vec<i64>>],
    turn: Option<Color>,
) -> Vec<(&'static str, String, Option<usize>)> {
    issues(boards, turn)
        .iter()
        .map(|issue| (issue.code, issue.place.to_string(), issue.ply))
        .collect()
}

const RUY_LOPEZ: &str = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f6e4";

#[test]
fn finds_the_moves_between_boards() {
    let (game, assumed) = read(&boards(None, RUY_LOPEZ), None);
    assert_eq!(game.uci_moves().join(" "), RUY_LOPEZ);
    assert_eq!(
        format_fen(game.position()),
        "r1bqkb1r/1ppp1ppp/p1n5/4p3/B3n3/5N2/PPPP1PPP/RNBQ1RK1 w kq - 0 6"
    );
    assert_eq!(
        assumed,
        Assumed {
            castling: "KQkq".to_owned(),
            en_passant: "-".to_owned(),
            halfmove_clock: 0,
            fullmove_number: 1,
            turn: Some(Color::White),
        }
    );
}

#[test]
fn finds_promotions_castling_and_en_passant() {
    for (fen, moves) in [
        ("1n5k/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q h8g7 a8a1"),
        ("1n5k/P7/8/7p/8/8/8/4K3 w - - 0 1", "a7b8n h8g7"),
        ("1n5k/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8r h8g7"),
        ("7k/8/8/7p/8/8/p7/1B2K3 b - - 0 1", "a2b1b e1f2"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1 e8g8"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8 e1g1"),
        ("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5 e5d6"),
    ] {
        let (game, _) = read(&boards(Some(fen), moves), None);
        assert_eq!(game.uci_moves().join(" "), moves, "{fen}");
    }
}

#[test]
fn a_single_board_needs_a_turn() {
    let start = boards(None, "");
    let (game, assumed) = read(&start, Some(Color::White));
    assert_eq!(format_fen(game.position()), START);
    assert_eq!(assumed.turn, None);
    let (game, _) = read(&start, Some(Color::Black));
    assert_eq!(format_fen(game.position()), START.replace(" w ", " b "));
    let found = issues(&start, None);
    assert_eq!(
        (found.len(), found[0].code, found[0].place, found[0].ply),
        (1, "wrong_turn", Place::Turn, None)
    );
    assert_eq!(
        found[0].message,
        "found a single board without a turn; set turn to white or black"
    );
}

#[test]
fn assumes_castling_if_king_and_rook_are_at_home() {
    for (pieces, expected) in [
        ("r3k2r/8/8/8/8/8/8/R3K2R", "KQkq"),
        ("r3k3/8/8/8/8/8/8/R3K2R", "KQq"),
        ("4k2r/8/8/8/8/8/8/1R2K1R1", "k"),
        ("r4k1r/8/8/8/8/8/8/R2K3R", "-"),
        ("4k3/8/8/8/8/8/3PPP2/r2NKN1r", "-"),
    ] {
        let (_, assumed) = read(&placements(&[pieces]), Some(Color::Black));
        assert_eq!(assumed.castling, expected, "{pieces}");
    }
}

#[test]
fn assumes_en_passant_only_if_the_second_board_needs_it() {
    let (game, assumed) = read(
        &placements(&["4k3/8/8/3pP3/8/8/8/4K3", "4k3/8/3P4/8/8/8/8/4K3"]),
        Some(Color::Black),
    );
    assert_eq!(
        (
            assumed.en_passant.as_str(),
            game.uci_moves().join(" ").as_str()
        ),
        ("d6", "e5d6")
    );
    let (_, assumed) = read(
        &placements(&["4k3/8/8/3pP3/8/8/8/4K3", "4k3/8/4P3/3p4/8/8/8/4K3"]),
        None,
    );
    assert_eq!(assumed.en_passant, "-");
    // The pawn cannot have moved from d7, which is occupied.
    let blocked = placements(&["4k3/3n4/8/3pP3/8/8/8/4K3", "4k3/3n4/3P4/8/8/8/8/4K3"]);
    assert_eq!(
        named(&blocked, None),
        [("not_one_move", "/boards/1".to_owned(), Some(1))]
    );
}

#[test]
fn derives_the_turn_from_the_first_move() {
    let black_first = boards(Some("4k3/4p3/8/8/8/8/4P3/4K3 b - - 0 1"), "e7e5 e2e4");
    let (game, assumed) = read(&black_first, None);
    assert_eq!(
        (game.start().turn(), assumed.turn),
        (Color::Black, Some(Color::Black))
    );
    assert_eq!(read(&black_first, Some(Color::Black)).1.turn, None);
}

#[test]
fn rejects_a_turn_that_contradicts_the_boards() {
    let found = issues(&boards(None, "e2e4 e7e5"), Some(Color::Black));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].code, found[0].place), ("wrong_turn", Place::Turn));
    assert_eq!(
        found[0].message,
        "turn is Black, but according to the boards it is White's turn"
    );
}

#[test]
fn reports_bad_shapes_and_codes_with_their_places() {
    let mut list = boards(None, "e2e4 e7e5 g1f3 b8c6 f1c4");
    list[1].pop();
    list[3][2].push(0);
    list[3][7][0] = 7;
    list[3][7][1] = i64::MIN;
    assert_eq!(
        named(&list, None),
        [
            ("bad_board", "/boards/1".to_owned(), Some(1)),
            ("bad_board", "/boards/3/2".to_owned(), Some(3)),
            ("bad_board", "/boards/3/7/0".to_owned(), Some(3)),
            ("bad_board", "/boards/3/7/1".to_owned(), Some(3)),
        ]
    );
    let found = issues(&list, None);
    assert_eq!(
        found[0].message,
        "found 7 rows, expected 8 rows, rank 8 first"
    );
    assert!(
        found[3]
            .message
            .starts_with("found -9223372036854775808, expected 0 or 1 (pawn)")
    );
}

#[test]
fn rejects_an_empty_list() {
    assert_eq!(
        named(&[], None),
        [("bad_board", "/boards".to_owned(), None)]
    );
    assert_eq!(
        named(&[vec![]], Some(Color::White)),
        [("bad_board", "/boards/0".to_owned(), None)]
    );
}

#[test]
fn reports_an_illegal_first_board_once() {
    let list = placements(&[
        "8/8/8/8/8/8/4P3/4K3",
        "8/8/8/8/4P3/8/8/4K3",
        "8/8/8/8/4P3/8/4K3/8",
    ]);
    assert_eq!(
        named(&list, None),
        [("missing_king", "/boards/0".to_owned(), None)]
    );
    let list = placements(&["8/8/8/8/8/8/4P3/4K2p"]);
    assert_eq!(
        named(&list, Some(Color::White)),
        [
            ("missing_king", "/boards/0".to_owned(), None),
            ("pawn_on_back_rank", "/boards/0".to_owned(), None),
        ]
    );
    let list = placements(&["4k3/8/8/8/8/8/8/4RK2"]);
    assert_eq!(
        named(&list, Some(Color::White)),
        [("opponent_in_check", "/boards/0".to_owned(), None)]
    );
    assert!(Game::from_boards(&list, Some(Color::Black)).is_ok());
}

#[test]
fn reports_every_gap_and_continues_after_it() {
    let mut list = boards(None, RUY_LOPEZ);
    // The board after the second ply is missing, and the last board occurs twice.
    list.remove(2);
    list.push(list[list.len() - 1].clone());
    assert_eq!(
        named(&list, None),
        [
            ("not_one_move", "/boards/2".to_owned(), Some(2)),
            ("not_one_move", "/boards/10".to_owned(), Some(10)),
        ]
    );
    let found = issues(&list, None);
    assert!(
        found[0]
            .message
            .starts_with("no legal move of Black leads to this board; 4 squares differ"),
        "{found:?}"
    );
    assert_eq!(
        found[1].message,
        "this board equals the one before; expected one move between them"
    );
}

#[test]
fn explains_a_gap_by_the_only_matching_move() {
    for (first, second, expected) in [
        (
            "4k3/8/8/P7/8/8/8/R3K3",
            "R3k3/8/8/P7/8/8/8/4K3",
            "a1a8 is illegal: the pawn on a5 blocks the rook from a1 to a8",
        ),
        (
            "4k3/8/8/8/8/8/P7/4K3",
            "4k3/8/P7/8/8/8/8/4K3",
            "a2a6 is illegal: a pawn does not move from a2 to a6",
        ),
        (
            "4k3/4r3/8/8/8/8/4N3/4K3",
            "4k3/4r3/8/8/8/2N5/8/4K3",
            "e2c3 is illegal: the king on e1 would be in check from the rook on e7",
        ),
    ] {
        let found = issues(&placements(&[first, second]), Some(Color::Black));
        assert_eq!(
            (found.len(), found[0].code, found[0].ply),
            (1, "not_one_move", Some(1)),
            "{found:?}"
        );
        assert_eq!(
            found[0].message,
            format!("no legal move leads to this board: {expected}")
        );
    }
}

#[test]
fn reports_two_moves_by_one_side() {
    let mut list = boards(None, "e2e4 e7e5 g1f3 b8c6");
    let second_white = boards(
        Some("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1"),
        "g1f3 e7e5",
    );
    list.splice(2.., second_white.into_iter().skip(1));
    let found = issues(&list, None);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].code, found[0].ply), ("not_one_move", Some(2)));
    assert_eq!(
        found[0].message,
        "White has moved (g1f3), but it was Black's turn"
    );
}

#[test]
fn lost_rights_stay_lost_after_a_gap() {
    // The king has moved and returned; after the gap it castles anyway.
    let mut list = boards(
        Some("4k3/p7/8/8/8/8/P7/4K2R w K - 0 1"),
        "e1e2 e8e7 e2e1 e7e8 a2a3 a7a6",
    );
    let castled = boards(Some("4k3/8/p7/8/8/P7/8/4K2R w K - 0 1"), "e1g1");
    list.remove(5);
    list.push(castled[1].clone());
    assert_eq!(
        named(&list, None),
        [
            ("not_one_move", "/boards/5".to_owned(), Some(5)),
            ("not_one_move", "/boards/6".to_owned(), Some(6)),
        ]
    );
}

#[test]
fn reports_boards_after_the_end_once() {
    let mut list = boards(None, "f2f3 e7e5 g2g4 d8h4");
    list.push(list[0].clone());
    list.extend(boards(None, "e2e4").into_iter().skip(1));
    assert_eq!(
        named(&list, None),
        [("moves_after_end", "/boards/5".to_owned(), Some(5))]
    );
}

#[test]
fn accepts_boards_after_a_draw_without_a_claim() {
    let mut list = boards(Some("4k3/8/8/3p4/4K3/8/8/8 w - - 0 1"), "e4d5");
    list.extend(placements(&["8/4k3/8/3K4/8/8/8/8"]));
    let (game, _) = read(&list, None);
    assert_eq!(
        game.drawn_at()
            .map(|drawn| (drawn.ply, drawn.reason.into_str())),
        Some((1, "insufficient_material"))
    );
    list.extend(placements(&["8/4k3/8/8/8/8/8/K7"]));
    assert_eq!(
        named(&list, None),
        [("not_one_move", "/boards/3".to_owned(), Some(3))]
    );
}

#[test]
fn finds_repetitions_in_boards() {
    let (game, _) = read(&boards(None, &"g1f3 g8f6 f3g1 f6g8 ".repeat(4)), None);
    assert_eq!(
        game.status().outcome.map(rules::Outcome::reason),
        Some("fivefold_repetition")
    );
}

#[test]
fn white_pieces_are_positive_and_at_the_bottom() {
    assert_eq!(codes("k7/8/8/8/8/8/6P1/7R w - - 0 1"), ["missing_king"]);
    let board = board_of(&position("k6q/p7/8/8/8/8/6P1/6KR w - - 0 1"));
    assert_eq!(board[0], [-6, 0, 0, 0, 0, 0, 0, -5]);
    assert_eq!(board[1][0], -1);
    assert_eq!((board[6][6], board[7][6], board[7][7]), (1, 6, 4));
}
