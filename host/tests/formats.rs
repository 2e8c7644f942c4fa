//! Formats: round trips, text of other programs, and errors with their positions.

use ai_api::Color;
use formats::{FormatIssue, FormatName, GameRecord, Import, Part, guess};
use proptest::prelude::*;
use rules::{
    Game, ImportNote, NullMoves, Operand, Operation, ReadVariations, board_of, format_fen,
    legal_moves, parse_fen, start_position,
};

const OPTIONS: Import = Import {
    turn: None,
    variations: ReadVariations::Keep,
    null_moves: NullMoves::Reject,
    language: rules::Language::English,
    max_plies: 2000,
};
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// The start of Chess960 number 0.
const CHESS960: &str = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1";
/// White can castle to both sides, Black can capture en passant.
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
        // X-FEN writes Chess960 as orthodox chess where castling is the same.
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
    // The guess may be FEN for EPD without operations, and PGN for moves with a FEN.
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
            // Boards do not show Chess960.
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
fn imports_text_of_other_programs() {
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
    // From Black's side.
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
fn imports_the_arrays_of_csharp() {
    let board = FormatName::Csharp.format().export(&played(START, &[]));
    assert!(
        board.starts_with("{\n    {-4, -2, -3, -5, -6, -3, -2, -4},\n    {-1, -1,"),
        "{board}"
    );
    let in_one_line = board.replace('\n', " ");
    let white = Import {
        turn: Some(Color::White),
        ..OPTIONS
    };
    for text in [
        board.clone(),
        in_one_line.replace(' ', ""),
        in_one_line.replace(",}", "}"),
        board.replace('\n', "\r\n"),
        board.replace('-', "- "),
        format!("\u{feff}new int[,] {board}"),
        format!("int[,] board = new int[8, 8] {in_one_line};"),
        format!("Here's my board [1, from the \"start\"]: {in_one_line}, it's White's turn"),
        format!("[see {in_one_line}"),
        format!("char open = '{{', quote = '\\'', close = '}}'; {in_one_line}"),
        board
            .replace("    {", "    new int[] {")
            .replacen('{', "var board = new int[][] {", 1),
        format!(
            "// After 1. e4 {{\n/* {{1, 2}} */ {}",
            board.replace("},\n", "}, // a rank\n")
        ),
        format!(
            "class Game {{ string name = \"{{ {{1, 2\"; int[] values = {{1, 3, 3}}; void F() {{ }} \
             int[,] b = {in_one_line}; }}"
        ),
        format!(
            "new ChessGame {{ Positions = new List<ChessPosition> {{ new ChessPosition {{ Board = \
             new int[,] {board} }} }} }}"
        ),
    ] {
        let read = only(FormatName::Csharp, &text, &white);
        assert_eq!(format_fen(read.game.game.position()), START, "{text}");
        if !text.contains("class") {
            assert_eq!(guess(&text), Some(FormatName::Csharp), "{text}");
        }
    }
    let game = FormatName::Csharp
        .format()
        .export(&played(START, &[3, 7, 11]));
    for text in [
        game.clone(),
        game.replace("}\n\n{", "},\n{"),
        format!("{{ {} }}", game.replace("}\n\n{", "},\n{")),
    ] {
        let read = only(FormatName::Csharp, &text, &OPTIONS);
        assert_eq!(
            read.game.game.moves().len(),
            3,
            "several boards are one game: {text}"
        );
        assert_eq!(guess(&text), Some(FormatName::Csharp), "{text}");
    }
    for pgn in [
        "{a {1, 2} b} 1. e4 e5",
        "[Event \"x\"]\n\n1. e4 {1, 2} e5 {see {3, 4} *",
    ] {
        assert_eq!(guess(pgn), Some(FormatName::Pgn), "{pgn}");
    }
}

#[test]
fn bad_arrays_of_csharp_are_rejected_with_their_lines() {
    let board = FormatName::Csharp.format().export(&played(START, &[]));
    for (text, expected) in [
        (String::new(), "bad_board found no board, expected 8 rows"),
        ("int x = 5;".to_owned(), "bad_board found no board"),
        ("{1, 2, 3}".to_owned(), "bad_board found no board"),
        (
            board.replacen("-4", "-7", 1),
            "bad_board line 2: found -7, expected 0 or 1 (pawn)",
        ),
        (
            board.replacen("-4, ", "", 1),
            "bad_board line 2: found 7 columns",
        ),
        (
            board.replacen("    {0, 0, 0, 0, 0, 0, 0, 0},\n", "", 1),
            "bad_board line 1: found 7 rows",
        ),
        (
            board.replacen("    {0, 0, 0, 0, 0, 0, 0, 0}", "    {}", 1),
            "bad_board line 4: found 0 columns",
        ),
        (
            board.replacen("-4", "-4.0", 1),
            "bad_board line 2, column 7: found -4.0, expected a whole number",
        ),
        (
            board.replacen("-4", "99999999999999999999", 1),
            "bad_board line 2, column 6: found 9999999999",
        ),
        (
            board.replacen("-3", "Bishop", 1),
            "bad_board line 2, column 5: found words next to the numbers",
        ),
        (
            board.replacen("},", "}, 5,", 1),
            "bad_board line 1, column 1: found numbers next to the rows",
        ),
        (
            board.trim_end().trim_end_matches('}').to_owned(),
            "bad_board line 1, column 1: found no }",
        ),
        (
            board.clone() + "}",
            "bad_board line 11, column 1: found } without",
        ),
        (
            "{".repeat(100_000),
            "bad_board line 1, column 65: found braces nested more than 64 deep",
        ),
        (
            "{{1,".to_owned() + &"1,".repeat(100_000),
            "bad_board line 1, column 2: found no }",
        ),
        ("{{1,2}} \"{".to_owned(), "bad_board line 1: found 1 rows"),
        ("{{1,2}} /* {".to_owned(), "bad_board line 1: found 1 rows"),
        ("{{1,2}} [8".to_owned(), "bad_board line 1: found 1 rows"),
        (board.clone(), "wrong_turn"),
        (
            format!("{board}{board}"),
            "not_one_move line 11, ply 1: this board equals the one before",
        ),
    ] {
        let found = errors_of(FormatName::Csharp, &text, &OPTIONS);
        assert!(found[0].starts_with(expected), "{expected}: {found:?}");
    }
}

#[test]
fn boards_in_json_may_write_whole_numbers_as_decimals() {
    let board = serde_json::json!(board_of(&start_position()))
        .to_string()
        .replace('1', "1.0")
        .replace('4', "40e-1");
    let white = Import {
        turn: Some(Color::White),
        ..OPTIONS
    };
    assert_eq!(
        format_fen(
            only(FormatName::Boards, &board, &white)
                .game
                .game
                .position()
        ),
        START
    );
    let half = board.replacen("1.0", "1.5", 1);
    assert!(
        errors_of(FormatName::Boards, &half, &white)[0]
            .contains("floating point `-1.5`, expected i64")
    );
}

#[test]
fn formats_of_positions_read_any_arrangement() {
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

/// The elements of a page for a board, with coordinates from 0.
fn cells(fen: &str) -> String {
    cells_named(fen, |row, column| {
        format!("data-col='{column}' data-row='{row}'")
    })
}

/// The elements of a page for a board, with `data-col` a to h and `data-row` 1 to 8 as in 2014.
fn original_cells(fen: &str) -> String {
    let name = |row: usize, column: usize| {
        format!(
            "data-col=\"{}\" data-row=\"{}\"",
            char::from(b'a' + column as u8),
            8 - row
        )
    };
    cells_named(fen, name)
}

fn cells_named(fen: &str, name: impl Fn(usize, usize) -> String) -> String {
    let board = board_of(&parse_fen(fen).expect("a legal position"));
    let figures = [
        "", "♙", "♘", "♗", "♖", "♕", "♔", "♚", "♛", "♜", "♝", "♞", "♟",
    ];
    let mut html = String::new();
    for (row, codes) in board.iter().enumerate() {
        for (column, code) in codes.iter().enumerate() {
            let figure = figures[code.rem_euclid(13) as usize];
            let cell = format!("<td {}>{figure}</td>", name(row, column));
            html.push_str(&cell);
        }
    }
    html
}

#[test]
fn imports_the_pages_of_2014() {
    let white = Import {
        turn: Some(Color::White),
        ..OPTIONS
    };
    for html in [
        format!("<table><tr>{}</tr></table>", cells(START)),
        // In a broken page.
        format!(
            "<html><body><p><b><table><tr>{}<script>var a = '<td'</script>",
            cells(START)
        ),
        // Without its table.
        cells(START),
        cells(START)
            .replace("td", "div")
            .replace('♟', "<span class=x> ♟\u{fe0e}\n</span>"),
        original_cells(START),
        original_cells(START).replace("td", "span"),
        // As their author wrote them: rows with a cell of their number, each begun and none ended.
        original_cells(START).replace("<td data-col=\"a\"", "<tr><td>8</td><td data-col=\"a\"")
            + "<tr><td>a</td>",
        original_cells(START).replace("data-col=\"c\"", "data-col=\"C\""),
    ] {
        assert_eq!(guess(&html), Some(FormatName::Html));
        let read = only(FormatName::Html, &html, &white);
        assert_eq!(format_fen(read.game.game.position()), START);
        assert_eq!(
            read.assumed.map(|assumed| assumed.castling),
            Some("KQkq".to_owned())
        );
    }
    assert!(
        errors_of(FormatName::Html, &cells(START).replace("td", "i"), &OPTIONS)[0]
            .starts_with("wrong_turn")
    );
}

#[test]
fn a_page_has_one_kind_of_coordinates() {
    let check = |page: &str, expected: &[&str]| {
        let found = errors_of(FormatName::Html, page, &OPTIONS);
        assert_eq!(found.len(), expected.len(), "{found:?}");
        assert!(
            found
                .iter()
                .zip(expected)
                .all(|(found, expected)| found.starts_with(expected)),
            "{found:?}"
        );
    };
    let mixed = cells(START).replacen("data-col='3' data-row='2'", "data-col='d' data-row='6'", 1);
    let expected = "bad_html data-row 6, data-col d is the first square whose data-col is a to h; \
        expected 0 to 7";
    check(&mixed, &[expected]);
    let wrong = original_cells(START).replacen(
        "data-col=\"h\" data-row=\"8\"",
        "data-col=\"i\" data-row=\"9\"",
        1,
    );
    check(
        &wrong,
        &[
            "bad_html data-row is \"9\"; expected 1 to 8",
            "bad_html data-col is \"i\"; expected a to h",
        ],
    );
    let written = FormatName::Html.format().export(&played(START, &[]));
    assert!(
        written.contains("title=\"a8\" data-col=\"a\" data-row=\"8\""),
        "{written}"
    );
}

#[test]
fn the_squares_of_a_page_override_its_data() {
    let page = FormatName::Html.format().export(&played(START, &[0, 0]));
    assert_eq!(
        only(FormatName::Html, &page, &OPTIONS)
            .game
            .game
            .moves()
            .len(),
        2
    );
    let changed = page.replacen('♙', "", 1);
    let read = only(
        FormatName::Html,
        &changed,
        &Import {
            turn: Some(Color::Black),
            ..OPTIONS
        },
    );
    assert!(read.game.game.moves().is_empty());
    assert!(read.assumed.is_some());
    assert_eq!(read.game.game.position().turn(), Color::Black);
}

#[test]
fn the_squares_of_a_page_hold_bare_figures() {
    let page = FormatName::Html.format().export(&played(START, &[0, 0]));
    for figure in "♔♕♖♗♘♙♚♛♜♝♞♟".chars() {
        assert!(
            page.contains(&format!(">{figure}</span></div>")),
            "{figure}: {page}"
        );
    }
    assert!(!page.contains(['\u{fe0e}', '\u{fe0f}']), "{page}");
}

#[test]
fn escapes_player_names_in_a_page() {
    let mut record = played(START, &[3]);
    record.game.tags = vec![
        ("White".into(), "<script>alert(1)</script>".into()),
        ("Black".into(), "B & \"C\"".into()),
    ];
    let page = FormatName::Html.format().export(&record);
    assert!(!page.contains("<script"), "{page}");
    assert!(
        page.contains("<h1>&lt;script&gt;alert(1)&lt;/script&gt; – B &amp; &quot;C&quot;</h1>"),
        "{page}"
    );
}

#[test]
fn hostile_pages_do_not_panic() {
    let deep = "<div>".repeat(1900) + &cells(START);
    assert!(errors_of(FormatName::Html, &deep.repeat(2), &OPTIONS)[0].contains("tags"));
    assert!(errors_of(FormatName::Html, &"x".repeat(300_000), &OPTIONS)[0].contains("bytes"));
    // Each paragraph reopens the unclosed elements.
    let formatting: Vec<_> = (0..900).map(|n| format!("<b id={n}>")).collect();
    let amplified = formatting.concat() + &"<p>x".repeat(900);
    assert!(errors_of(FormatName::Html, &amplified, &OPTIONS)[0].contains("no square"));
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
    check(FormatName::Html, "<p>hello", &["bad_html found no square"]);
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
fn notes_what_it_accepts_in_a_first_position() {
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
