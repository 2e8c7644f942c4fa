//! Known perft counts, and comparisons with `cozy-chess`.

use ai_api::Position;
use rules::{count_legal_moves, divide, legal_moves, parse_perft_suite, perft, play};

use crate::{START, position};

/// Counts like [`perft`], but lists the moves of each position before following any of them.
fn perft_of_positions(position: &Position, depth: u32) -> u64 {
    if depth == 1 {
        return u64::from(count_legal_moves(position, position.turn()));
    }
    legal_moves(position)
        .iter()
        .map(|&chosen| perft_of_positions(&play(position, chosen), depth - 1))
        .sum()
}

/// Checks the counts of depths 1, 2, … of a position.
fn check(fen: &str, counts: &[u64]) {
    let position = position(fen);
    for (depth, &count) in (1..).zip(counts) {
        assert_eq!(perft(&position, depth), count, "{fen} at depth {depth}");
        if count < 20_000_000 {
            assert_eq!(
                perft_of_positions(&position, depth),
                count,
                "{fen} at depth {depth}"
            );
        }
    }
}

fn cozy_perft(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut count = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            count += moves.len() as u64;
        } else {
            for chosen in moves {
                let mut next = board.clone();
                next.play_unchecked(chosen);
                count += cozy_perft(&next, depth - 1);
            }
        }
        false
    });
    count
}

#[test]
fn counts_paths_from_the_start_position() {
    check(START, &[20, 400, 8_902, 197_281, 4_865_609, 119_060_324]);
}

#[test]
fn counts_paths_from_kiwipete() {
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    check(fen, &[48, 2_039, 97_862, 4_085_603, 193_690_690]);
}

#[test]
fn counts_paths_of_double_fischer_random() {
    for fen in [
        "bqnnrbkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhe - 0 1",
        "1rkr4/p6p/8/8/8/8/P6P/R3K2R w HAdb - 0 1",
        "r2k3r/8/8/8/8/8/8/1R2KR2 b FBha - 0 1",
        "rk5r/8/8/8/8/8/8/RK1R4 w DAha - 0 1",
    ] {
        let (position, notes) =
            rules::import_fen(fen).unwrap_or_else(|issues| panic!("{fen}: {issues:?}"));
        assert_eq!(notes.len(), 1, "{fen}");
        let board = cozy_chess::Board::from_fen(fen, true).unwrap();
        for depth in 1..=4 {
            let count = cozy_perft(&board, depth);
            assert_eq!(perft(&position, depth), count, "{fen} at depth {depth}");
            assert_eq!(
                perft_of_positions(&position, depth),
                count,
                "{fen} at depth {depth}"
            );
        }
    }
}

#[test]
fn counts_paths_of_a_rook_endgame() {
    let fen = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
    check(fen, &[14, 191, 2_812, 43_238, 674_624, 11_030_083]);
}

#[test]
fn counts_paths_with_promotions_and_lost_rights() {
    let fen = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1";
    check(fen, &[6, 264, 9_467, 422_333, 15_833_292]);
    let mirrored = "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1";
    check(mirrored, &[6, 264, 9_467, 422_333, 15_833_292]);
}

#[test]
fn counts_paths_with_a_promotion_that_attacks_the_castled_king() {
    let fen = "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8";
    check(fen, &[44, 1_486, 62_379, 2_103_487, 89_941_194]);
}

#[test]
fn counts_paths_of_a_quiet_middlegame() {
    let fen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
    check(fen, &[46, 2_079, 89_890, 3_894_594, 164_075_551]);
}

#[test]
fn counts_paths_of_chess960_middlegames() {
    let known: [(&str, &[u64]); 2] = [
        (
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            &[21, 528, 12_189, 326_672, 8_146_062],
        ),
        (
            "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
            &[21, 807, 18_002, 667_366, 16_253_601],
        ),
    ];
    for (fen, counts) in known {
        check(fen, counts);
    }
}

#[test]
fn chess960_castling_agrees_with_cozy_chess() {
    let fens = [
        "1k1r2r1/8/8/8/8/8/8/1K1R2R1 w Gg - 0 1",
        "1rk4r/8/8/8/8/8/8/1RK4R w HBhb - 0 1",
        "rk5r/8/8/8/8/8/8/RK5R w HAha - 0 1",
        "r1k3r1/pppppppp/8/8/8/8/PPPPPPPP/R1K3R1 b GAga - 0 1",
        "5krn/8/8/8/8/8/6p1/5KRN w Gg - 0 1",
        "1rkbqn1r/p1pppppp/8/1p6/8/6P1/PPPPPP1P/1RKBQN1R w HBhb - 0 2",
        "2q1rkr1/1P5P/8/8/8/8/1p5p/2Q1RKR1 b GEge - 0 1",
        "6kr/8/8/8/3B4/8/8/6KR w Hh - 0 1",
    ];
    for fen in fens {
        let board =
            cozy_chess::Board::from_fen(fen, true).unwrap_or_else(|error| panic!("{fen}: {error}"));
        for depth in 1..=4 {
            assert_eq!(
                perft(&position(fen), depth),
                cozy_perft(&board, depth),
                "{fen} at depth {depth}"
            );
        }
    }
}

#[test]
fn every_chess960_start_agrees_with_cozy_chess() {
    for number in 0..960 {
        let board = cozy_chess::Board::chess960_startpos(number);
        let fen = format!("{board:#}");
        assert_eq!(perft(&position(&fen), 3), cozy_perft(&board, 3), "{fen}");
    }
}

#[test]
fn divide_counts_paths_by_first_move() {
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let position = position(fen);
    let divided = divide(&position, 3);
    let firsts: Vec<_> = divided.iter().map(|&(first, _)| first).collect();
    assert_eq!(firsts, legal_moves(&position).to_vec());
    assert_eq!(divided.iter().map(|&(_, count)| count).sum::<u64>(), 97_862);
    let castling = divided
        .iter()
        .find(|(first, _)| first.to_string() == "e1h1");
    assert_eq!(castling.map(|&(_, count)| count), Some(2_059));
}

#[test]
fn counts_one_path_at_depth_zero() {
    let position = position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    assert_eq!(
        (
            perft(&position, 0),
            perft(&position, 1),
            perft(&position, 2)
        ),
        (1, 0, 0)
    );
    assert!(divide(&position, 0).is_empty() && divide(&position, 1).is_empty());
}

/// The line numbers and counts of a suite's positions.
fn counts_of(text: &str) -> Vec<(usize, Vec<(u32, u64)>)> {
    let cases = parse_perft_suite(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let counts = |case: &rules::PerftCase| {
        case.counts
            .iter()
            .map(|count| (count.depth, count.paths))
            .collect()
    };
    cases.iter().map(|case| (case.line, counts(case))).collect()
}

#[test]
fn reads_counts_in_operations_or_in_lines() {
    let rook = "4k3/8/8/8/8/8/8/4K2R w K -";
    for text in [
        format!("{rook} ;D1 15 ;D2 66"),
        format!("{rook} 0 1 ;D1 15 ;D2 66\r\n"),
        format!("{rook} 0 1;D1 15;D2 66;"),
        format!("{rook} D1 15; id \"a\tb\"; D2 66;"),
        format!("\u{feff}{rook}\t;D1 15\t;d2 66"),
        format!("epd {rook}\nperft 1 15\nperft  2   66\n"),
    ] {
        assert_eq!(counts_of(&text), [(1, vec![(1, 15), (2, 66)])], "{text}");
    }
    let several = format!("# two\n\n{rook} ;D1 15\nid second\nepd {rook} 3 0\nperft 3 1197\n");
    assert_eq!(
        counts_of(&several),
        [(3, vec![(1, 15)]), (5, vec![(3, 1197)])]
    );
    assert_eq!(counts_of(""), []);
}

#[test]
fn reports_every_bad_line_of_a_suite() {
    let text = "perft 1 20\n4k3/8/8/8/8/8/8/4K3 w - - ;D1 x ;D2 7 7 ;D99 4\n8/8/8/8/8/8/8/4K3 w - \
        - ;D1 5\nepd 4k3/8/8/8/8/8/8/4K3 w - -\nperft 1\nperft 1 5\nepd 8\nperft 1 \
        5\n4k3/8/8/8/8/8/8/4K3 w - -\n";
    let errors = parse_perft_suite(text).expect_err(text);
    let found: Vec<_> = errors.iter().map(ToString::to_string).collect();
    for (line, part) in found.iter().zip([
        "line 1: found \"perft 1 20\", expected a line with epd",
        "line 2: found \"D1 x;\", expected a depth from 0 to 30 and a count of move paths, such as \
         D3 8902",
        "line 2: found \"D2 7 7;\"",
        "line 2: found \"D99 4;\"",
        "line 3: Black has no king",
        "line 5: found \"1\", expected a depth",
        "line 7: FEN text: found 1 field",
        "line 7: FEN field 1",
        "line 9: found no count, expected a count of move paths, such as ;D1 20",
    ]) {
        assert!(
            line.starts_with(part),
            "{line:?} should begin with {part:?}"
        );
    }
    assert_eq!(found.len(), 9, "{found:#?}");
}

#[test]
fn suites_may_contain_unreachable_positions() {
    let cases = parse_perft_suite("4k3/8/3N1N2/8/8/8/8/5K2 b - - 0 0 ;D1 3").unwrap();
    assert_eq!(
        cases[0].notes,
        [
            rules::ImportNote::MoveNumberZero,
            rules::ImportNote::ImpossibleCheck
        ]
    );
    assert_eq!(perft(&cases[0].position, 1), cases[0].counts[0].paths);
}
