//! EPD: a position with operations, on one line.
//!
//! <https://www.chessprogramming.org/Extended_Position_Description>

use std::{fmt, fmt::Write as _};

use ai_api::Position;

use crate::{
    ImportNote, IssueCode, SanError, SetupIssue, format_fen, import_fen, parse_fen, parse_san,
    parse_uci, quote::quote, texts::errors,
};

/// Lines longer than this are rejected unread.
const MAX_BYTES: usize = 8192;
const MAX_OPCODE_CHARS: usize = 15;
/// The operations that name moves in the position: best moves and moves to avoid.
const MOVE_OPCODES: [&str; 2] = ["bm", "am"];

/// A position with operations. The operations `hmvc` and `fmvn` set its clock and its move number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epd {
    /// The position.
    pub position: Position,
    /// The operations, such as the best move, in order.
    pub operations: Vec<Operation>,
}

/// An operation, such as `bm Nf3 Nc3;`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The opcode: a letter, then letters, digits and underscores, and possibly a colon; at most 15
    /// characters.
    pub opcode: String,
    /// The operands, in order.
    pub operands: Vec<Operand>,
}

/// An operand of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A move, number or name without blanks, quotes or semicolons.
    Word(String),
    /// Quoted text.
    Text(String),
}

/// One reason why a line is not a legal EPD, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpdIssue {
    /// The column in characters, from 1. `None` for a fault in the position.
    pub column: Option<usize>,
    /// The fault.
    pub fault: EpdFault,
}

impl fmt::Display for EpdIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(column) = self.column {
            write!(f, "column {column}: ")?;
        }
        self.fault.fmt(f)
    }
}

impl std::error::Error for EpdIssue {}

errors! {
    /// A fault in an EPD.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum EpdFault {
        /// The position is not legal.
        #[error("{fault}")]
        Position(fault: SetupIssue),
        /// The text after the position is not an operation.
        #[error("found {found}, expected {expected}")]
        Operation {
            /// The text found there, truncated.
            found: String,
            /// The expected text.
            expected: &'static str,
        },
        /// A best move or a move to avoid is not legal.
        #[error("{opcode} names an illegal move: {fault}")]
        Move {
            /// `bm` or `am`.
            opcode: &'static str,
            /// Why it is not legal.
            fault: SanError,
        },
    }
}

impl EpdFault {
    /// Returns the stable code of this fault.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Position(issue) => issue.code(),
            Self::Operation { .. } => IssueCode::BadEpd.into_str(),
            Self::Move { .. } => IssueCode::IllegalMove.into_str(),
        }
    }
}

/// Parses a line. It may begin with all six fields of a FEN. The operands of `bm` and `am` must be
/// legal moves in SAN or UCI, or distances to mate, such as `#3`. Empty operations are skipped:
/// perft suites write `;D1 20 ;D2 400`.
///
/// # Errors
/// Every issue in the line.
///
/// # Examples
/// ```
/// let line = r#"4k3/8/8/8/8/8/4P3/4K3 w - - bm e4 Kd2; id "pawn 1"; hmvc 3;"#;
/// let epd = rules::parse_epd(line).expect("a legal position");
/// assert_eq!(epd.position.halfmove_clock(), 3);
/// assert_eq!(epd.to_string(), r#"4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 3; bm e4 Kd2; id "pawn 1";"#);
/// ```
pub fn parse_epd(line: &str) -> Result<Epd, Vec<EpdIssue>> {
    let read_fen = |fen: &str| parse_fen(fen).map(|position| (position, Vec::new()));
    read_as(line, OtherText::Reject, read_fen).map(|(epd, _)| epd)
}

/// Parses a line like [`parse_epd`], but also accepts positions that can be shown but not played;
/// see [`import_fen`].
/// Text after a semicolon that is not an operation becomes a comment, `c0` to `c9`, as in `… 0 1 ;
/// v=175` and `bm #2; 00:00;`. Returns notes on what it accepted.
///
/// # Errors
/// Every issue in the line.
pub fn import_epd(line: &str) -> Result<(Epd, Vec<ImportNote>), Vec<EpdIssue>> {
    read_as(line, OtherText::Keep, import_fen)
}

/// How to read text that is not an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OtherText {
    Reject,
    /// Reads it as a comment.
    Keep,
}

fn read_as(
    line: &str,
    other_text: OtherText,
    read_fen: impl FnOnce(&str) -> Result<(Position, Vec<ImportNote>), Vec<SetupIssue>>,
) -> Result<(Epd, Vec<ImportNote>), Vec<EpdIssue>> {
    if line.len() > MAX_BYTES {
        let found = format!("{} bytes", line.len());
        let fault = EpdFault::Operation {
            found,
            expected: "one line of at most 8192 bytes",
        };
        return Err(vec![EpdIssue {
            column: Some(1),
            fault,
        }]);
    }
    let mut reader = Reader {
        line,
        rest: line,
        moves: Vec::new(),
    };
    let fields: Vec<&str> = std::iter::from_fn(|| reader.field()).take(4).collect();
    let clocks = reader.clocks();
    let mut issues = Vec::new();
    let (operations, comments) = reader.operations(other_text, &mut issues);

    let number = |opcode: &str| {
        let operation = operations
            .iter()
            .find(|operation| operation.opcode == opcode)?;
        match operation.operands.as_slice() {
            [Operand::Word(number)] => Some(number.as_str()),
            _ => Some("?"),
        }
    };
    let (halfmove_clock, fullmove_number) =
        clocks.unwrap_or_else(|| (number("hmvc").unwrap_or("0"), number("fmvn").unwrap_or("1")));
    // Without this check, a clock would take the place of a missing field.
    let clock_fields = if fields.len() == 4 {
        &[halfmove_clock, fullmove_number][..]
    } else {
        &[]
    };
    let fen = [&fields, clock_fields].concat().join(" ");
    let (position, mut notes) = match read_fen(&fen) {
        Ok(read) => read,
        Err(found) => {
            let of_position = |issue| EpdIssue {
                column: None,
                fault: EpdFault::Position(issue),
            };
            return Err(found.into_iter().map(of_position).chain(issues).collect());
        }
    };
    issues.extend(
        reader
            .moves
            .iter()
            .filter_map(|named| named.check(&position)),
    );
    if !issues.is_empty() {
        return Err(issues);
    }
    notes.extend((0..comments).map(|_| ImportNote::OtherEpdText));
    let is_kept = |operation: &Operation| !["hmvc", "fmvn"].contains(&operation.opcode.as_str());
    Ok((
        Epd {
            position,
            operations: operations.into_iter().filter(is_kept).collect(),
        },
        notes,
    ))
}

impl fmt::Display for Epd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fen = format_fen(&self.position);
        // Drops the clock and the move number, which follow as operations.
        f.write_str(fen.rsplitn(3, ' ').last().unwrap_or_default())?;
        if self.position.halfmove_clock() > 0 {
            write!(f, " hmvc {};", self.position.halfmove_clock())?;
        }
        if self.position.fullmove_number() > 1 {
            write!(f, " fmvn {};", self.position.fullmove_number())?;
        }
        self.operations
            .iter()
            .try_for_each(|operation| write!(f, " {operation}"))
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.opcode)?;
        for operand in &self.operands {
            match operand {
                Operand::Word(word) => write!(f, " {word}")?,
                Operand::Text(text) => write!(f, " \"{text}\"")?,
            }
        }
        f.write_char(';')
    }
}

struct Reader<'a> {
    line: &'a str,
    rest: &'a str,
    moves: Vec<NamedMove<'a>>,
}

/// A move named by an operation.
struct NamedMove<'a> {
    column: usize,
    opcode: &'static str,
    text: &'a str,
}

impl NamedMove<'_> {
    fn check(&self, position: &Position) -> Option<EpdIssue> {
        if is_distance_to_mate(self.text) {
            return None;
        }
        let fault = parse_san(position, self.text).err()?;
        let is_uci = parse_uci(position, self.text).is_ok();
        let issue = || EpdIssue {
            column: Some(self.column),
            fault: EpdFault::Move {
                opcode: self.opcode,
                fault,
            },
        };
        (!is_uci).then(issue)
    }
}

/// Returns the text before the next semicolon as a comment, and the text after it. `None` if the
/// comment can't be quoted, or no comment opcode is free.
fn comment_of<'a>(text: &'a str, others: &[Operation]) -> Option<(Operation, &'a str)> {
    let (comment, rest) = text.split_once(';').unwrap_or((text, ""));
    if comment.contains('"') || comment.contains(is_unprintable) {
        return None;
    }
    let is_free = |opcode: &String| others.iter().all(|other| other.opcode != *opcode);
    let opcode = (0..10).map(|number| format!("c{number}")).find(is_free)?;
    let operands = vec![Operand::Text(comment.trim_end().to_owned())];
    Some((Operation { opcode, operands }, rest))
}

/// Returns whether quoted text can't contain this character.
fn is_unprintable(character: char) -> bool {
    character.is_control() && character != '\t'
}

/// Returns whether the text is `#` followed by a number of moves, negative if the side to move is
/// mated.
fn is_distance_to_mate(text: &str) -> bool {
    let digits = text
        .strip_prefix("#-")
        .or_else(|| text.strip_prefix('#'))
        .unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

impl<'a> Reader<'a> {
    /// Takes the text before the next blank or semicolon.
    fn field(&mut self) -> Option<&'a str> {
        self.rest = self.rest.trim_start();
        Some(self.take_while(|c| !c.is_whitespace() && c != ';')).filter(|field| !field.is_empty())
    }

    /// Takes the last two fields of a FEN if they appear instead of operations.
    fn clocks(&mut self) -> Option<(&'a str, &'a str)> {
        let before = self.rest;
        let is_number = |field: &&str| field.bytes().all(|byte| byte.is_ascii_digit());
        let clocks = self
            .field()
            .filter(is_number)
            .zip(self.field().filter(is_number));
        if clocks.is_none() {
            self.rest = before;
        }
        clocks
    }

    /// Takes every operation. Returns how many of them are comments made from other text.
    fn operations(
        &mut self,
        other_text: OtherText,
        issues: &mut Vec<EpdIssue>,
    ) -> (Vec<Operation>, usize) {
        let mut operations: Vec<Operation> = Vec::new();
        let mut comments = 0;
        loop {
            let before = self.rest.trim_start();
            self.rest = before.trim_start_matches(|c: char| c.is_whitespace() || c == ';');
            if self.rest.is_empty() {
                return (operations, comments);
            }
            let start = self.rest;
            let follows_semicolon = before.starts_with(';') || !operations.is_empty();
            match self.operation() {
                Err(_)
                    if other_text == OtherText::Keep
                        && follows_semicolon
                        && let Some((comment, rest)) = comment_of(start, &operations) =>
                {
                    operations.push(comment);
                    comments += 1;
                    self.rest = rest;
                }
                Ok(operation)
                    if operations
                        .iter()
                        .any(|other| other.opcode == operation.opcode) =>
                {
                    issues.push(self.issue(start, "each opcode once"));
                }
                Ok(operation) => operations.push(operation),
                Err(issue) => {
                    issues.push(issue);
                    // Continues after the semicolon that ends the operation.
                    self.rest = self.rest.split_once(';').map_or("", |(_, rest)| rest);
                }
            }
        }
    }

    fn operation(&mut self) -> Result<Operation, EpdIssue> {
        const OPCODE: &str = "an opcode of 1 to 15 letters, digits and underscores that begins \
            with a letter, such as bm";
        let start = self.rest;
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut opcode = self.take_while(is_part);
        if let Some(rest) = self.rest.strip_prefix(':') {
            opcode = &start[..=opcode.len()];
            self.rest = rest;
        }
        let is_opcode = opcode.starts_with(|c: char| c.is_ascii_alphabetic())
            && opcode.len() <= MAX_OPCODE_CHARS;
        if !is_opcode
            || !(self.rest.is_empty()
                || self
                    .rest
                    .starts_with(|c: char| c.is_whitespace() || c == ';'))
        {
            return Err(self.issue(start, OPCODE));
        }
        let names_moves = MOVE_OPCODES.into_iter().find(|known| *known == opcode);
        let mut operands = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            let operand_start = self.rest;
            if let Some(rest) = self.rest.strip_prefix(';') {
                self.rest = rest;
                break;
            }
            if self.rest.is_empty() {
                break;
            }
            let (text, operand): (_, fn(String) -> Operand) =
                if let Some(quoted) = operand_start.strip_prefix('"') {
                    let Some((text, rest)) = quoted
                        .split_once('"')
                        .filter(|(text, _)| !text.contains(is_unprintable))
                    else {
                        return Err(self.issue(
                            operand_start,
                            "printable words and then the quote that ends them",
                        ));
                    };
                    self.rest = rest;
                    (text, Operand::Text)
                } else {
                    let word = self.take_while(|c| !c.is_whitespace() && c != ';' && c != '"');
                    if word.contains(char::is_control) {
                        return Err(self.issue(operand_start, "printable characters"));
                    }
                    (word, Operand::Word)
                };
            if let Some(move_opcode) = names_moves {
                self.moves.push(NamedMove {
                    column: self.column(operand_start),
                    opcode: move_opcode,
                    text,
                });
            }
            operands.push(operand(text.to_owned()));
        }
        Ok(Operation {
            opcode: opcode.to_owned(),
            operands,
        })
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let (taken, rest) = self
            .rest
            .split_at(self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len()));
        self.rest = rest;
        taken
    }

    fn column(&self, start: &str) -> usize {
        1 + self.line[..self.line.len() - start.len()].chars().count()
    }

    fn issue(&self, start: &str, expected: &'static str) -> EpdIssue {
        let fault = EpdFault::Operation {
            found: quote(start),
            expected,
        };
        EpdIssue {
            column: Some(self.column(start)),
            fault,
        }
    }
}
