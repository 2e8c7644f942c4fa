//! `rookery client`.

use config::api_key::{KeyDigest, PREFIX};

use serde_json::{Value, json};

use super::{Outcome, command, outcome, run, run_with};
use crate::{
    server::Server,
    support::{ConfigFile, assert_has},
};

const AIS: &str = "[ai.basic1]\nlibrary = \"ai_basic1\"\n[ai.pawns]\nlibrary = \"counts_pawns\"\n\
                   [client.default]\nai = \"pawns\"\n";

fn text(file: &ConfigFile) -> String {
    std::fs::read_to_string(file.path()).unwrap()
}

/// Returns the key that the command printed on standard error.
#[track_caller]
fn key(outcome: &Outcome) -> String {
    assert_eq!(outcome.status, Some(0), "{}", outcome.stderr);
    let key = outcome
        .stderr
        .split_whitespace()
        .find(|word| word.starts_with(PREFIX));
    key.unwrap_or_else(|| panic!("no key: {}", outcome.stderr))
        .to_owned()
}

#[test]
fn prints_a_valid_section_for_a_new_client() {
    let file = ConfigFile::new(AIS);
    let added = run_with(&file, &["client", "add", "bob"]);
    let key = key(&added);
    assert!(!added.stdout.contains(&key), "{}", added.stdout);
    assert!(added.stderr.contains("shown once") && added.stderr.contains("Authorization: Bearer"));
    let hash = KeyDigest::of(key.as_bytes());
    assert_eq!(
        added.stdout,
        format!("[client.bob]\nai = \"pawns\"\napi_key_sha256 = \"{hash}\"\n")
    );
    let config = ConfigFile::new(&format!("{AIS}{}", added.stdout)).load();
    assert_eq!(config.client_with_key(key.as_bytes()).unwrap().id, "bob");
    let added = run_with(&file, &["client", "add", "bob", "--json"]).json();
    let hash = KeyDigest::of(added["key"].as_str().unwrap().as_bytes());
    let section = format!("[client.bob]\nai = \"pawns\"\napi_key_sha256 = \"{hash}\"\n");
    assert_eq!(
        (&added["section"], &added["is_written"]),
        (&json!(section), &json!(false)),
        "{added}"
    );
}

#[test]
fn generates_a_new_key_each_time_and_writes_no_file() {
    let file = ConfigFile::new(AIS);
    let before = text(&file);
    let keys = [0; 2].map(|_| {
        key(&run_with(
            &file,
            &["client", "add", "bob", "--ai", "basic1"],
        ))
    });
    assert_ne!(keys[0], keys[1]);
    assert_eq!(text(&file), before);
    assert_eq!(std::fs::read_dir(file.folder()).unwrap().count(), 1);
}

#[test]
fn prints_a_new_key_for_an_existing_client() {
    let file = ConfigFile::new(AIS);
    let added = run_with(&file, &["client", "add", "default"]);
    let hash = KeyDigest::of(key(&added).as_bytes());
    let expected = "# This section already exists: move the line below into it, in place of an \
                    older one.\n[client.default]\napi_key_sha256 = \"HASH\"\n";
    assert_eq!(added.stdout, expected.replace("HASH", &hash.to_string()));
    // If the printed lines are appended by mistake, another client must not get the key.
    let text = text(&file);
    std::fs::write(
        file.path(),
        format!("{text}\n[client.last]\nai = \"basic1\"\n{}", added.stdout),
    )
    .unwrap();
    run_with(&file, &["config", "check"]).fails_with(2, &["[client.default]"]);
}

#[test]
fn rejects_bad_clients_without_a_key() {
    let file = ConfigFile::new(AIS);
    for (arguments, part) in [
        (
            &["client", "add", "Bob"][..],
            "'Bob' is not a valid client id; expected 1 to 64 of a-z",
        ),
        (
            &["client", "add", "a\u{1b}[2Jb"],
            "'a [2Jb' is not a valid client id",
        ),
        (
            &["client", "add", "bob", "--ai", "stockfish"],
            "there is no AI 'stockfish' in the configuration or its plugin directories; the \
             AIs are: basic1, pawns",
        ),
    ] {
        let error_output = run_with(&file, arguments).fails_with(2, &[part]);
        assert!(!error_output.contains(PREFIX), "{error_output}");
    }
    run_with(&ConfigFile::new(""), &["client", "add", "bob"])
        .fails_with(2, &["the configuration has no AI"]);
    run(&["client", "add"]).fails_with(2, &["<NAME>"]);
    assert_has(&run(&["client", "add", "--help"]).data(), &["Example"]);
    for (flag, value, part) in [
        ("--rate", "fast", "20/s"),
        ("--expires", "2027-01-31T18:00:00", "with an offset"),
    ] {
        let error_output =
            run_with(&file, &["client", "add", "bob", flag, value]).fails_with(2, &[flag, part]);
        assert!(!error_output.contains(PREFIX), "{error_output}");
    }
}

#[test]
fn adds_a_client_without_a_file_if_its_ai_is_named() {
    let added = run(&[
        "client",
        "add",
        "bob",
        "--ai",
        "later",
        "--admin",
        "--rate",
        "20/s",
        "--expires",
        "2050-01-31",
    ]);
    let hash = KeyDigest::of(key(&added).as_bytes());
    let expected = format!(
        "[client.bob]\nai = \"later\"\napi_key_sha256 = \"{hash}\"\nadmin = true\nrate = \
         \"20/s\"\nexpires = 2050-01-31\n"
    );
    assert_eq!(added.stdout, expected);
    run(&["client", "add", "bob", "--ai", "La ter"])
        .fails_with(2, &["'La ter' is not a valid id of an AI"]);
    // An explicitly named file must exist.
    run(&[
        "client",
        "add",
        "bob",
        "--ai",
        "later",
        "--config",
        "/nowhere.toml",
    ])
    .fails_with(2, &["no such file"]);
}

#[test]
fn writes_and_lists_a_client() {
    let file = ConfigFile::new(AIS);
    let arguments = [
        "client",
        "add",
        "bob",
        "--write",
        "--rate",
        "20/s",
        "--expires",
        "2020-01-31",
        "--json",
    ];
    let added = run_with(&file, &arguments).json();
    assert_eq!(
        (&added["id"], &added["is_written"]),
        (&json!("bob"), &json!(true)),
        "{added}"
    );
    let config = file.load();
    let bob = config
        .client_with_key(added["key"].as_str().unwrap().as_bytes())
        .unwrap();
    assert_eq!((bob.id.as_str(), bob.ai.as_str()), ("bob", "pawns"));
    let list = run_with(&file, &["client", "list"]).data();
    let expected = "bob: pawns, 1 key, 20/s burst 20, expired at 2020-01-31T00:00:00Z\ndefault: \
        pawns, no key\n";
    assert_eq!(list, expected);
    let list = run_with(&file, &["client", "list", "--json"]).json();
    let expected = json!({"clients": [
        {"id": "bob", "ai": "pawns", "has_key": true, "keys": 1, "admin": false, "rate": "20/s \
            burst 20",
            "expires": "2020-01-31T00:00:00Z", "expiry": "expired"},
        {"id": "default", "ai": "pawns", "has_key": false, "keys": 0, "admin": false},
    ]});
    assert_eq!(list, expected);
    let warned = run_with(&file, &["config", "check"]);
    assert_eq!(warned.status, Some(0), "{}", warned.stderr);
    assert_eq!(
        warned.stderr,
        "warning: the client 'bob' is rejected because it has expired: `expires` is \
         2020-01-31T00:00:00Z\n"
    );
    // A client that already exists, or whose AI does not exist, is not written.
    let before = text(&file);
    run_with(&file, &["client", "add", "bob", "--write"])
        .fails_with(2, &["'rookery client rotate bob'"]);
    run_with(&file, &["client", "add", "eve", "--ai", "none", "--write"])
        .fails_with(2, &["there is no AI 'none'"]);
    assert_eq!(text(&file), before);
}

#[test]
fn a_running_server_accepts_both_keys_until_the_rotation_is_finished() {
    let old = KeyDigest::of(b"old");
    let comment = "# Bob's.\n[client.bob]\nai = \"basic1\" # The quick one.\n";
    let file = ConfigFile::new(AIS);
    let others = text(&file);
    file.write(&format!(
        "{AIS}\n{comment}api_key_sha256 = \"{old}\" # of May\n"
    ));
    let server = Server::start(&file);
    let client = |arguments: &[&str]| {
        let mut client = command(&[&["client"], arguments].concat());
        client
            .arg("--config")
            .arg(file.path())
            .env("XDG_RUNTIME_DIR", file.folder());
        outcome(&mut client)
    };
    let status = |key: &str| -> u16 {
        let head = format!(
            "GET /v1/ais HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nConnection: \
             close\r\n\r\n"
        );
        server.exchange(&head)["HTTP/1.1 ".len()..][..3]
            .parse()
            .unwrap()
    };
    let rotated = client(&["rotate", "bob", "--expires", "2050-01-31"]);
    let new = key(&rotated);
    assert!(!rotated.stdout.contains(&new), "{}", rotated.stdout);
    let hash = KeyDigest::of(new.as_bytes());
    let keys = format!(
        "{comment}api_key_sha256 = [\"{old}\", \"{hash}\"] # of May\nexpires = 2050-01-31\n"
    );
    assert!(text(&file).ends_with(&keys), "{}", text(&file));
    assert_eq!(
        [status("old"), status(&new), status("other")],
        [200, 200, 401]
    );
    assert!(
        client(&["list"])
            .data()
            .contains("bob: basic1, 2 keys, expires at 2050-01-31T00:00:00Z\n")
    );
    // A third key would replace a key that may be in use.
    let before = text(&file);
    client(&["rotate", "bob"]).fails_with(
        2,
        &["'rookery client rotate bob --finish' drops the old one"],
    );
    let dry = client(&["rotate", "bob", "--finish", "--dry-run"]);
    assert!(dry.data().contains("nothing was written"));
    assert_eq!(text(&file), before);

    let finished = client(&["rotate", "bob", "--finish", "--json"]);
    let finished: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(
        (&finished["is_written"], &finished["key"]),
        (&json!(true), &Value::Null),
        "{finished}"
    );
    assert_eq!([status("old"), status(&new)], [401, 200]);
    client(&["rotate", "bob", "--finish"]).fails_with(2, &["[client.bob] has one key"]);
    client(&["rotate", "default"]).fails_with(
        2,
        &["[client.default] has no key", "rookery client add default"],
    );
    client(&["rotate", "eve"]).fails_with(2, &["has no [client.eve]"]);

    let removed = client(&["remove", "bob"]);
    assert_eq!(removed.status, Some(0), "{}", removed.stderr);
    assert_eq!(text(&file).trim_end(), others.trim_end());
    assert_eq!(status(&new), 401);
    client(&["remove", "bob"]).fails_with(2, &["has no [client.bob]"]);
}

#[test]
fn a_client_is_removed_from_a_file_with_other_errors() {
    let file = ConfigFile::new(&format!(
        "{AIS}[client.bob]\nai = \"basic1\"\n[client.eve]\nai = \"gone\"\n"
    ));
    let removed = run_with(&file, &["client", "remove", "bob"]);
    assert_eq!(removed.status, Some(0), "{}", removed.stderr);
    assert_has(
        &removed.stderr,
        &["warning: the file has other errors", "rookery config check"],
    );
    assert!(!text(&file).contains("client.bob"), "{}", text(&file));
}
