//! Explains why a string is not a legal move.

use std::fmt;

use ai_api::{Bitboard, CastlingSide, Color, Move, Position, Role, Square};

use crate::{
    IllegalReason, Movement, Obstacle, format_san,
    illegal::{castling_attempt, castling_refusal, refusal},
    is_legal, legal_moves,
    movegen::{any_move, castling_targets},
    placement::back_rank,
    quote::quote,
    reach::obstacle_of,
    reachable,
    san::{PieceMove, SanMove, alternatives as alternatives_text, listed},
    texts::errors,
    uci::{castling_as_king_takes_rook, read_uci},
    uci_target,
};

errors! {
    /// Why a string does not name exactly one legal move.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum MoveRefusal {
        /// The text is not a move.
        #[error("{found} is not a move in SAN or UCI, such as Nf3, exd6, O-O or e7e8q")]
        Malformed {
            /// The text, truncated.
            found: String,
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
        /// The text matches no legal move.
        #[error("{text} is illegal{}", explanation(reasons, alternatives))]
        Illegal {
            /// The move as written.
            text: String,
            /// What the text might mean, and why each meaning is illegal, the most plausible first.
            /// Empty if no piece comes close.
            reasons: Vec<IllegalMeaning>,
            /// The legal moves, in SAN, of the piece on the origin square or, if the text names no
            /// origin, of every piece with the role that it names. Moves to the same target come
            /// first.
            alternatives: Vec<String>,
        },
    }
}

fn explanation(reasons: &[IllegalMeaning], alternatives: &[String]) -> String {
    match reasons.first() {
        Some(reason) => format!(": {reason}"),
        None => format!("; {}", alternatives_text(alternatives)),
    }
}

/// A move that the text might mean, and why it is illegal. Displays as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IllegalMeaning {
    /// The origin.
    pub from: Square,
    /// The target. For castling written in SAN, the square that UCI would name.
    pub to: Square,
    /// The piece on the origin square; `None` if the square is empty.
    pub piece: Option<(Color, Role)>,
    /// The kind of movement; `None` if the piece doesn't move that way.
    pub movement: Option<Movement>,
    /// Why it is illegal.
    pub why: MoveFault,
    sentence: String,
}

impl fmt::Display for IllegalMeaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

/// Why a written move is illegal, ordered from almost legal to least plausible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MoveFault {
    /// A pawn reaches the last rank, and the text names no promotion.
    PromotionMissing,
    /// The text has a promotion, but the move is not a pawn reaching the last rank.
    PromotionNotAllowed,
    /// Something prevents the move.
    Obstacle(Obstacle),
    /// The origin is empty.
    NoPiece,
    /// The piece doesn't move that way.
    MovesDifferently,
}

impl MoveFault {
    /// Returns every [`code`](Self::code).
    pub fn codes() -> Vec<&'static str> {
        let own = [
            Self::PromotionMissing,
            Self::PromotionNotAllowed,
            Self::NoPiece,
            Self::MovesDifferently,
        ];
        [Obstacle::VARIANTS, &own.map(Self::code)].concat()
    }

    /// Returns the stable name.
    pub const fn code(self) -> &'static str {
        match self {
            Self::PromotionMissing => "promotion_missing",
            Self::PromotionNotAllowed => "promotion_not_allowed",
            Self::Obstacle(obstacle) => obstacle.into_str(),
            Self::NoPiece => "no_piece",
            Self::MovesDifferently => "moves_differently",
        }
    }

    /// Returns what prevents the move, if the piece has such a movement.
    pub const fn obstacle(self) -> Option<Obstacle> {
        match self {
            Self::Obstacle(obstacle) => Some(obstacle),
            _ => None,
        }
    }

    fn of(position: &Position, from: Square, reason: IllegalReason) -> Self {
        match reason {
            IllegalReason::NoPiece { .. } => Self::NoPiece,
            IllegalReason::DoesNotMoveSo { .. } => Self::MovesDifferently,
            IllegalReason::PromotionMissing { .. } => Self::PromotionMissing,
            IllegalReason::PromotionNotAllowed { .. } => Self::PromotionNotAllowed,
            other => Self::Obstacle(obstacle_of(position, from, other)),
        }
    }
}

/// Returns the legal move that the text means, in UCI or SAN.
///
/// # Errors
/// The text is not a move, or names no legal move or several. For an illegal move, the error gives
/// the reasons, the most plausible meaning first.
///
/// # Examples
/// ```
/// let fen = "rnbqk1nr/pppp1ppp/4p3/8/1b6/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1";
/// let position = rules::parse_fen(fen).expect("a legal position");
/// let refusal = rules::explain_move(&position, "d3").expect_err("the pawn is pinned");
/// let sentence = "d3 is illegal: the pawn on d2 is pinned by the bishop on b4";
/// assert_eq!(refusal.to_string(), sentence);
/// ```
pub fn explain_move(position: &Position, text: &str) -> Result<Move, MoveRefusal> {
    if let Some(written) = read_uci(text) {
        let chosen = castling_as_king_takes_rook(position, written);
        if is_legal(position, chosen) {
            return Ok(chosen);
        }
        return Err(Meanings::of_squares(position, written, false).refuse(position, text));
    }
    let Some(written) = SanMove::read(text) else {
        return Err(MoveRefusal::Malformed { found: quote(text) });
    };
    match *written.legal_moves(position) {
        [found] => Ok(found),
        [] => Err(Meanings::of_san(position, written).refuse(position, text)),
        ref several => Err(MoveRefusal::Ambiguous {
            text: text.to_owned(),
            candidates: several
                .iter()
                .map(|&found| format_san(position, found).into())
                .collect(),
        }),
    }
}

/// What the text of an illegal move might mean.
struct Meanings {
    reasons: Vec<IllegalMeaning>,
    /// The pieces whose moves to suggest instead.
    pieces: Bitboard,
    to: Square,
}

impl Meanings {
    fn refuse(mut self, position: &Position, text: &str) -> MoveRefusal {
        self.reasons.sort_by_key(|meaning| meaning.why);
        let mut moves = legal_moves(position).to_vec();
        moves.retain(|chosen| self.pieces.contains(chosen.from()));
        moves.sort_by_key(|&chosen| uci_target(position, chosen) != self.to);
        MoveRefusal::Illegal {
            text: text.to_owned(),
            reasons: self.reasons,
            alternatives: moves
                .into_iter()
                .map(|chosen| format_san(position, chosen).into())
                .collect(),
        }
    }

    /// Finds the meaning of text that names origin and target.
    fn of_squares(position: &Position, written: Move, captures: bool) -> Self {
        Self {
            reasons: meaning(position, written, captures).into_iter().collect(),
            pieces: written.from().into(),
            to: written.to(),
        }
    }

    fn of_san(position: &Position, written: SanMove) -> Self {
        match written {
            SanMove::Castling(side) => Self::of_castling(position, side),
            SanMove::Piece(written) => match (written.role, written.file, written.rank) {
                (Role::Pawn, Some(file), Some(rank)) => {
                    let from = Square::new(file, rank);
                    let chosen = any_move(from, written.to, written.promotion);
                    Self::of_squares(position, chosen, written.captures)
                }
                _ => Self::of_piece(position, written),
            },
        }
    }

    /// Finds the pieces that the text names and that move that way. If there are none, falls back
    /// to the other side's pieces that could make the move, plus the mover's piece if the text can
    /// name only one, and then to any of the mover's pieces that move that way.
    fn of_piece(position: &Position, written: PieceMove) -> Self {
        let (role, to, turn) = (written.role, written.to, position.turn());
        let is_diagonal = written
            .file
            .map_or(written.captures, |file| file != to.file());
        let of_color = |color| -> Bitboard {
            position
                .pieces(color, role)
                .into_iter()
                .filter(|from| role != Role::Pawn || (from.file() != to.file()) == is_diagonal)
                .collect()
        };
        let named = |pieces: Bitboard| -> Bitboard {
            pieces
                .into_iter()
                .filter(|&from| written.may_be_from(from))
                .collect()
        };
        let meanings = |pieces: Bitboard| {
            pieces.into_iter().filter_map(|from| {
                let chosen = any_move(from, to, written.promotion);
                meaning(position, chosen, written.captures)
            })
        };
        let reaching = |pieces| -> Vec<_> {
            meanings(pieces)
                .filter(|meaning| meaning.why != MoveFault::MovesDifferently)
                .collect()
        };
        let own = of_color(turn);
        let mut reasons = reaching(named(own));
        if reasons.is_empty() {
            let waits = |from: &Square| {
                reachable(position, *from)
                    .iter()
                    .any(|reach| reach.to == to && reach.obstacle == Some(Obstacle::NotYourTurn))
            };
            reasons.extend(meanings(
                named(of_color(!turn)).into_iter().filter(waits).collect(),
            ));
            if named(own).count() == 1 {
                reasons.extend(meanings(named(own)));
            }
        }
        if reasons.is_empty() {
            reasons = reaching(own);
        }
        Self {
            reasons,
            pieces: match (written.file, written.rank) {
                (Some(file), Some(rank)) => Square::new(file, rank).into(),
                _ => position.pieces(turn, role),
            },
            to,
        }
    }

    fn of_castling(position: &Position, side: CastlingSide) -> Self {
        let turn = position.turn();
        let from = position.king(turn);
        let rook_file = position.castling().rook_file(turn, side);
        let to_file = rook_file
            .filter(|_| position.is_chess960())
            .unwrap_or_else(|| castling_targets(from, side).0.file());
        let to = Square::new(to_file, back_rank(turn));
        let reason = castling_refusal(position, side, from).map(IllegalReason::Castling);
        let reasons = reason.map(|reason| IllegalMeaning {
            from,
            to,
            piece: Some((turn, Role::King)),
            movement: Some(Movement::Castling),
            why: MoveFault::of(position, from, reason),
            sentence: reason.to_string(),
        });
        Self {
            reasons: reasons.into_iter().collect(),
            pieces: from.into(),
            to,
        }
    }
}

/// Returns why a move is illegal, or `None` if it is legal. With `captures`, a legal move must
/// capture.
fn meaning(position: &Position, written: Move, captures: bool) -> Option<IllegalMeaning> {
    let (from, to) = (written.from(), written.to());
    let piece = position.color_at(from).zip(position.role_at(from));
    let mut movement = reachable(position, from)
        .into_iter()
        .find(|reach| reach.to == to)
        .map(|reach| reach.movement);
    let is_kings = piece == Some((position.turn(), Role::King));
    if movement.is_none() && is_kings && castling_attempt(position, from, to).is_some() {
        movement = Some(Movement::Castling);
    }
    let (why, sentence) = match reason(position, written, piece, movement) {
        Some(reason) => {
            let why = MoveFault::of(position, from, reason);
            let sentence = match why {
                MoveFault::Obstacle(Obstacle::Pinned(by)) => {
                    let [pinned, pinning] =
                        [from, by].map(|square| position.role_at(square).map_or("", Role::name));
                    format!("the {pinned} on {from} is pinned by the {pinning} on {by}")
                }
                _ => reason.to_string(),
            };
            (why, sentence)
        }
        None if captures && !position.is_capture(written) => (
            MoveFault::Obstacle(Obstacle::NothingToCapture),
            format!("there is nothing to capture on {to}"),
        ),
        None => return None,
    };
    Some(IllegalMeaning {
        from,
        to,
        piece,
        movement: movement.filter(|_| why != MoveFault::MovesDifferently),
        why,
        sentence,
    })
}

/// Returns why a move is illegal, consistent with [`reachable`]: "moves differently" comes before
/// "own piece on the target", and promotion faults come last.
fn reason(
    position: &Position,
    written: Move,
    piece: Option<(Color, Role)>,
    movement: Option<Movement>,
) -> Option<IllegalReason> {
    let (from, to, turn) = (written.from(), written.to(), position.turn());
    let Some((owner, role)) = piece.filter(|&(owner, _)| owner == turn) else {
        return refusal(position, written);
    };
    let Some(movement) = movement else {
        return Some(IllegalReason::DoesNotMoveSo { role, from, to });
    };
    let plain = Move::new(from, to);
    let likely = match movement {
        Movement::Castling => castling_as_king_takes_rook(position, plain),
        _ if position.color(turn).contains(to) => {
            return Some(IllegalReason::OwnPieceOnTarget {
                to,
                role: position.role_at(to)?,
                owner,
            });
        }
        Movement::Promotion => Move::promoting(from, to, Role::Queen),
        _ => plain,
    };
    refusal(position, likely).or_else(|| match (movement, written.promotion()) {
        (Movement::Promotion, None) => Some(IllegalReason::PromotionMissing { to }),
        (Movement::Promotion, Some(_)) | (_, None) => None,
        (_, Some(_)) => Some(IllegalReason::PromotionNotAllowed { role, to }),
    })
}
