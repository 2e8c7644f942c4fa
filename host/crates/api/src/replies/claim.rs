//! Claims in replies.

use crate::{
    replies::search::notations,
    words::{ClaimKindWord, EvidenceWord, LineStartWord, RoleWord, TableResultWord},
};
use ai_api::{Move, Position, Role, Square, TableResult};
pub use claims::sentence_starts;
use claims::{Claim, LineStart, PlacedPiece};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A reason why a move is good or bad. `docs/claims.md` defines each kind and its fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Claim)]
pub struct ClaimReply {
    /// The kind.
    #[schema(value_type = ClaimKindWord)]
    pub kind: &'static str,
    /// The claim in English, such as `leaves the knight on c6 hanging`.
    pub text: String,
    /// The kind of the piece that the claim is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RoleWord>)]
    pub piece: Option<&'static str>,
    /// The square of `piece`, or of a promotion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub square: Option<String>,
    /// How much the side that moves first in `line` gains, in pawns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<i32>,
    /// The number of moves until mate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<usize>,
    /// The pieces that the other side loses.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<RoleWord>>)]
    pub lost: Option<Vec<&'static str>>,
    /// The pieces that the other side gets in return.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<RoleWord>>)]
    pub won: Option<Vec<&'static str>>,
    /// The number of the move that creates the tactic, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// The attacking piece, or the captured defender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<PlacedPieceReply>,
    /// The piece behind `piece`, seen from `by`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behind: Option<PlacedPieceReply>,
    /// The forked pieces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<PlacedPieceReply>,
    /// The squares of the pieces that attack `square`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attackers: Vec<String>,
    /// The squares of the pieces that defend `square`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub defenders: Vec<String>,
    /// The evidence that there is only one good move.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<EvidenceWord>)]
    pub evidence: Option<&'static str>,
    /// The name of the opening before the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opening: Option<String>,
    /// The tablebase results before and after the move, for the side that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<ResultChangeReply>,
    /// A term of the AI's evaluation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub term: Option<String>,
    /// The change in the term in centipawns, for the side that made the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<i32>,
    /// Whether `line` begins in the position before or after the move.
    #[schema(value_type = LineStartWord)]
    pub start: &'static str,
    /// The moves that prove the claim, in UCI.
    pub line: Vec<String>,
    /// `line` in SAN.
    pub san: Vec<String>,
    /// The number of moves in `line` that are enough to show the claim.
    pub after: usize,
    /// The better line, from the position before the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead: Option<InsteadReply>,
}

/// A piece and its square.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PlacedPiece)]
pub struct PlacedPieceReply {
    /// The kind of piece.
    #[schema(value_type = RoleWord)]
    pub piece: &'static str,
    /// The square.
    pub square: String,
}

/// Tablebase results for the side that made the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ResultChange)]
pub struct ResultChangeReply {
    /// The value before the move.
    #[schema(value_type = TableResultWord)]
    pub before: &'static str,
    /// The value after the move.
    #[schema(value_type = TableResultWord)]
    pub after: &'static str,
}

/// A better line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Instead)]
pub struct InsteadReply {
    /// The moves in UCI.
    pub line: Vec<String>,
    /// The moves in SAN.
    pub san: Vec<String>,
}

impl ClaimReply {
    /// Describes the claims about a move played in the position `before`.
    pub fn list(before: &Position, played: Move, claims: &[Claim]) -> Vec<Self> {
        let after = rules::play(before, played);
        claims
            .iter()
            .map(|claim| Self::new(before, &after, claim))
            .collect()
    }

    fn new(before: &Position, after_move: &Position, claim: &Claim) -> Self {
        let start = match claim.start {
            LineStart::Before => before,
            LineStart::After => after_move,
        };
        let (line, san) = notations(start, &claim.line);
        let names_of = |roles: &Vec<Role>| roles.iter().copied().map(Role::name).collect();
        let squares = |squares: &[Square]| squares.iter().map(Square::to_string).collect();
        Self {
            kind: claim.kind.into(),
            text: text::printable(&claim.text()),
            piece: claim.piece.map(Role::name),
            square: claim.square.map(|square| square.to_string()),
            value: claim.value,
            moves: claim.moves,
            lost: claim.exchange.as_ref().map(|[lost, _]| names_of(lost)),
            won: claim.exchange.as_ref().map(|[_, won]| names_of(won)),
            at: claim.at,
            by: claim.by.map(Into::into),
            behind: claim.behind.map(Into::into),
            targets: claim.targets.iter().map(|&target| target.into()).collect(),
            attackers: squares(&claim.attackers),
            defenders: squares(&claim.defenders),
            evidence: claim.evidence.map(Into::into),
            opening: claim.opening.clone(),
            result: claim.results.map(Into::into),
            term: claim.term.as_deref().map(text::printable),
            change: claim.change,
            start: claim.start.into(),
            line,
            san,
            after: claim.after,
            instead: InsteadReply::of(before, &claim.instead),
        }
    }

    /// Returns the claim as a sentence.
    pub fn sentence(&self) -> String {
        let mut characters = self.text.chars();
        let first = characters.next().map(char::to_uppercase);
        first
            .into_iter()
            .flatten()
            .chain(characters)
            .chain(['.'])
            .collect()
    }

    /// Returns the claim as a command in a PGN comment: `[%why hangs_piece piece=knight square=c6
    /// …]`.
    pub fn pgn_command(&self) -> String {
        let fields = serde_json::to_value(self).unwrap_or_default();
        let is_written = |name: &str| !["kind", "text", "san"].contains(&name);
        let words = fields
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(name, _)| is_written(name))
            .map(|(name, value)| format!("{name}={}", command_value(value)));
        let words: Vec<_> = std::iter::once(self.kind.to_owned()).chain(words).collect();
        format!("[%why {}]", words.join(" "))
    }
}

/// Formats a value for a command. A PGN comment can't contain `}`, and a command can't contain `]`.
fn command_value(value: &Value) -> String {
    match value {
        Value::Array(items) => items
            .iter()
            .map(command_value)
            .collect::<Vec<_>>()
            .join(","),
        Value::Object(fields) => match fields.get("line") {
            Some(line) => command_value(line),
            None => fields
                .values()
                .map(command_value)
                .collect::<Vec<_>>()
                .join("-"),
        },
        Value::String(text) => text
            .replace(' ', "_")
            .replace(['[', ']', '{', '}', ','], ""),
        other => other.to_string(),
    }
}

impl From<PlacedPiece> for PlacedPieceReply {
    fn from(placed: PlacedPiece) -> Self {
        Self {
            piece: placed.role.name(),
            square: placed.square.to_string(),
        }
    }
}

impl From<[TableResult; 2]> for ResultChangeReply {
    fn from([before, after]: [TableResult; 2]) -> Self {
        Self {
            before: before.name(),
            after: after.name(),
        }
    }
}

impl InsteadReply {
    fn of(before: &Position, moves: &[Move]) -> Option<Self> {
        let (line, san) = notations(before, moves);
        (!line.is_empty()).then_some(Self { line, san })
    }
}
