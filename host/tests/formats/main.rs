//! Formats: round trips, text from other programs, and errors with their positions.

mod arrays;
mod pages;

use ai_api::Color;
use formats::{FormatIssue, FormatName, GameRecord, Import, Part, guess};
use proptest::prelude::*;
use rules::{
    Game, ImportNote, NullMoves, Operand, Operation, ReadVariations, board_of, format_fen,
    legal_moves, parse_fen, start_position,
};

use pages::cells;

const OPTIONS: Import = Import {
    turn: None,
    variations: ReadVariations::Keep,
    null_moves: NullMoves::Reject,
    language: rules::Language::English,
    max_plies: 2000,
};
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// Chess960 start position number 0.
const CHESS960: &str = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1";
/// Both players can castle on both sides, and Black can capture en passant.
const RICH: &str = "r3k2r/8/8/8/4Pp2/8/8/R3K2R b KQkq e3 0 20";

fn import(
    name: FormatName,
    text: &str,
    options: &Import,
) -> Vec<Result<GameRecord, Vec<FormatIssue>>> {
    name.format().import(text, *options).collect()
}

#[track_caller]
fn only(name: FormatName, text: &str, options: &Import) -> GameRecord {
    let mut games = import(name, text, options);
    assert_eq!(games.len(), 1, "{name}: {text}");
    games
        .remove(0)
        .unwrap_or_else(|issues| panic!("{name}: {issues:?}\n{text}"))
}

/// Returns the code and position of every error.
#[track_caller]
fn errors_of(name: FormatName, text: &str, options: &Import) -> Vec<String> {
    let issues = import(name, text, options)
        .into_iter()
        .filter_map(Result::err)
        .flatten();
    let reported: Vec<_> = issues
        .map(|issue| format!("{} {issue}", issue.code))
        .collect();
    assert!(!reported.is_empty(), "{name}: {text}");
    reported
}

fn played(fen: &str, choices: &[u16]) -> GameRecord {
    let mut game = Game::new(parse_fen(fen).expect("a legal position"));
    for choice in choices {
        let moves = legal_moves(game.position());
        if moves.is_empty()
            || game
                .play(moves[usize::from(*choice) % moves.len()])
                .is_err()
        {
            break;
        }
    }
    GameRecord::of(game)
}

/// Checks that a format preserves what it can hold.
fn assert_round_trips(name: FormatName, record: &GameRecord) -> Result<(), TestCaseError> {
    let holds = name.format().holds();
    let text = name.format().export(record);
    let options = Import {
        turn: Some(record.game.game.position().turn()),
        ..OPTIONS
    };
    let games = import(name, &text, &options);
    prop_assert_eq!(games.len(), 1, "{}: {}", name, text);
    let read = match &games[0] {
        Ok(read) => &read.game.game,
        Err(issues) => return Err(TestCaseError::fail(format!("{name}: {issues:?}\n{text}"))),
    };
    let game = &record.game.game;
    prop_assert_eq!(
        board_of(read.position()),
        board_of(game.position()),
        "{}: {}",
        name,
        text
    );
    prop_assert_eq!(read.position().turn(), game.position().turn());
    if holds.contains(&Part::Moves) {
        prop_assert_eq!(read.moves(), game.moves());
    }
    if holds.contains(&Part::RightsAndClocks) {
        // X-FEN cannot mark a game as Chess960 if castling is as in orthodox chess.
        let is_same_kind = read.position().is_chess960() == game.position().is_chess960();
        let clocks = |game: &Game| {
            (
                game.position().halfmove_clock(),
                game.position().fullmove_number(),
            )
        };
        prop_assert_eq!(read.position().castling(), game.position().castling());
        prop_assert_eq!(clocks(read), clocks(game));
        prop_assert_eq!(read.position().en_passant(), game.position().en_passant());
        let says_chess960 = !game.position().castling().is_none();
        prop_assert!(
            is_same_kind || name == FormatName::Xfen || !says_chess960,
            "{}: {}",
            name,
            text
        );
    }
    // EPD without operations may be detected as FEN, and moves with a FEN tag as PGN.
    let also = match name {
        FormatName::Xfen | FormatName::Epd => FormatName::Fen,
        FormatName::San if text.starts_with('[') => FormatName::Pgn,
        name => name,
    };
    prop_assert!(
        [Some(name), Some(also)].contains(&guess(&text)),
        "{}: {}",
        name,
        text
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 160,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_format_round_trips(
        start in prop_oneof![Just(START), Just(CHESS960), Just(RICH)],
        choices in proptest::collection::vec(any::<u16>(), 0..100),
    ) {
        let record = played(start, &choices);
        for &name in FormatName::ALL {
            // Boards do not show whether a game is Chess960.
            if ![FormatName::Boards, FormatName::Csharp].contains(&name) || start != CHESS960 {
                assert_round_trips(name, &record)?;
            }
        }
    }

    #[test]
    fn import_never_panics(
        text in "[-<>=\"'a-h1-8KQRBNkqrbnp./ \n|\\[\\]{}♔♟]{0,160}",
        cut in 0..4000_usize,
    ) {
        for &name in FormatName::ALL {
            drop(import(name, &text, &OPTIONS));
            let written = name.format().export(&played(START, &[1, 2, 3]));
            let cut: String = written.chars().take(cut).collect();
            drop(import(name, &cut, &OPTIONS));
        }
        let _ = guess(&text);
    }
}

#[test]
fn keeps_operations_only_in_epd() {
    let operation = Operation {
        opcode: "bm".into(),
        operands: vec![Operand::Word("e4".into())],
    };
    let record = GameRecord {
        operations: vec![operation.clone()],
        ..played(START, &[])
    };
    let text = FormatName::Epd.format().export(&record);
    assert_eq!(
        text,
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4;"
    );
    assert_eq!(
        only(FormatName::Epd, &text, &OPTIONS).operations,
        [operation]
    );
    assert_eq!(FormatName::Fen.drops(&record), [Part::Operations]);
    assert!(FormatName::Epd.drops(&record).is_empty());
}

#[test]
fn reports_what_a_format_drops() {
    let pgn = "[White \"A\"]\n\n1. e4! {best} (1. d4) e5 1-0";
    let record = only(FormatName::Pgn, pgn, &OPTIONS);
    let all = [
        Part::Moves,
        Part::Tags,
        Part::Comments,
        Part::Glyphs,
        Part::Variations,
        Part::Result,
    ];
    assert_eq!(FormatName::Fen.drops(&record), all);
    assert_eq!(FormatName::San.drops(&record), all[1..]);
    assert!(FormatName::Pgn.drops(&record).is_empty());
    let rich = GameRecord::at(parse_fen(RICH).expect("legal"));
    assert_eq!(FormatName::Boards.drops(&rich), [Part::RightsAndClocks]);
    assert!(FormatName::Boards.drops(&played(START, &[])).is_empty());
}

#[test]
fn imports_text_from_other_programs() {
    let fen = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1";
    let white = Import {
        turn: Some(Color::White),
        ..OPTIONS
    };
    let framed = " +---+---+---+---+---+---+---+---+\n | r |   | b | q | k | b |   | r | 8\n \
        +---+---+---+---+---+---+---+---+\n | p | p | p | p |   | p | p | p | 7\n | | | n | | | n \
        | | | 6\n | | | | | p | | | Q | 5\n | | | B | | P | | | | 4\n | | | | | | | | | 3\n | P | \
        P | P | P | | P | P | P | 2\n | R | N | B | | K | | N | R | 1\n   a   b   c   d   e   f   \
        g   h\n";
    let plain = "r.bqkb.r\npppp.ppp\n..n..n..\n....p..Q\n..B.P...\n........\nPPPP.PPP\nRNB.K.NR\n\
        White to move";
    let figures = "8 ♜ . ♝ ♛ ♚ ♝ . ♜\n7 ♟ ♟ ♟ ♟ . ♟ ♟ ♟\n6 . . ♞ . . ♞ . .\n5 . . . . ♟ . . ♕\n4 . \
        . ♗ . ♙ . . .\n3 . . . . . . . .\n2 ♙ ♙ ♙ ♙ . ♙ ♙ ♙\n1 ♖ ♘ ♗ . ♔ . ♘ ♖\n  a b c d e f g \
        h";
    for text in [framed, plain, figures] {
        assert_eq!(
            format_fen(only(FormatName::Text, text, &white).game.game.position()),
            fen,
            "{text}"
        );
        assert_eq!(guess(text), Some(FormatName::Text), "{text}");
    }
    let empty_first_rank = format!("........\n.......k\n{}K......R", "........\n".repeat(5));
    assert_eq!(guess(&empty_first_rank), Some(FormatName::Text));
    // The diagram is drawn from Black's side.
    let mut lines: Vec<String> = plain
        .lines()
        .take(8)
        .map(|line| line.chars().rev().collect())
        .collect();
    lines.reverse();
    let turned = lines.join("\n") + "\nhgfedcba";
    assert_eq!(
        format_fen(only(FormatName::Text, &turned, &white).game.game.position()),
        fen
    );

    for (name, text) in [
        (FormatName::Uci, "position startpos moves e2e4 e7e5"),
        (FormatName::Uci, "e2e4 e7e5"),
        (FormatName::San, "1. e4 e5"),
        (FormatName::San, "1.e4 e5"),
        (FormatName::San, "e4 e5"),
        (FormatName::Pgn, "1. e4 e5 *"),
        (FormatName::Pgn, "[Event \"x\"]\n\n1. e4 e5"),
        (FormatName::Pgn, "1. e4\ne5"),
    ] {
        let read = only(name, text, &OPTIONS);
        assert_eq!(read.game.game.uci_moves(), ["e2e4", "e7e5"], "{text}");
        assert_eq!(guess(text), Some(name), "{text}");
    }
    let board = serde_json::json!(board_of(&start_position()));
    let blog_chess = serde_json::json!({
        "Positions": [{"Board": board}],
        "GameStatus": "WhitesTurn",
        "CurrentEvaluation": 0.0,
    });
    for text in [
        board.to_string(),
        serde_json::json!([board]).to_string(),
        serde_json::json!({"boards": [board], "turn": "white"}).to_string(),
        blog_chess.to_string(),
        serde_json::json!({"Positions": [{"Board": board}], "GameStatus": 0}).to_string(),
    ] {
        assert_eq!(guess(&text), Some(FormatName::Boards));
        let read = only(FormatName::Boards, &text, &white);
        assert_eq!(format_fen(read.game.game.position()), START, "{text}");
    }
}

#[test]
fn position_formats_read_any_arrangement() {
    const LONE_ROOK: &str = "8/8/8/8/8/8/8/R7 w - - 0 1";
    let setup = rules::parse_setup(LONE_ROOK).unwrap();
    let picture = formats::Picture::of(setup).to_svg();
    let mut rows = vec![vec![0; 8]; 8];
    rows[7][0] = 4;
    let board = serde_json::json!(rows).to_string();
    let arrays = board.replace('[', "{").replace(']', "}");
    let diagram = "........\n".repeat(7) + "R.......";
    let mut cells = String::new();
    for (row, column) in (0..8).flat_map(|row| (0..8).map(move |column| (row, column))) {
        let figure = if (row, column) == (7, 0) { "♖" } else { "" };
        let cell = format!("<td data-row='{row}' data-col='{column}'>{figure}</td>");
        cells.push_str(&cell);
    }
    for (name, text) in [
        (FormatName::Fen, LONE_ROOK),
        (FormatName::Xfen, LONE_ROOK),
        (FormatName::Epd, "8/8/8/8/8/8/8/R7 w - - id \"rook\";"),
        (FormatName::Uci, "position fen 8/8/8/8/8/8/8/R7 w - - 0 1"),
        (FormatName::Boards, &board),
        (FormatName::Csharp, &arrays),
        (FormatName::Html, &cells),
        (FormatName::Text, &diagram),
        (FormatName::Text, &format!("{diagram}\nFEN: {LONE_ROOK}")),
        (FormatName::Svg, &picture),
    ] {
        let read = name.format().read_setup(text, Some(Color::White));
        assert_eq!(
            read.map(|setup| rules::format_setup(&setup)).as_deref(),
            Some(LONE_ROOK),
            "{name}: {text}"
        );
        let twice = [text, text].join("\n");
        assert_eq!(
            name.format().read_setup(&twice, Some(Color::White)),
            None,
            "{name}: two positions"
        );
        assert_eq!(
            name.format().read_setup("", Some(Color::White)),
            None,
            "{name}: no position"
        );
    }
    let moved = FormatName::Uci.format().read_setup(
        "position fen 8/2p5/8/3P4/3K4/8/8/8 b - - 0 1 moves c7c5",
        None,
    );
    assert_eq!(
        moved.map(|setup| rules::format_setup(&setup)).as_deref(),
        Some("8/8/8/2pP4/3K4/8/8/8 w - c6 0 2")
    );
}

#[test]
fn reports_every_error_with_its_position() {
    let check = |name: FormatName, text: &str, expected: &[&str]| {
        let reported = errors_of(name, text, &OPTIONS);
        assert_eq!(
            reported.len(),
            expected.len(),
            "{name} {text:?}: {reported:?}"
        );
        for (reported, expected) in reported.iter().zip(expected) {
            assert!(
                reported.starts_with(expected),
                "{name} {text:?}: {reported:?}, not {expected}"
            );
        }
    };
    check(
        FormatName::Fen,
        "\n8/8/8/8/8/8/8/8 w - - 0 1\n\nx",
        &[
            "missing_king game 1, line 2: White has no king",
            "missing_king game 1, line 2: Black has no king",
            "bad_fen game 2, line 4: ",
            "bad_fen game 2, line 4: ",
            "bad_fen game 2, line 4: ",
            "bad_fen game 2, line 4: ",
        ],
    );
    check(
        FormatName::Epd,
        "4k3/8/8/8/8/8/8/4K2R w K - bm Rh8;\n4k3/8/8/8/8/8/8/4K2R w K - 9; 8;",
        &[
            "bad_epd game 2, line 2, column 28: found",
            "bad_epd game 2, line 2, column 31: found",
        ],
    );
    check(
        FormatName::Uci,
        "e2e4\ne2e4 e2e4 x",
        &[
            "illegal_move game 2, line 2, ply 2: e2e4 is illegal",
            "illegal_move game 2, line 2, ply 3: \"x\" is not a move",
        ],
    );
    check(
        FormatName::San,
        "1. e4\n\n1. Ke2 e5 2. zz",
        &[
            "illegal_move game 2, line 3, column 4, ply 1: Ke2 is illegal",
            "illegal_move game 2, line 3, column 14: \"zz\" is not a move",
        ],
    );
    check(
        FormatName::Pgn,
        "1. e4 *\n1. e4\n Ke5 *",
        &["illegal_move game 2, line 3, column 2, ply 2: Ke5 is illegal"],
    );
    check(
        FormatName::Boards,
        "[[[1]]]\n{\"boards\": 5",
        &[
            "bad_board game 1",
            "bad_board game 1",
            "bad_board game 2, line 2",
        ],
    );
    check(
        FormatName::Boards,
        "{\"boards\": [], \"turn\": \"green\"}",
        &["bad_board game 1: not a list of boards: unknown variant"],
    );
    check(
        FormatName::Text,
        "hello",
        &["bad_text game 1, line 1: found no line of eight squares"],
    );
    check(
        FormatName::Text,
        "rnbqkbnr\npppppppp",
        &["bad_text game 1, line 1: found 2 lines"],
    );
    check(FormatName::Svg, "<svg/>", &["bad_svg found no data-fen"]);
    check(
        FormatName::Svg,
        "<svg data-fen=\"8/8/8/8/8/8/8/8 w - - 0 1\">",
        &["missing_king White", "missing_king Black"],
    );
    let page = cells(START)
        .replace("td", "div")
        .replacen("data-row='0'", "data-row='9'", 1)
        .replacen('♟', "♟♟", 1)
        .replacen("data-col='1' data-row='7'", "data-col='0' data-row='7'", 1);
    check(
        FormatName::Html,
        &page,
        &[
            "bad_html data-row is \"9\"; expected 0 to 7, where 0 is rank 8",
            "bad_html data-row 1, data-col 0 holds \"♟♟\"",
            "bad_html data-row 7, data-col 0 occurs twice",
        ],
    );
    check(FormatName::Html, "<p>hello", &["bad_html found no squares"]);
    check(
        FormatName::Html,
        "<i data-row=0 data-col=0></i>",
        &["bad_html 63 squares are missing"],
    );
}

#[test]
fn rejects_games_that_are_too_long() {
    let short = Import {
        max_plies: 3,
        ..OPTIONS
    };
    let record = played(START, &[1, 2, 3, 4]);
    for name in [
        FormatName::Uci,
        FormatName::San,
        FormatName::Pgn,
        FormatName::Boards,
    ] {
        let text = name.format().export(&record);
        assert!(
            errors_of(name, &text, &short)[0].contains("half-moves"),
            "{name}"
        );
        assert_eq!(only(name, &text, &OPTIONS).game.game.moves().len(), 4);
    }
    // The squares override all other data of a page.
    let page = FormatName::Html.format().export(&record);
    assert!(
        only(
            FormatName::Html,
            &page,
            &Import {
                turn: Some(Color::White),
                ..short
            }
        )
        .game
        .game
        .moves()
        .is_empty()
    );
}

#[test]
fn imports_several_games_from_one_text() {
    for (name, text, count) in [
        (FormatName::Fen, format!("{START}\n\n{RICH}\n"), 2),
        (FormatName::Uci, "e2e4\nd2d4 d7d5\n".to_owned(), 2),
        (FormatName::San, "1. e4\n1. d4 d5\n".to_owned(), 2),
        (FormatName::Pgn, "1. e4 *\n1. d4 d5 *\n".to_owned(), 2),
        (
            FormatName::Text,
            format!(
                "{0}\n{0}\n",
                FormatName::Text.format().export(&played(START, &[]))
            ),
            2,
        ),
    ] {
        let games = import(name, &text, &OPTIONS);
        assert_eq!(
            games.iter().filter(|game| game.is_ok()).count(),
            count,
            "{name}: {games:?}"
        );
        assert_eq!(guess(&text), Some(name));
    }
}

#[test]
fn notes_irregularities_accepted_in_a_start_position() {
    let composed = "4k3/8/3N1N2/8/8/8/8/5K2 b - - 0 1";
    let double = "bqnnrbkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhe - 0 1";
    let zero = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 1 0";
    for (fen, note) in [
        (composed, Some(ImportNote::ImpossibleCheck)),
        (double, Some(ImportNote::DoubleFischerRandom)),
        (zero, Some(ImportNote::MoveNumberZero)),
        (START, None),
    ] {
        for (name, text) in [
            (FormatName::Fen, fen.to_owned()),
            (FormatName::Xfen, fen.to_owned()),
            (FormatName::Epd, format!("{fen} c0 \"x\";")),
            (FormatName::Uci, format!("position fen {fen}")),
            (FormatName::Svg, format!("<svg data-fen=\"{fen}\">")),
        ] {
            let record = only(name, &text, &OPTIONS);
            assert_eq!(record.notes, Vec::from_iter(note), "{name}: {text}");
            let again = only(name, &name.format().export(&record), &OPTIONS);
            assert_eq!(
                format_fen(again.game.game.start()),
                format_fen(record.game.game.start()),
                "{name}"
            );
        }
    }
    assert_eq!(
        format_fen(only(FormatName::Fen, zero, &OPTIONS).game.game.start()),
        zero.replace("1 0", "1 1")
    );
}

#[test]
fn skips_comments_between_positions() {
    let mates = "####\n# FEN \"8/1k1K4/8/8/6R1/8/8/8 w - - bm #4;\" 19\n\
        8/1k1K4/6R1/8/8/8/8/8 b - - bm #-3; PV: b7a8 g6b6 a8a7;\n\n  # end\n";
    assert_eq!(guess(mates), Some(FormatName::Epd));
    let record = only(FormatName::Epd, mates, &OPTIONS);
    let operations: Vec<_> = record.operations.iter().map(ToString::to_string).collect();
    assert_eq!(operations, ["bm #-3;", "PV: b7a8 g6b6 a8a7;"]);
    for (name, text) in [
        (
            FormatName::Fen,
            "# start\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n#",
        ),
        (FormatName::Uci, "# mine\ne2e4 e7e5\n"),
    ] {
        assert_eq!(guess(text), Some(name));
        only(name, text, &OPTIONS);
    }
    assert_eq!(
        errors_of(FormatName::Fen, "# one\n\n4k3 w", &OPTIONS)[0]
            .split(':')
            .next(),
        Some("bad_fen game 1, line 3")
    );
}

#[test]
fn reads_perft_suites_as_epd() {
    let suite =
        "4k3/8/8/8/8/8/8/4K2R w K - ;D1 15 ;D2 66\n4k3/8/8/8/8/8/8/R3K3 w Q - 0 1;D1 16;D2 71\n";
    assert_eq!(guess(suite), Some(FormatName::Epd));
    let read: Vec<_> = import(FormatName::Epd, suite, &OPTIONS)
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let written: Vec<_> = read
        .iter()
        .map(|record| FormatName::Epd.format().export(record))
        .collect();
    assert_eq!(
        written,
        [
            "4k3/8/8/8/8/8/8/4K2R w K - D1 15; D2 66;",
            "4k3/8/8/8/8/8/8/R3K3 w Q - D1 16; D2 71;"
        ]
    );
}
