//! Reports the state of this process over the socket in `NOTIFY_SOCKET`, to systemd or to another
//! supervisor that uses its protocol. If the variable is not set, nothing is reported.

use std::{env, future::pending, io, time::Duration};

use sd_notify::NotifyState;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::UnixStream,
    time::{MissedTickBehavior, interval, sleep, timeout},
};

use crate::{listener::ListeningSocket, state::shutdown::Shutdown};

const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
const ANSWER: &[u8] = b"HTTP/1.1 200 ";
const MAX_ANSWER_BYTES: u64 = 4096;
/// The timeout for an answer during startup, and the pause before the next request.
const FIRST_ANSWER: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(100);
/// The number of requests per watchdog period. After a period of silence, systemd restarts the
/// server.
const REQUESTS: u32 = 4;

/// Requests the server's health as a client would, over a listener that only this process can use.
#[derive(Debug)]
pub struct Watchdog {
    path: String,
}

impl Watchdog {
    /// Returns the watchdog and its listener, if a supervisor expects reports.
    ///
    /// # Errors
    /// The listener cannot be opened.
    pub fn open() -> io::Result<Option<(Self, ListeningSocket)>> {
        if env::var_os("NOTIFY_SOCKET").is_none() {
            return Ok(None);
        }
        let (listener, name) = ListeningSocket::own()?;
        Ok(Some((
            Self {
                path: format!("\0{name}"),
            },
            listener,
        )))
    }

    /// Reports readiness once the server answers, then liveness as long as it answers. Never
    /// returns.
    pub async fn run(self, shutdown: &Shutdown) {
        while !self.is_answered(FIRST_ANSWER).await {
            sleep(PAUSE).await;
        }
        ready();
        let period = sd_notify::watchdog_enabled().filter(|period| !period.is_zero());
        let Some(each) = period.map(|period| period / REQUESTS) else {
            return pending().await;
        };
        let mut ticks = interval(each);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            // A draining server closes its listeners. systemd limits how long it may take to stop.
            if shutdown.is_draining() || self.is_answered(each).await {
                notify(&[NotifyState::Watchdog]);
            } else {
                tracing::warn!(
                    "the server does not answer its own request; systemd restarts it if this \
                     continues"
                );
            }
        }
    }

    async fn is_answered(&self, time: Duration) -> bool {
        let answer = async {
            let mut stream = UnixStream::connect(&self.path).await?;
            stream.write_all(REQUEST).await?;
            let mut answer = Vec::new();
            stream
                .take(MAX_ANSWER_BYTES)
                .read_to_end(&mut answer)
                .await?;
            io::Result::Ok(answer.starts_with(ANSWER))
        };
        matches!(timeout(time, answer).await, Ok(Ok(true)))
    }
}

/// Reports that the process is ready, or that its reload has ended.
pub fn ready() {
    notify(&[NotifyState::Ready]);
}

/// Reports that the server is reloading its configuration.
pub(crate) fn reloading() {
    // systemd rejects a reload without a timestamp.
    match NotifyState::monotonic_usec_now() {
        Ok(now) => notify(&[NotifyState::Reloading, now]),
        Err(error) => {
            tracing::warn!(%error, "cannot read the clock; the reload is not reported to systemd");
        }
    }
}

/// Reports that the process is stopping.
pub fn stopping() {
    notify(&[NotifyState::Stopping]);
}

fn notify(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::warn!(%error, "cannot report to the socket in NOTIFY_SOCKET");
    }
}
