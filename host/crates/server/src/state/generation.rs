//! The current settings and AIs, all of which a reload swaps at once.

use std::sync::Arc;

use crate::state::{admission::Admissions, client_usage::ClientUsages};
use config::Config;
use game::GameService;

/// The settings, AIs and clients of one configuration, with the clients' usage.
#[derive(Debug)]
pub struct Generation {
    service: Arc<GameService>,
    pub(crate) admissions: Admissions,
    pub(crate) usages: ClientUsages,
}

impl Generation {
    /// Creates the generation after `before`. The usage of each client carries over. If requests or
    /// answers are kept, this reads the AIs' files and may block.
    pub(crate) fn new(service: Arc<GameService>, before: Option<&Self>) -> Self {
        let config = service.config();
        let (admissions, usages) = before
            .map(|before| (&before.admissions, &before.usages))
            .unzip();
        let admissions = admissions
            .unwrap_or(&Admissions::default())
            .continued(config.clients.values());
        let usages = usages
            .unwrap_or(&ClientUsages::default())
            .continued(config.clients.keys());
        if config.server.replay_kb > 0 || service.answer_counts().is_some() {
            for ai in service.ais().local() {
                ai.read_fingerprint();
            }
        }
        Self {
            service,
            admissions,
            usages,
        }
    }

    pub fn service(&self) -> &Arc<GameService> {
        &self.service
    }

    pub fn config(&self) -> &Config {
        self.service.config()
    }
}
