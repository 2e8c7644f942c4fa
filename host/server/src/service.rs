//! The state that every handler sees.

use std::sync::Arc;

use arc_swap::{ArcSwap, ArcSwapOption};

use crate::{
    arbiter::Arbiter, body::BodyBudget, connection::ConnectionTable, generation::Generation,
    reload::FailedReload, shutdown::Ending, telemetry::ServiceMetrics,
};

/// What every handler can see.
#[derive(Clone, Debug)]
pub struct Service {
    pub(crate) current: Arc<ArcSwap<Generation>>,
    pub(crate) failed_reload: Arc<ArcSwapOption<FailedReload>>,
    /// When the server ends.
    pub ending: Ending,
    /// What is counted.
    pub(crate) metrics: ServiceMetrics,
    /// What the bodies being received hold.
    pub(crate) bodies: BodyBudget,
    pub(crate) connections: ConnectionTable,
}

impl Service {
    /// A service that goes on.
    pub fn new(arbiter: Arc<Arbiter>) -> Self {
        let current = Arc::new(ArcSwap::from_pointee(Generation::first(arbiter)));
        Self {
            current,
            failed_reload: Arc::default(),
            ending: Ending::default(),
            metrics: ServiceMetrics::default(),
            bodies: BodyBudget::default(),
            connections: ConnectionTable::default(),
        }
    }

    /// Who answers the requests that come now.
    pub fn arbiter(&self) -> Arc<Arbiter> {
        Arc::clone(&self.current.load().arbiter)
    }

    /// Lets another arbiter answer the requests that come from now on. Those that are here already keep theirs; what
    /// clients have used of their bounds, they have used.
    pub fn swap(&self, arbiter: Arc<Arbiter>) {
        let next = self.current.load().reload_with(arbiter);
        self.current.store(Arc::new(next));
    }

    /// Tells clients from now on that the last reload has failed, or that it has not.
    pub fn set_failed_reload(&self, failed: Option<FailedReload>) {
        match failed {
            None => self.metrics.taken_over(),
            Some(_) => self.metrics.not_taken_over(),
        }
        self.failed_reload.store(failed.map(Arc::new));
    }

    /// How many connections of the server have been closed.
    pub fn closed_connections(&self) -> u64 {
        self.connections.closed()
    }

    pub fn is_ready(&self) -> bool {
        !self.ending.is_announced() && self.arbiter().is_ready()
    }
}
