//! Errors as clients see them: `application/problem+json` (RFC 9457), each code with its title and status.

use std::{fmt, time::Duration};

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse, Responder, ResponseError,
    body::BoxBody,
    dev::ServiceResponse,
    http::{
        Method, StatusCode,
        header::{ALLOW, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE},
    },
};
use serde::Serialize;
use serde_json::json;

use crate::error::{Issue, Malformed, RequestError};
use config::api_key::concealed;
use game::ServiceError;
use pool::Fault;
use protocol::RequestId;
use text::printable;

/// When to come again after a report that took too long, or when other requests hold too much: nobody knows when there will
/// be more time or room.
const BUSY_RETRY_AFTER: Duration = Duration::from_secs(1);

/// Every error code there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    MalformedRequest,
    HostNotAllowed,
    UnknownClient,
    AiNotAllowed,
    UnknownAi,
    NotFound,
    MethodNotAllowed,
    RequestTimeout,
    BodyTooLarge,
    UnsupportedMediaType,
    IllegalGame,
    RateLimited,
    AiFailed,
    AiCrashed,
    AiOutOfMemory,
    AiIllegalMove,
    AiProtocol,
    AiStalled,
    AiUnavailable,
    QueueFull,
    ServerBusy,
    Internal,
}

impl Code {
    /// Every code.
    pub(crate) const ALL: [Self; 22] = [
        Self::MalformedRequest,
        Self::HostNotAllowed,
        Self::UnknownClient,
        Self::AiNotAllowed,
        Self::UnknownAi,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::RequestTimeout,
        Self::BodyTooLarge,
        Self::UnsupportedMediaType,
        Self::IllegalGame,
        Self::RateLimited,
        Self::AiFailed,
        Self::AiCrashed,
        Self::AiOutOfMemory,
        Self::AiIllegalMove,
        Self::AiProtocol,
        Self::AiStalled,
        Self::AiUnavailable,
        Self::QueueFull,
        Self::ServerBusy,
        Self::Internal,
    ];

    /// Its stable name, its title and its status: the one table of errors.
    const fn row(self) -> (&'static str, &'static str, StatusCode) {
        match self {
            Self::MalformedRequest => {
                ("malformed_request", "The request is not of the right form", StatusCode::BAD_REQUEST)
            }
            Self::HostNotAllowed => (
                "host_not_allowed",
                "The server does not answer for this host",
                StatusCode::MISDIRECTED_REQUEST,
            ),
            Self::UnknownClient => ("unknown_client", "The client is not known", StatusCode::UNAUTHORIZED),
            Self::AiNotAllowed => ("ai_not_allowed", "The client may not use this AI", StatusCode::FORBIDDEN),
            Self::UnknownAi => ("unknown_ai", "There is no such AI", StatusCode::NOT_FOUND),
            Self::NotFound => ("not_found", "There is nothing here", StatusCode::NOT_FOUND),
            Self::MethodNotAllowed => {
                ("method_not_allowed", "The method is not allowed here", StatusCode::METHOD_NOT_ALLOWED)
            }
            Self::RequestTimeout => {
                ("request_timeout", "The request did not arrive in time", StatusCode::REQUEST_TIMEOUT)
            }
            Self::BodyTooLarge => ("body_too_large", "The body is too large", StatusCode::PAYLOAD_TOO_LARGE),
            Self::UnsupportedMediaType => {
                ("unsupported_media_type", "The body is not JSON", StatusCode::UNSUPPORTED_MEDIA_TYPE)
            }
            Self::IllegalGame => ("illegal_game", "The game is not legal", StatusCode::UNPROCESSABLE_ENTITY),
            Self::RateLimited => ("rate_limited", "The client asks too much", StatusCode::TOO_MANY_REQUESTS),
            Self::AiFailed => ("ai_failed", "The AI returned an error", StatusCode::BAD_GATEWAY),
            Self::AiCrashed => ("ai_crashed", "The AI crashed", StatusCode::BAD_GATEWAY),
            Self::AiOutOfMemory => ("ai_out_of_memory", "The AI ran out of memory", StatusCode::BAD_GATEWAY),
            Self::AiIllegalMove => {
                ("ai_illegal_move", "The AI played no legal move", StatusCode::BAD_GATEWAY)
            }
            Self::AiProtocol => ("ai_protocol_error", "The AI broke the protocol", StatusCode::BAD_GATEWAY),
            Self::AiStalled => ("ai_timeout", "The AI did not answer in time", StatusCode::GATEWAY_TIMEOUT),
            Self::AiUnavailable => {
                ("ai_unavailable", "The AI is not available now", StatusCode::SERVICE_UNAVAILABLE)
            }
            Self::QueueFull => {
                ("queue_full", "Too many requests wait for the AI", StatusCode::SERVICE_UNAVAILABLE)
            }
            Self::ServerBusy => {
                ("server_busy", "The server receives too much at once", StatusCode::SERVICE_UNAVAILABLE)
            }
            Self::Internal => ("internal", "A bug of the server", StatusCode::INTERNAL_SERVER_ERROR),
        }
    }

    /// Its stable name.
    pub(crate) const fn name(self) -> &'static str {
        self.row().0
    }

    /// Its title.
    pub(crate) const fn title(self) -> &'static str {
        self.row().1
    }

    /// Its status.
    pub(crate) fn status(self) -> u16 {
        self.row().2.as_u16()
    }

    /// Its status in the calls of 2014.
    pub(crate) fn status_of_2014(self) -> u16 {
        Problem::new(self, "").with_status_of_2014().status.as_u16()
    }

    fn of(error: &RequestError) -> Self {
        match error {
            RequestError::Malformed(_) | RequestError::WrongOptions(_) => Self::MalformedRequest,
            RequestError::AiNotAllowed { .. } => Self::AiNotAllowed,
            RequestError::UnknownAi { .. } => Self::UnknownAi,
            RequestError::IllegalGame(_) => Self::IllegalGame,
            RequestError::Service(error) => match error {
                ServiceError::NoEvaluator { .. }
                | ServiceError::NoChess960 { .. }
                | ServiceError::NoTrace { .. } => Self::MalformedRequest,
                ServiceError::Fault { fault, .. } | ServiceError::NotForFallback { fault, .. } => {
                    Self::of_fault(fault)
                }
                ServiceError::ReportTimeout { .. } => Self::QueueFull,
                ServiceError::Internal(_) => Self::Internal,
            },
        }
    }

    fn of_fault(fault: &Fault) -> Self {
        match fault {
            Fault::BlockedRequest { fault, .. } => Self::of_fault(fault),
            Fault::Failed(_) => Self::AiFailed,
            Fault::Crashed(_) | Fault::Killed(_) => Self::AiCrashed,
            Fault::OutOfMemory(_) => Self::AiOutOfMemory,
            Fault::IllegalMove(_) => Self::AiIllegalMove,
            Fault::Protocol(_) => Self::AiProtocol,
            Fault::Stalled(_) => Self::AiStalled,
            Fault::Unavailable { .. } | Fault::ShuttingDown(_) => Self::AiUnavailable,
            Fault::QueueFull { .. } | Fault::NotStarted { .. } => Self::QueueFull,
        }
    }
}

/// An error on its way to the client.
#[derive(Debug)]
pub(crate) struct Problem {
    code: Code,
    status: StatusCode,
    detail: String,
    pointer: Option<String>,
    issues: Option<Vec<Issue>>,
    retry_after: Option<Duration>,
    allow: Option<&'static str>,
}

impl Problem {
    /// A problem of a code, with what was found, what was expected and what to do. A key is not shown, wherever in its
    /// request a client has put it.
    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        let status = code.row().2;
        Self {
            code,
            status,
            detail: concealed(&detail.into()).into_owned(),
            pointer: None,
            issues: None,
            retry_after: None,
            allow: None,
        }
    }

    /// The client has asked as much as it may; when it may ask again.
    pub(crate) fn rate_limited(detail: String, retry_after: Duration) -> Self {
        Self { retry_after: Some(retry_after), ..Self::new(Code::RateLimited, detail) }
    }

    /// There is no memory left for the body of the request.
    pub(crate) fn server_busy(detail: String) -> Self {
        Self { retry_after: Some(BUSY_RETRY_AFTER), ..Self::new(Code::ServerBusy, detail) }
    }

    /// The method is none of those allowed, as the header `Allow` lists them.
    pub(crate) fn method_not_allowed(found: &Method, allowed: &'static str) -> Self {
        let found = printable(found.as_str());
        let detail = format!("{found} is not allowed here; use {allowed}");
        Self { allow: Some(allowed), ..Self::new(Code::MethodNotAllowed, detail) }
    }

    /// The same problem with the status that the seed's clients know for it: 400 for a game that is not legal.
    pub(crate) fn with_status_of_2014(mut self) -> Self {
        if self.code == Code::IllegalGame {
            self.status = StatusCode::BAD_REQUEST;
        }
        self
    }
}

impl From<RequestError> for Problem {
    fn from(error: RequestError) -> Self {
        Self::from(&error)
    }
}

impl From<&RequestError> for Problem {
    fn from(error: &RequestError) -> Self {
        let mut problem = Self::new(Code::of(error), error.to_string());
        match error {
            RequestError::Malformed(Malformed { pointer, .. }) => {
                problem.pointer = Some(concealed(pointer).into_owned());
            }
            RequestError::IllegalGame(game) => problem.issues = Some(without_keys(&game.issues)),
            RequestError::WrongOptions(options) => {
                let issues = without_keys(&options.issues);
                problem.pointer = issues.first().map(|issue| issue.pointer.clone());
                problem.issues = Some(issues);
            }
            RequestError::Service(error) => match error {
                ServiceError::NoEvaluator { .. } | ServiceError::NoChess960 { .. } => {
                    problem.pointer = Some("/ai".into());
                }
                ServiceError::NoTrace { .. } => problem.pointer = Some("/trace".into()),
                ServiceError::Fault { fault, .. } | ServiceError::NotForFallback { fault, .. } => {
                    problem.retry_after = fault.retry_after();
                }
                ServiceError::ReportTimeout { .. } => problem.retry_after = Some(BUSY_RETRY_AFTER),
                ServiceError::Internal(_) => {}
            },
            RequestError::AiNotAllowed { .. } | RequestError::UnknownAi { .. } => {}
        }
        problem
    }
}

/// The issues, with concealed keys of clients.
fn without_keys(issues: &[Issue]) -> Vec<Issue> {
    let fit = |issue: &Issue| Issue {
        message: concealed(&issue.message).into_owned(),
        pointer: concealed(&issue.pointer).into_owned(),
        ..issue.clone()
    };
    issues.iter().map(fit).collect()
}

impl From<Malformed> for Problem {
    fn from(malformed: Malformed) -> Self {
        RequestError::from(malformed).into()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.name(), self.detail)
    }
}

/// The body of an error.
#[derive(Debug, Serialize)]
pub(crate) struct ProblemBody {
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
    /// Where there is no header that could say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_s: Option<u64>,
}

impl Problem {
    /// Its code.
    pub(crate) const fn code(&self) -> Code {
        self.code
    }

    /// The last record of a stream, whose own type takes the place of the problem's.
    pub(crate) fn record(&self, request_id: Option<&RequestId>) -> ProblemBody {
        self.log();
        ProblemBody { r#type: None, ..self.part(request_id) }
    }

    /// A part of a reply that is no error as a whole.
    pub(crate) fn part(&self, request_id: Option<&RequestId>) -> ProblemBody {
        ProblemBody { retry_after_s: self.retry_after_s(), ..self.body(request_id) }
    }

    fn body(&self, request_id: Option<&RequestId>) -> ProblemBody {
        let (code, title, _) = self.code.row();
        ProblemBody {
            r#type: Some(format!("urn:rookery:problem:{code}")),
            title,
            status: self.status.as_u16(),
            detail: self.detail.clone(),
            code,
            request_id: request_id.cloned(),
            pointer: self.pointer.clone(),
            issues: self.issues.clone(),
            retry_after_s: None,
        }
    }

    /// Whole seconds, and never so few that the client comes too early.
    fn retry_after_s(&self) -> Option<u64> {
        self.retry_after.map(|wait| (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1))
    }

    fn log(&self) {
        if self.status.is_server_error() {
            tracing::warn!(code = self.code.name(), detail = self.detail, "a request failed");
        }
    }

    fn response(&self, request_id: Option<&RequestId>) -> HttpResponse {
        let body = self.body(request_id);
        let text = serde_json::to_string(&body).unwrap_or_else(|_| json!({"code": "internal"}).to_string());
        let mut response =
            HttpResponse::build(self.status).content_type("application/problem+json").body(text);
        response.extensions_mut().insert(self.code);
        if let Some(seconds) = self.retry_after_s() {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(allow) = self.allow {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
        }
        response
    }
}

/// Returns the reply as JSON, or the problem with its status.
pub(crate) fn respond<T: Serialize>(request: &HttpRequest, reply: Result<T, Problem>) -> HttpResponse {
    match reply {
        Ok(reply) => HttpResponse::Ok().json(reply),
        Err(problem) => problem.respond_to(request),
    }
}

/// The response of a middleware that rejects a request.
pub(crate) fn refuse(request: HttpRequest, problem: Problem) -> ServiceResponse<BoxBody> {
    let response = problem.respond_to(&request);
    ServiceResponse::new(request, response)
}

impl Responder for Problem {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        self.log();
        self.response(request.extensions().get::<RequestId>())
    }
}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        self.response(RequestId::current().as_ref())
    }
}
