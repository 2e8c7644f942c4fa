//! Arbitrary text and numbers: nothing panics, and every accepted position and game is legal.

use ai_api::{Bitboard, Color, Position, Role, Square};
use proptest::prelude::*;
use rules::{
    CastlingRook, Game, GameIssue, Setup, SetupIssue, format_fen, legal_moves, parse_fen,
    parse_san, parse_uci, start_position,
};

use crate::{as_in_fen, position};

/// Checks the invariants of every position.
fn assert_legal(position: &Position) {
    for color in Color::ALL {
        assert_eq!(position.pieces(color, Role::King).count(), 1);
        assert!(position.color(color).count() <= 16);
        assert!(position.pieces(color, Role::Pawn).count() <= 8);
    }
    assert!((position.role(Role::Pawn) & (Bitboard::rank(0) | Bitboard::rank(7))).is_empty());
    assert!(position.checkers().count() <= 2);
    assert!(position.halfmove_clock() <= 150 && position.fullmove_number() >= 1);
    assert!(legal_moves(position).len() <= 218);
    assert_eq!(parse_fen(&format_fen(position)), Ok(as_in_fen(position)));
}

fn assert_legal_or_rejected(read: Result<Game, Vec<GameIssue>>) {
    match read {
        Ok(game) => assert_legal(game.position()),
        Err(issues) => assert!(!issues.is_empty()),
    }
}

/// Checks that the strings are rejected or read as legal moves.
fn assert_moves_are_legal(position: &Position, uci: &str, san: &str) {
    let moves = [parse_uci(position, uci).ok(), parse_san(position, san).ok()];
    assert!(
        moves
            .iter()
            .flatten()
            .all(|chosen| legal_moves(position).contains(chosen)),
        "{uci} {san}"
    );
}

/// Text made of FEN characters, sometimes mixed with others.
fn nearly_fen() -> impl Strategy<Value = String> {
    let pieces = proptest::collection::vec("[pnbrqkPNBRQK1-8]{1,8}", 7..=9)
        .prop_map(|ranks| ranks.join("/"));
    let fields = (
        pieces,
        "[wb]|.",
        "-|[KQkqA-Ha-h]{1,4}|.{0,4}",
        "-|[a-h][36]|.{0,3}",
        "[0-9]{1,3}|.{0,3}",
        "[0-9]{1,5}|.{0,5}",
    );
    fields.prop_map(|(pieces, turn, castling, square, clock, number)| {
        format!("{pieces} {turn} {castling} {square} {clock} {number}")
    })
}

/// A legal FEN with one character replaced, removed or added.
fn altered_fen() -> impl Strategy<Value = String> {
    const FEN: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1pP1P3/2N2Q1p/PP1BBPPP/R3K2R b KQkq c3 0 1";
    (0..FEN.len(), 0..3, any::<char>()).prop_map(|(at, how, other)| {
        let mut chars: Vec<char> = FEN.chars().collect();
        match how {
            0 => chars[at] = other,
            1 => drop(chars.remove(at)),
            _ => chars.insert(at, other),
        }
        chars.into_iter().collect()
    })
}

/// Random pieces, rights and en passant square: most set-ups are illegal, but many are legal.
fn any_setup() -> impl Strategy<Value = Setup> {
    let piece = (0..64u8, 0..2usize, 0..5usize);
    let rights = proptest::collection::vec((0..2usize, 0..8u8), 0..2);
    let parts = (
        proptest::collection::vec(piece, 0..12),
        (0..64u8, 0..64u8),
        any::<bool>(),
        rights,
        proptest::option::weighted(0.2, 0..64u8),
    );
    parts.prop_map(
        |(pieces, (white_king, black_king), whites_turn, rights, en_passant)| {
            let mut setup = Setup::empty();
            for (square, color, role) in pieces {
                setup.put(
                    Square::from_index(square),
                    Color::ALL[color],
                    Role::ALL[role],
                );
            }
            setup.put(Square::from_index(white_king), Color::White, Role::King);
            setup.put(Square::from_index(black_king), Color::Black, Role::King);
            setup.turn = if whites_turn {
                Color::White
            } else {
                Color::Black
            };
            for (color, file) in rights {
                setup.allow_castling(Color::ALL[color], CastlingRook::OnFile(file));
            }
            setup.en_passant = en_passant.map(Square::from_index);
            setup
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn reads_any_text_without_a_panic(text in "\\PC*|[\\x00-\\x7f]{0,200}") {
        if let Ok(position) = parse_fen(&text) {
            assert_legal(&position);
        }
        assert_moves_are_legal(&start_position(), &text, &text);
    }

    #[test]
    fn reads_or_rejects_fen_like_text(text in prop_oneof![nearly_fen(), altered_fen()]) {
        match parse_fen(&text) {
            Ok(position) => assert_legal(&position),
            Err(issues) => {
                prop_assert!(!issues.is_empty());
                for issue in issues {
                    let message = issue.to_string();
                    prop_assert!(message.len() < 400, "{message:?}");
                    prop_assert!(!message.contains(char::is_control), "{message:?}");
                }
            }
        }
    }

    #[test]
    fn reads_or_rejects_move_like_text(
        uci in "[a-h][1-8][a-h][1-8][qrbn]?",
        san in "[NBRQK]?[a-h]?[1-8]?x?[a-h][1-8](=?[NBRQ])?[+#]?",
    ) {
        // A position with captures, castling, promotions and en passant.
        let position = position("r3k2r/p1P2p1p/8/3Pp3/8/2N2N2/PP3PPP/R3K2R w KQkq e6 0 1");
        assert_moves_are_legal(&position, &uci, &san);
    }

    #[test]
    fn rejects_what_cozy_chess_rejects_or_ignores(setup in any_setup()) {
        let shown = fen_of(&setup);
        let theirs = cozy_chess::Board::from_fen(&shown, true);
        match setup.into_position() {
            Ok(position) => {
                assert_legal(&position);
                prop_assert!(theirs.is_ok(), "{shown}: {theirs:?}");
            }
            Err(issues) => {
                let ours_alone = [
                    "too_much_material",
                    "impossible_check",
                    "bad_castling_rights",
                    "bad_en_passant_square",
                ];
                let has_king = |square| {
                    setup.piece_at(square).is_some_and(|(_, role)| role == Role::King)
                };
                let kings_touch = issues.iter().any(|issue| match issue {
                    SetupIssue::OpponentInCheck { by, .. } => by.into_iter().any(has_king),
                    _ => false,
                });
                let is_ours_alone = |issue: &SetupIssue| ours_alone.contains(&issue.code());
                let known = kings_touch || issues.iter().all(is_ours_alone);
                prop_assert!(theirs.is_err() || known, "{shown}: {issues:?}");
            }
        }
    }

    #[test]
    fn reads_or_rejects_any_moves(
        fen in proptest::option::of(altered_fen()),
        moves in proptest::collection::vec("[a-h][1-4][a-h][1-8][qn]?|.{0,6}", 0..12),
    ) {
        assert_legal_or_rejected(Game::from_moves(fen.as_deref(), &moves));
    }

    #[test]
    fn reads_or_rejects_any_numbers(
        boards in proptest::collection::vec(
            proptest::collection::vec(proptest::collection::vec(-7..=7i64, 7..=9), 7..=9),
            0..3,
        ),
        turn in prop_oneof![Just(None), Just(Some(Color::White)), Just(Some(Color::Black))],
    ) {
        assert_legal_or_rejected(Game::from_boards(&boards, turn).map(|(game, _)| game));
    }

    #[test]
    fn reads_or_rejects_any_two_boards(first in any_setup(), second in any_setup()) {
        let boards: Vec<_> = [first, second].iter().map(rows_of).collect();
        assert_legal_or_rejected(Game::from_boards(&boards, None).map(|(game, _)| game));
    }
}

/// Formats a set-up as a FEN, legal or not.
fn fen_of(setup: &Setup) -> String {
    let letter = |(color, role): (Color, Role)| match color {
        Color::White => role.letter().to_ascii_uppercase(),
        Color::Black => role.letter(),
    };
    let rank = |rank: u8| -> String {
        (0..8)
            .map(|file| setup.piece_at(Square::new(file, rank)).map_or('1', letter))
            .collect()
    };
    let pieces: Vec<String> = (0..8).rev().map(rank).collect();
    let turn = if setup.turn == Color::White { 'w' } else { 'b' };
    let castling: String = Color::ALL
        .into_iter()
        .flat_map(|color| (0..8).map(move |file| (color, file)))
        .filter(|&(color, file)| {
            !setup
                .clone()
                .allow_castling(color, CastlingRook::OnFile(file))
        })
        .map(|(color, file)| {
            let letter = char::from(b'a' + file);
            if color == Color::White {
                letter.to_ascii_uppercase()
            } else {
                letter
            }
        })
        .collect();
    let castling = if castling.is_empty() { "-" } else { &castling };
    let en_passant = setup
        .en_passant
        .map_or_else(|| "-".to_owned(), |square| square.to_string());
    // Merges counts of empty squares, because every reader accepts this form.
    let pieces = pieces
        .join("/")
        .split('/')
        .map(gather)
        .collect::<Vec<_>>()
        .join("/");
    format!("{pieces} {turn} {castling} {en_passant} 0 1")
}

fn gather(rank: &str) -> String {
    let mut text = rank.to_owned();
    for empty in (2..=8).rev() {
        text = text.replace(&"1".repeat(empty), &empty.to_string());
    }
    text
}

fn rows_of(setup: &Setup) -> Vec<Vec<i64>> {
    let code = |piece: Option<(Color, Role)>| {
        piece.map_or(0, |(color, role)| {
            i64::from(color.sign()) * (role.index() as i64 + 1)
        })
    };
    let row = |rank: u8| {
        (0..8)
            .map(|file| code(setup.piece_at(Square::new(file, rank))))
            .collect()
    };
    (0..8).rev().map(row).collect()
}

#[test]
fn the_fen_of_a_set_up_round_trips() {
    let mut setup = Setup::standard();
    setup.en_passant = None;
    let issues: Vec<SetupIssue> = parse_fen(&fen_of(&setup)).err().unwrap_or_default();
    assert_eq!(issues, []);
    assert!(fen_of(&setup).starts_with("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w "));
}
