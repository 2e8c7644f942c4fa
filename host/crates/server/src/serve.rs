//! Accepts connections and serves their requests.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use actix_http::{HttpService, error::DispatchError};
use actix_service::{ServiceFactory, ServiceFactoryExt as _, fn_service, map_config};
use actix_web::{
    dev::{AppConfig, Server},
    rt::net::{TcpStream, UnixStream},
};
use rustix::net::sockopt::set_tcp_user_timeout;

use crate::{
    app::create_app,
    catalog::Catalog,
    connection::{
        Connection, Encrypted, client_address::ClientAddress, progress::HEAD_TIMEOUT,
        table::ConnectionSlot, transport::Transport,
    },
    listener::{ListeningSocket, Scope, Socket},
    state::server_state::ServerState,
};
use config::{ServerSettings, TlsSettings};

/// How long a connection waits for its next request, for example while a person thinks about a
/// move. It is longer than the timeout of common proxies, so that they close their connections
/// first.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// How long a client may take to close its side of a connection after the server has closed it.
const CLOSING_TIMEOUT: Duration = Duration::from_secs(1);

/// The number of threads, and of connections per thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    pub threads: usize,
    /// The maximum number of connections of each thread. Further connections wait in the kernel, so
    /// that file descriptors remain for workers, libraries and logs.
    pub connections_each: usize,
}

/// Serves the connections of these sockets until the returned server is stopped. Running requests
/// then have `shutdown_grace` to finish.
///
/// # Errors
/// A socket cannot be used.
pub fn serve(
    listeners: impl IntoIterator<Item = ListeningSocket>,
    state: &ServerState,
    catalog: &Catalog,
    capacity: Capacity,
    shutdown_grace: Duration,
) -> io::Result<Server> {
    let mut builder = Server::build()
        .disable_signals()
        .workers(capacity.threads)
        .max_concurrent_connections(capacity.connections_each)
        .shutdown_timeout(shutdown_grace.as_secs().max(1));
    let stopping = builder.graceful_shutdown_signal();
    let tls = state.service().config().server.tls.clone();
    for ListeningSocket { socket, scope } in listeners {
        let acceptor = Acceptor {
            state: state.clone(),
            catalog: catalog.clone(),
            tls: tls.clone(),
            scope,
        };
        let stopping = stopping.clone();
        let stopped = move || {
            let stopping = stopping.clone();
            async move { stopping.notified().await }
        };
        builder = match socket {
            Socket::Tcp(socket) => builder.listen("http", socket, move || {
                service::<TcpStream, _>(acceptor.clone(), stopped.clone())
            }),
            Socket::Unix(socket) => builder.listen_uds("http", socket, move || {
                service::<UnixStream, _>(acceptor.clone(), stopped.clone())
            }),
        }?;
    }
    Ok(builder.run())
}

/// Creates the service of a socket's connections.
fn service<S: Into<Transport> + 'static, F: Future<Output = ()> + 'static>(
    acceptor: Acceptor,
    stopped: impl Fn() -> F + Clone + 'static,
) -> impl ServiceFactory<S, Config = (), InitError = ()> {
    let scope = acceptor.scope;
    let app = map_config(
        create_app(acceptor.state.clone(), &acceptor.catalog),
        |()| AppConfig::default(),
    );
    let http = HttpService::build()
        .graceful_shutdown_signal(stopped)
        .keep_alive(KEEP_ALIVE)
        .client_request_timeout(HEAD_TIMEOUT)
        .client_disconnect_timeout(CLOSING_TIMEOUT)
        // Otherwise a disconnected client would keep its slot until the reply is complete. Closing
        // the connection drops the handler, which cancels the search. A half-closed connection
        // looks like a disconnected client.
        .h1_allow_half_closed(false)
        .on_connect_ext(move |connection: &Connection, data| {
            data.insert(Arc::clone(connection.progress()));
            data.insert(scope);
            if connection.is_encrypted() {
                data.insert(Encrypted);
            }
        })
        .h1(app);
    fn_service(move |stream: S| {
        let (acceptor, transport) = (acceptor.clone(), stream.into());
        async move { acceptor.admit(transport).await.map_err(DispatchError::Io) }
    })
    .and_then(http)
}

#[derive(Clone)]
struct Acceptor {
    state: ServerState,
    catalog: Catalog,
    /// The certificate at startup; `None` if connections are not encrypted. A reload cannot turn
    /// encryption on or off.
    tls: Option<TlsSettings>,
    scope: Scope,
}

impl Acceptor {
    /// Admits a connection if its address is within its limit. Returns the connection with its
    /// address, if it has one. Dropping the future closes the connection.
    async fn admit(&self, accepted: Transport) -> io::Result<(Connection, Option<SocketAddr>)> {
        let service = self.state.service();
        let settings = &service.config().server;
        let stream = match accepted {
            Transport::Unix(stream) => {
                let own = rustix::process::getpid().as_raw_pid();
                if self.scope == Scope::Own && stream.peer_cred()?.pid() != Some(own) {
                    return Err(io::ErrorKind::PermissionDenied.into());
                }
                // A Unix socket has no limit, like a trusted proxy.
                let slot = self.state.connections.acquire_unlimited();
                let send_timeout = Duration::from_millis(settings.send_timeout_ms);
                let connection =
                    Connection::new(Transport::Unix(stream), slot).with_send_timeout(send_timeout);
                return Ok((connection, None));
            }
            Transport::Plain(stream) => stream,
            Transport::Tls(_) => unreachable!("sockets have plain streams"),
        };
        let peer = stream.peer_addr()?;
        let slot = self.slot(peer.ip(), settings)?;
        // Both calls fail only if the connection is closed.
        let _ = stream.set_nodelay(true);
        let send_timeout_ms = u32::try_from(settings.send_timeout_ms).unwrap_or(u32::MAX);
        let _ = set_tcp_user_timeout(&stream, send_timeout_ms);
        let Some(first) = &self.tls else {
            return Ok((Connection::new(Transport::Plain(stream), slot), Some(peer)));
        };
        let identity = settings.tls.as_ref().unwrap_or(first).identity();
        // Released before the handshake, so that it does not keep a replaced configuration and its
        // AIs alive.
        drop(service);
        // Boxed to keep the future of unencrypted connections small.
        let handshake = Box::pin(Transport::encrypted(stream, identity));
        let transport = tokio::select! {
            encrypted = handshake => encrypted?,
            () = slot.progress().evicted() => return Err(io::ErrorKind::ConnectionAborted.into()),
        };
        Ok((Connection::new(transport, slot), Some(peer)))
    }

    fn slot(&self, peer: IpAddr, settings: &ServerSettings) -> io::Result<ConnectionSlot> {
        let client = ClientAddress::of_peer(peer, &settings.trusted_proxies);
        if client.is_exempt() {
            return Ok(self.state.connections.acquire_unlimited());
        }
        let most = settings.max_connections_per_address;
        self.state
            .connections
            .acquire(client.network(), most)
            .ok_or_else(|| {
                tracing::debug!(
                    most,
                    "rejected a connection; all connections from its address have a running request"
                );
                io::Error::new(
                    io::ErrorKind::ConnectionRefused,
                    "too many connections from one address",
                )
            })
    }
}
