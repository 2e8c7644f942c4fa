//! A build without the feature `nats`, which cannot connect.

use config::FleetSettings;
use serde::Serialize;

use super::FleetError;

/// There is none.
#[derive(Clone, Debug)]
pub(crate) enum Connection {}

/// There is none.
pub(crate) enum Subscriber {}

pub(crate) struct Message {
    pub(crate) subject: String,
    pub(crate) payload: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(_: &FleetSettings, _: &str, _: bool) -> Result<Self, FleetError> {
        Err(FleetError::Absent)
    }

    pub(crate) fn is_connected(&self) -> bool {
        match *self {}
    }

    pub(crate) async fn changed(&mut self) -> bool {
        match *self {}
    }

    pub(crate) async fn subscribe(&self, _: String) -> Result<Subscriber, FleetError> {
        match *self {}
    }

    pub(crate) async fn publish(&self, _: String, _: &impl Serialize) -> bool {
        match *self {}
    }

    pub(crate) async fn flush(&self) {
        match *self {}
    }
}

pub(crate) async fn next(subscriber: &mut Subscriber) -> Message {
    match *subscriber {}
}
