//! The current settings and AIs, swapped as a whole by a reload.

use std::{ops::Deref, sync::Arc};

use actix_web::{HttpMessage, HttpRequest, web::Data};

use super::{
    admission::Admissions,
    problem::{Code, Problem},
};
use crate::service::Service;
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

    /// The AIs and their configuration.
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

/// The generation of a request: the one at its start, until its end, so that no request sees the settings of two.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot(Arc<Generation>);

impl Snapshot {
    pub(crate) fn of(request: &HttpRequest) -> Result<Self, Problem> {
        if let Some(fixed) = request.extensions().get::<Self>() {
            return Ok(fixed.clone());
        }
        let service = request.app_data::<Data<Service>>();
        let service = service.ok_or_else(|| Problem::new(Code::Internal, "the service is not set up"))?;
        let in_force = Self(service.current.load_full());
        request.extensions_mut().insert(in_force.clone());
        Ok(in_force)
    }
}

impl Deref for Snapshot {
    type Target = Generation;

    fn deref(&self) -> &Generation {
        &self.0
    }
}
