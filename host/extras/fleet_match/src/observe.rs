//! Observes the matches of a fleet.

use std::{collections::BTreeMap, time::Duration};

use fleet::{FleetError, FleetSettings, NatsConnection, decode, next, node_of};
use serde::Serialize;
use text::printable;
use tokio::time::timeout;

use crate::{subjects, wire::NodeMatches};

/// The maximum number of pairs, and of refused matches, shown for a node.
const MAX_SHOWN: usize = 256;

/// A node's report about the matches that it plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NodeMatchStatus {
    /// The maximum number of pairs that it plays at once.
    pub slots: usize,
    /// How many positions one of its threads visits per millisecond.
    pub speed: u32,
    pub playing: Vec<PlayingStatus>,
    /// Whether other work on its processors keeps it from playing.
    pub is_busy: bool,
    /// The reason for each match that the node refuses.
    pub refused: Vec<String>,
}

/// A pair that a node plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayingStatus {
    pub organizer: String,
    /// The id of the match.
    #[serde(rename = "match")]
    pub id: String,
    pub pair: u64,
}

/// Returns the nodes that report their matches within this time. Each node reports every second.
///
/// # Errors
/// NATS is not reachable or denies the subscription.
pub async fn observe_matches(
    settings: &FleetSettings,
    within: Duration,
) -> Result<BTreeMap<String, NodeMatchStatus>, FleetError> {
    let connection = NatsConnection::open(settings, "rookery fleet status, matches", true).await?;
    let mut states = connection.subscribe(subjects::STATES.into()).await?;
    let mut seen = BTreeMap::new();
    let listen = async {
        loop {
            let message = next(&mut states).await;
            if let Some(name) = node_of(&message.subject)
                && let Ok(state) = decode::<NodeMatches>(&message.payload)
            {
                seen.insert(name.to_owned(), status_of(state));
            }
        }
    };
    // The loop ends only when the time is up.
    let _: Result<(), _> = timeout(within, listen).await;
    Ok(seen)
}

fn status_of(state: NodeMatches) -> NodeMatchStatus {
    let playing = state.playing.into_iter().take(MAX_SHOWN);
    let refused = state.refused.into_iter().take(MAX_SHOWN);
    NodeMatchStatus {
        slots: state.slots,
        speed: state.speed,
        playing: playing
            .map(|pair| PlayingStatus {
                organizer: printable(&pair.organizer),
                id: pair.id.to_string(),
                pair: pair.pair,
            })
            .collect(),
        is_busy: state.is_busy,
        refused: refused.map(|refused| printable(&refused.reason)).collect(),
    }
}
