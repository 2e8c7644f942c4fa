//! UCI engines as AIs: those that `make engines` installs, and a faulty one.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::Path,
};

use serde_json::{Value, json};

use crate::support::{
    Application, ConfigFile, Reply, administrator, ai, ais_text, assert_has, directories, last_fault,
    rookery, start_error, started, with_ais,
};

const ENGINES: [&str; 4] = ["stockfish", "toga2", "glaurung", "gnuchess --uci"];

fn program(command: &str) -> String {
    let program = format!("/usr/games/{}", command.split(' ').next().unwrap());
    assert!(Path::new(&program).exists(), "{program} is not installed; run 'make engines'");
    program
}

fn engine(command: &str, settings: &str) -> ConfigFile {
    let program = program(command);
    with_ais(
        &[("engine", "ai_uci", &format!("allow_exec = [\"{program}\"]"))],
        &format!("[ai.engine.options]\ncommand = \"/usr/games/{command}\"\n{settings}"),
    )
}

/// The faulty engine, in a folder that every user can read.
fn faulty_engine(fault: &str, options: &str, further: &str) -> ConfigFile {
    let file = ConfigFile::new("");
    let program = file.folder().join("engine");
    fs::copy(rookery().parent().unwrap().join("examples/faulty_engine"), &program).unwrap();
    for path in [file.folder(), &program] {
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }
    let program = program.display();
    let settings = format!("move_timeout_ms = 2000\nallow_exec = [\"{program}\"]");
    let text = ais_text(&[("engine", "ai_uci", &settings)]);
    file.write(&format!("{text}{further}[ai.engine.options]\ncommand = \"{program} {fault}\"\n{options}\n"));
    file
}

async fn best_move(app: &Application, limit: Value) -> Reply {
    app.post("/v1/best-move", &json!({"game": {}, "limit": limit})).await
}

#[actix_web::test]
async fn every_engine_keeps_limits_and_finds_a_mate() {
    for command in ENGINES {
        let app = Application::of(&engine(command, ""));
        for limit in [json!({"depth": 4}), json!({"nodes": 3000}), json!({"movetime_ms": 100})] {
            let game = json!({"moves": ["e2e4", "e7e5", "g1f3"]});
            let reply = app.post("/v1/best-move", &json!({"game": game, "limit": limit})).await;
            assert_eq!(reply.status, 200, "{command}, {limit}: {}", reply.body);
            assert_eq!(reply.body["search"]["pv"][0], reply.body["move"]["uci"], "{command}: {}", reply.body);
            assert!(reply.body["search"]["nodes"].as_u64().unwrap() > 0, "{command}: {}", reply.body);
        }
        for (fen, best, mate) in
            [("7k/6pp/8/8/8/8/8/R5K1 w - - 0 1", "a1a8", 1), ("r5k1/8/8/8/8/8/6PP/7K b - - 0 1", "a8a1", -1)]
        {
            let body = json!({"game": {"fen": fen}, "limit": {"depth": 4}});
            let reply = app.post("/v1/best-move", &body).await;
            assert_eq!(reply.body["move"]["uci"], best, "{command}: {}", reply.body);
            assert_eq!(reply.body["score"], json!({"mate": mate}), "{command}: {}", reply.body);
        }
    }
}

#[actix_web::test]
async fn options_of_a_request_apply_to_that_request_only() {
    let text = |open: &str| {
        ConfigFile::new(&format!(
            "[ai.engine]\nlibrary = \"ai_uci\"\nallow_exec = [\"{0}\"]\noverridable_options = [{open}]\n\
             [client.default]\nai = \"engine\"\n[ai.engine.options]\ncommand = \"{0}\"\n",
            program("stockfish")
        ))
    };
    let app = Application::of(&text("\"uci_limit_strength\", \"uci_elo\""));
    let nodes = async |options: Value| {
        let body = json!({"game": {}, "limit": {"depth": 8}, "options": options});
        app.post("/v1/best-move", &body).await.ok()["search"]["nodes"].clone()
    };
    let strong = nodes(json!({})).await;
    // A weak Stockfish computes several lines and plays a worse one.
    assert_ne!(nodes(json!({"uci_limit_strength": true, "uci_elo": 1400})).await, strong);
    assert_eq!(nodes(json!({})).await, strong);

    let refusal = "lets requests set `command`, which is a text, and could name a program";
    assert_has(&start_error(&text("\"command\"")), &[refusal]);
}

#[actix_web::test]
async fn passes_on_bounds_and_chances() {
    let app = Application::of(&engine("stockfish", ""));
    // White is a queen up.
    let game = json!({"fen": "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"});
    let body = json!({"game": game, "limit": {"depth": 10}, "lines": 2});
    let reply = app.post("/v1/best-move", &body).await;
    let search = &reply.body["search"];
    for found in [search, &search["lines"][0], &search["lines"][1]] {
        let chances: Vec<_> =
            found["wdl"].as_array().unwrap().iter().map(|part| part.as_u64().unwrap()).collect();
        assert_eq!(chances.iter().sum::<u64>(), 1000, "{}", reply.body);
        assert!(chances[0] > 900, "White's chances: {}", reply.body);
        assert_eq!(found.get("bound"), None, "{}", reply.body);
    }
    let game =
        app.post("/v1/best-move", &json!({"game": game, "limit": {"mate": 1, "movetime_ms": 200}})).await;
    assert_eq!((game.status, &game.body["search"]["stopped_by"]), (200, &json!("movetime")), "{}", game.body);
}

#[actix_web::test]
async fn accepts_both_notations_of_castling() {
    let app = Application::of(&engine("stockfish", ""));
    // In each position castling is the only mate.
    for (fen, best) in [
        ("8/8/8/8/8/4R3/7R/1k2K2R w K - 0 1", "e1g1"),
        ("8/6B1/8/8/8/1R6/R7/RK5k w A - 0 1", "b1a1"),
        ("8/1R6/8/8/8/8/1Q6/R3K2k w Q - 0 1", "e1c1"),
        ("8/6R1/8/8/8/8/5R2/k2K2R1 w G - 0 1", "d1g1"),
    ] {
        let body = json!({"game": {"fen": fen}, "limit": {"depth": 6}});
        let reply = app.post("/v1/best-move", &body).await.ok();
        assert_eq!((&reply["move"]["uci"], &reply["score"]), (&json!(best), &json!({"mate": 1})), "{reply}");
        assert!(reply["move"]["san"].as_str().unwrap().starts_with("O-O"), "{reply}");
    }
    // The engine must understand both castlings to reach this position.
    let castled =
        json!({"moves": ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "e1g1", "g8f6", "d2d3", "e8g8"]});
    app.post("/v1/best-move", &json!({"game": castled, "limit": {"depth": 4}})).await.ok();
    let fen = "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w GBgb - 0 1";
    let castled = json!({"fen": fen, "moves": ["b2b3", "b7b6", "c1b2", "c8b7", "d1b1", "d8b8"]});
    app.post("/v1/best-move", &json!({"game": castled, "limit": {"depth": 4}})).await.ok();
}

#[actix_web::test]
async fn chess960_requires_an_engine_that_declares_it() {
    let app = Application::of(&engine("stockfish", ""));
    assert_eq!(app.get("/v1/ais/engine").await.body["capabilities"]["chess960"], true);
    let app = Application::of(&engine("toga2", ""));
    assert_eq!(app.get("/v1/ais/engine").await.body["capabilities"]["chess960"], false);
    let game = json!({"fen": "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w GBgb - 0 1"});
    let reply = app.post("/v1/best-move", &json!({"game": game})).await;
    assert!((400..500).contains(&reply.status), "{}", reply.body);
}

#[actix_web::test]
async fn repeats_its_answer_whatever_came_before() {
    let app = Application::of(&engine("stockfish", ""));
    let other = json!({"game": {"moves": ["d2d4", "d7d5"]}, "limit": {"depth": 8}});
    for limit in [json!({"nodes": 20_000}), json!({"nodes": 20_000, "movetime_ms": 5000})] {
        let first = best_move(&app, limit.clone()).await;
        assert_eq!(app.post("/v1/best-move", &other).await.status, 200);
        let second = best_move(&app, limit).await;
        assert_eq!(first.body["search"]["nodes"], second.body["search"]["nodes"]);
        for part in ["move", "score"] {
            assert_eq!(first.body[part], second.body[part]);
        }
    }
}

#[actix_web::test]
async fn exposes_engine_options_as_ai_options() {
    let file = faulty_engine("", "null_move_pruning = \"Fail High\"\nclear_hash = true", "");
    let app = Application::of(&file);
    let options = app.get("/v1/ais/engine").await.body["options"]["properties"].clone();
    let kinds = |name: &str| (options[name]["type"].clone(), options[name]["default"].clone());
    assert_eq!(kinds("hash"), (json!("integer"), json!(16)));
    assert_eq!(kinds("null_move_pruning"), (json!("string"), json!("Fail High")));
    assert_eq!(options["null_move_pruning"]["enum"], json!(["Always", "Fail High", "Never"]));
    assert_eq!(kinds("clear_hash"), (json!("boolean"), json!(true)));
    assert_eq!(kinds("book_file"), (json!("string"), json!("")));
    assert_eq!(kinds("own_book"), (json!("boolean"), json!(true)));

    let errors = start_error(&faulty_engine("", "hash = 65\nhush = 1", ""));
    assert!(errors.contains("from 1 to 64"), "{errors}");
    assert!(errors.contains("did you mean `hash`") || errors.contains("`hush`"), "{errors}");
}

#[actix_web::test]
async fn sends_options_and_reports_the_last_output() {
    let settings = "hash = 32\nnull_move_pruning = \"Fail High\"\nclear_hash = true\nown_book = false\nbook_file = \"b.bin\"";
    let file = faulty_engine("aborts", settings, "");
    let app = Application::of(&file);
    for _ in 0..2 {
        let game = json!({"moves": ["e2e4", "e7e5"]});
        app.post("/v1/best-move", &json!({"game": game, "limit": {"nodes": 77}}))
            .await
            .check_error(502, "ai_failed");
        let detail = app.last_fault("engine");
        assert!(detail.contains("exited (signal: 6 (SIGABRT)"), "{detail}");
        let printed = "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4 e7e5";
        assert!(detail.contains(printed), "{detail}");
        assert!(detail.ends_with("go nodes 77"), "{detail}");
    }
}

#[actix_web::test]
async fn reads_the_output_of_a_dead_engine_to_its_end() {
    let app = Application::of(&faulty_engine("aborts-before-child", "", ""));
    best_move(&app, json!({"depth": 3})).await.check_error(502, "ai_failed");
    let detail = app.last_fault("engine");
    assert!(detail.ends_with("/ last words"), "{detail}");
}

#[actix_web::test]
async fn client_text_never_reaches_an_engine() {
    let file = faulty_engine("aborts", "", "");
    let app = Application::of(&file);
    for game in [
        json!({"fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\nsetoption name Hash value 1"}),
        json!({"moves": ["e2e4\nquit"]}),
        json!({"moves": ["e2e4 e7e5"]}),
    ] {
        let reply = app.post("/v1/best-move", &json!({"game": game})).await;
        assert!((400..500).contains(&reply.status), "{}", reply.body);
    }
    // The engine receives the FEN as the host writes it.
    let game = json!({"fen": "  rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR   w KQkq -  "});
    let reply = app.post("/v1/best-move", &json!({"game": game, "limit": {"depth": 1}})).await;
    if reply.code() == "ai_failed" {
        let detail = app.last_fault("engine");
        assert!(detail.contains("fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), "{detail}");
    } else {
        assert_eq!(reply.code(), "illegal_game", "{}", reply.body);
    }
}

#[actix_web::test]
async fn reports_engines_that_break_the_rules() {
    for (fault, status, code, part) in [
        ("illegal-move", 502, "ai_illegal_move", "played e2e5"),
        ("no-move", 502, "ai_illegal_move", "played no move"),
        ("stalls", 504, "ai_timeout", "did not answer within 2000 ms"),
    ] {
        let file = faulty_engine(fault, "", "");
        let app = Application::of(&file);
        let detail = best_move(&app, json!({"depth": 3})).await.check_error(status, code);
        assert!(detail.contains(part), "{detail}");
    }
}

#[actix_web::test]
async fn shows_admins_the_output_of_a_stuck_engine() {
    let app = Application::of(&faulty_engine("stalls", "", &administrator("engine")));
    best_move(&app, json!({"movetime_ms": 50})).await.check_error(504, "ai_timeout");
    let fault = last_fault(&app, "engine").await;
    let parts = ["does not stop; its last output:", "go movetime 50 / stop"];
    assert_has(fault["stderr"].as_str().unwrap(), &parts);
}

#[actix_web::test]
async fn stops_an_engine_at_its_limit() {
    let file = faulty_engine("", "", "");
    let app = Application::of(&file);
    let reply = best_move(&app, json!({"movetime_ms": 50})).await;
    assert_eq!((reply.status, &reply.body["move"]["uci"]), (200, &json!("e2e4")), "{}", reply.body);
}

#[actix_web::test]
async fn ignores_floods_and_unexpected_lines() {
    let file = faulty_engine("floods", "", "");
    let app = Application::of(&file);
    let reply = best_move(&app, json!({"depth": 60})).await;
    assert_eq!((reply.status, &reply.body["move"]["uci"]), (200, &json!("e2e4")), "{}", reply.body);
    assert_eq!(reply.body["search"]["pv"], json!(["e2e4", "e7e5"]), "the line as far as it is legal");
    let file = faulty_engine("replies-twice", "", "");
    let app = Application::of(&file);
    for _ in 0..3 {
        let reply = best_move(&app, json!({"depth": 1})).await;
        assert_eq!((reply.status, &reply.body["move"]["uci"]), (200, &json!("e2e4")), "{}", reply.body);
    }
}

#[test]
fn reports_an_engine_that_does_not_start() {
    let start = |settings: &str| start_error(&ai("engine", "ai_uci", settings));
    let stockfish = program("stockfish");
    let errors = start(&format!("options.command = \"{stockfish}\""));
    assert_has(&errors, &["can't be started", &format!("allow_exec = [\"{stockfish}\"]")]);
    assert_has(&start(""), &["write its absolute path", "grant it with allow_exec in [ai.ID]"]);
    let errors = start("allow_exec = [\"/bin/true\"]\noptions.command = \"/bin/true\"");
    assert_has(&errors, &["/bin/true exited (exit status: 0)"]);
    // The remedy precedes the output, which may be long.
    let errors = start("allow_exec = [\"/bin/cat\"]\noptions.command = \"/bin/cat /nowhere\"");
    let before = errors.split("; its last output: ").next().unwrap();
    assert!(before.contains("a UCI engine answers 'uci' with 'uciok': start it by hand"), "{errors}");
}

#[test]
fn the_stockfish_configuration_works() {
    program("stockfish");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../config/stockfish.toml");
    let text = fs::read_to_string(file).unwrap().replace("[\"../target/release\"]", &directories());
    let file = ConfigFile::verbatim(&text);
    let config = file.load();
    assert_eq!(config.ais["stockfish"].sandbox.exec.len(), 1);
    let ais = ["default", "stockfish"].map(|client| config.clients[client].ai.as_str());
    assert_eq!(ais, ["basic1", "stockfish"]);
    started(&file);
}
