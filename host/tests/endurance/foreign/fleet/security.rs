//! NATS logins, permissions and encryption.

use std::{fs, path::Path, process::Command};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use test_kit::{Nats, built, rookery, run};

use super::{PATIENCE, await_nodes, best_move, faulty, slots};
use crate::{
    client::Connection,
    foreign::node::Node,
    server::{Server, becomes_true},
};

/// The seed and the public key of a user, made for this test.
type User = (&'static str, &'static str);

const NODE: User = (
    "SUAGR4PX5G72ODVWTRZUHB723CRTDBWZ2YQY7QYOV4AVAWYDJCVFHCFFGY",
    "UDB5X3R5Q22G7MI3DBT5S6XDGTEPD2OMUVKOHBMYSED7NKOK7QUUMO54",
);
const GATEWAY: User = (
    "SUAAAJWSNYHI2GA2BNJFTL6RCSRGEO2QHHZ6I4YFKN3KVZLVXSKUKWM6GU",
    "UCIICRX73JETQMINKLAJLWAVFBBAN3R7JHWPCG3TESAVLMSTRE7KDTW6",
);

/// Returns what `rookery fleet permissions` prints.
fn permissions(of: &[&str]) -> String {
    run(Command::new(rookery())
        .args(["fleet", "permissions"])
        .args(of))
}

/// Starts a NATS server with TLS for the node `n0` and a gateway. Writes `cert.pem` and the seeds
/// into the folder.
fn start_nats(folder: &Path) -> Nats {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["127.0.0.1".to_owned(), "localhost".to_owned()]).unwrap();
    for (name, text) in [
        ("cert.pem", cert.pem()),
        ("key.pem", signing_key.serialize_pem()),
        ("node.nk", NODE.0.to_owned()),
        ("gateway.nk", GATEWAY.0.to_owned()),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    let user = |(_, key): User, of: &[&str]| format!("{{ nkey: {key}, {} }}", permissions(of));
    let path = |name| folder.join(name).display().to_string();
    let configuration = format!(
        "tls {{ cert_file: \"{}\", key_file: \"{}\" }}\nauthorization {{ users = [\n{}\n{}\n] }}\n",
        path("cert.pem"),
        path("key.pem"),
        user(NODE, &["n0"]),
        user(GATEWAY, &["--server", "web"]),
    );
    let file = folder.join("nats.conf");
    fs::write(&file, configuration).unwrap();
    Nats::start_with_file(&file)
}

fn fleet(folder: &Path, seed: &str) -> String {
    let path = |name| folder.join(name).display().to_string();
    format!(
        "credentials_file = \"{}\"\nca_file = \"{}\"\n",
        path(seed),
        path("cert.pem")
    )
}

/// Returns the exit status of a node and what it reports.
fn failing_node(folder: &Path, nats: &str, keys: &str) -> (Option<i32>, String) {
    let file = folder.join("node.toml");
    fs::copy(built("fault_injector"), folder.join("libai.so")).unwrap();
    fs::write(&file, format!("{}[fleet]\n{keys}", faulty("none", 1, 1))).unwrap();
    let mut command = Command::new(rookery());
    let output = command
        .arg("node")
        .arg("--config")
        .arg(&file)
        .args(["--nats", nats])
        .output()
        .unwrap();
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

#[test]
fn fleet_lets_no_node_impersonate_another() {
    crate::together(async {
        let folder = tempfile::tempdir().unwrap();
        let nats = start_nats(folder.path());
        let url = format!("tls://localhost:{}", nats.address.port());
        let (of_node, of_gateway) = (
            fleet(folder.path(), "node.nk"),
            fleet(folder.path(), "gateway.nk"),
        );
        let ais = faulty("none", 1, 1);
        let _node = Node::start_with("n0", &url, &ais, &of_node, &["ai"]);
        let server = Server::start(
            &format!(
                "[fleet]\nnats = \"{url}\"\nname = \"web\"\nnodes = [\"n0\", \
                 \"n1\"]\n{of_gateway}[client.default]\nai = \"ai\"\n"
            ),
            &[],
        );
        await_nodes(&server, 1).await;
        let answer = best_move(&mut Connection::open(server.address).await.unwrap()).await;
        assert_eq!(answer.status, 200, "{answer:?}");

        // The impostor connects, but NATS forwards nothing that it sends in another node's name.
        let other = Node::start_with("n1", &url, &ais, &of_node, &["ai"]);
        let is_denied = async || {
            other
                .folder
                .log()
                .contains("rookery.v1.node.n1.announcement")
        };
        assert!(
            becomes_true(PATIENCE, is_denied).await,
            "{}",
            other.folder.log()
        );
        assert_eq!(slots(server.address, "slots").await, [1]);
    });
}

#[test]
fn fleet_reports_a_rejected_login_or_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let nats = start_nats(folder.path());
    let url = format!("tls://localhost:{}", nats.address.port());
    let trusted = format!(
        "ca_file = \"{}\"\n",
        folder.path().join("cert.pem").display()
    );
    for (keys, part) in [(trusted.as_str(), "authorization violation"), ("", "")] {
        let (status, reported) = failing_node(folder.path(), &url, keys);
        assert_eq!(status, Some(1), "{reported}");
        assert!(reported.contains("cannot connect to NATS"), "{reported}");
        assert!(reported.contains(part), "{reported}");
    }
}
