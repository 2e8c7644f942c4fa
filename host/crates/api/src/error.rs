//! Request errors, before they become problems.

use crate::words::IssueWord;
use game::ServiceError;
use rules::{GameIssue, Place};
use serde::Serialize;
use text::printable;
use utoipa::ToSchema;

/// A request error.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RequestError {
    #[error(transparent)]
    Malformed(#[from] Malformed),
    #[error(transparent)]
    WrongOptions(#[from] WrongOptions),
    /// The client may not choose this AI.
    #[error("this client may not use the AI '{ai}'; it may use {}", allowed.join(", "))]
    AiNotAllowed { ai: String, allowed: Vec<String> },
    #[error("there is no AI '{id}'{} GET /v1/ais lists them", match closest {
        Some(closest) => format!("; did you mean '{closest}'?"),
        None => ";".into(),
    })]
    UnknownAi { id: String, closest: Option<String> },
    #[error(transparent)]
    IllegalGame(#[from] IllegalGameError),
    #[error(transparent)]
    Service(#[from] ServiceError),
}

impl RequestError {
    /// Returns the error with its pointers changed by `place`.
    #[must_use]
    pub fn placed(mut self, place: impl Fn(&str) -> String) -> Self {
        match &mut self {
            Self::Malformed(Malformed { pointer, .. }) => *pointer = place(pointer),
            Self::IllegalGame(IllegalGameError { issues })
            | Self::WrongOptions(WrongOptions { issues, .. }) => {
                for issue in issues {
                    issue.pointer = place(&issue.pointer);
                }
            }
            Self::AiNotAllowed { .. } | Self::UnknownAi { .. } | Self::Service(_) => {}
        }
        self
    }
}

/// A malformed request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Malformed {
    /// A JSON pointer into the body; empty for the whole body.
    pub pointer: String,
    /// What was found and what was expected.
    pub detail: String,
}

impl Malformed {
    pub fn new(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            pointer: pointer.into(),
            detail: detail.into(),
        }
    }
}

/// Returns a key as a step in a JSON pointer (RFC 6901).
pub fn pointer_part(key: &str) -> String {
    format!("/{}", printable(key).replace('~', "~0").replace('/', "~1"))
}

/// Returns the message of the only issue, or `3 issues, the first: …`.
fn first_of(issues: &[Issue], count: usize, what: &str) -> String {
    let first = issues.first().map_or("", |issue| &issue.message);
    match count {
        1 => first.to_owned(),
        _ => format!("{count} {what}, the first: {first}"),
    }
}

/// An illegal game, with all its issues.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the game is not legal: {}", first_of(&self.issues, self.issues.len(), "issues"))]
pub struct IllegalGameError {
    pub issues: Vec<Issue>,
}

/// Options that the AI does not declare or allow, or that the operator does not let requests set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", first_of(&self.issues, self.count, "options are wrong"))]
pub struct WrongOptions {
    /// The first issues; at least one.
    pub issues: Vec<Issue>,
    /// The total number of issues.
    pub count: usize,
}

/// One issue with a game or an option.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = IssueReply)]
pub struct Issue {
    /// The stable code.
    #[schema(value_type = IssueWord)]
    pub code: &'static str,
    /// What was found and what was expected.
    pub message: String,
    /// The place in the body, as a JSON pointer.
    pub pointer: String,
    /// The half-move in the game, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ply: Option<usize>,
    /// The line in the text, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The character in the line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The number of the game in the text, from 1, in calls that accept several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<usize>,
}

impl IllegalGameError {
    /// Creates the error for an illegal game. `pointer` locates each issue in the body of the
    /// request.
    pub fn new(issues: Vec<GameIssue>, pointer: impl Fn(&Place) -> String) -> Self {
        let reply = |issue: GameIssue| Issue {
            pointer: pointer(&issue.place),
            code: issue.code,
            message: issue.message,
            ply: issue.ply,
            ..Issue::default()
        };
        Self {
            issues: issues.into_iter().map(reply).collect(),
        }
    }
}
