//! Boards on the web pages of 2014.

use ai_api::Color;
use formats::{FormatName, Import, guess};
use rules::{board_of, format_fen, parse_fen};

use super::{OPTIONS, START, errors_of, only, played};

/// Returns the elements of a page for a board, with coordinates from 0.
pub(crate) fn cells(fen: &str) -> String {
    cells_named(fen, |row, column| {
        format!("data-col='{column}' data-row='{row}'")
    })
}

/// Returns the elements of a page for a board, with `data-col` a to h and `data-row` 1 to 8 as in
/// 2014.
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
        // The page is broken.
        format!(
            "<html><body><p><b><table><tr>{}<script>var a = '<td'</script>",
            cells(START)
        ),
        // The table around the squares is missing.
        cells(START),
        cells(START)
            .replace("td", "div")
            .replace('♟', "<span class=x> ♟\u{fe0e}\n</span>"),
        original_cells(START),
        original_cells(START).replace("td", "span"),
        // The rows are as the author wrote them. Each begins with a cell for its number and is
        // never closed.
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
fn a_page_uses_one_kind_of_coordinate() {
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
    let expected = "bad_html the square at data-row 6, data-col d names its column a to h; \
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
fn page_squares_contain_figurines_without_variation_selectors() {
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
