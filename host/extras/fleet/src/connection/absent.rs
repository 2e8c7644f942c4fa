//! A build without the feature `nats`, which cannot connect.

use std::future::pending;

use config::FleetSettings;
use serde::Serialize;

use super::FleetError;

#[derive(Clone, Debug)]
pub(crate) struct Connection(());

pub(crate) struct Subscriber(());

pub(crate) struct Message {
    pub(crate) subject: String,
    pub(crate) payload: Vec<u8>,
}

#[derive(Default)]
pub(crate) struct Inboxes(());

impl Inboxes {
    pub(crate) fn push(&mut self, Subscriber(()): Subscriber, _: Subscriber) {
        self.0 = ();
    }

    pub(crate) fn push_guest(&mut self, _: Connection, _: String, _: String) {
        self.0 = ();
    }

    pub(crate) async fn next(&mut self) -> Message {
        pending().await
    }
}

impl Connection {
    #[expect(clippy::unused_async, reason = "as the one that connects")]
    pub(crate) async fn open(_: &FleetSettings, _: &str, _: bool) -> Result<Self, FleetError> {
        Err(FleetError::Absent)
    }

    pub(crate) fn is_connected(&self) -> bool {
        let Self(()) = self;
        false
    }

    pub(crate) const fn is_trusted(&self) -> bool {
        let Self(()) = self;
        false
    }

    pub(crate) async fn becomes_trusted(&self) -> bool {
        pending().await
    }

    pub(crate) async fn changed(&mut self) -> bool {
        pending().await
    }

    #[expect(clippy::unused_async, reason = "as the one that connects")]
    pub(crate) async fn subscribe(&self, _: String) -> Result<Subscriber, FleetError> {
        Err(FleetError::Absent)
    }

    #[expect(clippy::unused_async, reason = "as the one that connects")]
    pub(crate) async fn publish(&self, _: String, _: &impl Serialize) -> bool {
        false
    }

    #[expect(clippy::unused_async, reason = "as the one that connects")]
    pub(crate) async fn flush(&self) {}
}

pub(crate) async fn next(Subscriber(()): &mut Subscriber) -> Message {
    pending().await
}
