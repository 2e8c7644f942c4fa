//! `POST /mcp`: tools for assistants.

mod access;
mod foreign;

use serde_json::{Value, json};

use crate::support::{Application, ConfigFile, Reply, basic1_and, tablebases, with_ais};

const ENABLED: &str = "[mcp]\nenabled = true\n";

/// Each tool with its call and accepted arguments.
pub(crate) fn examples() -> [(&'static str, &'static str, Value); 10] {
    let game = json!({"moves": ["e2e4", "e7e5", "g1f3"]});
    let limit = json!({"depth": 2});
    [
        ("legal_moves", "/v1/legal-moves", json!({"game": game})),
        (
            "validate_game",
            "/v1/validate",
            json!({"game": {"san": ["e4", "e5", "Nf3"]}}),
        ),
        (
            "best_move",
            "/v1/best-move",
            json!({"game": game, "limit": limit}),
        ),
        (
            "compare_ais",
            "/v1/compare",
            json!({"game": game, "ais": ["basic1", "pawns"], "limit": limit}),
        ),
        ("evaluate", "/v1/evaluate", json!({"game": game})),
        (
            "report",
            "/v1/report",
            json!({"game": game, "limit": limit}),
        ),
        (
            "why",
            "/v1/why",
            json!({"game": {"moves": ["f2f3", "e7e5"]}, "move": "g4", "limit": limit}),
        ),
        (
            "why_illegal",
            "/v1/reachable",
            json!({"game": game, "square": "f8"}),
        ),
        (
            "tablebase",
            "/v1/tablebase",
            json!({"game": {"fen": "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1"}}),
        ),
        ("list_ais", "/v1/ais", json!({})),
    ]
}

/// Parts of the text of each example's result.
pub(crate) const TEXTS: [(&str, &[&str]); 10] = [
    (
        "legal_moves",
        &[
            "29 legal moves: ",
            " Nf6",
            "Black to move.",
            "Moves: 1. e4 e5 2. Nf3",
        ],
    ),
    (
        "validate_game",
        &[
            "The game is legal.",
            "Opening: King's Knight Opening",
            "3  . . . . . N . .",
        ],
    ),
    (
        "best_move",
        &["basic1 plays ", "; expected: ", "White to move"],
    ),
    ("compare_ais", &["basic1 plays ", "pawns plays "]),
    ("evaluate", &["material: equal", "Black to move."]),
    ("report", &["White's accuracy: ", "Black's accuracy: "]),
    (
        "why",
        &[
            "g4 is a blunder",
            "It allows mate in 1: then Qh4#; instead ",
        ],
    ),
    (
        "why_illegal",
        &[
            "The black bishop can go to a3, b4, c5, d6, e7.",
            "Not to g7: own piece",
        ],
    ),
    (
        "tablebase",
        &[
            "For the side to move: win (distance to zeroing ",
            "Kd6: ",
            "FEN: 4k3/8/4K3/4P3/8/8/8/8 w - - 0 1",
        ],
    ),
    ("list_ais", &["basic1: Basic1 ", "searcher and evaluator, "]),
];

/// A configuration for the examples.
pub(crate) fn configuration() -> ConfigFile {
    with_ais(
        &[("basic1", "ai_basic1", ""), ("pawns", "counts_pawns", "")],
        &(tablebases() + ENABLED),
    )
}

/// A JSON-RPC request.
pub(crate) fn message(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

pub(crate) fn initialize() -> Value {
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    message(1, "initialize", &params)
}

pub(crate) fn call(tool: &str, arguments: &Value) -> Value {
    message(
        7,
        "tools/call",
        &json!({"name": tool, "arguments": arguments}),
    )
}

/// The text of a tool's result.
#[track_caller]
pub(crate) fn text_of(result: &Value) -> &str {
    result["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{result}"))
}

/// Checks that a tool failed and returns the text that the language model reads.
#[track_caller]
pub(crate) fn tool_error(result: &Value) -> &str {
    assert_eq!(
        (&result["isError"], result.get("structuredContent")),
        (&json!(true), None),
        "{result}"
    );
    text_of(result)
}

async fn send(app: &Application, message: &Value) -> Reply {
    app.post_with(
        &[("Accept", "application/json, text/event-stream")],
        "/mcp",
        message,
    )
    .await
}

async fn result_of(app: &Application, message: &Value) -> Value {
    let reply = send(app, message).await.ok();
    assert_eq!(
        (&reply["jsonrpc"], &reply["id"]),
        (&json!("2.0"), &message["id"]),
        "{reply}"
    );
    reply["result"].clone()
}

/// Removes search times, and whether an answer was cached.
pub(crate) fn timeless(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            fields.remove("time_ms");
            fields.remove("cached");
            fields
                .values_mut()
                .for_each(|field| *field = timeless(field.take()));
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| *item = timeless(item.take())),
        _ => {}
    }
    value
}

#[actix_web::test]
async fn every_tool_returns_the_reply_of_its_call() {
    let app = Application::of(&configuration());
    let started = result_of(&app, &initialize()).await;
    assert_eq!(started["protocolVersion"], "2025-11-25");
    assert_eq!(started["serverInfo"]["name"], "rookery");
    let listed = result_of(&app, &message(2, "tools/list", &json!({}))).await["tools"].clone();
    let listed = listed.as_array().unwrap();
    let names: Vec<_> = listed
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, examples().map(|(name, ..)| name));
    for (((name, path, arguments), tool), (_, parts)) in
        examples().into_iter().zip(listed).zip(TEXTS)
    {
        let input = &tool["inputSchema"];
        assert_eq!(
            (&input["type"], &tool["outputSchema"]["type"]),
            (&json!("object"), &json!("object")),
            "{name}"
        );
        assert!(!input.to_string().contains("\"null\""), "{name}: {input}");
        let form = jsonschema::validator_for(input).unwrap();
        assert!(form.is_valid(&arguments), "{name}: {input}");
        assert!(!form.is_valid(&json!({"gmae": {}})), "{name}: {input}");
        let result = result_of(&app, &call(name, &arguments)).await;
        assert_eq!(result["isError"], false, "{name}: {result}");
        let structured = &result["structuredContent"];
        if let Err(error) = jsonschema::validate(&tool["outputSchema"], structured) {
            panic!("{name}: {error}: {structured}");
        }
        let expected = if name == "list_ais" {
            json!({"ais": app.get(path).await.ok()})
        } else {
            app.post(path, &arguments).await.ok()
        };
        assert_eq!(timeless(structured.clone()), timeless(expected), "{name}");
        for part in parts {
            assert!(
                text_of(&result).contains(part),
                "{name}: no {part} in {}",
                text_of(&result)
            );
        }
    }
}

#[actix_web::test]
async fn a_result_links_to_the_picture_of_its_board() {
    let app = Application::of(&configuration());
    let arguments = json!({"game": {"moves": ["e2e4"]}});
    let link = result_of(&app, &call("validate_game", &arguments)).await["content"][1].clone();
    assert_eq!(
        (&link["type"], &link["mimeType"]),
        (&json!("resource_link"), &json!("image/svg+xml"))
    );
    let read = async |uri: &Value| {
        let read = result_of(&app, &message(3, "resources/read", &json!({"uri": uri}))).await;
        read["contents"][0]["text"].as_str().unwrap().to_owned()
    };
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR%20b%20KQkq%20-%200%201";
    let picture = app.get(&format!("/v1/board.svg?fen={fen}")).await;
    assert_eq!(
        picture.body.as_str(),
        Some(read(&link["uri"]).await.as_str())
    );
    let listed = result_of(&app, &message(4, "resources/list", &json!({}))).await;
    let start = read(&listed["resources"][0]["uri"]).await;
    assert_eq!(
        app.get("/v1/board.svg").await.body.as_str(),
        Some(start.as_str())
    );
    let templates = result_of(&app, &message(5, "resources/templates/list", &json!({}))).await;
    let template = templates["resourceTemplates"][0]["uriTemplate"]
        .as_str()
        .unwrap();
    assert_eq!(
        template,
        "rookery://board.svg{?fen,arrows,last_move,orientation,size}"
    );
    for (uri, code, detail) in [
        (
            "file:///etc/passwd",
            -32002,
            "there is no resource 'file:///etc/passwd'; the only one is rookery://board.svg",
        ),
        ("rookery://board.svgx", -32002, "there is no resource"),
        (
            "rookery://board.svg?fen=8/8",
            -32602,
            "the game is not legal",
        ),
        (
            "rookery://board.svg?size=1",
            -32602,
            "it must be a whole number from 64 to 2048",
        ),
        (
            "rookery://board.svg?color=red",
            -32602,
            "there is no field 'color' here",
        ),
    ] {
        let error = send(&app, &message(6, "resources/read", &json!({"uri": uri})))
            .await
            .ok()["error"]
            .clone();
        assert_eq!(error["code"], code, "{uri}: {error}");
        assert!(
            error["message"].as_str().unwrap().contains(detail),
            "{uri}: {error}"
        );
    }
}

/// Arguments that a tool rejects, and parts of its error.
pub(crate) fn mistakes() -> [(&'static str, Value, &'static [&'static str]); 8] {
    [
        (
            "validate_game",
            json!({"game": {"moves": ["e2e4", "e7e5", "e4e5"]}}),
            &[
                "illegal_game: the game is not legal",
                "at /game/moves/2: ",
                "(illegal_move)",
            ],
        ),
        (
            "legal_moves",
            json!({}),
            &[
                "malformed_request: the field 'game' is missing; add it",
                "at /game",
            ],
        ),
        (
            "legal_moves",
            json!({"game": {"fenn": ""}}),
            &["did you mean 'fen'?", "at /game/fenn"],
        ),
        (
            "best_move",
            json!({"game": {}, "ai": "basic2"}),
            &["unknown_ai: there is no AI 'basic2'; did you mean 'basic1'?"],
        ),
        (
            "best_move",
            json!({"game": {}, "limit": {"depth": 0}}),
            &["malformed_request: ", "at /limit/depth"],
        ),
        (
            "compare_ais",
            json!({"game": {}, "ais": []}),
            &["'ais' is empty", "at /ais"],
        ),
        ("tablebase", json!({"game": {}}), &["tablebase_missing: "]),
        (
            "list_ais",
            json!({"game": {}}),
            &[
                "malformed_request: no fields are allowed here; remove 'game'",
                "at /game",
            ],
        ),
    ]
}

#[actix_web::test]
async fn a_tool_error_says_what_to_fix() {
    let app = Application::of(&configuration());
    for (tool, arguments, parts) in mistakes() {
        let result = result_of(&app, &call(tool, &arguments)).await;
        let error = tool_error(&result);
        for part in parts {
            assert!(error.contains(part), "{tool}: no {part} in {error}");
        }
    }
    let metrics = app.get("/metrics").await.body;
    let counted = r#"rookery_http_requests_total{route="/mcp",status="200",code="illegal_game"} 1"#;
    assert!(metrics.as_str().unwrap().contains(counted), "{metrics}");
}

#[actix_web::test]
async fn rejects_unknown_tools_methods_and_versions() {
    let app = Application::of(&configuration());
    let error = async |message: &Value| send(&app, message).await.ok()["error"].clone();
    let unknown = error(&call("play_go", &json!({}))).await;
    assert_eq!(unknown["code"], -32602);
    let detail = unknown["message"].as_str().unwrap();
    assert!(
        detail.starts_with("there is no tool 'play_go'; the tools are legal_moves, "),
        "{detail}"
    );
    assert_eq!(
        error(&message(3, "tools/play", &json!({}))).await["code"],
        -32601
    );
    assert_eq!(
        error(&message(4, "prompts/list", &json!({}))).await["code"],
        -32601
    );
    for body in [
        "{",
        "[]",
        "{}",
        "null",
        "7",
        "\"x\"",
        "",
        "{\"jsonrpc\": \"2.0\"}",
        "[{}]",
    ] {
        app.post_text("/mcp", body)
            .await
            .check_error(400, "malformed_request");
    }
    let notified = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let accepted = send(&app, &notified).await;
    assert_eq!((accepted.status, &accepted.body), (202, &Value::Null));
    let version = [("MCP-Protocol-Version", "1999-01-01")];
    app.post_with(&version, "/mcp", &call("list_ais", &json!({})))
        .await
        .check_error(400, "malformed_request");
}

#[actix_web::test]
async fn answers_clients_that_accept_only_json() {
    let app = Application::of(&configuration());
    let reply = app
        .post("/mcp", &call("validate_game", &json!({"game": {}})))
        .await;
    assert_eq!(reply.header("Content-Type"), Some("application/json"));
    assert_eq!(
        reply.ok()["result"]["structuredContent"]["game"]["moves"],
        json!([])
    );
}

#[actix_web::test]
async fn answers_the_stateless_revision() {
    let app = Application::of(&configuration());
    let client = json!({"name": "test", "version": "1"});
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": client,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let headers = |method| {
        [
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", method),
            ("Mcp-Name", "validate_game"),
        ]
    };
    let discover = message(1, "server/discover", &json!({"_meta": meta}));
    let found = app
        .post_with(&headers("server/discover")[..2], "/mcp", &discover)
        .await
        .ok();
    assert!(
        found["result"]["supportedVersions"]
            .as_array()
            .unwrap()
            .contains(&json!("2026-07-28")),
        "{found}"
    );
    let params = json!({"name": "validate_game", "arguments": {"game": {}}, "_meta": meta});
    let called = app
        .post_with(
            &headers("tools/call"),
            "/mcp",
            &message(2, "tools/call", &params),
        )
        .await
        .ok();
    assert_eq!(called["result"]["resultType"], "complete", "{called}");
    assert_eq!(
        called["result"]["structuredContent"]["game"]["moves"],
        json!([]),
        "{called}"
    );
}

#[actix_web::test]
async fn is_off_by_default() {
    let app = Application::of(&basic1_and(""));
    let detail = send(&app, &initialize())
        .await
        .check_error(404, "not_found");
    assert!(
        detail.ends_with("the operator can set `enabled = true` in [mcp]"),
        "{detail}"
    );
}
