//! UCI engines as AIs: a faulty one and, in `foreign`, third-party ones.

mod foreign;
mod xboard;

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
};

use serde_json::{Value, json};

use crate::{
    cli::{command, outcome},
    support::{
        Application, ConfigFile, Reply, administrator, ai, ais_text, assert_has, built,
        copy_program, last_fault, rookery, start_error,
    },
};

/// A configuration with the faulty engine.
pub(crate) fn faulty_engine(fault: &str, options: &str, further: &str) -> ConfigFile {
    engine("faulty_engine", fault, options, further)
}

/// A configuration with a test engine, in a folder that every user can read.
pub(crate) fn engine(example: &str, arguments: &str, options: &str, further: &str) -> ConfigFile {
    let file = ConfigFile::new("");
    let program = file.folder().join("engine");
    copy_program(
        &rookery().parent().unwrap().join("examples").join(example),
        &program,
    );
    for path in [file.folder(), &program] {
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }
    let program = program.display();
    let settings = format!("move_timeout_ms = 2000\nallow_exec = [\"{program}\"]");
    let text = ais_text(&[("engine", "ai_uci", &settings)]);
    file.write(&format!(
        "{text}{further}[ai.engine.options]\ncommand = \"{program} {arguments}\"\n{options}\n"
    ));
    file
}

async fn best_move(app: &Application, limit: Value) -> Reply {
    app.post("/v1/best-move", &json!({"game": {}, "limit": limit}))
        .await
}

#[actix_web::test]
async fn exposes_engine_options_as_ai_options() {
    let file = faulty_engine(
        "",
        "null_move_pruning = \"Fail High\"\nclear_hash = true",
        "",
    );
    let app = Application::of(&file);
    let options = app.get("/v1/ais/engine").await.body["options"]["properties"].clone();
    let kinds = |name: &str| {
        (
            options[name]["type"].clone(),
            options[name]["default"].clone(),
        )
    };
    assert_eq!(kinds("hash_mb"), (json!("integer"), json!(16)));
    assert_eq!(
        kinds("null_move_pruning"),
        (json!("string"), json!("Fail High"))
    );
    assert_eq!(
        options["null_move_pruning"]["enum"],
        json!(["Always", "Fail High", "Never"])
    );
    assert_eq!(kinds("clear_hash"), (json!("boolean"), json!(true)));
    assert_eq!(kinds("book_file"), (json!("string"), json!("")));
    assert_eq!(kinds("own_book"), (json!("boolean"), json!(true)));

    let errors = start_error(&faulty_engine("", "hash_mb = 65\nhush_mb = 1", ""));
    assert!(errors.contains("from 1 to 64"), "{errors}");
    assert!(errors.contains("`hush_mb`"), "{errors}");
}

#[actix_web::test]
async fn sends_options_and_reports_the_last_output() {
    let settings = "hash_mb = 32\nnull_move_pruning = \"Fail High\"\nclear_hash = true\nown_book = \
        false\nbook_file = \"b.bin\"";
    let file = faulty_engine("aborts", settings, "");
    let app = Application::of(&file);
    for _ in 0..2 {
        let game = json!({"moves": ["e2e4", "e7e5"]});
        app.post(
            "/v1/best-move",
            &json!({"game": game, "limit": {"nodes": 77}}),
        )
        .await
        .check_error(502, "ai_failed");
        let detail = app.last_fault("engine");
        assert!(detail.contains("exited (signal: 6 (SIGABRT)"), "{detail}");
        let printed = "position startpos moves e2e4 e7e5";
        assert!(detail.contains(printed), "{detail}");
        // The order of the engine's two output streams is unknown.
        assert!(detail.contains(" / go nodes 77"), "{detail}");
    }
}

#[actix_web::test]
async fn names_a_hash_table_that_leaves_no_memory() {
    let too_much = start_error(&faulty_engine("lacks-memory", "hash_mb = 1024", ""));
    let expected = "its option hash_mb takes 1024 MiB of its 1024 MiB: set \
        memory_mb = 2048 in its [ai.ID]";
    assert_has(&too_much, &["no memory for the hash table", expected]);
    let other_cause = start_error(&faulty_engine("lacks-memory", "hash_mb = 32", ""));
    assert!(!other_cause.contains("hash_mb"), "{other_cause}");
}

#[actix_web::test]
async fn an_ai_has_the_name_of_its_engine() {
    let file = faulty_engine("", "", "");
    let app = Application::of(&file);
    let about = app.get("/v1/ais/engine").await.ok();
    assert_eq!(
        [&about["name"], &about["version"], &about["author"]],
        ["False Engine", "1.5", "Its Author"]
    );
    let reply = best_move(&app, json!({"movetime_ms": 50})).await.ok();
    assert_eq!(
        [&reply["ai"]["name"], &reply["ai"]["version"]],
        ["False Engine", "1.5"]
    );
}

#[test]
fn games_of_a_match_name_the_engine() {
    let file = faulty_engine("", "", "[ai.basic1]\nlibrary = \"ai_basic1\"\n");
    let program = file.folder().join("engine");
    let player = format!("{},hash_mb=1", program.display());
    let limits = [
        "--games",
        "2",
        "--movetime-ms",
        "20",
        "--max-moves",
        "2",
        "--pgn",
        "games.pgn",
    ];
    let arguments = [&["match", &player, "basic1"], &limits[..]].concat();
    let outcome = outcome(
        command(&arguments)
            .arg("--config")
            .arg(file.path())
            .current_dir(file.folder()),
    );
    assert_eq!(outcome.status, Some(0), "{}", outcome.stderr);
    let pgn = fs::read_to_string(file.folder().join("games.pgn")).unwrap();
    for color in ["White", "Black"] {
        assert_has(&pgn, &[format!("[{color} \"False Engine 1.5,hash_mb=1\"]")]);
    }
}

#[test]
fn a_check_names_searchmoves() {
    let file = faulty_engine("", "", "");
    let program = file.folder().join("engine");
    let library = built("ai_uci");
    let reason = |fault: &str, check: &str| {
        let option = format!("command={} {fault}", program.display());
        let mut command = command(&[
            "check-ai",
            "--json",
            "--only",
            check,
            "--option",
            &option,
            "--allow-exec",
        ]);
        let outcome = outcome(command.args([&program, &library]));
        serde_json::from_str::<Value>(&outcome.stdout).unwrap()["checks"][0].clone()
    };
    let failed = reason("ignores-searchmoves", "moves.some_alone");
    assert_eq!(failed["verdict"], "fail", "{failed}");
    for text in ["reason", "remedy"] {
        assert!(
            failed[text].as_str().unwrap().contains("searchmoves"),
            "{failed}"
        );
    }
    assert_eq!(reason("", "manifest.note")["verdict"], "skipped");
    assert_eq!(reason("", "manifest.version")["verdict"], "pass");
}

#[actix_web::test]
async fn an_engine_that_exited_after_its_move_is_restarted() {
    let file = faulty_engine("exits", "", "");
    let app = Application::of(&file);
    for _ in 0..3 {
        assert_eq!(
            best_move(&app, json!({"depth": 3})).await.ok()["move"]["uci"],
            "e2e4"
        );
    }
}

#[actix_web::test]
async fn shows_admins_the_output_of_an_engine_that_became_silent_and_restarts_it() {
    let file = faulty_engine("silent", "", &administrator("engine"));
    let app = Application::of(&file);
    // With a fixed time, the host does not send `ucinewgame`, which has a different timeout.
    let limit = json!({"movetime_ms": 50});
    best_move(&app, limit.clone()).await.ok();
    best_move(&app, limit.clone())
        .await
        .check_error(504, "ai_timeout");
    let fault = last_fault(&app, "engine").await;
    let parts = [
        "has not answered 'isready' for 1s; its last output:",
        "/ isready",
    ];
    assert_has(fault["stderr"].as_str().unwrap(), &parts);
    best_move(&app, limit).await.ok();
}

#[actix_web::test]
async fn elo_sets_the_strength_of_an_engine() {
    let overridable = "overridable_options = [\"elo\", \"uci_elo\", \"uci_limit_strength\"]";
    let file = |options: &str| {
        let file = faulty_engine("rated", options, "");
        let text = fs::read_to_string(file.path()).unwrap();
        fs::write(
            file.path(),
            text.replacen("[ai.engine]\n", &format!("[ai.engine]\n{overridable}\n"), 1),
        )
        .unwrap();
        file
    };
    let configured = file("");
    let app = Application::of(&configured);
    let schema = app.get("/v1/ais/engine").await.body["options"]["properties"]["elo"].clone();
    assert_eq!(
        (&schema["minimum"], &schema["maximum"], &schema["default"]),
        (&json!(0), &json!(2850), &json!(0))
    );
    let asked = async |options: Value| {
        app.post(
            "/v1/best-move",
            &json!({"game": {}, "limit": {"depth": 1}, "options": options}),
        )
        .await
    };
    for (options, strength) in [
        (json!({}), 0),
        (json!({"elo": 1320}), 1320),
        // The engine's minimum is 1320.
        (json!({"elo": 1}), 1320),
        (json!({"uci_limit_strength": true, "uci_elo": 1500}), 1500),
        (json!({"elo": 2850}), 2850),
        // `elo` wins unless it is 0.
        (
            json!({"elo": 1900, "uci_limit_strength": true, "uci_elo": 1500}),
            1900,
        ),
        (
            json!({"elo": 0, "uci_limit_strength": true, "uci_elo": 1500}),
            1500,
        ),
        (json!({"elo": 1900, "uci_limit_strength": false}), 1900),
        (json!({}), 0),
    ] {
        assert_eq!(
            asked(options.clone()).await.ok()["score"],
            json!({"cp": strength}),
            "{options}"
        );
    }

    let configured = file("elo = 1700\nuci_limit_strength = true");
    let app = Application::of(&configured);
    let scores = async |options: Value| {
        let body = json!({"game": {}, "limit": {"depth": 1}, "options": options});
        app.post("/v1/best-move", &body).await.ok()["score"].clone()
    };
    assert_eq!(scores(json!({})).await, json!({"cp": 1700}));
    assert_eq!(scores(json!({"elo": 0})).await, json!({"cp": 1350}));
}

#[actix_web::test]
async fn reads_the_output_of_a_dead_engine_to_its_end() {
    let file = faulty_engine("aborts-before-child", "", "");
    let app = Application::of(&file);
    best_move(&app, json!({"depth": 3}))
        .await
        .check_error(502, "ai_failed");
    let detail = app.last_fault("engine");
    assert!(detail.ends_with("/ last words"), "{detail}");
}

#[actix_web::test]
async fn client_text_never_reaches_an_engine() {
    let file = faulty_engine("aborts", "", "");
    let app = Application::of(&file);
    for game in [
        json!({"fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\nsetoption name \
            Hash value 1"}),
        json!({"moves": ["e2e4\nquit"]}),
        json!({"moves": ["e2e4 e7e5"]}),
    ] {
        let reply = app.post("/v1/best-move", &json!({"game": game})).await;
        assert!((400..500).contains(&reply.status), "{}", reply.body);
    }
    // The engine receives the FEN as the host writes it.
    let game = json!({"fen": "  rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR   w KQ -  "});
    let reply = app
        .post(
            "/v1/best-move",
            &json!({"game": game, "limit": {"depth": 1}}),
        )
        .await;
    if reply.code() == "ai_failed" {
        let detail = app.last_fault("engine");
        assert_has(
            &detail,
            &["fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1"],
        );
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
        let detail = best_move(&app, json!({"depth": 3}))
            .await
            .check_error(status, code);
        assert!(detail.contains(part), "{detail}");
    }
}

#[actix_web::test]
async fn quotes_a_word_that_is_not_a_move() {
    let file = faulty_engine("san", "", "");
    let app = Application::of(&file);
    best_move(&app, json!({"depth": 3}))
        .await
        .check_error(502, "ai_failed");
    let part = "played 'Nf3', which is not a move; expected UCI notation, such as g1f3";
    assert_has(&app.last_fault("engine"), &[part]);
}

#[actix_web::test]
async fn a_score_counts_without_a_line() {
    let file = faulty_engine("no-line", "", "");
    let app = Application::of(&file);
    let reply = best_move(&app, json!({"movetime_ms": 50})).await.ok();
    assert_eq!(reply["score"], json!({"cp": 123}));
    let search = &reply["search"];
    let found = (&search["depth"], &search["nodes"], &search["pv"]);
    assert_eq!(found, (&json!(9), &json!(1000), &json!(["e2e4"])));
}

#[actix_web::test]
async fn an_engine_gets_the_commands_of_chess_programs() {
    let file = faulty_engine("tells", "", "");
    let app = Application::of(&file);
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let asked = async |game: Value, limit: Value| {
        app.post("/v1/best-move", &json!({"game": game, "limit": limit}))
            .await
    };
    asked(json!({}), json!({"depth": 3})).await.ok();
    asked(
        json!({"moves": ["d2d4", "d7d5"]}),
        json!({"nodes": 1_u64 << 31}),
    )
    .await
    .ok();
    asked(json!({"fen": fen}), json!({"depth": 9}))
        .await
        .check_error(502, "ai_failed");
    let commands = format!(
        "uci / ucinewgame / position startpos / go depth 3 / ucinewgame / position startpos moves \
         d2d4 d7d5 / go infinite / ucinewgame / position fen {fen} / go depth 9"
    );
    let detail = app.last_fault("engine");
    assert!(detail.ends_with(&commands), "{detail}");
}

#[actix_web::test]
async fn serves_an_engine_that_polls_its_input_and_reads_it_through_a_buffer() {
    let file = faulty_engine("polls", "hash_mb = 32\nown_book = false", "");
    let app = Application::of(&file);
    for _ in 0..20 {
        best_move(&app, json!({"depth": 3})).await.ok();
    }
}

#[actix_web::test]
async fn timeout_keys_limit_the_waits() {
    for (fault, key) in [
        ("slow-start", "start_timeout_ms"),
        ("slow-game", "new_game_timeout_ms"),
    ] {
        let with = |ms: u32| {
            let file = faulty_engine(fault, "", "");
            let text = fs::read_to_string(file.path()).unwrap();
            fs::write(
                file.path(),
                text.replacen("[ai.engine]\n", &format!("[ai.engine]\n{key} = {ms}\n"), 1),
            )
            .unwrap();
            file
        };
        let file = with(60_000);
        let app = Application::of(&file);
        for _ in 0..2 {
            best_move(&app, json!({"depth": 3})).await.ok();
        }
    }
    let file = faulty_engine("slow-start", "", "");
    let text = fs::read_to_string(file.path()).unwrap();
    fs::write(
        file.path(),
        text.replacen("[ai.engine]\n", "[ai.engine]\nstart_timeout_ms = 2000\n", 1),
    )
    .unwrap();
    let parts = [
        "not ready within 2000 ms (start_timeout_ms",
        "has not answered 'uci' for 1s; its last output: ",
    ];
    assert_has(&start_error(&file), &parts);
}

#[actix_web::test]
async fn shows_admins_the_output_of_a_stuck_engine() {
    let file = faulty_engine("stalls", "", &administrator("engine"));
    let app = Application::of(&file);
    best_move(&app, json!({"movetime_ms": 50}))
        .await
        .check_error(504, "ai_timeout");
    let fault = last_fault(&app, "engine").await;
    let parts = [
        "does not stop; its last output:",
        "go movetime 50",
        "/ stop",
    ];
    assert_has(fault["stderr"].as_str().unwrap(), &parts);
}

#[actix_web::test]
async fn stops_an_engine_at_its_limit() {
    for fault in ["", "overlooks"] {
        let file = faulty_engine(fault, "", "");
        let app = Application::of(&file);
        for _ in 0..2 {
            let reply = best_move(&app, json!({"movetime_ms": 50})).await;
            assert_eq!(reply.ok()["move"]["uci"], "e2e4");
        }
    }
}

#[actix_web::test]
async fn ignores_floods_and_unexpected_lines() {
    let file = faulty_engine("floods", "", "");
    let app = Application::of(&file);
    let reply = best_move(&app, json!({"depth": 60})).await;
    assert_eq!(
        (reply.status, &reply.body["move"]["uci"]),
        (200, &json!("e2e4")),
        "{}",
        reply.body
    );
    assert_eq!(
        reply.body["search"]["pv"],
        json!(["e2e4", "e7e5"]),
        "the line is cut before its first illegal move"
    );
    let file = faulty_engine("replies-twice", "", "");
    let app = Application::of(&file);
    for _ in 0..3 {
        let reply = best_move(&app, json!({"depth": 1})).await;
        assert_eq!(reply.ok()["move"]["uci"], "e2e4");
    }
}

#[test]
fn reports_an_engine_that_does_not_start() {
    let start = |settings: &str| start_error(&ai("engine", "ai_uci", settings));
    let errors = start("options.command = \"/bin/cat\"");
    assert_has(
        &errors,
        &["can't be started", "allow_exec = [\"/bin/cat\"]"],
    );
    assert_has(
        &start(""),
        &[
            "write its absolute path",
            "grant it with allow_exec in [ai.ID]",
        ],
    );
    let errors = start("allow_exec = [\"/bin/true\"]\noptions.command = \"/bin/true\"");
    assert_has(&errors, &["/bin/true exited (exit status: 0)"]);
    // The remedy precedes the output, which may be long.
    let errors = start("allow_exec = [\"/bin/cat\"]\noptions.command = \"/bin/cat /nowhere\"");
    let before = errors.split("; its last output: ").next().unwrap();
    assert!(
        before.contains("a UCI engine answers 'uci' with 'uciok', and an xboard engine"),
        "{errors}"
    );
}
