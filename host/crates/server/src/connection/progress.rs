//! The progress of a connection's current request. The connection reports bytes, and the middleware
//! reports requests.

use std::{
    future::poll_fn,
    io,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

/// The time within which the head of a request must arrive. actix has the same limit for a
/// connection's first request.
pub(crate) const HEAD_TIMEOUT: Duration = Duration::from_secs(5);

/// The progress of one connection's current request. The lock is held only to read or update the
/// state.
#[derive(Debug)]
pub(crate) struct RequestProgress(Mutex<RequestState>);

#[derive(Debug)]
struct RequestState {
    phase: RequestPhase,
    /// Whether the slot was given to another connection.
    is_evicted: bool,
    /// Whether a request has arrived before the reply to the previous one.
    is_pipelined: bool,
    task: Option<Waker>,
}

#[derive(Clone, Copy, Debug)]
enum RequestPhase {
    /// The connection is open and has received nothing.
    New { since: Instant },
    /// The last request is finished, and no other request has started.
    Idle { since: Instant },
    /// A head has started to arrive.
    Head { since: Instant },
    /// The head is complete, but the body is not. The reply may have been sent.
    Body {
        since: Instant,
        deadline: Instant,
        is_processing: bool,
    },
    /// The request is complete, but the reply is not.
    Processing,
}

/// The order in which connections are evicted, from low to high.
pub(crate) type EvictionOrder = (bool, Instant);

impl RequestProgress {
    pub(crate) fn new() -> Self {
        let phase = RequestPhase::New {
            since: Instant::now(),
        };
        Self(Mutex::new(RequestState {
            phase,
            is_evicted: false,
            is_pipelined: false,
            task: None,
        }))
    }

    fn state(&self) -> MutexGuard<'_, RequestState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that bytes arrived. Returns whether they may be part of a head.
    pub(crate) fn bytes_arrived(&self) -> bool {
        let mut state = self.state();
        // Bytes that arrive before the reply belong to the next request; its time starts when it
        // can be read.
        if let RequestPhase::New { .. } | RequestPhase::Idle { .. } = state.phase {
            state.phase = RequestPhase::Head {
                since: Instant::now(),
            };
        }
        state.is_pipelined |= matches!(state.phase, RequestPhase::Processing);
        matches!(state.phase, RequestPhase::Head { .. })
    }

    /// Records that a head is complete. The body must arrive within `time_allowed` after the first
    /// byte of the head.
    pub(crate) fn head_read(&self, has_body: bool, time_allowed: Duration) {
        let mut state = self.state();
        // In any other phase, the head was waiting in the request queue.
        state.is_pipelined |= !matches!(state.phase, RequestPhase::Head { .. });
        state.phase = if has_body {
            let since = match state.phase {
                RequestPhase::Head { since } => since,
                _ => Instant::now(),
            };
            RequestPhase::Body {
                since,
                deadline: since + time_allowed,
                is_processing: true,
            }
        } else {
            RequestPhase::Processing
        };
    }

    /// Records that the body is complete.
    pub(crate) fn body_read(&self) {
        let mut state = self.state();
        if let RequestPhase::Body { is_processing, .. } = state.phase {
            state.phase = if is_processing {
                RequestPhase::Processing
            } else {
                RequestPhase::Idle {
                    since: Instant::now(),
                }
            };
        }
    }

    /// Records that the reply was handed to the connection, or dropped.
    pub(crate) fn replied(&self) {
        let mut state = self.state();
        // actix reads requests beyond its queue, but parses them only when its task is next woken.
        if state.is_pipelined
            && let Some(task) = &state.task
        {
            task.wake_by_ref();
        }
        match &mut state.phase {
            RequestPhase::Body { is_processing, .. } => *is_processing = false,
            phase => {
                *phase = RequestPhase::Idle {
                    since: Instant::now(),
                }
            }
        }
    }

    /// Returns the start of the request whose body is arriving.
    pub(crate) fn body_since(&self) -> Option<Instant> {
        match self.state().phase {
            RequestPhase::Body { since, .. } => Some(since),
            _ => None,
        }
    }

    /// Returns the time by which the request must be complete, if there is one. Registers the task
    /// to be woken when the connection is evicted.
    ///
    /// # Errors
    /// The connection is evicted.
    pub(crate) fn deadline(&self, context: &Context<'_>) -> io::Result<Option<Instant>> {
        let mut state = self.state();
        if state.is_evicted {
            return Err(io::Error::new(
                io::ErrorKind::ConnectionAborted,
                "the slot was given to another connection",
            ));
        }
        match &mut state.task {
            Some(task) => task.clone_from(context.waker()),
            None => state.task = Some(context.waker().clone()),
        }
        Ok(match state.phase {
            RequestPhase::Head { since } => Some(since + HEAD_TIMEOUT),
            RequestPhase::Body { deadline, .. } => Some(deadline),
            // actix closes idle connections.
            RequestPhase::New { .. } | RequestPhase::Idle { .. } | RequestPhase::Processing => None,
        })
    }

    /// Resolves when the connection is evicted. Dropping the future has no effect.
    pub(crate) async fn evicted(&self) {
        poll_fn(|context| match self.deadline(context) {
            Err(_) => Poll::Ready(()),
            Ok(_) => Poll::Pending,
        })
        .await;
    }

    /// Returns the eviction order: idle connections first, then connections with an incomplete
    /// request; in both groups, the oldest first. A new connection counts as one with an incomplete
    /// request; otherwise the next new connection would evict it. Returns `None` while a request is
    /// processed.
    pub(crate) fn eviction_order(&self) -> Option<EvictionOrder> {
        match self.state().phase {
            RequestPhase::Idle { since } => Some((false, since)),
            RequestPhase::New { since }
            | RequestPhase::Head { since }
            | RequestPhase::Body { since, .. } => Some((true, since)),
            RequestPhase::Processing => None,
        }
    }

    /// Evicts the connection, unless its request is complete. Returns whether it is evicted.
    pub(crate) fn evict(&self) -> bool {
        let mut state = self.state();
        if matches!(state.phase, RequestPhase::Processing) {
            return false;
        }
        state.is_evicted = true;
        if let Some(task) = state.task.take() {
            task.wake();
        }
        true
    }
}
