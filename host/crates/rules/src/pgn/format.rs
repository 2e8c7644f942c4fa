//! Formats games as PGN.

use std::fmt::{self, Write as _};

use ai_api::{Color, Move, Position};

use super::{Notes, PgnGame};
use crate::{format_fen, format_san, play, start_position};

/// The tags that every game has, except `Result`, in order, each with the value that means
/// "unknown".
const ROSTER: [(&str, &str); 6] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
];
const LINE_WIDTH: usize = 80;

impl fmt::Display for PgnGame {
    /// Writes the export format: the seven tags that every game has, the other tags, and the moves
    /// in lines of at most 80 characters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, unknown) in ROSTER {
            write_tag(f, name, self.tag(name).unwrap_or(unknown))?;
        }
        write_tag(f, "Result", self.result.text())?;
        let mut unwritten: Vec<_> = ROSTER.iter().map(|(name, _)| *name).collect();
        for (name, value) in &self.tags {
            // The first tag with each name in the roster was written above.
            match unwritten.iter().position(|known| known == name) {
                Some(index) => drop(unwritten.swap_remove(index)),
                None => write_tag(f, name, value)?,
            }
        }
        let start = self.game.start();
        if start.is_chess960() && self.tag("Variant").is_none() {
            write_tag(f, "Variant", "Chess960")?;
        }
        if *start != start_position() {
            write_tag(f, "SetUp", "1")?;
            write_tag(f, "FEN", &format_fen(start))?;
        }
        f.write_char('\n')?;

        let mut text = Wrapped {
            out: f,
            column: 0,
            last: String::new(),
            opens: false,
        };
        text.line(*start, self.game.moves(), &self.notes)?;
        text.word(self.result.text())?;
        text.end()?;
        f.write_str("\n\n")
    }
}

/// Writes a tag on its own line. Control characters in its value become spaces.
fn write_tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    write!(f, "[{name} \"")?;
    for character in value.chars() {
        match character {
            '"' | '\\' => write!(f, "\\{character}")?,
            _ if character.is_control() => f.write_char(' ')?,
            _ => f.write_char(character)?,
        }
    }
    f.write_str("\"]\n")
}

/// Wraps words into lines.
struct Wrapped<'a, 'b> {
    out: &'a mut fmt::Formatter<'b>,
    column: usize,
    /// The word that has not been written yet, because a bracket may follow without a space.
    last: String,
    /// Whether `last` is an opening bracket, which the next word follows without a space.
    opens: bool,
}

impl Wrapped<'_, '_> {
    /// Writes the moves of a line with their notes.
    fn line(&mut self, start: Position, moves: &[Move], notes: &Notes) -> fmt::Result {
        let mut position = start;
        let comment = |ply: usize| notes.comments.get(ply).map_or("", |comment| comment.trim());
        self.comment(comment(0))?;
        let mut is_numbered = false;
        let mut variations = notes.variations.iter().peekable();
        for (index, &chosen) in moves.iter().enumerate() {
            let number = position.fullmove_number();
            match position.turn() {
                Color::White => self.word(format_args!("{number}."))?,
                Color::Black if !is_numbered => self.word(format_args!("{number}..."))?,
                Color::Black => {}
            }
            self.word(format_san(&position, chosen))?;
            for glyph in notes.glyphs.get(index).into_iter().flatten() {
                self.word(format_args!("${glyph}"))?;
            }
            self.comment(comment(index + 1))?;
            is_numbered = comment(index + 1).is_empty();
            while let Some(variation) =
                variations.next_if(|variation| variation.instead_of == index)
            {
                self.word("(")?;
                self.opens = true;
                self.line(position, &variation.moves, &variation.notes)?;
                self.last.push(')');
                is_numbered = false;
            }
            position = play(&position, chosen);
        }
        Ok(())
    }

    fn word(&mut self, word: impl fmt::Display) -> fmt::Result {
        if !std::mem::take(&mut self.opens) {
            self.end()?;
        }
        write!(self.last, "{word}")
    }

    /// Writes the pending word.
    fn end(&mut self) -> fmt::Result {
        let length = self.last.chars().count();
        if length == 0 {
            return Ok(());
        }
        if self.column > 0 && self.column + 1 + length > LINE_WIDTH {
            self.out.write_char('\n')?;
            self.column = 0;
        }
        if self.column > 0 {
            self.out.write_char(' ')?;
            self.column += 1;
        }
        self.column += length;
        self.out.write_str(&self.last)?;
        self.last.clear();
        Ok(())
    }

    /// Writes a comment. Replaces `}`, which would end the comment.
    fn comment(&mut self, text: &str) -> fmt::Result {
        let text = text.replace('}', ")");
        let mut words = text.split_whitespace().peekable();
        let mut before = "{";
        while let Some(word) = words.next() {
            let after = if words.peek().is_none() { "}" } else { "" };
            self.word(format_args!("{before}{word}{after}"))?;
            before = "";
        }
        Ok(())
    }
}
