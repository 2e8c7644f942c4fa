//! Reads and overrides fleet settings.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt as _, symlink},
};

use fleet::{FleetMatchSettings, FleetSettings, NatsAddress};
use test_kit::configuration::{AI, folder, load_in};

use crate::{check, loaded, options, settings, with_nats};

/// Every key, with files from a test's folder.
const FULL: &str = r#"
[ai.uci]
library = "../lib/libai_uci.so"

[fleet]
nats = "tls://Nats.Example, nats://127.0.0.1:4223"
credentials_file = "../lib/rookery.creds"
ca_file = "../lib/cert.pem"
nodes = ["gpu_1", "big"]
guests = ["anna"]
name = "small"
offer = ["uci"]
lost_after_ms = 500

[fleet.matches]
slots = 4
from = ["anna", "bob"]
max_mb = 64
"#;

fn names<const N: usize>(names: [&str; N]) -> std::collections::BTreeSet<String> {
    names.map(String::from).into()
}

fn local(port: u16) -> NatsAddress {
    NatsAddress {
        host: "127.0.0.1".into(),
        port,
        tls: false,
    }
}

#[test]
fn parses_every_key_of_the_fleet() {
    let (folder, config) = loaded(FULL);
    let root = fs::canonicalize(folder.path()).unwrap();
    let expected = FleetSettings {
        nats: vec![
            NatsAddress {
                host: "nats.example".into(),
                port: 4222,
                tls: true,
            },
            local(4223),
        ],
        credentials_file: Some(root.join("lib/rookery.creds")),
        ca_file: Some(root.join("lib/cert.pem")),
        nodes: names(["big", "gpu_1"]),
        guests: names(["anna"]),
        name: Some("small".into()),
        offer: Some(names(["uci"])),
        lost_after_ms: 500,
        insecure: false,
        matches: Some(FleetMatchSettings {
            slots: Some(4),
            from: names(["anna", "bob"]),
            max_mb: 64,
        }),
    };
    assert_eq!(settings(&config), expected);
}

#[test]
fn a_fleet_needs_only_an_address() {
    let (_folder, config) = loaded("[fleet]\nnats = 'nats://127.0.0.1'\n");
    let defaults = FleetSettings {
        nats: vec![local(4222)],
        credentials_file: None,
        ca_file: None,
        nodes: names([]),
        guests: names([]),
        name: None,
        offer: None,
        lost_after_ms: 3000,
        insecure: false,
        matches: None,
    };
    assert_eq!(defaults.warning(), None);
    assert_eq!(settings(&config), defaults);
}

#[test]
fn matches_need_only_the_names_of_their_organizers() {
    let text = "[fleet]\nnats = 'nats://127.0.0.1'\n[fleet.matches]\nfrom = ['anna']\n";
    let (_folder, config) = loaded(text);
    let matches = settings(&config).matches.unwrap();
    assert_eq!((matches.slots, matches.max_mb), (None, 512));
    // The shown configuration parses to the same settings.
    let (_shown_folder, shown) = loaded(&config.show(|_, _| false));
    assert_eq!(settings(&shown), settings(&config));
}

#[test]
fn a_flag_creates_a_fleet_or_replaces_its_addresses() {
    let flag = with_nats("nats://127.0.0.1:1,nats://127.0.0.1:2");
    let made = settings(&load_in(&folder(""), &flag).unwrap());
    assert_eq!(
        (made.nats, made.lost_after_ms),
        (vec![local(1), local(2)], 3000)
    );
    for line in ["nats = 'nats://[::1]'", ""] {
        let folder = folder(format!("[fleet]\nname = 'a'\n{line}\n"));
        let replaced = settings(&load_in(&folder, &flag).unwrap());
        assert_eq!(
            (replaced.nats, replaced.name.as_deref()),
            (vec![local(1), local(2)], Some("a"))
        );
    }
    let without = load_in(&folder(""), &options()).unwrap();
    assert_eq!(without.extra::<FleetSettings>(), None);
}

#[test]
fn a_client_may_use_ais_of_the_fleet() {
    let (_folder, config) = loaded(&format!(
        "{AI}[client.b]\nai = 'big-stockfish'\nallowed_ais = ['a', 'big-stockfish']\n\
         [fleet]\nnats = 'nats://[::1]'\noffer = ['a']\n"
    ));
    assert_eq!(config.clients["b"].ai, "big-stockfish");
    assert_eq!(config.ais.len(), 1);
}

#[test]
fn does_not_resolve_links_to_files() {
    let folder = folder("[fleet]\nnats = 'nats://[::1]'\ncredentials_file = '../lib/link'\n");
    symlink("rookery.creds", folder.path().join("lib/link")).unwrap();
    let fleet = settings(&load_in(&folder, &options()).unwrap());
    let root = fs::canonicalize(folder.path()).unwrap();
    assert_eq!(fleet.credentials_file, Some(root.join("lib/link")));
}

#[test]
fn warns_of_credentials_that_every_user_can_read_or_replace() {
    let (folder, config) = loaded(FULL);
    let fleet = settings(&config);
    let file = folder.path().join("lib/rookery.creds");
    for (mode, warns) in [(0o600, false), (0o640, false), (0o644, true), (0o602, true)] {
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        let warning = fleet.warning();
        assert_eq!(warning.is_some(), warns, "{mode:o}");
        if let Some(warning) = warning {
            assert!(
                warning.contains(&format!("(mode {mode:03o}); run `chmod 600` on it")),
                "{warning}"
            );
        }
    }
}

#[test]
fn a_level_may_name_an_ai_of_a_node() {
    let level = |ai| {
        format!(
            "[fleet]\nnats = 'nats://127.0.0.1:4222'\n[level.club]\nname = 'Club'\nelo = 1200\nai \
             = '{ai}'\n"
        )
    };
    let (_folder, config) = loaded(&level("stockfish"));
    assert!(config.is_remote("stockfish") && !config.is_remote("other"));
    check(
        &level("Stock fish"),
        r"
error: `level.club.ai` names the AI `Stock fish`, which is not a valid id
--> 6:6 'Stock fish'
= allowed: 1 to 64 of a-z, 0-9, `_` and `-`
",
    );
}

#[test]
fn shows_every_key() {
    let (_folder, config) = loaded(FULL);
    let shown = config.show(|_, _| false);
    assert!(shown.contains("\n[fleet.matches]\n"), "{shown}");
    let keys = ["[fleet]", "[fleet.matches]"].map(test_kit::configuration::keys);
    for key in keys.concat().iter().filter(|key| **key != "matches") {
        assert!(shown.contains(&format!("\n{key} = ")), "{key}\n{shown}");
    }
}
