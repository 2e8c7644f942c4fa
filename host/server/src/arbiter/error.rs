//! Why a request can't be answered.

use rules::{GameIssue, Place};
use serde::Serialize;
use utoipa::ToSchema;

use super::{options::WrongOptions, words::IssueWord};
use pool::{Ai, Fault};
use text::printable;

/// Why a request can't be answered.
#[derive(Debug, thiserror::Error)]
pub enum ArbiterError {
    /// The request is not of the right form.
    #[error("{}", .0.detail)]
    Malformed(#[from] Malformed),
    /// The request sets options that it may not set, or not so.
    #[error(transparent)]
    WrongOptions(#[from] WrongOptions),
    /// No such client, or one that has a key; none if the request names none and there is no default. Which of them,
    /// is nobody's business.
    #[error("{}", match .0 {
        Some(name) => format!(
            "no client '{name}' is configured that needs no key; name one that is in the header X-Client-Id, \
             or send a key as in 'Authorization: Bearer KEY'"
        ),
        None => "the request names no client, and no default one is configured; name one in the header X-Client-Id, \
                 or send a key as in 'Authorization: Bearer KEY'".into(),
    })]
    UnknownClient(Option<String>),
    /// No client has this key.
    #[error("the key in the header Authorization is that of no client; check it, or ask for a new one")]
    UnknownKey,
    /// The key is right, the name beside it is not.
    #[error(
        "the key in the header Authorization is not that of the client '{0}'; leave the header X-Client-Id out"
    )]
    KeyOfAnother(String),
    /// The client may not choose this AI.
    #[error("this client may not use the AI '{ai}'; it may use {}", allowed.join(", "))]
    AiNotAllowed {
        /// What it chose.
        ai: String,
        /// What it may choose.
        allowed: Vec<String>,
    },
    /// No such AI.
    #[error("there is no AI '{id}'{} GET /v1/ais lists them", match closest {
        Some(closest) => format!("; did you mean '{closest}'?"),
        None => ";".into(),
    })]
    UnknownAi {
        /// What was asked for.
        id: String,
        /// The most similar one that there is.
        closest: Option<String>,
    },
    /// The game is not a legal one.
    #[error(transparent)]
    IllegalGame(#[from] GameError),
    /// The AI did something else than answering.
    #[error("AI '{ai}': {fault}{}", if fault.kills_worker() {
        "; its process has been replaced, so the next request is answered again"
    } else {
        ""
    })]
    Fault {
        /// The AI.
        ai: String,
        /// What it did.
        fault: Fault,
    },
    /// The AI is not available, and its fallback was not asked, because the request sets options of the AI.
    #[error(
        "AI '{ai}': {fault}; its fallback '{fallback}' would answer, but does not have the options that the request sets: \
         leave them out"
    )]
    NotForFallback {
        /// The AI.
        ai: String,
        /// Why it is not available.
        fault: Fault,
        /// Its fallback.
        fallback: String,
    },
    /// A report took too long.
    #[error(
        "the report was given up after {time_ms} ms (report_timeout_ms in [server]) with {done} of {of} half-moves judged: \
         the AI or this client's rate is slow, or other clients keep the AI busy; try again later, or report on fewer moves"
    )]
    ReportTimeout {
        /// How long it may take.
        time_ms: u64,
        /// The moves that were judged.
        done: usize,
        /// The moves that there are.
        of: usize,
    },
    /// Our own bug.
    #[error("internal error: {0}")]
    Internal(&'static str),
}

impl ArbiterError {
    pub(super) fn fault(ai: &Ai, fault: Fault) -> Self {
        Self::Fault { ai: ai.id.clone(), fault }
    }
}

/// A request that is not of the right form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Malformed {
    /// Where, as a JSON pointer into the body; empty for the whole.
    pub pointer: String,
    /// What was found and what was expected.
    pub detail: String,
}

/// A key as a step of a JSON pointer (RFC 6901): the two characters that have a meaning there are written otherwise.
pub(crate) fn pointer_part(key: &str) -> String {
    format!("/{}", printable(key).replace('~', "~0").replace('/', "~1"))
}

/// A game that is not legal, with everything that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the game is not legal: {}", match self.issues.as_slice() {
    [issue] => issue.message.clone(),
    issues => format!("{} issues, the first: {}", issues.len(), issues.first().map_or("", |issue| &issue.message)),
})]
pub struct GameError {
    /// All of it.
    pub issues: Vec<IssueReply>,
}

/// One thing that is wrong with a game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct IssueReply {
    /// The stable code.
    #[schema(value_type = IssueWord)]
    pub code: &'static str,
    /// What was found and what was expected.
    pub message: String,
    /// Where, as a JSON pointer into the body.
    pub pointer: String,
    /// Which half-move of the game, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ply: Option<usize>,
    /// Which line of the text, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Which character of the line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
}

impl IssueReply {
    /// Every code: of positions, of games, of texts, and of options.
    pub const CODES: [&'static str; 23] = [
        "missing_king",
        "too_many_kings",
        "pawn_on_back_rank",
        "too_much_material",
        "opponent_in_check",
        "impossible_check",
        "bad_castling_rights",
        "bad_en_passant_square",
        "bad_fen",
        "bad_board",
        "illegal_move",
        "not_one_move",
        "wrong_turn",
        "moves_after_end",
        "bad_epd",
        "bad_pgn",
        "bad_uci",
        "bad_html",
        "bad_text",
        "bad_svg",
        "unknown_option",
        "option_not_overridable",
        "bad_option_value",
    ];
}

impl GameError {
    /// The issues of a game, placed by `pointer` in the request's body.
    pub(super) fn new(issues: Vec<GameIssue>, pointer: impl Fn(&Place) -> String) -> Self {
        let reply = |issue: GameIssue| IssueReply {
            pointer: pointer(&issue.place),
            code: issue.code,
            message: issue.message,
            ply: issue.ply,
            ..IssueReply::default()
        };
        Self { issues: issues.into_iter().map(reply).collect() }
    }
}
