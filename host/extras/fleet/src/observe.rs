//! Observes the nodes of a fleet without serving their AIs.

use std::time::Duration;

use crate::settings::FleetSettings;
use text::printable;
use tokio::time::timeout;

use crate::{
    connection::{FleetError, NatsConnection, next},
    status::{FleetStatus, NodeAi, NodeState, NodeStatus},
    subjects,
    wire::{Announcement, MAX_AIS, OfferedAi, decode},
};

/// Returns the nodes that announce themselves within this time. Each does so every second.
///
/// # Errors
/// NATS is not reachable or denies the subscription.
pub async fn observe(
    settings: &FleetSettings,
    within: Duration,
) -> Result<FleetStatus, FleetError> {
    let connection = NatsConnection::open(settings, "rookery fleet status", true).await?;
    let mut announcements = connection.subscribe(subjects::ANNOUNCEMENTS.into()).await?;
    let mut seen = FleetStatus {
        connected: true,
        ..FleetStatus::default()
    };
    let listen = async {
        loop {
            let message = next(&mut announcements).await;
            let Some(name) = subjects::node_of(&message.subject) else {
                continue;
            };
            if let Ok(announcement) = decode::<Announcement>(&message.payload) {
                seen.nodes.insert(name.to_owned(), status_of(announcement));
            }
        }
    };
    // The loop ends only when the time is up.
    let _: Result<(), _> = timeout(within, listen).await;
    Ok(seen)
}

fn status_of(announcement: Announcement) -> NodeStatus {
    let ai = |ai: OfferedAi| NodeAi {
        id: printable(&ai.id),
        fingerprint: printable(&ai.fingerprint),
        slots: ai.slots as usize,
        free: ai.free as usize,
        unserved: None,
    };
    let state = if announcement.draining {
        NodeState::Draining
    } else {
        NodeState::Ready
    };
    NodeStatus {
        state,
        ais: announcement.ais.into_iter().take(MAX_AIS).map(ai).collect(),
    }
}
