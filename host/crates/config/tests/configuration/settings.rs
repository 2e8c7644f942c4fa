//! Reads, shows and overrides settings.

use std::{collections::BTreeMap, ffi::OsString, fs, time::Duration};

use ai_api::{Limits, OptionValue};
use config::{
    AiSettings, CanaryChoice, CandidateSettings, ClientSettings, Config, Isolation, ListenAddress,
    LoadOptions, MetricsAccess, PluginPolicy, RateUnit, SearchMaxima, SetLimit, TrafficShare,
    TrustedProxies,
};
use library::sha256::Sha256Sum;
use protocol::{SandboxMode, SandboxSettings};

use crate::support::{AI, FULL, all_keys, folder, issue, load_in, loaded, option};

#[test]
fn parses_every_key() {
    let (folder, config) = loaded(FULL);
    let root = fs::canonicalize(folder.path()).unwrap();
    let addresses = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| text.parse().unwrap())
            .collect::<Vec<ListenAddress>>()
    };
    assert_eq!(config.server.listen, addresses(&["[::1]:9000"]));
    assert_eq!(
        config.server.admin_listen,
        Some(addresses(&[
            "127.0.0.1:9090",
            "unix:/run/rookery/admin.sock"
        ]))
    );
    assert_eq!(config.server.socket_mode, 0o600);
    assert_eq!(
        config.server.allowed_hosts,
        ["chess.example", "rookery"].map(String::from).into()
    );
    assert_eq!(
        config.server.trusted_proxies,
        ["127.0.0.1", "10.0.0.0/8", "fd00::/8"]
            .into_iter()
            .collect()
    );
    assert_eq!(
        (
            config.server.max_body_bytes,
            config.server.shutdown_grace_ms
        ),
        (65536, 0)
    );
    assert_eq!(
        (config.server.max_plies, config.server.body_timeout_ms),
        (300, 50)
    );
    assert_eq!(
        (
            config.server.max_body_bytes_total,
            config.server.min_body_bytes_per_s
        ),
        (524_288, 0)
    );
    assert_eq!(config.server.max_connections_per_address, 12);
    let tls = config.server.tls.as_ref().unwrap();
    assert_eq!(
        (&tls.certificate, &tls.key),
        (&root.join("lib/cert.pem"), &root.join("lib/key.pem"))
    );
    assert_eq!(
        (
            config.server.report_timeout_ms,
            config.server.send_timeout_ms
        ),
        (1500, 700)
    );
    assert_eq!(
        (config.server.metrics, config.server.drain_delay_ms),
        (MetricsAccess::Admin, 250)
    );
    assert_eq!(config.server.replay_kb, 1024);
    assert_eq!(config.server.cors_origins, ["https://chess.example"]);
    assert_eq!(
        config.plugins.directories,
        [root.join("more"), root.join("lib")]
    );
    assert_eq!(config.plugins.policy, PluginPolicy::Pinned);
    assert!(config.plugins.watch);
    assert_eq!(
        config.tablebases.directories(),
        [root.join("tables"), "/srv/syzygy".into()]
    );
    assert_eq!(config.path(), folder.path().join("config/rookery.toml"));

    let basic1 = AiSettings {
        id: "basic1".into(),
        library: root.join("lib/libai_basic1.so"),
        sha256: Some(Sha256Sum::of(b"abc")),
        files_sha256: BTreeMap::new(),
        workers: Some(3),
        move_timeout_ms: 2000,
        stop_grace_ms: Some(100),
        start_timeout_ms: 3000,
        new_game_timeout_ms: 400,
        queue_capacity: 7,
        isolate: Isolation::Client,
        fallback: Some("uci".into()),
        limit: Some(SetLimit::default(Limits::movetime_ms(1999))),
        rollout: CandidateSettings {
            id: Some("uci".into()),
            shadow: TrafficShare::percent(10),
            canary: "0.5%".parse().unwrap(),
        },
        sandbox: SandboxSettings {
            mode: SandboxMode::BestEffort,
            memory_mb: 64,
            threads: 0,
            read: vec![root.join("lib"), root.join("lib/notes.txt")],
            exec: vec![
                library::executable::inspect(&fs::canonicalize("/bin/true").unwrap()).unwrap(),
            ],
            links: Some("/bin/true".into())
                .filter(|path| fs::canonicalize(path).unwrap() != *path)
                .into_iter()
                .collect(),
            placed_in: None,
            tablebases: Vec::new(),
            working_directory: Some(root.join("lib")),
        },
        options: vec![
            option(
                "style",
                OptionValue::Text("calm \"and\" \\ \u{7}wide".into()),
            ),
            option("hash_mb", OptionValue::Integer(-16)),
            option("odd name", OptionValue::Flag(true)),
            option("odds", OptionValue::Decimal(0.25)),
            option("paths", OptionValue::List(vec!["a b".into(), "/c".into()])),
        ],
        overridable_options: vec!["style".into(), "odd name".into()],
    };
    assert_eq!(config.ais["basic1"], basic1);
    assert_eq!(config.ais["uci"].library, root.join("lib/libai_uci.so"));
    assert_eq!(
        config.ais["uci"].limit,
        Some(SetLimit::default(Limits::nodes(500)))
    );
    assert_eq!(config.ais.len(), 2);
}

#[test]
fn maps_clients_to_ais() {
    let (_folder, config) = loaded(FULL);
    let default = config.client(None).unwrap();
    assert_eq!(
        (default.id.as_str(), default.ai.as_str()),
        ("default", "basic1")
    );
    assert!(default.allows_ai("uci"));
    let alice = config.client(Some("alice")).unwrap();
    assert_eq!(alice.ai, "uci");
    assert!(alice.allows_ai("basic1") && !alice.allows_ai("other"));
    assert_eq!(config.client(Some("bob")), None);
}

#[test]
fn reads_client_maxima() {
    let (_folder, config) = loaded(FULL);
    let alice = &config.clients["alice"];
    let rate = alice.rate.unwrap();
    assert_eq!(
        (rate.requests.get(), rate.per, rate.burst.get()),
        (20, RateUnit::Second, 40)
    );
    assert_eq!(
        (alice.max_concurrent, alice.max_match_games),
        (Some(3), Some(20))
    );
    assert!(alice.admin);
    assert_eq!(alice.canary, CanaryChoice::Always);
    let most = SearchMaxima {
        depth: Some(8),
        nodes: Some(1_000_000),
        movetime_ms: Some(500),
    };
    assert_eq!(alice.max_search, most);
    let unbounded = ClientSettings::unbounded("default".into(), "basic1".into());
    assert_eq!(
        config.clients["default"],
        ClientSettings {
            max_match_games: Some(100),
            ..unbounded
        }
    );
}

#[test]
fn finds_a_client_by_its_key() {
    let (_folder, config) = loaded(FULL);
    // Both keys belong to alice.
    for key in [b"abc", b"abcd".as_slice()] {
        assert_eq!(config.client_with_key(key).unwrap().id, "alice");
    }
    assert_eq!(
        config.clients["alice"].expires.unwrap().to_string(),
        "2050-01-31T17:00:00Z"
    );
    assert_eq!(config.client_with_key(b"abd"), None);
    assert_eq!(config.client_with_key(b""), None);
}

#[test]
fn an_empty_file_yields_the_defaults() {
    let (_folder, config) = loaded("");
    let listen: Vec<_> = config
        .server
        .listen
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        (listen, &config.server.admin_listen),
        (vec!["127.0.0.1:8080".to_owned()], &None)
    );
    assert_eq!(
        (
            config.server.max_body_bytes,
            config.server.shutdown_grace_ms
        ),
        (1 << 20, 10_000)
    );
    assert_eq!(
        (config.server.body_timeout_ms, config.server.drain_delay_ms),
        (10_000, 1000)
    );
    assert_eq!(
        (
            config.server.max_body_bytes_total,
            config.server.min_body_bytes_per_s
        ),
        (64 << 20, 1024)
    );
    assert_eq!(
        (
            config.server.max_connections_per_address,
            &config.server.tls
        ),
        (256, &None)
    );
    assert_eq!(
        (config.server.metrics, config.server.replay_kb),
        (MetricsAccess::Open, 0)
    );
    assert_eq!(
        (config.server.max_plies, config.server.cors_origins.len()),
        (2000, 0)
    );
    assert!(config.server.allowed_hosts.is_empty());
    assert_eq!(config.server.trusted_proxies, TrustedProxies::default());
    assert_eq!(
        (
            config.server.report_timeout_ms,
            config.server.send_timeout_ms
        ),
        (300_000, 30_000)
    );
    assert!(
        config.plugins.directories.is_empty() && !config.plugins.watch && config.ais.is_empty()
    );
    assert_eq!(config.plugins.policy, PluginPolicy::Any);
    assert_eq!(config.tablebases.directories, None, "the shipped ones");
    assert_eq!(config.client(None), None);
}

#[test]
fn an_ai_needs_only_a_library() {
    let (_folder, config) = loaded(AI);
    let ai = &config.ais["a"];
    assert_eq!(
        (ai.workers, ai.move_timeout_ms, ai.limit, ai.default_limit()),
        (None, 10_000, None, Limits::depth(5))
    );
    assert_eq!(ai.thinking_time(), Duration::from_millis(9750));
    assert_eq!(
        (ai.start_timeout_ms, ai.new_game_timeout_ms),
        (30_000, 5000)
    );
    assert_eq!((ai.queue_capacity, ai.fallback.as_ref()), (64, None));
    assert!(ai.options.is_empty());
    assert_eq!(ai.sha256, None);
}

#[test]
fn skips_a_byte_order_mark() {
    let issue = issue("\u{feff}[server]\nlisten = 1");
    assert_eq!((issue.line, issue.column), (Some(2), Some(10)));
}

#[test]
fn the_shown_configuration_loads_unchanged() {
    let minimal = "[plugins]\ndirectories = ['../lib']\n[ai.a]\nlibrary = 'ai_uci'\n";
    for text in [FULL, "", minimal] {
        let (_folder, config) = loaded(text);
        let shown = config.show(|_, _| false);
        let (_elsewhere, again) = loaded(&shown);
        // The output names the targets of links instead of the links.
        let without_links = |mut config: Config| {
            config
                .ais
                .values_mut()
                .for_each(|ai| ai.sandbox.links.clear());
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

#[test]
fn shows_every_key() {
    let (_folder, config) = loaded(FULL);
    let shown = config.show(|_, _| false);
    for key in all_keys() {
        let written =
            shown.contains(&format!("\n{key} = ")) || shown.contains(&format!(".{key}]\n"));
        assert!(written, "{key}\n{shown}");
    }
}

#[test]
fn the_shipped_file_is_short_and_loads() {
    let text = include_str!("../../../../../config/rookery.toml");
    // Does not count the levels, each of which takes one line.
    let lines = text.lines().filter(|line| !line.starts_with("level"));
    assert!(lines.clone().count() <= 44, "{} lines", lines.count());
    let (_folder, config) = loaded(&text.replace("../target/release", "../lib"));
    assert_eq!(
        config.ais.keys().collect::<Vec<_>>(),
        ["basic1", "huo1", "nnue1", "quick"]
    );
    let mut levels: Vec<_> = config.levels.values().map(|level| level.elo).collect();
    levels.sort_unstable();
    assert_eq!(
        levels,
        [
            680, 810, 960, 1100, 1170, 1300, 1380, 1500, 1580, 1720, 1780, 1890, 2060, 2240, 2380,
            2510, 2650, 2780, 2910, 3010, 3140, 3220, 3350
        ]
    );
    assert!(
        config
            .levels
            .values()
            .all(|level| level.elo < 3350 || level.options.is_empty())
    );
    let (_elsewhere, defaults) = loaded("");
    assert_eq!(
        (config.server, config.tablebases),
        (defaults.server, defaults.tablebases)
    );
    let ais = config
        .clients
        .values()
        .map(|client| (client.id.as_str(), client.ai.as_str()));
    assert_eq!(
        ais.collect::<Vec<_>>(),
        [
            ("alice", "quick"),
            ("default", "basic1"),
            ("guest", "basic1")
        ]
    );
}

#[test]
fn flags_override_variables_which_override_the_file() {
    let folder = folder("[server]\nlisten = '127.0.0.1:1'\nmax_body_bytes = 2000");
    let variables = |name: &str| match name {
        "ROOKERY_LISTEN" => Some(OsString::from("127.0.0.1:2")),
        "ROOKERY_MAX_BODY_BYTES" => Some(OsString::from("3000")),
        "ROOKERY_CORS_ORIGINS" => Some(OsString::from(
            "http://localhost:3000, https://chess.example",
        )),
        "ROOKERY_TRUSTED_PROXIES" => Some(OsString::from("10.0.0.1,::1")),
        "ROOKERY_SHUTDOWN_GRACE_MS" => Some(OsString::new()),
        _ => None,
    };
    let server = |overrides: &LoadOptions| load_in(&folder, overrides).unwrap().server;
    let port = |overrides: &LoadOptions| server(overrides).listen[0].tcp().unwrap().port();
    let environment = LoadOptions::from_environment(variables);
    assert_eq!(port(&LoadOptions::none()), 1);
    assert_eq!(port(&environment), 2);
    assert_eq!(port(&environment.clone().with_listen(None)), 2);
    assert_eq!(
        port(&environment.clone().with_listen(Some("127.0.0.1:3".into()))),
        3
    );
    let several = environment
        .clone()
        .with_listen(Some("127.0.0.1:3, unix:/run/x.sock".into()));
    let listen: Vec<_> = server(&several)
        .listen
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(listen, ["127.0.0.1:3", "unix:/run/x.sock"]);
    assert_eq!(server(&environment).max_body_bytes, 3000);
    assert_eq!(
        server(&environment).cors_origins,
        ["http://localhost:3000", "https://chess.example"]
    );
    assert_eq!(
        server(&environment).trusted_proxies,
        ["10.0.0.1", "::1"].into_iter().collect()
    );
    assert_eq!(server(&environment).shutdown_grace_ms, 10_000);
}

#[test]
fn an_empty_list_switches_tablebases_off() {
    let (_folder, config) = loaded("[tablebases]\ndirectories = []\n");
    assert_eq!(
        (
            &config.tablebases.directories,
            config.tablebases.directories()
        ),
        (&Some(Vec::new()), Vec::new())
    );
}

#[test]
fn the_tablebase_worker_has_room_for_all_tables() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [
        ("KQvK.rtbw", 30 << 20),
        ("KQvK.rtbz", 20 << 20),
        ("notes.txt", 900 << 20),
    ] {
        fs::File::create(folder.path().join(name))
            .unwrap()
            .set_len(bytes)
            .unwrap();
    }
    let directories = vec![folder.path().join("missing"), folder.path().to_path_buf()];
    let worker = config::tablebase_worker("tablebases", directories.clone());
    assert_eq!(
        (worker.sandbox.memory_mb, worker.workers),
        (64 + 2 * 50, Some(1))
    );
    assert_eq!(
        (worker.sandbox.tablebases, worker.sandbox.read),
        (directories, Vec::new())
    );
}
