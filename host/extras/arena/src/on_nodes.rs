//! The arena's pairs on the operator's own nodes, in addition to the tables on this machine.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use fleet_match::{AcceptedNodes, OrganizerError, PlayerManifest, observe_matches};
use futures_util::{StreamExt as _, stream::FuturesUnordered};
use tokio::{task::spawn_blocking, time::sleep};
use tournament::{Openings, PlayedMatchGame};

use crate::{
    contestant::ArenaPlayer,
    nodes::{NodeWatch, NodesError, PlayingFleet, tournament},
    play::NewPair,
    player::PlayerId,
    shared::ArenaShared,
    store::StoreError,
};

/// The maximum number of parallel pairs. Each is a match, and a node takes at most 32 matches.
const MAX_TABLES: usize = 16;
/// How often the arena looks for nodes while it plays no pair on them.
const LOOK_INTERVAL: Duration = Duration::from_secs(10);
/// How long the arena waits for nodes to report. Each reports every second.
const LOOK_TIME: Duration = Duration::from_millis(2500);
/// How often a pair checks the state of its nodes.
const STATE_INTERVAL: Duration = Duration::from_secs(1);
/// The time from the start of a pair until all nodes have reported.
const HEARD_AFTER: Duration = Duration::from_secs(5);
/// How long a player that no node can run plays only on this machine.
const STAY: Duration = Duration::from_hours(1);

/// The state that the pairs share.
#[derive(Default)]
struct Tables {
    /// The number of slots on nodes.
    slots: Cell<usize>,
    /// Whether NATS is unavailable.
    is_away: Cell<bool>,
    /// The players that play only on this machine, each with the time until which this holds.
    /// `None` means that it lasts until the server stops.
    staying: RefCell<BTreeMap<PlayerId, Option<Instant>>>,
    /// The players that nodes have run.
    travelled: RefCell<BTreeSet<PlayerId>>,
}

/// Why nodes stop playing a pair.
enum End {
    /// The arena is paused, or a player has left.
    Closed,
    /// No node can play it.
    Refused(String),
    Store(StoreError),
}

/// Plays until the future is dropped.
pub(crate) async fn play_pairs(shared: &Arc<ArenaShared>, fleet: &PlayingFleet) {
    let (tables, mut running) = (Tables::default(), FuturesUnordered::new());
    let mut control = shared.control.subscribe();
    loop {
        let is_paused = control.borrow_and_update().paused.is_some();
        if !is_paused && running.len() < tables.slots.get().min(MAX_TABLES) {
            let now = SystemTime::now();
            let drawn = shared
                .standing()
                .next_pair(now, |player| tables.travels(player));
            if let Some(contestants) = drawn {
                running.push(tables.play_pair(shared, fleet, contestants));
                continue;
            }
        }
        let is_idle = running.is_empty();
        tokio::select! {
            Some(()) = running.next() => {}
            // Waits only for changes to `paused`. Other changes are so frequent that `look` would
            // never finish.
            _ = control.wait_for(|control| control.paused.is_some() != is_paused) => {}
            () = tables.look(fleet), if is_idle && !is_paused => {}
            () = sleep(STATE_INTERVAL), if !is_idle => {}
        }
    }
}

impl Tables {
    /// Returns whether nodes may run a player.
    fn travels(&self, player: &ArenaPlayer) -> bool {
        let id = player.stored.id;
        if player.has_tables() {
            if self.staying.borrow_mut().insert(id, None).is_none() {
                note_staying(player, "its tablebases are not sent to nodes");
            }
            return false;
        }
        match self.staying.borrow().get(&id) {
            None => true,
            Some(until) => until.is_some_and(|until| until <= Instant::now()),
        }
    }

    /// Counts the slots of the operator's nodes.
    async fn look(&self, PlayingFleet { settings, .. }: &PlayingFleet) {
        match observe_matches(settings, LOOK_TIME).await {
            Ok(mut seen) => {
                seen.retain(|name, _| settings.nodes.contains(name));
                self.slots.set(seen.values().map(|node| node.slots).sum());
            }
            Err(error) => tracing::debug!(%error, "the arena found no nodes"),
        }
        sleep(LOOK_INTERVAL).await;
    }

    /// Plays a pair until it ends, a player leaves, or no node can play it.
    async fn play_pair(
        &self,
        shared: &Arc<ArenaShared>,
        fleet: &PlayingFleet,
        contestants: [ArenaPlayer; 2],
    ) {
        let pair = shared.new_pair(&contestants);
        let mut control = shared.control.subscribe();
        while shared.standing().plays(&contestants, SystemTime::now()) {
            // This cannot fail: the sender lives as long as this future.
            let _ = control.wait_for(|control| control.paused.is_none()).await;
            match self.play(shared, fleet, &pair).await {
                Ok(()) => {
                    self.is_away.set(false);
                    let ids = contestants.each_ref().map(|player| player.stored.id);
                    return self.travelled.borrow_mut().extend(ids);
                }
                Err(NodesError::Ended(End::Closed)) => {}
                Err(NodesError::Ended(End::Refused(reason))) => {
                    return self.keep_unknown(&contestants, &reason);
                }
                Err(NodesError::Ended(End::Store(error))) => return shared.pause_for(&error),
                Err(NodesError::Organizer(
                    error @ (OrganizerError::Fleet(_) | OrganizerError::Queue(_)),
                )) => {
                    if !self.is_away.replace(true) {
                        tracing::warn!(%error, "the arena is waiting for its fleet");
                    }
                    sleep(LOOK_INTERVAL).await;
                }
                Err(NodesError::Organizer(error)) => {
                    return self.keep_private(&contestants, &error).await;
                }
            }
        }
    }

    async fn play(
        &self,
        shared: &Arc<ArenaShared>,
        fleet: &PlayingFleet,
        pair: &NewPair<'_>,
    ) -> Result<(), NodesError<End>> {
        let (nodes, began) = (NodeWatch::default(), Instant::now());
        let contestants = pair.contestants;
        let stopped = async {
            let mut control = shared.control.subscribe();
            loop {
                let is_paused = control.borrow_and_update().paused.is_some();
                if is_paused || !shared.standing().plays(contestants, SystemTime::now()) {
                    return End::Closed;
                }
                let reason = nodes.refusal();
                if let Some(reason) = reason.filter(|_| began.elapsed() >= HEARD_AFTER) {
                    return End::Refused(reason);
                }
                if let Some(slots) = nodes.slots() {
                    self.slots.set(slots);
                }
                tokio::select! {
                    _ = control.changed() => {}
                    () = sleep(STATE_INTERVAL) => {}
                }
            }
        };
        let on_pair = async |games: Vec<PlayedMatchGame>| {
            let finished = pair.of_node(games);
            let (shared, players) = (Arc::clone(shared), contestants.clone());
            // Recording may wait for other processes.
            let recording = spawn_blocking(move || shared.record(&finished, &players));
            let recorded = recording.await.expect("writing a pair does not panic");
            recorded.map_err(End::Store)
        };
        let openings = Openings::of_games(vec![pair.opening.game.clone()]);
        let match_of_pair = tournament(
            contestants,
            2,
            pair.settings,
            openings.expect("the arena's openings can be played"),
            pair.number,
            &shared.program,
        );
        let accepted = AcceptedNodes::Own;
        Box::pin(fleet.play(match_of_pair, 0, accepted, &nodes, stopped, on_pair)).await
    }

    /// Keeps players of a pair on this machine if their files cannot be read or sent.
    async fn keep_private(&self, contestants: &[ArenaPlayer; 2], error: &OrganizerError) {
        let players = contestants.each_ref().map(|player| player.player.clone());
        let check = move || players.map(|player| PlayerManifest::of(&player).err());
        let found = spawn_blocking(check).await;
        let found = found.expect("reading files does not panic");
        let is_unclear = found.iter().all(Option::is_none);
        for (player, refused) in contestants.iter().zip(found) {
            let reason = match refused {
                Some(refused) => refused.to_string(),
                None if is_unclear => error.to_string(),
                None => continue,
            };
            note_staying(player, &reason);
            self.staying.borrow_mut().insert(player.stored.id, None);
        }
    }

    /// Keeps players of a refused pair on this machine for a while: the players that no node has
    /// run before, or both if nodes have run both.
    fn keep_unknown(&self, contestants: &[ArenaPlayer; 2], reason: &str) {
        let travelled = self.travelled.borrow();
        let is_unknown = |player: &&ArenaPlayer| !travelled.contains(&player.stored.id);
        let are_known = contestants.iter().filter(is_unknown).count() == 0;
        for player in contestants
            .iter()
            .filter(|player| are_known || is_unknown(player))
        {
            note_staying(player, reason);
            let until = Some(Instant::now() + STAY);
            self.staying.borrow_mut().insert(player.stored.id, until);
        }
    }
}

fn note_staying(player: &ArenaPlayer, reason: &str) {
    let (player, version) = (&player.stored.entry, player.stored.version);
    tracing::warn!(
        player,
        version,
        reason,
        "a player now plays only on this machine"
    );
}
