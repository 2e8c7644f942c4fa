//! The current settings and AIs, swapped as a whole by a reload.

use std::{ops::Deref, sync::Arc};

use actix_web::{HttpMessage, HttpRequest, web::Data};

use super::{
    admission::Admissions,
    problem::{Code, Problem},
};
use crate::arbiter::Arbiter;
use crate::service::Service;

/// The settings, AIs and clients of one configuration, with the usage of the clients.
#[derive(Debug)]
pub(super) struct Generation {
    pub(super) arbiter: Arc<Arbiter>,
    pub(super) admissions: Admissions,
}

impl Generation {
    pub(super) fn first(arbiter: Arc<Arbiter>) -> Self {
        let admissions = Admissions::default().continued(arbiter.clients());
        Self { arbiter, admissions }
    }

    /// Returns the next generation. The usage of each client carries over.
    pub(super) fn reload_with(&self, arbiter: Arc<Arbiter>) -> Self {
        let admissions = self.admissions.continued(arbiter.clients());
        Self { arbiter, admissions }
    }
}

/// The generation of a request: the one at its start, until its end, so that no request sees the settings of two.
#[derive(Clone, Debug)]
pub(super) struct Snapshot(Arc<Generation>);

impl Snapshot {
    pub(super) fn of(request: &HttpRequest) -> Result<Self, Problem> {
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
