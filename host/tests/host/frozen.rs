//! AIs of other versions of the contract. Where these fail, AIs that people have built do not load any more: leave what is
//! frozen as it is and offer what is new as an extension (`ai-api/frozen/README.md`).

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use ai_api::{
    Extension, Position,
    abi_stable::library::lib_header_from_path,
    module::{API_VERSION, AiModuleRef},
};
use serde_json::json;

use crate::support::{Application, ConfigFile, built};

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

/// What the AI `newer` offers under this name: the table that its sources have.
#[repr(C)]
struct Winners {
    head: Extension,
    has_won: extern "C" fn(&Position) -> bool,
}

#[test]
fn what_a_later_ai_offers_is_there_for_who_asks_and_nothing_else_is() {
    let header = lib_header_from_path(&built("newer")).unwrap();
    let module = header.init_root_module::<AiModuleRef>().unwrap();
    // SAFETY: the names end with a NUL, as C strings do.
    let ask = |name: &std::ffi::CStr| unsafe { module.extension()(name.as_ptr()) };
    assert!(ask(c"newer.winners/2").is_none() && ask(c"").is_none());
    let winners = ask(c"newer.winners/1").expect("the AI offers it");
    assert!(winners.size >= size_of::<Winners>());
    // SAFETY: the table of this name and revision is this one, and as long.
    let winners = unsafe { &*std::ptr::from_ref(winners).cast::<Winners>() };
    assert!(!(winners.has_won)(&rules::start_position()));
}

fn contract() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../ai-api")
}

/// Every file below a folder by its path, with what it holds.
fn files(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_path_buf();
                files.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    files
}

#[test]
fn the_frozen_sources_of_this_version_are_these() {
    let frozen = contract().join("frozen").join(API_VERSION);
    for folder in ["src", "include"] {
        let (today, kept) = (files(&contract().join(folder)), files(&frozen.join(folder)));
        let names: BTreeSet<_> = today.keys().chain(kept.keys()).collect();
        let differ: Vec<_> = names.into_iter().filter(|name| today.get(*name) != kept.get(*name)).collect();
        assert!(
            differ.is_empty(),
            "{folder}: {differ:?} differ from {}: ai-api/frozen/README.md says what to do",
            frozen.display()
        );
    }
}
