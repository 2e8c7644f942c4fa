//! The state that every handler sees.

use std::sync::Arc;

use arc_swap::{ArcSwap, ArcSwapOption};

use game::GameService;

use crate::{
    body::BodyBudget, connection::ConnectionTable, generation::Generation, reload::FailedReload,
    shutdown::Ending, telemetry::ServiceMetrics,
};

/// The state that every handler sees.
#[derive(Clone, Debug)]
pub struct Service {
    pub(crate) current: Arc<ArcSwap<Generation>>,
    pub(crate) failed_reload: Arc<ArcSwapOption<FailedReload>>,
    /// The shutdown of the server.
    pub ending: Ending,
    pub(crate) metrics: ServiceMetrics,
    /// The memory for bodies that are being received.
    pub(crate) bodies: BodyBudget,
    pub(crate) connections: ConnectionTable,
}

impl Service {
    /// A running service.
    pub fn new(game: Arc<GameService>) -> Self {
        let current = Arc::new(ArcSwap::from_pointee(Generation::first(game)));
        Self {
            current,
            failed_reload: Arc::default(),
            ending: Ending::default(),
            metrics: ServiceMetrics::default(),
            bodies: BodyBudget::default(),
            connections: ConnectionTable::default(),
        }
    }

    /// The AIs and the configuration for new requests.
    pub fn game(&self) -> Arc<GameService> {
        Arc::clone(self.current.load().game())
    }

    /// Swaps the AIs and the configuration for new requests. Running requests keep theirs; the usage of each client carries over.
    pub fn swap(&self, game: Arc<GameService>) {
        let next = self.current.load().reload_with(game);
        self.current.store(Arc::new(next));
    }

    /// Records whether the last reload failed.
    pub fn set_failed_reload(&self, failed: Option<FailedReload>) {
        match failed {
            None => self.metrics.taken_over(),
            Some(_) => self.metrics.not_taken_over(),
        }
        self.failed_reload.store(failed.map(Arc::new));
    }

    /// The number of closed connections.
    pub fn closed_connections(&self) -> u64 {
        self.connections.closed()
    }

    pub fn is_ready(&self) -> bool {
        !self.ending.is_announced() && self.game().is_ready()
    }
}
