//! The calls, each with its form, its reply, its errors and examples.

use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{
    super::v1::ToldAi,
    Code, Schemas,
    records::{COMPARE_RECORDS, MOVE_RECORDS, REPORT_RECORDS, RecordRow},
    schema_of,
};
use crate::arbiter::{
    AgreementReply, AiReply, BestMoveForm, BestMoveReply, ChosenReply, CompareForm, ConvertForm,
    EvaluateForm, EvaluateReply, GameReply, LegalMovesForm, LegalMovesReply, PartWord, ReachableForm,
    ReachableReply, ReportForm, ReportReply, ValidateForm, ValidateReply,
    blogchess::{ChessGameForm, ChessGameReply, ChessPositionReply},
};
use formats::FormatName;

/// Gives a schema, and puts among the others what it refers to.
pub(super) type SchemaOf = fn(&mut Schemas) -> Value;

/// A call.
pub(super) struct Call {
    pub(super) id: &'static str,
    pub(super) tag: &'static str,
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    pub(super) description: &'static str,
    pub(super) parameters: fn() -> Vec<Value>,
    /// What it takes, where it takes something.
    pub(super) form: Option<SchemaOf>,
    /// What its answer is, in words.
    pub(super) answer: &'static str,
    pub(super) reply: Reply,
    /// What a stream of its answer is made of, where there is one.
    pub(super) records: &'static [RecordRow],
    /// A request, its reply and the records of a stream, in JSON; each where there is one. A line of a text that is too long
    /// ends in `…`.
    pub(super) example: &'static str,
    /// Headers of the request, and of its answer.
    pub(super) header_parameters: &'static [(&'static str, &'static str)],
    pub(super) headers: &'static [(&'static str, &'static str)],
    /// Statuses without a body.
    pub(super) bare_statuses: &'static [&'static str],
    pub(super) errors: &'static [&'static [Code]],
}

/// What a call answers.
pub(super) struct Reply {
    pub(super) media_type: &'static str,
    pub(super) schema: SchemaOf,
}

impl Call {
    const EMPTY: Self = Self {
        id: "",
        tag: "chess",
        method: "GET",
        path: "",
        summary: "",
        description: "",
        parameters: Vec::new,
        form: None,
        answer: "The answer.",
        reply: Reply { media_type: JSON, schema: document },
        records: &[],
        example: "",
        header_parameters: &[],
        headers: &[],
        bare_statuses: &[],
        errors: &[],
    };

    const fn post<T: ToSchema>(id: &'static str, path: &'static str, example: &'static str) -> Self {
        let form = Some(schema_of::<T> as SchemaOf);
        Self { id, method: "POST", path, form, example, errors: &[CLIENT, BODY, GAME], ..Self::EMPTY }
    }

    /// Whether it matters who asks.
    pub(super) fn knows_clients(&self) -> bool {
        self.errors.iter().any(|codes| codes.contains(&Code::UnknownClient))
    }

    pub(super) fn is_of_2014(&self) -> bool {
        self.path.starts_with("/api/")
    }
}

const fn reply<T: ToSchema>() -> Reply {
    Reply { media_type: JSON, schema: schema_of::<T> }
}

const JSON: &str = "application/json";
const HTML: &str = "text/html; charset=utf-8";
/// Of an answer that may be kept and asked for again by its tag.
const TAGGED: &[(&str, &str)] =
    &[("ETag", "The tag of the answer."), ("Cache-Control", "How long it may be kept.")];
/// Of a page.
const PAGE: &[(&str, &str)] =
    &[TAGGED[0], TAGGED[1], ("Vary", "`Accept-Encoding`: it comes compressed to whoever takes it so.")];
const IF_NONE_MATCH: &[(&str, &str)] =
    &[("If-None-Match", "The `ETag` of what the client has; if that is still the answer, it is a 304.")];
/// What may be wrong with the head of any request.
pub(super) const OF_EVERY_CALL: &[Code] = &[Code::MalformedRequest, Code::HostNotAllowed];
/// What may be wrong with who asks, and with the server.
const CLIENT: &[Code] = &[Code::UnknownClient, Code::RateLimited, Code::Internal];
const BODY: &[Code] = &[
    Code::MalformedRequest,
    Code::RequestTimeout,
    Code::BodyTooLarge,
    Code::UnsupportedMediaType,
    Code::ServerBusy,
];
const GAME: &[Code] = &[Code::IllegalGame];
const AI: &[Code] = &[
    Code::AiNotAllowed,
    Code::UnknownAi,
    Code::AiFailed,
    Code::AiCrashed,
    Code::AiOutOfMemory,
    Code::AiIllegalMove,
    Code::AiProtocol,
    Code::AiStalled,
    Code::AiUnavailable,
    Code::QueueFull,
];

fn text(_: &mut Schemas) -> Value {
    json!({"type": "string"})
}

fn list<T: ToSchema>(schemas: &mut Schemas) -> Value {
    json!({"type": "array", "items": schema_of::<T>(schemas)})
}

fn status(_: &mut Schemas) -> Value {
    json!({"type": "object", "required": ["status"], "properties": {"status": {"type": "string", "enum": ["alive", "ready"]}}})
}

fn document(_: &mut Schemas) -> Value {
    json!({"type": "object", "required": ["openapi"]})
}

/// Each AI's move, or its problem.
pub(super) fn compared(schemas: &mut Schemas) -> Value {
    let game = schema_of::<GameReply>(schemas);
    let agreement = schema_of::<AgreementReply>(schemas);
    let answer = answered(schemas);
    json!({
        "type": "object",
        "required": ["game", "answers", "agreement"],
        "properties": {
            "game": game,
            "answers": {"type": "array", "items": answer},
            "agreement": {"type": "array", "items": agreement}
        }
    })
}

/// What one of several AIs says.
pub(super) fn answered(schemas: &mut Schemas) -> Value {
    let (ai, chosen) = (schema_of::<AiReply>(schemas), schema_of::<ChosenReply>(schemas));
    json!({
        "type": "object",
        "required": ["ai"],
        "properties": {"ai": ai, "error": {"$ref": "#/components/schemas/PartialProblem"}},
        "oneOf": [chosen, {"type": "object", "required": ["error"]}]
    })
}

/// A field for each format, one of which is there.
fn converted(schemas: &mut Schemas) -> Value {
    schema_of::<FormatName>(schemas);
    let game = schema_of::<crate::arbiter::Assumptions>(schemas);
    let dropped = schema_of::<PartWord>(schemas);
    let text = json!({"type": "string"});
    let moves = json!({"type": "array", "items": {"type": "string"}});
    json!({
        "type": "object",
        "description": "One field is named like the format; beside it stands what goes with it.",
        "properties": {
            "fen": text, "xfen": text, "epd": text, "pgn": text, "html": text, "text": text, "svg": text,
            "uci": moves, "san": moves,
            "boards": {"type": "array", "items": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}},
            "turn": {"type": "string", "enum": ["white", "black"]},
            "dropped": {"type": "array", "description": "What of the game the format does not hold.", "items": dropped},
            "assumed": game
        }
    })
}

fn picture_parameters() -> Vec<Value> {
    let parameter = |name: &str, schema: Value, description: &str, example: &str| json!({"name": name, "in": "query", "required": false, "schema": schema, "description": description, "example": example});
    let text = || json!({"type": "string"});
    vec![
        parameter(
            "fen",
            text(),
            "The position; left out, the standard start.",
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        ),
        parameter(
            "arrows",
            text(),
            "Arrows, with commas between them; a square alone gets a ring.",
            "e2e4,e8",
        ),
        json!({"name": "size", "in": "query", "required": false, "description": "Width and height in pixels.",
               "schema": {"type": "integer", "minimum": 64, "maximum": 2048, "default": 480}}),
        parameter(
            "orientation",
            json!({"type": "string", "enum": ["white", "black"], "default": "white"}),
            "Whose side is below.",
            "white",
        ),
        parameter("last_move", text(), "The move that led to the position; its squares are marked.", "e7e8"),
    ]
}

fn ai_parameter() -> Vec<Value> {
    vec![json!({"name": "id", "in": "path", "required": true, "description": "The AI's id.",
                "schema": {"type": "string"}, "example": "basic1"})]
}

/// Every call.
pub(super) const CALLS: &[Call] = &[
    Call {
        tag: "AIs",
        summary: "The best move",
        description: "Asks an AI for its move, checks it and plays it. With `Accept: application/x-ndjson` or `text/event-stream` \
                      the answer comes as it is thought of: a `start` record, `info` records, and one last `result` or `error`. \
                      `options` sets, for this request, what the AI's schema in `/v1/ais` does not call `readOnly`.",
        answer: "The move, the game with it, and how it was found; `move` is null where the game is over.",
        reply: reply::<BestMoveReply>(),
        records: MOVE_RECORDS,
        errors: &[CLIENT, BODY, GAME, AI],
        ..Call::post::<BestMoveForm>("bestMove", "/v1/best-move", include_str!("examples/best_move.json"))
    },
    Call {
        tag: "AIs",
        summary: "Several AIs on one position",
        description: "Each answers by its move or its error, with its options as they are configured; `agreement` tells who chose \
                      the same. It can be streamed as the best move can.",
        reply: Reply { media_type: JSON, schema: compared },
        records: COMPARE_RECORDS,
        errors: &[CLIENT, BODY, GAME, AI],
        ..Call::post::<CompareForm>("compare", "/v1/compare", include_str!("examples/compare.json"))
    },
    Call {
        tag: "AIs",
        summary: "Every move of a game, judged",
        description: "How much each move lost, what would have been better, and how accurate each side was. It can be streamed as \
                      the best move can.",
        reply: reply::<ReportReply>(),
        records: REPORT_RECORDS,
        errors: &[CLIENT, BODY, GAME, AI],
        ..Call::post::<ReportForm>("report", "/v1/report", include_str!("examples/report.json"))
    },
    Call {
        tag: "AIs",
        summary: "What an AI thinks of a position, without looking ahead",
        description: "Only an AI whose `kinds` name `evaluator` can say.",
        reply: reply::<EvaluateReply>(),
        errors: &[CLIENT, BODY, GAME, AI],
        ..Call::post::<EvaluateForm>("evaluate", "/v1/evaluate", include_str!("examples/evaluate.json"))
    },
    Call {
        summary: "The legal moves",
        description: "Of every piece, or of the one on the square `from`.",
        reply: reply::<LegalMovesReply>(),
        ..Call::post::<LegalMovesForm>(
            "legalMoves",
            "/v1/legal-moves",
            include_str!("examples/legal_moves.json"),
        )
    },
    Call {
        summary: "Where a piece can go, and why not there",
        description: "Every square that the piece sees, each legal or not and why.",
        reply: reply::<ReachableReply>(),
        ..Call::post::<ReachableForm>("reachable", "/v1/reachable", include_str!("examples/reachable.json"))
    },
    Call {
        summary: "Whether a game is legal",
        description: "Where it is not, everything that is wrong with it is told at once.",
        reply: reply::<ValidateReply>(),
        ..Call::post::<ValidateForm>("validate", "/v1/validate", include_str!("examples/validate.json"))
    },
    Call {
        summary: "A game in another format",
        description: "What the format does not hold is named in `dropped`.",
        reply: Reply { media_type: JSON, schema: converted },
        ..Call::post::<ConvertForm>("convert", "/v1/convert", include_str!("examples/convert.json"))
    },
    Call {
        id: "board",
        path: "/v1/board.svg",
        summary: "A picture of a position",
        description: "A king in check is marked. The picture may be kept for a day, and is asked for again by its `ETag`.",
        parameters: picture_parameters,
        answer: "The picture.",
        reply: Reply { media_type: "image/svg+xml", schema: text },
        example: include_str!("examples/board.json"),
        header_parameters: IF_NONE_MATCH,
        headers: TAGGED,
        bare_statuses: &["304"],
        errors: &[CLIENT, &[Code::MalformedRequest], GAME],
        ..Call::EMPTY
    },
    Call {
        id: "ais",
        tag: "AIs",
        path: "/v1/ais",
        summary: "The AIs",
        description: "Each with its version, options, limits, state and sandbox. In the schema of the options `default` is what is set, \
                      and a request may set what is not `readOnly`.",
        reply: Reply { media_type: JSON, schema: list::<ToldAi> },
        example: include_str!("examples/ais.json"),
        errors: &[CLIENT],
        ..Call::EMPTY
    },
    Call {
        id: "ai",
        tag: "AIs",
        path: "/v1/ais/{id}",
        summary: "One AI",
        description: "A client with a key and `admin = true` is also told what it did last instead of answering.",
        parameters: ai_parameter,
        reply: reply::<ToldAi>(),
        example: include_str!("examples/ai.json"),
        errors: &[CLIENT, &[Code::UnknownAi]],
        ..Call::EMPTY
    },
    Call {
        tag: "2014",
        summary: "The best move, as in 2014",
        description: "A game is a status and all positions, and comes back with one more.",
        reply: reply::<ChessGameReply>(),
        errors: &[CLIENT, BODY, GAME, AI],
        ..Call::post::<ChessGameForm>(
            "bestMove2014",
            "/api/BlogChess/BestMove",
            include_str!("examples/best_move_2014.json"),
        )
    },
    Call {
        tag: "2014",
        summary: "The boards that can follow, as in 2014",
        description: "Each is the position after one legal move.",
        reply: Reply { media_type: JSON, schema: list::<ChessPositionReply> },
        ..Call::post::<ChessGameForm>(
            "validMoves2014",
            "/api/BlogChess/ValidMoves",
            include_str!("examples/valid_moves_2014.json"),
        )
    },
    Call {
        id: "healthz",
        tag: "server",
        path: "/healthz",
        summary: "Whether the server lives",
        description: "It says so as long as it does.",
        reply: Reply { media_type: JSON, schema: status },
        example: r#"{"reply": {"status": "alive"}}"#,
        ..Call::EMPTY
    },
    Call {
        id: "readyz",
        tag: "server",
        path: "/readyz",
        summary: "Whether the server is ready to answer",
        description: "It is not while it is ending, or while an AI of the configuration is not available.",
        reply: Reply { media_type: JSON, schema: status },
        example: r#"{"reply": {"status": "ready"}}"#,
        errors: &[&[Code::AiUnavailable]],
        ..Call::EMPTY
    },
    Call {
        id: "metrics",
        tag: "server",
        path: "/metrics",
        summary: "Numbers for Prometheus",
        description: "The configuration says who may read them.",
        answer: "The numbers in the text format of OpenMetrics.",
        reply: Reply {
            media_type: "application/openmetrics-text; version=1.0.0; charset=utf-8",
            schema: text,
        },
        example: include_str!("examples/metrics.json"),
        errors: &[&[Code::UnknownClient, Code::RateLimited, Code::NotFound, Code::Internal]],
        ..Call::EMPTY
    },
    Call {
        id: "openapi",
        tag: "server",
        path: "/openapi.json",
        summary: "This document",
        description: "OpenAPI 3.1; `/docs` is a page for it.",
        reply: Reply { media_type: JSON, schema: document },
        example: r#"{"reply": {"openapi": "3.1.0"}}"#,
        ..Call::EMPTY
    },
    Call {
        id: "docs",
        tag: "server",
        path: "/docs",
        summary: "A page for this document",
        description: "It shows the calls and makes them.",
        answer: "The page.",
        reply: Reply { media_type: HTML, schema: text },
        example: include_str!("examples/page.json"),
        header_parameters: IF_NONE_MATCH,
        headers: PAGE,
        bare_statuses: &["304"],
        ..Call::EMPTY
    },
    Call {
        id: "page",
        tag: "server",
        path: "/",
        summary: "The page to play on",
        description: "A board, the AIs, and all that they think.",
        answer: "The page.",
        reply: Reply { media_type: HTML, schema: text },
        example: include_str!("examples/page.json"),
        header_parameters: IF_NONE_MATCH,
        headers: PAGE,
        bare_statuses: &["304"],
        ..Call::EMPTY
    },
];
