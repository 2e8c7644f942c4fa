//! Games, positions and moves in replies.

use ai_api::{Move, Position, Score, ScoreKind};
use rules::{Assumed, Game, Status};
use serde::Serialize;
use utoipa::ToSchema;

use super::words::{ClaimWord, ColorWord, DRAW, IN_PROGRESS, PromotionWord, ReasonWord, StateWord, WIN};

/// A move, in every way that clients may want to read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct MoveReply {
    /// In UCI, such as `e7e8q`.
    pub uci: String,
    /// In SAN, such as `e8=Q+`.
    pub san: String,
    /// The square it leaves.
    pub from: String,
    /// The square it goes to; as in `uci` when castling.
    pub to: String,
    /// What a pawn becomes.
    #[schema(required, value_type = Option<PromotionWord>)]
    pub promotion: Option<&'static str>,
    /// Whether it captures.
    pub capture: bool,
    /// Whether it gives check.
    pub check: bool,
}

impl MoveReply {
    /// A legal move of a position.
    pub fn new(position: &Position, chosen: Move) -> Self {
        let uci = rules::format_uci(position, chosen).to_string();
        Self {
            san: rules::format_san(position, chosen),
            from: uci[..2].to_owned(),
            to: uci[2..4].to_owned(),
            uci,
            promotion: chosen.promotion().map(ai_api::Role::name),
            capture: position.is_capture(chosen),
            check: rules::play(position, chosen).in_check(),
        }
    }
}

/// A score, for White.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScoreReply {
    /// Hundredths of a pawn.
    Cp(i32),
    /// Moves until mate, negative when Black mates.
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
    /// The position now.
    pub fen: String,
    /// The first position: with `moves` it is the whole game, and can be sent again.
    pub start_fen: String,
    /// Every move, in UCI.
    pub moves: Vec<String>,
    /// Who moves, or how it ended.
    pub status: StatusReply,
    /// What the boards could not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed: Option<Assumptions>,
}

impl GameReply {
    /// A game as clients see it.
    pub fn new(game: &Game, assumed: Option<Assumptions>) -> Self {
        Self {
            moves: game.uci_moves(),
            fen: rules::format_fen(game.position()),
            start_fen: rules::format_fen(game.start()),
            status: StatusReply::new(&game.status()),
            assumed,
        }
    }
}

/// Where a game stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct StatusReply {
    /// Whether the game goes on.
    #[schema(value_type = StateWord)]
    pub state: &'static str,
    /// Who won.
    #[schema(required, value_type = Option<ColorWord>)]
    pub winner: Option<&'static str>,
    /// How it ended.
    #[schema(required, value_type = Option<ReasonWord>)]
    pub reason: Option<&'static str>,
    /// Who moves, or would.
    #[schema(value_type = ColorWord)]
    pub turn: &'static str,
    /// Whether that side is in check.
    pub check: bool,
    /// The draws that the side to move may claim.
    #[schema(value_type = Vec<ClaimWord>)]
    pub claims: Vec<&'static str>,
}

impl StatusReply {
    /// A status as clients see it.
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
            claims: status.claims.iter().map(rules::Claim::into_str).collect(),
        }
    }
}

/// What had to be assumed of a game that was given as boards, named as the fields of a FEN.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Assumptions {
    /// Castling rights of the first board.
    pub castling: String,
    /// En passant square of the first board.
    pub en_passant: String,
    /// Its half-move clock.
    pub halfmove_clock: u8,
    /// Its move number.
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
