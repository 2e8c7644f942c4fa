//! Reads and overrides the settings of the fleet.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt as _, symlink},
};

use config::{FleetSettings, NatsAddress, LoadOptions};

use crate::support::{AI, FULL, folder, load_in, loaded};

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
    };
    assert_eq!(config.fleet, Some(expected));
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
    };
    assert_eq!(defaults.warning(), None);
    assert_eq!(config.fleet, Some(defaults));
}

#[test]
fn a_flag_makes_a_fleet_or_replaces_its_addresses() {
    let flag = LoadOptions::none().with_nats(Some("nats://127.0.0.1:1,nats://127.0.0.1:2".into()));
    let made = load_in(&folder(""), &flag).unwrap().fleet.unwrap();
    assert_eq!(
        (made.nats, made.lost_after_ms),
        (vec![local(1), local(2)], 3000)
    );
    for line in ["nats = 'nats://[::1]'", ""] {
        let folder = folder(format!("[fleet]\nname = 'a'\n{line}\n"));
        let replaced = load_in(&folder, &flag).unwrap().fleet.unwrap();
        assert_eq!(
            (replaced.nats, replaced.name.as_deref()),
            (vec![local(1), local(2)], Some("a"))
        );
    }
    let without = load_in(&folder(""), &LoadOptions::none().with_nats(None)).unwrap();
    assert_eq!(without.fleet, None);
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
fn keeps_the_links_of_the_files() {
    let folder = folder("[fleet]\nnats = 'nats://[::1]'\ncredentials_file = '../lib/link'\n");
    symlink("rookery.creds", folder.path().join("lib/link")).unwrap();
    let fleet = load_in(&folder, &LoadOptions::none()).unwrap().fleet.unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    assert_eq!(fleet.credentials_file, Some(root.join("lib/link")));
}

#[test]
fn warns_of_credentials_that_every_user_can_read() {
    let (folder, config) = loaded(FULL);
    let fleet = config.fleet.unwrap();
    let file = folder.path().join("lib/rookery.creds");
    for (mode, warns) in [(0o600, false), (0o640, false), (0o644, true), (0o602, true)] {
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        let warning = fleet.warning();
        assert_eq!(warning.is_some(), warns, "{mode:o}");
        if let Some(warning) = warning {
            assert!(
                warning.contains(&format!("(mode {mode:03o}); `chmod 600` it")),
                "{warning}"
            );
        }
    }
}
