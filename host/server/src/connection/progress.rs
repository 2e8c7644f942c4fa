//! How far the request of a connection has come. The connection sees bytes, the middleware sees requests; each reports here
//! what the other one cannot know.

use std::{
    future::poll_fn,
    io,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

/// How long the head of a request may take to arrive. actix has the same bound for the first request of a connection.
pub(super) const HEAD_TIMEOUT: Duration = Duration::from_secs(5);

/// The progress of one connection's current request.
#[derive(Debug)]
pub(crate) struct RequestProgress(Mutex<State>);

#[derive(Debug)]
struct State {
    phase: Phase,
    /// Whether another connection has been given the place of this one.
    is_evicted: bool,
    task: Option<Waker>,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The connection is open and has received nothing.
    New { since: Instant },
    /// The last request has been answered, and no other one has begun.
    Idle { since: Instant },
    /// The first byte of a head has arrived, and its end has not been seen.
    Head { since: Instant },
    /// The head has been read, and the end of the body has not been seen. A reply may have been sent.
    Body { since: Instant, deadline: Instant, is_answering: bool },
    /// The whole request has been read, and the reply has not been sent.
    Answering,
}

/// How readily a connection gives way to another one; the least is first.
pub(super) type EvictionOrder = (bool, Instant);

impl RequestProgress {
    /// The progress of a new connection.
    pub(super) fn new() -> Self {
        Self(Mutex::new(State { phase: Phase::New { since: Instant::now() }, is_evicted: false, task: None }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection has received bytes. Returns whether they may be part of a head.
    pub(super) fn bytes_arrived(&self) -> bool {
        let mut state = self.state();
        // While a reply is made they belong to the next request, whose time begins when it can be read.
        if let Phase::New { .. } | Phase::Idle { .. } = state.phase {
            state.phase = Phase::Head { since: Instant::now() };
        }
        matches!(state.phase, Phase::Head { .. })
    }

    /// The head of a request has been read. The rest of it may take until `time_allowed` after its first byte.
    pub(super) fn head_read(&self, has_body: bool, time_allowed: Duration) {
        let mut state = self.state();
        state.phase = if has_body {
            let since = match state.phase {
                Phase::Head { since } => since,
                _ => Instant::now(),
            };
            Phase::Body { since, deadline: since + time_allowed, is_answering: true }
        } else {
            Phase::Answering
        };
    }

    /// The end of the body has been read.
    pub(super) fn body_read(&self) {
        let mut state = self.state();
        if let Phase::Body { is_answering, .. } = state.phase {
            state.phase = if is_answering { Phase::Answering } else { Phase::Idle { since: Instant::now() } };
        }
    }

    /// The reply has been handed over to the connection, or given up.
    pub(super) fn answered(&self) {
        let mut state = self.state();
        match &mut state.phase {
            Phase::Body { is_answering, .. } => *is_answering = false,
            phase => *phase = Phase::Idle { since: Instant::now() },
        }
    }

    /// When the request began whose body is being read.
    pub(crate) fn body_since(&self) -> Option<Instant> {
        match self.state().phase {
            Phase::Body { since, .. } => Some(since),
            _ => None,
        }
    }

    /// Until when the request must have arrived. None where nothing is awaited in time. The task of this call is woken when
    /// the connection loses its place.
    ///
    /// # Errors
    /// The connection has lost its place.
    pub(super) fn deadline(&self, context: &Context<'_>) -> io::Result<Option<Instant>> {
        let mut state = self.state();
        if state.is_evicted {
            return Err(io::Error::new(
                io::ErrorKind::ConnectionAborted,
                "the place was given to another connection",
            ));
        }
        match &mut state.task {
            Some(task) => task.clone_from(context.waker()),
            None => state.task = Some(context.waker().clone()),
        }
        Ok(match state.phase {
            Phase::Head { since } => Some(since + HEAD_TIMEOUT),
            Phase::Body { deadline, .. } => Some(deadline),
            // actix closes a connection on which nothing comes.
            Phase::New { .. } | Phase::Idle { .. } | Phase::Answering => None,
        })
    }

    /// Resolves when the connection loses its place.
    pub(super) async fn evicted(&self) {
        poll_fn(|context| match self.deadline(context) {
            Err(_) => Poll::Ready(()),
            Ok(_) => Poll::Pending,
        })
        .await;
    }

    /// Where the connection stands among those that could give way: idle ones first, then those whose request is not whole,
    /// the oldest of each first. A new one is as good as one with a request, or else it would give way to the next new one.
    /// None where it is being answered.
    pub(super) fn eviction_order(&self) -> Option<EvictionOrder> {
        match self.state().phase {
            Phase::Idle { since } => Some((false, since)),
            Phase::New { since } | Phase::Head { since } | Phase::Body { since, .. } => Some((true, since)),
            Phase::Answering => None,
        }
    }

    /// Closes the connection, unless its request has become whole meanwhile. Returns whether it does.
    pub(super) fn evict(&self) -> bool {
        let mut state = self.state();
        if matches!(state.phase, Phase::Answering) {
            return false;
        }
        state.is_evicted = true;
        if let Some(task) = state.task.take() {
            task.wake();
        }
        true
    }
}
