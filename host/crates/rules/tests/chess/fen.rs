//! Parsing and formatting FEN.

use rules::{Setup, format_fen, parse_fen};

use crate::{START, codes, messages, position};

#[track_caller]
fn reads_as(fen: &str, expected: &str) {
    assert_eq!(format_fen(&position(fen)), expected, "{fen}");
}

#[test]
fn the_standard_set_up_is_the_standard_start() {
    assert_eq!(Setup::standard().into_position(), parse_fen(START));
    reads_as(START, START);
}

#[test]
fn fills_in_defaults_for_four_fields() {
    reads_as(
        "4k3/8/8/8/8/8/8/4K2R w K -",
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
    );
}

#[test]
fn rejects_any_other_number_of_fields() {
    for fen in [
        "",
        "4k3/8/8/8/8/8/8/4K3",
        "4k3/8/8/8/8/8/8/4K3 w",
        "4k3/8/8/8/8/8/8/4K3 w -",
        "4k3/8/8/8/8/8/8/4K3 w - - 0",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1 extra",
    ] {
        assert_eq!(codes(fen), ["bad_fen"], "{fen}");
        assert!(
            messages(fen).contains("expected 4 or 6 fields"),
            "{}",
            messages(fen)
        );
    }
}

#[test]
fn half_move_clocks_up_to_255_are_legal() {
    // In a game that continued after the 75-move rule, the clock exceeds 150.
    for clock in [0, 49, 99, 100, 101, 149, 150, 151, 255] {
        let fen = format!("4k3/8/8/8/8/8/8/4K2R w - - {clock} 200");
        reads_as(&fen, &fen);
    }
    assert_eq!(
        messages("4k3/8/8/8/8/8/8/4K2R w - - 256 200"),
        "FEN field 5 (half-move clock): found \"256\", expected a whole number from 0 to 255"
    );
}

#[test]
fn move_numbers_range_from_1_to_65535() {
    for number in ["1", "65535"] {
        let fen = format!("4k3/8/8/8/8/8/8/4K2R w - - 0 {number}");
        reads_as(&fen, &fen);
    }
    // Some programs count from 0.
    for number in ["0", "00"] {
        reads_as(
            &format!("4k3/8/8/8/8/8/8/4K2R w - - 3 {number}"),
            "4k3/8/8/8/8/8/8/4K2R w - - 3 1",
        );
    }
    for number in [
        "-0",
        "65536",
        "-1",
        "+1",
        "1.0",
        "0x1",
        "١",
        "99999999999999999999",
    ] {
        let fen = format!("4k3/8/8/8/8/8/8/4K2R w - - 0 {number}");
        assert!(
            messages(&fen).starts_with("FEN field 6 (move number): found "),
            "{fen}"
        );
    }
}

#[test]
fn reports_every_bad_field() {
    let fen = "4k3/8/8/8/8/8/9/4K2R x Kx e9 -1 zero";
    let found = messages(fen);
    for (line, field) in found.lines().zip([
        "FEN field 1 (pieces): found '9' in rank 2",
        "FEN field 1 (pieces): found 1 in rank 2",
        "FEN field 2 (side to move): found \"x\", expected w or b",
        "FEN field 3 (castling): found \"Kx\"",
        "FEN field 4 (en passant): found \"e9\"",
        "FEN field 5 (half-move clock): found \"-1\"",
        "FEN field 6 (move number): found \"zero\"",
    ]) {
        assert!(line.starts_with(field), "{line} should begin with {field}");
    }
    assert_eq!(found.lines().count(), 7);
}

#[test]
fn checks_readable_fields_despite_bad_ones() {
    assert_eq!(
        codes("4k3/8/8/8/8/8/8/P7 w K - x 1"),
        [
            "bad_fen",
            "missing_king",
            "pawn_on_back_rank",
            "bad_castling_rights"
        ]
    );
    assert_eq!(
        codes("4k3/4R3/8/8/8/8/8/4K3 w - - 0 -1"),
        ["bad_fen", "opponent_in_check"]
    );
    assert_eq!(codes("4k3/4R3/8/8/8/8/8/4K3 white - - 0 1"), ["bad_fen"]);
}

#[test]
fn requires_eight_ranks_of_eight_squares() {
    for pieces in [
        "4k3/8/8/8/8/8/8/4K2",
        "4k3/8/8/8/8/8/8/4K4",
        "4k3/8/8/8/8/8/4K3",
        "4k3/8/8/8/8/8/8/8/4K3",
        "4k3/8/8/8/8/8//4K3",
        "4k3/8/8/8/8/8/8/4K2RR",
        "4k3/8/8/8/8/8/8/4K2R/",
        "4k3/8/8/8/8/8/8/0K4RR",
        "4k3/8/8/8/8/8/8/4Ķ3",
        "4k3/8/8/88/8/8/8/4K3",
    ] {
        let fen = format!("{pieces} w - - 0 1");
        assert!(
            !codes(&fen).is_empty() && codes(&fen).iter().all(|code| *code == "bad_fen"),
            "{fen}"
        );
        assert!(
            messages(&fen).starts_with("FEN field 1 (pieces): found "),
            "{}",
            messages(&fen)
        );
    }
    let message = messages("8 w - - 0 1");
    assert!(
        message.starts_with("FEN field 1 (pieces): found 1 rank in \"8\", expected 8 ranks"),
        "{message}"
    );
}

#[test]
fn rejects_control_characters() {
    for tail in [
        "0 1\nsetoption name Threads value 512",
        "0 1\r",
        "0\t1",
        "0 1\0",
        "0 1\u{85}",
        "0\n 1",
    ] {
        let fen = format!("4k3/8/8/8/8/8/8/4K2R w - - {tail}");
        let found = messages(&fen);
        assert!(
            found.contains("a control character in") && !found.contains(tail),
            "{found}"
        );
    }
}

#[test]
fn rejects_extra_spaces() {
    for fen in [
        " 4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1 ",
        "4k3/8/8/8/8/8/8/4K3  w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - -  ",
    ] {
        assert_eq!(codes(fen), ["bad_fen"], "{fen}");
        assert!(
            messages(fen).contains("single spaces between the fields"),
            "{fen}"
        );
    }
}

#[test]
fn rejects_a_huge_text_with_a_short_message() {
    for text in [
        "8/".repeat(1 << 20),
        "é".repeat(1 << 20),
        " ".repeat(1 << 20),
        "\n".repeat(129),
    ] {
        assert_eq!(codes(&text), ["bad_fen"]);
        assert!(messages(&text).len() < 300, "{}", messages(&text));
    }
}

#[test]
fn keeps_the_en_passant_square_only_if_legal() {
    // No pawn can capture.
    reads_as(
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
    );
    let legal = "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3";
    reads_as(legal, legal);
    // Both pawns would leave the rank between rook and king.
    reads_as(
        "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1",
        "8/8/8/K2pP2r/8/8/8/4k3 w - - 0 1",
    );
    // The capturer is pinned along a diagonal that it would leave, or along the diagonal on which
    // it captures.
    reads_as(
        "4k3/8/8/b2pP3/8/2P5/3P4/4K3 w - d6 0 1",
        "4k3/8/8/b2pP3/8/2P5/3P4/4K3 w - d6 0 1",
    );
    reads_as(
        "4k3/6b1/8/3pP3/3K4/8/8/8 w - d6 0 1",
        "4k3/6b1/8/3pP3/3K4/8/8/8 w - - 0 1",
    );
    reads_as(
        "1b2k3/8/8/3pP3/8/6K1/8/8 w - d6 0 1",
        "1b2k3/8/8/3pP3/8/6K1/8/8 w - d6 0 1",
    );
    // The capture stops a check by the pawn.
    reads_as(
        "4k3/8/8/3pP3/4K3/8/8/8 w - d6 0 1",
        "4k3/8/8/3pP3/4K3/8/8/8 w - d6 0 1",
    );
}

#[test]
fn accepts_castling_letters_in_any_order() {
    reads_as(
        "r3k2r/8/8/8/8/8/8/R3K2R w qkQK - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    );
}

#[test]
fn x_fen_names_the_outermost_rook() {
    reads_as(
        "4k3/8/8/8/8/8/8/RR2K1RR w KQ - 0 1",
        "4k3/8/8/8/8/8/8/RR2K1RR w KQ - 0 1",
    );
    reads_as(
        "4k3/8/8/8/8/8/8/1R2K1R1 w KQ - 0 1",
        "4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1",
    );
    reads_as(
        "2r1k1r1/8/8/8/8/8/8/4K3 b kq - 0 1",
        "2r1k1r1/8/8/8/8/8/8/4K3 b gc - 0 1",
    );
}

#[test]
fn shredder_fen_names_the_file_of_the_rook() {
    reads_as(
        "4k3/8/8/8/8/8/8/RR2K1RR w GB - 0 1",
        "4k3/8/8/8/8/8/8/RR2K1RR w GB - 0 1",
    );
    reads_as(
        "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1",
    );
    reads_as(
        "1r1k2r1/8/8/8/8/8/8/1R1K2R1 b BGbg - 3 9",
        "1r1k2r1/8/8/8/8/8/8/1R1K2R1 b GBgb - 3 9",
    );
}

#[test]
fn recognizes_chess960_by_files_and_squares() {
    let is_chess960 = |fen: &str| position(fen).is_chess960();
    assert!(!is_chess960("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"));
    assert!(!is_chess960("3rk2r/8/8/8/8/8/8/R2K3R w - - 0 1"));
    assert!(is_chess960("r3k2r/8/8/8/8/8/8/R3K2R w HAkq - 0 1"));
    assert!(is_chess960("r2k3r/8/8/8/8/8/8/R2K3R w KQkq - 0 1"));
    assert!(is_chess960("4k1r1/8/8/8/8/8/8/4K1R1 w Kk - 0 1"));
}

#[test]
fn x_fen_names_files_only_for_inner_rooks() {
    for (fen, x_fen) in [
        (START, "KQkq"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "KQkq"),
        ("4k1rr/8/8/8/8/8/8/4K1RR w Gg - 0 1", "Gg"),
        ("4k1rr/8/8/8/8/8/8/4K1RR w Hh - 0 1", "Kk"),
        ("rr2k3/8/8/8/8/8/8/RR2K3 w Bb - 0 1", "Bb"),
        ("1r2k3/8/8/8/8/8/8/1R2K3 w b - 0 1", "q"),
    ] {
        let before = position(fen);
        let written = rules::format_xfen(&before);
        assert_eq!(written.split(' ').nth(2), Some(x_fen), "{fen}");
        let read = position(&written);
        assert_eq!(read.castling(), before.castling(), "{fen}");
        assert_eq!(rules::board_of(&read), rules::board_of(&before));
    }
}
