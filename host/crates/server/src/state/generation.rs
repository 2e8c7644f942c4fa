//! The current settings and AIs, swapped as a whole by a reload.

use std::{collections::BTreeMap, sync::Arc};

use crate::state::{admission::Admissions, client_usage::ClientUsages};
use config::Config;
use game::GameService;
use library::sha256::Sha256Sum;
use pool::Ai;

/// The settings, AIs and clients of one configuration, with the usage of the clients.
#[derive(Debug)]
pub struct Generation {
    service: Arc<GameService>,
    pub(crate) admissions: Admissions,
    pub(crate) usages: ClientUsages,
    /// The fingerprint of each AI, if requests are kept.
    fingerprints: BTreeMap<String, Sha256Sum>,
}

impl Generation {
    /// Creates the generation after `before`. The usage of each client carries over. If requests
    /// are kept, reads the files of the AIs, and so may block.
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
        let local = service
            .ais()
            .local()
            .filter(|_| config.server.replay_kb > 0);
        let of = |ai: &Arc<Ai>| {
            let known = ai.fingerprint.get().copied();
            Some((ai.id.clone(), known.or_else(|| pool::fingerprint(ai).ok())?))
        };
        let fingerprints = local.filter_map(of).collect();
        Self {
            service,
            admissions,
            usages,
            fingerprints,
        }
    }

    /// Returns the fingerprint of an AI, if it is known.
    pub(crate) fn fingerprint(&self, ai: &Ai) -> Option<Sha256Sum> {
        ai.fingerprint
            .get()
            .or_else(|| self.fingerprints.get(&ai.id))
            .copied()
    }

    pub fn service(&self) -> &Arc<GameService> {
        &self.service
    }

    pub fn config(&self) -> &Config {
        self.service.config()
    }
}
