//! The byte stream of a connection, encrypted or not.

use std::{io, pin::Pin, sync::Arc, time::Duration};

use actix_web::rt::net::{TcpStream, UnixStream};
use rustls::ServerConfig;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::timeout,
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// The timeout of a TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);

/// A plain or encrypted stream.
pub(crate) trait ByteStream: AsyncRead + AsyncWrite + Unpin {}

impl<T: AsyncRead + AsyncWrite + Unpin> ByteStream for T {}

pub(crate) enum Transport {
    Plain(TcpStream),
    /// Boxed, because it is large.
    Tls(Box<TlsStream<TcpStream>>),
    Unix(UnixStream),
}

impl From<TcpStream> for Transport {
    fn from(stream: TcpStream) -> Self {
        Self::Plain(stream)
    }
}

impl From<UnixStream> for Transport {
    fn from(stream: UnixStream) -> Self {
        Self::Unix(stream)
    }
}

impl Transport {
    /// Performs the TLS handshake. Dropping the future closes the connection.
    ///
    /// # Errors
    /// The handshake fails or times out.
    pub(crate) async fn encrypted(
        stream: TcpStream,
        identity: Arc<ServerConfig>,
    ) -> io::Result<Self> {
        let handshake = TlsAcceptor::from(identity).accept(stream);
        let late = |_| io::Error::new(io::ErrorKind::TimedOut, "the TLS handshake took too long");
        Ok(Self::Tls(Box::new(
            timeout(HANDSHAKE_TIMEOUT, handshake)
                .await
                .map_err(late)??,
        )))
    }

    pub(crate) fn stream(&mut self) -> Pin<&mut dyn ByteStream> {
        match self {
            Self::Plain(stream) => Pin::new(stream),
            Self::Tls(stream) => Pin::new(stream),
            Self::Unix(stream) => Pin::new(stream),
        }
    }
}
