//! The state that all request handlers share.

use std::sync::Arc;

use actix_web::{HttpRequest, web::Data};
use arc_swap::{ArcSwap, ArcSwapOption};

use crate::{
    connection::table::ConnectionTable,
    problem::{Code, Problem},
    state::{
        admission::Admissions, body_budget::BodyBudget, failed_reload::FailedReload, generation::Generation,
        shutdown::Shutdown, telemetry::ServiceMetrics,
    },
};
use fleet::Gateway;
use game::GameService;

/// The state that all request handlers share.
#[derive(Clone, Debug)]
pub struct Service {
    pub(crate) current: Arc<ArcSwap<Generation>>,
    pub(crate) failed_reload: Arc<ArcSwapOption<FailedReload>>,
    pub shutdown: Shutdown,
    pub(crate) metrics: ServiceMetrics,
    pub(crate) bodies: BodyBudget,
    pub(crate) connections: ConnectionTable,
    /// The gateway to the nodes of a fleet.
    pub(crate) fleet: Option<Arc<Gateway>>,
}

impl Service {
    pub fn new(game: Arc<GameService>) -> Self {
        let first = Generation::new(game, &Admissions::default());
        Self {
            current: Arc::new(ArcSwap::from_pointee(first)),
            failed_reload: Arc::default(),
            shutdown: Shutdown::default(),
            metrics: ServiceMetrics::default(),
            bodies: BodyBudget::default(),
            connections: ConnectionTable::default(),
            fleet: None,
        }
    }

    /// Serves the AIs of nodes too.
    #[must_use]
    pub fn with_fleet(self, fleet: Gateway) -> Self {
        fleet.set_local(self.game().local_ais());
        Self { fleet: Some(Arc::new(fleet)), ..self }
    }

    /// Returns the service that received a request.
    pub(crate) fn of(request: &HttpRequest) -> Result<&Self, Problem> {
        let service = request.app_data::<Data<Self>>().map(Data::get_ref);
        service.ok_or_else(|| Problem::new(Code::Internal, "the service is not set up"))
    }

    /// Returns the AIs and the configuration for new requests.
    pub fn game(&self) -> Arc<GameService> {
        Arc::clone(self.current.load().game())
    }

    /// Swaps the AIs and the configuration for new requests. Running requests keep theirs; the usage of each client carries over.
    pub fn swap(&self, game: Arc<GameService>) {
        let next = Generation::new(game, &self.current.load().admissions);
        self.current.store(Arc::new(next));
    }

    /// Records whether the last reload failed.
    pub fn set_failed_reload(&self, failed: Option<FailedReload>) {
        self.metrics.reload_finished(if failed.is_some() { "failed" } else { "applied" });
        self.failed_reload.store(failed.map(Arc::new));
    }

    /// Returns the number of closed connections.
    pub fn closed_connections(&self) -> u64 {
        self.connections.closed()
    }

    pub fn is_ready(&self) -> bool {
        !self.shutdown.is_draining() && self.game().is_ready()
    }
}
