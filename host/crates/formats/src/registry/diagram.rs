//! Diagrams in letters or Unicode figurines.

use ai_api::{Color, Role, Square};
use rules::{Setup, board_of, format_fen, format_setup, parse_setup};

use crate::{
    Format, FormatIssue, GameRecord, Games, Import, Likeness, Part, Sample, TextPlace,
    record::{Rows, board_rows},
};

const CODE: &str = "bad_text";

/// Eight lines of eight squares, in letters or Unicode figurines, with or without frames and
/// coordinates. A `FEN:` line below the squares gives the rest of the position. A diagram whose
/// files run from h to a shows Black's view.
pub(crate) struct Text;

impl Format for Text {
    fn holds(&self) -> &'static [Part] {
        &[Part::RightsAndClocks]
    }

    fn code(&self) -> Option<&'static str> {
        Some(CODE)
    }

    fn likeness(&self, sample: &Sample<'_>) -> Likeness {
        Likeness::Weak.when(sample.text.lines().any(|line| read_rank(line).is_some()))
    }

    fn separator(&self) -> Option<&'static str> {
        Some("\n")
    }

    fn import<'t>(&self, text: &'t str, options: Import) -> Games<'t> {
        let diagrams = diagrams(text);
        Box::new(
            (1..)
                .zip(diagrams)
                .map(move |(number, diagram)| diagram.record(number, &options)),
        )
    }

    fn read_setup(&self, text: &str, turn: Option<Color>) -> Option<Setup> {
        let mut diagrams = diagrams(text).into_iter();
        let only = diagrams.next()?;
        if diagrams.next().is_some() {
            None
        } else {
            only.into_setup(turn)
        }
    }

    fn export(&self, record: &GameRecord) -> String {
        let game = &record.game.game;
        let mut lines = Vec::new();
        for (rank, row) in (1..=8).rev().zip(board_of(game.position())) {
            let letters = row.map(|code| letter(code).to_string());
            lines.push(format!("{rank}  {}", letters.join(" ")));
        }
        lines.push(String::new());
        lines.push("   a b c d e f g h".to_owned());
        lines.push(String::new());
        lines.push(format!("FEN: {}", format_fen(game.position())));
        lines.join("\n") + "\n"
    }
}

/// Reads the lines of every diagram in the text.
fn diagrams(text: &str) -> Vec<Diagram> {
    let mut diagrams: Vec<Diagram> = Vec::new();
    for (line_number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        if let Some(row) = read_rank(line) {
            if diagrams
                .last()
                .is_none_or(|diagram| diagram.rows.len() == 8)
            {
                diagrams.push(Diagram {
                    line: line_number,
                    ..Diagram::default()
                });
            }
            if let Some(diagram) = diagrams.last_mut() {
                diagram.rows.push(row);
            }
        } else if let Some(diagram) = diagrams.last_mut() {
            diagram.read_caption(line);
        } else if !is_decoration(line) {
            diagrams.push(Diagram {
                line: line_number,
                ..Diagram::default()
            });
            break;
        }
    }
    diagrams
}

/// Returns the letter for a piece code, or a dot for 0.
fn letter(code: i8) -> char {
    let role = usize::from(code.unsigned_abs())
        .checked_sub(1)
        .and_then(|index| Role::ALL.get(index));
    match role {
        None => '.',
        Some(role) if code > 0 => role.letter().to_ascii_uppercase(),
        Some(role) => role.letter(),
    }
}

/// Returns the piece code of a Unicode figurine, such as 6 for `♔`.
pub(crate) fn code_of_figure(figure: char) -> Option<i64> {
    match figure {
        '\u{2654}'..='\u{2659}' => Some(6 - (figure as i64 - 0x2654)),
        '\u{265a}'..='\u{265f}' => Some(figure as i64 - 0x265a - 6),
        _ => None,
    }
}

/// Returns the Unicode figurine of a piece code; `None` for 0.
pub(crate) fn figure(code: i8) -> Option<char> {
    let first = if code > 0 { 0x2654 } else { 0x265a };
    (code != 0).then(|| char::from_u32(first + 6 - u32::from(code.unsigned_abs())))?
}

/// Reads a line of eight squares: the rank's name, if given, and the piece codes. An empty square
/// is `.`, `-`, `_`, `*`, `0` or, between bars, nothing.
fn read_rank(line: &str) -> Option<(Option<char>, Vec<i64>)> {
    let line: String = line
        .chars()
        .filter(|c| !matches!(c, '\u{fe0e}' | '\u{fe0f}'))
        .collect();
    let mut name = None;
    let mut rest = line.trim();
    let mut chars = rest.chars();
    if let (Some(rank @ '1'..='8'), Some(' ' | '|' | '\t' | ':')) = (chars.next(), chars.next()) {
        name = Some(rank);
        rest = rest[1..].trim_start_matches(':').trim();
    }
    if let Some((before, last)) = rest
        .char_indices()
        .next_back()
        .filter(|(_, c)| matches!(c, '1'..='8'))
        && rest[..before].ends_with([' ', '|', '\t'])
    {
        name = Some(last);
        rest = rest[..before].trim();
    }
    let squares: Vec<Option<i64>> = if rest.contains(['|', '│']) {
        let inner = rest.trim_matches(['|', '│']);
        inner
            .split(['|', '│'])
            .take(9)
            .map(|square| code_of(square.trim()))
            .collect()
    } else if rest.contains(char::is_whitespace) {
        rest.split_whitespace().take(9).map(code_of).collect()
    } else {
        rest.chars()
            .take(9)
            .map(|square| code_of(square.encode_utf8(&mut [0; 4])))
            .collect()
    };
    let row: Option<Vec<i64>> = squares.into_iter().collect();
    row.filter(|row| row.len() == 8).map(|row| (name, row))
}

fn code_of(square: &str) -> Option<i64> {
    let mut chars = square.chars();
    let (first, None) = (chars.next(), chars.next()) else {
        return None;
    };
    match first {
        None | Some('.' | '-' | '_' | '*' | '0' | '·') => Some(0),
        Some(piece) => code_of_figure(piece).or_else(|| code_of_letter(piece)),
    }
}

fn code_of_letter(letter: char) -> Option<i64> {
    let code = Role::from_letter(letter.to_ascii_lowercase())? as i64 + 1;
    Some(if letter.is_ascii_uppercase() {
        code
    } else {
        -code
    })
}

/// Returns whether a line is a frame or names the files.
fn is_decoration(line: &str) -> bool {
    let files: String = line.chars().filter(char::is_ascii_alphabetic).collect();
    let is_frame = |c: char| c.is_whitespace() || "+-=|_:┌┬┐─".contains(c);
    line.chars().all(is_frame)
        || (["abcdefgh", "hgfedcba"].contains(&files.to_ascii_lowercase().as_str()))
}

/// A diagram while it is being read.
#[derive(Default)]
struct Diagram {
    line: usize,
    /// The name of each rank, if given, and its piece codes.
    rows: Vec<(Option<char>, Vec<i64>)>,
    turn: Option<Color>,
    fen: Option<Setup>,
    is_blacks_view: bool,
}

impl Diagram {
    /// Reads a line below the squares.
    fn read_caption(&mut self, line: &str) {
        let words = line.trim();
        let lower = words.to_ascii_lowercase();
        if let Some(fen) = words.get(4..).filter(|_| lower.starts_with("fen:")) {
            self.fen = parse_setup(fen.trim()).ok();
        }
        match lower.as_str() {
            "white to move" | "w" | "white" => self.turn = Some(Color::White),
            "black to move" | "b" | "black" => self.turn = Some(Color::Black),
            _ => {}
        }
        let files: String = lower.chars().filter(char::is_ascii_alphabetic).collect();
        self.is_blacks_view |= files == "hgfedcba";
    }

    /// Returns the piece codes of the squares, as seen by White.
    fn rows(&mut self) -> Rows {
        if self.is_blacks_view
            || self
                .rows
                .first()
                .is_some_and(|(name, _)| *name == Some('1'))
        {
            self.rows.reverse();
            for (_, row) in &mut self.rows {
                row.reverse();
            }
        }
        std::mem::take(&mut self.rows)
            .into_iter()
            .map(|(_, row)| row)
            .collect()
    }

    fn into_setup(mut self, turn: Option<Color>) -> Option<Setup> {
        let rows = [self.rows()];
        let placement = |setup: &Setup| format_setup(setup).split(' ').next().map(str::to_owned);
        let drawn = placement(&Setup::from_boards(&rows, Some(Color::White)).ok()?);
        let fen = self.fen.filter(|fen| placement(fen) == drawn);
        fen.or_else(|| Setup::from_boards(&rows, self.turn.or(turn)).ok())
    }

    fn record(mut self, number: usize, options: &Import) -> Result<GameRecord, Vec<FormatIssue>> {
        let place = TextPlace {
            game: Some(number),
            line: Some(self.line),
            ..TextPlace::default()
        };
        if self.rows.len() != 8 {
            let found = match self.rows.len() {
                0 => "no line of eight squares".to_owned(),
                1 => "1 line of eight squares".to_owned(),
                lines => format!("{lines} lines of eight squares"),
            };
            let message = format!(
                "found {found}, expected 8, rank 8 first, such as 'r n b q k b n r' and '. . . . . \
                 . . .'"
            );
            return Err(vec![FormatIssue {
                place,
                ..FormatIssue::new(CODE, message)
            }]);
        }
        let rows = self.rows();
        let position = self.fen.and_then(|setup| setup.into_position().ok());
        if let Some(position) = position.filter(|position| board_rows(position) == rows) {
            return Ok(GameRecord::at(position));
        }
        GameRecord::of_boards(&[rows], self.turn.or(options.turn)).map_err(|issues| {
            issues
                .into_iter()
                .map(|issue| FormatIssue { place, ..issue })
                .collect()
        })
    }
}

/// Returns every square in reading order, rank 8 first.
pub(crate) fn squares() -> impl Iterator<Item = Square> {
    (0..8)
        .rev()
        .flat_map(|rank| (0..8).map(move |file| Square::new(file, rank)))
}
