//! The current settings and AIs, swapped as a whole by a reload.

use std::sync::Arc;

use crate::state::admission::Admissions;
use config::Config;
use game::GameService;

/// The settings, AIs and clients of one configuration, with the usage of the clients.
#[derive(Debug)]
pub(crate) struct Generation {
    service: Arc<GameService>,
    pub(crate) admissions: Admissions,
}

impl Generation {
    /// Creates a generation. The usage of each client carries over.
    pub(crate) fn new(service: Arc<GameService>, before: &Admissions) -> Self {
        let admissions = before.continued(service.config().clients.values());
        Self { service, admissions }
    }

    pub(crate) fn service(&self) -> &Arc<GameService> {
        &self.service
    }

    pub(crate) fn config(&self) -> &Config {
        self.service.config()
    }
}
