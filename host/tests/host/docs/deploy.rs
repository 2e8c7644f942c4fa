//! The examples in `deploy`.

mod foreign;

use std::{collections::BTreeSet, fs};

use serde_json::{Value, json};
use test_kit::tls;

use super::readme::root;
use crate::support::{ADMIN_KEY, Application, ConfigFile, administrator, assert_has, basic1_and};

fn text(file: &str) -> String {
    fs::read_to_string(root().join("deploy").join(file)).unwrap()
}

/// An application with every kind of metric, each counted once, and its configuration.
async fn measured() -> (Application, ConfigFile) {
    let further = "[server.tls]\ncertificate = \"cert.pem\"\nkey = \"key.pem\"\n\
                   [fleet]\nnats = \"nats://127.0.0.1:1\"\nname = \"test\"\n";
    let ais = "[ai.segfault]\nlibrary = \"fault_injector\"\noptions.fault = \"segfault\"\n";
    let file = basic1_and("");
    tls::write_certificate(file.folder());
    let client = "[ai.basic1]\nlibrary = \"ai_basic1\"\n[client.default]\nai = \"basic1\"\n";
    file.write(&format!(
        "{client}{ais}{}{further}",
        administrator("basic1")
    ));
    let app = Application::of(&file).with_fleet();
    app.post("/v1/best-move", &json!({"game": {}, "limit": {"depth": 1}}))
        .await
        .ok();
    app.post("/v1/best-move", &json!({"game": {}, "ai": "segfault"}))
        .await
        .check_error(502, "ai_crashed");
    (app, file)
}

/// The names of the series in metrics in the Prometheus text format 0.0.4.
fn series(metrics: &str) -> BTreeSet<&str> {
    metrics
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(['{', ' ']).next())
        .collect()
}

/// The words of the text that look like series names.
fn named(text: &str) -> BTreeSet<&str> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words
        .filter(|word| word.starts_with("rookery_") || word.starts_with("process_"))
        .collect()
}

const TEXT: (&str, &str) = ("Accept", "text/plain;version=0.0.4");

#[actix_web::test]
async fn the_dashboard_and_the_alerts_use_existing_metrics() {
    let (app, _file) = measured().await;
    let bearer = format!("Bearer {ADMIN_KEY}");
    let reply = app
        .get_with(&[TEXT, ("Authorization", &bearer)], "/metrics")
        .await;
    let metrics = reply.body.as_str().unwrap();
    let mut served = series(metrics);
    // Without nodes there are no slots.
    assert_has(metrics, &["# TYPE rookery_ai_slots gauge"]);
    served.insert("rookery_ai_slots");
    for (file, at_least) in [("grafana.json", 25), ("alerts.yaml", 10)] {
        let text = text(file);
        let named = named(&text);
        assert!(named.len() > at_least, "{file}: {named:?}");
        let unknown: Vec<_> = named.difference(&served).collect();
        assert!(
            unknown.is_empty(),
            "{file} names {unknown:?}, which are not in {metrics}"
        );
    }
}

/// Returns the dashboard's expressions, changed to match any server and AI.
fn expressions() -> Vec<String> {
    let dashboard: Value = serde_json::from_str(&text("grafana.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels
        .iter()
        .filter_map(|panel| panel["targets"].as_array())
        .flatten();
    let expressions = targets.map(|target| target["expr"].as_str().unwrap());
    let of_server = expressions.map(|expression| {
        let with_rate = expression.replace("$__rate_interval", "5m");
        with_rate.replace("$instance", ".*").replace("$ai", ".*")
    });
    of_server.collect()
}

#[test]
fn the_dashboard_has_panels_that_do_not_overlap() {
    let dashboard: Value = serde_json::from_str(&text("grafana.json")).unwrap();
    let (mut ids, mut cells) = (BTreeSet::new(), BTreeSet::new());
    for panel in dashboard["panels"].as_array().unwrap() {
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "{panel}");
        let [x, y, w, h] = ["x", "y", "w", "h"].map(|key| panel["gridPos"][key].as_u64().unwrap());
        assert!(x + w <= 24, "{panel}");
        for (row, column) in (y..y + h).flat_map(|row| (x..x + w).map(move |column| (row, column)))
        {
            assert!(cells.insert((row, column)), "{panel}");
        }
    }
    let expressions = expressions();
    assert!(
        expressions
            .iter()
            .all(|expression| !expression.contains('$')),
        "{expressions:?}"
    );
}

#[test]
fn load_balancers_and_servers_use_different_ports() {
    let port = |address: &str| {
        address
            .trim_end_matches(';')
            .rsplit(':')
            .next()
            .unwrap()
            .parse::<u16>()
            .ok()
    };
    let of_package = ConfigFile::verbatim("").load().server.listen[0]
        .tcp()
        .unwrap()
        .port();
    for (file, bind) in [("haproxy.cfg", "bind"), ("nginx.conf", "listen")] {
        let text = text(file);
        let addresses = |first: &str| -> Vec<u16> {
            let lines = text
                .lines()
                .map(|line| line.split_whitespace().collect::<Vec<_>>());
            let lines = lines.filter(|words| words.first() == Some(&first));
            lines
                .filter_map(|words| words.into_iter().find_map(port))
                .collect()
        };
        let (bound, servers) = (addresses(bind), addresses("server"));
        assert_eq!((bound.len(), servers.len()), (1, 3), "{file}");
        assert!(
            bound[0] != of_package && !servers.contains(&bound[0]),
            "{file}: {bound:?} {servers:?}"
        );
    }
}
