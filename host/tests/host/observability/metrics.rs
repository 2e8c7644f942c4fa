//! `GET /metrics`.

use std::collections::BTreeSet;

use actix_web::http::Method;
use config::api_key::KeyDigest;
use serde_json::json;

use crate::support::{
    ADMIN_KEY, Application, Reply, administrator, assert_has, basic1_and, configuration,
    game_service, keyed_client,
};

/// Returns the lines of the metrics without histogram buckets.
async fn lines(app: &Application) -> Vec<String> {
    let reply = app.get("/metrics").await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let kind = reply.header("Content-Type");
    assert_eq!(
        kind,
        Some("application/openmetrics-text; version=1.0.0; charset=utf-8")
    );
    let text = reply.body.as_str().unwrap();
    assert!(text.ends_with("# EOF\n"), "{text}");
    text.lines()
        .filter(|line| !line.contains("_bucket{"))
        .map(str::to_owned)
        .collect()
}

/// Returns the value of one series.
#[track_caller]
fn value(lines: &[String], name: &str) -> u64 {
    let line = lines
        .iter()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name} in {lines:#?}"))
        .parse()
        .unwrap()
}

/// Returns the name and labels of every series.
fn series(lines: &[String]) -> BTreeSet<String> {
    let samples = lines.iter().filter(|line| !line.starts_with('#'));
    samples
        .map(|line| line.rsplit_once(' ').unwrap().0.to_owned())
        .collect()
}

#[actix_web::test]
async fn counts_requests_and_ais_under_stable_names() {
    let file = configuration(&["ai_basic1", "segfault"]);
    let app = Application::of(&file);
    let searched = app
        .post("/v1/best-move", &json!({"game": {}, "limit": {"depth": 3}}))
        .await;
    assert_eq!(
        app.post("/v1/evaluate", &json!({"game": {}})).await.status,
        200
    );
    assert_eq!(
        app.post("/v1/best-move", &json!({"game": {}, "ai": "segfault"}))
            .await
            .status,
        502
    );
    assert_eq!(app.get("/v1/ais/nobody").await.status, 404);
    assert_eq!(app.get("/nowhere").await.status, 404);
    let lines = lines(&app).await;
    let ai = |ai: &str| {
        let gauges = [
            "busy",
            "draining",
            "failed",
            "quarantined",
            "ready",
            "reserve",
            "starting",
        ]
        .map(|state| format!("rookery_ai_workers{{ai=\"{ai}\",state=\"{state}\"}}"));
        let others = [
            "ai_evaluations_total",
            "ai_longest_wait_seconds",
            "ai_memory_bytes",
            "ai_nodes_total",
            "ai_queue_length",
            "ai_restarts_total",
            "ai_searches_total",
            "ai_thinking_seconds_count",
            "ai_thinking_seconds_sum",
            "ai_waiting_seconds_count",
            "ai_waiting_seconds_sum",
        ]
        .map(|name| format!("rookery_{name}{{ai=\"{ai}\"}}"));
        gauges.into_iter().chain(others).collect::<Vec<_>>()
    };
    let mut expected: BTreeSet<String> = [
        "rookery_ai_faults_total{ai=\"segfault\",code=\"ai_crashed\"}",
        concat!(
            "rookery_build_info{version=\"",
            env!("CARGO_PKG_VERSION"),
            "\"}"
        ),
        "rookery_cache_bytes",
        "rookery_cache_requests_total{result=\"hit\"}",
        "rookery_cache_requests_total{result=\"joined\"}",
        "rookery_cache_requests_total{result=\"miss\"}",
        "rookery_config_last_reload_successful",
        "rookery_config_last_reload_timestamp_seconds",
        "rookery_http_requests_open",
        "rookery_http_requests_total{route=\"/v1/ais/{id}\",status=\"404\",code=\"unknown_ai\"}",
        "rookery_http_requests_total{route=\"/v1/best-move\",status=\"200\",code=\"ok\"}",
        "rookery_http_requests_total{route=\"/v1/best-move\",status=\"502\",code=\"ai_crashed\"}",
        "rookery_http_requests_total{route=\"/v1/evaluate\",status=\"200\",code=\"ok\"}",
        "rookery_http_requests_total{route=\"none\",status=\"404\",code=\"not_found\"}",
        "rookery_log_dropped_total",
    ]
    .map(str::to_owned)
    .into();
    for route in ["/v1/ais/{id}", "/v1/best-move", "/v1/evaluate", "none"] {
        for part in ["count", "sum"] {
            expected.insert(format!(
                "rookery_http_request_duration_seconds_{part}{{route=\"{route}\"}}"
            ));
        }
    }
    expected.extend(
        [
            "cpu_seconds_total",
            "max_fds",
            "open_fds",
            "resident_memory_bytes",
            "start_time_seconds",
        ]
        .map(|name| format!("process_{name}")),
    );
    let sha256 = KeyDigest::of(&std::fs::read(file.path()).unwrap());
    expected.insert(format!("rookery_config_info{{sha256=\"{sha256}\"}}"));
    expected.extend(ai("ai_basic1").into_iter().chain(ai("segfault")));
    assert_eq!(series(&lines), expected);

    let number = |name: &str| value(&lines, &format!("rookery_{name}"));
    assert_eq!(number("ai_searches_total{ai=\"ai_basic1\"}"), 1);
    assert_eq!(number("ai_evaluations_total{ai=\"ai_basic1\"}"), 1);
    assert_eq!(
        searched.body["search"]["nodes"],
        number("ai_nodes_total{ai=\"ai_basic1\"}")
    );
    assert_eq!(number("ai_thinking_seconds_count{ai=\"ai_basic1\"}"), 2);
    assert_eq!(number("ai_waiting_seconds_count{ai=\"ai_basic1\"}"), 2);
    assert_eq!(number("ai_searches_total{ai=\"segfault\"}"), 0);
    assert_eq!(
        number("http_request_duration_seconds_count{route=\"/v1/best-move\"}"),
        2
    );
    // Only the request for the metrics is open.
    assert_eq!(number("http_requests_open"), 1);
    assert_eq!(number("ai_queue_length{ai=\"ai_basic1\"}"), 0);
    assert_eq!(number("ai_workers{ai=\"ai_basic1\",state=\"ready\"}"), 1);
    let memory = number("ai_memory_bytes{ai=\"ai_basic1\"}");
    assert!((1_000_000..1_000_000_000).contains(&memory), "{memory}");
    for name in [
        "# TYPE rookery_ai_searches counter",
        "# TYPE rookery_http_request_duration_seconds histogram",
    ] {
        assert!(lines.iter().any(|line| line == name), "{lines:#?}");
    }
}

#[actix_web::test]
async fn returns_the_format_that_the_reader_prefers() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let (open, text) = (
        "application/openmetrics-text; version=1.0.0; charset=utf-8",
        "text/plain; version=0.0.4; charset=utf-8",
    );
    for (accept, expected) in [
        // Prometheus 3, an older Prometheus, a client that accepts only text, a browser and curl.
        (
            "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,\
             application/openmetrics-text;version=0.0.1;q=0.4,\
             text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,\
             text/plain;version=0.0.4;q=0.2,\
             */*;q=0.1",
            open,
        ),
        (
            "application/openmetrics-text;version=0.0.1,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
            open,
        ),
        ("text/plain;version=0.0.4;q=1,*/*;q=0.1", text),
        ("text/html,application/xhtml+xml,*/*;q=0.8", open),
        ("*/*", open),
    ] {
        let reply = app.get_with(&[("Accept", accept)], "/metrics").await;
        assert_eq!(
            (reply.status, reply.header("Content-Type")),
            (200, Some(expected)),
            "{accept}"
        );
        let metrics = reply.body.as_str().unwrap();
        let is_open = expected == open;
        assert_eq!(metrics.ends_with("# EOF\n"), is_open);
        let name = if is_open {
            "rookery_ai_searches"
        } else {
            "rookery_ai_searches_total"
        };
        assert_has(
            metrics,
            &[format!(
                "# TYPE {name} counter\nrookery_ai_searches_total{{"
            )],
        );
    }
}

#[actix_web::test]
async fn counts_a_lost_worker_as_a_restart() {
    let app = Application::of(&configuration(&["segfault"]));
    for _ in 0..2 {
        assert_eq!(
            app.post("/v1/best-move", &json!({"game": {}})).await.status,
            502
        );
    }
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while value(
        &lines(&app).await,
        "rookery_ai_restarts_total{ai=\"segfault\"}",
    ) < 2
    {
        assert!(std::time::Instant::now() < deadline);
    }
}

#[actix_web::test]
async fn client_input_creates_no_series() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let nonsense = || async {
        for number in 0..20 {
            app.get(&format!("/nowhere/{number}")).await;
            app.get(&format!("/v1/ais/{number}")).await;
            app.post_as(&format!("client{number}"), "/v1/validate", &json!({}))
                .await;
            app.post(
                "/v1/best-move",
                &json!({"game": {}, "ai": format!("ai{number}")}),
            )
            .await;
            app.method(
                Method::from_bytes(format!("M{number}").as_bytes()).unwrap(),
                "/v1/ais",
            )
            .await;
            app.get_with(&[("X-Request-Id", &format!("r{number}"))], "/healthz")
                .await;
        }
        series(&lines(&app).await)
    };
    let first = nonsense().await;
    // The series of `/metrics` itself appear with its first request.
    let metrics = |series: &String| series.contains("/metrics");
    let second: BTreeSet<_> = nonsense()
        .await
        .into_iter()
        .filter(|series| !metrics(series))
        .collect();
    assert_eq!(first, second);
}

#[actix_web::test]
async fn each_service_has_its_own_counters() {
    let file = configuration(&["ai_basic1"]);
    let (one, other) = (Application::of(&file), Application::of(&file));
    assert_eq!(
        one.post("/v1/evaluate", &json!({"game": {}})).await.status,
        200
    );
    let name = "rookery_ai_evaluations_total{ai=\"ai_basic1\"}";
    assert_eq!(value(&lines(&one).await, name), 1);
    let of_other = lines(&other).await;
    assert_eq!(value(&of_other, name), 0);
    assert!(
        !of_other.iter().any(|line| line.contains("/v1/evaluate")),
        "{of_other:#?}"
    );
}

#[actix_web::test]
async fn removes_the_series_of_a_removed_ai() {
    let app = Application::of(&configuration(&["ai_basic1", "counts_pawns"]));
    assert_eq!(
        app.post("/v1/evaluate", &json!({"game": {}, "ai": "counts_pawns"}))
            .await
            .status,
        200
    );
    assert!(
        lines(&app)
            .await
            .iter()
            .any(|line| line.contains("counts_pawns"))
    );
    app.swap(game_service(&configuration(&["ai_basic1"])));
    let lines = lines(&app).await;
    assert!(
        !lines.iter().any(|line| line.contains("counts_pawns")),
        "{lines:#?}"
    );
    let name = "rookery_http_requests_total{route=\"/v1/evaluate\",status=\"200\",code=\"ok\"}";
    assert_eq!(value(&lines, name), 1);
}

#[actix_web::test]
async fn counts_each_configured_client_for_admins() {
    let bob = keyed_client("bob", "basic1") + "rate = \"1/h\"\n";
    let app = Application::of(&basic1_and(&(bob.clone() + &administrator("basic1"))));
    let body = json!({"game": {}, "limit": {"depth": 1}});
    let as_bob = [("Authorization", "Bearer bob")];
    assert_eq!(
        app.post_with(&as_bob, "/v1/best-move", &body).await.status,
        200
    );
    assert_eq!(
        app.post_with(&as_bob, "/v1/best-move", &body).await.status,
        429
    );
    for number in 0..3 {
        assert_eq!(
            app.post_as(&format!("eve{number}"), "/v1/best-move", &body)
                .await
                .status,
            401
        );
    }
    // Without an admin's key, the metrics name no client.
    assert!(
        lines(&app)
            .await
            .iter()
            .all(|line| !line.contains("client="))
    );
    let clients = |app: Application| async move {
        let text = read_with_key(&app).await.body.as_str().unwrap().to_owned();
        let lines: Vec<_> = text
            .lines()
            .filter(|line| line.contains("{client="))
            .map(str::to_owned)
            .collect();
        (app, lines)
    };
    let (app, found) = clients(app).await;
    assert_eq!(found.len(), 12, "{found:#?}");
    let number = |name: &str| value(&found, &format!("rookery_client_{name}"));
    assert_eq!(number("requests_total{client=\"bob\"}"), 2);
    assert_eq!(number("rejections_total{client=\"bob\"}"), 1);
    assert_eq!(number("requests_total{client=\"default\"}"), 0);
    // Three requests from unknown clients, and the request for the metrics without a key.
    assert_eq!(number("requests_total{client=\"(other)\"}"), 4);
    assert_eq!(number("rejections_total{client=\"(other)\"}"), 3);
    let seconds = found
        .iter()
        .find_map(|line| line.strip_prefix("rookery_client_ai_seconds_total{client=\"bob\"} "));
    assert!(seconds.unwrap().parse::<f64>().unwrap() > 0.0, "{found:#?}");
    // Usage carries over to the next configuration, and is dropped when its client is removed.
    app.swap(game_service(&basic1_and(&administrator("basic1"))));
    let (app, found) = clients(app).await;
    assert!(
        found.len() == 9 && found.iter().all(|line| !line.contains("bob")),
        "{found:#?}"
    );
    assert_eq!(
        value(&found, "rookery_client_requests_total{client=\"boss\"}"),
        1
    );
    app.swap(game_service(&basic1_and(&(bob + &administrator("basic1")))));
    assert_eq!(
        value(
            &clients(app).await.1,
            "rookery_client_requests_total{client=\"bob\"}"
        ),
        0
    );
}

fn with_access(access: &str) -> Application {
    let boss = administrator("basic1");
    Application::of(&basic1_and(&format!(
        "{boss}[server]\nmetrics = \"{access}\""
    )))
}

async fn read_with_key(app: &Application) -> Reply {
    app.get_with_key(ADMIN_KEY, "/metrics").await
}

#[actix_web::test]
async fn restricts_access_as_configured() {
    let open = with_access("open");
    assert_eq!(open.get("/metrics").await.status, 200);
    let admin = with_access("admin");
    admin.get("/metrics").await.check_error(404, "not_found");
    let forged = admin.get_with(&[("X-Client-Id", "boss")], "/metrics").await;
    forged.check_error(401, "unknown_client");
    assert_eq!(read_with_key(&admin).await.status, 200);
    let off = with_access("off");
    assert_eq!(off.get("/metrics").await.code(), "not_found");
    assert_eq!(read_with_key(&off).await.code(), "not_found");
    assert_eq!(
        open.method(Method::POST, "/metrics").await.code(),
        "method_not_allowed"
    );
}
