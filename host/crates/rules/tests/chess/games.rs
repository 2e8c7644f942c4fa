//! Games from moves: results, claims, repetition, and errors with their plies.

use ai_api::Color;
use rules::{
    DrawClaim, DrawReason, Game, GameIssue, MoveError, Outcome, Place, format_fen, parse_fen,
};

use crate::{chosen, game};

fn issues(fen: Option<&str>, moves: &[&str]) -> Vec<GameIssue> {
    Game::from_moves(fen, moves)
        .map(|game| game.moves().len())
        .expect_err("the game is illegal")
}

/// Each issue as a code and a ply.
fn plies(fen: Option<&str>, moves: &str) -> Vec<(&'static str, Option<usize>)> {
    let moves: Vec<&str> = moves.split_whitespace().collect();
    issues(fen, &moves)
        .iter()
        .map(|issue| (issue.code, issue.ply))
        .collect()
}

const WHITE_WINS: Option<Outcome> = Some(Outcome::Win {
    winner: Color::White,
});
const BLACK_WINS: Option<Outcome> = Some(Outcome::Win {
    winner: Color::Black,
});
const STALEMATE: Option<Outcome> = Some(Outcome::Draw(DrawReason::Stalemate));
const INSUFFICIENT: Option<Outcome> = Some(Outcome::Draw(DrawReason::InsufficientMaterial));
const SEVENTY_FIVE: Option<Outcome> = Some(Outcome::Draw(DrawReason::SeventyFiveMoves));
const FIVEFOLD: Option<Outcome> = Some(Outcome::Draw(DrawReason::FivefoldRepetition));

#[test]
fn finds_results_by_the_rules() {
    for (name, fen, moves, expected) in [
        ("the start", None, "", None),
        ("fool's mate", None, "f2f3 e7e5 g2g4 d8h4", BLACK_WINS),
        (
            "scholar's mate",
            None,
            "e2e4 e7e5 f1c4 b8c6 d1h5 g8f6 h5f7",
            WHITE_WINS,
        ),
        ("check is not mate", None, "e2e4 f7f6 d1h5", None),
        (
            "stalemate",
            Some("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1"),
            "f1f7",
            STALEMATE,
        ),
        (
            "mate at once",
            Some("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"),
            "",
            WHITE_WINS,
        ),
        (
            "bare kings",
            Some("4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
            "",
            INSUFFICIENT,
        ),
        (
            "the last pawn is taken",
            Some("8/8/8/3k4/4P3/8/8/4K3 b - - 0 1"),
            "d5e4",
            INSUFFICIENT,
        ),
        (
            "bishops on squares of both colors",
            Some("4kb2/8/8/8/8/8/8/4KB2 w - - 0 1"),
            "",
            None,
        ),
        (
            "75 moves",
            Some("4k3/8/8/8/8/8/8/3RK3 w - - 149 100"),
            "d1d2",
            SEVENTY_FIVE,
        ),
        (
            "75 moves at once",
            Some("4k3/8/8/8/8/8/8/3RK3 w - - 150 100"),
            "",
            SEVENTY_FIVE,
        ),
        (
            "a ply before 75 moves",
            Some("4k3/8/8/8/8/8/8/3RK3 w - - 148 100"),
            "d1d2",
            None,
        ),
        (
            "a mate on the 75th move",
            Some("6k1/5ppp/8/8/8/8/8/R5K1 w - - 149 100"),
            "a1a8",
            WHITE_WINS,
        ),
        (
            "a stalemate on the 75th move",
            Some("7k/8/6K1/8/8/8/8/5Q2 w - - 149 100"),
            "f1f7",
            STALEMATE,
        ),
        (
            "a pawn move on the 75th move",
            Some("4k3/8/8/8/8/8/4P3/3RK3 w - - 149 100"),
            "e2e3",
            None,
        ),
        (
            "castling does not stop the count",
            Some("4k3/8/8/8/8/8/8/4K2R w K - 149 100"),
            "e1g1",
            SEVENTY_FIVE,
        ),
    ] {
        let game = game(fen, moves);
        let status = game.status();
        assert_eq!(status.outcome, expected, "{name}");
        assert!(
            status.outcome.is_none() || status.claims.is_empty(),
            "{name}"
        );
        assert_eq!(
            (status.turn, status.check),
            (game.position().turn(), game.position().in_check()),
            "{name}"
        );
    }
}

#[test]
fn results_and_claims_have_stable_names() {
    let names = [WHITE_WINS, STALEMATE, INSUFFICIENT, SEVENTY_FIVE, FIVEFOLD]
        .map(|outcome| outcome.map(Outcome::reason));
    assert_eq!(
        names.map(Option::unwrap),
        [
            "checkmate",
            "stalemate",
            "insufficient_material",
            "seventyfive_moves",
            "fivefold_repetition",
        ]
    );
    let claims =
        [DrawClaim::ThreefoldRepetition, DrawClaim::FiftyMoves].map(|claim| claim.into_str());
    assert_eq!(claims, ["threefold_repetition", "fifty_moves"]);
    assert_eq!(
        (
            BLACK_WINS.and_then(Outcome::winner),
            FIVEFOLD.and_then(Outcome::winner)
        ),
        (Some(Color::Black), None)
    );
}

#[test]
fn fifty_moves_only_allow_a_claim() {
    for (clock, expected) in [
        (98, &[][..]),
        (99, &[DrawClaim::FiftyMoves]),
        (140, &[DrawClaim::FiftyMoves]),
    ] {
        let fen = format!("4k3/8/8/8/8/8/8/3RK3 w - - {clock} 100");
        let status = game(Some(&fen), "d1d2").status();
        assert_eq!(
            (status.outcome, &status.claims[..]),
            (None, expected),
            "{clock}"
        );
    }
}

const SHUFFLE: &str = "g1f3 g8f6 f3g1 f6g8 ";

#[test]
fn counts_the_first_position_for_repetition() {
    let claims = |times: usize, more: &str| game(None, &(SHUFFLE.repeat(times) + more)).status();
    assert_eq!(claims(1, "").claims, []);
    assert_eq!(claims(2, "").claims, [DrawClaim::ThreefoldRepetition]);
    assert_eq!(claims(2, "").outcome, None);
    assert_eq!(claims(3, "").outcome, None);
    assert_eq!(claims(4, "").outcome, FIVEFOLD);
    assert_eq!(claims(2, "b1c3").claims, []);
    // The position after 1. Nf3 has occurred three times.
    assert_eq!(claims(2, "g1f3").claims, [DrawClaim::ThreefoldRepetition]);
    assert_eq!(claims(1, "g1f3").claims, []);
}

#[test]
fn counts_a_custom_start_for_repetition() {
    let fen = Some("4k2r/8/8/8/8/8/8/4K2R b - - 30 50");
    let shuffle = "h8h7 h1h2 h7h8 h2h1 ";
    assert_eq!(game(fen, shuffle).status().claims, []);
    assert_eq!(
        game(fen, &shuffle.repeat(2)).status().claims,
        [DrawClaim::ThreefoldRepetition]
    );
    assert_eq!(game(fen, &shuffle.repeat(4)).status().outcome, FIVEFOLD);
}

#[test]
fn lost_castling_rights_prevent_repetition() {
    let fen = Some("4k2r/8/8/8/8/8/8/4K2R b Kk - 0 50");
    let shuffle = "h8h7 h1h2 h7h8 h2h1 ";
    assert_eq!(game(fen, &shuffle.repeat(2)).status().claims, []);
    assert_eq!(
        game(fen, &shuffle.repeat(3)).status().claims,
        [DrawClaim::ThreefoldRepetition]
    );
    assert_eq!(game(fen, &shuffle.repeat(4)).status().outcome, None);
    // The first position without castling rights follows the second ply.
    assert_eq!(
        game(fen, &(shuffle.repeat(4) + "h8h7")).status().outcome,
        None
    );
    assert_eq!(
        game(fen, &(shuffle.repeat(4) + "h8h7 h1h2"))
            .status()
            .outcome,
        FIVEFOLD
    );
}

#[test]
fn only_legal_en_passant_prevents_repetition() {
    let claims =
        |fen: &str, shuffle: &str| game(Some(fen), &format!("e2e4 {shuffle}")).status().claims;
    let shuffle = "e8e7 h1h2 e7e8 h2h1 ";
    // Black could answer the double step with d4xe3, so the position with that right occurs once.
    let legal = "4k3/8/8/8/3p4/8/4P3/2K4R w - - 0 1";
    assert_eq!(claims(legal, &shuffle.repeat(2)), []);
    assert_eq!(
        claims(legal, &shuffle.repeat(3)),
        [DrawClaim::ThreefoldRepetition]
    );
    // No pawn can capture.
    let unavailable = "4k3/8/8/8/p7/8/4P3/2K4R w - - 0 1";
    assert_eq!(
        claims(unavailable, &shuffle.repeat(2)),
        [DrawClaim::ThreefoldRepetition]
    );
    // The capturer is pinned along the rank.
    let pinned = "8/8/8/8/k2p3R/8/4P3/2K5 w - - 0 1";
    assert_eq!(
        claims(pinned, &"a4b4 h4g4 b4a4 g4h4 ".repeat(2)),
        [DrawClaim::ThreefoldRepetition]
    );
}

#[test]
fn a_different_side_to_move_prevents_repetition() {
    // First White, then Black loses a tempo. The same placement occurs three times, twice with
    // White to move.
    let fen = Some("8/8/5k2/8/8/8/8/R2K4 w - - 0 1");
    let game = game(fen, "d1c1 f6e6 c1c2 e6f6 c2d1 f6e6 d1e1 e6f7 e1d1 f7f6");
    assert_eq!(game.position().hash(), game.start().hash());
    assert_eq!(game.status().claims, []);
}

#[test]
fn history_contains_the_positions_that_can_repeat() {
    let start = game(None, "").position().hash();
    assert!(game(None, "").history().is_empty());
    assert_eq!(game(None, "g1f3").history(), [start]);
    assert_eq!(
        game(None, "g1f3 g8f6").history(),
        [start, game(None, "g1f3").position().hash()]
    );
    assert!(game(None, "g1f3 g8f6 e2e4").history().is_empty());
    assert_eq!(
        game(None, "g1f3 g8f6 e2e4 f6g8").history(),
        [game(None, "g1f3 g8f6 e2e4").position().hash()]
    );
    // The clock of the first position counts moves that are not in the game.
    assert_eq!(
        game(Some("4k2r/8/8/8/8/8/8/4K2R b - - 30 50"), "h8h7")
            .history()
            .len(),
        1
    );
}

#[test]
fn rejects_moves_after_the_end() {
    let mut over = game(None, "f2f3 e7e5 g2g4 d8h4");
    let error = over.play(chosen("e1f2")).unwrap_err();
    assert_eq!(
        error,
        MoveError::GameOver(Outcome::Win {
            winner: Color::Black
        })
    );
    assert_eq!(error.to_string(), "the game is over: Black gave checkmate");
    let mut drawn = game(None, &SHUFFLE.repeat(4));
    let fivefold = Outcome::Draw(DrawReason::FivefoldRepetition);
    assert_eq!(
        drawn.play(chosen("e2e4")),
        Err(MoveError::GameOver(fivefold))
    );
    assert_eq!(drawn.moves().len(), 16);
}

#[test]
fn rejects_illegal_moves_and_keeps_the_game() {
    let mut game = game(None, "e2e4");
    let before = *game.position();
    assert!(matches!(
        game.play(chosen("e7e4")),
        Err(MoveError::Illegal { .. })
    ));
    assert_eq!((game.position(), game.moves().len()), (&before, 1));
    game.play(chosen("e7e5")).expect("a legal move");
    assert_eq!(game.uci_moves(), ["e2e4", "e7e5"]);
}

#[test]
fn reads_both_castling_notations() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for moves in ["e1g1 e8c8", "e1h1 e8a8"] {
        let game = game(Some(fen), moves);
        assert_eq!(game.uci_moves(), ["e1g1", "e8c8"]);
        assert_eq!(
            format_fen(game.position()),
            "2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2"
        );
        assert_eq!(game.start(), &parse_fen(fen).unwrap());
    }
}

#[test]
fn reports_every_bad_ply() {
    // The parser still puts the pawn on e5 and the knight on d5, and checks later plies from there.
    assert_eq!(
        plies(None, "e2e5 d7d5 e5d6 g8d5 d6c7 d5c7"),
        [("illegal_move", Some(1)), ("illegal_move", Some(4)),]
    );
    // After a string that is not a move, the parser checks only the syntax of the remaining
    // strings.
    assert_eq!(
        plies(None, "e2e4 castles a1a8 e9e5"),
        [("illegal_move", Some(2)), ("illegal_move", Some(4))]
    );
    // A move of the opponent's piece has the same effect.
    assert_eq!(plies(None, "e7e5 a1a8 a1a8"), [("illegal_move", Some(1))]);
    // So does a move onto one of the mover's own pieces.
    assert_eq!(plies(None, "a1a2 e7e4"), [("illegal_move", Some(1))]);
    // So does a move that leaves the king in check.
    assert_eq!(
        plies(
            Some("4k3/8/8/8/8/8/4r3/4KR2 w - - 0 1"),
            "f1f2 e2e1 a1a1 xyz"
        ),
        [("illegal_move", Some(1)), ("illegal_move", Some(4)),]
    );
}

#[test]
fn illegal_castling_keeps_the_other_rights() {
    let fen = Some("r3k2r/8/8/8/8/5r2/8/R3K2R w KQkq - 0 1");
    let found = issues(fen, &["e1g1", "e8g8"]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        found[0].message,
        "e1g1 is illegal: castling is not possible: the king would cross f1, which f3 attacks"
    );
}

#[test]
fn issues_have_a_place_and_a_reason() {
    let found = issues(
        Some("4k3/8/8/8/8/8/4P3/4K3 w K - x 1"),
        &["e2e4", "nonsense\n"],
    );
    let shown: Vec<String> = found
        .iter()
        .map(|issue| format!("{} {}", issue.place, issue.message))
        .collect();
    assert_eq!(
        shown,
        [
            "/fen FEN field 5 (half-move clock): found \"x\", expected a whole number from 0 to \
             255",
            "/fen castling rights: White's right on the king's side needs a white rook there on \
             rank 1; found none",
            "/moves/1 \"nonsense\\n\" is not a move in UCI notation: expected two squares and, for \
         a promotion, q, r, b or n, such as e2e4 or e7e8q",
        ]
    );
    assert_eq!(
        found.iter().map(|issue| issue.code).collect::<Vec<_>>(),
        ["bad_fen", "bad_castling_rights", "illegal_move"]
    );
    assert_eq!(found[0].ply, None);
    assert_eq!((found[2].place, found[2].ply), (Place::Move(1), Some(2)));
}

#[test]
fn reports_moves_after_the_end_once() {
    assert_eq!(
        plies(None, "f2f3 e7e5 g2g4 d8h4 e1f2 h4f2 oops"),
        [("moves_after_end", Some(5)), ("illegal_move", Some(7)),]
    );
    let over = issues(None, &["f2f3", "e7e5", "g2g4", "d8h4", "a2a3"]);
    assert_eq!(
        over[0].message,
        "the game was already over: Black gave checkmate"
    );
    let stalemated = "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1";
    assert_eq!(
        plies(Some(stalemated), "f1f7 h8g8"),
        [("moves_after_end", Some(2))]
    );
}

#[test]
fn games_continue_after_a_draw_without_a_claim() {
    use DrawReason::{FivefoldRepetition, InsufficientMaterial, SeventyFiveMoves};
    let bare_kings = Some("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    let old = Some("8/8/4k3/8/8/4K3/8/R7 w - - 148 160");
    let shuffled = SHUFFLE.repeat(4);
    for (fen, moves, drawn_at, outcome) in [
        (
            bare_kings,
            "e1e2 e8e7",
            (0, InsufficientMaterial),
            Some(InsufficientMaterial),
        ),
        (
            old,
            "a1a2 e6d5 a2a3 d5c4",
            (2, SeventyFiveMoves),
            Some(SeventyFiveMoves),
        ),
        (
            old,
            "a1a2 e6d5 a2a3 d5c4 a3a8 c4b5 a8b8 b5a6 b8b6 a6b6",
            (2, SeventyFiveMoves),
            Some(InsufficientMaterial),
        ),
        (
            None,
            &*(shuffled.clone() + "g1f3"),
            (16, FivefoldRepetition),
            Some(FivefoldRepetition),
        ),
        (
            None,
            &*(shuffled.clone() + "e2e4 e7e5"),
            (16, FivefoldRepetition),
            None,
        ),
        // Only the first draw is recorded.
        (
            None,
            &*SHUFFLE.repeat(5),
            (16, FivefoldRepetition),
            Some(FivefoldRepetition),
        ),
    ] {
        let game = game(fen, moves);
        let found = game.drawn_at().expect("it continued");
        assert_eq!((found.ply, found.reason), drawn_at, "{moves}");
        assert_eq!(game.outcome(), outcome.map(Outcome::Draw), "{moves}");
    }
    assert_eq!(game(old, "a1a2 e6d5").drawn_at(), None, "it ended there");
    // The moves after the draw must be legal.
    assert_eq!(
        plies(None, &(shuffled.clone() + "e2e4 e7e5 e4e5")),
        [("illegal_move", Some(19))]
    );
    let mut drawn = game(None, &shuffled);
    drawn.play_on(chosen("e2e4")).expect("a legal move");
    drawn.play(chosen("e7e5")).expect("no longer a draw");
    assert_eq!(
        drawn.drawn_at().expect("it continued").to_string(),
        "drawn by fivefold repetition after ply 16"
    );
    let mut mate = game(None, "f2f3 e7e5 g2g4 d8h4");
    assert!(matches!(
        mate.play_on(chosen("a2a3")),
        Err(MoveError::GameOver(_))
    ));
}

#[test]
fn limits_the_number_of_issues() {
    let moves = vec!["zzzz"; 100_000];
    assert_eq!(issues(None, &moves).len(), 1000);
}

#[test]
fn reads_games_in_san_and_reports_every_issue() {
    let game = Game::from_san(None, &["e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7"])
        .expect("scholar's mate");
    assert_eq!(
        game.uci_moves().join(" "),
        "e2e4 e7e5 f1c4 b8c6 d1h5 g8f6 h5f7"
    );
    assert!(game.status().outcome.is_some());
    let issues =
        |fen: Option<&str>, moves: &[&str]| -> Vec<(&'static str, String, Option<usize>)> {
            let issues = Game::from_san(fen, moves).expect_err("the game is illegal");
            issues
                .iter()
                .map(|issue| (issue.code, issue.place.to_string(), issue.ply))
                .collect()
        };
    assert_eq!(
        issues(None, &["e4", "Ke5", "d4", "??", "Nf6"]),
        [
            ("illegal_move", "/san/1".into(), Some(2)),
            ("illegal_move", "/san/3".into(), Some(4))
        ]
    );
    assert_eq!(
        issues(None, &["f3", "e5", "g4", "Qh4#", "a3", "x"]),
        [
            ("moves_after_end", "/san/4".into(), Some(5)),
            ("illegal_move", "/san/5".into(), Some(6))
        ]
    );
    let issues = issues(Some("8/8/8/8/8/8/8/8 w - - 0 1"), &["e4", "x"]);
    assert_eq!(
        issues.iter().map(|issue| issue.0).collect::<Vec<_>>(),
        ["missing_king", "missing_king", "illegal_move"]
    );
}

#[test]
fn a_random_game_ends_at_the_fifth_occurrence_of_a_position() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut ended = 0;
    for round in 0..300 {
        // With few moves, positions repeat in many ways; a capture starts a new count.
        let fen = format!("7k/8/8/8/p6p/P6p/P6P/K6R w - - {} 50", random.u8(..40));
        let mut game = game(Some(&fen), "");
        while game.outcome().is_none() {
            let moves = rules::legal_moves(game.position());
            let few = moves.len().min(2 + round % 3);
            game.play(moves[random.usize(..few)]).expect("a legal move");
            let hash = game.position().hash();
            let times = game.hashes().filter(|&earlier| earlier == hash).count();
            assert_eq!(
                game.outcome() == FIVEFOLD,
                times == 5,
                "{fen}: {:?}",
                game.uci_moves()
            );
        }
        ended += usize::from(game.outcome() == FIVEFOLD);
    }
    assert!((50..250).contains(&ended), "{ended}");
}

#[test]
fn the_passed_square_comes_from_the_last_double_push_or_the_fen() {
    let pinned = "4k3/8/8/8/4pP2/8/8/4RK2 b - f3 0 1";
    for (fen, moves, expected) in [
        (None, "", None),
        (None, "e2e4", Some("e3")),
        (None, "e2e3", None),
        (None, "e2e4 e7e5", Some("e6")),
        (None, "e2e4 e7e5 g1f3", None),
        (
            Some("4k3/8/8/8/4p3/8/5P2/4RK2 w - - 0 1"),
            "f2f4",
            Some("f3"),
        ),
        (Some(pinned), "", Some("f3")),
        (Some(pinned), "e8d7", None),
        // A rook can move just as far.
        (Some("3k4/8/8/8/8/8/4R3/4K3 w - - 0 1"), "e2e4", None),
    ] {
        let moves: Vec<_> = moves.split_whitespace().collect();
        let game = Game::from_moves(fen, &moves).unwrap();
        assert_eq!(
            game.passed().map(|square| square.to_string()).as_deref(),
            expected,
            "{moves:?}"
        );
    }
    assert_eq!(Game::import(pinned).unwrap().0.passed(), "f3".parse().ok());
}

#[test]
fn games_to_look_at_may_begin_in_an_unreachable_position() {
    let composed = "4k3/8/3N1N2/8/8/8/8/5K2 b - - 0 0";
    assert!(Game::from_moves(Some(composed), &["e8d8"]).is_err());
    assert!(Game::from_san(Some(composed), &["Kd8"]).is_err());
    let (by_uci, notes) = Game::import_moves(Some(composed), &["e8d8"]).unwrap();
    assert_eq!(notes.len(), 2, "{notes:?}");
    let (by_san, _) = Game::import_san(Some(composed), &["Kd8"]).unwrap();
    assert_eq!(by_uci.position(), by_san.position());
    assert!(Game::import_moves(Some(composed), &["e8e7", "f1f8"]).is_err());
}
