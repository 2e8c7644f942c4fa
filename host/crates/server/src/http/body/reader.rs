//! Reads a body, with limits on its size, its total time, its rate and the memory of all bodies.

use std::{
    net::IpAddr,
    time::{Duration, Instant},
};

use actix_web::{error::PayloadError, web::Bytes};
use futures_util::{Stream, StreamExt as _};
use tokio::time::timeout_at;

use crate::state::body_budget::{BodyBudget, BudgetError, Share};
use api::{
    error::Malformed,
    problem::{Code, Problem},
};
use config::ServerSettings;
use text::without_mark;

/// The time before the minimum rate applies: a connection may stall briefly.
const SLOWNESS_GRACE: Duration = Duration::from_secs(5);

/// A complete body. Its bytes count against the budget until it is dropped.
#[derive(Debug)]
pub struct Body {
    bytes: Vec<u8>,
    share: Share,
    max_bytes: usize,
}

impl Body {
    /// Reads the body of a request that began at `began`. Dropping the future releases the reserved
    /// memory.
    ///
    /// # Errors
    /// The body is too large or too slow, or exceeds the memory budget.
    pub(super) async fn read(
        mut payload: impl Stream<Item = Result<Bytes, PayloadError>> + Unpin,
        settings: &ServerSettings,
        began: Instant,
        budget: &BodyBudget,
        address: Option<IpAddr>,
    ) -> Result<Self, Problem> {
        let most = settings.max_body_bytes_total;
        let share = budget.share(address, most);
        let mut body = Self {
            bytes: Vec::new(),
            share,
            max_bytes: settings.max_body_bytes,
        };
        let time_allowed = Duration::from_millis(settings.body_timeout_ms);
        let deadline = began + time_allowed;
        let reading_began = Instant::now();
        loop {
            let slow_at = reading_began + body.time_at(settings.min_body_bytes_per_s);
            match timeout_at(deadline.min(slow_at).into(), payload.next()).await {
                Ok(Some(Ok(chunk))) => body.extend(&chunk, most)?,
                Ok(Some(Err(error))) => {
                    return Err(
                        Malformed::new("", format!("the body could not be read: {error}")).into(),
                    );
                }
                Ok(None) => return Ok(body),
                Err(_) if deadline <= slow_at => {
                    let detail = format!(
                        "the body did not arrive within {} ms",
                        time_allowed.as_millis()
                    );
                    return Err(Problem::new(Code::RequestTimeout, detail));
                }
                Err(_) => {
                    let detail = format!(
                        "{} bytes of the body arrived in {} s; expected at least {} bytes per \
                         second (min_body_bytes_per_s)",
                        body.bytes.len(),
                        reading_began.elapsed().as_secs(),
                        settings.min_body_bytes_per_s
                    );
                    return Err(Problem::new(Code::RequestTimeout, detail));
                }
            }
        }
    }

    /// Returns the bytes after the byte order mark, if there is one.
    pub fn bytes(&self) -> &[u8] {
        without_mark(&self.bytes)
    }

    /// Returns how long the received bytes may take at this minimum rate. A rate of 0 means no
    /// limit.
    fn time_at(&self, min_bytes_per_s: u64) -> Duration {
        const NO_LIMIT: Duration = Duration::from_hours(24);
        let millis = (self.bytes.len() as u64)
            .saturating_mul(1000)
            .checked_div(min_bytes_per_s);
        millis.map_or(NO_LIMIT, |millis| {
            Duration::from_millis(millis).clamp(SLOWNESS_GRACE, NO_LIMIT)
        })
    }

    /// Copies a chunk: a reference would keep the connection's entire buffer in memory.
    fn extend(&mut self, chunk: &[u8], max_bytes_total: usize) -> Result<(), Problem> {
        let length = self.bytes.len() + chunk.len();
        if length > self.max_bytes {
            return Err(too_large(self.max_bytes));
        }
        let capacity = self.bytes.capacity();
        if length > capacity {
            // The capacity doubles, so that the body is not copied for each chunk. Reserved bytes
            // count against the budget.
            let grown = length.max((2 * capacity).min(self.max_bytes));
            self.share
                .grow(grown - capacity)
                .map_err(|error| busy(error, max_bytes_total))?;
            self.bytes.reserve_exact(grown - self.bytes.len());
        }
        self.bytes.extend_from_slice(chunk);
        Ok(())
    }
}

pub(super) fn too_large(max_bytes: usize) -> Problem {
    Problem::new(
        Code::BodyTooLarge,
        format!("the body is larger than the limit of {max_bytes} bytes (max_body_bytes)"),
    )
}

fn busy(error: BudgetError, max_bytes_total: usize) -> Problem {
    let owner = match error {
        BudgetError::Total => "all clients",
        BudgetError::Address => "this address",
    };
    Problem::server_busy(format!(
        "the request bodies of {owner} have used up their memory (max_body_bytes_total is \
         {max_bytes_total}; one address may use an eighth of it); try again later"
    ))
}
