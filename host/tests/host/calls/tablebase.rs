//! `POST /v1/tablebase`.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    sync::Arc,
};

use insta::assert_snapshot;
use pool::Retry;
use serde_json::{Value, json};

use crate::support::{Application, ConfigFile, ais_text, basic1_and, shown, tablebases};

fn shipped() -> Application {
    Application::of(&basic1_and(&tablebases()))
}

fn game(fen: &str) -> Value {
    json!({"game": {"fen": fen}})
}

/// A configuration with these tablebase directories.
fn with(directories: &[&Path]) -> ConfigFile {
    basic1_and(&format!("[tablebases]\ndirectories = {directories:?}\n"))
}

#[actix_web::test]
async fn returns_the_result_of_the_position_and_of_each_move() {
    let reply = shipped()
        .post("/v1/tablebase", &game("8/8/8/8/8/8/k1K1p3/8 b - - 0 1"))
        .await
        .ok();
    assert_snapshot!(shown(&reply), @r#"
    {
      "wdl": "win",
      "dtz": 1,
      "moves": [
        {"uci":"e2e1q","san":"e1=Q","from":"e2","to":"e1","promotion":"queen","capture":false,"check":false,"wdl":"win","dtz":1},
        {"uci":"e2e1r","san":"e1=R","from":"e2","to":"e1","promotion":"rook","capture":false,"check":false,"wdl":"win","dtz":1},
        {"uci":"a2a1","san":"Ka1","from":"a2","to":"a1","promotion":null,"capture":false,"check":false,"wdl":"draw","dtz":0},
        {"uci":"a2a3","san":"Ka3","from":"a2","to":"a3","promotion":null,"capture":false,"check":false,"wdl":"draw","dtz":0},
        {"uci":"e2e1n","san":"e1=N+","from":"e2","to":"e1","promotion":"knight","capture":false,"check":true,"wdl":"draw","dtz":0},
        {"uci":"e2e1b","san":"e1=B","from":"e2","to":"e1","promotion":"bishop","capture":false,"check":false,"wdl":"draw","dtz":0}
      ]
    }
    "#);
}

#[actix_web::test]
async fn counts_the_fifty_move_rule_for_both_sides() {
    let app = shipped();
    for (fen, wdl, dtz) in [
        ("8/8/8/8/8/2k5/8/K6Q w - - 0 1", "win", 11),
        ("8/8/8/8/8/2k5/8/K6Q w - - 95 80", "cursed_win", 11),
        ("8/8/8/8/4Q3/2k5/8/K7 b - - 1 1", "loss", -10),
        ("8/8/8/8/4Q3/2k5/8/K7 b - - 95 80", "blessed_loss", -10),
        ("8/8/8/8/8/2k5/8/K6N w - - 0 1", "draw", 0),
    ] {
        let reply = app.post("/v1/tablebase", &game(fen)).await.ok();
        assert_eq!(
            (&reply["wdl"], &reply["dtz"]),
            (&json!(wdl), &json!(dtz)),
            "{fen}: {reply}"
        );
    }
}

#[actix_web::test]
async fn probes_the_last_position_of_a_game_and_lists_mates_first() {
    let app = shipped();
    let moves = json!({"game": {"fen": "k7/8/1K6/8/8/8/7Q/8 b - - 0 1", "moves": []}});
    assert_eq!(app.post("/v1/tablebase", &moves).await.status, 200);
    let moves = json!({"game": {"fen": "1k6/8/1K6/8/8/8/7Q/8 b - - 0 1", "moves": ["b8a8"]}});
    let reply = app.post("/v1/tablebase", &moves).await.ok();
    let (first, dtz) = (
        reply["moves"][0]["san"].as_str().unwrap(),
        &reply["moves"][0]["dtz"],
    );
    assert!(first.ends_with('#') && *dtz == 1, "{reply}");
}

#[actix_web::test]
async fn returns_the_size_of_the_tables() {
    assert_eq!(
        shipped().get("/v1/tablebases").await.ok(),
        json!({"max_pieces": 4})
    );
    assert_eq!(
        Application::of(&with(&[])).get("/v1/tablebases").await.ok(),
        json!({"max_pieces": 0})
    );
}

#[actix_web::test]
async fn names_the_largest_table_for_a_position_without_a_table() {
    let app = shipped();
    for (fen, part) in [
        (
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            "3 pieces and castling rights; tables have at most 4",
        ),
        // Castling rights in Chess960.
        (
            "4k3/8/8/8/8/8/8/1K1R4 w D - 0 1",
            "3 pieces and castling rights",
        ),
        (
            "4k3/8/8/8/8/8/2PP4/3QK3 w - - 0 1",
            "5 pieces; tables have at most 4",
        ),
        (
            "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1",
            "10 pieces; tables have at most 7",
        ),
    ] {
        let reply = app.post("/v1/tablebase", &game(fen)).await;
        assert_eq!(
            (reply.status, &reply.body["code"]),
            (404, &json!("tablebase_missing")),
            "{fen}"
        );
        assert!(
            reply.body["detail"].as_str().unwrap().contains(part),
            "{fen}: {}",
            reply.body
        );
    }
    let illegal = app
        .post("/v1/tablebase", &game("8/8/8/8/8/8/8/K7 w - - 0 1"))
        .await;
    illegal.check_error(422, "illegal_game");
}

#[actix_web::test]
async fn missing_and_foreign_directories_are_skipped() {
    let folder = readable_folder();
    fs::write(folder.path().join("KQvK.rtbw"), "no table").unwrap();
    let (missing, file) = (
        folder.path().join("missing"),
        folder.path().join("KQvK.rtbw"),
    );
    let queen = game("8/8/8/8/8/2k5/8/K6Q w - - 0 1");
    let (missing, file) = (missing.as_path(), file.as_path());
    for directories in [&[][..], &[missing], &[file], &[missing, folder.path()]] {
        let app = Application::of(&with(directories));
        let reply = app.post("/v1/tablebase", &queen).await;
        assert_eq!(
            (reply.status, &reply.body["code"]),
            (404, &json!("tablebase_missing")),
            "{directories:?}"
        );
    }
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/syzygy");
    let app = Application::of(&with(&[missing, folder.path(), shipped.as_path()]));
    let rook = game("8/8/8/8/8/2k5/8/K6R w - - 0 1");
    assert_eq!(
        app.post("/v1/tablebase", &rook).await.ok()["wdl"],
        "win",
        "the other directories are used"
    );
    assert_eq!(
        app.post("/v1/tablebase", &queen).await.status,
        404,
        "the first file of that name has precedence"
    );
}

/// Makes the table for queen against rook claim that it has 2^31 blocks, so that a probe reads far
/// beyond its end.
pub(crate) fn damage(folder: &Path) {
    let file = folder.join("KQvKR.rtbw");
    let mut bytes = fs::read(&file).unwrap();
    bytes[14..18].copy_from_slice(&0x7fff_ffff_u32.to_le_bytes());
    fs::write(file, bytes).unwrap();
}

/// An empty folder that a worker running as another user may read.
fn readable_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    folder
}

/// A folder with copies of the shipped tables.
pub(crate) fn copies() -> tempfile::TempDir {
    let folder = readable_folder();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/syzygy"))
        .unwrap()
        .flatten()
    {
        fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    folder
}

#[actix_web::test]
async fn a_damaged_table_is_an_internal_error_and_the_server_keeps_running() {
    let folder = copies();
    damage(folder.path());
    // Fills the header with zeros, which describes a table without pieces.
    let knight = folder.path().join("KNvKP.rtbw");
    let mut bytes = fs::read(&knight).unwrap();
    bytes[5..].fill(0);
    fs::write(knight, bytes).unwrap();
    let app = Application::of(&with(&[folder.path()]));
    for fen in [
        "8/8/8/8/8/r1k5/8/K6Q w - - 0 1",
        "8/8/8/4p3/8/2k5/8/K6N w - - 0 1",
    ] {
        let reply = app.post("/v1/tablebase", &game(fen)).await;
        assert_eq!(
            (reply.status, &reply.body["code"]),
            (500, &json!("internal")),
            "{fen}: {}",
            reply.body
        );
        let detail = reply.body["detail"].as_str().unwrap();
        assert!(!detail.contains('/'), "no path: {detail}");
    }
    let reply = app
        .post("/v1/tablebase", &game("8/8/8/8/8/2k5/8/K6R w - - 0 1"))
        .await
        .ok();
    assert_eq!(reply["wdl"], "win", "its worker is restarted");
}

#[actix_web::test]
async fn a_reload_uses_other_directories_and_added_files() {
    let queen = game("8/8/8/8/8/2k5/8/K6Q w - - 0 1");
    let folder = readable_folder();
    let file = with(&[]);
    let app = Application::of(&file);
    let reload = |app: &Application| {
        let next = app
            .state()
            .service()
            .reload_with(file.load(), Retry::All)
            .unwrap();
        app.swap(Arc::new(next.0));
        next.1
    };
    assert_eq!(app.post("/v1/tablebase", &queen).await.status, 404);
    let ais = ais_text(&[("basic1", "ai_basic1", "")]);
    file.write(&format!(
        "{ais}[tablebases]\ndirectories = [{:?}]\n",
        folder.path()
    ));
    reload(&app);
    assert_eq!(
        app.post("/v1/tablebase", &queen).await.status,
        404,
        "the folder is empty"
    );
    let shipped = copies();
    for name in ["KQvK.rtbw", "KQvK.rtbz"] {
        fs::copy(shipped.path().join(name), folder.path().join(name)).unwrap();
    }
    reload(&app);
    assert_eq!(app.post("/v1/tablebase", &queen).await.ok()["wdl"], "win");
}

#[actix_web::test]
async fn a_directory_with_many_files_does_not_delay_the_probe() {
    let folder = copies();
    for number in 0..20_000 {
        fs::write(folder.path().join(format!("{number}.txt")), "").unwrap();
    }
    let app = Application::of(&with(&[folder.path()]));
    let queen = game("8/8/8/8/8/2k5/8/K6Q w - - 0 1");
    assert_eq!(app.post("/v1/tablebase", &queen).await.ok()["wdl"], "win");
}
