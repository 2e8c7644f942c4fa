//! Named cases of legal moves, each compared with `cozy-chess`.

use ai_api::{Color, Move};
use rules::{
    count_legal_moves, has_legal_move, is_insufficient_material, is_legal, legal_moves,
    legal_moves_from, play,
};

use crate::{START, position};

fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    words.sort_unstable();
    words
}

/// Checks the moves from a square. Castling is written as king takes rook.
fn check(name: &str, fen: &str, from: &str, expected: &str) {
    let found = legal_moves_from(
        &position(fen),
        from.parse()
            .unwrap_or_else(|error| panic!("{from}: {error}")),
    );
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(words(&found.join(" ")), words(expected), "{name}: {fen}");
    let shredder = fen
        .split(' ')
        .nth(2)
        .is_some_and(|rights| rights.chars().any(|right| !"KQkq-".contains(right)));
    let board =
        cozy_chess::Board::from_fen(fen, shredder).unwrap_or_else(|error| panic!("{fen}: {error}"));
    let mut theirs = Vec::new();
    board.generate_moves(|moves| {
        theirs.extend(
            moves
                .into_iter()
                .map(|chosen| chosen.to_string())
                .filter(|text| text.starts_with(from)),
        );
        false
    });
    assert_eq!(
        words(&theirs.join(" ")),
        words(expected),
        "{name}, by cozy-chess: {fen}"
    );
}

fn check_all(cases: &[(&str, &str, &str, &str)]) {
    for &(name, fen, from, expected) in cases {
        check(name, fen, from, expected);
    }
}

#[test]
fn captures_en_passant_only_if_the_king_stays_safe() {
    check_all(&[
        (
            "nothing pinned",
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2",
            "e5",
            "e5e6 e5d6",
        ),
        (
            "by Black",
            "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 2",
            "d4",
            "d4d3 d4e3",
        ),
        (
            "on the a-file",
            "4k3/8/8/pP6/8/8/8/4K3 w - a6 0 2",
            "b5",
            "b5b6 b5a6",
        ),
        (
            "on the h-file",
            "4k3/8/8/6Pp/8/8/8/4K3 w - h6 0 2",
            "g5",
            "g5g6 g5h6",
        ),
        (
            "no wrap around the board",
            "4k3/8/8/p6P/8/8/8/4K3 w - a6 0 2",
            "h5",
            "h5h6",
        ),
        (
            "both pawns leave the rank of the king",
            "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 2",
            "e5",
            "e5e6",
        ),
        (
            "the same from the other side",
            "4k3/8/8/r2pP2K/8/8/8/8 w - d6 0 2",
            "e5",
            "e5e6",
        ),
        (
            "one more piece on that rank",
            "8/8/8/K1NpP2r/8/8/8/4k3 w - d6 0 2",
            "e5",
            "e5e6 e5d6",
        ),
        (
            "either of two pawns",
            "4k3/8/8/2PpP2r/8/8/8/K7 w - d6 0 2",
            "c5",
            "c5c6 c5d6",
        ),
        (
            "pinned on the file",
            "4r1k1/8/8/3pP3/8/8/8/4K3 w - d6 0 2",
            "e5",
            "e5e6",
        ),
        (
            "pinned along the capture",
            "6k1/2b5/8/3pP3/5K2/8/8/8 w - d6 0 2",
            "e5",
            "e5d6",
        ),
        (
            "pinned across the capture",
            "6k1/6b1/8/3pP3/3K4/8/8/8 w - d6 0 2",
            "e5",
            "",
        ),
        (
            "takes the pawn that gives check",
            "6k1/8/8/3pP3/4K3/8/8/8 w - d6 0 2",
            "e5",
            "e5d6",
        ),
        (
            "does not stop a discovered check",
            "4b1k1/8/8/3pP3/K7/8/8/8 w - d6 0 2",
            "e5",
            "",
        ),
    ]);
}

#[test]
fn castles_only_over_free_and_safe_squares() {
    let king = "e1d1 e1d2 e1e2 e1f2 e1f1";
    check_all(&[
        (
            "on both sides",
            "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
            "e1",
            &format!("{king} e1a1 e1h1"),
        ),
        (
            "by Black",
            "r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1",
            "e8",
            "e8d8 e8d7 e8e7 e8f7 e8f8 e8a8 e8h8",
        ),
        (
            "without rights",
            "4k3/8/8/8/8/8/8/R3K2R w - - 0 1",
            "e1",
            king,
        ),
        (
            "with one right",
            "4k3/8/8/8/8/8/8/R3K2R w Q - 0 1",
            "e1",
            &format!("{king} e1a1"),
        ),
        (
            "over a knight",
            "4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 1",
            "e1",
            king,
        ),
        (
            "b1 attacked",
            "1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1",
            "e1",
            &format!("{king} e1a1"),
        ),
        (
            "rook attacked",
            "r3k3/8/8/8/8/8/8/R3K3 w Q - 0 1",
            "e1",
            &format!("{king} e1a1"),
        ),
        (
            "through check",
            "3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
            "e1",
            "e1e2 e1f2 e1f1 e1h1",
        ),
        (
            "out of check",
            "4rk2/8/8/8/8/8/8/R3K2R w KQ - 0 1",
            "e1",
            "e1d1 e1d2 e1f1 e1f2",
        ),
        (
            "into check",
            "2r1k1r1/8/8/8/8/8/8/R3K2R w KQ - 0 1",
            "e1",
            king,
        ),
        (
            "past a pawn that guards",
            "4k3/8/8/8/8/8/6p1/R3K2R w KQ - 0 1",
            "e1",
            "e1d1 e1d2 e1e2 e1f2 e1a1",
        ),
    ]);
}

#[test]
fn castles_by_chess960_rules() {
    check_all(&[
        (
            "the rook shields the king",
            "4k3/8/8/8/8/8/8/rR1K4 w B - 0 1",
            "d1",
            "d1c1 d1c2 d1d2 d1e2 d1e1",
        ),
        (
            "nothing behind the rook",
            "r3k3/8/8/8/8/8/8/1R1K4 w B - 0 1",
            "d1",
            "d1c1 d1c2 d1d2 d1e2 d1e1 d1b1",
        ),
        (
            "the king stays",
            "4k3/8/8/8/8/8/8/6KR w H - 0 1",
            "g1",
            "g1f1 g1f2 g1g2 g1h2 g1h1",
        ),
        (
            "the rook's square is taken",
            "4k3/8/8/8/8/8/8/5BKR w H - 0 1",
            "g1",
            "g1f2 g1g2 g1h2",
        ),
        (
            "king and rook change places",
            "4k3/8/8/8/8/8/8/5KR1 w G - 0 1",
            "f1",
            "f1e1 f1e2 f1f2 f1g2 f1g1",
        ),
        (
            "from the corner",
            "4k3/8/8/8/8/8/8/RK6 w A - 0 1",
            "b1",
            "b1a2 b1b2 b1c2 b1c1 b1a1",
        ),
        (
            "the rook jumps over a still king",
            "4k3/8/8/8/8/8/8/1RK5 w B - 0 1",
            "c1",
            "c1b2 c1c2 c1d2 c1d1 c1b1",
        ),
        (
            "across the board",
            "4k3/8/8/8/8/8/8/1KR5 w C - 0 1",
            "b1",
            "b1a1 b1a2 b1b2 b1c2 b1c1",
        ),
        (
            "past an attacked square",
            "3rk3/8/8/8/8/8/8/1K5R w H - 0 1",
            "b1",
            "b1a1 b1a2 b1b2 b1c2 b1c1",
        ),
        (
            "a piece where only the rook passes",
            "4k3/8/8/8/8/8/8/RN3K2 w A - 0 1",
            "f1",
            "f1e1 f1e2 f1f2 f1g2 f1g1",
        ),
        (
            "an attack where only the rook passes",
            "1r2k3/8/8/8/8/8/8/R4K2 w A - 0 1",
            "f1",
            "f1e1 f1e2 f1f2 f1g2 f1g1 f1a1",
        ),
    ]);
}

#[test]
fn promotes_to_four_pieces() {
    check_all(&[
        (
            "ahead and aside",
            "3r4/4P1k1/8/8/8/8/8/4K3 w - - 0 1",
            "e7",
            "e7e8q e7e8r e7e8b e7e8n e7d8q e7d8r e7d8b e7d8n",
        ),
        (
            "by Black",
            "4k3/8/8/8/8/8/p7/1N2K3 b - - 0 1",
            "a2",
            "a2a1q a2a1r a2a1b a2a1n a2b1q a2b1r a2b1b a2b1n",
        ),
        (
            "pinned along a diagonal",
            "2b4k/1P6/K7/8/8/8/8/8 w - - 0 1",
            "b7",
            "b7c8q b7c8r b7c8b b7c8n",
        ),
        (
            "pinned on a rank",
            "7k/K2P3r/8/8/8/8/8/8 w - - 0 1",
            "d7",
            "",
        ),
        (
            "against a check",
            "3r3k/2P5/8/8/8/8/8/3K4 w - - 0 1",
            "c7",
            "c7d8q c7d8r c7d8b c7d8n",
        ),
    ]);
}

#[test]
fn evades_checks_and_respects_pins() {
    check_all(&[
        (
            "double check: the king moves",
            "4r1k1/8/8/8/8/3n4/8/R3K2R w KQ - 0 1",
            "e1",
            "e1d1 e1d2 e1f1",
        ),
        (
            "double check: no checker is taken",
            "4r1k1/8/8/8/8/3n4/2P5/R3K2R w KQ - 0 1",
            "c2",
            "",
        ),
        (
            "a bishop steps between",
            "4k3/8/8/8/4r3/8/8/3BK3 w - - 0 1",
            "d1",
            "d1e2",
        ),
        (
            "a rook takes the checker",
            "4k3/8/8/8/R3r3/8/8/4K3 w - - 0 1",
            "a4",
            "a4e4",
        ),
        (
            "a knight does not block",
            "4k3/8/8/8/4r3/8/8/4K2N w - - 0 1",
            "h1",
            "",
        ),
        (
            "a double step blocks",
            "4k3/8/8/8/r3K3/8/1P6/8 w - - 0 1",
            "b2",
            "b2b4",
        ),
        (
            "no step back along the line",
            "4r1k1/8/8/8/8/4K3/8/8 w - - 0 1",
            "e3",
            "e3d2 e3d3 e3d4 e3f2 e3f3 e3f4",
        ),
        (
            "kings keep apart",
            "8/8/8/3k4/8/3K4/8/8 w - - 0 1",
            "d3",
            "d3c2 d3c3 d3d2 d3e2 d3e3",
        ),
        (
            "a guarded piece is not taken",
            "4k3/8/8/8/8/5p2/4p3/4K3 w - - 0 1",
            "e1",
            "e1d2 e1f2",
        ),
        (
            "a pinned knight",
            "4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1",
            "e2",
            "",
        ),
        (
            "a pinned rook",
            "4r1k1/8/8/8/8/4R3/8/4K3 w - - 0 1",
            "e3",
            "e3e2 e3e4 e3e5 e3e6 e3e7 e3e8",
        ),
        (
            "a pinned bishop",
            "6k1/8/8/b7/8/2B5/8/4K3 w - - 0 1",
            "c3",
            "c3d2 c3b4 c3a5",
        ),
        (
            "a pinned queen",
            "6k1/8/8/8/7b/8/5Q2/4K3 w - - 0 1",
            "f2",
            "f2g3 f2h4",
        ),
        (
            "a pawn pinned on its file",
            "4r1k1/8/8/8/8/3p1p2/4P3/4K3 w - - 0 1",
            "e2",
            "e2e3 e2e4",
        ),
        (
            "pinned and in check",
            "4r1k1/8/8/8/8/3n4/4R3/4K3 w - - 0 1",
            "e2",
            "",
        ),
        (
            "no pin behind two pieces",
            "4r1k1/8/8/8/4p3/4N3/8/4K3 w - - 0 1",
            "e3",
            "e3c2 e3c4 e3d1 e3d5 e3f1 e3f5 e3g2 e3g4",
        ),
    ]);
}

#[test]
fn finds_no_moves_after_the_end_or_from_empty_squares() {
    for (fen, check) in [
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", false),
        ("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", true),
        ("6rk/5Npp/8/8/8/8/8/4K3 b - - 0 1", true),
    ] {
        let position = position(fen);
        assert!(!has_legal_move(&position), "{fen}");
        assert_eq!(
            (legal_moves(&position).len(), position.in_check()),
            (0, check),
            "{fen}"
        );
    }
    check(
        "an empty square",
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        "a1",
        "",
    );
    check(
        "the other side's piece",
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        "e8",
        "",
    );
}

#[test]
fn a_list_holds_the_largest_known_number_of_moves() {
    let fen = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
    assert_eq!(legal_moves(&position(fen)).len(), 218);
    assert_eq!(count_legal_moves(&position(fen), Color::White), 218);
}

#[test]
fn counts_moves_of_the_side_not_to_move() {
    let cases = [
        ("as at the start", START, Color::Black, 20),
        (
            "taking the king is not a move",
            "4k3/8/8/8/8/8/4R3/4K3 b - - 0 1",
            Color::White,
            16,
        ),
        (
            "castling is a move",
            "4k3/8/8/8/8/8/7P/4K2R b K - 0 1",
            Color::White,
            10,
        ),
        (
            "its pins hold",
            "4r1k1/8/8/8/8/8/4N3/4K3 b - - 0 1",
            Color::White,
            4,
        ),
        (
            "en passant is over",
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2",
            Color::Black,
            6,
        ),
        (
            "promotions count four",
            "8/P6k/8/8/8/8/8/4K3 b - - 0 1",
            Color::White,
            9,
        ),
    ];
    for (name, fen, color, expected) in cases {
        assert_eq!(
            count_legal_moves(&position(fen), color),
            expected,
            "{name}: {fen}"
        );
    }
}

#[test]
fn recognizes_insufficient_material() {
    for (fen, dead) in [
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", true),
        ("4k3/8/8/8/8/8/8/4KN2 w - - 0 1", true),
        ("4kb2/8/8/8/8/8/8/4K3 w - - 0 1", true),
        ("4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", true),
        ("4kb2/8/8/8/8/8/1B6/B3K3 w - - 0 1", true),
        ("4kb2/8/8/8/8/8/8/4KB2 w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/3NKN2 w - - 0 1", false),
        ("4kn2/8/8/8/8/8/8/4KN2 w - - 0 1", false),
        ("4kn2/8/8/8/8/8/8/4KB2 w - - 0 1", false),
        ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/3QK3 w - - 0 1", false),
    ] {
        assert_eq!(is_insufficient_material(&position(fen)), dead, "{fen}");
    }
}

#[test]
fn exactly_the_generated_moves_are_legal() {
    for fen in [
        START,
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w FCfc - 0 1",
    ] {
        let start = position(fen);
        let afterwards = legal_moves(&start)
            .iter()
            .map(|&chosen| play(&start, chosen))
            .collect::<Vec<_>>();
        for position in afterwards.iter().chain([&start]) {
            let moves = legal_moves(position);
            let found: Vec<Move> = (0..=u16::MAX)
                .map(Move::from_bits)
                .filter(|&chosen| is_legal(position, chosen))
                .collect();
            let mut expected = moves.to_vec();
            expected.sort_unstable();
            assert_eq!(found, expected, "{}", rules::format_fen(position));
        }
    }
}
