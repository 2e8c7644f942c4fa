//! Requests, as clients write them.

use std::ops::RangeInclusive;

use ai_api::{Color, Limit, Square};
use rules::Game;
use serde::Deserialize;

use super::{
    error::{ArbiterError, GameError, Malformed},
    limits::Demand,
    object::{object, optional_name, optional_object},
    reply::Assumptions,
};
use crate::{
    ai::MAX_LINES,
    config::{DEPTHS, MOVETIMES_MS, NODES},
    text::printable,
};

/// What `POST /v1/best-move` takes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BestMoveForm {
    /// The game so far.
    #[serde(deserialize_with = "object")]
    pub game: GameForm,
    /// The AI to ask; left out, the client's.
    pub ai: Option<String>,
    /// How long to think; left out, the AI's own.
    #[serde(default, deserialize_with = "optional_object")]
    pub limit: Option<LimitForm>,
    /// How many lines to tell; left out, the best alone.
    pub lines: Option<u64>,
}

impl BestMoveForm {
    /// # Errors
    /// The limit is none, or the lines are too many or too few.
    pub(super) fn demand(&self) -> Result<Demand, Malformed> {
        demand(self.limit.as_ref(), self.lines)
    }
}

/// # Errors
/// The limit is none, or the lines are too many or too few.
pub(super) fn demand(limit: Option<&LimitForm>, lines: Option<u64>) -> Result<Demand, Malformed> {
    let limit = limit.map(LimitForm::read).transpose()?;
    let lines = within(lines.unwrap_or(1), "lines", 1..=u64::from(MAX_LINES), "/lines")?;
    Ok(Demand { limit, lines: lines as u32 })
}

/// What `POST /v1/legal-moves` takes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LegalMovesForm {
    /// The game so far.
    #[serde(deserialize_with = "object")]
    pub game: GameForm,
    /// A square: only the moves of the piece on it.
    pub from: Option<String>,
}

impl LegalMovesForm {
    /// # Errors
    /// The text is no square.
    pub(super) fn from(&self) -> Result<Option<Square>, Malformed> {
        self.from.as_deref().map(|text| square(text, "/from")).transpose()
    }
}

/// What `POST /v1/reachable` takes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReachableForm {
    /// The game so far; its last position is looked at.
    #[serde(deserialize_with = "object")]
    pub game: GameForm,
    /// The square of the piece.
    pub square: String,
}

impl ReachableForm {
    /// # Errors
    /// The text is no square.
    pub(super) fn square(&self) -> Result<Square, Malformed> {
        square(&self.square, "/square")
    }
}

fn square(text: &str, pointer: &str) -> Result<Square, Malformed> {
    text.parse().map_err(|error| Malformed {
        pointer: pointer.into(),
        detail: format!("'{}': {error}", printable(&text.chars().take(20).collect::<String>())),
    })
}

/// What `POST /v1/validate` takes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValidateForm {
    /// The game to validate.
    #[serde(deserialize_with = "object")]
    pub game: GameForm,
}

/// What `POST /v1/evaluate` takes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluateForm {
    /// The game so far; its last position is judged.
    #[serde(deserialize_with = "object")]
    pub game: GameForm,
    /// The AI to ask; left out, the client's.
    pub ai: Option<String>,
}

/// A game: a first position and its moves, or all its boards.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameForm {
    /// The first position; left out, the standard start.
    pub fen: Option<String>,
    /// The moves since, in UCI; left out, none.
    pub moves: Option<Vec<String>>,
    /// Every position of the game, oldest first: eight rows of eight, rank 8 first; ±1 pawn, 2 knight, 3 bishop,
    /// 4 rook, 5 queen, 6 king, Black negative.
    pub boards: Option<Vec<Vec<Vec<i64>>>>,
    /// With boards: who moves now.
    #[serde(default, deserialize_with = "optional_name")]
    pub turn: Option<TurnForm>,
}

/// Who moves.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TurnForm {
    White,
    Black,
}

impl From<TurnForm> for Color {
    fn from(turn: TurnForm) -> Self {
        match turn {
            TurnForm::White => Self::White,
            TurnForm::Black => Self::Black,
        }
    }
}

/// A game that was read, and what had to be assumed for it.
pub(super) struct Record {
    pub(super) game: Game,
    pub(super) assumptions: Option<Assumptions>,
}

impl GameForm {
    /// Validates the whole game, if it has no more than `max_plies`.
    pub(super) fn read(&self, max_plies: usize) -> Result<Record, ArbiterError> {
        let malformed = |pointer: &str, detail: &str| {
            Err(ArbiterError::Malformed(Malformed { pointer: pointer.into(), detail: detail.into() }))
        };
        let Some(boards) = &self.boards else {
            if self.turn.is_some() {
                return malformed("/game/turn", "'turn' goes with 'boards'; a FEN tells itself who moves");
            }
            let moves = self.moves.as_deref().unwrap_or_default();
            check_length(moves.len(), max_plies, "/game/moves")?;
            let game = Game::from_moves(self.fen.as_deref(), moves)
                .map_err(|issues| GameError::new(issues, |place| format!("/game{place}")))?;
            return Ok(Record { game, assumptions: None });
        };
        if self.fen.is_some() || self.moves.is_some() {
            return malformed("/game", "a game is either 'fen' and 'moves' or 'boards' and 'turn', not both");
        }
        if boards.len() == 1 && self.turn.is_none() {
            return malformed(
                "/game/turn",
                "a single board does not tell who moves; add \"turn\": \"white\" or \"black\"",
            );
        }
        check_length(boards.len().saturating_sub(1), max_plies, "/game/boards")?;
        let (game, assumed) = Game::from_boards(boards, self.turn.map(Color::from))
            .map_err(|issues| GameError::new(issues, |place| format!("/game{place}")))?;
        Ok(Record { game, assumptions: Some(assumed.into()) })
    }
}

/// Refuses a game that is too long before it costs anything.
pub(super) fn check_length(plies: usize, max_plies: usize, pointer: &str) -> Result<(), Malformed> {
    if plies <= max_plies {
        return Ok(());
    }
    let detail =
        format!("the game has {plies} half-moves; at most {max_plies} are allowed here: let it begin later");
    Err(Malformed { pointer: pointer.into(), detail })
}

/// How long to think: exactly one of three.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitForm {
    /// Plies.
    pub depth: Option<u64>,
    /// Positions.
    pub nodes: Option<u64>,
    /// Milliseconds.
    pub movetime_ms: Option<u64>,
}

impl LimitForm {
    fn read(&self) -> Result<Limit, Malformed> {
        match (self.depth, self.nodes, self.movetime_ms) {
            (Some(depth), None, None) => {
                Ok(Limit::Depth(within(depth, "depth", DEPTHS, "/limit/depth")? as u32))
            }
            (None, Some(nodes), None) => Ok(Limit::Nodes(within(nodes, "nodes", NODES, "/limit/nodes")?)),
            (None, None, Some(ms)) => {
                Ok(Limit::MovetimeMs(within(ms, "movetime_ms", MOVETIMES_MS, "/limit/movetime_ms")?))
            }
            _ => {
                let detail = "a limit is exactly one of 'depth', 'nodes' and 'movetime_ms'".into();
                Err(Malformed { pointer: "/limit".into(), detail })
            }
        }
    }
}

fn within(value: u64, key: &str, allowed: RangeInclusive<u64>, pointer: &str) -> Result<u64, Malformed> {
    if allowed.contains(&value) {
        return Ok(value);
    }
    let (least, most) = allowed.into_inner();
    let detail = format!("{key} is {value}; it is at least {least} and at most {most}");
    Err(Malformed { pointer: pointer.into(), detail })
}
