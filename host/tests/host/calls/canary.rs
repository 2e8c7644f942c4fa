//! The clients that get a candidate's answers.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{Application, ConfigFile, game_service, library, with_ais};

/// A configuration with `bob`, the candidate `bob_2` and further lines for the default client.
fn rollout(candidate: &str, shares: &str, further: &str) -> ConfigFile {
    let bob = format!("limit.depth = 1\ncandidate = \"bob_2\"\n{shares}");
    let ais = [
        ("bob", "ai_basic1", &*bob),
        (
            "bob_2",
            candidate,
            "limit.depth = 1\nmove_timeout_ms = 1000",
        ),
    ];
    with_ais(&ais, further)
}

/// Returns the `ai` of a client's best-move reply.
async fn ai_of(app: &Application, client: &str) -> Value {
    let body = json!({"game": {}});
    app.post_as(client, "/v1/best-move", &body).await.ok()["ai"].clone()
}

fn clients(names: &[String]) -> String {
    let section = |name: &String| format!("[client.{name}]\nai = \"bob\"\n");
    names.iter().map(section).collect()
}

#[actix_web::test]
async fn a_canary_is_named_in_the_reply() {
    let pinned = "[client.in]\nai = \"bob\"\ncanary = \"always\"\n\
                  [client.out]\nai = \"bob\"\ncanary = \"never\"\n";
    let app = Application::of(&rollout("ai_huo1", "canary = \"100%\"", pinned));
    let canary = ai_of(&app, "in").await;
    assert_eq!(
        (&canary["id"], &canary["canary_for"]),
        (&json!("bob_2"), &json!("bob"))
    );
    let other = ai_of(&app, "out").await;
    assert_eq!(
        (&other["id"], &other["canary_for"]),
        (&json!("bob"), &Value::Null)
    );
    assert_eq!(ai_of(&app, "default").await["id"], "bob_2");
}

#[actix_web::test]
async fn only_permitted_clients_may_name_a_candidate() {
    let further = "[client.free]\nai = \"bob\"\n\
                   [client.listed]\nai = \"bob\"\nallowed_ais = [\"bob\", \"bob_2\"]\n";
    let app = Application::of(&rollout("ai_basic1", "", further));
    let body = json!({"game": {}, "ai": "bob_2"});
    let reply = app.post_as("listed", "/v1/best-move", &body).await.ok();
    assert_eq!(
        (&reply["ai"]["id"], &reply["ai"]["canary_for"]),
        (&json!("bob_2"), &Value::Null)
    );
    let refused = app.post_as("free", "/v1/best-move", &body).await;
    refused.check_error(403, "ai_not_allowed");
    for (client, expected) in [("free", 1), ("listed", 2)] {
        let ais = app
            .get_with(&[("X-Client-Id", client)], "/v1/ais")
            .await
            .ok();
        assert_eq!(ais.as_array().unwrap().len(), expected, "{client}");
    }
}

#[actix_web::test]
async fn a_candidate_with_a_fault_changes_no_reply() {
    let game = |moves: &[&str]| json!({"game": {"moves": moves}});
    let alone = Application::of(&with_ais(&[("bob", "ai_basic1", "limit.depth = 1")], ""));
    for fault in [
        "segfault",
        "error",
        "panic",
        "stack_overflow",
        "allocation_failure",
        "exit",
        "write_to_socket",
        "illegal_move",
        "no_move",
        "hang",
    ] {
        let app = Application::of(&rollout(fault, "canary = \"100%\"", ""));
        for moves in [&[][..], &["e2e4"], &["d2d4", "d7d5"], &["g1f3"]] {
            let body = game(moves);
            let [own, expected] = [
                app.post("/v1/best-move", &body).await.stable(),
                alone.post("/v1/best-move", &body).await.stable(),
            ];
            assert_eq!(own, expected, "{fault}");
        }
        assert_eq!(app.get("/readyz").await.status, 200, "{fault}");
    }
}

#[actix_web::test]
async fn a_stream_ends_with_the_answer_of_the_ai() {
    let app = Application::of(&rollout("segfault", "canary = \"100%\"", ""));
    let records = app.stream("/v1/best-move", &json!({"game": {}})).await;
    let last = records.last().unwrap();
    assert_eq!(
        (&last["type"], &last["ai"]["id"]),
        (&json!("result"), &json!("bob"))
    );
}

#[actix_web::test]
async fn an_evaluation_has_a_canary_and_a_report_has_none() {
    let app = Application::of(&rollout("ai_basic1", "canary = \"100%\"", ""));
    let evaluated = app.post("/v1/evaluate", &json!({"game": {}})).await.ok();
    assert_eq!(evaluated["ai"]["canary_for"], "bob");
    let report = json!({"game": {"moves": ["e2e4"]}});
    assert_eq!(
        app.post("/v1/report", &report).await.ok()["ai"]["id"],
        "bob"
    );
}

#[actix_web::test]
async fn options_go_to_a_candidate_that_has_them() {
    for (open, answers) in [
        ("overridable_options = [\"quiescence\"]", "bob_2"),
        ("", "bob"),
    ] {
        let bob = "overridable_options = [\"quiescence\"]\nlimit.depth = 1\n\
                   candidate = \"bob_2\"\ncanary = \"100%\"";
        let other = format!("limit.depth = 1\n{open}");
        let ais = [("bob", "ai_basic1", bob), ("bob_2", "ai_basic1", &*other)];
        let app = Application::of(&with_ais(&ais, ""));
        let body = json!({"game": {}, "options": {"quiescence": false}});
        let reply = app.post("/v1/best-move", &body).await.ok();
        assert_eq!(reply["ai"]["id"], answers);
        assert_eq!(reply["ai"]["options"], json!({"quiescence": false}));
    }
}

/// Tries 4,000 client names over ten reloads and a restart.
#[actix_web::test]
async fn clients_stay_on_their_side_and_the_share_is_kept() {
    let names: Vec<_> = (0..4000).map(|number| format!("client-{number}")).collect();
    let file = rollout("counts_pawns", "canary = \"5%\"", &clients(&names));
    let app = Application::of(&file);
    let mut canaries = BTreeSet::new();
    for name in &names {
        if ai_of(&app, name).await["id"] == "bob_2" {
            canaries.insert(name.clone());
        }
    }
    // Of 1,000 clients, 50 are expected. Every build of the library chooses other clients, and 13
    // is nearly four standard errors of the mean of four thousand.
    let of_thousand = canaries.len() / 4;
    assert!((37..=63).contains(&of_thousand), "{}", canaries.len());
    let probes: Vec<_> = names.iter().step_by(160).chain(&canaries).collect();
    let check = async |app: &Application| {
        for name in &probes {
            let is_canary = ai_of(app, name).await["id"] == "bob_2";
            assert_eq!(is_canary, canaries.contains(*name), "{name}");
        }
    };
    for reload in 0..10 {
        let text = std::fs::read_to_string(file.path()).unwrap();
        std::fs::write(file.path(), text + &format!("# reload {reload}\n")).unwrap();
        let service = app.state().service();
        let (next, _) = service.reload_with(file.load(), pool::Retry::All).unwrap();
        app.swap(std::sync::Arc::new(next));
        check(&app).await;
    }
    check(&Application::new(game_service(&file))).await;
}

#[actix_web::test]
async fn another_version_selects_other_clients() {
    let names: Vec<_> = (0..200).map(|number| format!("client-{number}")).collect();
    let mut sides = Vec::new();
    for candidate in ["counts_pawns", "ai_huo1"] {
        let app = Application::of(&rollout(candidate, "canary = \"20%\"", &clients(&names)));
        let mut canaries = BTreeSet::new();
        for name in &names {
            if ai_of(&app, name).await["id"] == "bob_2" {
                canaries.insert(name.clone());
            }
        }
        sides.push(canaries);
    }
    assert!(sides[0].difference(&sides[1]).count() > 10);
}

/// A server with a larger share and a different candidate id includes the same clients and more.
#[actix_web::test]
async fn a_larger_share_keeps_the_clients_of_a_smaller_one() {
    let names: Vec<_> = (0..100).map(|number| format!("client-{number}")).collect();
    let file = rollout("counts_pawns", "canary = \"10%\"", &clients(&names));
    let other = rollout("counts_pawns", "canary = \"40%\"", &clients(&names));
    let text = std::fs::read_to_string(other.path()).unwrap();
    std::fs::write(other.path(), text.replace("bob_2", "robert")).unwrap();
    let (app, other) = (Application::of(&file), Application::of(&other));
    let mut counts = [0, 0];
    for name in &names {
        let is_canary = ai_of(&app, name).await["id"] == "bob_2";
        let is_other = ai_of(&other, name).await["id"] == "robert";
        assert!(is_other || !is_canary, "{name}");
        counts[0] += usize::from(is_canary);
        counts[1] += usize::from(is_other);
    }
    assert!(0 < counts[0] && counts[0] < counts[1], "{counts:?}");
}

/// A changed share does not change the AI: its workers keep running and keep what they have
/// learned.
#[actix_web::test]
async fn a_changed_share_restarts_nothing() {
    let file = rollout("counts_pawns", "", "");
    let app = Application::of(&file);
    let service = app.state().service();
    let text = std::fs::read_to_string(file.path()).unwrap();
    let changed = text.replace("candidate = ", "canary = \"100%\"\ncandidate = ");
    std::fs::write(file.path(), changed).unwrap();
    let (next, changes) = service.reload_with(file.load(), pool::Retry::All).unwrap();
    assert_eq!(changes.unchanged, ["bob", "bob_2"]);
    app.swap(std::sync::Arc::new(next));
    assert_eq!(ai_of(&app, "default").await["id"], "bob_2");
}

/// The reload removes the AI while its candidate serves clients.
#[actix_web::test]
async fn removing_the_ai_ends_the_canary() {
    let file = rollout("counts_pawns", "canary = \"100%\"", "");
    let app = Application::of(&file);
    assert_eq!(ai_of(&app, "default").await["id"], "bob_2");
    file.write(&format!(
        "[ai.bob_2]\n{}limit.depth = 1\n[client.default]\nai = \"bob_2\"\n",
        library("counts_pawns")
    ));
    let service = app.state().service();
    let (next, _) = service.reload_with(file.load(), pool::Retry::All).unwrap();
    app.swap(std::sync::Arc::new(next));
    let ai = ai_of(&app, "default").await;
    assert_eq!(
        (&ai["id"], &ai["canary_for"]),
        (&json!("bob_2"), &Value::Null)
    );
}
