//! Replies, as clients read them.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use ai_api::{EvalTerm, Move, Position, Score, ScoreKind, SearchResult, Square};
use rules::{Assumed, Game, Reach, Status};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    LimitReply, OptionReply, Played, TraceReply,
    options::AskedOptions,
    search_progress::{LineReply, bound_unless_exact, chances, notations},
    words::{
        BoundWord, ClaimWord, ColorWord, MovementWord, ObstacleWord, PromotionWord, ReasonWord, RoleWord,
        StateWord,
    },
};
use pool::{About, Ai};
use text::printable;

const IN_PROGRESS: &str = "in_progress";
const WIN: &str = "win";
const DRAW: &str = "draw";
/// Every state of a game.
pub(super) const STATES: [&str; 3] = [IN_PROGRESS, WIN, DRAW];
/// Why a move that the piece could make is none.
pub(super) const GAME_OVER: &str = "game_over";

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
            claims: status.claims.iter().map(|claim| claim.into_str()).collect(),
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

/// What `POST /v1/validate` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ValidateReply {
    /// The game.
    pub game: GameReply,
}

/// What `POST /v1/legal-moves` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LegalMovesReply {
    /// The moves.
    pub moves: Vec<MoveReply>,
    /// Where the piece of each square can go.
    pub dests: BTreeMap<String, BTreeSet<String>>,
    /// The game.
    pub game: GameReply,
}

impl LegalMovesReply {
    pub(super) fn new(position: &Position, moves: &[Move], game: GameReply) -> Self {
        let moves: Vec<_> = moves.iter().map(|&chosen| MoveReply::new(position, chosen)).collect();
        let mut dests = BTreeMap::<String, BTreeSet<String>>::new();
        for chosen in &moves {
            dests.entry(chosen.from.clone()).or_default().insert(chosen.to.clone());
        }
        Self { moves, dests, game }
    }
}

/// What `POST /v1/reachable` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReachableReply {
    /// What stands on the square; null if nothing does.
    #[schema(required)]
    pub piece: Option<PieceReply>,
    /// Every square that it can see, from a1 to h8.
    pub squares: Vec<ReachReply>,
}

/// A piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PieceReply {
    /// Whose it is.
    #[schema(value_type = ColorWord)]
    pub color: &'static str,
    /// What it is.
    #[schema(value_type = RoleWord)]
    pub role: &'static str,
}

/// A square that a piece can see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReachReply {
    /// The square; as in `uci` when castling.
    pub to: String,
    /// How the piece would get there.
    #[schema(value_type = MovementWord)]
    pub movement: &'static str,
    /// Whether it can go there now.
    pub legal: bool,
    /// Why not.
    #[schema(required, value_type = Option<ObstacleWord>)]
    pub why: Option<&'static str>,
    /// Where the piece stands that is to blame, if another is.
    #[schema(required)]
    pub by: Option<String>,
}

impl ReachableReply {
    /// What the piece on `square` can see in a game.
    pub(super) fn new(game: &Game, square: Square) -> Self {
        let position = game.position();
        let is_over = game.status().outcome.is_some();
        let piece = position.color_at(square).zip(position.role_at(square));
        let reply = |reach: Reach| {
            let over = (is_over && reach.obstacle.is_none()).then_some(GAME_OVER);
            let why = reach.obstacle.map(|obstacle| obstacle.into_str()).or(over);
            ReachReply {
                to: reach.to.to_string(),
                movement: reach.movement.into_str(),
                legal: why.is_none(),
                why,
                by: reach.obstacle.and_then(rules::Obstacle::by).map(|by| by.to_string()),
            }
        };
        Self {
            piece: piece.map(|(color, role)| PieceReply { color: color.name(), role: role.name() }),
            squares: rules::reachable(position, square).into_iter().map(reply).collect(),
        }
    }
}

/// Which AI answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AiReply {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The AI that is not available, and whose fallback has answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback_for: Option<String>,
    /// What the request set of its options.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<BTreeMap<String, OptionReply>>,
}

impl AiReply {
    /// An AI, in short, that answers for itself.
    pub fn new(ai: &Ai) -> Self {
        let About { name, version, .. } = &ai.about;
        let (id, name, version) = (ai.id.clone(), name.clone(), version.clone());
        Self { id, name, version, fallback_for: None, options: None }
    }

    /// The same as it was asked: with these options.
    pub(super) fn with_options(self, options: &AskedOptions) -> Self {
        Self { options: options.reply(), ..self }
    }
}

/// What `POST /v1/best-move` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct BestMoveReply {
    /// The AI's move; none where the game is over.
    #[serde(rename = "move")]
    #[schema(required)]
    pub chosen: Option<MoveReply>,
    /// What it leads to, for White.
    pub score: ScoreReply,
    /// The game, with the move played.
    pub game: GameReply,
    /// How the move was found.
    pub search: SearchReply,
    /// Who found it.
    pub ai: AiReply,
    /// The tree of the search, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceReply>,
}

impl BestMoveReply {
    pub(super) fn new(ai: AiReply, played: &Played, assumptions: Option<Assumptions>) -> Self {
        Self {
            chosen: played.chosen.map(|(position, chosen)| MoveReply::new(&position, chosen)),
            score: played.score.into(),
            game: GameReply::new(&played.game, assumptions),
            search: played.search.clone(),
            ai,
            trace: played.trace.clone(),
        }
    }
}

/// How a move was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SearchReply {
    /// Plies searched completely, as the AI says.
    pub depth: u32,
    /// Positions looked at, as the AI says.
    pub nodes: u64,
    /// How long the client waited for the AI.
    pub time_ms: u64,
    /// How the score of the reply relates to the true one; left out where it is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<BoundWord>)]
    pub bound: Option<&'static str>,
    /// White's chances of a win, a draw and a loss per mille, if the AI reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wdl: Option<[u16; 3]>,
    /// The line of play that the AI expects, in UCI, as far as it is legal.
    pub pv: Vec<String>,
    /// The same in SAN.
    pub san: Vec<String>,
    /// What ended the search.
    pub stopped_by: StoppedBy,
    /// Every limit that held, where the client's maxima are tighter than what was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitReply>,
    /// Every line, the best first, where several were wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<LineReply>>,
}

/// What ended a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum StoppedBy {
    /// The depth that was asked for is done.
    Depth,
    /// The nodes are used up.
    Nodes,
    /// The time is used up.
    Movetime,
    /// The mate is found.
    Mate,
    /// The AI itself had enough.
    Ai,
}

impl SearchReply {
    /// No search: the game was over.
    pub(super) const NONE: Self = Self {
        depth: 0,
        nodes: 0,
        time_ms: 0,
        bound: None,
        wdl: None,
        pv: Vec::new(),
        san: Vec::new(),
        stopped_by: StoppedBy::Ai,
        limit: None,
        lines: None,
    };

    /// What the AI says of its search; what ended it is not known yet.
    pub(super) fn new(answer: &SearchResult, time: Duration, position: &Position, line: &[Move]) -> Self {
        let (pv, san) = notations(position, line);
        Self {
            pv,
            san,
            depth: answer.depth,
            nodes: answer.nodes,
            time_ms: time.as_millis() as u64,
            bound: bound_unless_exact(answer.bound),
            wdl: answer.wdl.map(chances),
            ..Self::NONE
        }
    }
}

/// What `POST /v1/evaluate` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct EvaluateReply {
    /// The AI's judgement, for White.
    pub score: ScoreReply,
    /// Its parts, if the AI names them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms: Option<Vec<TermReply>>,
    /// Who judged.
    pub ai: AiReply,
}

/// A part of a judgement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TermReply {
    /// What is judged.
    pub name: String,
    /// Its part of the score, for White.
    pub score: ScoreReply,
}

impl TermReply {
    pub(super) fn new(term: &EvalTerm) -> Self {
        Self { name: printable(&term.name), score: Score::from_value(term.score.value()).into() }
    }
}
