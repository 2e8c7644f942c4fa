//! PGN to games.

use thiserror::Error;

use super::{PgnGame, PgnResult};
use crate::{Game, MoveError, SanError, SetupIssue, parse_fen, parse_san, quote::quote, start_position};

/// Why a text is not PGN.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {fault}")]
pub struct PgnError {
    /// The line, counted from 1, where it was noticed.
    pub line: usize,
    /// What is wrong there.
    pub fault: PgnFault,
}

/// What is wrong with a PGN text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PgnFault {
    /// A tag is not of the form `[Name "value"]`.
    #[error("{found} is no tag; expected [Name \"value\"] on one line")]
    Tag {
        /// The text, cut short.
        found: String,
    },
    /// The first position is not legal.
    #[error("the FEN of the game is not legal: {}", list(.0))]
    Fen(Vec<SetupIssue>),
    /// A move is not legal, or no move.
    #[error(transparent)]
    San(#[from] SanError),
    /// A move after the end of the game.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// A comment or variation has no end.
    #[error("the text ends within a {0}")]
    Unclosed(&'static str),
    /// Something closes that was not open.
    #[error("'{0}' closes nothing")]
    Unopened(char),
}

fn list(issues: &[SetupIssue]) -> String {
    issues.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Every game of a text. A game ends with its result, or where the tags of the next one begin; one that says neither
/// goes on.
///
/// # Errors
/// The first thing that is wrong.
///
/// # Examples
/// ```
/// let games = rules::parse_pgn("[White \"Ann\"]\n\n1. e4 e5 {solid} 2. Qh5 (2. Nf3 Nc6) Nc6 3. Bc4 Nf6 4. Qxf7# 1-0")?;
/// assert_eq!((games.len(), games[0].tag("White"), games[0].result.text()), (1, Some("Ann"), "1-0"));
/// assert_eq!(games[0].comments[2], "solid");
/// assert_eq!(games[0].game.status().outcome.map(|outcome| outcome.reason()), Some("checkmate"));
/// # Ok::<(), rules::PgnError>(())
/// ```
pub fn parse_pgn(text: &str) -> Result<Vec<PgnGame>, PgnError> {
    let mut reader = Reader { rest: text.strip_prefix('\u{feff}').unwrap_or(text), line: 1, token_line: 1 };
    let mut games = Vec::new();
    let mut open = OpenGame::default();
    loop {
        let token = reader.next_token();
        let line = reader.token_line;
        let token = token.map_err(|fault| PgnError { line, fault })?;
        let ends = match &token {
            None | Some(Token::Result(_)) => true,
            Some(Token::Tag(..)) => open.game.is_some(),
            Some(_) => false,
        };
        if ends {
            if let Some(Token::Result(result)) = token {
                open.game().map_err(|fault| PgnError { line, fault })?;
                open.result = result;
            }
            // Tags without a word of the game are one whose players never moved.
            if open.game.is_some() || !open.tags.is_empty() {
                games.push(std::mem::take(&mut open).close().map_err(|fault| PgnError { line, fault })?);
            }
        }
        let Some(token) = token else { return Ok(games) };
        open.take_over(token).map_err(|fault| PgnError { line, fault })?;
    }
}

/// A game on its way to being read.
#[derive(Default)]
struct OpenGame {
    tags: Vec<(String, String)>,
    game: Option<Game>,
    comments: Vec<String>,
    result: PgnResult,
}

impl OpenGame {
    /// The game, begun where its tags say.
    fn game(&mut self) -> Result<&mut Game, PgnFault> {
        if self.game.is_none() {
            let fen = self.tags.iter().find(|(name, _)| name == "FEN").map(|(_, value)| value.trim());
            let start = fen.map_or_else(|| Ok(start_position()), parse_fen).map_err(PgnFault::Fen)?;
            self.game = Some(Game::new(start));
        }
        Ok(self.game.as_mut().expect("it has just been made"))
    }

    fn take_over(&mut self, token: Token<'_>) -> Result<(), PgnFault> {
        match token {
            Token::Tag(name, value) => self.tags.push((name.to_owned(), value)),
            Token::Move(text) => {
                let game = self.game()?;
                if let Some(outcome) = game.status().outcome {
                    return Err(MoveError::GameOver(outcome).into());
                }
                let chosen = parse_san(game.position(), text)?;
                game.play(chosen)?;
            }
            Token::Comment(text) => {
                let ply = self.game()?.moves().len();
                self.comments.resize(self.comments.len().max(ply + 1), String::new());
                let comment = &mut self.comments[ply];
                for word in text.split_whitespace() {
                    let space = if comment.is_empty() { "" } else { " " };
                    comment.push_str(space);
                    comment.push_str(word);
                }
            }
            Token::Result(_) => {}
        }
        Ok(())
    }

    fn close(mut self) -> Result<PgnGame, PgnFault> {
        let game = self.game()?.clone();
        let result = match self.result {
            PgnResult::Unknown => PgnGame::new(game.clone()).result,
            result => result,
        };
        let mut tags = self.tags;
        tags.retain(|(name, _)| !["Result", "SetUp", "FEN"].contains(&name.as_str()));
        Ok(PgnGame { tags, game, comments: self.comments, result })
    }
}

enum Token<'a> {
    Tag(&'a str, String),
    Move(&'a str),
    Comment(&'a str),
    Result(PgnResult),
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
    /// Where the last token began.
    token_line: usize,
}

impl<'a> Reader<'a> {
    fn next_token(&mut self) -> Result<Option<Token<'a>>, PgnFault> {
        let mut variations = 0_usize;
        loop {
            self.skip_blanks();
            self.token_line = self.line;
            let Some(first) = self.rest.chars().next() else {
                return if variations == 0 { Ok(None) } else { Err(PgnFault::Unclosed("variation")) };
            };
            let token = match first {
                '{' => {
                    let end = self.rest.find('}').ok_or(PgnFault::Unclosed("comment"))?;
                    let comment = &self.rest[1..end];
                    self.skip(end + 1);
                    Some(Token::Comment(comment))
                }
                ';' => {
                    let line = self.take_line();
                    Some(Token::Comment(&line[1..]))
                }
                '(' => {
                    variations += 1;
                    self.skip(1);
                    None
                }
                ')' => {
                    variations = variations.checked_sub(1).ok_or(PgnFault::Unopened(')'))?;
                    self.skip(1);
                    None
                }
                '}' => return Err(PgnFault::Unopened('}')),
                '[' if variations == 0 => {
                    let line = self.rest.lines().next().unwrap_or_default();
                    let (name, value, length) =
                        read_tag(line).ok_or_else(|| PgnFault::Tag { found: quote(line.trim()) })?;
                    self.skip(length);
                    Some(Token::Tag(name, value))
                }
                _ => self.next_word(first),
            };
            if variations == 0 && token.is_some() {
                return Ok(token);
            }
        }
    }

    /// A move or a result; none for a move's number or a glyph.
    fn next_word(&mut self, first: char) -> Option<Token<'a>> {
        // A number may stand before its move without a space.
        if first.is_ascii_digit() {
            let after = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
            if after.is_empty() || after.starts_with(|c: char| c == '.' || c.is_whitespace()) {
                let after = after.trim_start_matches('.');
                self.skip(self.rest.len() - after.len());
                return None;
            }
        }
        if first == '.' {
            self.skip(1);
            return None;
        }
        let ends = |c: char| c.is_whitespace() || "{}()[];".contains(c);
        // A bracket that opens no tag is a word of its own, and no move.
        let length = self.rest.char_indices().find(|&(at, c)| at > 0 && ends(c));
        let word = &self.rest[..length.map_or(self.rest.len(), |(at, _)| at)];
        self.skip(word.len());
        if let Some(result) = PgnResult::of_text(word) {
            return Some(Token::Result(result));
        }
        let is_glyph = word.starts_with('$') || word.chars().all(|c| "!?".contains(c)) || word == "e.p.";
        (!is_glyph).then_some(Token::Move(word))
    }

    /// Passes over blanks, and over lines that begin with `%`, which are not for us.
    fn skip_blanks(&mut self) {
        loop {
            let begins_line = self.rest.trim_start_matches([' ', '\t', '\r']);
            let blanks = self.rest.len() - self.rest.trim_start().len();
            let is_first = self.line == 1 && begins_line.len() == self.rest.len();
            let after_break = self.rest[..blanks].ends_with('\n') || (is_first && blanks == 0);
            self.skip(blanks);
            if !(after_break && self.rest.starts_with('%')) {
                return;
            }
            self.take_line();
        }
    }

    fn take_line(&mut self) -> &'a str {
        let line = &self.rest[..self.rest.find('\n').unwrap_or(self.rest.len())];
        self.skip(line.len());
        line
    }

    fn skip(&mut self, bytes: usize) {
        let (passed, rest) = self.rest.split_at(bytes);
        self.line += passed.matches('\n').count();
        self.rest = rest;
    }
}

/// The name and value of a tag at the beginning of a line, and how many bytes it takes.
fn read_tag(line: &str) -> Option<(&str, String, usize)> {
    let inner = line.strip_prefix('[')?.trim_start();
    let name_length = inner.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
    let (name, rest) = inner.split_at(name_length);
    let quoted = rest.trim_start().strip_prefix('"')?;
    if name.is_empty() {
        return None;
    }
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    let end = loop {
        match characters.next()? {
            (at, '"') => break at,
            (_, '\\') => value.push(characters.next()?.1),
            (_, character) => value.push(character),
        }
    };
    let after = quoted[end + 1..].trim_start().strip_prefix(']')?;
    Some((name, value, line.len() - after.len()))
}
