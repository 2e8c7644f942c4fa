//! AIs of each release of the contract, built by `tools/scripts/freeze.sh`: every later host
//! serves them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use ai_api::note::API_VERSION;
use serde_json::json;

use crate::{
    cli::check_ai::check_each_passes,
    plugins::c_abi::{WHOLE, compile, contract, source_of},
    support::{Application, ai},
};

/// The libraries in C and Rust with their maximum sizes in bytes. Rust's standard library takes 300
/// kB.
pub(super) const LIBRARIES: [(&str, u64); 2] = [("libminimax.so", 20_000), ("librust.so", 480_000)];

pub(super) fn releases() -> Vec<PathBuf> {
    let entries = fs::read_dir(contract().join("frozen")).unwrap();
    let releases: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    assert!(!releases.is_empty());
    releases
}

fn application_of(library: &Path) -> Application {
    Application::of(&ai("frozen", library.to_str().unwrap(), "limit.depth = 2"))
}

#[test]
fn ais_of_each_release_pass_check_ai() {
    let mut libraries = Vec::new();
    for release in releases() {
        for (name, most_bytes) in LIBRARIES {
            let library = release.join(name);
            let bytes = fs::metadata(&library).unwrap().len();
            assert!(bytes < most_bytes, "{}: {bytes} bytes", library.display());
            libraries.push(library);
        }
    }
    check_each_passes(&libraries, 8);
}

#[actix_web::test]
async fn ais_of_each_release_answer() {
    for release in releases() {
        for (name, _) in LIBRARIES {
            let app = application_of(&release.join(name));
            let mate = json!({"game": {"fen": "7k/6pp/8/8/8/8/8/R5K1 w - - 0 1"}});
            let reply = app.post("/v1/best-move", &mate).await;
            assert_eq!(reply.ok()["move"]["uci"], "a1a8");
            app.post("/v1/evaluate", &mate).await.ok();
        }
        let rust = application_of(&release.join("librust.so"));
        let request = json!({"game": {}, "lines": 3, "trace": {"nodes": 20}});
        let reply = rust.post("/v1/best-move", &request).await.body;
        assert_eq!(
            reply["search"]["lines"].as_array().map(Vec::len),
            Some(3),
            "{reply}"
        );
        assert!(
            reply["trace"]["nodes"]
                .as_array()
                .is_some_and(|nodes| !nodes.is_empty()),
            "{reply}"
        );
        let about = rust.get("/v1/ais/frozen").await.body;
        assert_eq!(about["capabilities"]["lines"], 4, "{about}");
        assert_eq!(
            about["options"]["properties"]["strength"]["maximum"], 9,
            "{about}"
        );
    }
}

#[actix_web::test]
async fn ais_built_with_a_released_header_answer() {
    for release in releases() {
        let folder = tempfile::tempdir().unwrap();
        let (source, library) = (folder.path().join("ai.c"), folder.path().join("libai.so"));
        fs::write(
            &source,
            source_of("", &format!("{WHOLE}, .evaluate = zero")),
        )
        .unwrap();
        compile(&release, &source, &library, &[]);
        let reply = application_of(&library)
            .post("/v1/best-move", &json!({"game": {}}))
            .await;
        assert_eq!(reply.ok()["score"], json!({"cp": 0}));
    }
}

#[test]
fn the_header_equals_the_released_header() {
    let header = |folder: &Path| fs::read_to_string(folder.join("include/rookery_ai.h")).unwrap();
    let release = contract().join("frozen").join(API_VERSION);
    assert_eq!(
        header(&release),
        header(&contract()),
        "the contract has changed since tools/scripts/freeze.sh built its AIs; \
         a released version never changes"
    );
}
