//! The state that all request handlers share.

use std::sync::{Arc, atomic::AtomicU64};

use actix_web::{HttpRequest, web::Data};
use arc_swap::{ArcSwap, ArcSwapOption};

use crate::{
    connection::table::ConnectionTable,
    state::{
        body_budget::BodyBudget, failed_reload::FailedReload, generation::Generation,
        served_requests::ServedRequests, shutdown::Shutdown, telemetry::ServiceMetrics,
    },
};
use api::problem::{Code, Problem};
use game::{Extra, Extras, GameService};

/// The state that all request handlers share.
#[derive(Clone, Debug)]
pub struct ServerState {
    pub(crate) current: Arc<ArcSwap<Generation>>,
    pub(crate) failed_reload: Arc<ArcSwapOption<FailedReload>>,
    pub shutdown: Shutdown,
    pub(crate) metrics: ServiceMetrics,
    pub(crate) bodies: BodyBudget,
    pub(crate) connections: ConnectionTable,
    pub(crate) requests: ServedRequests,
    pub extras: Extras,
}

impl ServerState {
    pub fn new(service: Arc<GameService>) -> Self {
        let requests = ServedRequests::default();
        requests.resize(service.config().server.replay_kb);
        let first = Generation::new(service, None);
        Self {
            current: Arc::new(ArcSwap::from_pointee(first)),
            failed_reload: Arc::default(),
            shutdown: Shutdown::default(),
            metrics: ServiceMetrics::default(),
            bodies: BodyBudget::default(),
            connections: ConnectionTable::default(),
            requests,
            extras: Extras::default(),
        }
    }

    /// Adds the count of dropped log lines to the metrics.
    #[must_use]
    pub fn with_log_drops(mut self, log_dropped: Arc<AtomicU64>) -> Self {
        self.metrics.log_dropped = log_dropped;
        self
    }

    /// Adds an extra and passes it the AIs on this machine.
    #[must_use]
    pub fn with(mut self, extra: Arc<dyn Extra>) -> Self {
        extra.set_local_ais(self.service().local_ais());
        self.service().add_observer(Arc::clone(&extra));
        self.extras.add(extra);
        self
    }

    /// Returns the state of the server that received a request.
    ///
    /// # Errors
    /// The application has no state.
    pub fn of(request: &HttpRequest) -> Result<&Self, Problem> {
        let state = request.app_data::<Data<Self>>().map(Data::get_ref);
        state.ok_or_else(|| Problem::new(Code::Internal, "the state is not set up"))
    }

    /// Returns the AIs and the configuration for new requests.
    pub fn service(&self) -> Arc<GameService> {
        Arc::clone(self.current.load().service())
    }

    /// Swaps the AIs and the configuration for new requests. Running requests keep theirs; the
    /// usage of each client carries over.
    pub fn swap(&self, service: Arc<GameService>) {
        self.requests.resize(service.config().server.replay_kb);
        let next = Generation::new(service, Some(&self.current.load()));
        self.current.store(Arc::new(next));
    }

    /// Records whether the last reload failed.
    pub fn set_failed_reload(&self, failed: Option<FailedReload>) {
        self.metrics.reload_finished(failed.is_none());
        self.failed_reload.store(failed.map(Arc::new));
    }

    /// Returns the number of closed connections.
    pub fn closed_connections(&self) -> u64 {
        self.connections.closed()
    }

    pub fn is_ready(&self) -> bool {
        !self.shutdown.is_draining() && self.service().is_ready()
    }
}
