//! `[server]`.

use std::collections::BTreeSet;

use crate::{
    issue::Issues,
    kinds::{ItemError, List, allowed_text, choice, integer, number, parsed},
    listen_address::{ListenAddress, file_mode, listen_addresses, shown_mode},
    origin::{host_name, is_host_name, is_origin},
    section::{IntoField as _, Section as _, section},
    table::Table,
    tls::{TlsSettings, TlsTable},
    trusted_proxies::{Network, TrustedProxies},
};

/// The allowed values of addresses to listen on.
const ADDRESSES: &str = "an IP address and a port, such as \"127.0.0.1:8080\" or \"[::1]:8080\", \
                         or a Unix socket, such as \"unix:/run/rookery/rookery.sock\"; or a list \
                         of them";

section! {
    /// `[server]`: addresses, connections and requests.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ServerSettings {
        /// The addresses to listen on, where port 0 means any free port. `[::]` includes IPv4,
        /// unless the list has an IPv4 address with the same port.
        listen: Vec<ListenAddress> = listen_addresses(ADDRESSES)
            .or(vec![ListenAddress::Tcp(([127, 0, 0, 1], 8080).into())]),
        /// Addresses for operators, which answer every call. If set, only they serve `/metrics` and
        /// the calls that need `admin = true`.
        admin_listen: Option<Vec<ListenAddress>> = listen_addresses(ADDRESSES)
            .optional("`listen` answers all calls")
            .example("\"127.0.0.1:9090\""),
        /// The mode of Unix socket files. To connect, a process needs write permission.
        socket_mode: u32 = parsed(
            "a file mode in octal digits, such as \"0660\"",
            file_mode,
            shown_mode,
        )
        .or(0o660),
        /// The host names that clients may use to reach the server, in addition to IP addresses and
        /// `localhost`. Other names get 421 `host_not_allowed`.
        allowed_hosts: BTreeSet<String> = List::new(
            "a list of host names without a port, such as [\"chess.example\"]",
            |text, _| allowed_text(text, is_host_name).map(|text| host_name(&text)),
            String::clone,
        ).or(BTreeSet::new()),
        /// The proxies whose `Forwarded` or `X-Forwarded-For` header names the client's address.
        trusted_proxies: TrustedProxies = List::new(
            "a list of IP addresses and networks, such as [\"127.0.0.1\", \"10.0.0.0/8\", \
             \"fd00::/8\"]",
            |text, _| Network::parse(text).ok_or(ItemError::Value),
            Network::to_string,
        ).or(TrustedProxies::default()),
        /// The maximum size of a request body. A game of 200 moves, sent as boards, takes about
        /// 80 kB.
        max_body_bytes: usize = number(1024..=64 << 20).or(1 << 20),
        /// The maximum size of all bodies in flight, of which one address may use an eighth. Beyond
        /// it, requests get 503 `server_busy`.
        max_body_bytes_total: usize = number(8192..=1 << 40)
            .derived(0, "64 times `max_body_bytes`")
            .example("67108864"),
        /// How long a request's body may take to arrive. A slower request gets 408
        /// `request_timeout`.
        body_timeout_ms: u64 = number(1..=600_000).or(10_000),
        /// The minimum average rate of a body after its first 5 seconds; 0 means no minimum. A
        /// slower request gets 408.
        min_body_bytes_per_s: u64 = number(0..=1 << 30).or(1024),
        /// The maximum number of connections from one address or IPv6 /64 network. A further
        /// connection replaces the one that has been idle longest, or else the slowest request.
        max_connections_per_address: usize = number(1..=1_000_000).or(256),
        /// How long a reply may stay unread before the server closes the connection.
        send_timeout_ms: u64 = number(100..=600_000).or(30_000),
        /// The maximum length of a game in plies.
        max_plies: usize = number(1..=20_000).or(2000),
        /// The maximum time for a report. Each position gets an even share of the remaining time.
        report_timeout_ms: u64 = number(1000..=3_600_000).or(300_000),
        /// The origins whose web pages may call the server from a browser.
        cors_origins: Vec<String> = List::new(
            "a list of origins as browsers send them, such as [\"https://chess.example\"], or \
             [\"*\"] for all",
            |text, _| allowed_text(text, is_origin),
            String::clone,
        ).or(Vec::new()),
        /// Which clients may read `/metrics`: all (`open`), clients with `admin = true` (`admin`)
        /// or none (`off`).
        metrics: MetricsAccess = choice().or(MetricsAccess::Open),
        /// The memory for the latest requests, for `GET /v1/requests/{request_id}` and `rookery
        /// replay`. They contain clients' games.
        replay_kb: usize = number(0..=1 << 20).or(0),
        /// Which clients get a cached answer to an identical request: the one that asked first
        /// (`client`), all (`shared`) or none (`off`). With `shared`, reply times reveal what
        /// others asked.
        cache: CacheScope = choice().or(CacheScope::Client),
        /// The memory for cached answers. The least used are dropped first.
        cache_mb: u64 = number(0..=1 << 20).or(64),
        /// How long the server keeps answering after SIGTERM, but not after Ctrl-C, while `/readyz`
        /// returns 503. Set it to your load balancer's health check interval.
        drain_delay_ms: u64 = number(0..=600_000).or(1000),
        /// How long running requests may take to finish after `drain_delay_ms` or after Ctrl-C.
        shutdown_grace_ms: u64 = number(0..=600_000).or(10_000),
        /// TLS in the server itself.
        tls: Option<TlsSettings> = TlsTable,
    }
}

/// Which clients get a cached answer.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, strum::VariantArray, strum::IntoStaticStr, strum::EnumString,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum CacheScope {
    /// The client that asked first.
    Client,
    /// Every client.
    Shared,
    /// None: no answers are cached.
    Off,
}

/// Which clients may read `/metrics`.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, strum::VariantArray, strum::IntoStaticStr, strum::EnumString,
)]
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
        let message = format!(
            "`{key}` is {number}, but `max_body_bytes` is {}",
            server.max_body_bytes
        );
        issues.at(&total.span(), &message).allow(&format!(
            "at least 8 times `max_body_bytes` (here {minimum}), because one address may hold an \
             eighth of it"
        ));
    }
    if server.max_body_bytes_total == 0 {
        server.max_body_bytes_total = 8 * minimum;
    }
    server.max_body_bytes_total = server.max_body_bytes_total.max(minimum);
    server
}
