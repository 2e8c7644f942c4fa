//! Named cases of positions after a move.

use ai_api::{Color, Flag, Host, Move, Position, SearchInfo};
use rules::{
    RULES, format_fen, gives_check, is_legal, legal_captures, legal_moves, pass, play, play_into,
};

use crate::{chosen, position, random_games::random_game};

fn check_all(cases: &[(&str, &str, &str, &str)]) {
    for &(name, before, text, expected) in cases {
        let before = position(before);
        assert!(is_legal(&before, chosen(text)), "{name}: {text} is legal");
        let after = play(&before, chosen(text));
        assert_eq!(format_fen(&after), expected, "{name}");
        let read = position(expected);
        let state = |at: &Position| {
            (
                at.hash(),
                at.checkers(),
                at.pinned(),
                at.castling(),
                at.en_passant(),
            )
        };
        assert_eq!(state(&after), state(&read), "{name}");
    }
}

#[test]
fn sets_en_passant_only_if_legal() {
    check_all(&[
        (
            "no pawn near",
            "4k3/8/8/8/8/8/4P3/4K3 w - - 4 9",
            "e2e4",
            "4k3/8/8/8/4P3/8/8/4K3 b - - 0 9",
        ),
        (
            "a pawn on the next file",
            "4k3/8/8/8/3p4/8/4P3/4K3 w - - 4 9",
            "e2e4",
            "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 9",
        ),
        (
            "for White",
            "4k3/3p4/8/4P3/8/8/8/4K3 b - - 4 9",
            "d7d5",
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 10",
        ),
        (
            "across the edge",
            "4k3/8/8/8/7p/8/P7/4K3 w - - 0 1",
            "a2a4",
            "4k3/8/8/8/P6p/8/8/4K3 b - - 0 1",
        ),
        (
            "both pawns on the king's rank",
            "8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1",
            "e2e4",
            "8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1",
        ),
        (
            "the pawn is pinned",
            "3k4/8/8/8/3p4/8/4P3/3RK3 w - - 0 1",
            "e2e4",
            "3k4/8/8/8/3pP3/8/8/3RK3 b - - 0 1",
        ),
        (
            "only one of two pawns",
            "3k4/8/8/8/3p1p2/8/4P3/3RK3 w - - 0 1",
            "e2e4",
            "3k4/8/8/8/3pPp2/8/8/3RK3 b - e3 0 1",
        ),
        (
            "the step discovers a check",
            "8/8/k7/8/3p4/8/4P3/3K1B2 w - - 0 1",
            "e2e4",
            "8/8/k7/8/3pP3/8/8/3K1B2 b - - 0 1",
        ),
        (
            "a single step",
            "4k3/8/8/3p4/8/4P3/8/4K3 w - - 0 1",
            "e3e4",
            "4k3/8/8/3p4/4P3/8/8/4K3 b - - 0 1",
        ),
        (
            "the capture",
            "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 9",
            "d4e3",
            "4k3/8/8/8/8/4p3/8/4K3 w - - 0 10",
        ),
        (
            "the right expires",
            "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 9",
            "e8e7",
            "8/4k3/8/8/3pP3/8/8/4K3 w - - 1 10",
        ),
    ]);
}

#[test]
fn castling_rights_end_when_the_king_or_rook_leaves() {
    let start = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    check_all(&[
        (
            "the king moves",
            start,
            "e1e2",
            "r3k2r/8/8/8/8/8/4K3/R6R b kq - 1 1",
        ),
        (
            "a rook moves",
            start,
            "a1b1",
            "r3k2r/8/8/8/8/8/8/1R2K2R b Kkq - 1 1",
        ),
        (
            "the other rook moves",
            start,
            "h1h2",
            "r3k2r/8/8/8/8/8/7R/R3K3 b Qkq - 1 1",
        ),
        (
            "a rook takes a rook",
            start,
            "h1h8",
            "r3k2R/8/8/8/8/8/8/R3K3 b Qq - 0 1",
        ),
        (
            "a bishop takes a rook",
            "r3k2r/8/8/8/8/5B2/8/4K3 w kq - 0 1",
            "f3a8",
            "B3k2r/8/8/8/8/8/8/4K3 b k - 0 1",
        ),
        (
            "a pawn takes a rook",
            "r3k2r/1P6/8/8/8/8/8/4K3 w kq - 3 1",
            "b7a8n",
            "N3k2r/8/8/8/8/8/8/4K3 b k - 0 1",
        ),
        (
            "another rook stays at home",
            "4k3/8/8/8/8/8/R7/R3K3 w Q - 0 1",
            "a2b2",
            "4k3/8/8/8/8/8/1R6/R3K3 b Q - 1 1",
        ),
        (
            "a rook on the file, not at home",
            "4k2r/8/8/8/7r/8/8/4K2R b Kk - 0 1",
            "h4g4",
            "4k2r/8/8/8/6r1/8/8/4K2R w Kk - 1 2",
        ),
    ]);
}

#[test]
fn castling_puts_king_and_rook_on_their_squares() {
    check_all(&[
        (
            "king's side",
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 5 7",
            "e1h1",
            "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 6 7",
        ),
        (
            "queen's side",
            "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 5 7",
            "e8a8",
            "2kr3r/8/8/8/8/8/8/R3K2R w KQ - 6 8",
        ),
        (
            "the king stays",
            "4k3/8/8/8/8/8/8/6KR w H - 0 1",
            "g1h1",
            "4k3/8/8/8/8/8/8/5RK1 b - - 1 1",
        ),
        (
            "they change places",
            "4k3/8/8/8/8/8/8/5KR1 w G - 0 1",
            "f1g1",
            "4k3/8/8/8/8/8/8/5RK1 b - - 1 1",
        ),
        (
            "the rook stays",
            "4k3/8/8/8/8/8/8/3R1K2 w D - 0 1",
            "f1d1",
            "4k3/8/8/8/8/8/8/2KR4 b - - 1 1",
        ),
        (
            "it gives check",
            "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1",
            "e1a1",
            "3k4/8/8/8/8/8/8/2KR4 b - - 1 1",
        ),
    ]);
}

#[test]
fn removes_a_promoted_pawn() {
    check_all(&[
        (
            "ahead",
            "8/4P1k1/8/8/8/8/8/4K3 w - - 7 30",
            "e7e8q",
            "4Q3/6k1/8/8/8/8/8/4K3 b - - 0 30",
        ),
        (
            "with check",
            "8/4P1k1/8/8/8/8/8/4K3 w - - 7 30",
            "e7e8n",
            "4N3/6k1/8/8/8/8/8/4K3 b - - 0 30",
        ),
        (
            "taking",
            "4k3/8/8/8/8/8/p7/1N2K3 b - - 7 30",
            "a2b1r",
            "4k3/8/8/8/8/8/8/1r2K3 w - - 0 31",
        ),
    ]);
}

#[test]
fn clocks_saturate() {
    let mut at = position("4k3/8/8/8/8/8/8/4K2R w - - 150 65535");
    for text in ["h1h2", "e8e7", "h2h1", "e7e8"].iter().cycle().take(400) {
        at = play(&at, chosen(text));
    }
    assert_eq!(
        (at.halfmove_clock(), at.fullmove_number()),
        (u8::MAX, u16::MAX)
    );
}

#[test]
fn the_vtable_agrees_with_the_functions() {
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let at = position(fen);
    let stop = Flag::new(false);
    let ignore = |_: &SearchInfo<'_>| {};
    let host = Host::new(&RULES, &stop, &ignore);
    assert_eq!(host.legal_moves(&at)[..], legal_moves(&at)[..]);
    assert_eq!(host.legal_captures(&at)[..], legal_captures(&at)[..]);
    assert_eq!(host.count_legal_moves(&at, at.turn()), 48);
    assert_eq!(
        host.count_legal_moves(&at, !at.turn()),
        rules::count_legal_moves(&at, !at.turn())
    );
    assert!(host.has_legal_move(&at));
    assert!(!host.is_insufficient_material(&at));
    assert!(host.is_insufficient_material(&position("4k3/8/8/8/8/8/8/4KN2 w - - 0 1")));
    for &each in &legal_moves(&at) {
        let next = play(&at, each);
        assert_eq!(
            (host.play(&at, each), host.gives_check(&at, each)),
            (next, next.in_check())
        );
    }
    let legal = (0..=u16::MAX)
        .map(Move::from_bits)
        .filter(|&each| host.is_legal(&at, each));
    assert_eq!(legal.count(), 48);
    let e4 = "e4".parse().unwrap();
    let attackers = |color| {
        host.attackers(&at, e4, color)
            .into_iter()
            .map(|square| square.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (attackers(Color::White), attackers(Color::Black)),
        (vec!["c3".into(), "f3".into()], vec!["f6".to_owned()])
    );
}

#[test]
fn writes_every_part_of_a_position() {
    let used = "bnrbkrqn/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/BNRBKRQN b FCfc d3 0 9";
    for fen in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 5 1",
        "4k3/P6p/8/3pP3/6p1/8/5P1P/R3K2R w KQ d6 0 1",
    ] {
        let before = position(fen);
        for &each in &legal_moves(&before) {
            let mut next = position(used);
            play_into(&before, each, &mut next);
            assert_eq!(next, position(&format_fen(&next)), "{fen} {each}");
            assert_eq!(next, play(&before, each), "{fen} {each}");
        }
    }
}

#[test]
fn passes_the_turn_with_a_null_move() {
    // An en passant capture expires, and the pin is on the other side.
    for (before, after) in [
        (
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            "4k3/8/8/8/8/8/8/4K2R b K - 1 1",
        ),
        (
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 7",
            "4k3/8/8/3pP3/8/8/8/4K3 b - - 1 7",
        ),
        (
            "4k3/4n3/8/8/8/8/4R3/4K3 w - - 3 9",
            "4k3/4n3/8/8/8/8/4R3/4K3 b - - 4 9",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 b - - 3 9",
            "4k3/8/8/8/8/8/8/4K3 w - - 4 10",
        ),
    ] {
        let passed = pass(&position(before)).expect("no check");
        assert_eq!(
            (format_fen(&passed).as_str(), passed),
            (after, position(after)),
            "{before}"
        );
    }
    assert_eq!(pass(&position("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1")), None);
}

#[test]
fn predicts_checks_before_the_move() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut starts: Vec<Position> = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ]
    .map(position)
    .into();
    starts.extend(
        [
            "5k2/P6P/8/8/8/8/p6p/R3K2R w KQ - 0 1",
            "3k4/8/8/1pP5/8/8/8/B2K3R w - b6 0 1",
        ]
        .map(position),
    );
    let mut checks = 0;
    for start in starts.into_iter().cycle().take(400) {
        let game = random_game(start, 60, &mut random);
        let mut before = start;
        for &played in game.moves() {
            for &chosen in &legal_moves(&before) {
                let expected = play(&before, chosen).in_check();
                assert_eq!(
                    gives_check(&before, chosen),
                    expected,
                    "{}: {chosen:?}",
                    format_fen(&before)
                );
                checks += u32::from(expected);
            }
            before = play(&before, played);
        }
    }
    assert!(checks > 10_000, "{checks} checks");
}
