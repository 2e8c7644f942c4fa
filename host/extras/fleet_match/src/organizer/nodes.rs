//! What an organizer knows of the nodes.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use fleet::{FleetSettings, Id};
use serde::Serialize;
use strum::IntoStaticStr;
use tokio::time::Instant;

use crate::wire::{MAX_REASON_CHARS, NodeMatches, PlayingPair};

/// The reports of a node that may not fit before it is not heard any more.
const MAX_REFUSED: u32 = 3;
/// The most nodes.
const MAX_NODES: usize = 1024;
/// The most slots of a node that count.
const MAX_SLOTS: usize = 256;

/// Whose pairs count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcceptedNodes {
    /// `nodes` and `guests` of `[fleet]`; all nodes if both are empty.
    Listed,
    /// `nodes` of `[fleet]`, and no others.
    Own,
}

/// A node in a match, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NodeProgress {
    pub name: String,
    pub standing: NodeStanding,
    pub slots: usize,
    /// The pairs of this match that it plays.
    pub playing: usize,
    /// The positions that one thread of it visits in a millisecond.
    pub speed: u32,
    /// The pairs of it that count.
    pub pairs: u32,
    /// The games among them that an AI lost by a fault.
    pub faults: u32,
    /// The pairs without a result, such as those with a search that waited for a processor.
    pub void: u32,
    /// The pairs that did not fit.
    pub refused: u32,
    /// Why it does not play, or the last pair does not count.
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
    /// Silent for too long.
    Lost,
    /// It cannot play the match.
    Unable,
    /// It reported what did not fit.
    Unwelcome,
}

impl NodeStanding {
    const fn can_play(self) -> bool {
        matches!(self, Self::Ready | Self::Busy)
    }
}

#[derive(Debug)]
pub(super) struct NodeTable {
    /// All nodes without it.
    accepted: Option<BTreeSet<String>>,
    lost_after: Duration,
    nodes: BTreeMap<String, TrackedNode>,
    /// Whether one of them played when that was last looked at.
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

    /// Returns whether a node has reported too often what does not fit.
    pub(super) fn is_out(&self, node: &str) -> bool {
        let known = self.nodes.get(node);
        known.is_some_and(|known| known.shown.standing == NodeStanding::Unwelcome)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Takes in the state of a node. Returns why it does not play the match, if that is new.
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

    /// Returns whether no node can play any more, once.
    pub(super) fn stops_playing(&mut self) -> bool {
        let plays = self.slots() > 0;
        std::mem::replace(&mut self.plays, plays) && !plays
    }

    /// Returns the slots of all nodes that play.
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

    /// Counts a report that does not fit. Returns whether it was one too many.
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

    /// Returns a node that has just sent something.
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
