//! Connections: their limit per address, and the deadlines of their requests.
//!
//! actix limits only the time for the head of a connection's first request, and it drains an unread
//! chunked body for as long as the client sends. So each connection has its own deadline, between
//! TLS and HTTP.

pub(crate) mod client_address;
pub(crate) mod progress;
pub(crate) mod table;
pub(crate) mod transport;

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};

use progress::RequestProgress;
use table::ConnectionSlot;
use transport::Transport;

/// A connection that closes when a request takes too long to arrive, or when its slot is given to
/// another connection.
pub(crate) struct Connection {
    transport: Transport,
    slot: ConnectionSlot,
    /// Wakes the task of the connection at the deadline or earlier.
    timer: Option<Pin<Box<Sleep>>>,
    /// Whether the bytes of a head must be parsed before more are read. actix keeps about a hundred
    /// heads, and each keeps its read buffer alive. That buffer should not contain parts of a body.
    awaits_parser: bool,
    /// How long a reply may stay unread, for transports on which the kernel does not limit it.
    send_timeout: Option<Duration>,
    /// The deadline for an unread reply.
    send_deadline: Option<Instant>,
}

/// Marks a connection as encrypted, in its `conn_data`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encrypted;

impl Connection {
    pub(crate) const fn is_encrypted(&self) -> bool {
        matches!(self.transport, Transport::Tls(_))
    }

    pub(crate) fn new(transport: Transport, slot: ConnectionSlot) -> Self {
        Self {
            transport,
            slot,
            timer: None,
            awaits_parser: false,
            send_timeout: None,
            send_deadline: None,
        }
    }

    /// Closes the connection when a reply stays unread for this long.
    pub(crate) fn with_send_timeout(self, timeout: Duration) -> Self {
        Self {
            send_timeout: Some(timeout),
            ..self
        }
    }

    /// Returns the progress of the current request.
    pub(crate) fn progress(&self) -> &Arc<RequestProgress> {
        self.slot.progress()
    }

    /// Fails if the connection must be closed; otherwise registers its task to be woken.
    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let arrival = self
            .slot
            .progress()
            .deadline(context)?
            .map(Instant::from_std);
        let Some(deadline) = arrival.into_iter().chain(self.send_deadline).min() else {
            return Ok(());
        };
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        // A timer with an earlier deadline is moved only when it fires: most requests are complete
        // by then.
        if timer.deadline() > deadline {
            timer.as_mut().reset(deadline);
        }
        while timer.as_mut().poll(context).is_ready() {
            if Instant::now() >= deadline {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "a request or its reply took too long",
                ));
            }
            timer.as_mut().reset(deadline);
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
            // actix parses, flushes (which clears the flag) and reads again.
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        ready!(self.transport.stream().poll_read(context, buffer))?;
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
        let written = self.transport.stream().poll_write(context, bytes);
        if written.is_ready() {
            self.send_deadline = None;
        } else if let (None, Some(timeout)) = (self.send_deadline, self.send_timeout) {
            self.send_deadline = Some(Instant::now() + timeout);
            self.check(context)?;
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check(context)?;
        self.awaits_parser = false;
        self.transport.stream().poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.transport.stream().poll_shutdown(context)
    }
}
