//! Every key of the configuration: its name, its type, its bounds and its default, each stated once.

use std::{
    marker::PhantomData,
    net::{Ipv4Addr, SocketAddr, SocketAddrV4},
    ops::RangeInclusive,
    str::FromStr,
};

use toml::de::{DeInteger, DeValue};

use super::{MetricsAccess, PluginPolicy, Rate, SandboxMode, origin::is_origin};
use crate::{api_key::KeyDigest, sha256::Sha256Sum};

/// The depths that a search may be limited to, here and in a request.
pub(crate) const DEPTHS: RangeInclusive<u64> = 1..=1000;
/// The nodes that a search may be limited to, here and in a request.
pub(crate) const NODES: RangeInclusive<u64> = 1..=1_000_000_000_000;
/// The milliseconds that a search may be limited to, here and in a request.
pub(crate) const MOVETIMES_MS: RangeInclusive<u64> = 1..=3_600_000;

/// The sections of a file with their keys; an unknown key is compared with these.
pub(super) const SECTIONS: &[Section] = &[
    Section {
        name: "server",
        header: "[server]",
        keys: &[
            LISTEN.name,
            MAX_BODY_BYTES.name,
            BODY_TIMEOUT_MS.name,
            SEND_TIMEOUT_MS.name,
            MAX_PLIES.name,
            REPORT_TIMEOUT_MS.name,
            CORS_ORIGINS.name,
            METRICS.name,
            DRAIN_DELAY_MS.name,
            SHUTDOWN_GRACE_MS.name,
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
            QUEUE.name,
            FALLBACK.name,
            LIMIT,
            SANDBOX.name,
            MEMORY_MB.name,
            THREADS.name,
            READ.name,
            EXEC.name,
            REQUEST_OPTIONS.name,
            OPTIONS,
        ],
    },
    Section {
        name: "client",
        header: "[client.ID]",
        keys: &[
            CLIENT_AI.name,
            MAY_USE.name,
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

pub(super) const LISTEN: Key<Address> = Key {
    name: "listen",
    kind: Address { default: SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 8080)) },
};
pub(super) const MAX_BODY_BYTES: Key<Whole> = Key::whole("max_body_bytes", 1024..=64 << 20, 1 << 20);
pub(super) const BODY_TIMEOUT_MS: Key<Whole> = Key::whole("body_timeout_ms", 1..=600_000, 10_000);
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
pub(super) const QUEUE: Key<Whole> = Key::whole("queue", 1..=100_000, 64);
pub(super) const FALLBACK: Key<Text> = Key {
    name: "fallback",
    kind: Text { allowed: "the ID of another AI that has no `fallback` itself; left out: none" },
};
pub(super) const SANDBOX: Key<OneOf<SandboxMode>> = Key { name: "sandbox", kind: OneOf(PhantomData) };
pub(super) const MEMORY_MB: Key<Whole> = Key::whole("memory_mb", 16..=1 << 20, 1024);
pub(super) const THREADS: Key<Whole> = Key::whole("threads", 0..=4096, 64);
pub(super) const READ: Key<Texts> = Key {
    name: "read",
    kind: Texts {
        allowed: "a list of files and folders that exist, relative to this file, such as [\"nets/\"]",
        fits: is_not_empty,
    },
};
pub(super) const EXEC: Key<Texts> = Key {
    name: "exec",
    kind: Texts {
        allowed: "a list of programs, by their paths, such as [\"/usr/games/stockfish\"]",
        fits: is_not_empty,
    },
};
pub(super) const REQUEST_OPTIONS: Key<Texts> = Key {
    name: "request_options",
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

/// What a limit is made of.
pub(super) fn limit_allowed() -> String {
    format!(
        "exactly one of {{ {} = N }}, {{ {} = N }}, {{ {} = N }}; {{ {} = {DEFAULT_DEPTH} }} where it is left out",
        LIMIT_DEPTH.name, LIMIT_NODES.name, LIMIT_MOVETIME_MS.name, LIMIT_DEPTH.name
    )
}

pub(super) const CLIENT_AI: Key<Text> = Key {
    name: "ai",
    kind: Text { allowed: "the ID of an [ai.ID] of this file, or of a library in plugins.directories" },
};
pub(super) const MAY_USE: Key<Texts> = Key {
    name: "may_use",
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

/// A key whose values are of a kind.
pub(super) struct Key<K> {
    pub(super) name: &'static str,
    pub(super) kind: K,
}

impl Key<Number> {
    const fn number(name: &'static str, bounds: RangeInclusive<u64>) -> Self {
        Self { name, kind: Number { bounds } }
    }
}

impl Key<Whole> {
    const fn whole(name: &'static str, bounds: RangeInclusive<u64>, default: u64) -> Self {
        Self { name, kind: Whole { number: Number { bounds }, default } }
    }
}

/// A kind of values.
pub(super) trait Kind {
    type Value;

    /// What is allowed, for somebody who wrote something else.
    fn allowed(&self) -> String;

    /// Whether a wrong value may be repeated to whoever reads what is wrong.
    fn confidence(&self) -> Confidence {
        Confidence::Open
    }

    /// The value, if it is of this kind and within its bounds.
    fn read(&self, value: &DeValue<'_>) -> Option<Self::Value>;
}

/// Who may see a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Confidence {
    /// Whoever sees the configuration or its errors.
    Open,
    /// Nobody: a secret may stand there by mistake.
    Secret,
}

/// A kind whose values may be left out, or written without quotes on a command line.
pub(super) trait Setting: Kind {
    fn default(&self) -> Self::Value;

    fn parse(&self, text: &str) -> Option<Self::Value>;
}

/// A whole number within bounds.
pub(super) struct Number {
    bounds: RangeInclusive<u64>,
}

impl Number {
    fn bounded(&self, number: u64) -> Option<u64> {
        self.bounds.contains(&number).then_some(number)
    }
}

impl Kind for Number {
    type Value = u64;

    fn allowed(&self) -> String {
        format!("a whole number from {} to {}", self.bounds.start(), self.bounds.end())
    }

    fn read(&self, value: &DeValue<'_>) -> Option<u64> {
        let number = value.as_integer().and_then(whole)?;
        self.bounded(u64::try_from(number).ok()?)
    }
}

/// A whole number within bounds, or its default.
pub(super) struct Whole {
    number: Number,
    default: u64,
}

impl Kind for Whole {
    type Value = u64;

    fn allowed(&self) -> String {
        format!("{}; {} where it is left out", self.number.allowed(), self.default)
    }

    fn read(&self, value: &DeValue<'_>) -> Option<u64> {
        self.number.read(value)
    }
}

impl Setting for Whole {
    fn default(&self) -> u64 {
        self.default
    }

    fn parse(&self, text: &str) -> Option<u64> {
        text.parse().ok().and_then(|number| self.number.bounded(number))
    }
}

/// The number that `integer` writes, if it is of a size that anything here could want.
pub(super) fn whole(integer: &DeInteger<'_>) -> Option<i64> {
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// An address and port to listen on.
pub(super) struct Address {
    default: SocketAddr,
}

impl Kind for Address {
    type Value = SocketAddr;

    fn allowed(&self) -> String {
        let default = self.default;
        format!("an IP address and a port, such as \"{default}\" or \"[::1]:8080\"; port 0 picks a free one")
    }

    fn read(&self, value: &DeValue<'_>) -> Option<SocketAddr> {
        value.as_str().and_then(|text| self.parse(text))
    }
}

impl Setting for Address {
    fn default(&self) -> SocketAddr {
        self.default
    }

    fn parse(&self, text: &str) -> Option<SocketAddr> {
        text.parse().ok()
    }
}

/// A value that is one of a few words.
pub(crate) trait Choice: Copy + 'static {
    const ALL: &'static [Self];
    const DEFAULT: Self;

    /// The word in the configuration.
    fn name(self) -> &'static str;
}

/// One of a few words, or its default.
pub(super) struct OneOf<T>(PhantomData<T>);

impl<T: Choice> Kind for OneOf<T> {
    type Value = T;

    fn allowed(&self) -> String {
        let words: Vec<_> = T::ALL.iter().map(|choice| format!("\"{}\"", choice.name())).collect();
        let (last, others) = words.split_last().expect("there is something to choose from");
        format!("{} or {last}; \"{}\" where it is left out", others.join(", "), T::DEFAULT.name())
    }

    fn read(&self, value: &DeValue<'_>) -> Option<T> {
        value.as_str().and_then(|text| self.parse(text))
    }
}

impl<T: Choice> Setting for OneOf<T> {
    fn default(&self) -> T {
        T::DEFAULT
    }

    fn parse(&self, text: &str) -> Option<T> {
        T::ALL.iter().copied().find(|choice| choice.name() == text)
    }
}

/// Yes or no, and no where it is left out.
pub(super) struct Flag;

impl Kind for Flag {
    type Value = bool;

    fn allowed(&self) -> String {
        "true or false; false where it is left out".to_owned()
    }

    fn read(&self, value: &DeValue<'_>) -> Option<bool> {
        value.as_bool()
    }
}

impl Setting for Flag {
    fn default(&self) -> bool {
        false
    }

    fn parse(&self, text: &str) -> Option<bool> {
        text.parse().ok()
    }
}

/// A text that is not empty.
pub(super) struct Text {
    pub(super) allowed: &'static str,
}

impl Kind for Text {
    type Value = String;

    fn allowed(&self) -> String {
        self.allowed.to_owned()
    }

    fn read(&self, value: &DeValue<'_>) -> Option<String> {
        value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    }
}

/// A text that means something.
pub(super) struct Parsed<T> {
    allowed: &'static str,
    confidence: Confidence,
    value: PhantomData<T>,
}

impl<T: FromStr> Kind for Parsed<T> {
    type Value = T;

    fn allowed(&self) -> String {
        self.allowed.to_owned()
    }

    fn confidence(&self) -> Confidence {
        self.confidence
    }

    fn read(&self, value: &DeValue<'_>) -> Option<T> {
        value.as_str().and_then(|text| text.parse().ok())
    }
}

/// A list of texts, each with its own place.
pub(super) struct Texts {
    pub(super) allowed: &'static str,
    /// Whether a text may stand in the list.
    pub(super) fits: fn(&str) -> bool,
}

impl Kind for Texts {
    type Value = Vec<String>;

    fn allowed(&self) -> String {
        self.allowed.to_owned()
    }

    fn read(&self, value: &DeValue<'_>) -> Option<Vec<String>> {
        let texts = value.as_array()?.iter().map(|text| text.get_ref().as_str());
        texts.map(|text| text.filter(|text| (self.fits)(text)).map(str::to_owned)).collect()
    }
}

impl Setting for Texts {
    fn default(&self) -> Vec<String> {
        Vec::new()
    }

    /// On a command line they stand between commas.
    fn parse(&self, text: &str) -> Option<Vec<String>> {
        let texts = text.split(',').map(str::trim);
        texts.map(|text| Some(text).filter(|text| (self.fits)(text)).map(str::to_owned)).collect()
    }
}

fn is_not_empty(text: &str) -> bool {
    !text.is_empty()
}
