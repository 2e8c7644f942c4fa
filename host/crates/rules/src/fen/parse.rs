//! Parses positions from FEN.

use std::{ops::RangeInclusive, str::FromStr};

use ai_api::{CastlingSide, Color, Position, Role, Square};

use crate::{
    ImportNote,
    placement::Placement,
    quote::quote,
    setup::{
        CastlingFault, CastlingRook, Checks, FULLMOVE_NUMBER, FenField, HALFMOVE_CLOCK, Setup,
        SetupIssue,
    },
};

/// Longer than any FEN. Longer strings are rejected unread.
const MAX_BYTES: usize = 128;

/// Parses a FEN, an X-FEN or a Shredder-FEN of six or four fields. With four fields, the half-move
/// clock is 0 and the move number is 1. Move number 0 is read as 1.
///
/// # Errors
/// Every issue in the text and, as far as the text can be read, in the position.
///
/// # Examples
/// ```
/// let position = rules::parse_fen("4k3/8/8/8/8/8/8/4K2R w K -").expect("a legal position");
/// assert_eq!(rules::format_fen(&position), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
///
/// let issues = rules::parse_fen("4k3/8/8/8/8/8/8/P7 w - - 0 1").expect_err("two causes");
/// let codes: Vec<&str> = issues.iter().map(|issue| issue.code()).collect();
/// assert_eq!(codes, ["missing_king", "pawn_on_back_rank"]);
/// ```
pub fn parse_fen(text: &str) -> Result<Position, Vec<SetupIssue>> {
    read_as(text, Setup::into_position)
}

/// Parses a FEN like [`parse_fen`], but also accepts positions to look at; see
/// [`Setup::into_composed`]. Returns notes on what it accepted.
///
/// # Errors
/// Every issue in the text and, as far as the text can be read, in the position.
///
/// # Examples
/// ```
/// let fen = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 1 0";
/// let (position, notes) = rules::import_fen(fen).expect("a legal position");
/// assert_eq!((position.fullmove_number(), notes), (1, vec![rules::ImportNote::MoveNumberZero]));
/// ```
pub fn import_fen(text: &str) -> Result<(Position, Vec<ImportNote>), Vec<SetupIssue>> {
    read_as(text, Setup::into_composed)
}

/// Reads a FEN and converts its set-up.
#[inline]
pub(crate) fn read_as<T>(
    text: &str,
    convert: impl FnOnce(Setup) -> Result<T, Vec<SetupIssue>>,
) -> Result<T, Vec<SetupIssue>> {
    let (setup, checks, mut issues) = read(text);
    if issues.is_empty() {
        return convert(setup);
    }
    if let Some(checks) = checks {
        setup.check(checks, &mut issues);
    }
    Err(issues)
}

/// Parses a FEN of any arrangement of pieces, legal or not.
///
/// # Errors
/// Every issue in the text.
pub fn parse_setup(text: &str) -> Result<Setup, Vec<SetupIssue>> {
    let (setup, _, issues) = read(text);
    if issues.is_empty() {
        Ok(setup)
    } else {
        Err(issues)
    }
}

/// Reads the set-up of a FEN as far as possible. Returns the set-up, the fields to check (`None` if
/// the pieces are unreadable) and the issues in the text.
fn read(text: &str) -> (Setup, Option<Checks>, Vec<SetupIssue>) {
    let (mut setup, mut issues) = (Setup::empty(), Vec::new());
    if text.len() > MAX_BYTES {
        issues.push(whole(
            format!("{} bytes, {}", text.len(), quote(text)),
            "at most 128",
        ));
        return (setup, None, issues);
    }
    let (fields, count, has_extra_spaces) = fields(text);
    if has_extra_spaces {
        let expected = "single spaces between the fields and none around them";
        issues.push(whole(format!("extra spaces in {}", quote(text)), expected));
    }
    if !matches!(count, 4 | 6) {
        let found = if count == 1 {
            "1 field".to_owned()
        } else {
            format!("{count} fields")
        };
        issues.push(whole(
            found,
            "4 or 6 fields, with single spaces between them",
        ));
    }

    let (mut fields_read, mut has_control) = ([false; 6], false);
    let readers: [fn(&mut Setup, &str, &mut Vec<SetupIssue>); 6] = [
        read_pieces,
        read_turn,
        read_castling,
        read_en_passant,
        read_halfmove_clock,
        read_fullmove_number,
    ];
    for ((field, reader), is_read) in fields
        .into_iter()
        .take(count)
        .zip(readers)
        .zip(&mut fields_read)
    {
        let before = issues.len();
        reader(&mut setup, field, &mut issues);
        let found = &issues[before..];
        *is_read = !found
            .iter()
            .any(|issue| matches!(issue, SetupIssue::BadFen { .. }));
        if !found.is_empty() && field.contains(char::is_control) {
            issues.truncate(before);
            has_control = true;
        }
    }
    // A field with a control character can't be read, so text without issues contains none.
    if has_control || !issues.is_empty() && text.contains(char::is_control) {
        let found = format!("a control character in {}", quote(text));
        issues.insert(0, whole(found, "one line of printable characters"));
    }
    let checks = fields_read[0].then_some(Checks {
        turn: fields_read[1],
        castling: fields_read[2],
        en_passant: fields_read[3],
    });
    (setup, checks, issues)
}

/// Returns the first six fields, the total number of fields, and whether there are extra spaces.
fn fields(text: &str) -> ([&str; 6], usize, bool) {
    let (mut fields, mut count, mut has_extra_spaces) = ([""; 6], 0, false);
    let mut rest = Some(text).filter(|text| !text.is_empty());
    while let Some(unread) = rest {
        let end = unread.bytes().position(|byte| byte == b' ');
        let field = &unread[..end.unwrap_or(unread.len())];
        rest = end.map(|end| &unread[end + 1..]);
        if field.is_empty() {
            has_extra_spaces = true;
            continue;
        }
        if let Some(place) = fields.get_mut(count) {
            *place = field;
        }
        count += 1;
    }
    (fields, count, has_extra_spaces)
}

fn whole(found: String, expected: &'static str) -> SetupIssue {
    SetupIssue::BadFen {
        field: FenField::Whole,
        found,
        expected,
    }
}

fn bad(field: FenField, text: &str, expected: &'static str) -> SetupIssue {
    SetupIssue::BadFen {
        field,
        found: quote(text),
        expected,
    }
}

const fn piece(letter: u8) -> Option<(Color, Role)> {
    let color = if letter.is_ascii_uppercase() {
        Color::White
    } else {
        Color::Black
    };
    match Role::from_letter(letter.to_ascii_lowercase() as char) {
        Some(role) => Some((color, role)),
        None => None,
    }
}

fn read_pieces(setup: &mut Setup, text: &str, issues: &mut Vec<SetupIssue>) {
    const RANKS: &str = "8 ranks with slashes between them, rank 8 first";
    const LETTERS: &str =
        "piece letters (PNBRQK for White, pnbrqk for Black) and counts of empty squares (1 to 8)";
    const SQUARES: &str = "8 squares in each rank";
    if let Some(placement) = read_flawless_pieces(text) {
        setup.placement = placement;
        return;
    }
    let mut issue = |found: String, expected| {
        issues.push(SetupIssue::BadFen {
            field: FenField::Pieces,
            found,
            expected,
        });
    };
    let count = 1 + text.bytes().filter(|&byte| byte == b'/').count();
    if count != 8 {
        let ranks = if count == 1 { "rank" } else { "ranks" };
        issue(format!("{count} {ranks} in {}", quote(text)), RANKS);
    }
    let mut placement = Placement::default();
    for (index, rank_text) in (0..8u8).zip(text.split('/')) {
        let rank = 7 - index;
        let mut file = 0;
        for character in rank_text.chars() {
            match (character, u8::try_from(character).ok().and_then(piece)) {
                ('1'..='8', _) => file += character as usize - '0' as usize,
                (_, Some((color, role))) => {
                    if file < 8 {
                        placement.put(Square::new(file as u8, rank), color, role);
                    }
                    file += 1;
                }
                _ => {
                    issue(format!("{:?} in rank {}", character, rank + 1), LETTERS);
                    file += 1;
                }
            }
        }
        if file != 8 {
            issue(
                format!("{file} in rank {}, {}", rank + 1, quote(rank_text)),
                SQUARES,
            );
        }
    }
    setup.placement = placement;
}

/// Reads the pieces in one pass over the bytes. Returns `None` if anything is wrong with them.
fn read_flawless_pieces(text: &str) -> Option<Placement> {
    const PIECES: [Option<(Color, Role)>; 256] = {
        let mut pieces = [None; 256];
        let mut letter = 0;
        while letter < pieces.len() {
            pieces[letter] = piece(letter as u8);
            letter += 1;
        }
        pieces
    };
    let mut placement = Placement::default();
    // A rank that is too long puts pieces on wrong squares, but is rejected at its end.
    let (mut start, mut file) = (56, 0);
    for byte in text.bytes() {
        if let Some((color, role)) = PIECES[usize::from(byte)] {
            placement.put_on_empty(Square::from_index((start + file) as u8), color, role);
            file += 1;
            continue;
        }
        match byte {
            b'1'..=b'8' => file += usize::from(byte - b'0'),
            b'/' if file == 8 && start > 0 => (start, file) = (start - 8, 0),
            _ => return None,
        }
    }
    (file == 8 && start == 0).then_some(placement)
}

fn read_turn(setup: &mut Setup, text: &str, issues: &mut Vec<SetupIssue>) {
    match text.as_bytes() {
        b"w" => setup.turn = Color::White,
        b"b" => setup.turn = Color::Black,
        _ => issues.push(bad(FenField::Turn, text, "w or b")),
    }
}

fn read_castling(setup: &mut Setup, text: &str, issues: &mut Vec<SetupIssue>) {
    const LETTERS: &str = "- or some of KQkq, or rook files (A to H for White, a to h for Black)";
    if text == "-" {
        return;
    }
    let before = issues.len();
    for letter in text.bytes() {
        let rook = match letter.to_ascii_lowercase() {
            b'k' => CastlingRook::Outermost(CastlingSide::King),
            b'q' => CastlingRook::Outermost(CastlingSide::Queen),
            file @ b'a'..=b'h' => CastlingRook::OnFile(file - b'a'),
            _ => {
                issues.truncate(before);
                return issues.push(bad(FenField::Castling, text, LETTERS));
            }
        };
        let color = if letter.is_ascii_uppercase() {
            Color::White
        } else {
            Color::Black
        };
        if !setup.allow_castling(color, rook) {
            issues.push(SetupIssue::BadCastlingRights(CastlingFault::Repeated {
                color,
                rook,
            }));
        }
    }
}

fn read_en_passant(setup: &mut Setup, text: &str, issues: &mut Vec<SetupIssue>) {
    match text.parse() {
        Ok(square) => setup.en_passant = Some(square),
        Err(_) if text == "-" => {}
        Err(_) => issues.push(bad(FenField::EnPassant, text, "- or a square, such as e3")),
    }
}

fn read_halfmove_clock(setup: &mut Setup, text: &str, issues: &mut Vec<SetupIssue>) {
    match number(text, 0..=u8::MAX) {
        Some(clock) => setup.halfmove_clock = clock,
        None => issues.push(bad(FenField::HalfmoveClock, text, HALFMOVE_CLOCK)),
    }
}

fn read_fullmove_number(setup: &mut Setup, text: &str, issues: &mut Vec<SetupIssue>) {
    match number(text, 0..=u16::MAX) {
        Some(number) => setup.fullmove_number = number,
        None => issues.push(bad(FenField::FullmoveNumber, text, FULLMOVE_NUMBER)),
    }
}

/// Parses a number within a range. Only digits are allowed.
fn number<N: FromStr + PartialOrd>(text: &str, range: RangeInclusive<N>) -> Option<N> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse()
        .ok()
        .filter(|number| digits && range.contains(number))
}
