//! Games, positions and moves in replies.

use crate::words::{
    ColorWord, DRAW, DrawClaimWord, IN_PROGRESS, NoteWord, PromotionWord, ReasonWord, StateWord,
    WIN,
};
use ai_api::{Move, Position, Score, ScoreKind, Square};
use formats::{FormatName, GameRecord};
use rules::{Assumed, DrawnAt, Game, ImportNote, MoveText, Status};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

/// A move in several notations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct MoveReply {
    /// The move in UCI, such as `e7e8q`.
    #[schema(value_type = String)]
    #[serde(serialize_with = "move_text")]
    pub uci: MoveText,
    /// The move in SAN, such as `e8=Q+`.
    #[schema(value_type = String)]
    #[serde(serialize_with = "move_text")]
    pub san: MoveText,
    /// The origin square.
    #[schema(value_type = String)]
    #[serde(serialize_with = "square_name")]
    pub from: Square,
    /// The target square. For castling it is the same as in `uci`.
    #[schema(value_type = String)]
    #[serde(serialize_with = "square_name")]
    pub to: Square,
    /// The piece that the pawn becomes, for a promotion.
    #[schema(required, value_type = Option<PromotionWord>)]
    pub promotion: Option<&'static str>,
    /// Whether the move is a capture.
    pub capture: bool,
    /// Whether the move gives check.
    pub check: bool,
}

impl MoveReply {
    /// Describes a legal move in a position.
    pub fn new(position: &Position, chosen: Move) -> Self {
        let san = rules::format_san(position, chosen);
        Self {
            uci: rules::format_uci(position, chosen),
            from: chosen.from(),
            to: rules::uci_target(position, chosen),
            promotion: chosen.promotion().map(ai_api::Role::name),
            capture: position.is_capture(chosen),
            check: matches!(san.as_bytes(), [.., b'+' | b'#']),
            san,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn move_text<S: Serializer>(text: &MoveText, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

/// Serializes a square by its name, without allocation.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn square_name<S: Serializer>(square: &Square, serializer: S) -> Result<S::Ok, S::Error> {
    let name = [b'a' + square.file(), b'1' + square.rank()];
    serializer.serialize_str(str::from_utf8(&name).expect("the name is ASCII"))
}

/// A score, from White's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScoreReply {
    /// The score in centipawns.
    #[schema(title = "CentipawnScore")]
    Cp(i32),
    /// The number of moves until mate. It is negative if Black mates.
    #[schema(title = "MateScore")]
    Mate(i32),
}

impl From<Score> for ScoreReply {
    fn from(score: Score) -> Self {
        match score.kind() {
            ScoreKind::Centipawns(value) => Self::Cp(value),
            ScoreKind::Mate(moves) => Self::Mate(moves),
        }
    }
}

/// A game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct GameReply {
    /// The last position.
    pub fen: String,
    /// The first position. Together with `moves` it is the complete game.
    pub start_fen: String,
    /// Every move in UCI.
    pub moves: Vec<String>,
    /// The side to move, or the result.
    pub status: StatusReply,
    /// Where the game was drawn under today's rules, if it continued after that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drawn_at: Option<DrawnAtReply>,
    /// The opening of the game's last position that is in the list of openings, even if other moves
    /// led to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opening: Option<OpeningReply>,
    /// The format that was detected in `any`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<FormatName>,
    /// Assumptions about what boards do not show, such as castling rights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed: Option<Assumptions>,
    /// Irregularities that were accepted in the game.
    #[schema(value_type = Vec<NoteWord>)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<&'static str>,
}

/// What was inferred about a game, and the irregularities that were accepted in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Inferred {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<FormatName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed: Option<Assumptions>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<&'static str>,
}

impl Inferred {
    pub fn of(record: &GameRecord, format: Option<FormatName>) -> Self {
        let mut notes: Vec<_> = record.notes.iter().map(ImportNote::into_str).collect();
        // The same note may apply to many places in a game.
        notes.sort_unstable();
        notes.dedup();
        Self {
            format,
            assumed: record.assumed.clone().map(Into::into),
            notes,
        }
    }
}

impl GameReply {
    /// Describes a game.
    pub fn new(
        game: &Game,
        Inferred {
            format,
            assumed,
            notes,
        }: Inferred,
    ) -> Self {
        let fen = rules::format_fen(game.position());
        let moves = game.uci_moves();
        Self {
            start_fen: if moves.is_empty() {
                fen.clone()
            } else {
                rules::format_fen(game.start())
            },
            moves,
            fen,
            status: StatusReply::new(&game.status()),
            drawn_at: game.drawn_at().map(DrawnAtReply::from),
            opening: formats::eco::Opening::of_game(game).map(OpeningReply::from),
            format,
            assumed,
            notes,
        }
    }
}

/// Where a game was drawn by a rule that no player has to claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct DrawnAtReply {
    /// The number of the half-move that led to the draw, from 1. 0 is the first position.
    pub ply: usize,
    /// The rule.
    #[schema(value_type = ReasonWord)]
    pub reason: &'static str,
}

impl From<DrawnAt> for DrawnAtReply {
    fn from(DrawnAt { ply, reason }: DrawnAt) -> Self {
        Self {
            ply,
            reason: reason.into_str(),
        }
    }
}

/// The opening of the game's last position that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OpeningReply {
    /// The code in the Encyclopaedia of Chess Openings, from `A00` to `E99`.
    pub eco: &'static str,
    /// The name.
    pub name: &'static str,
}

impl From<formats::eco::Opening> for OpeningReply {
    fn from(formats::eco::Opening { eco, name }: formats::eco::Opening) -> Self {
        Self { eco, name }
    }
}

/// The status of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct StatusReply {
    /// The state.
    #[schema(value_type = StateWord)]
    pub state: &'static str,
    /// The winner, if there is one.
    #[schema(required, value_type = Option<ColorWord>)]
    pub winner: Option<&'static str>,
    /// Why the game is over.
    #[schema(required, value_type = Option<ReasonWord>)]
    pub reason: Option<&'static str>,
    /// The side to move. After the end of the game, the side that would move next.
    #[schema(value_type = ColorWord)]
    pub turn: &'static str,
    /// Whether the side to move is in check.
    pub check: bool,
    /// The draws that the side to move may claim.
    #[schema(value_type = Vec<DrawClaimWord>)]
    pub claims: Vec<&'static str>,
}

impl StatusReply {
    /// Describes a status.
    pub fn new(status: &Status) -> Self {
        let winner = status.outcome.and_then(rules::Outcome::winner);
        Self {
            state: match (status.outcome, winner) {
                (None, _) => IN_PROGRESS,
                (Some(_), Some(_)) => WIN,
                (Some(_), None) => DRAW,
            },
            winner: winner.map(ai_api::Color::name),
            reason: status.outcome.map(rules::Outcome::reason),
            turn: status.turn.name(),
            check: status.check,
            claims: status
                .claims
                .iter()
                .map(rules::DrawClaim::into_str)
                .collect(),
        }
    }
}

/// Assumed properties of a game given as boards, named like the fields of a FEN.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Assumptions {
    /// The castling rights of the first board.
    pub castling: String,
    /// The en passant square of the first board.
    pub en_passant: String,
    /// The half-move clock of the first board.
    pub halfmove_clock: u8,
    /// The move number of the first board.
    pub fullmove_number: u16,
}

impl From<Assumed> for Assumptions {
    fn from(assumed: Assumed) -> Self {
        Self {
            castling: assumed.castling,
            en_passant: assumed.en_passant,
            halfmove_clock: assumed.halfmove_clock,
            fullmove_number: assumed.fullmove_number,
        }
    }
}
