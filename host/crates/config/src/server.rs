//! `[server]`.

use std::{collections::BTreeSet, net::SocketAddr};

use crate::{
    issue::Issues,
    kinds::{ItemError, List, allowed_text, choice, integer, number, text},
    origin::{host_name, is_host_name, is_origin},
    section::{IntoField as _, Section as _, section},
    table::Table,
    tls::{TlsSettings, TlsTable},
    trusted_proxies::{Network, TrustedProxies},
};

section! {
    /// `[server]`: addresses, connections and requests.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ServerSettings {
        /// The address to listen on; port 0 picks a free port.
        listen: SocketAddr = text("an IP address and a port, such as \"127.0.0.1:8080\" or \"[::1]:8080\"; port 0 picks a free one")
            .or(([127, 0, 0, 1], 8080).into()),
        /// The names under which clients reach the server, besides IP addresses and `localhost`; requests for other names are
        /// rejected.
        allowed_hosts: BTreeSet<String> = List::new(
            "a list of host names without a port, such as [\"chess.example\"]",
            |text, _| allowed_text(text, is_host_name).map(|text| host_name(&text)),
            String::clone,
        ).or(BTreeSet::new()),
        /// The proxies whose `Forwarded` and `X-Forwarded-For` headers name the address of a client.
        trusted_proxies: TrustedProxies = List::new(
            "a list of IP addresses and networks, such as [\"127.0.0.1\", \"10.0.0.0/8\", \"fd00::/8\"]",
            |text, _| Network::parse(text).ok_or(ItemError::Value),
            Network::to_string,
        ).or(TrustedProxies::default()),
        /// The maximum size of a request body.
        max_body_bytes: usize = number(1024..=64 << 20).or(1 << 20),
        /// The maximum size of all request bodies that are arriving; one address may hold an eighth of it, which must be
        /// enough for one body.
        max_body_bytes_total: usize = number(8192..=1 << 40).derived(0, "64 times `max_body_bytes`"),
        /// How long the body of a request may take to arrive.
        body_timeout_ms: u64 = number(1..=600_000).or(10_000),
        /// The minimum average rate at which a body must arrive after its first 5 seconds; 0 is no minimum.
        min_body_bytes_per_s: u64 = number(0..=1 << 30).or(1024),
        /// The maximum number of connections of one address.
        max_connections_per_address: usize = number(1..=1_000_000).or(256),
        /// How long a response may stay unread before its connection is closed.
        send_timeout_ms: u64 = number(100..=600_000).or(30_000),
        /// The maximum length of a game in half-moves.
        max_plies: usize = number(1..=20_000).or(2000),
        /// How long the report of a whole game may take.
        report_timeout_ms: u64 = number(1000..=3_600_000).or(300_000),
        /// The origins whose web pages may call the server from a browser.
        cors_origins: Vec<String> = List::new(
            "a list of origins as browsers send them, such as [\"https://chess.example\"], or [\"*\"] for all",
            |text, _| allowed_text(text, is_origin),
            String::clone,
        ).or(Vec::new()),
        /// Who may read `/metrics`: everyone (`open`), clients with `admin = true` (`admin`) or no one (`off`).
        metrics: MetricsAccess = choice().or(MetricsAccess::Open),
        /// How long the server keeps answering after SIGTERM while `/readyz` already reports 503.
        drain_delay_ms: u64 = number(0..=600_000).or(1000),
        /// How long running requests may take to finish after that.
        shutdown_grace_ms: u64 = number(0..=600_000).or(10_000),
        /// TLS in the server itself.
        tls: Option<TlsSettings> = TlsTable,
    }
}

/// Who may read `/metrics`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::VariantArray, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum MetricsAccess {
    /// Everyone.
    Open,
    /// Clients with `admin = true`.
    Admin,
    /// No one: the path does not exist.
    Off,
}

/// Reads `[server]`.
pub(crate) fn read_server(table: &Table<'_>, issues: &mut Issues<'_>) -> ServerSettings {
    let mut server = ServerSettings::read_table(table, issues);
    let minimum = 8 * server.max_body_bytes;
    let total = table.get("max_body_bytes_total");
    if let Some((total, number)) = total.and_then(|total| Some((total, integer(total.get_ref())?)))
        && number < minimum as i64
        && !issues.any_at(&total.span())
    {
        let key = table.path_of("max_body_bytes_total");
        let message = format!("`{key}` is {number}, but `max_body_bytes` is {}", server.max_body_bytes);
        issues.at(&total.span(), &message).allow(&format!(
            "at least 8 times `max_body_bytes`, here {minimum}, since one address may hold an eighth of it"
        ));
    }
    if server.max_body_bytes_total == 0 {
        server.max_body_bytes_total = 8 * minimum;
    }
    server.max_body_bytes_total = server.max_body_bytes_total.max(minimum);
    server
}
