//! A line of play while it is being read.

use std::borrow::Cow;

use ai_api::{Move, Position};

use super::{Notes, PgnFault, Variation};
use crate::{
    Language, SanError, parse_san, parse_uci, play, quote::quote, san::check_san, uci::read_uci,
};

/// The ways in which programs write null moves.
pub(super) const NULL_MOVES: [&str; 6] = ["--", "Z0", "<>", "null", "@@@@", "0000"];

/// The moves of a game or variation read so far.
#[derive(Debug)]
pub(super) struct OpenLine {
    /// The number of half-moves in the game before the line.
    plies_before: usize,
    /// The position before the last move, if any.
    before: Option<Position>,
    position: Position,
    moves: Vec<Move>,
    /// Glyphs before the first move, to which they belong.
    first_glyphs: Vec<u8>,
    pub(super) notes: Notes,
    /// Whether a move was bad, so the moves after it can't be checked.
    pub(super) is_lost: bool,
    /// Whether the line ends here, so the rest of it is skipped.
    pub(super) is_cut: bool,
}

impl OpenLine {
    pub(super) fn new(start: Position) -> Self {
        Self {
            plies_before: 0,
            before: None,
            position: start,
            moves: Vec::new(),
            first_glyphs: Vec::new(),
            notes: Notes::default(),
            is_lost: false,
            is_cut: false,
        }
    }

    /// The ply of the next move, counted from the start of the game.
    pub(super) fn next_ply(&self) -> usize {
        self.plies_before + self.moves.len() + 1
    }

    /// Opens a variation that replaces the last move.
    pub(super) fn vary(&self) -> Option<Self> {
        let line = Self::new(self.before?);
        Some(Self {
            plies_before: self.next_ply() - 2,
            is_lost: self.is_lost,
            ..line
        })
    }

    /// Reads the next move, in SAN with the letters of a language or in UCI notation. Returns the
    /// move and the position after it. Once the line is lost, only checks that the text is a move.
    pub(super) fn read_move(
        &mut self,
        text: &str,
        attached_glyph: Option<u8>,
        language: Language,
    ) -> Result<Option<(Move, Position)>, PgnFault> {
        if NULL_MOVES.contains(&text) {
            let was_lost = std::mem::replace(&mut self.is_lost, true);
            return if was_lost {
                Ok(None)
            } else {
                Err(PgnFault::NullMove {
                    found: text.to_owned(),
                })
            };
        }
        let english = language
            .to_english(text)
            .ok_or_else(|| self.not_a_move(text));
        let english = english.inspect_err(|_| self.is_lost = true)?;
        let uci = english.trim_end_matches(['+', '#']);
        // Long notation without letters, such as `g1-f3`.
        let uci = match uci.as_bytes() {
            [b'a'..=b'h', b'1'..=b'8', b'-', ..] => Cow::Owned(uci.replacen('-', "", 1)),
            _ => Cow::Borrowed(uci),
        };
        let is_uci = read_uci(&uci).is_some();
        if self.is_lost {
            if !is_uci {
                check_san(&english)?;
            }
            return Ok(None);
        }
        let read = if is_uci {
            parse_uci(&self.position, &uci).map_err(PgnFault::from)
        } else {
            parse_san(&self.position, &english).map_err(|error| match error {
                SanError::Malformed { .. } => self.not_a_move(text),
                error => error.into(),
            })
        };
        let chosen = read.inspect_err(|_| self.is_lost = true)?;
        let after = play(&self.position, chosen);
        self.before = Some(std::mem::replace(&mut self.position, after));
        self.moves.push(chosen);
        for glyph in std::mem::take(&mut self.first_glyphs)
            .into_iter()
            .chain(attached_glyph)
        {
            self.add_glyph(glyph);
        }
        Ok(Some((chosen, after)))
    }

    /// The fault for text that is not a move. Names the languages in which it is a move.
    fn not_a_move(&self, text: &str) -> PgnFault {
        let languages = if self.is_lost {
            Vec::new()
        } else {
            Language::of_move(&self.position, text)
        };
        if languages.is_empty() {
            SanError::malformed(text).into()
        } else {
            PgnFault::Language {
                found: quote(text),
                languages,
            }
        }
    }

    /// Adds a glyph to the last move, or to the first move if there is none yet.
    pub(super) fn add_glyph(&mut self, glyph: u8) {
        let Some(last) = self.moves.len().checked_sub(1) else {
            return self.first_glyphs.push(glyph);
        };
        let glyphs = &mut self.notes.glyphs;
        glyphs.resize_with(glyphs.len().max(last + 1), Vec::new);
        if !glyphs[last].contains(&glyph) {
            glyphs[last].push(glyph);
        }
    }

    pub(super) fn add_comment(&mut self, text: &str) {
        let is_between = |c: char| c.is_whitespace() || c.is_control();
        let mut words = text
            .split(is_between)
            .filter(|word| !word.is_empty())
            .peekable();
        if words.peek().is_none() {
            return;
        }
        let (ply, comments) = (self.moves.len(), &mut self.notes.comments);
        comments.resize(comments.len().max(ply + 1), String::new());
        let comment = &mut comments[ply];
        comment.reserve(text.len());
        for word in words {
            if !comment.is_empty() {
                comment.push(' ');
            }
            // A comment up to the end of the line may contain the brace that ends other comments.
            comment.extend(word.chars().map(|c| if c == '}' { ')' } else { c }));
        }
    }

    /// Adds a variation that has ended.
    pub(super) fn add_variation(&mut self, line: Self) {
        let Some(instead_of) = self.moves.len().checked_sub(1) else {
            return;
        };
        let Self { moves, notes, .. } = line;
        if moves.is_empty() {
            notes
                .comments
                .iter()
                .for_each(|comment| self.add_comment(comment));
        } else {
            self.notes.variations.push(Variation {
                instead_of,
                moves,
                notes,
            });
        }
    }
}
