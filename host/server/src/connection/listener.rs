//! From a listening socket to requests.

use std::{
    io,
    net::{IpAddr, TcpListener},
    sync::Arc,
    time::Duration,
};

use actix_http::{HttpService, error::DispatchError};
use actix_service::{ServiceFactoryExt as _, fn_service, map_config};
use actix_web::{
    dev::{AppConfig, Server},
    rt::net::TcpStream,
};
use rustix::net::sockopt::set_tcp_user_timeout;

use super::{Connection, Encrypted, progress::HEAD_TIMEOUT, table::Place, transport::Transport};
use crate::{app::create_app, client_address::ClientAddress, service::Service};
use config::{ServerSettings, TlsSettings};

/// How long a client may take to close its side of a connection after the server has.
const CLOSING_TIMEOUT: Duration = Duration::from_secs(1);

/// The threads that serve, and how many connections each of them holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Threads.
    pub threads: usize,
    /// Connections of each thread. Further ones wait in the kernel: they do not take the descriptors that workers, libraries
    /// and logs need.
    pub connections_each: usize,
}

/// Serves the connections of a socket until the server that is returned is stopped; then requests have `shutdown_grace` to
/// be answered.
///
/// # Errors
/// The socket cannot be used.
pub fn serve(
    listener: TcpListener,
    service: &Service,
    capacity: Capacity,
    shutdown_grace: Duration,
) -> io::Result<Server> {
    let builder = Server::build()
        .disable_signals()
        .workers(capacity.threads)
        .max_concurrent_connections(capacity.connections_each)
        .shutdown_timeout(shutdown_grace.as_secs().max(1));
    let stopping = builder.graceful_shutdown_signal();
    let tls = service.game().config().server.tls.clone();
    let entrance = Entrance { service: service.clone(), tls };
    let builder = builder.listen("http", listener, move || {
        let (stopping, entrance) = (stopping.clone(), entrance.clone());
        let app = map_config(create_app(entrance.service.clone()), |()| AppConfig::default());
        let http = HttpService::build()
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .client_request_timeout(HEAD_TIMEOUT)
            .client_disconnect_timeout(CLOSING_TIMEOUT)
            // Else a client that is gone would hold its place until the reply is made. With it goes the handler, and so the
            // search. A client that has closed its half alone cannot be told from one that is gone.
            .h1_allow_half_closed(false)
            .on_connect_ext(|connection: &Connection, data| {
                data.insert(Arc::clone(connection.progress()));
                if connection.is_encrypted() {
                    data.insert(Encrypted);
                }
            })
            .h1(app);
        fn_service(move |stream: TcpStream| {
            let entrance = entrance.clone();
            async move {
                let peer = stream.peer_addr().map_err(DispatchError::Io)?;
                Ok((entrance.admit(stream, peer.ip()).await.map_err(DispatchError::Io)?, Some(peer)))
            }
        })
        .and_then(http)
    })?;
    Ok(builder.run())
}

/// Where connections come in.
#[derive(Clone)]
struct Entrance {
    service: Service,
    /// The certificate that the server started with; none where connections are not encrypted, for as long as it runs.
    tls: Option<TlsSettings>,
}

impl Entrance {
    /// Admits a connection within the bounds of its address.
    async fn admit(&self, stream: TcpStream, peer: IpAddr) -> io::Result<Connection> {
        let game = self.service.game();
        let settings = &game.config().server;
        let place = self.place(peer, settings)?;
        // A connection that is closed already needs neither.
        let _ = stream.set_nodelay(true);
        let send_timeout_ms = u32::try_from(settings.send_timeout_ms).unwrap_or(u32::MAX);
        let _ = set_tcp_user_timeout(&stream, send_timeout_ms);
        let Some(first) = &self.tls else { return Ok(Connection::new(Transport::Plain(stream), place)) };
        let identity = settings.tls.as_ref().unwrap_or(first).identity();
        // A handshake keeps neither the settings nor the AIs of a configuration that was replaced.
        drop(game);
        // Boxed, since each connection that is not encrypted would have room for it.
        let handshake = Box::pin(Transport::encrypted(stream, identity));
        let transport = tokio::select! {
            encrypted = handshake => encrypted?,
            () = place.progress().evicted() => return Err(io::ErrorKind::ConnectionAborted.into()),
        };
        Ok(Connection::new(transport, place))
    }

    fn place(&self, peer: IpAddr, settings: &ServerSettings) -> io::Result<Place> {
        let client = ClientAddress::of_peer(peer, &settings.trusted_proxies);
        if client.is_exempt() {
            return Ok(self.service.connections.enter_unbounded());
        }
        let most = settings.max_connections_per_address;
        self.service.connections.enter(client.network(), most).ok_or_else(|| {
            tracing::debug!(most, "refused a connection: every connection of its address is being answered");
            io::Error::new(io::ErrorKind::ConnectionRefused, "too many connections of one address")
        })
    }
}
