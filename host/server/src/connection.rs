//! Connections: how many each address may have, and how long a request may take to arrive.
//!
//! actix bounds the head of the first request of a connection and nothing else, and it drains a chunked body that nobody
//! reads for as long as the client sends. So each connection carries its own deadline, here, beneath HTTP and above TLS.

mod listener;
mod progress;
mod receive;
mod table;
mod transport;

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};

pub use listener::{Capacity, serve};
pub(super) use progress::RequestProgress;
pub(super) use receive::receive;
pub(super) use table::ConnectionTable;
use table::Place;
use transport::Transport;

/// A connection that closes itself when a request takes too long to arrive, or when its place is given to another one.
pub(super) struct Connection {
    transport: Transport,
    place: Place,
    /// Wakes the connection's task at the deadline, or before.
    alarm: Option<Pin<Box<Sleep>>>,
    /// Whether what has been read of a head is parsed before more is read. The headers share the buffer that they were read
    /// into, and actix keeps some hundred of them: with the first part of a body in it, it would be a large one.
    awaits_parser: bool,
}

/// Stands in the data of a connection that speaks TLS.
#[derive(Clone, Copy, Debug)]
pub(super) struct Encrypted;

impl Connection {
    const fn is_encrypted(&self) -> bool {
        matches!(self.transport, Transport::Tls(_))
    }

    fn new(transport: Transport, place: Place) -> Self {
        Self { transport, place, alarm: None, awaits_parser: false }
    }

    /// How far the request of this connection has come.
    fn progress(&self) -> &Arc<RequestProgress> {
        self.place.progress()
    }

    /// Fails where the connection must be closed; otherwise has its task woken when that changes.
    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let Some(deadline) = self.place.progress().deadline(context)? else { return Ok(()) };
        let deadline = Instant::from_std(deadline);
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        // An alarm that is set for an earlier deadline is moved when it goes off: most requests are whole by then.
        if alarm.deadline() > deadline {
            alarm.as_mut().reset(deadline);
        }
        while alarm.as_mut().poll(context).is_ready() {
            if Instant::now() >= deadline {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "the request took too long to arrive"));
            }
            alarm.as_mut().reset(deadline);
        }
        Ok(())
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(context)?;
        if self.awaits_parser {
            // The parser runs before the flush that ends this, and reads again.
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.transport).poll_read(context, buffer))?;
        if buffer.filled().len() > before {
            let is_head = self.progress().bytes_arrived();
            self.awaits_parser = is_head && buffer.remaining() == 0;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.transport).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check(context)?;
        self.awaits_parser = false;
        Pin::new(&mut self.transport).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_shutdown(context)
    }
}
