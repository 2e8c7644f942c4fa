//! Extensions of AIs and of the host.

use ai_api::{
    Extension, Position,
    c::{CAi, ENTRY},
};
use libloading::os::unix::Library;
use serde_json::json;

use crate::{
    calls::tablebase::{copies, damage},
    support::{Application, ai, built, tablebases, with_ais},
};

async fn is_served(library: &str) {
    let app = Application::of(&ai("other", library, "options = { pawn = 120 }"));
    let about = app.get("/v1/ais/other").await.body;
    assert_eq!(
        about["options"]["properties"]["pawn"]["maximum"], 200,
        "{about}"
    );
    assert_eq!(
        (
            &about["capabilities"]["chess960"],
            &about["capabilities"]["lines"]
        ),
        (&json!(true), &json!(64))
    );
    // 1 exd5 wins a pawn.
    let fen = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
    let played = app
        .post(
            "/v1/best-move",
            &json!({"game": {"fen": fen}, "limit": {"depth": 3}}),
        )
        .await
        .ok();
    assert_eq!(
        (&played["move"]["uci"], &played["score"]),
        (&json!("e4d5"), &json!({"cp": 120}))
    );
    let judged = app
        .post("/v1/evaluate", &json!({"game": {"fen": fen}}))
        .await;
    assert_eq!(
        judged.body["terms"],
        json!([{"name": "pawns", "score": {"cp": 0}}]),
        "{}",
        judged.body
    );
}

#[actix_web::test]
async fn returns_none_for_an_unknown_host_extension() {
    is_served("newer").await;
}

#[actix_web::test]
async fn an_ai_probes_the_tablebases_of_the_host() {
    let file = with_ais(&[("tables", "probes_tables", "")], &tablebases());
    let app = Application::of(&file);
    let queen = json!({"game": {"fen": "8/8/8/8/8/2k5/8/K6Q b - - 0 1"}, "ai": "tables"});
    assert_eq!(
        app.post("/v1/evaluate", &queen).await.ok()["score"],
        json!({"cp": 1000})
    );
    let played = app.post("/v1/best-move", &queen).await.ok();
    let best = app
        .post("/v1/tablebase", &json!({"game": queen["game"]}))
        .await
        .ok();
    assert_eq!(played["move"]["uci"], best["moves"][0]["uci"]);
    assert_eq!(
        played["score"]["cp"].as_i64(),
        best["dtz"].as_i64().map(|dtz| -dtz),
        "{played}"
    );
    let start = app
        .post("/v1/evaluate", &json!({"game": {}, "ai": "tables"}))
        .await
        .ok();
    assert_eq!(
        start["score"],
        json!({"cp": 4}),
        "the largest table has four pieces"
    );
}

#[actix_web::test]
async fn an_ai_without_tablebases_finds_none() {
    let file = with_ais(
        &[("tables", "probes_tables", "")],
        "[tablebases]\ndirectories = []\n",
    );
    let app = Application::of(&file);
    let queen = json!({"game": {"fen": "8/8/8/8/8/2k5/8/K6Q b - - 0 1"}, "ai": "tables"});
    assert_eq!(
        app.post("/v1/evaluate", &queen).await.ok()["score"],
        json!({"cp": 0})
    );
}

#[actix_web::test]
async fn a_damaged_table_is_not_the_fault_of_the_ai() {
    let folder = copies();
    damage(folder.path());
    let directories = format!("[tablebases]\ndirectories = [{:?}]\n", folder.path());
    let app = Application::of(&with_ais(&[("tables", "probes_tables", "")], &directories));
    let queen = json!({"game": {"fen": "8/8/8/8/8/r1k5/8/K6Q w - - 0 1"}, "ai": "tables"});
    let reply = app.post("/v1/evaluate", &queen).await;
    reply.check_error(500, "internal");
    assert!(
        reply.body["detail"]
            .as_str()
            .unwrap()
            .contains("[tablebases] directories"),
        "{}",
        reply.body
    );
    let rook = json!({"game": {"fen": "8/8/8/8/8/2k5/8/K6R b - - 0 1"}, "ai": "tables"});
    assert_eq!(
        app.post("/v1/evaluate", &rook).await.ok()["score"],
        json!({"cp": 1000})
    );
}

/// The extension table of the AI `newer`.
#[repr(C)]
struct Winners {
    head: Extension,
    has_won: extern "C" fn(&Position) -> bool,
}

#[test]
fn an_ai_exposes_its_extension_by_exact_name() {
    // SAFETY: the library belongs to the tests, and stays open.
    let library = std::mem::ManuallyDrop::new(unsafe { Library::new(built("newer")) }.unwrap());
    // SAFETY: the header declares the symbol as a `CAi`.
    let entry = unsafe {
        *library
            .get::<*const CAi>(ENTRY)
            .unwrap()
            .as_raw_ptr()
            .cast::<CAi>()
    };
    // SAFETY: the names are C strings.
    let ask = |name: &std::ffi::CStr| unsafe { entry.extension.unwrap()(name.as_ptr()) };
    assert!(ask(c"newer.winners/2").is_none() && ask(c"").is_none());
    let winners = ask(c"newer.winners/1").expect("the AI offers it");
    assert!(winners.size >= size_of::<Winners>());
    // SAFETY: this name and revision identify this table, and the size matches.
    let winners = unsafe { &*std::ptr::from_ref(winners).cast::<Winners>() };
    assert!(!(winners.has_won)(&rules::start_position()));
}
