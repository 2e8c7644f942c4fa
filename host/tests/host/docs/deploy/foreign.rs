//! Checks with `promtool`, from Debian's package `prometheus`.

use std::{
    fmt::Write as _,
    fs::{self, File},
    process::{Command, Stdio},
};

use super::{TEXT, expressions, measured};
use crate::{docs::readme::root, support::ADMIN_KEY};

/// Runs `promtool check`.
fn check(arguments: &[&str], input: Stdio) {
    let mut command = Command::new("promtool");
    let ran = command.arg("check").args(arguments).stdin(input).output();
    let ran = ran
        .unwrap_or_else(|error| panic!("promtool is needed; `make test-all` installs it: {error}"));
    let (printed, wrong) = (
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr),
    );
    // promtool reports some problems without failing.
    assert!(
        ran.status.success() && !format!("{printed}{wrong}").contains("rookery_"),
        "{printed}{wrong}"
    );
}

#[actix_web::test]
async fn promtool_accepts_the_metrics() {
    let (app, file) = measured().await;
    let bearer = format!("Bearer {ADMIN_KEY}");
    let reply = app
        .get_with(&[TEXT, ("Authorization", &bearer)], "/metrics")
        .await;
    let path = file.folder().join("metrics");
    fs::write(&path, reply.body.as_str().unwrap()).unwrap();
    check(&["metrics"], File::open(path).unwrap().into());
}

#[test]
fn promtool_accepts_the_alerts_and_dashboard_expressions() {
    let folder = tempfile::tempdir().unwrap();
    let mut rules = "groups:\n  - name: dashboard\n    rules:\n".to_owned();
    for (number, expression) in expressions().iter().enumerate() {
        let _ = writeln!(
            rules,
            "      - record: dashboard:{number}\n        expr: '{expression}'"
        );
    }
    let path = folder.path().join("rules.yaml");
    fs::write(&path, rules).unwrap();
    check(
        &["rules", root().join("deploy/alerts.yaml").to_str().unwrap()],
        Stdio::null(),
    );
    check(&["rules", path.to_str().unwrap()], Stdio::null());
}
