//! Error responses: `application/problem+json` (RFC 9457), with the title and status of each code.

use std::time::Duration;

use serde::Serialize;

use crate::error::{Issue, Malformed, RequestError};
use config::api_key::concealed;
use game::ServiceError;
use pool::{FaultCode, TablebaseError};
use protocol::RequestId;
use strum::{IntoStaticStr, VariantArray};
use text::printable;

/// The `Retry-After` for a report that timed out, a full memory budget or a server that is not
/// ready. The actual time is unknown.
const BUSY_RETRY_AFTER: Duration = Duration::from_secs(1);

/// The codes of errors, by their stable names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Code {
    MalformedRequest,
    HostNotAllowed,
    UnknownClient,
    CrossSiteRequest,
    AiNotAllowed,
    UnknownAi,
    NotFound,
    TablebaseMissing,
    MethodNotAllowed,
    RequestTimeout,
    MatchRunning,
    BodyTooLarge,
    UnsupportedMediaType,
    IllegalGame,
    IdempotencyKeyReused,
    RateLimited,
    AiFailed,
    AiCrashed,
    AiOutOfMemory,
    AiIllegalMove,
    AiProtocolError,
    AiTimeout,
    AiUnavailable,
    QueueFull,
    ServerBusy,
    Internal,
}

impl From<FaultCode> for Code {
    fn from(code: FaultCode) -> Self {
        match code {
            FaultCode::AiFailed => Self::AiFailed,
            FaultCode::AiCrashed => Self::AiCrashed,
            FaultCode::AiOutOfMemory => Self::AiOutOfMemory,
            FaultCode::AiIllegalMove => Self::AiIllegalMove,
            FaultCode::AiProtocolError => Self::AiProtocolError,
            FaultCode::AiTimeout => Self::AiTimeout,
            FaultCode::AiUnavailable => Self::AiUnavailable,
            FaultCode::QueueFull => Self::QueueFull,
            FaultCode::Internal => Self::Internal,
        }
    }
}

impl Code {
    /// Returns the title and the status.
    const fn row(self) -> (&'static str, u16) {
        match self {
            Self::MalformedRequest => ("The request is malformed", 400),
            Self::HostNotAllowed => ("The host of the request is not allowed", 421),
            Self::UnknownClient => ("The client is unknown", 401),
            Self::CrossSiteRequest => ("A page from another site sent the request", 403),
            Self::AiNotAllowed => ("The client may not use this AI", 403),
            Self::UnknownAi => ("The AI does not exist", 404),
            Self::NotFound => ("The resource does not exist", 404),
            Self::TablebaseMissing => ("No tablebase has the position", 404),
            Self::MethodNotAllowed => ("The method is not allowed", 405),
            Self::RequestTimeout => ("The request did not arrive in time", 408),
            Self::MatchRunning => ("The client's match has not ended", 409),
            Self::BodyTooLarge => ("The body is too large", 413),
            Self::UnsupportedMediaType => ("The body is not JSON", 415),
            Self::IllegalGame => ("The game is not legal", 422),
            Self::IdempotencyKeyReused => ("The key belongs to another request", 422),
            Self::RateLimited => ("The client sent too many requests", 429),
            Self::AiFailed => ("The AI returned an error", 502),
            Self::AiCrashed => ("The AI crashed", 502),
            Self::AiOutOfMemory => ("The AI ran out of memory", 502),
            Self::AiIllegalMove => ("The AI played no legal move", 502),
            Self::AiProtocolError => ("The AI violated the protocol", 502),
            Self::AiTimeout => ("The AI did not answer in time", 504),
            Self::AiUnavailable => ("The AI is unavailable", 503),
            Self::QueueFull => ("The AI's queue is full", 503),
            Self::ServerBusy => ("The server is busy", 503),
            Self::Internal => ("Internal server error", 500),
        }
    }

    pub const fn title(self) -> &'static str {
        self.row().0
    }

    pub const fn status(self) -> u16 {
        self.row().1
    }

    /// Returns the status in the 2014 calls: 400 for an illegal game.
    pub const fn legacy_status(self) -> u16 {
        match self {
            Self::IllegalGame => 400,
            code => code.status(),
        }
    }
}

/// An error response.
#[derive(Debug)]
pub struct Problem {
    code: Code,
    status: u16,
    detail: String,
    pointer: Option<String>,
    issues: Option<Vec<Issue>>,
    retry_after: Option<Duration>,
    allow: Option<String>,
    /// Whether the problem is an expected reply, which is not logged.
    is_expected: bool,
}

impl Problem {
    /// Creates a problem. `detail` names what was found, what was expected and what to do; API keys
    /// in it are concealed.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self {
            code,
            status: code.status(),
            detail: concealed(&detail.into()).into_owned(),
            pointer: None,
            issues: None,
            retry_after: None,
            allow: None,
            is_expected: false,
        }
    }

    /// Creates the problem for a client that exceeded its limits, with the time after which it may
    /// retry.
    pub fn rate_limited(detail: String, retry_after: Duration) -> Self {
        Self {
            retry_after: Some(retry_after),
            ..Self::new(Code::RateLimited, detail)
        }
    }

    /// Creates the problem for an exceeded memory budget.
    pub fn server_busy(detail: String) -> Self {
        Self {
            retry_after: Some(BUSY_RETRY_AFTER),
            ..Self::new(Code::ServerBusy, detail)
        }
    }

    /// Creates the problem for a server that is not ready.
    pub fn ai_unavailable(detail: &str) -> Self {
        Self {
            retry_after: Some(BUSY_RETRY_AFTER),
            ..Self::new(Code::AiUnavailable, detail)
        }
    }

    /// Creates the problem for a method that is not in `allowed`, the value of the `Allow` header.
    pub fn method_not_allowed(found: &str, allowed: String) -> Self {
        let found = printable(found);
        let detail = format!("{found} is not allowed here; use {allowed}");
        Self {
            allow: Some(allowed),
            ..Self::new(Code::MethodNotAllowed, detail)
        }
    }

    /// Keeps the problem out of the log, because it only tells whether something is available.
    #[must_use]
    pub fn expected(self) -> Self {
        Self {
            is_expected: true,
            ..self
        }
    }

    /// Returns whether the AI's queue was full.
    pub(crate) fn is_queue_full(&self) -> bool {
        self.code == Code::QueueFull
    }

    /// Returns the problem with its pointers changed by `place`.
    pub(crate) fn located(mut self, place: impl Fn(&str) -> String) -> Self {
        let pointers = self
            .issues
            .iter_mut()
            .flatten()
            .map(|issue| &mut issue.pointer);
        for pointer in pointers.chain(&mut self.pointer) {
            *pointer = place(pointer);
        }
        self
    }

    /// Returns the problem for a 2014 call.
    pub fn legacy(error: RequestError) -> Self {
        Self::from(error).with_legacy_status()
    }

    pub(crate) fn with_legacy_status(self) -> Self {
        Self {
            status: self.code.legacy_status(),
            ..self
        }
    }
}

impl From<RequestError> for Problem {
    fn from(error: RequestError) -> Self {
        Self::from(&error)
    }
}

impl From<&RequestError> for Problem {
    fn from(error: &RequestError) -> Self {
        let problem = |code| Self::new(code, error.to_string());
        let malformed = |pointer: &str| Self {
            pointer: Some(concealed(pointer).into_owned()),
            ..problem(Code::MalformedRequest)
        };
        match error {
            RequestError::Malformed(Malformed { pointer, .. }) => malformed(pointer),
            RequestError::WrongOptions(options) => {
                let issues = without_keys(&options.issues);
                let pointer = issues.first().map(|issue| issue.pointer.clone());
                Self {
                    pointer,
                    issues: Some(issues),
                    ..problem(Code::MalformedRequest)
                }
            }
            RequestError::AiNotAllowed { .. } => problem(Code::AiNotAllowed),
            RequestError::UnknownAi { .. } => problem(Code::UnknownAi),
            RequestError::IllegalGame(game) => Self {
                issues: Some(without_keys(&game.issues)),
                ..problem(Code::IllegalGame)
            },
            RequestError::Service(error) => match error {
                ServiceError::NoEvaluator { .. } | ServiceError::NoChess960 { .. } => {
                    malformed("/ai")
                }
                ServiceError::NoTrace { .. } => malformed("/trace"),
                ServiceError::NoRootMoves { .. } => malformed("/root_moves"),
                ServiceError::Fault { fault, .. } | ServiceError::NotForFallback { fault, .. } => {
                    Self {
                        retry_after: fault.retry_after(),
                        ..problem(fault.code().into())
                    }
                }
                ServiceError::ReportTimeout { .. } => Self {
                    retry_after: Some(BUSY_RETRY_AFTER),
                    ..problem(Code::QueueFull)
                },
                ServiceError::NoTable { .. } => problem(Code::TablebaseMissing),
                ServiceError::Tablebase(error) => tablebase_problem(error),
                ServiceError::Internal(_) => problem(Code::Internal),
            },
        }
    }
}

/// Returns the problem for a failed tablebase worker, which runs the host's own code.
fn tablebase_problem(error: &TablebaseError) -> Problem {
    if let TablebaseError::Fault(fault) = error
        && fault.code() == FaultCode::QueueFull
    {
        return Problem {
            retry_after: fault.retry_after(),
            ..Problem::new(Code::QueueFull, fault.to_string())
        };
    }
    // The reason may name paths, so only operators see it.
    tracing::error!(%error, "tablebase probe failed");
    Problem::new(
        Code::Internal,
        "the tablebase probe failed; see the server's log",
    )
}

/// Returns the issues with API keys concealed.
fn without_keys(issues: &[Issue]) -> Vec<Issue> {
    let conceal = |issue: &Issue| Issue {
        message: concealed(&issue.message).into_owned(),
        pointer: concealed(&issue.pointer).into_owned(),
        ..issue.clone()
    };
    issues.iter().map(conceal).collect()
}

impl From<Malformed> for Problem {
    fn from(malformed: Malformed) -> Self {
        RequestError::from(malformed).into()
    }
}

/// The body of an error.
#[derive(Debug, Serialize)]
pub struct ProblemBody {
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<String>,
    title: &'static str,
    status: u16,
    detail: String,
    code: &'static str,
    request_id: Option<RequestId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    issues: Option<Vec<Issue>>,
    /// Set if the response has no `Retry-After` header.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_s: Option<u64>,
}

impl ProblemBody {
    pub const fn status(&self) -> u16 {
        self.status
    }
}

impl Problem {
    pub const fn code(&self) -> Code {
        self.code
    }

    /// Returns the fields of a stream's last record, whose `type` replaces the problem's.
    pub fn record(&self, request_id: Option<&RequestId>) -> ProblemBody {
        self.log();
        ProblemBody {
            r#type: None,
            ..self.part(request_id)
        }
    }

    /// Returns the problem as a part of a successful reply.
    pub fn part(&self, request_id: Option<&RequestId>) -> ProblemBody {
        ProblemBody {
            retry_after_s: self.retry_after_s(),
            ..self.body(request_id)
        }
    }

    /// Returns the body of an error response, which has `Retry-After` as a header.
    pub fn body(&self, request_id: Option<&RequestId>) -> ProblemBody {
        let code = self.code.into_str();
        ProblemBody {
            r#type: Some(format!("urn:rookery:problem:{code}")),
            title: self.code.title(),
            status: self.status,
            detail: self.detail.clone(),
            code,
            request_id: request_id.cloned(),
            pointer: self.pointer.clone(),
            issues: self.issues.clone(),
            retry_after_s: None,
        }
    }

    /// Returns the value of `Retry-After`: seconds, rounded up and at least 1.
    pub fn retry_after_s(&self) -> Option<u64> {
        self.retry_after
            .map(|wait| (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1))
    }

    /// Returns the value of the `Allow` header.
    pub fn allow(&self) -> Option<&str> {
        self.allow.as_deref()
    }

    /// Logs a server error.
    pub fn log(&self) {
        if self.status >= 500 && !self.is_expected {
            tracing::warn!(
                code = self.code.into_str(),
                detail = self.detail,
                "request failed"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_codes_keep_their_names() {
        for &code in FaultCode::VARIANTS {
            assert_eq!(Code::from(code).into_str(), code.into_str());
        }
    }
}
