//! Replies, as clients read them.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use ai_api::{
    Abilities, Answer, Move, OptionKind, OptionSpec, OptionValue, Position, Score, ScoreKind, Square, Term,
};
use rules::{Assumed, Game, Reach, Status};
use serde::Serialize;
use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use utoipa::ToSchema;

use super::{
    LimitReply, Played, TraceReply,
    thought::{LineReply, notations},
};
use crate::{
    ai::{About, Ai, Confined, LastFault, Protection},
    config::{Choice, Executable, SandboxSettings},
    telemetry::RequestId,
    text::printable,
};

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
    /// `in_progress`, `win` or `draw`.
    pub state: &'static str,
    /// Who won.
    pub winner: Option<&'static str>,
    /// How it ended.
    pub reason: Option<&'static str>,
    /// Who moves, or would.
    pub turn: &'static str,
    /// Whether that side is in check.
    pub check: bool,
    /// The draws that the side to move may claim.
    pub claims: Vec<&'static str>,
}

impl StatusReply {
    /// A status as clients see it.
    pub fn new(status: &Status) -> Self {
        let winner = status.outcome.and_then(rules::Outcome::winner);
        Self {
            state: match (status.outcome, winner) {
                (None, _) => "in_progress",
                (Some(_), Some(_)) => "win",
                (Some(_), None) => "draw",
            },
            winner: winner.map(ai_api::Color::name),
            reason: status.outcome.map(rules::Outcome::reason),
            turn: status.turn.name(),
            check: status.check,
            claims: status.claims.iter().map(|claim| claim.name()).collect(),
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
    pub piece: Option<PieceReply>,
    /// Every square that it can see, from a1 to h8.
    pub squares: Vec<ReachReply>,
}

/// A piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PieceReply {
    /// `white` or `black`.
    pub color: &'static str,
    /// `pawn`, `knight`, `bishop`, `rook`, `queen` or `king`.
    pub role: &'static str,
}

/// A square that a piece can see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReachReply {
    /// The square; as in `uci` when castling.
    pub to: String,
    /// How the piece would get there.
    pub movement: &'static str,
    /// Whether it can go there now.
    pub legal: bool,
    /// Why not.
    pub why: Option<&'static str>,
    /// Where the piece stands that is to blame, if another is.
    pub by: Option<String>,
}

impl ReachableReply {
    /// What the piece on `square` can see in a game.
    pub(super) fn new(game: &Game, square: Square) -> Self {
        let position = game.position();
        let is_over = game.status().outcome.is_some();
        let piece = position.color_at(square).zip(position.role_at(square));
        let reply = |reach: Reach| {
            let over = (is_over && reach.obstacle.is_none()).then_some("game_over");
            let why = reach.obstacle.map(rules::Obstacle::code).or(over);
            ReachReply {
                to: reach.to.to_string(),
                movement: reach.movement.name(),
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
    pub instead_of: Option<String>,
}

impl AiReply {
    /// An AI, in short, that answers for itself.
    pub fn new(ai: &Ai) -> Self {
        let About { name, version, .. } = &ai.about;
        Self { id: ai.id.clone(), name: name.clone(), version: version.clone(), instead_of: None }
    }
}

/// What `POST /v1/best-move` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct BestMoveReply {
    /// The AI's move; none where the game is over.
    #[serde(rename = "move")]
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
    /// The AI itself had enough.
    Ai,
}

impl SearchReply {
    /// No search: the game was over.
    pub(super) const NONE: Self = Self {
        depth: 0,
        nodes: 0,
        time_ms: 0,
        pv: Vec::new(),
        san: Vec::new(),
        stopped_by: StoppedBy::Ai,
        limit: None,
        lines: None,
    };

    /// What the AI says of its search; what ended it is not known yet.
    pub(super) fn new(answer: &Answer, time: Duration, position: &Position, line: &[Move]) -> Self {
        let (pv, san) = notations(position, line);
        Self {
            pv,
            san,
            depth: answer.depth,
            nodes: answer.nodes,
            time_ms: time.as_millis() as u64,
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
    pub(super) fn new(term: &Term) -> Self {
        Self { name: printable(&term.name), score: Score::from_value(term.score.value()).into() }
    }
}

/// What `GET /v1/ais` tells of an AI.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct AiSummary {
    /// What clients call it.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Who wrote it.
    pub author: String,
    /// `searcher`, `evaluator` or both.
    pub kinds: Vec<&'static str>,
    /// What it can do beyond the simplest, and what it needs.
    pub abilities: AbilitiesReply,
    /// Its options, as JSON Schema.
    pub options: Value,
    /// What it is doing.
    pub state: &'static str,
    /// Where it comes from.
    pub library: LibraryReply,
    /// What its workers may do.
    pub sandbox: SandboxReply,
    /// What went wrong last, if anything did; for those who run the server only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_fault: Option<LastFaultReply>,
}

/// What an AI did last instead of answering.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LastFaultReply {
    /// What it was, as in the error that its client saw.
    pub code: &'static str,
    /// When, in the form of RFC 3339.
    pub time: String,
    /// What it was, in words.
    pub detail: String,
    /// The request that was being answered, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub request_id: Option<RequestId>,
    /// The end of what the AI's process had written to its standard error and output.
    pub stderr: String,
}

impl LastFaultReply {
    fn new(last: LastFault) -> Self {
        let LastFault { fault, time, request_id, output } = last;
        let time = OffsetDateTime::from(time).format(&Rfc3339);
        Self {
            code: fault.code(),
            time: time.expect("a clock of these days shows a year of four digits"),
            detail: fault.to_string(),
            request_id,
            stderr: output,
        }
    }
}

/// What an AI can do beyond the simplest, and what it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AbilitiesReply {
    /// Whether it plays Chess960.
    pub chess960: bool,
    /// Whether it chooses among some moves alone.
    pub root_moves: bool,
    /// Whether it thinks while the opponent does.
    pub ponder: bool,
    /// The most lines that it tells at once.
    pub lines: u32,
    /// The most nodes of a trace that it tells.
    pub trace_nodes: u32,
    /// The threads that it starts beside the one that is asked.
    pub threads: u32,
    /// The memory that it needs, where it says so.
    pub memory_mb: Option<u64>,
}

impl From<Abilities> for AbilitiesReply {
    fn from(abilities: Abilities) -> Self {
        let Abilities { chess960, root_moves, ponder, max_lines, max_trace_nodes, threads, memory_mb } =
            abilities;
        Self {
            chess960,
            root_moves,
            ponder,
            lines: max_lines.max(1),
            trace_nodes: max_trace_nodes,
            threads,
            memory_mb: (memory_mb > 0).then_some(memory_mb),
        }
    }
}

/// The library of an AI.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LibraryReply {
    /// The file's name.
    pub file: String,
    /// The SHA-256 of the bytes that are loaded.
    pub sha256: String,
}

/// The sandbox of an AI's workers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SandboxReply {
    /// `required`, `best-effort` or `off`.
    pub mode: &'static str,
    /// The memory that the AI may have, where that is enforced.
    pub memory_mb: Option<u64>,
    /// The threads that the AI may have beside the one that is asked, where that is enforced.
    pub threads: Option<u64>,
    /// The file names of the programs that the AI may start.
    pub exec: Vec<String>,
    /// What is enforced, each part by its name.
    pub enforced: Vec<&'static str>,
    /// What the kernel can't enforce.
    pub missing: Vec<&'static str>,
}

impl SandboxReply {
    /// A sandbox as clients see it: without the server's paths.
    pub fn new(settings: &SandboxSettings, confined: &Confined) -> Self {
        let enforced = |protection| confined.enforced.contains(&protection);
        Self {
            mode: settings.mode.name(),
            memory_mb: enforced(Protection::Memory).then_some(settings.memory_mb),
            threads: enforced(Protection::Threads).then_some(settings.threads),
            exec: settings.exec.iter().map(Executable::name).collect(),
            enforced: confined.enforced.iter().map(|protection| protection.name()).collect(),
            missing: confined.missing.iter().map(|missing| missing.protection.name()).collect(),
        }
    }
}

impl AiSummary {
    pub(super) fn new(ai: &Ai) -> Self {
        Self {
            id: ai.id.clone(),
            name: ai.about.name.clone(),
            version: ai.about.version.clone(),
            author: ai.about.author.clone(),
            kinds: kinds(ai.about.searcher, ai.about.evaluator),
            abilities: ai.about.abilities.into(),
            options: options_schema(&ai.about.options),
            state: ai.state().name(),
            library: LibraryReply { file: ai.library_file.clone(), sha256: ai.library_sha256.to_string() },
            sandbox: SandboxReply::new(&ai.sandbox, &ai.confined),
            last_fault: None,
        }
    }

    /// The same with what went wrong last.
    pub(super) fn with_last_fault(self, ai: &Ai) -> Self {
        Self { last_fault: ai.record.last_fault().map(LastFaultReply::new), ..self }
    }
}

/// What an AI is, in the words of the contract.
pub fn kinds(searcher: bool, evaluator: bool) -> Vec<&'static str> {
    [(searcher, "searcher"), (evaluator, "evaluator")]
        .into_iter()
        .filter(|kind| kind.0)
        .map(|kind| kind.1)
        .collect()
}

/// Declared options as a JSON Schema of the table `[ai.ID.options]`.
pub fn options_schema(options: &[OptionSpec]) -> Value {
    let property = |spec: &OptionSpec| {
        let mut schema = match &spec.kind {
            OptionKind::Flag => json!({"type": "boolean"}),
            OptionKind::Integer { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
            OptionKind::Choice(choices) => {
                json!({"type": "string", "enum": choices.iter().map(|choice| printable(choice)).collect::<Vec<_>>()})
            }
            OptionKind::Text => json!({"type": "string"}),
            OptionKind::File => json!({"type": "string", "format": "path"}),
        };
        schema["description"] = printable(&spec.help).into();
        schema["default"] = match &spec.default {
            OptionValue::Flag(value) => (*value).into(),
            OptionValue::Integer(value) => (*value).into(),
            OptionValue::Text(value) => printable(value).into(),
        };
        (printable(&spec.name), schema)
    };
    let properties: serde_json::Map<_, _> = options.iter().map(property).collect();
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}
