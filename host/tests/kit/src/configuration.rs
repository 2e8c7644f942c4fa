//! Folders with a configuration and the files that it names, and checks of the errors that loading
//! it reports.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::Path,
    sync::LazyLock,
};

use ai_api::{OptionSetting, OptionValue};
use config::{Config, ConfigErrors, ConfigIssue, LoadOptions, load};
use tempfile::TempDir;

/// A certificate and its key.
static CERTIFICATE: LazyLock<(String, String)> = LazyLock::new(|| {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    (made.cert.pem(), made.signing_key.serialize_pem())
});

/// Creates a folder with a configuration in `config` and, in `lib`, libraries, a certificate with
/// its key, and files that only look like engines and credentials.
pub fn folder(text: impl AsRef<[u8]>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for directory in ["config", "more", "lib", "lib/libfolder.so"] {
        fs::create_dir(folder.path().join(directory)).unwrap();
    }
    for file in [
        "libai_basic1.so",
        "libai_huo1.so",
        "libai_nnue1.so",
        "libai_uci.so",
        "notes.txt",
        "rookery.creds",
    ] {
        fs::write(folder.path().join("lib").join(file), "").unwrap();
    }
    for (engine, text) in [
        ("run.sh", "#! /bin/sh -e\nexec stockfish\n"),
        ("engine", "MZ"),
    ] {
        let file = folder.path().join("lib").join(engine);
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
    }
    let (certificate, key) = &*CERTIFICATE;
    fs::write(folder.path().join("lib/cert.pem"), certificate).unwrap();
    fs::write(folder.path().join("lib/key.pem"), key).unwrap();
    fs::write(folder.path().join("config/rookery.toml"), text).unwrap();
    folder
}

/// An AI with minimal settings.
pub const AI: &str = "[ai.a]\nlibrary = '../lib/libai_uci.so'\n";

pub fn load_in(folder: &TempDir, options: &LoadOptions) -> Result<Config, ConfigErrors> {
    load(&folder.path().join("config/rookery.toml"), options)
}

pub fn loaded(text: &str, options: &LoadOptions) -> (TempDir, Config) {
    let folder = folder(text);
    let config = load_in(&folder, options).unwrap_or_else(|errors| panic!("{errors}"));
    (folder, config)
}

/// Returns the only issue with a configuration.
#[track_caller]
pub fn issue(text: impl AsRef<[u8]>, options: &LoadOptions) -> ConfigIssue {
    let errors = load_in(&folder(text), options).unwrap_err();
    let [issue] = errors.issues() else {
        panic!("{errors}")
    };
    issue.clone()
}

/// Returns the errors as printed, without the test's folder in paths.
pub fn errors(text: &str, options: &LoadOptions) -> String {
    let folder = folder(text);
    let errors = load_in(&folder, options).unwrap_err().to_string();
    let root = fs::canonicalize(folder.path()).unwrap();
    errors
        .replace(&*root.to_string_lossy(), "")
        .replace(&*folder.path().to_string_lossy(), "")
}

pub fn option(name: &str, value: OptionValue) -> OptionSetting {
    OptionSetting {
        name: name.into(),
        value,
    }
}

pub const FULL: &str = r#"
[server]
listen = "[::1]:9000"
admin_listen = ["127.0.0.1:9090", "unix:/run/rookery/admin.sock"]
socket_mode = "600"
allowed_hosts = ["Chess.Example.", "rookery"]
trusted_proxies = ["127.0.0.1", "10.1.2.3/8", "fd00::/8"]
max_body_bytes = 0x1_0000
max_body_bytes_total = 524288
body_timeout_ms = 50
min_body_bytes_per_s = 0
max_connections_per_address = 12
send_timeout_ms = 700
max_plies = 300
report_timeout_ms = 1500
cors_origins = ["https://chess.example"]
metrics = "admin"
replay_kb = 1024
drain_delay_ms = 250
shutdown_grace_ms = 0

[server.tls]
certificate = "../lib/cert.pem"
key = "../lib/key.pem"

[plugins]
directories = ["../more", "../lib"]
policy = "pinned"
watch = true

[tablebases]
directories = ["../tables", "/srv/syzygy"]

[ai.basic1]
library = "ai_basic1"
sha256 = "BA7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
workers = 3
move_timeout_ms = 2_000
stop_grace_ms = 100
start_timeout_ms = 3000
new_game_timeout_ms = 400
queue_capacity = 7
isolate = "client"
fallback = "uci"
candidate = "uci"
shadow = "10%"
canary = "0.5%"
limit = { movetime_ms = 1999 }
sandbox = "best-effort"
memory_mb = 64
threads = 0
allow_read = ["../lib/", "../lib/notes.txt"]
allow_exec = ["/bin/true"]
working_directory = "../lib"
overridable_options = ["style", "odd name"]

[ai.basic1.options]
style = "calm \"and\" \\ \u0007wide"
hash_mb = -16
"odd name" = true
odds = 0.25
paths = ["a b", "/c"]

[ai.uci]
library = "../lib/libai_uci.so"
limit.nodes = 500

[client.default]
ai = "basic1"

[client.alice]
ai = "uci"
allowed_ais = ["basic1", "uci"]
api_key_sha256 = ["BA7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589"]
expires = 2050-01-31T18:00:00+01:00
admin = true
canary = "always"
rate = "20/s burst 40"
max_concurrent = 3
max_match_games = 20
max_depth = 8
max_nodes = 1_000_000
max_movetime_ms = 500

[level.club]
name = "Level 5"
ai = "basic1"
elo = 1550
elo_error = 60
scale = "CCRL Blitz"
limit = { nodes = 5000 }
options = { style = "wild", "odd name" = false }

[level.strongest]
name = "Strongest"
ai = "uci"
elo = 3000
"#;

/// Reads a file in the repository.
fn read(file: &str) -> String {
    fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../..")
            .join(file),
    )
    .unwrap()
}

/// Returns a section's keys as documented. A test compares the document with the settings.
pub fn keys(section: &str) -> Vec<&'static str> {
    static DOCUMENT: LazyLock<String> = LazyLock::new(|| read("docs/configuration.md"));
    let table = DOCUMENT
        .split("\n## `")
        .find_map(|text| text.strip_prefix(section))
        .unwrap();
    table
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect()
}

/// Returns the keys of all core sections except `limit`, which is usually written on one line.
pub fn all_keys() -> impl Iterator<Item = &'static str> {
    [
        "[server]",
        "[server.tls]",
        "[plugins]",
        "[tablebases]",
        "[ai.ID]",
        "[client.ID]",
        "[level.ID]",
    ]
    .into_iter()
    .flat_map(keys)
}

/// Asserts that the configuration is rejected with `expected`, which contains the line, column and
/// marked text instead of excerpts.
#[track_caller]
pub fn check(text: &str, expected: &str, options: &LoadOptions) {
    let printed = errors(text, options);
    let mut excerpt = "";
    let mut lines: Vec<String> = Vec::new();
    for line in printed
        .lines()
        .map(str::trim_start)
        .filter(|line| *line != "|")
    {
        match line.split_once("| ") {
            Some(("", carets)) => {
                let marked = excerpt
                    .chars()
                    .zip(carets.chars())
                    .filter(|(_, caret)| *caret == '^');
                let marked: String = marked.map(|(character, _)| character).collect();
                if !marked.is_empty() {
                    lines.last_mut().unwrap().extend([" ", &marked]);
                }
            }
            Some((_, text)) => excerpt = text,
            None => lines.push(line.replace("--> /config/rookery.toml:", "--> ")),
        }
    }
    check_printed(&lines.join("\n"), expected);
}

/// Asserts that the printed errors are `expected`, which lacks the last line with the number of
/// errors.
#[track_caller]
pub fn check_printed(printed: &str, expected: &str) {
    let expected = expected.replace("{keys of server}", &keys("[server]").join(", "));
    let (issues, count) = printed.rsplit_once("\n\n").unwrap();
    assert_eq!(issues.trim_end(), expected.trim(), "\n{issues}");
    let number = expected.matches("error: ").count();
    let plural = if number == 1 { "" } else { "s" };
    assert_eq!(
        count,
        format!("{number} error{plural} in the configuration")
    );
}
