//! Parses PGN.

use super::{
    PgnError, PgnFault, PgnGame, PgnResult,
    line::OpenLine,
    tag::Tag,
    tokens::{MoveNumber, Token, TokenPlace, Tokens},
};
use crate::{Game, ImportNote, Language, MoveError, quote::quote, start_position};

/// The maximum nesting depth of variations that are kept.
const MOST_NESTED: usize = 100;
/// The maximum number of errors collected per game.
const MAX_ERRORS: usize = 1000;

/// Whether variations are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadVariations {
    /// Skips variations without reading them.
    #[default]
    Skip,
    /// Reads variations as strictly as the game.
    Keep,
}

/// How to read null moves, which annotators write to show a threat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NullMoves {
    /// Reports an error: a null move is not legal.
    #[default]
    Reject,
    /// Skips a null move and the rest of its line (the game or a variation).
    Cut,
}

/// Parses every game in the text. A game ends with its result or before the next game's tags. If
/// there are only tags, the next game begins with a tag that is repeated after a blank line.
/// Variations are skipped.
///
/// # Errors
/// The first error.
///
/// # Examples
/// ```
/// let text = "[White \"Ann\"]\n\n\
///     1. e4 e5 {solid} 2. Qh5 (2. Nf3 Nc6) Nc6 3. Bc4 Nf6 4. Qxf7# 1-0";
/// let games = rules::parse_pgn(text)?;
/// assert_eq!(games.len(), 1);
/// assert_eq!(games[0].tag("White"), Some("Ann"));
/// assert_eq!(games[0].result.text(), "1-0");
/// assert_eq!(games[0].notes.comments[2], "solid");
/// assert_eq!(games[0].game.status().outcome.map(|outcome| outcome.reason()), Some("checkmate"));
/// # Ok::<(), rules::PgnError>(())
/// ```
pub fn parse_pgn(text: &str) -> Result<Vec<PgnGame>, PgnError> {
    let first = |mut errors: Vec<PgnError>| errors.swap_remove(0);
    PgnReader::new(text)
        .map(|game| game.map_err(first))
        .collect()
}

/// Iterates over the games of PGN text, each read or rejected with all its errors.
///
/// # Examples
/// ```
/// let mut games = rules::PgnReader::new("1. e4 e5 *\n1. e4 Ke5 *\n1. d4 *");
/// assert!(games.next().is_some_and(|game| game.is_ok()));
/// let errors = games.next().expect("a second game").expect_err("the king does not move that way");
/// let error = &errors[0];
/// assert_eq!((error.game, error.line, error.column, error.ply), (2, 2, 7, Some(2)));
/// assert!(games.next().is_some_and(|game| game.is_ok()));
/// ```
#[derive(Debug)]
pub struct PgnReader<'a> {
    tokens: Tokens<'a>,
    options: ReadOptions,
    games: usize,
    /// A tag that ended the previous game.
    ahead: Option<(TokenPlace, Tag<'a>)>,
    /// The number of comments before the next game, which belong to no game.
    stray_comments: usize,
}

#[derive(Clone, Copy, Debug)]
struct ReadOptions {
    variations: ReadVariations,
    null_moves: NullMoves,
    language: Language,
    max_plies: usize,
}

impl<'a> PgnReader<'a> {
    /// Reads the games of PGN text of any length, without variations.
    pub fn new(text: &'a str) -> Self {
        let options = ReadOptions {
            variations: ReadVariations::Skip,
            null_moves: NullMoves::Reject,
            language: Language::English,
            max_plies: usize::MAX,
        };
        Self {
            tokens: Tokens::new(text),
            options,
            games: 0,
            ahead: None,
            stray_comments: 0,
        }
    }

    /// Sets whether variations are kept.
    #[must_use]
    pub fn variations(self, variations: ReadVariations) -> Self {
        Self {
            options: ReadOptions {
                variations,
                ..self.options
            },
            ..self
        }
    }

    /// Sets how null moves are read.
    #[must_use]
    pub fn null_moves(self, null_moves: NullMoves) -> Self {
        Self {
            options: ReadOptions {
                null_moves,
                ..self.options
            },
            ..self
        }
    }

    /// Sets the language of the piece letters.
    #[must_use]
    pub fn language(self, language: Language) -> Self {
        Self {
            options: ReadOptions {
                language,
                ..self.options
            },
            ..self
        }
    }

    /// Limits the number of half-moves in a game.
    #[must_use]
    pub fn max_plies(self, max_plies: usize) -> Self {
        Self {
            options: ReadOptions {
                max_plies,
                ..self.options
            },
            ..self
        }
    }
}

impl Iterator for PgnReader<'_> {
    type Item = Result<PgnGame, Vec<PgnError>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let mut open = OpenGame::new(self.games + 1, self.options);
            if let Some((place, tag)) = self.ahead.take() {
                open.add_tag(place, tag);
            }
            self.read(&mut open);
            if open.is_empty() {
                self.stray_comments += open.comments;
            } else {
                let stray_comments = std::mem::take(&mut self.stray_comments);
                open.accepted
                    .extend((0..stray_comments).map(|_| ImportNote::StrayComment));
            }
            match open.close() {
                Some(read) => {
                    self.games += 1;
                    return Some(read);
                }
                // Only comments or numbers preceded the tags of a game.
                None if self.ahead.is_some() => {}
                None => return None,
            }
        }
    }
}

impl<'a> PgnReader<'a> {
    /// Reads the rest of a game.
    fn read(&mut self, open: &mut OpenGame<'a>) {
        while let Some(token) = self.tokens.next(open.nested > 0) {
            match token {
                Ok(Token::Tag(tag)) => {
                    let place = self.tokens.place();
                    let is_repeated = tag.follows_blank_line && open.tag_names.contains(&tag.name);
                    if open.has_begun() || is_repeated {
                        self.ahead = Some((place, tag));
                        return;
                    }
                    open.add_tag(place, tag);
                }
                Ok(Token::Result(result)) if open.nested == 0 => {
                    open.begin();
                    (open.result, open.is_game) = (result, true);
                    for (comment, is_of_game) in self.tokens.take_last_comments() {
                        if is_of_game {
                            open.add_comment(comment);
                        } else {
                            open.accepted.push(ImportNote::StrayComment);
                        }
                    }
                    return;
                }
                Ok(Token::Number(number)) if open.ends_before(number) => return,
                Ok(token) => open.read(&mut self.tokens, &token),
                Err(fault) => {
                    if !matches!(fault, PgnFault::Tag { .. }) {
                        open.begin();
                    }
                    open.report(self.tokens.place(), None, fault);
                }
            }
        }
    }
}

/// Notes each control character in the text, except white space. Returns whether there is one.
fn note_control_characters(text: &str, accepted: &mut Vec<ImportNote>) -> bool {
    // In UTF-8, control characters beyond ASCII begin with this byte.
    let may_be_control = |byte: u8| byte < b' ' || byte == 0x7f || byte == 0xc2;
    if !text.bytes().any(may_be_control) {
        return false;
    }
    let before = accepted.len();
    let controls = text
        .chars()
        .filter(|c| c.is_control() && !c.is_whitespace());
    accepted.extend(controls.map(|_| ImportNote::ControlCharacter));
    accepted.len() > before
}

/// Returns whether a tag's variant is Chess960 or orthodox chess, possibly from a custom position.
fn is_supported(variant: &str) -> bool {
    let name: String = variant
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    let supported = [
        "",
        "standard",
        "normal",
        "chess",
        "fromposition",
        "chess960",
        "960",
        "fischerandom",
        "fischerrandom",
    ];
    supported
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known))
}

/// A game while it is being read.
struct OpenGame<'a> {
    number: usize,
    options: ReadOptions,
    /// The names of all its tags.
    tag_names: Vec<&'a str>,
    tags: Vec<(String, String)>,
    /// The `FEN` tag.
    fen: Option<(TokenPlace, String)>,
    /// The `Result` tag, which applies if the moves end without a result.
    tag_result: PgnResult,
    game: Option<Game>,
    /// The line of the game and its open variations, the innermost last; empty before the first
    /// move.
    lines: Vec<OpenLine>,
    /// The number of open variations, including skipped ones.
    nested: usize,
    /// The place of the outermost open variation.
    varied_at: TokenPlace,
    result: PgnResult,
    /// Whether anything but blanks and comments was read.
    is_game: bool,
    /// The number of comments.
    comments: usize,
    cut_lines: usize,
    accepted: Vec<ImportNote>,
    errors: Vec<PgnError>,
}

impl<'a> OpenGame<'a> {
    fn new(number: usize, options: ReadOptions) -> Self {
        Self {
            number,
            options,
            tag_names: Vec::new(),
            tags: Vec::new(),
            fen: None,
            tag_result: PgnResult::Unknown,
            game: None,
            lines: Vec::new(),
            nested: 0,
            varied_at: TokenPlace { line: 1, column: 1 },
            result: PgnResult::Unknown,
            is_game: false,
            comments: 0,
            cut_lines: 0,
            accepted: Vec::new(),
            errors: Vec::new(),
        }
    }

    fn has_begun(&self) -> bool {
        !self.lines.is_empty()
    }

    fn report(&mut self, place: TokenPlace, ply: Option<usize>, fault: impl Into<PgnFault>) {
        if self.errors.len() < MAX_ERRORS {
            let (TokenPlace { line, column }, fault) = (place, fault.into());
            self.errors.push(PgnError {
                game: self.number,
                line,
                column,
                ply,
                fault,
            });
        }
    }

    fn add_tag(&mut self, place: TokenPlace, tag: Tag<'a>) {
        let Tag {
            name,
            mut value,
            has_bare_quote,
            ..
        } = tag;
        self.is_game = true;
        if self.tag_names.contains(&name) {
            self.accepted.push(ImportNote::RepeatedTag);
        }
        self.tag_names.push(name);
        if has_bare_quote {
            self.accepted.push(ImportNote::BareQuote);
        }
        if note_control_characters(&value, &mut self.accepted) {
            value = value.replace(char::is_control, " ");
        }
        match name {
            "FEN" => self.fen = self.fen.take().or(Some((place, value))),
            // The value of this tag follows from the game.
            "SetUp" => {}
            "Result" => self.tag_result = PgnResult::of_text(value.trim()).unwrap_or_default(),
            _ => {
                if name == "Variant" && !is_supported(&value) {
                    self.report(
                        place,
                        None,
                        PgnFault::Variant {
                            found: quote(&value),
                        },
                    );
                }
                self.tags.push((name.to_owned(), value));
            }
        }
    }

    /// Starts the game from the position in its tags.
    fn begin(&mut self) {
        if self.has_begun() {
            return;
        }
        let mut is_lost = false;
        let mut game = Game::new(start_position());
        if let Some((place, fen)) = self.fen.take() {
            match Game::import(fen.trim()) {
                Ok((imported, notes)) => {
                    game = imported;
                    self.accepted.extend(notes);
                }
                Err(issues) => {
                    is_lost = true;
                    for issue in issues {
                        self.report(place, None, PgnFault::Fen(issue));
                    }
                }
            }
        }
        let mut line = OpenLine::new(*game.start());
        self.game = Some(game);
        line.is_lost = is_lost;
        self.lines.push(line);
    }

    fn read(&mut self, tokens: &mut Tokens<'_>, token: &Token<'_>) {
        self.begin();
        match token {
            Token::Open => return self.open(tokens),
            Token::Close => return self.end_variation(tokens),
            _ => {}
        }
        // The token is inside a skipped variation.
        if self.lines.len() <= self.nested {
            return;
        }
        let Some(line) = self.lines.last_mut().filter(|line| !line.is_cut) else {
            return;
        };
        match token {
            Token::Comment(text) => self.add_comment(text),
            Token::Glyph(glyph) => line.add_glyph(*glyph),
            Token::Move(text, glyph) => self.play(tokens, text, *glyph),
            // A variation may end with a result, which is ignored.
            Token::Result(_)
            | Token::Tag(_)
            | Token::Number(_)
            | Token::Open
            | Token::Close
            | Token::Ignored => {}
        }
    }

    /// Adds a comment to the innermost line.
    fn add_comment(&mut self, text: &str) {
        note_control_characters(text, &mut self.accepted);
        self.comments += 1;
        if let Some(line) = self.lines.last_mut() {
            line.add_comment(text);
        }
    }

    /// Returns whether a move number begins the next game: number 1, after a blank line, in a game
    /// that has later moves.
    fn ends_before(&self, number: MoveNumber) -> bool {
        let has_later_moves = || {
            self.game
                .as_ref()
                .is_some_and(|game| game.position().fullmove_number() > 1)
        };
        let is_first = number.is_one && number.follows_blank_line && self.nested == 0;
        is_first && self.lines.len() == 1 && has_later_moves()
    }

    fn play(&mut self, tokens: &mut Tokens<'_>, text: &str, glyph: Option<u8>) {
        self.is_game = true;
        let is_variation = self.nested > 0;
        let Some(line) = self.lines.last_mut() else {
            return;
        };
        let (ply, was_lost) = (line.next_ply(), line.is_lost);
        let over = self
            .game
            .as_ref()
            .and_then(Game::end)
            .filter(|_| !is_variation);
        let fault = if let Some(outcome) = over.filter(|_| !was_lost) {
            line.is_lost = true;
            MoveError::GameOver(outcome).into()
        } else if ply > self.options.max_plies && !was_lost {
            line.is_lost = true;
            PgnFault::TooLong {
                most: self.options.max_plies,
            }
        } else {
            match line.read_move(text, glyph, self.options.language) {
                Ok(Some((chosen, after))) if !is_variation => {
                    let game = self.game.as_mut().expect("the game has begun");
                    return game.advance(chosen, after);
                }
                Ok(_) => return,
                Err(PgnFault::NullMove { .. }) if self.options.null_moves == NullMoves::Cut => {
                    line.is_cut = true;
                    self.cut_lines += 1;
                    return;
                }
                Err(fault) => fault,
            }
        };
        self.report(tokens.place(), Some(ply).filter(|_| !was_lost), fault);
    }

    fn open(&mut self, tokens: &mut Tokens<'_>) {
        self.nested += 1;
        if self.nested == 1 {
            self.varied_at = tokens.place();
        }
        let line = self.lines.last().expect("the game has begun");
        let is_skipped = self.options.variations == ReadVariations::Skip || line.is_cut;
        if is_skipped || self.lines.len() < self.nested {
            return;
        }
        if self.nested > MOST_NESTED {
            return self.report(
                tokens.place(),
                None,
                PgnFault::TooDeep { most: MOST_NESTED },
            );
        }
        match line.vary() {
            Some(variation) => self.lines.push(variation),
            None if line.is_lost => {}
            None => self.report(tokens.place(), None, PgnFault::NoMoveToVary),
        }
    }

    fn end_variation(&mut self, tokens: &mut Tokens<'_>) {
        let Some(nested) = self.nested.checked_sub(1) else {
            return self.report(tokens.place(), None, PgnFault::Unopened(')'));
        };
        if self.lines.len() > self.nested
            && let Some(line) = self.lines.pop()
            && let Some(outer) = self.lines.last_mut()
        {
            outer.add_variation(line);
        }
        self.nested = nested;
    }

    /// Returns whether nothing but comments was read.
    fn is_empty(&self) -> bool {
        !self.is_game && self.nested == 0 && self.errors.is_empty()
    }

    /// Ends the game. Returns `None` if none of it was read. Tags without moves count as a game.
    fn close(mut self) -> Option<Result<PgnGame, Vec<PgnError>>> {
        if self.is_empty() {
            return None;
        }
        self.begin();
        if self.nested > 0 {
            self.report(self.varied_at, None, PgnFault::Unclosed("variation"));
        }
        let (Some(game), true) = (self.game, self.errors.is_empty()) else {
            return Some(Err(self.errors));
        };
        let of_board = game
            .end()
            .map_or(PgnResult::Unknown, |_| PgnResult::of_game(&game));
        let results = [self.result, of_board, self.tag_result];
        let mut known = results
            .into_iter()
            .filter(|result| *result != PgnResult::Unknown);
        let result = known.next().unwrap_or_default();
        let notes = self.lines.swap_remove(0).notes;
        let mut accepted = self.accepted;
        if known.any(|other| other != result) {
            accepted.push(ImportNote::OtherResult);
        }
        accepted.extend(game.drawn_at().map(|_| ImportNote::WentOnAfterDraw));
        Some(Ok(PgnGame {
            tags: self.tags,
            game,
            notes,
            result,
            cut_lines: self.cut_lines,
            accepted,
        }))
    }
}
