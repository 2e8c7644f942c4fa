//! Every position of a game as C# array initialisers.

use std::{fmt::Write as _, str::Chars};

use ai_api::Color;
use rules::{Game, IssueCode, Place, Setup};
use serde_json::{Map, Value};
use text::printable;

use super::boards::with_turn;
use crate::{
    Format, FormatIssue, GameRecord, Games, Import, Likeness, Part, Sample, TextPlace, record::Rows,
};

/// The maximum nesting depth of braces.
const MAX_DEPTH: usize = 64;
/// The words that can precede the brace of an array.
const ARRAY_WORDS: [&str; 6] = ["new", "sbyte", "short", "int", "long", "Int32"];
/// The maximum number of characters of quoted text in a message.
const MAX_SHOWN_CHARS: usize = 20;

/// Boards, oldest first: `{ {-4, -2, …}, … }`, with or without `new int[,]` before a brace. Other
/// C# code around them is ignored.
pub(crate) struct Csharp;

impl Format for Csharp {
    fn holds(&self) -> &'static [Part] {
        &[Part::Moves]
    }

    fn likeness(&self, sample: &Sample<'_>) -> Likeness {
        // Numbers in a style sheet or script are not boards.
        let is_page = sample.text.starts_with('<');
        Likeness::Certain.when(!is_page && begins_board(sample.text))
    }

    fn separator(&self) -> Option<&'static str> {
        None
    }

    fn import<'t>(&self, text: &'t str, options: Import) -> Games<'t> {
        Box::new(std::iter::once_with(move || read(text, options)))
    }

    fn read_setup(&self, text: &str, turn: Option<Color>) -> Option<Setup> {
        let boards: Vec<_> = read_boards(text)
            .ok()?
            .into_iter()
            .map(|board| board.rows)
            .collect();
        Setup::from_boards(&boards, turn).ok()
    }

    fn export(&self, record: &GameRecord) -> String {
        let mut text = String::new();
        for board in record.game.game.boards() {
            text.push_str(if text.is_empty() { "{\n" } else { "\n{\n" });
            for row in board {
                let codes = row.map(|code| code.to_string()).join(", ");
                let _ = writeln!(text, "    {{{codes}}},");
            }
            text.push_str("}\n");
        }
        text
    }

    fn export_fields(&self, name: &str, record: &GameRecord) -> Map<String, Value> {
        with_turn(&record.game.game, name, self.export(record).into())
    }
}

/// A board with the line numbers of its rows.
struct CodeBoard {
    rows: Rows,
    line: usize,
    row_lines: Vec<usize>,
}

fn read(text: &str, options: Import) -> Result<GameRecord, Vec<FormatIssue>> {
    let boards = read_boards(text).map_err(|issue| vec![issue])?;
    options.check_length(boards.len().saturating_sub(1), IssueCode::BadBoard)?;
    let rows: Vec<_> = boards.iter().map(|board| board.rows.clone()).collect();
    let line = |place: Place| match place {
        Place::Board(board) => boards.get(board).map(|board| board.line),
        Place::Row { board, row } | Place::Cell { board, row, .. } => {
            boards.get(board)?.row_lines.get(row).copied()
        }
        _ => None,
    };
    let (game, assumed) = Game::from_boards(&rows, options.turn).map_err(|issues| {
        let placed = issues.into_iter().map(|issue| {
            let line = line(issue.place);
            let issue = FormatIssue::of_game(issue);
            FormatIssue {
                place: TextPlace {
                    line,
                    ..issue.place
                },
                ..issue
            }
        });
        placed.collect::<Vec<_>>()
    })?;
    Ok(GameRecord {
        assumed: Some(assumed),
        ..GameRecord::of(game)
    })
}

/// The content of a pair of braces, as read so far.
#[derive(Default)]
struct BoardGroup {
    place: TextPlace,
    numbers: Vec<i64>,
    rows: Rows,
    row_lines: Vec<usize>,
    /// Whether the content includes words, as in code.
    has_words: bool,
}

/// Reads the boards in the text: braces around rows, which are braces around numbers.
///
/// # Errors
/// The text contains no board or has a fault. Only the first fault is reported.
fn read_boards(text: &str) -> Result<Vec<CodeBoard>, FormatIssue> {
    let (mut boards, mut open) = (Vec::new(), Vec::<BoardGroup>::new());
    for CodeToken { kind, place } in tokens(text) {
        match kind {
            TokenKind::Open if open.len() == MAX_DEPTH => {
                return Err(bad(
                    place,
                    format!("found braces nested more than {MAX_DEPTH} deep"),
                ));
            }
            TokenKind::Open => open.push(BoardGroup {
                place,
                ..BoardGroup::default()
            }),
            TokenKind::Close => {
                let Some(group) = open.pop() else {
                    return Err(bad(place, "found } without a { before it".to_owned()));
                };
                close(group, open.last_mut(), &mut boards)?;
            }
            TokenKind::Number {
                is_negative,
                digits,
            } => {
                if let Some(group) = open.last_mut() {
                    let sign = if is_negative { "-" } else { "" };
                    let number: i64 = digits.parse().map_err(|_| {
                        let shown: String = digits.chars().take(MAX_SHOWN_CHARS).collect();
                        bad(
                            place,
                            format!("found {sign}{}, expected a whole number", printable(&shown)),
                        )
                    })?;
                    group
                        .numbers
                        .push(if is_negative { -number } else { number });
                }
            }
            TokenKind::Word => {
                if let Some(group) = open.last_mut() {
                    group.has_words = true;
                }
            }
        }
    }
    if let Some(group) = open.pop() {
        return Err(bad(group.place, "found no } for this {".to_owned()));
    }
    if boards.is_empty() {
        let expected = "expected 8 rows of 8 numbers in braces, such as { {-4, -2, …}, … }";
        return Err(bad(
            TextPlace::default(),
            format!("found no board, {expected}"),
        ));
    }
    Ok(boards)
}

/// Adds the content of a pair of braces to the pair around it, or to the boards.
fn close(
    group: BoardGroup,
    outer: Option<&mut BoardGroup>,
    boards: &mut Vec<CodeBoard>,
) -> Result<(), FormatIssue> {
    let BoardGroup {
        place,
        numbers,
        rows,
        row_lines,
        has_words,
    } = group;
    let line = place.line.unwrap_or_default();
    if !rows.is_empty() && !has_words {
        if !numbers.is_empty() {
            return Err(bad(
                place,
                "found numbers next to the rows of a board, expected only rows".to_owned(),
            ));
        }
        boards.push(CodeBoard {
            rows,
            line,
            row_lines,
        });
        return Ok(());
    }
    // Anything else is a row, or code around or next to boards.
    let Some(outer) = outer else { return Ok(()) };
    match (has_words, numbers.is_empty()) {
        (true, false) if !outer.has_words => Err(bad(
            place,
            "found words next to the numbers of a row, expected only whole numbers".to_owned(),
        )),
        (false, is_empty) if !is_empty || !outer.rows.is_empty() => {
            outer.rows.push(numbers);
            outer.row_lines.push(line);
            Ok(())
        }
        _ => Ok(()),
    }
}

fn bad(place: TextPlace, message: String) -> FormatIssue {
    FormatIssue {
        place,
        ..FormatIssue::new(IssueCode::BadBoard, message)
    }
}

/// Returns whether a board begins somewhere in the text: two braces, then two numbers.
fn begins_board(text: &str) -> bool {
    let mut matched = 0;
    for CodeToken { kind, .. } in tokens(text) {
        matched = match (kind, matched) {
            (TokenKind::Open, 0) => 1,
            (TokenKind::Open, _) => 2,
            (TokenKind::Number { .. }, 2) => 3,
            (TokenKind::Number { .. }, 3) => return true,
            _ => 0,
        };
    }
    false
}

/// A C# token that matters.
struct CodeToken<'t> {
    kind: TokenKind<'t>,
    place: TextPlace,
}

enum TokenKind<'t> {
    Open,
    Close,
    Number {
        is_negative: bool,
        /// The digits, and any letters that follow them.
        digits: &'t str,
    },
    /// A literal, or a name that is not in [`ARRAY_WORDS`].
    Word,
}

/// Finds the braces, numbers and words in the text, except in comments and brackets.
fn tokens(text: &str) -> impl Iterator<Item = CodeToken<'_>> {
    let mut scanner = Scanner {
        rest: text.chars(),
        line: 1,
        column: 0,
        is_negative: false,
    };
    std::iter::from_fn(move || scanner.next_token())
}

struct Scanner<'t> {
    rest: Chars<'t>,
    line: usize,
    column: usize,
    /// Whether the last character was a minus sign.
    is_negative: bool,
}

impl<'t> Scanner<'t> {
    fn next_token(&mut self) -> Option<CodeToken<'t>> {
        loop {
            let at = self.rest.as_str();
            let first = self.next_char()?;
            if first.is_whitespace() {
                continue;
            }
            let place = TextPlace {
                line: Some(self.line),
                column: Some(self.column),
                ..TextPlace::default()
            };
            let is_negative = std::mem::replace(&mut self.is_negative, first == '-');
            let kind = match first {
                '{' => TokenKind::Open,
                '}' => TokenKind::Close,
                '/' if at.starts_with("//") => {
                    self.skip_until(|c| c == '\n');
                    continue;
                }
                '/' if at.starts_with("/*") => {
                    self.next_char();
                    let mut is_star = false;
                    self.skip_until(|c| std::mem::replace(&mut is_star, c == '*') && c == '/');
                    continue;
                }
                '[' => {
                    self.skip_while(|c| !matches!(c, ']' | '{' | '}'));
                    continue;
                }
                // An apostrophe in prose does not start a literal.
                '\'' if !begins_character(at) => continue,
                '"' | '\'' => {
                    let mut is_escaped = false;
                    self.skip_until(|c| {
                        let ends = !is_escaped && c == first || c == '\n';
                        is_escaped = !is_escaped && c == '\\';
                        ends
                    });
                    TokenKind::Word
                }
                first if first.is_alphanumeric() || first == '_' => {
                    self.skip_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
                    let word = &at[..at.len() - self.rest.as_str().len()];
                    if first.is_ascii_digit() {
                        TokenKind::Number {
                            is_negative,
                            digits: word,
                        }
                    } else if ARRAY_WORDS.contains(&word) {
                        continue;
                    } else {
                        TokenKind::Word
                    }
                }
                _ => continue,
            };
            return Some(CodeToken { kind, place });
        }
    }

    fn next_char(&mut self) -> Option<char> {
        let next = self.rest.next()?;
        if next == '\n' {
            (self.line, self.column) = (self.line + 1, 0);
        } else {
            self.column += 1;
        }
        Some(next)
    }

    /// Skips characters up to and including the first for which `ends` returns `true`.
    fn skip_until(&mut self, mut ends: impl FnMut(char) -> bool) {
        while let Some(next) = self.next_char() {
            if ends(next) {
                return;
            }
        }
    }

    /// Skips characters up to the first for which `in_between` returns `false`.
    fn skip_while(&mut self, in_between: impl Fn(char) -> bool) {
        while self.rest.as_str().starts_with(&in_between) {
            self.next_char();
        }
    }
}

/// Returns whether the text begins with a character literal.
fn begins_character(text: &str) -> bool {
    let mut inner = text.chars().skip(1);
    inner.next() == Some('\\') || inner.next() == Some('\'')
}
