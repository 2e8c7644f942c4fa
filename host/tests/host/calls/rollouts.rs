//! `GET /v1/rollouts`: the counts of candidates.

use std::sync::Arc;

use pool::Activity;
use serde_json::{Value, json};

use crate::{
    pool::workers::until,
    support::{ADMIN_KEY, Application, ConfigFile, administrator, arena, with_ais},
};

/// A configuration with `bob`, an `ai_basic1`, its candidate, and further sections.
fn file(candidate: &str, shares: &str, sections: &str) -> ConfigFile {
    let bob = format!("limit.depth = 1\ncandidate = \"bob_2\"\n{shares}");
    let candidate_settings = "limit.depth = 1\nmove_timeout_ms = 1000";
    let ais = [
        ("bob", "ai_basic1", &*bob),
        ("bob_2", candidate, candidate_settings),
    ];
    with_ais(&ais, &format!("{}{sections}", administrator("bob")))
}

fn app(file: &ConfigFile) -> Application {
    Application::of(file).with_rollouts(None, &Activity::default())
}

async fn rollout(app: &Application) -> Value {
    let reply = app.get_with_key(ADMIN_KEY, "/v1/rollouts").await.ok();
    reply["rollouts"][0].clone()
}

/// Returns the rollout once this many copies have been sent or dropped.
async fn copied(app: &Application, copies: u64) -> Value {
    until("the copies are asked", async || {
        let counts = rollout(app).await["copies"].clone();
        let counts = ["asked", "dropped"].map(|key| counts[key].as_u64().unwrap());
        counts.iter().sum::<u64>() >= copies
    })
    .await;
    rollout(app).await
}

/// Requests best moves after each of ten first moves in turn.
async fn ask(app: &Application, requests: usize) {
    let first = [
        "e2e4", "d2d4", "c2c4", "g1f3", "b1c3", "e2e3", "d2d3", "g2g3", "b2b3", "f2f4",
    ];
    for chosen in first.iter().cycle().take(requests) {
        let body = json!({"game": {"moves": [chosen]}, "fresh": true});
        let reply = app.post("/v1/best-move", &body).await.ok();
        assert_eq!(reply["ai"]["canary_for"], Value::Null, "{reply}");
    }
}

#[actix_web::test]
async fn copies_are_compared_and_change_no_reply() {
    let file = file("ai_huo1", "shadow = \"100%\"", "");
    let app = app(&file);
    ask(&app, 10).await;
    let found = copied(&app, 10).await;
    let sides = &found["sides"];
    assert_eq!(
        (&sides["ai"]["requests"], &sides["candidate"]["requests"]),
        (&json!(10), &json!(0))
    );
    assert_eq!(found["copies"], json!({"asked": 10, "dropped": 0}));
    let compared = &found["comparison"];
    assert_eq!(compared["moves"], 10);
    let classes = compared["score_differences"].as_array().unwrap();
    let scores: u64 = classes
        .iter()
        .map(|class| class["count"].as_u64().unwrap())
        .sum();
    assert_eq!((classes.len(), scores), (9, 10));
    assert!(sides["ai"]["p99_ms"].as_f64().unwrap() > 0.0, "{found}");
    assert_eq!(
        (&found["kept_in"], &found["strength"]),
        (&json!("memory"), &Value::Null)
    );
    assert_eq!(found["notes"], json!(["there is no arena"]));
    let reasons = found["refusals"].as_array().unwrap();
    let reasons: Vec<_> = reasons.iter().map(|refusal| &refusal["reason"]).collect();
    assert_eq!(reasons, ["requests", "time", "strength"]);
    let metrics = app.get("/metrics").await.body.to_string();
    for line in [
        r#"rookery_rollout_requests_total{ai=\"bob\",side=\"ai\"} 10"#,
        r#"rookery_rollout_shadows_total{ai=\"bob\",outcome=\"asked\"} 10"#,
    ] {
        assert!(metrics.contains(line), "no {line} in {metrics}");
    }
}

#[actix_web::test]
async fn an_equal_candidate_agrees_with_its_ai() {
    let file = file("ai_basic1", "shadow = \"100%\"", "");
    let app = app(&file);
    ask(&app, 5).await;
    let compared = copied(&app, 5).await["comparison"].clone();
    assert_eq!(
        (&compared["moves"], &compared["agreed"]),
        (&json!(5), &json!(5))
    );
    assert_eq!(
        compared["score_differences"][4],
        json!({"from_cp": -20, "to_cp": 20, "count": 5})
    );
}

#[actix_web::test]
async fn a_share_of_0_percent_copies_no_request() {
    let file = file("counts_pawns", "shadow = \"0%\"", "");
    let app = app(&file);
    ask(&app, 5).await;
    assert_eq!(
        rollout(&app).await["copies"],
        json!({"asked": 0, "dropped": 0})
    );
}

#[actix_web::test]
async fn copies_are_dropped_while_the_machine_is_busy() {
    let file = file("counts_pawns", "shadow = \"100%\"", "");
    let activity = Activity::default();
    let app = Application::of(&file).with_rollouts(None, &activity);
    let jobs: Vec<_> = (0..256).map(|_| activity.begin()).collect();
    ask(&app, 2).await;
    assert_eq!(
        copied(&app, 2).await["copies"],
        json!({"asked": 0, "dropped": 2})
    );
    drop(jobs);
    ask(&app, 1).await;
    assert_eq!(
        copied(&app, 3).await["copies"],
        json!({"asked": 1, "dropped": 2})
    );
}

#[actix_web::test]
async fn faults_of_copies_are_recorded_with_their_requests() {
    for (fault, code) in [
        ("segfault", "ai_crashed"),
        ("illegal_move", "ai_illegal_move"),
        ("error", "ai_failed"),
        ("hang", "ai_timeout"),
        ("allocation_failure", "ai_out_of_memory"),
    ] {
        let file = file(fault, "shadow = \"100%\"", "");
        let app = app(&file);
        ask(&app, 1).await;
        let found = copied(&app, 1).await;
        assert_eq!(
            found["sides"]["candidate"]["faults"],
            json!({code: 1}),
            "{found}"
        );
        assert_eq!(found["faults"][0]["code"], code);
        let request = &found["requests"][0];
        assert_eq!(request["body"]["ai"], "bob_2");
        assert_eq!(request["body"]["game"]["moves"], json!(["e2e4"]));
        assert_eq!(request["reply"]["code"], code);
    }
}

#[actix_web::test]
async fn canaries_are_counted_on_the_candidates_side() {
    let pinned = "[client.in]\nai = \"bob\"\ncanary = \"always\"\n";
    let file = file("segfault", "", pinned);
    let app = app(&file);
    ask(&app, 3).await;
    for _ in 0..8 {
        let reply = app
            .post_as("in", "/v1/best-move", &json!({"game": {}}))
            .await
            .ok();
        assert_eq!(reply["ai"]["id"], "bob");
    }
    let found = rollout(&app).await;
    let [ai, candidate] = ["ai", "candidate"].map(|side| &found["sides"][side]);
    assert_eq!(ai["requests"], 11);
    // The circuit opens only for the candidate.
    let count = |key: &str| candidate[key].as_u64().unwrap();
    assert!(count("requests") >= 1 && count("rejected") >= 1, "{found}");
    assert_eq!(count("requests") + count("rejected"), 8);
    assert_eq!(candidate["faults"]["ai_crashed"], candidate["requests"]);
    assert_eq!(ai["faults"], json!({}));
}

#[actix_web::test]
async fn only_administrators_see_rollouts() {
    let file = file("counts_pawns", "", "");
    let app = app(&file);
    app.get("/v1/rollouts").await.check_error(404, "not_found");
    assert_eq!(rollout(&app).await["candidate"], "bob_2");
}

/// A new candidate starts without counts, and nothing of the previous one remains.
#[actix_web::test]
async fn a_reload_with_another_candidate_starts_over() {
    let file = file("counts_pawns", "shadow = \"100%\"", "");
    let app = app(&file);
    ask(&app, 1).await;
    assert_eq!(copied(&app, 1).await["sides"]["ai"]["requests"], 1);
    let text = std::fs::read_to_string(file.path()).unwrap();
    for (text, is_kept) in [
        (format!("{text}# The same.\n"), true),
        (text.replace("counts_pawns", "ai_huo1"), false),
    ] {
        std::fs::write(file.path(), text).unwrap();
        let service = app.state().service();
        let (next, _) = service.reload_with(file.load(), pool::Retry::All).unwrap();
        for extra in app.state().extras.iter() {
            extra.reconfigure(next.config());
        }
        let ais = next.local_ais();
        app.swap(Arc::new(next));
        for extra in app.state().extras.iter() {
            extra.set_local_ais(ais.clone());
        }
        let found = rollout(&app).await;
        assert_eq!(
            found["sides"]["ai"]["requests"],
            u64::from(is_kept),
            "{found}"
        );
    }
}

/// Tallies survive a restart in the arena's file, which stores no positions.
#[actix_web::test]
async fn the_arenas_file_keeps_the_tallies() {
    let sections = "[arena]\nplayers = []\nidle_s = 86400\n";
    let file = file("counts_pawns", "shadow = \"100%\"", sections);
    for requests in [3, 6] {
        let activity = Activity::default();
        let arena = Arc::new(arena::start(&file, &activity).await);
        let app = Application::of(&file).with_rollouts(Some(Arc::clone(&arena)), &activity);
        let busy = activity.begin();
        ask(&app, 3).await;
        let found = copied(&app, requests).await;
        assert_eq!(found["sides"]["ai"]["requests"], requests);
        assert_eq!(
            (&found["kept_in"], &found["notes"]),
            (&json!("arena"), &json!([]))
        );
        assert!(
            found["strength"]["positions"].as_u64().unwrap() >= 1,
            "{found}"
        );
        let mut games = Vec::new();
        arena.reader().export(&mut games).unwrap();
        assert_eq!(games, b"");
        drop((app, arena, busy));
    }
    let bytes = std::fs::read(arena::path(&file)).unwrap();
    for text in ["rnbqkbnr", "e2e4", "d2d4"] {
        let has_text = bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes());
        assert!(!has_text, "{text}");
    }
}

#[actix_web::test]
async fn a_full_arena_leaves_the_tallies_in_memory() {
    let sections = "[arena]\nplayers = []\nidle_s = 86400\nmax_mb = 1\n";
    let file = file("counts_pawns", "", sections);
    let activity = Activity::default();
    let arena = Arc::new(arena::start(&file, &activity).await);
    let app = Application::of(&file).with_rollouts(Some(Arc::clone(&arena)), &activity);
    arena
        .store()
        .keep_rollout("other", "", &"x".repeat(2 << 20))
        .unwrap();
    ask(&app, 1).await;
    until("the file is full", async || {
        rollout(&app).await["kept_in"] == "memory"
    })
    .await;
    let found = rollout(&app).await;
    assert_eq!(found["sides"]["ai"]["requests"], 1);
    let note = found["notes"][0].as_str().unwrap();
    assert!(note.starts_with("the arena's file cannot be"), "{note}");
}

/// Plays real games with node limits from positions that clients have sent.
#[actix_web::test]
async fn an_idle_machine_measures_the_strength_of_a_candidate() {
    for (nodes, candidate_nodes, expected) in [(1500, 1, "weaker"), (1, 1500, "not_weaker")] {
        let bob = format!("limit.nodes = {nodes}\ncandidate = \"bob_2\"");
        let other = format!("limit.nodes = {candidate_nodes}");
        let ais = [("bob", "ai_basic1", &*bob), ("bob_2", "ai_basic1", &*other)];
        let sections = "[arena]\nplayers = []\nidle_s = 1\n[rollout]\nsprt = \"-200,0\"\n";
        let file = with_ais(&ais, &format!("{}{sections}", administrator("bob")));
        let activity = Activity::default();
        let arena = Arc::new(arena::start(&file, &activity).await);
        let app = Application::of(&file).with_rollouts(Some(Arc::clone(&arena)), &activity);
        for first in ["e2e4", "d2d4", "c2c4", "g1f3", "b1c3", "e2e3"] {
            for second in ["e7e5", "d7d5", "c7c5", "g8f6", "b8c6"] {
                let body = json!({"game": {"moves": [first, second]}, "limit": {"nodes": 1}});
                app.post("/v1/best-move", &body).await.ok();
            }
        }
        until("the strength is known", async || {
            rollout(&app).await["strength"]["accepted"] == expected
        })
        .await;
        let found = rollout(&app).await;
        let is_refused = found["refusals"].as_array().unwrap().iter();
        let is_refused = is_refused
            .clone()
            .any(|refusal| refusal["reason"] == "strength");
        assert_eq!(is_refused, expected == "weaker", "{found}");
        println!("{}", found["strength"]);
        // No client sees the games.
        let mut games = Vec::new();
        arena.reader().export(&mut games).unwrap();
        assert_eq!(games, b"");
        let live = app.get("/v1/arena").await.ok();
        assert_eq!(live["games"], 0);
    }
}

/// The candidate is faster, and not weaker than the configuration allows.
#[actix_web::test]
async fn promotes_a_candidate_automatically_if_configured() {
    for promote in [true, false] {
        let sections = format!(
            "[arena]\nplayers = []\nidle_s = 1\n[rollout]\npromote = {promote}\nmin_requests = \
             5\nsprt = \"-1000,-500\"\n"
        );
        let bob = "limit.depth = 3\ncandidate = \"bob_2\"\nshadow = \"100%\"";
        let ais = [
            ("bob", "ai_basic1", bob),
            ("bob_2", "ai_basic1", "limit.depth = 2"),
        ];
        let file = with_ais(&ais, &format!("{}{sections}", administrator("bob")));
        let activity = Activity::default();
        let arena = Arc::new(arena::start(&file, &activity).await);
        let app = Application::of(&file).with_rollouts(Some(arena), &activity);
        ask(&app, 10).await;
        copied(&app, 10).await;
        until("no refusal is left", async || {
            let found = rollout(&app).await;
            let mut refusals = found["refusals"].as_array().unwrap().iter();
            if refusals.any(|refusal| refusal["reason"] == "time") {
                // Another process slowed the candidate down. More requests correct the measured
                // time.
                ask(&app, 10).await;
            }
            found["refusals"] == json!([])
        })
        .await;
        let text = || std::fs::read_to_string(file.path()).unwrap();
        if promote {
            until("the candidate is promoted", async || {
                !text().contains("bob_2")
            })
            .await;
            assert!(text().contains("limit.depth = 2"), "{}", text());
            let copy = file.folder().join("rookery.toml.before-promote-bob");
            assert!(std::fs::read_to_string(copy).unwrap().contains("bob_2"));
        } else {
            assert!(text().contains("candidate = \"bob_2\""), "{}", text());
        }
    }
}
