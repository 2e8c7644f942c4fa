//! Boards as C# and JSON arrays.

use ai_api::Color;
use formats::{FormatName, Import, guess};
use rules::{board_of, format_fen, start_position};

use super::{OPTIONS, START, errors_of, only, played};

#[test]
fn imports_csharp_arrays() {
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
fn rejects_bad_csharp_arrays_with_their_lines() {
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
