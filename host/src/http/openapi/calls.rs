//! The calls, each with its form, its reply, its errors and examples.

use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{super::v1::ToldAi, Code, Schemas, schema_of};
use crate::{
    arbiter::{
        AgreementReply, AiReply, BestMoveForm, BestMoveReply, ChosenReply, CompareForm, ConvertForm,
        EvaluateForm, EvaluateReply, GameReply, LegalMovesForm, LegalMovesReply, ReachableForm,
        ReachableReply, ReportForm, ReportReply, ValidateForm, ValidateReply,
        blogchess::{ChessGameForm, ChessGameReply, ChessPositionReply},
    },
    formats::FormatName,
};

type SchemaOf = fn(&mut Schemas) -> Value;

/// A call.
pub(super) struct Call {
    pub(super) id: &'static str,
    pub(super) tag: &'static str,
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    pub(super) description: &'static str,
    pub(super) parameters: fn() -> Vec<Value>,
    pub(super) form: Option<Form>,
    /// What its answer is, in words.
    pub(super) answer: &'static str,
    pub(super) replies: &'static [Reply],
    /// Headers of its answer.
    pub(super) headers: &'static [(&'static str, &'static str)],
    /// Statuses without a body.
    pub(super) bare_statuses: &'static [&'static str],
    pub(super) errors: &'static [&'static [Code]],
}

/// What a call takes.
pub(super) struct Form {
    pub(super) schema: SchemaOf,
    pub(super) example: &'static str,
}

/// What a call answers.
pub(super) struct Reply {
    pub(super) media_type: &'static str,
    pub(super) schema: SchemaOf,
    pub(super) example: &'static str,
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
        replies: &[],
        headers: &[],
        bare_statuses: &[],
        errors: &[],
    };

    const fn post(id: &'static str, path: &'static str, form: Form) -> Self {
        Self { id, method: "POST", path, form: Some(form), errors: &[CLIENT, BODY, GAME], ..Self::EMPTY }
    }

    pub(super) fn is_of_2014(&self) -> bool {
        self.path.starts_with("/api/")
    }
}

const fn form<T: ToSchema>(example: &'static str) -> Form {
    Form { schema: schema_of::<T>, example }
}

const fn reply<T: ToSchema>(example: &'static str) -> Reply {
    Reply { media_type: JSON, schema: schema_of::<T>, example }
}

const JSON: &str = "application/json";
const HTML: &str = "text/html; charset=utf-8";
/// A record in each line.
const NDJSON: Reply = Reply { media_type: "application/x-ndjson", schema: text, example: "" };
/// A record in each event.
const EVENTS: Reply = Reply { media_type: "text/event-stream", schema: text, example: "" };
/// What may be wrong with who asks, and with the server.
const CLIENT: &[Code] = &[Code::UnknownClient, Code::RateLimited, Code::Internal];
const BODY: &[Code] = &[Code::MalformedRequest, Code::BodyTooLarge, Code::UnsupportedMediaType];
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

fn anything(_: &mut Schemas) -> Value {
    json!({"type": "object"})
}

/// Each AI's move, or its problem.
fn compared(schemas: &mut Schemas) -> Value {
    let (game, ai) = (schema_of::<GameReply>(schemas), schema_of::<AiReply>(schemas));
    let (chosen, agreement) = (schema_of::<ChosenReply>(schemas), schema_of::<AgreementReply>(schemas));
    let answer = json!({
        "type": "object",
        "required": ["ai"],
        "properties": {"ai": ai, "error": {"$ref": "#/components/schemas/Problem"}},
        "anyOf": [chosen, {"required": ["error"]}]
    });
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

/// A field for each format, one of which is there.
fn converted(schemas: &mut Schemas) -> Value {
    schema_of::<FormatName>(schemas);
    let game = schema_of::<crate::arbiter::Assumptions>(schemas);
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
            "dropped": {"type": "array", "description": "What of the game the format does not hold.", "items": {"type": "string"}},
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

const GAME_2014: &str = r#"{"GameStatus": "WhitesTurn", "Positions": [{"Board": [[0,0,0,0,0,0,0,-6],[0,0,0,0,0,0,-1,-1],[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0],[4,0,0,0,0,0,6,0]]}]}"#;

/// Every call.
pub(super) const CALLS: &[Call] = &[
    Call {
        tag: "AIs",
        summary: "The best move",
        description: "Asks an AI for its move, checks it and plays it. With `Accept: application/x-ndjson` or `text/event-stream` \
                      the answer comes as it is thought of: a `start` record, `info` records, and one last `result` or `error`. \
                      `options` sets, for this request, what the AI's schema in `/v1/ais` does not call `readOnly`.",
        answer: "The move, the game with it, and how it was found; `move` is null where the game is over.",
        replies: &[
            reply::<BestMoveReply>(
                r#"{"move": {"uci": "h5f7", "san": "Qxf7#", "from": "h5", "to": "f7", "promotion": null, "capture": true, "check": true},
                "score": {"mate": 1}, "game": {"fen": "r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4",
                "start_fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "moves": ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"],
                "status": {"state": "win", "winner": "white", "reason": "checkmate", "turn": "black", "check": true, "claims": []}},
                "search": {"depth": 3, "nodes": 468, "time_ms": 1, "pv": ["h5f7"], "san": ["Qxf7#"], "stopped_by": "depth"},
                "ai": {"id": "basic1", "name": "Basic1", "version": "0.1.0"}}"#,
            ),
            NDJSON,
            EVENTS,
        ],
        errors: &[CLIENT, BODY, GAME, AI],
        ..Call::post(
            "bestMove",
            "/v1/best-move",
            form::<BestMoveForm>(
                r#"{"game": {"moves": ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6"]}, "limit": {"depth": 3}}"#,
            ),
        )
    },
    Call {
        tag: "AIs",
        summary: "Several AIs on one position",
        description: "Each answers by its move or its error, with its options as they are configured; `agreement` tells who chose \
                      the same. It can be streamed as the best move can.",
        replies: &[Reply { media_type: JSON, schema: compared, example: "" }, NDJSON, EVENTS],
        errors: &[CLIENT, BODY, GAME, AI],
        ..Call::post(
            "compare",
            "/v1/compare",
            form::<CompareForm>(r#"{"game": {"moves": ["e2e4"]}, "ais": ["basic1"], "limit": {"depth": 1}}"#),
        )
    },
    Call {
        tag: "AIs",
        summary: "Every move of a game, judged",
        description: "How much each move lost, what would have been better, and how accurate each side was. It can be streamed as \
                      the best move can.",
        replies: &[reply::<ReportReply>(""), NDJSON, EVENTS],
        errors: &[CLIENT, BODY, GAME, AI],
        ..Call::post(
            "report",
            "/v1/report",
            form::<ReportForm>(r#"{"game": {"pgn": "1. f3 e5 2. g4 Qh4# 0-1"}, "limit": {"depth": 1}}"#),
        )
    },
    Call {
        tag: "AIs",
        summary: "What an AI thinks of a position, without looking ahead",
        description: "Only an AI whose `kinds` name `evaluator` can say.",
        replies: &[reply::<EvaluateReply>(
            r#"{"score": {"cp": 110}, "terms": [{"name": "material", "score": {"cp": 100}}, {"name": "mobility", "score": {"cp": 10}}],
            "ai": {"id": "basic1", "name": "Basic1", "version": "0.1.0"}}"#,
        )],
        errors: &[CLIENT, BODY, GAME, AI],
        ..Call::post(
            "evaluate",
            "/v1/evaluate",
            form::<EvaluateForm>(r#"{"game": {"moves": ["e2e4", "d7d5", "e4d5"]}}"#),
        )
    },
    Call {
        summary: "The legal moves",
        description: "Of every piece, or of the one on the square `from`.",
        replies: &[reply::<LegalMovesReply>("")],
        ..Call::post(
            "legalMoves",
            "/v1/legal-moves",
            form::<LegalMovesForm>(r#"{"game": {"fen": "8/4P3/8/8/8/k7/8/K7 w - - 0 1"}, "from": "e7"}"#),
        )
    },
    Call {
        summary: "Where a piece can go, and why not there",
        description: "Every square that the piece sees, each legal or not and why.",
        replies: &[reply::<ReachableReply>(
            r#"{"piece": {"color": "white", "role": "knight"}, "squares": [
            {"to": "f2", "movement": "jump", "legal": false, "why": "leaves_king_in_check", "by": "c3"},
            {"to": "g3", "movement": "jump", "legal": false, "why": "leaves_king_in_check", "by": "c3"}]}"#,
        )],
        ..Call::post(
            "reachable",
            "/v1/reachable",
            form::<ReachableForm>(
                r#"{"game": {"fen": "4k3/8/8/8/8/2b5/8/R3K2N w Q - 0 1"}, "square": "h1"}"#,
            ),
        )
    },
    Call {
        summary: "Whether a game is legal",
        description: "Where it is not, everything that is wrong with it is told at once.",
        replies: &[reply::<ValidateReply>("")],
        ..Call::post(
            "validate",
            "/v1/validate",
            form::<ValidateForm>(r#"{"game": {"pgn": "1. e4 e5 2. Nf3 Nc6 *"}}"#),
        )
    },
    Call {
        summary: "A game in another format",
        description: "What the format does not hold is named in `dropped`.",
        replies: &[Reply {
            media_type: JSON,
            schema: converted,
            example: r#"{"fen": "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", "dropped": ["moves"]}"#,
        }],
        ..Call::post(
            "convert",
            "/v1/convert",
            form::<ConvertForm>(r#"{"game": {"san": ["e4", "e5"]}, "to": "fen"}"#),
        )
    },
    Call {
        id: "board",
        path: "/v1/board.svg",
        summary: "A picture of a position",
        description: "A king in check is marked. The picture may be kept for a day, and is asked for again by its `ETag`.",
        parameters: picture_parameters,
        answer: "The picture.",
        replies: &[Reply { media_type: "image/svg+xml", schema: text, example: "" }],
        headers: &[("ETag", "The tag of the picture."), ("Cache-Control", "How long it may be kept.")],
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
        replies: &[Reply { media_type: JSON, schema: list::<ToldAi>, example: "" }],
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
        replies: &[reply::<ToldAi>("")],
        errors: &[CLIENT, &[Code::UnknownAi]],
        ..Call::EMPTY
    },
    Call {
        tag: "2014",
        summary: "The best move, as in 2014",
        description: "A game is a status and all positions, and comes back with one more.",
        replies: &[reply::<ChessGameReply>("")],
        errors: &[CLIENT, BODY, GAME, AI],
        ..Call::post("bestMove2014", "/api/BlogChess/BestMove", form::<ChessGameForm>(GAME_2014))
    },
    Call {
        tag: "2014",
        summary: "The boards that can follow, as in 2014",
        description: "Each is the position after one legal move.",
        replies: &[Reply { media_type: JSON, schema: list::<ChessPositionReply>, example: "" }],
        ..Call::post("validMoves2014", "/api/BlogChess/ValidMoves", form::<ChessGameForm>(GAME_2014))
    },
    Call {
        id: "healthz",
        tag: "server",
        path: "/healthz",
        summary: "Whether the server lives",
        description: "It says so as long as it does.",
        replies: &[Reply { media_type: JSON, schema: status, example: r#"{"status": "alive"}"# }],
        ..Call::EMPTY
    },
    Call {
        id: "readyz",
        tag: "server",
        path: "/readyz",
        summary: "Whether the server is ready to answer",
        description: "It is not while it is ending, or while an AI of the configuration is not available.",
        replies: &[Reply { media_type: JSON, schema: status, example: r#"{"status": "ready"}"# }],
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
        replies: &[Reply {
            media_type: "application/openmetrics-text; version=1.0.0; charset=utf-8",
            schema: text,
            example: "",
        }],
        errors: &[&[Code::UnknownClient, Code::RateLimited, Code::NotFound, Code::Internal]],
        ..Call::EMPTY
    },
    Call {
        id: "openapi",
        tag: "server",
        path: "/openapi.json",
        summary: "This document",
        description: "OpenAPI 3.1; `/docs` is a page for it.",
        replies: &[Reply { media_type: JSON, schema: anything, example: "" }],
        ..Call::EMPTY
    },
    Call {
        id: "docs",
        tag: "server",
        path: "/docs",
        summary: "A page for this document",
        description: "It shows the calls and makes them.",
        answer: "The page.",
        replies: &[Reply { media_type: HTML, schema: text, example: "" }],
        headers: &[("ETag", "The tag of the page.")],
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
        replies: &[Reply { media_type: HTML, schema: text, example: "" }],
        headers: &[("ETag", "The tag of the page.")],
        bare_statuses: &["304"],
        ..Call::EMPTY
    },
];
