//! One AI's recent failures, and the requests rejected because of them.

use tokio::time::Instant;

use super::{blocked_requests::BlockedRequests, circuit_breaker::CircuitBreaker};
use crate::{
    client_identity::ClientIdentity,
    fault::{Fault, FaultReason},
};
use protocol::Job;

#[derive(Debug, Default)]
pub(super) struct Failures {
    pub(super) circuit_breaker: CircuitBreaker,
    pub(super) blocked_requests: BlockedRequests,
    pub(super) last: Option<FaultReason>,
}

impl Failures {
    /// Returns the reason to reject a job.
    pub(super) fn rejection(
        &self,
        client: &ClientIdentity,
        job: &Job,
        now: Instant,
    ) -> Option<Fault> {
        self.unavailable(client, now)
            .or_else(|| self.blocked_requests.rejection(job, now))
    }

    /// Returns the fault for a client while the circuit is open for it.
    pub(super) fn unavailable(&self, client: &ClientIdentity, now: Instant) -> Option<Fault> {
        let retry_after = self.circuit_breaker.open_for_client(client, now)?;
        let cause = if self.circuit_breaker.open_for(now).is_some() {
            "it keeps failing"
        } else if client.keyed_id().is_some() {
            "requests from this client keep making it fail"
        } else {
            "requests from clients without a key keep making it fail"
        };
        let reason = self
            .last
            .as_ref()
            .map(|last| last.with_summary(format!("{cause}; last time: {last}")));
        Some(Fault::Unavailable {
            reason: reason.unwrap_or_else(|| cause.into()),
            retry_after,
        })
    }
}
