//! `rookery client`.

use config::api_key::{KeyDigest, PREFIX};

use super::{Outcome, run, run_with};
use crate::support::{ConfigFile, assert_has};

const AIS: &str = "[ai.basic1]\nlibrary = \"ai_basic1\"\n[ai.pawns]\nlibrary = \"counts_pawns\"\n\
                   [client.default]\nai = \"pawns\"\n";

/// Returns the key on standard error.
#[track_caller]
fn key(outcome: &Outcome) -> String {
    assert_eq!(outcome.status, Some(0), "{}", outcome.stderr);
    let key = outcome.stderr.split_whitespace().find(|word| word.starts_with(PREFIX));
    key.unwrap_or_else(|| panic!("no key: {}", outcome.stderr)).to_owned()
}

#[test]
fn prints_a_valid_section_for_a_new_client() {
    let file = ConfigFile::new(AIS);
    let added = run_with(&file, &["client", "add", "bob"]);
    let key = key(&added);
    assert!(!added.stdout.contains(&key), "{}", added.stdout);
    assert!(added.stderr.contains("shown once") && added.stderr.contains("Authorization: Bearer"));
    let hash = KeyDigest::of(key.as_bytes());
    assert_eq!(added.stdout, format!("[client.bob]\nai = \"pawns\"\napi_key_sha256 = \"{hash}\"\n"));
    let config = ConfigFile::new(&format!("{AIS}{}", added.stdout)).load();
    assert_eq!(config.client_with_key(key.as_bytes()).unwrap().id, "bob");
}

#[test]
fn generates_a_new_key_each_time_and_writes_no_file() {
    let file = ConfigFile::new(AIS);
    let before = std::fs::read_to_string(file.path()).unwrap();
    let keys = [0; 2].map(|_| key(&run_with(&file, &["client", "add", "bob", "--ai", "basic1"])));
    assert_ne!(keys[0], keys[1]);
    assert_eq!(std::fs::read_to_string(file.path()).unwrap(), before);
    assert_eq!(std::fs::read_dir(file.folder()).unwrap().count(), 1);
}

#[test]
fn prints_a_new_key_for_an_existing_client() {
    let file = ConfigFile::new(AIS);
    let added = run_with(&file, &["client", "add", "default"]);
    let hash = KeyDigest::of(key(&added).as_bytes());
    let expected = "# This section already exists: move the line below into it, in place of an older one.\n\
                    [client.default]\napi_key_sha256 = \"HASH\"\n";
    assert_eq!(added.stdout, expected.replace("HASH", &hash.to_string()));
    // Appended by mistake, the lines must not give the key to another client.
    let text = std::fs::read_to_string(file.path()).unwrap();
    std::fs::write(file.path(), format!("{text}\n[client.last]\nai = \"basic1\"\n{}", added.stdout)).unwrap();
    run_with(&file, &["config", "check"]).fails_with(2, &["[client.default]"]);
}

#[test]
fn rejects_bad_clients_without_a_key() {
    let file = ConfigFile::new(AIS);
    for (arguments, part) in [
        (&["client", "add", "Bob"][..], "'Bob' is not a valid client id; expected 1 to 64 of a-z"),
        (&["client", "add", "a\u{1b}[2Jb"], "'a [2Jb' is not a valid client id"),
        (
            &["client", "add", "bob", "--ai", "stockfish"],
            "there is no AI 'stockfish' in the configuration or its plugin directories; there is basic1, pawns",
        ),
    ] {
        let error_output = run_with(&file, arguments).fails_with(2, &[part]);
        assert!(!error_output.contains(PREFIX), "{error_output}");
    }
    run_with(&ConfigFile::new(""), &["client", "add", "bob"]).fails_with(2, &["the configuration has no AI"]);
    run(&["client", "add", "bob"]).fails_with(2, &["no such file"]);
    run(&["client", "add"]).fails_with(2, &["<NAME>"]);
    assert_has(&run(&["client", "add", "--help"]).data(), &["Example"]);
}
