//! Parses moves from SAN.

use ai_api::{CastlingSide, Move, MoveList, Position, Role, Square};

use super::{format::format_san, origins::origins};
use crate::{is_legal, legal_moves, movegen::any_move, quote::quote, texts::errors};

errors! {
    /// The error for SAN text.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum SanError {
        /// The text is not a move.
        #[error("{found} is not a move in SAN, such as e4, Nbd2, exd6, e8=Q+ or O-O")]
        Malformed {
            /// The text, truncated.
            found: String,
        },
        /// The text matches no legal move.
        #[error("{text} is illegal; {}", alternatives(candidates))]
        Illegal {
            /// The move as written.
            text: String,
            /// The legal moves of the named kind of piece, in SAN.
            candidates: Vec<String>,
        },
        /// The text matches several legal moves.
        #[error(
            "{text} is ambiguous: it may be any of {}; name the origin of the piece",
            listed(candidates)
        )]
        Ambiguous {
            /// The move as written.
            text: String,
            /// The matching moves, in SAN.
            candidates: Vec<String>,
        },
    }
}

impl SanError {
    pub(crate) fn malformed(text: &str) -> Self {
        Self::Malformed { found: quote(text) }
    }
}

pub(crate) fn alternatives(candidates: &[String]) -> String {
    if candidates.is_empty() {
        "that piece has no legal move".to_owned()
    } else {
        format!("legal moves with that piece: {}", listed(candidates))
    }
}

/// Lists the moves, truncated: a board of queens has hundreds.
pub(crate) fn listed(candidates: &[String]) -> String {
    const SHOWN: usize = 30;
    match candidates.split_at_checked(SHOWN) {
        Some((shown, rest)) if !rest.is_empty() => {
            format!("{} and {} more", shown.join(", "), rest.len())
        }
        _ => candidates.join(", "),
    }
}

/// Parses a legal move in SAN. The text may give more of the origin than needed (`Ngf3`, `Ng1-f3`,
/// `e2e4`), omit `x` and `=`, name a pawn (`Pe4`), end with `e.p.` and any of `+#!?`, and use
/// figurines and castling with zeros.
///
/// # Errors
/// The text is not a move, or matches no legal move or several.
pub fn parse_san(position: &Position, text: &str) -> Result<Move, SanError> {
    let written = SanMove::read(text).ok_or_else(|| SanError::malformed(text))?;
    let names = |moves: &mut dyn Iterator<Item = Move>| {
        moves
            .map(|found| format_san(position, found).to_string())
            .collect()
    };
    match *written.legal_moves(position) {
        [found] => Ok(found),
        [] => {
            let legal = legal_moves(position);
            let mut same_role = legal
                .iter()
                .copied()
                .filter(|candidate| position.role(written.role()).contains(candidate.from()));
            Err(SanError::Illegal {
                text: text.to_owned(),
                candidates: names(&mut same_role),
            })
        }
        ref several => {
            let candidates = names(&mut several.iter().copied());
            Err(SanError::Ambiguous {
                text: text.to_owned(),
                candidates,
            })
        }
    }
}

/// Checks that the text is a move in some position.
///
/// # Errors
/// The text is not a move.
pub(crate) fn check_san(text: &str) -> Result<(), SanError> {
    SanMove::read(text)
        .map(drop)
        .ok_or_else(|| SanError::malformed(text))
}

/// Returns a move without `e.p.`, with hyphens for typographic dashes and letters for figurines.
/// `None` if the move contains none of these.
#[cold]
fn plain_text(text: &str) -> Option<String> {
    const FIGURINES: &str = "KQRBN";
    let text_before = text;
    let text = text.trim_end_matches(['+', '#', '!', '?']);
    let text = ["e.p.", "e.p", "ep"]
        .iter()
        .find_map(|suffix| text.strip_suffix(suffix))
        .unwrap_or(text);
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\u{2010}'..='\u{2015}' | '\u{2212}' => plain.push('-'),
            '\u{2654}'..='\u{265f}' => {
                let piece = (character as usize - 0x2654) % 6;
                plain.push_str(FIGURINES.get(piece..=piece).unwrap_or_default());
            }
            // A variation selector for the figurine before it.
            '\u{fe0e}' | '\u{fe0f}' => {}
            character => plain.push(character),
        }
    }
    (plain != text_before).then_some(plain)
}

/// A SAN text, parsed without a position.
#[derive(Clone, Copy)]
pub(crate) enum SanMove {
    Castling(CastlingSide),
    Piece(PieceMove),
}

/// The SAN text of a move other than castling.
#[derive(Clone, Copy)]
pub(crate) struct PieceMove {
    pub(crate) role: Role,
    pub(crate) file: Option<u8>,
    pub(crate) rank: Option<u8>,
    pub(crate) captures: bool,
    pub(crate) to: Square,
    pub(crate) promotion: Option<Role>,
}

impl PieceMove {
    /// Returns whether the text allows this origin.
    pub(crate) fn may_be_from(self, from: Square) -> bool {
        self.file.is_none_or(|file| file == from.file())
            && self.rank.is_none_or(|rank| rank == from.rank())
    }
}

impl SanMove {
    pub(crate) fn read(text: &str) -> Option<Self> {
        const LONGEST: usize = 24;
        if text.len() > LONGEST {
            return None;
        }
        Self::read_plain(text).or_else(|| Self::read_plain(&plain_text(text)?))
    }

    fn read_plain(text: &str) -> Option<Self> {
        let text = text.trim_end_matches(['+', '#', '!', '?']);
        match text {
            "O-O" | "0-0" | "o-o" => return Some(Self::Castling(CastlingSide::King)),
            "O-O-O" | "0-0-0" | "o-o-o" => return Some(Self::Castling(CastlingSide::Queen)),
            _ => {}
        }
        let role_of = |letter: u8| Role::from_letter(char::from(letter.to_ascii_lowercase()));
        let promotion_of = |letter| role_of(letter).filter(|role| Role::PROMOTIONS.contains(role));
        let (role, rest) = match text.as_bytes() {
            [letter, rest @ ..] if letter.is_ascii_uppercase() => (role_of(*letter)?, rest),
            rest => (Role::Pawn, rest),
        };
        let (promotion, rest) = match rest {
            [rest @ .., b'=', letter] => (Some(promotion_of(*letter)?), rest),
            [rest @ .., letter] if letter.is_ascii_uppercase() => {
                (Some(promotion_of(*letter)?), rest)
            }
            rest => (None, rest),
        };
        let [origin @ .., to_file @ b'a'..=b'h', to_rank @ b'1'..=b'8'] = rest else {
            return None;
        };
        let (captures, origin) = match origin {
            [origin @ .., b'x'] => (true, origin),
            origin => (false, origin),
        };
        let (file, rank) = match *origin {
            [] => (None, None),
            [file @ b'a'..=b'h'] => (Some(file - b'a'), None),
            [rank @ b'1'..=b'8'] => (None, Some(rank - b'1')),
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => (Some(file - b'a'), Some(rank - b'1')),
            [file @ b'a'..=b'h', rank @ b'1'..=b'8', b'-'] if !captures => {
                (Some(file - b'a'), Some(rank - b'1'))
            }
            _ => return None,
        };
        let to = Square::new(to_file - b'a', to_rank - b'1');
        Some(Self::Piece(PieceMove {
            role,
            file,
            rank,
            captures,
            to,
            promotion,
        }))
    }

    fn role(self) -> Role {
        match self {
            Self::Castling(_) => Role::King,
            Self::Piece(written) => written.role,
        }
    }

    /// The legal moves that the text may refer to.
    pub(crate) fn legal_moves(self, position: &Position) -> MoveList {
        let mut matching = MoveList::new();
        match self {
            Self::Castling(side) => {
                let (turn, king) = (position.turn(), position.king(position.turn()));
                let rook_file = position.castling().rook_file(turn, side);
                let candidate =
                    rook_file.map(|file| Move::new(king, Square::new(file, king.rank())));
                if let Some(castling) = candidate.filter(|&castling| is_legal(position, castling)) {
                    matching.push(castling);
                }
            }
            Self::Piece(written) => {
                let PieceMove {
                    role,
                    file,
                    captures,
                    to,
                    promotion,
                    ..
                } = written;
                // Under these conditions, a piece may move to every square that it reaches, unless
                // it is pinned.
                let is_free = !matches!(role, Role::King | Role::Pawn)
                    && promotion.is_none()
                    && !position.in_check()
                    && !position.color(position.turn()).contains(to);
                for from in origins(position, role, to) {
                    let candidate = any_move(from, to, promotion);
                    if written.may_be_from(from)
                        && (!captures || position.is_capture(candidate))
                        && (role != Role::Pawn || file.is_some() || from.file() == to.file())
                        && !position.is_castling(candidate)
                        && (is_free && !position.pinned().contains(from)
                            || is_legal(position, candidate))
                    {
                        matching.push(candidate);
                    }
                }
            }
        }
        matching
    }
}
