//! The byte stream of a connection, encrypted or not.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use actix_web::rt::net::TcpStream;
use rustls::ServerConfig;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::timeout,
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// The timeout of a TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);

pub(super) enum Transport {
    Plain(TcpStream),
    /// Boxed, because it is large.
    Tls(Box<TlsStream<TcpStream>>),
}

impl Transport {
    /// Performs the TLS handshake. Dropping the future closes the connection.
    ///
    /// # Errors
    /// The handshake fails or times out.
    pub(super) async fn encrypted(stream: TcpStream, identity: Arc<ServerConfig>) -> io::Result<Self> {
        let handshake = TlsAcceptor::from(identity).accept(stream);
        let late = |_| io::Error::new(io::ErrorKind::TimedOut, "the TLS handshake took too long");
        Ok(Self::Tls(Box::new(timeout(HANDSHAKE_TIMEOUT, handshake).await.map_err(late)??)))
    }
}

impl AsyncRead for Transport {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Transport {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(context),
            Self::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
