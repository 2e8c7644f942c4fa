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
        /// The addresses to listen on, in a flag or variable separated by commas; port 0 picks a
        /// free port. `[::]` takes IPv4 too, unless an IPv4 address with the same port is listed.
        /// By default only this machine can reach the server. Before others can (`0.0.0.0:8080`),
        /// give each client a key, remove `[client.default]`, set `metrics` to `admin`, and set
        /// `[server.tls]` or use a TLS proxy, so that keys are encrypted. A Unix socket, such as
        /// `unix:/run/rookery/rookery.sock`, has no TLS and counts as a trusted proxy.
        listen: Vec<ListenAddress> = listen_addresses(ADDRESSES)
            .or(vec![ListenAddress::Tcp(([127, 0, 0, 1], 8080).into())]),
        /// Further addresses, for operators. With them `/metrics` and the calls that only clients
        /// with `admin = true` may make are answered there and not at `listen`; the others are
        /// answered at both.
        admin_listen: Option<Vec<ListenAddress>> = listen_addresses(ADDRESSES)
            .optional("`listen` answers all calls")
            .example("\"127.0.0.1:9090\""),
        /// The mode of the files of Unix sockets: who may connect needs the right to write.
        socket_mode: u32 = parsed(
            "a file mode in octal digits, such as \"0660\"",
            file_mode,
            shown_mode,
        )
        .or(0o660),
        /// The names under which clients reach the server, besides IP addresses and `localhost`;
        /// requests for other names are rejected, because a web page could read the replies by
        /// pointing its own name at this machine (DNS rebinding). A proxy that passes the client's
        /// `Host` header on needs that name here.
        allowed_hosts: BTreeSet<String> = List::new(
            "a list of host names without a port, such as [\"chess.example\"]",
            |text, _| allowed_text(text, is_host_name).map(|text| host_name(&text)),
            String::clone,
        ).or(BTreeSet::new()),
        /// The proxies whose `Forwarded` and `X-Forwarded-For` headers name the address of a
        /// client. They can claim any address, so none is trusted by default.
        trusted_proxies: TrustedProxies = List::new(
            "a list of IP addresses and networks, such as [\"127.0.0.1\", \"10.0.0.0/8\", \
             \"fd00::/8\"]",
            |text, _| Network::parse(text).ok_or(ItemError::Value),
            Network::to_string,
        ).or(TrustedProxies::default()),
        /// The maximum size of a request body. The default is enough for the longest games: 200
        /// moves as boards take about 80 kB.
        max_body_bytes: usize = number(1024..=64 << 20).or(1 << 20),
        /// The maximum size of all request bodies that are arriving; one address may hold an eighth
        /// of it, which must be enough for one body. A body that would exceed it is rejected (503
        /// `server_busy`) with `Retry-After`. The default allows more uploads at a time than a
        /// machine can answer.
        max_body_bytes_total: usize = number(8192..=1 << 40)
            .derived(0, "64 times `max_body_bytes`")
            .example("67108864"),
        /// How long the body of a request may take to arrive; a slower request is rejected (408
        /// `request_timeout`). The default is enough for the largest body over a slow line, and too
        /// short to keep connections open with requests that never finish.
        body_timeout_ms: u64 = number(1..=600_000).or(10_000),
        /// The minimum average rate at which a body must arrive after its first 5 seconds; 0 is no
        /// minimum. A slower body is rejected (408 `request_timeout`). The default is slower than
        /// any line in use.
        min_body_bytes_per_s: u64 = number(0..=1 << 30).or(1024),
        /// The maximum number of connections of one address; an IPv6 address counts with its /64
        /// network. The next connection replaces the one that has been idle the longest, or else
        /// the slowest request. The default is more than a browser or a busy program opens, and too
        /// few to exhaust the file descriptors.
        max_connections_per_address: usize = number(1..=1_000_000).or(256),
        /// How long a response may stay unread before its connection is closed. A client that never
        /// reads must not hold memory forever; a connection that is down for a moment recovers in
        /// less than the default.
        send_timeout_ms: u64 = number(100..=600_000).or(30_000),
        /// The maximum length of a game in half-moves. The longest serious game had 538; the
        /// default leaves room for games between machines.
        max_plies: usize = number(1..=20_000).or(2000),
        /// The maximum time for a game report. Each position gets an even share of the remaining
        /// time, so a long game is analysed less deeply. With one worker the default allows two
        /// seconds per position in a game of 75 moves.
        report_timeout_ms: u64 = number(1000..=3_600_000).or(300_000),
        /// The origins whose web pages may call the server from a browser. None by default: a page
        /// that a user happens to visit must not use the server in the user's name.
        cors_origins: Vec<String> = List::new(
            "a list of origins as browsers send them, such as [\"https://chess.example\"], or \
             [\"*\"] for all",
            |text, _| allowed_text(text, is_origin),
            String::clone,
        ).or(Vec::new()),
        /// Who may read `/metrics`: everyone (`open`), clients with `admin = true` (`admin`) or no
        /// one (`off`). Metrics contain numbers and ids of AIs, no clients and no games. Set it to
        /// `admin` before strangers can reach the server.
        metrics: MetricsAccess = choice().or(MetricsAccess::Open),
        /// The memory for the latest requests that asked an AI, which clients with `admin = true`
        /// get by `GET /v1/requests/ID` and `rookery replay` asks again; the oldest are forgotten
        /// first. They contain the games of all clients, so the default, 0, keeps none.
        replay_kb: usize = number(0..=1 << 20).or(0),
        /// Who gets the kept answer of an equal request: the client that caused it (`client`),
        /// every client (`shared`), or no one (`off`). Answers are kept if a search has only one:
        /// the AI does not declare `varies`, and depth, nodes or mate bound the search. Equal
        /// requests at the same time share one search. With `shared` the times of replies tell what
        /// others asked.
        cache: CacheScope = choice().or(CacheScope::Client),
        /// The memory for kept answers; the least used are forgotten first, and 0 keeps none.
        cache_mb: u64 = number(0..=1 << 20).or(64),
        /// How long the server keeps answering after SIGTERM while `/readyz` already reports 503. A
        /// load balancer chooses another server in this time; set it to the interval of its health
        /// checks. Ctrl-C skips it.
        drain_delay_ms: u64 = number(0..=600_000).or(1000),
        /// How long running requests may take to finish after that, or after Ctrl-C. The default is
        /// that of `move_timeout_ms`, so that running searches can finish.
        shutdown_grace_ms: u64 = number(0..=600_000).or(10_000),
        /// TLS in the server itself.
        tls: Option<TlsSettings> = TlsTable,
    }
}

/// Which clients get a kept answer.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, strum::VariantArray, strum::IntoStaticStr, strum::EnumString,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum CacheScope {
    /// The one that caused it.
    Client,
    /// Every client.
    Shared,
    /// None: no answer is kept.
    Off,
}

/// Who may read `/metrics`.
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
            "at least 8 times `max_body_bytes`, here {minimum}, since one address may hold an \
             eighth of it"
        ));
    }
    if server.max_body_bytes_total == 0 {
        server.max_body_bytes_total = 8 * minimum;
    }
    server.max_body_bytes_total = server.max_body_bytes_total.max(minimum);
    server
}
