mod client_refusals;
mod documentation;
mod refusals;
mod overridable_options;

use std::{
    ffi::OsString,
    fs::{self, Permissions},
    net::SocketAddr,
    os::unix::fs::PermissionsExt,
    sync::LazyLock,
};

use ai_api::{OptionKind, OptionSpec, OptionValue};
use proptest::prelude::*;
use protocol::SandboxMode;
use tempfile::TempDir;

use super::*;
use crate::{
    load::{MAX_FILE_BYTES, sections},
    section::Section as _,
};
use ai_api::{Limits, OptionSetting};
use library::sha256::Sha256Sum;
use protocol::SandboxSettings;

/// A certificate and its key.
static CERTIFICATE: LazyLock<(String, String)> = LazyLock::new(|| {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    (made.cert.pem(), made.signing_key.serialize_pem())
});

/// A folder with a configuration in `config`, and in `lib` libraries, a certificate with its key, and what only looks like
/// engines.
fn folder(text: impl AsRef<[u8]>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for directory in ["config", "lib", "lib/libfolder.so"] {
        fs::create_dir(folder.path().join(directory)).unwrap();
    }
    for library in ["libai_basic1.so", "libai_huo1.so", "libai_uci.so", "notes.txt"] {
        fs::write(folder.path().join("lib").join(library), "").unwrap();
    }
    for (engine, text) in [("engine.sh", "#! /bin/sh -e\nexec stockfish\n"), ("engine", "MZ")] {
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

fn load_in(folder: &TempDir, overrides: &Overrides) -> Result<Config, ConfigErrors> {
    load(&folder.path().join("config/rookery.toml"), overrides)
}

fn loaded(text: &str) -> (TempDir, Config) {
    let folder = folder(text);
    let config = load_in(&folder, &Overrides::none()).unwrap_or_else(|errors| panic!("{errors}"));
    (folder, config)
}

/// The errors as printed, with the folder of the test left out of paths.
fn errors_with(text: &str, overrides: &Overrides) -> String {
    let folder = folder(text);
    let errors = load_in(&folder, overrides).unwrap_err().to_string();
    let root = fs::canonicalize(folder.path()).unwrap();
    errors.replace(&*root.to_string_lossy(), "").replace(&*folder.path().to_string_lossy(), "")
}

fn option(name: &str, value: OptionValue) -> OptionSetting {
    OptionSetting { name: name.into(), value }
}

const FULL: &str = r#"
[server]
listen = "[::1]:9000"
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
drain_delay_ms = 250
shutdown_grace_ms = 0

[server.tls]
certificate = "../lib/cert.pem"
key = "../lib/key.pem"

[plugins]
directories = ["../nowhere", "../lib"]
policy = "pinned"
watch = true

[ai.basic1]
library = "ai_basic1"
sha256 = "BA7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
workers = 3
move_timeout_ms = 2_000
start_timeout_ms = 3000
new_game_timeout_ms = 400
queue_capacity = 7
isolate = "client"
fallback = "uci"
limit = { movetime_ms = 1999 }
sandbox = "best-effort"
memory_mb = 64
threads = 0
allow_read = ["../lib/", "../lib/notes.txt"]
allow_exec = ["/bin/true"]
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
api_key_sha256 = "BA7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
admin = true
rate = "20/s burst 40"
max_concurrent = 3
max_depth = 8
max_nodes = 1_000_000
max_movetime_ms = 500
"#;

#[test]
fn reads_every_key() {
    let (folder, config) = loaded(FULL);
    let root = fs::canonicalize(folder.path()).unwrap();
    assert_eq!(config.server.listen, "[::1]:9000".parse::<SocketAddr>().unwrap());
    assert_eq!(config.server.allowed_hosts, ["chess.example", "rookery"].map(String::from).into());
    assert_eq!(config.server.trusted_proxies, ["127.0.0.1", "10.0.0.0/8", "fd00::/8"].into_iter().collect());
    assert_eq!((config.server.max_body_bytes, config.server.shutdown_grace_ms), (65536, 0));
    assert_eq!((config.server.max_plies, config.server.body_timeout_ms), (300, 50));
    assert_eq!((config.server.max_body_bytes_total, config.server.min_body_bytes_per_s), (524_288, 0));
    assert_eq!(config.server.max_connections_per_address, 12);
    let tls = config.server.tls.as_ref().unwrap();
    assert_eq!((&tls.certificate, &tls.key), (&root.join("lib/cert.pem"), &root.join("lib/key.pem")));
    assert_eq!((config.server.report_timeout_ms, config.server.send_timeout_ms), (1500, 700));
    assert_eq!((config.server.metrics, config.server.drain_delay_ms), (MetricsAccess::Admin, 250));
    assert_eq!(config.server.cors_origins, ["https://chess.example"]);
    assert_eq!(config.plugins.directories, [root.join("nowhere"), root.join("lib")]);
    assert_eq!(config.plugins.policy, PluginPolicy::Pinned);
    assert!(config.plugins.watch);
    assert_eq!(config.path(), folder.path().join("config/rookery.toml"));

    let basic1 = AiSettings {
        id: "basic1".into(),
        library: root.join("lib/libai_basic1.so"),
        sha256: Some(Sha256Sum::of(b"abc")),
        workers: 3,
        move_timeout_ms: 2000,
        start_timeout_ms: 3000,
        new_game_timeout_ms: 400,
        queue: 7,
        isolate: Isolation::Client,
        fallback: Some("uci".into()),
        limit: Limits::movetime_ms(1999),
        sandbox: SandboxSettings {
            mode: SandboxMode::BestEffort,
            memory_mb: 64,
            threads: 0,
            read: vec![root.join("lib"), root.join("lib/notes.txt")],
            exec: vec![library::executable::inspect(&fs::canonicalize("/bin/true").unwrap()).unwrap()],
            links: Some("/bin/true".into())
                .filter(|path| fs::canonicalize(path).unwrap() != *path)
                .into_iter()
                .collect(),
        },
        options: vec![
            option("style", OptionValue::Text("calm \"and\" \\ \u{7}wide".into())),
            option("hash_mb", OptionValue::Integer(-16)),
            option("odd name", OptionValue::Flag(true)),
            option("odds", OptionValue::Decimal(0.25)),
            option("paths", OptionValue::List(vec!["a b".into(), "/c".into()])),
        ],
        overridable_options: vec!["style".into(), "odd name".into()],
    };
    assert_eq!(config.ais["basic1"], basic1);
    assert_eq!(config.ais["uci"].library, root.join("lib/libai_uci.so"));
    assert_eq!(config.ais["uci"].limit, Limits::nodes(500));
    assert_eq!(config.ais.len(), 2);
}

#[test]
fn a_client_has_its_ai_and_the_ais_that_it_may_name() {
    let (_folder, config) = loaded(FULL);
    let default = config.client(None).unwrap();
    assert_eq!((default.id.as_str(), default.ai.as_str()), ("default", "basic1"));
    assert!(default.allowed_ais("uci"));
    let alice = config.client(Some("alice")).unwrap();
    assert_eq!(alice.ai, "uci");
    assert!(alice.allowed_ais("basic1") && !alice.allowed_ais("other"));
    assert_eq!(config.client(Some("bob")), None);
}

#[test]
fn a_client_has_its_bounds_or_none() {
    let (_folder, config) = loaded(FULL);
    let alice = &config.clients["alice"];
    let rate = alice.rate.unwrap();
    assert_eq!((rate.requests.get(), rate.per, rate.burst.get()), (20, RateUnit::Second, 40));
    assert_eq!(alice.max_concurrent, Some(3));
    assert!(alice.admin);
    let most = SearchMaxima { depth: Some(8), nodes: Some(1_000_000), movetime_ms: Some(500) };
    assert_eq!(alice.max_search, most);
    assert_eq!(config.clients["default"], ClientSettings::unbounded("default".into(), "basic1".into()));
}

#[test]
fn a_key_names_its_client() {
    let (_folder, config) = loaded(FULL);
    assert_eq!(config.client_with_key(b"abc").unwrap().id, "alice");
    assert_eq!(config.client_with_key(b"abd"), None);
    assert_eq!(config.client_with_key(b""), None);
}

#[test]
fn an_empty_file_has_the_defaults() {
    let (_folder, config) = loaded("");
    assert_eq!(config.server.listen.to_string(), "127.0.0.1:8080");
    assert_eq!((config.server.max_body_bytes, config.server.shutdown_grace_ms), (1 << 20, 10_000));
    assert_eq!((config.server.body_timeout_ms, config.server.drain_delay_ms), (10_000, 1000));
    assert_eq!((config.server.max_body_bytes_total, config.server.min_body_bytes_per_s), (64 << 20, 1024));
    assert_eq!((config.server.max_connections_per_address, &config.server.tls), (256, &None));
    assert_eq!(config.server.metrics, MetricsAccess::Open);
    assert_eq!((config.server.max_plies, config.server.cors_origins.len()), (2000, 0));
    assert!(config.server.allowed_hosts.is_empty());
    assert_eq!(config.server.trusted_proxies, TrustedProxies::default());
    assert_eq!((config.server.report_timeout_ms, config.server.send_timeout_ms), (300_000, 30_000));
    assert!(config.plugins.directories.is_empty() && !config.plugins.watch && config.ais.is_empty());
    assert_eq!(config.plugins.policy, PluginPolicy::Any);
    assert_eq!(config.client(None), None);
}

#[test]
fn an_ai_needs_its_library_only() {
    let (_folder, config) = loaded("[ai.a]\nlibrary = '../lib/libai_uci.so'");
    let ai = &config.ais["a"];
    assert_eq!((ai.workers, ai.move_timeout_ms, ai.limit), (1, 10_000, Limits::depth(5)));
    assert_eq!((ai.start_timeout_ms, ai.new_game_timeout_ms), (30_000, 5000));
    assert_eq!((ai.queue, ai.fallback.as_ref()), (64, None));
    assert!(ai.options.is_empty());
    assert_eq!(ai.sha256, None);
}

/// What is said of a library with some bytes, with the folder of the test left out.
fn pin_issue(config: &Config, ai: &str, bytes: &[u8]) -> Option<String> {
    let issue = config.check_pin(ai, Sha256Sum::of(bytes))?.to_string();
    let folder = config.path().parent().unwrap().parent().unwrap();
    Some(
        issue
            .replace(&*folder.to_string_lossy(), "")
            .replace(&*fs::canonicalize(folder).unwrap().to_string_lossy(), ""),
    )
}

#[test]
fn a_pinned_library_is_the_one_with_the_sum() {
    let (_folder, config) = loaded(FULL);
    assert_eq!(pin_issue(&config, "basic1", b"abc"), None);
    let other = pin_issue(&config, "basic1", b"abd").unwrap();
    for part in [
        "AI 'basic1': the library is not the pinned one: its sha256 is a52d159f",
        "expected ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n",
        " | sha256 = \"BA7816bf",
        "`rookery ais pin basic1` prints the line",
        "its library is /lib/libai_basic1.so\n",
    ] {
        assert!(other.contains(part), "no {part} in {other}");
    }
}

#[test]
fn a_library_without_a_pin_is_loaded_unless_all_must_have_one() {
    let (_folder, config) = loaded(FULL);
    let unpinned = pin_issue(&config, "uci", b"abc").unwrap();
    for part in [
        "error: AI 'uci': the library is not pinned, and plugins.policy requires it\n",
        ":5\n   |\n53 | [ai.uci]\n   |     ^^^\n",
        "`rookery ais pin uci` prints the line",
    ] {
        assert!(unpinned.contains(part), "no {part} in {unpinned}");
    }
    for policy in ["configured", "any"] {
        let (_folder, config) = loaded(&FULL.replace("pinned", policy));
        assert_eq!(pin_issue(&config, "uci", b"abc"), None);
        assert!(pin_issue(&config, "basic1", b"abd").is_some(), "a pin holds under every policy");
    }
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let folder = folder("\u{feff}[server]\nlisten = 1");
    let errors = load_in(&folder, &Overrides::none()).unwrap_err();
    assert_eq!((errors.issues()[0].line, errors.issues()[0].column), (Some(2), Some(10)));
    assert_eq!(errors.issues().len(), 1);
}

#[test]
fn what_is_shown_loads_again_and_gives_the_same() {
    let minimal = "[plugins]\ndirectories = ['../lib']\n[ai.a]\nlibrary = 'ai_uci'\n";
    for text in [FULL, "", minimal] {
        let (_folder, config) = loaded(text);
        let shown = config.show(|_, _| false);
        let (_elsewhere, again) = loaded(&shown);
        // What links lead to is shown, and not the links.
        let without_links = |mut config: Config| {
            config.ais.values_mut().for_each(|ai| ai.sandbox.links.clear());
            config
        };
        let (config, again) = (without_links(config), without_links(again));
        assert_eq!(config, again, "{shown}");
        assert_eq!(shown, again.show(|_, _| false));
    }
    let (_folder, full) = loaded(FULL);
    let (_elsewhere, other) = loaded(&FULL.replace("workers = 3", "workers = 4"));
    assert_ne!(full, other);
}

/// Every key that has a line of its own: those of `limit` are written into one.
fn keys_of_tables() -> impl Iterator<Item = &'static str> {
    let tables = sections().into_iter().filter(|(header, _)| *header != "[ai.ID.limit]");
    tables.flat_map(|(_, entries)| entries).map(|entry| entry.key)
}

#[test]
fn shows_every_key() {
    let (_folder, config) = loaded(FULL);
    let shown = config.show(|_, _| false);
    for key in keys_of_tables() {
        let written = shown.contains(&format!("\n{key} = ")) || shown.contains(&format!(".{key}]\n"));
        assert!(written, "{key}\n{shown}");
    }
}

#[test]
fn the_configuration_of_make_run_shows_every_key_and_its_default() {
    let text = include_str!("../../../config/rookery.toml");
    let mut bare = String::new();
    for line in text.lines().filter(|line| !line.starts_with("directories")) {
        bare.push_str(line);
        bare.push('\n');
    }
    let bare = bare.replace("[plugins]", "[plugins]\ndirectories = ['../lib']");
    let (_folder, config) = loaded(&bare);
    let (_elsewhere, defaults) = loaded("[ai.basic1]\nlibrary = '../lib/libai_basic1.so'");
    assert_eq!(config.server, defaults.server);
    let (basic1, default) = (&config.ais["basic1"], &defaults.ais["basic1"]);
    assert_eq!(
        (basic1.workers, basic1.move_timeout_ms, basic1.limit),
        (default.workers, default.move_timeout_ms, default.limit)
    );
    assert_eq!(
        (basic1.start_timeout_ms, basic1.new_game_timeout_ms, basic1.queue, &basic1.fallback),
        (default.start_timeout_ms, default.new_game_timeout_ms, default.queue, &default.fallback)
    );
    assert_eq!(config.client(None).unwrap().ai, "basic1");
    assert_eq!(config.client(Some("alice")).unwrap().ai, "quick");
    for key in keys_of_tables() {
        let lines = || text.lines().map(|line| line.trim_start_matches("# "));
        let written =
            |line: &str| line.starts_with(&format!("{key} =")) || line.ends_with(&format!(".{key}]"));
        assert!(lines().any(written), "{key} is not in config/rookery.toml");
    }
}

#[test]
fn a_flag_beats_a_variable_and_both_beat_the_file() {
    let folder = folder("[server]\nlisten = '127.0.0.1:1'\nmax_body_bytes = 2000");
    let variables = |name: &str| match name {
        "ROOKERY_LISTEN" => Some(OsString::from("127.0.0.1:2")),
        "ROOKERY_MAX_BODY_BYTES" => Some(OsString::from("3000")),
        "ROOKERY_CORS_ORIGINS" => Some(OsString::from("http://localhost:3000, https://chess.example")),
        "ROOKERY_TRUSTED_PROXIES" => Some(OsString::from("10.0.0.1,::1")),
        "ROOKERY_SHUTDOWN_GRACE_MS" => Some(OsString::new()),
        _ => None,
    };
    let server = |overrides: &Overrides| load_in(&folder, overrides).unwrap().server;
    let port = |overrides: &Overrides| server(overrides).listen.port();
    let environment = Overrides::from_environment(variables);
    assert_eq!(port(&Overrides::none()), 1);
    assert_eq!(port(&environment), 2);
    assert_eq!(port(&environment.clone().with_listen(None)), 2);
    assert_eq!(port(&environment.clone().with_listen(Some("127.0.0.1:3".into()))), 3);
    assert_eq!(server(&environment).max_body_bytes, 3000);
    assert_eq!(server(&environment).cors_origins, ["http://localhost:3000", "https://chess.example"]);
    assert_eq!(server(&environment).trusted_proxies, ["10.0.0.1", "::1"].into_iter().collect());
    assert_eq!(server(&environment).shutdown_grace_ms, 10_000);
}

fn specs() -> Vec<OptionSpec> {
    vec![
        OptionSpec::integer("hash_mb", 16, 1..=1024, "size of the table"),
        OptionSpec::flag("quiescence", true, "search captures"),
        OptionSpec::choice("style", "calm", &["calm", "wild"], "how to play"),
        OptionSpec::text("book", "", ""),
    ]
}

#[test]
fn options_are_checked_against_what_the_ai_declares() {
    let text = "[plugins]\ndirectories = ['../lib']\n[ai.a]\nlibrary = 'ai_uci'\n[ai.a.options]\n\
                hash_mb = 2048\nquiescense = false\nstyle = 'mad'\nbook = 3\nquiescence = false\n";
    let (folder, config) = loaded(text);
    let issues = config.check_options("a", &specs());
    let errors = ConfigErrors::none_of(issues).unwrap_err().to_string();
    let expected = r#"error: `ai.a.options.hash_mb` is 2048
 --> /config/rookery.toml:6:11
  |
6 | hash_mb = 2048
  |           ^^^^
  |
  = allowed: a whole number from 1 to 1024 (default: 16)
  = hash_mb: size of the table

error: the AI `a` declares no option `quiescense`
 --> /config/rookery.toml:7:1
  |
7 | quiescense = false
  | ^^^^^^^^^^
  |
  = allowed: hash_mb, quiescence, style, book
  = did you mean `quiescence`?

error: `ai.a.options.style` is the text "mad"
 --> /config/rookery.toml:8:9
  |
8 | style = 'mad'
  |         ^^^^^
  |
  = allowed: one of "calm", "wild" (default: "calm")
  = style: how to play

error: `ai.a.options.book` is 3
 --> /config/rookery.toml:9:8
  |
9 | book = 3
  |        ^
  |
  = allowed: a text in quotes (default: "")

4 errors in the configuration"#;
    assert_eq!(errors.replace(&*folder.path().to_string_lossy(), ""), expected);
    assert_eq!(
        config.check_options("a", &[])[0].allowed.as_deref(),
        Some("none: this AI declares no options")
    );
    assert!(config.check_options("b", &specs()).is_empty());
}

#[test]
fn an_option_names_a_file_a_folder_or_several_of_both() {
    let specs = [
        OptionSpec::file("net", "the weights"),
        OptionSpec::folder("books", ""),
        OptionSpec::files("tables", ""),
        OptionSpec::decimal("contempt", 0.0, -1.0..=1.0, ""),
    ];
    let with = |options: &str| {
        let (folder, config) =
            loaded(&format!("[ai.a]\nlibrary = '../lib/libai_uci.so'\n[ai.a.options]\n{options}"));
        let issues: Vec<_> = config.check_options("a", &specs).iter().map(ToString::to_string).collect();
        let root = folder.path().to_string_lossy().into_owned();
        (issues.concat().replace(&root, ""), config.resolved_options("a", &specs), root)
    };
    let right = "net = '../lib/libai_uci.so'\nbooks = '../lib'\ntables = ['../lib', '../lib/libai_uci.so']\ncontempt = 1\n";
    let (issues, options, root) = with(right);
    assert_eq!(issues, "");
    let path = |path: &str| format!("{root}/{path}");
    let expected = [
        option("net", OptionValue::Text(path("lib/libai_uci.so"))),
        option("books", OptionValue::Text(path("lib"))),
        option("tables", OptionValue::List(vec![path("lib"), path("lib/libai_uci.so")])),
        option("contempt", OptionValue::Decimal(1.0)),
    ];
    assert_eq!(options, expected);
    let (_, options, root) = with("tables = '../lib'");
    let path = |path: &str| format!("{root}/{path}");
    assert_eq!(options[2].value, OptionValue::List(vec![path("lib")]));

    let (issues, ..) = with(
        "net = '../lib'\nbooks = '../lib/libai_uci.so'\ntables = ['../lib', '../nowhere']\ncontempt = 1.5\n",
    );
    for part in [
        "`ai.a.options.net` names /lib, which is a folder",
        "= allowed: the path of a file that exists, relative to this file, in quotes",
        "`ai.a.options.books` names /lib/libai_uci.so, which is not a folder",
        "`ai.a.options.tables` names /nowhere, which can't be found",
        "`ai.a.options.contempt` is 1.5",
        "= allowed: a number from -1 to 1 (default: 0.0)",
    ] {
        assert!(issues.contains(part), "{part}: {issues}");
    }
    for wrong in ["contempt = nan", "contempt = inf", "tables = [1]", "tables = [['a']]"] {
        let errors = errors_with(
            &format!("[ai.a]\nlibrary = '../lib/libai_uci.so'\n[ai.a.options]\n{wrong}\n"),
            &Overrides::none(),
        );
        assert!(
            errors.contains("= allowed: true, false, a whole number of 64 bits, a decimal number"),
            "{errors}"
        );
    }
}

#[test]
fn options_that_are_not_set_or_not_allowed_have_their_default() {
    let text = "[ai.a]\nlibrary = '../lib/libai_uci.so'\n[ai.a.options]\nhash_mb = 0\nquiescence = false\n";
    let (_folder, config) = loaded(text);
    let expected = [
        option("hash_mb", OptionValue::Integer(16)),
        option("quiescence", OptionValue::Flag(false)),
        option("style", OptionValue::Text("calm".into())),
        option("book", OptionValue::Text(String::new())),
    ];
    assert_eq!(config.resolved_options("a", &specs()), expected);
    assert_eq!(config.resolved_options("b", &specs())[1].value, OptionValue::Flag(true));
}

#[test]
fn what_an_ai_declares_cannot_flood_the_terminal() {
    let (_folder, config) = loaded("[ai.a]\nlibrary = '../lib/libai_uci.so'\noptions.style = 'x'");
    let mut spec = OptionSpec::choice("style", "\u{1b}[2J", &[], &"help\n".repeat(10_000));
    spec.kind = OptionKind::Choice((0..10_000).map(|choice| format!("{choice}\u{1b}")).collect());
    let issue = config.check_options("a", &[spec]).remove(0).to_string();
    assert!(issue.len() < 2000, "{}", issue.len());
    assert!(!issue.contains('\u{1b}'));
    assert_eq!(issue.lines().count(), 8, "{issue}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text_is_loaded_or_refused(text in any::<String>()) {
        let folder = folder(&text);
        if let Err(errors) = load_in(&folder, &Overrides::none()) {
            prop_assert!(!errors.to_string().is_empty());
        }
    }

    #[test]
    fn any_bytes_are_loaded_or_refused(bytes in any::<Vec<u8>>()) {
        let _ = load_in(&folder(&bytes), &Overrides::none()).map_err(|errors| errors.to_string());
    }

    /// Pieces of TOML reach deeper than arbitrary text does.
    #[test]
    fn any_heap_of_toml_is_loaded_or_refused(pieces in prop::collection::vec(prop::sample::select(vec![
        "[ai.a]", "[client.b]", "[[ai]]", "\n", "\n", "=", " = ", "library", "limit", "ai", "allowed_ais", "{", "}", "[", "]",
        ",", ".", "\"", "'''", "3", "-1", "0xfff", "1e9", "depth", "nodes", "options", "é", "\u{202e}", "\r", "\0", "#",
        "server", "listen", "\"x\"", "true", "1979-05-27", "99999999999999999999999999999999999999999999", "\\u",
    ]), 0..40)) {
        let folder = folder(pieces.concat());
        match load_in(&folder, &Overrides::none()) {
            Ok(config) => prop_assert_eq!(loaded(&config.show(|_, _| false)).1, config),
            Err(errors) => for issue in errors.issues() {
                prop_assert!(issue.line.is_some() && issue.column.is_some(), "{}", issue);
            },
        }
    }
}
