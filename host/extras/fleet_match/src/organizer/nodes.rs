//! The nodes, as an organizer knows them.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use fleet::{FleetSettings, Id};
use serde::Serialize;
use strum::IntoStaticStr;
use tokio::time::Instant;

use crate::wire::{MAX_REASON_CHARS, NodeMatches, PlayingPair};

/// The number of invalid reports after which a node is ignored.
const MAX_REFUSED: u32 = 3;
/// The maximum number of nodes.
const MAX_NODES: usize = 1024;
/// The maximum number of slots that count for a node.
const MAX_SLOTS: usize = 256;

/// The nodes whose pairs count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcceptedNodes {
    /// `nodes` and `guests` in `[fleet]`, or all nodes if both are empty.
    Listed,
    /// Only `nodes` in `[fleet]`.
    Own,
}

/// The displayed state of a node in a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NodeProgress {
    pub name: String,
    pub standing: NodeStanding,
    pub slots: usize,
    /// The number of pairs from this match that it is playing.
    pub playing: usize,
    /// How many positions one of its threads visits per millisecond.
    pub speed: u32,
    /// The number of its pairs that count.
    pub pairs: u32,
    /// The number of games in these pairs that an AI lost through a fault.
    pub faults: u32,
    /// The number of pairs without a result, for example because a search waited for a processor.
    pub void: u32,
    /// The number of invalid reports.
    pub refused: u32,
    /// Why it does not play, or why its last pair does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum NodeStanding {
    Ready,
    /// It waits for a processor that no other work uses.
    Busy,
    /// It has been silent for too long.
    Lost,
    /// It cannot play the match.
    Unable,
    /// It sent invalid reports.
    Unwelcome,
}

impl NodeStanding {
    const fn can_play(self) -> bool {
        matches!(self, Self::Ready | Self::Busy)
    }
}

#[derive(Debug)]
pub(super) struct NodeTable {
    /// `None` accepts all nodes.
    accepted: Option<BTreeSet<String>>,
    lost_after: Duration,
    nodes: BTreeMap<String, TrackedNode>,
    /// Whether a node could play at the last check.
    plays: bool,
}

#[derive(Debug)]
struct TrackedNode {
    heard: Instant,
    shown: NodeProgress,
}

impl NodeTable {
    pub(super) fn new(settings: &FleetSettings, accepted: AcceptedNodes) -> Self {
        let (own, guests) = (&settings.nodes, &settings.guests);
        let accepted = match accepted {
            AcceptedNodes::Listed if own.is_empty() && guests.is_empty() => None,
            AcceptedNodes::Listed => Some(own.union(guests).cloned().collect()),
            AcceptedNodes::Own => Some(own.clone()),
        };
        Self {
            accepted,
            lost_after: Duration::from_millis(settings.lost_after_ms),
            nodes: BTreeMap::new(),
            plays: false,
        }
    }

    pub(super) fn accepts(&self, node: &str) -> bool {
        let is_listed = self
            .accepted
            .as_ref()
            .is_none_or(|accepted| accepted.contains(node));
        is_listed && (self.nodes.len() < MAX_NODES || self.nodes.contains_key(node))
    }

    /// Returns whether a node has sent too many invalid reports.
    pub(super) fn is_out(&self, node: &str) -> bool {
        let known = self.nodes.get(node);
        known.is_some_and(|known| known.shown.standing == NodeStanding::Unwelcome)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Updates a node's state. Returns why it does not play the match, if the reason is new.
    pub(super) fn hear(&mut self, node: &str, state: NodeMatches, id: &Id) -> Option<String> {
        let shown = self.node(node);
        shown.slots = state.slots.min(MAX_SLOTS);
        shown.speed = state.speed;
        let is_own = |pair: &&PlayingPair| pair.id == *id;
        shown.playing = state.playing.iter().filter(is_own).count();
        if shown.standing == NodeStanding::Unwelcome {
            return None;
        }
        let refused = state.refused.into_iter().find(|refused| refused.id == *id);
        let Some(refused) = refused else {
            shown.standing = if state.is_busy {
                NodeStanding::Busy
            } else {
                NodeStanding::Ready
            };
            return None;
        };
        let reason = bounded(&refused.reason);
        let is_new = shown.standing != NodeStanding::Unable;
        shown.standing = NodeStanding::Unable;
        shown.reason = Some(reason.clone());
        is_new.then_some(reason)
    }

    pub(super) fn forget_silent(&mut self) {
        for known in self.nodes.values_mut() {
            let is_silent = known.heard.elapsed() >= self.lost_after;
            if is_silent && known.shown.standing.can_play() {
                (known.shown.standing, known.shown.playing) = (NodeStanding::Lost, 0);
            }
        }
    }

    /// Returns whether the last playing node has stopped since the previous call.
    pub(super) fn stops_playing(&mut self) -> bool {
        let plays = self.slots() > 0;
        std::mem::replace(&mut self.plays, plays) && !plays
    }

    /// Returns the total number of slots on all playing nodes.
    pub(super) fn slots(&self) -> usize {
        let playing = self.nodes.values().map(|known| &known.shown);
        playing
            .filter(|shown| shown.standing.can_play())
            .map(|shown| shown.slots)
            .sum()
    }

    pub(super) fn count_pair(&mut self, node: &str, faults: u32) {
        let shown = self.node(node);
        shown.pairs += 1;
        shown.faults += faults;
    }

    pub(super) fn count_void(&mut self, node: &str, reason: &str) {
        let shown = self.node(node);
        shown.void += 1;
        shown.reason = Some(bounded(reason));
    }

    /// Counts an invalid report. Returns whether the node has now sent too many.
    pub(super) fn count_refused(&mut self, node: &str, reason: &str) -> bool {
        let shown = self.node(node);
        shown.refused += 1;
        shown.reason = Some(bounded(reason));
        if shown.refused >= MAX_REFUSED {
            shown.standing = NodeStanding::Unwelcome;
        }
        shown.refused >= MAX_REFUSED
    }

    pub(super) fn progress(&self) -> Vec<NodeProgress> {
        self.nodes
            .values()
            .map(|known| known.shown.clone())
            .collect()
    }

    /// Returns a node, and records that it is alive.
    fn node(&mut self, name: &str) -> &mut NodeProgress {
        let known = self.nodes.entry(name.to_owned()).or_insert_with(|| {
            let shown = NodeProgress {
                name: name.to_owned(),
                standing: NodeStanding::Ready,
                slots: 0,
                playing: 0,
                speed: 0,
                pairs: 0,
                faults: 0,
                void: 0,
                refused: 0,
                reason: None,
            };
            let heard = Instant::now();
            TrackedNode { heard, shown }
        });
        known.heard = Instant::now();
        &mut known.shown
    }
}

fn bounded(reason: &str) -> String {
    text::printable(&reason.chars().take(MAX_REASON_CHARS).collect::<String>())
}
