//! Web pages with a board.

use std::fmt::Write as _;

use ai_api::Color;
use html5gum::{DefaultEmitter, HtmlString, StartTag, Token, Tokenizer};
use rules::{Game, Setup, board_of, format_fen};
use text::printable;

use super::{
    diagram::{code_of_figure, figure, squares},
    san::moves,
};
use crate::{
    Format, FormatIssue, GameRecord, Games, Import, Likeness, Part, Sample,
    record::{Rows, board_rows},
};

const CODE: &str = "bad_html";

const MAX_BYTES: usize = 256 * 1024;
/// The maximum number of tags. It limits the nesting, because each end tag searches the open
/// elements.
const MAX_TAGS: usize = 2000;
const STYLE: &str = include_str!("html/style.css");

/// A page in the format of 2014. Each square is an element with `data-col` a to h and `data-row` 1
/// to 8 that contains the piece as a Unicode figurine. Import accepts pages that count both from
/// 0, starting at a8. Export adds the moves.
pub(crate) struct Html;

impl Format for Html {
    fn holds(&self) -> &'static [Part] {
        &[Part::RightsAndClocks, Part::Moves]
    }

    fn code(&self) -> Option<&'static str> {
        Some(CODE)
    }

    fn likeness(&self, sample: &Sample<'_>) -> Likeness {
        Likeness::Strong.when(sample.text.starts_with('<'))
    }

    fn separator(&self) -> Option<&'static str> {
        None
    }

    fn import<'t>(&self, text: &'t str, options: Import) -> Games<'t> {
        Box::new(std::iter::once_with(move || read(text, options)))
    }

    fn read_setup(&self, text: &str, turn: Option<Color>) -> Option<Setup> {
        let rows = read_squares(&bounded_page(text).ok()?.squares).ok()?;
        Setup::from_boards(&[rows], turn).ok()
    }

    fn export(&self, record: &GameRecord) -> String {
        page(record)
    }
}

/// Parses a page unless it is too large.
fn bounded_page(text: &str) -> Result<Page, Vec<FormatIssue>> {
    let tags = text.bytes().filter(|byte| *byte == b'<').count();
    if text.len() > MAX_BYTES || tags > MAX_TAGS {
        let message = format!(
            "the page has {} bytes and {tags} tags; at most {MAX_BYTES} and {MAX_TAGS} are read: \
             send only the board's element",
            text.len()
        );
        return Err(vec![bad_html(message)]);
    }
    Ok(Page::parse(text))
}

fn read(text: &str, options: Import) -> Result<GameRecord, Vec<FormatIssue>> {
    let page = bounded_page(text)?;
    let rows = read_squares(&page.squares)?;
    if let Some((start_fen, moves)) = &page.game
        && let Some(game) = read_game(start_fen, moves, options)
        && board_rows(game.position()) == rows
    {
        return Ok(GameRecord::of(game));
    }
    GameRecord::of_boards(&[rows], options.turn)
}

fn bad_html(message: impl Into<String>) -> FormatIssue {
    FormatIssue::new(CODE, message)
}

/// The elements of a page that matter.
#[derive(Default)]
struct Page {
    squares: Vec<SquareElement>,
    /// `data-start-fen` and `data-moves` of the first element with `data-start-fen`.
    game: Option<(String, String)>,
}

/// An element with `data-row` and `data-col`.
struct SquareElement {
    row: String,
    column: String,
    text: Vec<u8>,
}

impl Page {
    /// Finds the elements without building a tree. A square ends with its own end tag or an
    /// enclosing element's, or where the next square or table cell begins, so end tags may be
    /// missing.
    fn parse(text: &str) -> Self {
        const EMPTY_ELEMENTS: [&[u8]; 13] = [
            b"area", b"base", b"br", b"col", b"embed", b"hr", b"img", b"input", b"link", b"meta",
            b"source", b"track", b"wbr",
        ];
        const TABLE_PARTS: [&[u8]; 6] = [b"td", b"th", b"tr", b"tbody", b"thead", b"tfoot"];
        let is_table_part = |name: &HtmlString| TABLE_PARTS.contains(&name.as_slice());
        let mut emitter = DefaultEmitter::default();
        // Keeps markup in scripts and styles from being read as tags.
        emitter.naively_switch_states(true);
        let mut page = Self::default();
        let mut open: Vec<HtmlString> = Vec::new();
        // The index of the open square among the open elements.
        let mut square: Option<usize> = None;
        for Ok(token) in Tokenizer::new_with_emitter(text, emitter) {
            match token {
                Token::StartTag(tag) => {
                    let is_square = page.add(&tag);
                    let ends_square = |place| {
                        is_square || is_table_part(&tag.name) && is_table_part(&open[place])
                    };
                    if square.is_some_and(ends_square) {
                        square = None;
                    }
                    if !tag.self_closing && !EMPTY_ELEMENTS.contains(&tag.name.as_slice()) {
                        square = if is_square { Some(open.len()) } else { square };
                        open.push(tag.name);
                    }
                }
                Token::EndTag(tag) => {
                    if let Some(place) = open.iter().rposition(|name| *name == tag.name) {
                        open.truncate(place);
                        square = square.filter(|&square| square < place);
                    }
                }
                Token::String(characters) if square.is_some() => {
                    if let Some(element) = page.squares.last_mut() {
                        element.text.extend_from_slice(&characters);
                    }
                }
                _ => {}
            }
        }
        page
    }

    /// Adds the element that a tag opens, if it is relevant. Returns whether the element is a
    /// square.
    fn add(&mut self, tag: &StartTag<()>) -> bool {
        let attribute = |name: &[u8]| {
            let value = tag.attributes.get(name)?;
            Some(String::from_utf8_lossy(value).into_owned())
        };
        if self.game.is_none() {
            let moves = || attribute(b"data-moves").unwrap_or_default();
            self.game = attribute(b"data-start-fen").map(|start_fen| (start_fen, moves()));
        }
        let Some((row, column)) = attribute(b"data-row").zip(attribute(b"data-col")) else {
            return false;
        };
        self.squares.push(SquareElement {
            row,
            column,
            text: Vec::new(),
        });
        true
    }
}

/// Reads the board from the squares of a page.
fn read_squares(squares: &[SquareElement]) -> Result<Rows, Vec<FormatIssue>> {
    let mut rows = vec![vec![None; 8]; 8];
    let mut issues = Vec::new();
    let coordinates = squares
        .first()
        .map_or(Coordinates::Names, |first| Coordinates::of(&first.column));
    if let Some(other) = squares
        .iter()
        .find(|square| Coordinates::of(&square.column) != coordinates)
    {
        let shown = |text: &str| printable(&text.chars().take(20).collect::<String>());
        return Err(vec![bad_html(format!(
            "the square at data-row {}, data-col {} names its column {}; expected {}, as in the \
             squares before it",
            shown(&other.row),
            shown(&other.column),
            Coordinates::of(&other.column).columns(),
            coordinates.columns()
        ))]);
    }
    for square in squares {
        let row = coordinates.row(&square.row, &mut issues);
        let column = coordinates.column(&square.column, &mut issues);
        let (Some(row), Some(column)) = (row, column) else {
            continue;
        };
        let place = format!(
            "data-row {}, data-col {}",
            square.row.trim(),
            square.column.trim()
        );
        let code = piece(&String::from_utf8_lossy(&square.text), &place, &mut issues);
        if rows[row][column].replace(code).is_some() {
            issues.push(bad_html(format!(
                "{place} occurs twice; expected each square once"
            )));
        }
    }
    let missing = rows.iter().flatten().filter(|code| code.is_none()).count();
    if !issues.is_empty() {
        return Err(issues);
    }
    match missing {
        0 => Ok(rows
            .into_iter()
            .map(|row| row.into_iter().flatten().collect())
            .collect()),
        64 => Err(vec![bad_html(
            "found no squares; expected 64 elements with data-col, a to h, and data-row, 1 to 8",
        )]),
        _ => Err(vec![bad_html(format!(
            "{missing} squares are missing; expected all 64"
        ))]),
    }
}

/// How a page names its squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coordinates {
    /// By file and rank, like the pages of 2014.
    Names,
    /// By numbers from 0, like a list of boards.
    Numbers,
}

impl Coordinates {
    fn of(column: &str) -> Self {
        if column.trim().starts_with(|c: char| c.is_ascii_digit()) {
            Self::Numbers
        } else {
            Self::Names
        }
    }

    const fn columns(self) -> &'static str {
        match self {
            Self::Names => "a to h",
            Self::Numbers => "0 to 7, where 0 is the a-file",
        }
    }

    fn column(self, text: &str, issues: &mut Vec<FormatIssue>) -> Option<usize> {
        let first = match self {
            Self::Names => b'a',
            Self::Numbers => b'0',
        };
        let index =
            one_byte(text).map(|byte| usize::from(byte.to_ascii_lowercase().wrapping_sub(first)));
        checked(index, "data-col", text, self.columns(), issues)
    }

    /// Returns the index of a row; 0 is rank 8.
    fn row(self, text: &str, issues: &mut Vec<FormatIssue>) -> Option<usize> {
        let digit = one_byte(text).map(|byte| usize::from(byte.wrapping_sub(b'0')));
        let (index, expected) = match self {
            Self::Names => (digit.map(|rank| 8_usize.wrapping_sub(rank)), "1 to 8"),
            Self::Numbers => (digit, "0 to 7, where 0 is rank 8"),
        };
        checked(index, "data-row", text, expected, issues)
    }
}

fn one_byte(text: &str) -> Option<u8> {
    match text.trim().as_bytes() {
        [byte] => Some(*byte),
        _ => None,
    }
}

fn checked(
    index: Option<usize>,
    name: &str,
    text: &str,
    expected: &str,
    issues: &mut Vec<FormatIssue>,
) -> Option<usize> {
    let index = index.filter(|index| *index < 8);
    if index.is_none() {
        let shown: String = text.trim().chars().take(20).collect();
        issues.push(bad_html(format!(
            "{name} is \"{}\"; expected {expected}",
            printable(&shown)
        )));
    }
    index
}

/// Returns the piece code for a square's text.
fn piece(text: &str, place: &str, issues: &mut Vec<FormatIssue>) -> i64 {
    let is_blank =
        |c: &char| c.is_whitespace() || matches!(c, '\u{fe0e}' | '\u{fe0f}' | '\u{200b}');
    let figures: String = text.chars().filter(|c| !is_blank(c)).take(20).collect();
    let mut characters = figures.chars();
    let code = match (characters.next(), characters.next()) {
        (None, _) => Some(0),
        (Some(figure), None) => code_of_figure(figure),
        _ => None,
    };
    code.unwrap_or_else(|| {
        let shown = printable(&figures);
        issues.push(bad_html(format!(
            "{place} holds \"{shown}\"; expected one of ♔♕♖♗♘♙♚♛♜♝♞♟ or nothing"
        )));
        0
    })
}

/// Reads the game from a page's attributes; `None` if it is too long or not legal.
fn read_game(start_fen: &str, moves: &str, options: Import) -> Option<Game> {
    let moves: Vec<&str> = moves.split_whitespace().collect();
    options.check_length(moves.len(), CODE).ok()?;
    Game::from_moves(Some(start_fen), &moves).ok()
}

/// Writes a self-contained page.
fn page(record: &GameRecord) -> String {
    let game = &record.game.game;
    let title = title(record);
    let mut html = String::with_capacity(8192);
    let (fen, status) = (format_fen(game.position()), status(game));
    let _ = write!(
        html,
        "<!DOCTYPE html>\n<html lang=\"en\">\n\
         <head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<main>\n<h1>{title}</h1>\n\
         <div class=\"board\" role=\"grid\" aria-label=\"Chess board\" data-start-fen=\"{}\" \
         data-moves=\"{}\">\n",
        format_fen(game.start()),
        game.uci_moves().join(" "),
    );
    write_squares(&mut html, game);
    let _ = write!(html, "</div>\n<p class=\"status\">{status}</p>\n");
    write_moves(&mut html, game);
    let _ = write!(
        html,
        "<p class=\"fen\"><code>{fen}</code></p>\n</main>\n</body>\n</html>\n"
    );
    html
}

fn write_squares(html: &mut String, game: &Game) {
    let last = game.moves().last();
    let board = board_of(game.position());
    let checked = game
        .position()
        .in_check()
        .then(|| game.position().king(game.position().turn()));
    for square in squares() {
        let (row, column) = (7 - usize::from(square.rank()), usize::from(square.file()));
        if column == 0 {
            html.push_str("<div class=\"rank\" role=\"row\">");
        }
        let code = board[row][column];
        let mut class = if (row + column) % 2 == 0 {
            "light".to_owned()
        } else {
            "dark".to_owned()
        };
        if last.is_some_and(|last| last.from() == square || last.to() == square) {
            class.push_str(" last");
        }
        if checked == Some(square) {
            class.push_str(" check");
        }
        // The style sheet fills hollow figurines, and keeps systems from drawing pawns as emoji. A
        // variation selector after a figurine would prevent emoji, but programs that read pages
        // compare the text of a square with the bare figurine.
        let piece = figure(code).map(|hollow| match figure(-code.abs()) {
            Some(filled) if code > 0 => {
                format!("<span class=\"white\" data-filled=\"{filled}\">{hollow}</span>")
            }
            _ => format!("<span class=\"black\">{hollow}</span>"),
        });
        let _ = write!(
            html,
            "<div class=\"{class}\" role=\"gridcell\" title=\"{square}\" data-col=\"{}\" \
             data-row=\"{}\">{}</div>",
            char::from(b'a' + square.file()),
            square.rank() + 1,
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

/// Returns the players' names, escaped for HTML.
fn title(record: &GameRecord) -> String {
    let player = |tag| {
        record
            .game
            .tag(tag)
            .filter(|name| !matches!(name.trim(), "" | "?"))
            .map(escaped)
    };
    match (player("White"), player("Black")) {
        (None, None) => "A chess game".to_owned(),
        (white, black) => {
            format!(
                "{} – {}",
                white.as_deref().unwrap_or("White"),
                black.as_deref().unwrap_or("Black")
            )
        }
    }
}

fn status(game: &Game) -> String {
    let status = game.status();
    let sentence = status.outcome.map_or_else(
        || {
            format!(
                "{} to move{}",
                status.turn.name(),
                if status.check { ", in check" } else { "" }
            )
        },
        |outcome| outcome.to_string(),
    );
    let mut letters = sentence.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

/// Escapes untrusted text for HTML.
fn escaped(text: &str) -> String {
    let mut shown = String::new();
    for character in printable(text).chars() {
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
