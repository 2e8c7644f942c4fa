//! A match with only the permissions that `rookery fleet permissions` prints.

use std::{fs, path::Path, process::Command};

use test_kit::{Nats, rookery, run};

use super::{AI, MATCH_TIME, Organizer, PLAYERS, SLOTS};
use crate::{foreign::node::Node, together_blocking};

/// The seed and the public key of a user, made for these tests.
type User = (&'static str, &'static str);

const NODE: User = (
    "SUAGR4PX5G72ODVWTRZUHB723CRTDBWZ2YQY7QYOV4AVAWYDJCVFHCFFGY",
    "UDB5X3R5Q22G7MI3DBT5S6XDGTEPD2OMUVKOHBMYSED7NKOK7QUUMO54",
);
const ANNA: User = (
    "SUAAAJWSNYHI2GA2BNJFTL6RCSRGEO2QHHZ6I4YFKN3KVZLVXSKUKWM6GU",
    "UCIICRX73JETQMINKLAJLWAVFBBAN3R7JHWPCG3TESAVLMSTRE7KDTW6",
);

/// Starts a NATS server for two users. Returns the lines of their configurations.
fn start_nats(folder: &Path) -> (Nats, [String; 2]) {
    let user = |(seed, key): User, of: &[&str]| {
        let file = folder.join(of[of.len() - 1]);
        fs::write(&file, seed).unwrap();
        let mut command = Command::new(rookery());
        let permissions = run(command.args(["fleet", "permissions"]).args(of));
        let line = format!("credentials_file = \"{}\"\n", file.display());
        (format!("{{ nkey: {key}, {permissions} }}\n"), line)
    };
    let (node, of_node) = user(NODE, &["--from", "anna", "n0"]);
    let (anna, of_anna) = user(ANNA, &["--server", "--matches", "anna"]);
    let file = folder.join("nats.conf");
    fs::write(
        &file,
        format!("authorization {{ users = [\n{node}{anna}] }}\n"),
    )
    .unwrap();
    let nats = Nats::start_with_jetstream_and_file(&folder.join("streams"), &file);
    (nats, [of_node, of_anna])
}

#[test]
fn fleet_plays_a_match_with_the_printed_permissions() {
    together_blocking(|| {
        let folder = tempfile::tempdir().unwrap();
        let (mut nats, [of_node, of_anna]) = start_nats(folder.path());
        let url = nats.url();
        let node = Node::start_with("n0", &url, "", &format!("{of_node}{SLOTS}"), &[]);
        let fleet = format!("nats = \"{url}\"\nname = \"anna\"\n{of_anna}");
        let organizer = Organizer::with(&fleet, AI);
        // The second match reuses the files and the stream. NATS loses both during the third.
        for name in ["first", "second", "third"] {
            let arguments = ["--games", "12", "--max-moves", "30"];
            let mut running = organizer.start_into(name, &PLAYERS, &arguments);
            if name == "third" {
                running.await_games(4);
                nats.kill();
                nats.restart_without_store();
            }
            let finished = running.finish(MATCH_TIME);
            finished.assert_counts(12);
            for log in [&finished.log, &node.folder.log()] {
                assert!(!log.to_lowercase().contains("violation"), "{log}");
            }
        }
    });
}
