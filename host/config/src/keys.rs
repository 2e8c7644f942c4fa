//! Every key of the configuration: its name, its type, its bounds and its default, each stated once.

mod kinds;

use std::{
    marker::PhantomData,
    net::{Ipv4Addr, SocketAddr, SocketAddrV4},
    ops::RangeInclusive,
};

pub(super) use kinds::{
    Address, Confidence, Flag, Key, Kind, Number, OneOf, Parsed, Setting, Text, Texts, Whole, whole,
};

use super::{
    Isolation, MetricsAccess, PluginPolicy, Rate,
    origin::{is_host_name, is_origin},
    trusted_proxies::is_network,
};
use crate::api_key::KeyDigest;
use library::sha256::Sha256Sum;
use protocol::SandboxMode;

/// The depths that a search may be limited to, here and in a request.
pub const DEPTHS: RangeInclusive<u64> = 1..=1000;
/// The nodes that a search may be limited to, here and in a request.
pub const NODES: RangeInclusive<u64> = 1..=1_000_000_000_000;
/// Moves until a mate to search for.
pub const MATES: RangeInclusive<u64> = 1..=500;
/// The milliseconds that a search may be limited to, here and in a request.
pub const MOVETIMES_MS: RangeInclusive<u64> = 1..=3_600_000;
/// The megabytes that an AI may be given, here and in its examination.
pub const MEMORY_SIZES_MB: RangeInclusive<u64> = 16..=1 << 20;
/// The threads that an AI may be given, here and in its examination.
pub const THREAD_COUNTS: RangeInclusive<u64> = 0..=4096;

/// The sections of a file with their keys; an unknown key is compared with these.
pub(super) const SECTIONS: &[Section] = &[
    Section {
        name: "server",
        header: "[server]",
        keys: &[
            LISTEN.name,
            ALLOWED_HOSTS.name,
            TRUSTED_PROXIES.name,
            MAX_BODY_BYTES.name,
            MAX_BODY_BYTES_TOTAL.name,
            BODY_TIMEOUT_MS.name,
            MIN_BODY_BYTES_PER_S.name,
            MAX_CONNECTIONS_PER_ADDRESS.name,
            SEND_TIMEOUT_MS.name,
            MAX_PLIES.name,
            REPORT_TIMEOUT_MS.name,
            CORS_ORIGINS.name,
            METRICS.name,
            DRAIN_DELAY_MS.name,
            SHUTDOWN_GRACE_MS.name,
            TLS,
        ],
    },
    Section { name: "plugins", header: "[plugins]", keys: &[DIRECTORIES.name, POLICY.name, WATCH.name] },
    Section {
        name: "ai",
        header: "[ai.ID]",
        keys: &[
            LIBRARY.name,
            SHA256.name,
            WORKERS.name,
            MOVE_TIMEOUT_MS.name,
            START_TIMEOUT_MS.name,
            NEW_GAME_TIMEOUT_MS.name,
            QUEUE_CAPACITY.name,
            ISOLATE.name,
            FALLBACK.name,
            LIMIT,
            SANDBOX.name,
            MEMORY_MB.name,
            THREADS.name,
            ALLOW_READ.name,
            ALLOW_EXEC.name,
            OVERRIDABLE_OPTIONS.name,
            OPTIONS,
        ],
    },
    Section {
        name: "client",
        header: "[client.ID]",
        keys: &[
            CLIENT_AI.name,
            ALLOWED_AIS.name,
            API_KEY_SHA256.name,
            ADMIN.name,
            RATE.name,
            MAX_CONCURRENT.name,
            MAX_DEPTH.name,
            MAX_NODES.name,
            MAX_MOVETIME_MS.name,
        ],
    },
];

/// Keys of earlier versions, with their names of today.
pub(super) const RENAMED: &[(&str, &str)] = &[
    ("may_use", ALLOWED_AIS.name),
    ("queue", QUEUE_CAPACITY.name),
    ("read", ALLOW_READ.name),
    ("exec", ALLOW_EXEC.name),
    ("request_options", OVERRIDABLE_OPTIONS.name),
];

pub(super) const LISTEN: Key<Address> = Key {
    name: "listen",
    kind: Address { default: SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 8080)) },
};
pub(super) const ALLOWED_HOSTS: Key<Texts> = Key {
    name: "allowed_hosts",
    kind: Texts {
        allowed: "a list of names under which clients reach the server, without a port, such as [\"chess.example\"]; IP \
                  addresses and localhost are always allowed; [] where it is left out",
        fits: is_host_name,
    },
};
pub(super) const TRUSTED_PROXIES: Key<Texts> = Key {
    name: "trusted_proxies",
    kind: Texts {
        allowed: "a list of IP addresses and networks, such as [\"127.0.0.1\", \"10.0.0.0/8\", \"fd00::/8\"]; \
                  [] where it is left out",
        fits: is_network,
    },
};
pub(super) const TLS: &str = "tls";
pub(super) const TLS_CERTIFICATE: Key<Text> = Key {
    name: "certificate",
    kind: Text {
        allowed: "the path of the server's certificate in PEM form, relative to this file, such as \"cert.pem\"",
    },
};
pub(super) const TLS_KEY: Key<Text> = Key {
    name: "key",
    kind: Text {
        allowed: "the path of the certificate's private key in PEM form, relative to this file, such as \"key.pem\"",
    },
};
pub(super) const MAX_BODY_BYTES: Key<Whole> = Key::whole("max_body_bytes", 1024..=64 << 20, 1 << 20);
pub(super) const BODY_TIMEOUT_MS: Key<Whole> = Key::whole("body_timeout_ms", 1..=600_000, 10_000);
/// In total and of one address, which may hold an eighth of it; left out: 64 times `max_body_bytes`.
pub(super) const MAX_BODY_BYTES_TOTAL: Key<Number> = Key::number("max_body_bytes_total", 8192..=1 << 40);
pub(super) const MIN_BODY_BYTES_PER_S: Key<Whole> = Key::whole("min_body_bytes_per_s", 0..=1 << 30, 1024);
pub(super) const MAX_CONNECTIONS_PER_ADDRESS: Key<Whole> =
    Key::whole("max_connections_per_address", 1..=1_000_000, 256);
pub(super) const SEND_TIMEOUT_MS: Key<Whole> = Key::whole("send_timeout_ms", 100..=600_000, 30_000);
pub(super) const MAX_PLIES: Key<Whole> = Key::whole("max_plies", 1..=20_000, 2000);
pub(super) const REPORT_TIMEOUT_MS: Key<Whole> = Key::whole("report_timeout_ms", 1000..=3_600_000, 300_000);
pub(super) const CORS_ORIGINS: Key<Texts> = Key {
    name: "cors_origins",
    kind: Texts {
        allowed: "a list of origins as browsers send them, such as [\"https://chess.example\"], or [\"*\"] for all; \
                  [] where it is left out",
        fits: is_origin,
    },
};
pub(super) const METRICS: Key<OneOf<MetricsAccess>> = Key { name: "metrics", kind: OneOf(PhantomData) };
pub(super) const DRAIN_DELAY_MS: Key<Whole> = Key::whole("drain_delay_ms", 0..=600_000, 1000);
pub(super) const SHUTDOWN_GRACE_MS: Key<Whole> = Key::whole("shutdown_grace_ms", 0..=600_000, 10_000);

pub(super) const DIRECTORIES: Key<Texts> = Key {
    name: "directories",
    kind: Texts {
        allowed: "a list of folders, relative to this file, such as [\"../target/release\"]",
        fits: is_not_empty,
    },
};
pub(super) const WATCH: Key<Flag> = Key { name: "watch", kind: Flag };

pub(super) const POLICY: Key<OneOf<PluginPolicy>> = Key { name: "policy", kind: OneOf(PhantomData) };

pub(super) const LIBRARY: Key<Text> = Key {
    name: "library",
    kind: Text {
        allowed: "a NAME, looked up as libNAME.so in plugins.directories, \
                  or a path relative to this file, with a `/` or ending in `.so`",
    },
};
pub(super) const SHA256: Key<Parsed<Sha256Sum>> = Key {
    name: "sha256",
    kind: Parsed {
        allowed: "the SHA-256 of the library that may be loaded, 64 hexadecimal digits; `rookery ais pin` prints it",
        confidence: Confidence::Open,
        value: PhantomData,
    },
};
pub(super) const WORKERS: Key<Whole> = Key::whole("workers", 1..=256, 1);
pub(super) const MOVE_TIMEOUT_MS: Key<Whole> = Key::whole("move_timeout_ms", 1..=3_600_000, 10_000);
pub(super) const START_TIMEOUT_MS: Key<Whole> = Key::whole("start_timeout_ms", 1..=3_600_000, 30_000);
pub(super) const NEW_GAME_TIMEOUT_MS: Key<Whole> = Key::whole("new_game_timeout_ms", 1..=3_600_000, 5000);
pub(super) const QUEUE_CAPACITY: Key<Whole> = Key::whole("queue_capacity", 1..=100_000, 64);
pub(super) const ISOLATE: Key<OneOf<Isolation>> = Key { name: "isolate", kind: OneOf(PhantomData) };
pub(super) const FALLBACK: Key<Text> = Key {
    name: "fallback",
    kind: Text { allowed: "the ID of another AI that has no `fallback` itself; left out: none" },
};
pub(super) const SANDBOX: Key<OneOf<SandboxMode>> = Key { name: "sandbox", kind: OneOf(PhantomData) };
pub(super) const MEMORY_MB: Key<Whole> = Key::whole("memory_mb", MEMORY_SIZES_MB, 1024);
pub(super) const THREADS: Key<Whole> = Key::whole("threads", THREAD_COUNTS, 64);
pub(super) const ALLOW_READ: Key<Texts> = Key {
    name: "allow_read",
    kind: Texts {
        allowed: "a list of files and folders that exist, relative to this file, such as [\"nets/\"]",
        fits: is_not_empty,
    },
};
pub(super) const ALLOW_EXEC: Key<Texts> = Key {
    name: "allow_exec",
    kind: Texts {
        allowed: "a list of programs, by their paths, such as [\"/usr/games/stockfish\"]",
        fits: is_not_empty,
    },
};
pub(super) const OVERRIDABLE_OPTIONS: Key<Texts> = Key {
    name: "overridable_options",
    kind: Texts {
        allowed: "a list of names of the AI's options, such as [\"level\"]; [] where it is left out",
        fits: is_not_empty,
    },
};
pub(super) const LIMIT: &str = "limit";
pub(super) const OPTIONS: &str = "options";

/// The depth of an AI whose configuration sets no limit.
pub(super) const DEFAULT_DEPTH: u32 = 5;
pub(super) const LIMIT_DEPTH: Key<Number> = Key::number("depth", DEPTHS);
pub(super) const LIMIT_NODES: Key<Number> = Key::number("nodes", NODES);
pub(super) const LIMIT_MOVETIME_MS: Key<Number> = Key::number("movetime_ms", MOVETIMES_MS);
pub(super) const LIMIT_MATE: Key<Number> = Key::number("mate", MATES);

/// What a limit is made of.
pub(super) fn limit_allowed() -> String {
    format!(
        "one or more of {}, {}, {}, {}; {{ {} = {DEFAULT_DEPTH} }} where it is left out",
        LIMIT_DEPTH.name, LIMIT_NODES.name, LIMIT_MOVETIME_MS.name, LIMIT_MATE.name, LIMIT_DEPTH.name
    )
}

pub(super) const CLIENT_AI: Key<Text> = Key {
    name: "ai",
    kind: Text { allowed: "the ID of an [ai.ID] of this file, or of a library in plugins.directories" },
};
pub(super) const ALLOWED_AIS: Key<Texts> = Key {
    name: "allowed_ais",
    kind: Texts { allowed: "a list of IDs of AIs; left out: every AI", fits: is_not_empty },
};
pub(super) const API_KEY_SHA256: Key<Parsed<KeyDigest>> = Key {
    name: "api_key_sha256",
    kind: Parsed {
        allowed: "the SHA-256 of the client's key, 64 hexadecimal digits, not the key itself; \
                  `rookery client add NAME` makes both",
        confidence: Confidence::Secret,
        value: PhantomData,
    },
};
pub(super) const ADMIN: Key<Flag> = Key { name: "admin", kind: Flag };
pub(super) const RATE: Key<Parsed<Rate>> = Key {
    name: "rate",
    kind: Parsed {
        allowed: "a number of requests in a second, a minute or an hour, such as \"20/s\", \"300/min\" or \"1000/h\", \
                  and how many may come at once if not as many, as in \"20/s burst 40\"; numbers from 1 to 1000000",
        confidence: Confidence::Open,
        value: PhantomData,
    },
};
pub(super) const MAX_CONCURRENT: Key<Number> = Key::number("max_concurrent", 1..=100_000);
pub(super) const MAX_DEPTH: Key<Number> = Key::number("max_depth", DEPTHS);
pub(super) const MAX_NODES: Key<Number> = Key::number("max_nodes", NODES);
pub(super) const MAX_MOVETIME_MS: Key<Number> = Key::number("max_movetime_ms", MOVETIMES_MS);

/// What an id is made of.
pub const ID_ALLOWED: &str = "1 to 64 of a-z, 0-9, `_` and `-`";

/// Whether `id` can name an AI or a client.
pub fn is_id(id: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&id.len()) && id.bytes().all(fits)
}

/// A section of a file.
pub(super) struct Section {
    pub(super) name: &'static str,
    /// How its head is written.
    pub(super) header: &'static str,
    pub(super) keys: &'static [&'static str],
}

/// The keys of the section called `name`.
pub(super) fn keys_of(name: &str) -> &'static [&'static str] {
    SECTIONS.iter().find(|section| section.name == name).map_or(&[], |section| section.keys)
}

fn is_not_empty(text: &str) -> bool {
    !text.is_empty()
}
