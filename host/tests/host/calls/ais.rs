//! `GET /v1/ais`, `/healthz` and `/readyz`.

use std::path::PathBuf;

use actix_web::http::Method;
use insta::assert_snapshot;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::{Application, ConfigFile, configuration, game_service, shown, with_ais};

fn app() -> (Application, ConfigFile) {
    let moody = ("moody", "required_option", "options = { mood = \"good\" }");
    let file = with_ais(
        &[
            ("basic1", "ai_basic1", ""),
            ("pawns", "counts_pawns", ""),
            moody,
        ],
        "",
    );
    (Application::of(&file), file)
}

fn sha256(file: &PathBuf) -> String {
    let digest = Sha256::digest(std::fs::read(file).unwrap());
    digest
        .iter()
        .flat_map(|byte| format!("{byte:02x}").chars().collect::<Vec<_>>())
        .collect()
}

/// Checks the file and the SHA-256 of an entry. Returns the entry with `[sum]` as its SHA-256.
fn checked(mut entry: Value, library: &PathBuf) -> Value {
    assert_eq!(
        entry["library"]["file"],
        library.file_name().unwrap().to_str().unwrap()
    );
    assert_eq!(entry["library"]["sha256"], sha256(library));
    entry["library"]["sha256"] = "[sum]".into();
    entry
}

#[actix_web::test]
async fn the_list_is_compressed_and_returns_304_while_unchanged() {
    let (app, _file) = app();
    let first = app.get("/v1/ais").await;
    assert_eq!(first.header("Cache-Control"), Some("private, no-cache"));
    let tag = first.header("ETag").unwrap().to_owned();
    let ask = async |headers: &[(&str, &str)]| app.get_with(headers, "/v1/ais").await;
    let again = ask(&[("If-None-Match", &tag)]).await;
    assert_eq!((again.status, again.body.is_null()), (304, true));
    assert_eq!(
        ask(&[("If-None-Match", "\"other\"")]).await.body,
        first.body
    );
    let gzip = ("Accept-Encoding", "gzip");
    let compressed = ask(&[gzip]).await;
    assert_eq!(
        (compressed.header("Content-Encoding"), &compressed.body),
        (Some("gzip"), &first.body)
    );
    let tag = compressed.header("ETag").unwrap().to_owned();
    assert_ne!(first.header("ETag"), Some(tag.as_str()));
    assert_eq!(ask(&[gzip, ("If-None-Match", &tag)]).await.status, 304);
}

#[actix_web::test]
async fn lists_every_ai_with_its_options_and_library() {
    let (app, file) = app();
    let mut entries = app.get("/v1/ais").await.ok().as_array().unwrap().clone();
    let config = file.load();
    let common = json!({"limit": entries[0]["limit"], "sandbox": entries[0]["sandbox"]});
    for entry in &mut entries {
        let library = &config.ais[entry["id"].as_str().unwrap()].library;
        *entry = checked(entry.take(), library);
        let fields = entry.as_object_mut().unwrap();
        assert_eq!(
            json!({"limit": fields.remove("limit"), "sandbox": fields.remove("sandbox")}),
            common
        );
    }
    assert_snapshot!(shown(&common), @r#"
    {
      "limit": {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": false,
        "properties": {
          "depth": {"type":"integer","minimum":1,"maximum":1000},
          "nodes": {"type":"integer","minimum":1,"maximum":1000000000000},
          "movetime_ms": {"type":"integer","minimum":1,"maximum":9750},
          "mate": {"type":"integer","minimum":1,"maximum":500}
        },
        "default": {"depth":5}
      },
      "sandbox": {
        "mode": "required",
        "memory_mb": 1024,
        "threads": 64,
        "exec": [],
        "enforced": [
          "priority",
          "pid_namespace",
          "core_dumps",
          "open_files",
          "threads",
          "memory",
          "mount_namespace",
          "working_directory",
          "privileges",
          "files",
          "system_calls",
          "computing_time"
        ],
        "missing": [],
        "cgroup": {"controllers":[],"reason":"this command does not use cgroups"}
      }
    }
    "#);
    assert_snapshot!(shown(&Value::Array(entries)), @r#"
    [
      {
        "id": "basic1",
        "name": "Basic1",
        "version": "1.0.0",
        "author": "The Rookery developers",
        "kinds": ["searcher","evaluator"],
        "capabilities": {
          "chess960": true,
          "root_moves": true,
          "ponder": true,
          "manages_time": false,
          "varies": false,
          "lines": 64,
          "trace_nodes": 4000,
          "threads": 0,
          "memory_mb": null
        },
        "options": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "hash_mb": {
              "type": "integer",
              "minimum": 1,
              "maximum": 1024,
              "description": "megabytes of memory for positions already searched",
              "default": 16,
              "readOnly": true
            },
            "quiescence": {"type":"boolean","description":"follow captures beyond the last ply","default":true,"readOnly":true},
            "pvs": {"type":"boolean","description":"test moves after the first with a null window","default":true,"readOnly":true,"advanced":true},
            "aspiration": {"type":"boolean","description":"start with a narrow window around the last score","default":true,"readOnly":true,"advanced":true},
            "killers": {"type":"boolean","description":"try killer moves early","default":false,"readOnly":true,"advanced":true},
            "history": {"type":"boolean","description":"order quiet moves by history","default":true,"readOnly":true,"advanced":true},
            "null_move": {"type":"boolean","description":"prune where even a pass is good enough","default":true,"readOnly":true,"advanced":true},
            "late_move_reductions": {"type":"boolean","description":"search late quiet moves less deeply at first","default":true,"readOnly":true,"advanced":true}
          }
        },
        "library": {"file":"libai_basic1.so","sha256":"[sum]"},
        "isolate": "none",
        "state": "ready"
      },
      {
        "id": "moody",
        "name": "test-ais",
        "version": "1.0.0",
        "author": "The Rookery developers",
        "kinds": ["searcher"],
        "capabilities": {
          "chess960": false,
          "root_moves": false,
          "ponder": false,
          "manages_time": false,
          "varies": false,
          "lines": 1,
          "trace_nodes": 0,
          "threads": 0,
          "memory_mb": null
        },
        "options": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "mood": {"type":"string","enum":["bad","good"],"description":"the AI starts only with good","default":"good","readOnly":true},
            "strength": {"type":"integer","minimum":1,"maximum":9,"description":"playing strength","default":3,"readOnly":true}
          }
        },
        "library": {"file":"librequired_option.so","sha256":"[sum]"},
        "isolate": "none",
        "state": "ready"
      },
      {
        "id": "pawns",
        "name": "Pawn counter",
        "version": "2.0.0",
        "author": "A. U. Thor",
        "kinds": ["evaluator"],
        "capabilities": {
          "chess960": false,
          "root_moves": true,
          "ponder": true,
          "manages_time": false,
          "varies": false,
          "lines": 64,
          "trace_nodes": 4000,
          "threads": 0,
          "memory_mb": null
        },
        "options": {"type":"object","additionalProperties":false,"properties":{}},
        "library": {"file":"libcounts_pawns.so","sha256":"[sum]"},
        "isolate": "none",
        "state": "ready"
      }
    ]
    "#);
}

#[actix_web::test]
async fn returns_one_ai_as_in_the_list() {
    let (app, _file) = app();
    let list = app.get("/v1/ais").await;
    for (index, id) in ["basic1", "moody", "pawns"].iter().enumerate() {
        let one = app.get(&format!("/v1/ais/{id}")).await;
        assert_eq!((one.status, &one.body), (200, &list.body[index]));
    }
    assert_eq!(app.get("/v1/ais/%62asic1").await.body["id"], "basic1");
}

#[actix_web::test]
async fn reports_a_searching_ai_as_busy_and_stays_ready() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let body = json!({"game": {}, "limit": {"movetime_ms": 500}});
    let pending_search = app.post("/v1/best-move", &body);
    let watching = async {
        loop {
            let reply = app.get("/v1/ais/ai_basic1").await;
            if reply.body["state"] == "busy" {
                return app.get("/readyz").await.status;
            }
        }
    };
    let (answer, ready) = futures_util::future::join(pending_search, watching).await;
    assert_eq!((answer.status, ready), (200, 200));
    assert_eq!(app.get("/v1/ais/ai_basic1").await.body["state"], "ready");
}

#[actix_web::test]
async fn health_and_readiness_return_200() {
    let (app, _file) = app();
    let alive = app.get("/healthz").await;
    assert_eq!(
        (alive.status, alive.body),
        (200, json!({"status": "alive"}))
    );
    let ready = app.get("/readyz").await;
    assert_eq!(
        (ready.status, ready.body),
        (200, json!({"status": "ready"}))
    );
}

#[actix_web::test]
async fn a_draining_server_is_alive_but_not_ready() {
    let (app, _file) = app();
    app.drain();
    assert_eq!(app.get("/healthz").await.status, 200);
    let reply = app.get("/readyz").await;
    assert_eq!(
        (reply.status, reply.header("Retry-After")),
        (503, Some("1"))
    );
    assert_snapshot!(shown(&reply.stable()), @r#"
    {
      "type": "urn:rookery:problem:ai_unavailable",
      "title": "The AI is unavailable",
      "status": 503,
      "detail": "the server is shutting down, or a configured AI is unavailable; see GET /v1/ais",
      "code": "ai_unavailable",
      "request_id": "[id]"
    }
    "#);
    // A draining server still answers requests.
    assert_eq!(
        app.post("/v1/validate", &json!({"game": {}})).await.status,
        200
    );
}

#[actix_web::test]
async fn health_needs_no_client() {
    let file =
        ConfigFile::new("[ai.basic1]\nlibrary = \"ai_basic1\"\n[client.alice]\nai = \"basic1\"\n");
    let app = Application::new(game_service(&file));
    for path in ["/healthz", "/readyz"] {
        assert_eq!(app.get(path).await.status, 200, "{path}");
    }
    assert_eq!(app.get("/v1/ais").await.status, 401);
}

#[actix_web::test]
async fn head_is_allowed_wherever_get_is() {
    let (app, _file) = app();
    for path in ["/healthz", "/readyz", "/v1/ais", "/v1/ais/basic1"] {
        assert_eq!(app.method(Method::HEAD, path).await.status, 200, "{path}");
    }
    assert_eq!(app.method(Method::HEAD, "/v1/ais/none").await.status, 404);
}
