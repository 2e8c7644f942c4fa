//! `[client.ID]`.

use std::{collections::BTreeMap, marker::PhantomData, path::Path};

use toml::de::DeValue;

use crate::{
    api_key::KeyDigest,
    expiry::{DateTime, Expiry},
    id::check_id,
    issue::Issues,
    kinds::{Flag, GivenValue, Kind, choice, list, number, quoted, text, texts},
    known_ais::{KnownAis, NAMED_AI},
    limit::{DEPTHS, MOVETIMES_MS, NO_LIMIT, NODES},
    rate::Rate,
    section::{Flatten, IntoField as _, Section as _, TableName, section},
    source::shortened,
    table::Table,
};

section! {
    /// `[client.ID]`: one client.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ClientSettings {
        /// The value of the header `X-Client-Id`.
        id: String = TableName,
        /// The AI that answers when a request names none.
        ai: String = text(NAMED_AI).required().example("\"basic1\""),
        /// The AIs that a request may name.
        allowed_ais: Option<Vec<String>> =
            texts("a list of IDs of AIs").optional("every AI").example("[\"basic1\", \"quick\"]"),
        /// The hash of the key that the client sends as `Authorization: Bearer KEY`, or two hashes
        /// during a rotation. Without a hash, the server trusts `X-Client-Id`.
        api_key_sha256: Option<Vec<KeyDigest>> =
            KeyDigests.optional("no key").example(
                "\"31cf687b46b41ccfd6730bee9733b0855dd767813762d9b0a59fc2381cbda86c\"",
            ),
        /// The time from which the client's requests get 401.
        expires: Option<Expiry> = DateTime.optional("never").example("2027-01-31"),
        /// Whether only this machine answers the client, so no node of a fleet sees its games.
        local_only: bool = Flag.or(false),
        /// Whether the client may make operator calls and see the last fault of an AI, which can
        /// contain other clients' games. It must have a key.
        admin: bool = Flag.or(false),
        /// Whether the client gets candidates' answers: according to the share in the AI's `canary`
        /// (`share`), `always` or `never`.
        canary: CanaryChoice = choice().or(CanaryChoice::Share),
        /// How often the client may send requests. Beyond it, requests get 429 with `Retry-After`.
        rate: Option<Rate> = text(
            "a number of requests per second, minute or hour, such as \"20/s\", \"300/min\" or \
             \"1000/h\", with a burst if it differs, as in \"20/s burst 40\"; numbers from 1 to \
             1000000",
        ).optional(NO_LIMIT).example("\"20/s burst 40\""),
        /// How many requests the client may have open, and how many searches a report or batch runs
        /// at a time. Further requests get 429.
        max_concurrent: Option<usize> = number(1..=100_000).optional(NO_LIMIT).example("8"),
        /// The maximum number of games in a match of `POST /v1/matches`. A client can run one match
        /// at a time; 0 allows none.
        max_match_games: Option<u32> = number(0..=1000).optional("100 for `[client.default]`, else \
            no matches").example("100"),
        /// Whether the `nodes` and `guests` of `[fleet]` play the client's matches instead of this
        /// machine. They receive the AIs' files.
        fleet_matches: bool = Flag.or(false),
        max_search: SearchMaxima = Flatten(PhantomData),
    }
}

section! {
    /// The search maxima; `None` means no maximum.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct SearchMaxima {
        /// The maximum depth of a search in plies. It lowers the limit of a request.
        depth as "max_depth": Option<u32> = number(DEPTHS).optional(NO_LIMIT).example("12"),
        /// The maximum number of positions of a search.
        nodes as "max_nodes": Option<u64> = number(NODES).optional(NO_LIMIT).example("5000000"),
        /// The maximum time of a search.
        movetime_ms as "max_movetime_ms": Option<u64> = number(MOVETIMES_MS)
            .optional(NO_LIMIT)
            .example("2000"),
    }
}

/// Which side of a canary a client is on.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, strum::VariantArray, strum::IntoStaticStr, strum::EnumString,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum CanaryChoice {
    /// Decided by the client's name and the AI's share.
    Share,
    Always,
    Never,
}

/// The maximum number of keys that a client may have at once.
const MAX_KEYS: usize = 2;

/// The hash of a key, or a list of hashes.
struct KeyDigests;

impl Kind for KeyDigests {
    type Value = Vec<KeyDigest>;

    fn values(&self) -> String {
        "a SHA-256 hash (64 hexadecimal digits) or a list of two; `rookery client add NAME` \
         creates a key and its hash"
            .to_owned()
    }

    fn read(&self, found: &GivenValue<'_>, issues: &mut Issues<'_>) -> Option<Vec<KeyDigest>> {
        let digest = |value: &DeValue<'_>| value.as_str()?.parse().ok();
        let digests: Option<Vec<_>> = match found.value.get_ref() {
            DeValue::Array(items) => items.iter().map(|item| digest(item.get_ref())).collect(),
            value => digest(value).map(|digest| vec![digest]),
        };
        found.checked_secret(
            digests.filter(|digests| (1..=MAX_KEYS).contains(&digests.len())),
            issues,
        )
    }

    fn parse(&self, text: &str, _: &Path) -> Option<Vec<KeyDigest>> {
        text.parse().ok().map(|digest| vec![digest])
    }

    fn show(&self, digests: &Vec<KeyDigest>) -> String {
        let texts: Vec<_> = digests.iter().map(KeyDigest::to_string).collect();
        if let [text] = texts.as_slice() {
            quoted(text)
        } else {
            list(texts)
        }
    }
}

/// The client for requests that do not name one.
pub(crate) const DEFAULT_CLIENT: &str = "default";
/// Visitors to the page have no key and may start matches.
const DEFAULT_CLIENTS_GAMES: u32 = 100;

impl ClientSettings {
    /// Creates a client without a key or limits that may use every AI but may not start matches.
    pub const fn unbounded(id: String, ai: String) -> Self {
        Self {
            id,
            ai,
            allowed_ais: None,
            api_key_sha256: None,
            expires: None,
            local_only: false,
            admin: false,
            canary: CanaryChoice::Share,
            rate: None,
            max_concurrent: None,
            max_match_games: None,
            fleet_matches: false,
            max_search: SearchMaxima {
                depth: None,
                nodes: None,
                movetime_ms: None,
            },
        }
    }

    /// Returns whether this is the client for requests that do not name one.
    pub fn is_default(&self) -> bool {
        self.id == DEFAULT_CLIENT
    }

    /// Returns the hashes of the client's keys, the newest last.
    pub fn keys(&self) -> &[KeyDigest] {
        self.api_key_sha256.as_deref().unwrap_or_default()
    }

    /// Returns whether a request from this client may name the AI `ai`.
    pub fn allows_ai(&self, ai: &str) -> bool {
        self.allowed_ais
            .as_ref()
            .is_none_or(|ais| ais.iter().any(|allowed| allowed == ai))
    }
}

/// Reads one `[client.ID]`.
pub(crate) fn read_client(
    table: &Table<'_>,
    known: &KnownAis<'_>,
    issues: &mut Issues<'_>,
) -> ClientSettings {
    check_id("a client", table, issues);
    let mut client = ClientSettings::read_table(table, issues);
    if table.name == DEFAULT_CLIENT && table.get("max_match_games").is_none() {
        client.max_match_games = Some(DEFAULT_CLIENTS_GAMES);
    }
    let own = table.text("ai").map(|id| ("ai", id, table.span_of("ai")));
    let allowed = table.texts("allowed_ais").filter(|(id, _)| !id.is_empty());
    let allowed = allowed.map(|(id, span)| ("allowed_ais", id, span));
    for (key, name, span) in own.into_iter().chain(allowed) {
        known.check_named(&table.path_of(key), name, &span, issues);
    }
    if !client.ai.is_empty() && !client.allows_ai(&client.ai) {
        let ai = shortened(&client.ai, 64);
        let message = format!(
            "`{}` does not contain `{ai}`, the client's AI",
            table.path_of("allowed_ais")
        );
        issues
            .missing(&table.span_of("allowed_ais"), &message)
            .allow(&format!(
                "a list that contains \"{ai}\" (default: every AI)"
            ));
    }
    if client.admin && table.get("api_key_sha256").is_none() {
        let message = format!(
            "`{}` is true, but the client has no key: every request with its name would have \
             admin rights",
            table.path_of("admin")
        );
        issues.at(&table.span_of("admin"), &message).allow(
            "true for a client with `api_key_sha256`; `rookery client add NAME` creates a key",
        );
    }
    if client.fleet_matches {
        check_fleet_matches(&client, table, known, issues);
    }
    client
}

/// Reports `fleet_matches` if there is no fleet or if `local_only` is set.
fn check_fleet_matches(
    client: &ClientSettings,
    table: &Table<'_>,
    known: &KnownAis<'_>,
    issues: &mut Issues<'_>,
) {
    let (path, span) = (
        table.path_of("fleet_matches"),
        table.span_of("fleet_matches"),
    );
    if !known.has_remote {
        let message = format!("`{path}` is true, but there is no [fleet]");
        issues
            .at(&span, &message)
            .allow("true only with a [fleet] whose nodes play matches");
    }
    if client.local_only {
        let message = format!("`{path}` is true, but `local_only` hides its games from all nodes");
        issues
            .at(&span, &message)
            .allow("either `fleet_matches` or `local_only`");
    }
}

/// Reports clients with the same key.
pub(crate) fn check_keys(
    tables: &[Table<'_>],
    clients: &BTreeMap<String, ClientSettings>,
    issues: &mut Issues<'_>,
) {
    let mut owners = BTreeMap::new();
    for table in tables {
        for digest in clients
            .get(table.name)
            .map_or(&[][..], ClientSettings::keys)
        {
            let Some(first) = owners.insert(digest.to_string(), table.name) else {
                continue;
            };
            let path = table.path_of("api_key_sha256");
            let message = if first == table.name {
                format!("`{path}` contains the same key twice")
            } else {
                format!("`{path}` is already used by [client.{first}]")
            };
            issues
                .at(&table.span_of("api_key_sha256"), &message)
                .allow("a different key for each client; `rookery client add NAME` creates one");
        }
    }
}
