//! The current settings and AIs, swapped as a whole by a reload.

use std::sync::Arc;

use super::admission::Admissions;
use config::Config;
use game::GameService;

/// The settings, AIs and clients of one configuration, with the usage of the clients.
#[derive(Debug)]
pub(crate) struct Generation {
    game: Arc<GameService>,
    pub(crate) admissions: Admissions,
}

impl Generation {
    pub(crate) fn first(game: Arc<GameService>) -> Self {
        let admissions = Admissions::default().continued(game.config().clients.values());
        Self { game, admissions }
    }

    pub(crate) fn game(&self) -> &Arc<GameService> {
        &self.game
    }

    pub(crate) fn config(&self) -> &Config {
        self.game.config()
    }

    /// Returns the next generation. The usage of each client carries over.
    pub(crate) fn reload_with(&self, game: Arc<GameService>) -> Self {
        let admissions = self.admissions.continued(game.config().clients.values());
        Self { game, admissions }
    }
}
