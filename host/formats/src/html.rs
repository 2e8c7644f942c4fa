//! Web pages with a board.

use std::fmt::Write as _;

use ai_api::Color;
use rules::{Game, board_of, format_fen};
use scraper::{ElementRef, Selector};

use super::{
    Format, FormatIssue, GameRecord, Games, Import, Part,
    record::board_rows,
    san::moves,
    text::{code_of_figure, figure, position_of, squares},
    uci::check_length,
};
use text::printable;

const BAD: &str = "bad_html";
/// A larger page is not looked at.
const MAX_BYTES: usize = 256 * 1024;
/// Browsers' way to read broken pages makes many elements of few tags: with those that are open, each tag may begin as many
/// as there are tags. It bounds how deep elements are nested, too.
const MAX_TAGS: usize = 2000;
/// The tags times the bytes: each of the elements that a tag begins anew has its attributes once more.
const MAX_WORK: usize = 1 << 27;
const STYLE: &str = include_str!("html/style.css");

/// A page in the form of 2014: an element for each square, with `data-row` (0 is rank 8) and `data-col` (0 is the a-file), in
/// which the piece stands as a character of Unicode's. Pages that we write also tell the whole game.
pub(super) struct Html;

impl Format for Html {
    fn holds(&self) -> &'static [Part] {
        &[Part::RightsAndClocks, Part::Moves]
    }

    fn import<'t>(&self, text: &'t str, how: Import) -> Games<'t> {
        Box::new(std::iter::once_with(move || read(text, &how)))
    }

    fn export(&self, record: &GameRecord) -> String {
        page(record)
    }
}

fn read(text: &str, how: &Import) -> Result<GameRecord, Vec<FormatIssue>> {
    let tags = text.bytes().filter(|byte| *byte == b'<').count();
    if text.len() > MAX_BYTES || tags > MAX_TAGS || tags * text.len() > MAX_WORK {
        let message = format!(
            "the page has {} bytes and {tags} tags; at most {MAX_BYTES} and {MAX_TAGS} are read, and less of one where \
             there is much of the other: send the board's element alone",
            text.len()
        );
        return Err(vec![FormatIssue::new(BAD, message)]);
    }
    // Outside of a table its parts are no elements.
    let is_cut_out = ["<tbody", "<tr", "<td"].iter().any(|part| text.trim_start().starts_with(part));
    let table = if is_cut_out { format!("<table>{text}") } else { text.to_owned() };
    let page = scraper::Html::parse_document(&table);
    let cells = Selector::parse("[data-row][data-col]").expect("it is a selector");
    let told = Selector::parse("[data-start-fen]").expect("it is a selector");
    let mut issues = Vec::new();
    let rows = read_squares(page.select(&cells), &mut issues);
    if !issues.is_empty() {
        return Err(issues);
    }
    if let Some(game) = page.select(&told).next().and_then(|element| told_game(element, how))
        && board_rows(game.position()) == rows
    {
        return Ok(GameRecord::of(game));
    }
    position_of(rows, how.turn)
}

/// The board of the squares of a page.
fn read_squares<'a>(
    cells: impl Iterator<Item = ElementRef<'a>>,
    issues: &mut Vec<FormatIssue>,
) -> Vec<Vec<i64>> {
    let mut rows = vec![vec![None; 8]; 8];
    for cell in cells {
        let (row, column) = (index(cell, "data-row", issues), index(cell, "data-col", issues));
        let (Some(row), Some(column)) = (row, column) else { continue };
        let place = format!("data-row {row}, data-col {column}");
        let code = piece(cell, &place, issues);
        if rows[row][column].replace(code).is_some() {
            issues.push(FormatIssue::new(
                BAD,
                format!("{place} stands there twice; expected each square once"),
            ));
        }
    }
    let missing = rows.iter().flatten().filter(|code| code.is_none()).count();
    if missing == 64 && issues.is_empty() {
        let message = "there is no square; expected 64 elements with data-row and data-col, each from 0 to 7";
        issues.push(FormatIssue::new(BAD, message));
    } else if missing > 0 && issues.is_empty() {
        issues.push(FormatIssue::new(BAD, format!("{missing} squares are missing; expected all 64")));
    }
    rows.into_iter().map(|row| row.into_iter().map(Option::unwrap_or_default).collect()).collect()
}

fn index(cell: ElementRef<'_>, name: &str, issues: &mut Vec<FormatIssue>) -> Option<usize> {
    let text = cell.attr(name).unwrap_or_default().trim();
    let index = text.parse().ok().filter(|index| *index < 8 && text.len() == 1);
    if index.is_none() {
        let shown: String = text.chars().take(20).collect();
        let first = if name == "data-row" { "rank 8" } else { "the a-file" };
        let message = format!("{name} is \"{}\"; expected 0 to 7, where 0 is {first}", printable(&shown));
        issues.push(FormatIssue::new(BAD, message));
    }
    index
}

/// The piece of a square. Its text may stand in elements of its own.
fn piece(cell: ElementRef<'_>, place: &str, issues: &mut Vec<FormatIssue>) -> i64 {
    let is_blank = |c: &char| c.is_whitespace() || matches!(c, '\u{fe0e}' | '\u{fe0f}' | '\u{200b}');
    let mut characters = cell.text().flat_map(str::chars).filter(|c| !is_blank(c));
    match (characters.next(), characters.next()) {
        (None, _) => return 0,
        (Some(figure), None) => {
            if let Some(code) = code_of_figure(figure) {
                return code;
            }
        }
        _ => {}
    }
    let text: String = cell.text().flat_map(str::chars).filter(|c| !is_blank(c)).take(20).collect();
    let message = format!("{place} holds \"{}\"; expected one of ♔♕♖♗♘♙♚♛♜♝♞♟ or nothing", printable(&text));
    issues.push(FormatIssue::new(BAD, message));
    0
}

/// The whole game, where a page tells it beside the squares.
fn told_game(element: ElementRef<'_>, how: &Import) -> Option<Game> {
    let moves: Vec<&str> = element.attr("data-moves").unwrap_or_default().split_whitespace().collect();
    check_length(moves.len(), how.max_plies, BAD).ok()?;
    Game::from_moves(element.attr("data-start-fen"), &moves).ok()
}

/// A page that needs nothing else.
fn page(record: &GameRecord) -> String {
    let game = &record.game.game;
    let title = title(record);
    let mut html = String::with_capacity(8192);
    let (fen, status) = (format_fen(game.position()), status(game));
    let _ = write!(
        html,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n\
         <div class=\"board\" role=\"grid\" aria-label=\"Chess board\" data-start-fen=\"{}\" data-moves=\"{}\">\n",
        format_fen(game.start()),
        game.uci_moves().join(" "),
    );
    write_squares(&mut html, game);
    let _ = write!(html, "</div>\n<p class=\"status\">{status}</p>\n");
    write_moves(&mut html, game);
    let _ = write!(html, "<p class=\"fen\"><code>{fen}</code></p>\n</main>\n</body>\n</html>\n");
    html
}

fn write_squares(html: &mut String, game: &Game) {
    let last = game.moves().last();
    let board = board_of(game.position());
    let checked = game.position().in_check().then(|| game.position().king(game.position().turn()));
    for square in squares() {
        let (row, column) = (7 - usize::from(square.rank()), usize::from(square.file()));
        if column == 0 {
            html.push_str("<div class=\"rank\" role=\"row\">");
        }
        let code = board[row][column];
        let mut class = if (row + column) % 2 == 0 { "light".to_owned() } else { "dark".to_owned() };
        if last.is_some_and(|last| last.from() == square || last.to() == square) {
            class.push_str(" last");
        }
        if checked == Some(square) {
            class.push_str(" check");
        }
        // Without the selector of text, some systems draw pawns as pictures. What is hollow is filled by the style.
        let piece = figure(code).map(|hollow| match figure(-code.abs()) {
            Some(filled) if code > 0 => {
                format!("<span class=\"white\" data-filled=\"{filled}\u{fe0e}\">{hollow}\u{fe0e}</span>")
            }
            _ => format!("<span class=\"black\">{hollow}\u{fe0e}</span>"),
        });
        let _ = write!(
            html,
            "<div class=\"{class}\" role=\"gridcell\" title=\"{square}\" data-row=\"{row}\" data-col=\"{column}\">{}</div>",
            piece.unwrap_or_default()
        );
        if column == 7 {
            html.push_str("</div>\n");
        }
    }
}

fn write_moves(html: &mut String, game: &Game) {
    if game.moves().is_empty() {
        return;
    }
    html.push_str("<ol class=\"moves\">\n");
    let mut is_open = false;
    for ((number, turn), san) in moves(game) {
        if turn == Color::White || !is_open {
            let end = if is_open { "</li>\n" } else { "" };
            let dots = if turn == Color::Black { "… " } else { "" };
            let _ = write!(html, "{end}<li value=\"{number}\">{dots}{san}");
            is_open = true;
        } else {
            let _ = write!(html, " {san}");
        }
    }
    html.push_str("</li>\n</ol>\n");
}

/// Who plays, fit for a page.
fn title(record: &GameRecord) -> String {
    let player = |tag| record.game.tag(tag).filter(|name| !matches!(name.trim(), "" | "?")).map(escaped);
    match (player("White"), player("Black")) {
        (None, None) => "A chess game".to_owned(),
        (white, black) => {
            format!(
                "{} – {}",
                white.unwrap_or_else(|| "White".into()),
                black.unwrap_or_else(|| "Black".into())
            )
        }
    }
}

fn status(game: &Game) -> String {
    let status = game.status();
    let words = status.outcome.map_or_else(
        || {
            let turn = if status.turn == Color::White { "White" } else { "Black" };
            format!("{turn} to move{}", if status.check { ", in check" } else { "" })
        },
        |outcome| outcome.to_string(),
    );
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Somebody's words, so that a page shows them and does nothing else with them.
fn escaped(words: &str) -> String {
    let mut shown = String::new();
    for character in printable(words).chars() {
        match character {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            _ => shown.push(character),
        }
    }
    shown
}
