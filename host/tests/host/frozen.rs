//! AIs of other versions of the contract. Where these fail, AIs that people have built do not load any more: leave what is
//! frozen as it is and offer what is new as an extension (`ai-api/frozen/README.md`).

use serde_json::json;

use crate::support::{Application, ConfigFile};

async fn is_served(library: &str) {
    let app = Application::of(&ConfigFile::new(&format!(
        "[ai.other]\nlibrary = \"{library}\"\noptions = {{ pawn = 120 }}\n[client.default]\nai = \"other\"\n"
    )));
    let about = app.get("/v1/ais/other").await.body;
    assert_eq!(about["options"]["properties"]["pawn"]["maximum"], 200, "{about}");
    assert_eq!((&about["abilities"]["chess960"], &about["abilities"]["lines"]), (&json!(true), &json!(64)));
    // 1 exd5 wins a pawn.
    let fen = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
    let played = app.post("/v1/best-move", &json!({"game": {"fen": fen}, "limit": {"depth": 3}})).await;
    assert_eq!(played.status, 200, "{}", played.body);
    assert_eq!((&played.body["move"]["uci"], &played.body["score"]), (&json!("e4d5"), &json!({"cp": 120})));
    let judged = app.post("/v1/evaluate", &json!({"game": {"fen": fen}})).await;
    assert_eq!(judged.body["terms"], json!([{"name": "pawns", "score": {"cp": 0}}]), "{}", judged.body);
}

#[actix_web::test]
async fn an_ai_built_with_the_frozen_contract_is_served() {
    is_served("frozen").await;
}

#[actix_web::test]
async fn an_ai_built_with_a_later_contract_is_served() {
    is_served("newer").await;
}
