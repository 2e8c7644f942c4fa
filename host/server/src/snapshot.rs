//! The generation that a request sees.

use std::{ops::Deref, sync::Arc};

use actix_web::{HttpMessage, HttpRequest, web::Data};

use crate::{
    generation::Generation,
    problem::{Code, Problem},
    service::Service,
};

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
