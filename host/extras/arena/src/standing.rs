//! What the arena knows while it runs: its players, their results and who plays next.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::{Duration, SystemTime},
};

use config::ClockControl;
use fastrand::Rng;

use crate::{
    contestant::ArenaPlayer,
    finished::FinishedPair,
    ladder::Ladder,
    player::{PlayerId, StoredPlayer},
    results::Results,
    scheduler::{Availability, PairCandidate, next_pair},
    store::{StoreError, StoreReader},
};

/// The number of consecutive faults after which a player rests.
const MAX_FAULTS: u32 = 3;
/// The sides in a pair: two games with two players each.
const SIDES_OF_A_PAIR: f64 = 4.0;
/// Even fast players need this long for a pair: workers start, and moves pass between processes.
const LEAST_PAIR_SECONDS: f64 = 1.0;

#[derive(Debug)]
pub(crate) struct Standing {
    pub(crate) contestants: Vec<ArenaPlayer>,
    /// Its rows are the contestants as soon as they have started.
    pub(crate) ladder: Arc<Ladder>,
    /// The number of consecutive faults of each player.
    faults: BTreeMap<PlayerId, u32>,
    /// The number of pairs since each player's last pair.
    waits: BTreeMap<PlayerId, usize>,
    /// The number of rounds started for each pairing, keyed with the smaller id first.
    rounds: BTreeMap<(PlayerId, PlayerId), usize>,
    /// The number of the last pair that was started.
    last_number: u64,
    /// The players that an admin wants to rate now.
    requested: BTreeSet<PlayerId>,
    time_control: ClockControl,
}

impl Standing {
    /// Reads these entries' players and results from the file. No player plays until
    /// [`replace`](Self::replace).
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn read(
        file: &StoreReader,
        entries: &[String],
        time_control: ClockControl,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            contestants: Vec::new(),
            ladder: Arc::new(Ladder::of(file, |player, _| {
                entries.contains(&player.entry)
            })?),
            faults: BTreeMap::new(),
            waits: BTreeMap::new(),
            rounds: BTreeMap::new(),
            last_number: 0,
            requested: BTreeSet::new(),
            time_control,
        })
    }

    /// Replaces the players.
    pub(crate) fn replace(&mut self, contestants: Vec<ArenaPlayer>, players: Vec<StoredPlayer>) {
        let current: Vec<_> = contestants
            .iter()
            .map(|contestant| contestant.stored.id)
            .collect();
        self.contestants = contestants;
        self.ladder = Arc::new(Ladder::new(players, self.ladder.results.clone(), &current));
    }

    /// Stops players from playing.
    pub(crate) fn remove(&mut self, players: [PlayerId; 2]) {
        self.contestants
            .retain(|contestant| !players.contains(&contestant.stored.id));
    }

    fn rate(&mut self, players: Vec<StoredPlayer>, results: Results) {
        let current: Vec<_> = self.ladder.rows.iter().map(|row| row.player.id).collect();
        self.ladder = Arc::new(Ladder::new(players, results, &current));
    }

    /// Adds a pair that was written to the file. Returns the players with too many consecutive
    /// faults.
    pub(crate) fn record(
        &mut self,
        pair: &FinishedPair,
        players: &[ArenaPlayer; 2],
    ) -> Vec<PlayerId> {
        let mut results = self.ladder.results.clone();
        results.add(pair);
        // The ladder's copies come last, so they replace the others. Only they know whether a
        // player is resting.
        let stored = players.iter().map(|contestant| &contestant.stored);
        self.rate(
            stored
                .chain(self.ladder.players.values())
                .cloned()
                .collect(),
            results,
        );
        let ids = [pair.first.record.white, pair.first.record.black];
        for game in pair.games() {
            for player in ids {
                let faults = self.faults.entry(player).or_default();
                *faults = if game.record.faulty_player() == Some(player) {
                    *faults + 1
                } else {
                    0
                };
            }
        }
        let is_tired = |player: &PlayerId| self.faults[player] >= MAX_FAULTS;
        let tired: Vec<_> = ids.into_iter().filter(is_tired).collect();
        self.faults.retain(|player, _| !tired.contains(player));
        tired
    }

    pub(crate) fn add_void_pair(&mut self) {
        let mut ladder = (*self.ladder).clone();
        ladder.results.void_pairs += 1;
        self.ladder = Arc::new(ladder);
    }

    /// Makes a player rest, and returns it.
    pub(crate) fn rest(&mut self, id: PlayerId, until: SystemTime) -> Option<StoredPlayer> {
        let mut players = self.ladder.players.clone();
        players.get_mut(&id)?.rests_until = Some(until);
        self.rate(players.into_values().collect(), self.ladder.results.clone());
        self.ladder.players.get(&id).cloned()
    }

    /// Returns the players that are not resting.
    pub(crate) fn able(&self, now: SystemTime) -> impl Iterator<Item = &ArenaPlayer> {
        self.contestants.iter().filter(move |contestant| {
            let player = &self.ladder.players[&contestant.stored.id];
            player.rests_until.is_none_or(|until| until <= now)
        })
    }

    pub(crate) fn rate_now(&mut self, player: PlayerId) -> bool {
        let plays = self
            .contestants
            .iter()
            .any(|contestant| contestant.stored.id == player);
        if plays {
            self.requested.insert(player);
        }
        plays
    }

    /// Chooses the players of the next pair from the players that `may_play` accepts. Returns
    /// `None` if it accepts fewer than two.
    pub(crate) fn next_pair(
        &mut self,
        now: SystemTime,
        may_play: impl Fn(&ArenaPlayer) -> bool,
    ) -> Option<[ArenaPlayer; 2]> {
        let able = self.able(now).filter(|able| may_play(able));
        let able: BTreeMap<_, _> = able.map(|able| (able.stored.id, able)).collect();
        let candidates: Vec<_> = self
            .ladder
            .players
            .keys()
            .map(|id| PairCandidate {
                availability: match able.get(id) {
                    None => Availability::Unavailable,
                    Some(_) if self.requested.contains(id) => Availability::Requested,
                    Some(_) => Availability::Available,
                },
                games: self.ladder.games(*id),
                waited_pairs: self.waits.get(id).copied().unwrap_or(0),
                pair_seconds: self.pair_seconds(*id),
            })
            .collect();
        let (first, second) = next_pair(&candidates, self.ladder.posterior(), &mut Rng::new())?;
        let id_of = |index| self.ladder.players.keys().nth(index);
        let pair = [*able.get(id_of(first)?)?, *able.get(id_of(second)?)?].map(ArenaPlayer::clone);
        for ArenaPlayer { stored, .. } in &self.contestants {
            *self.waits.entry(stored.id).or_default() += 1;
        }
        self.waits
            .extend(pair.each_ref().map(|contestant| (contestant.stored.id, 0)));
        Some(pair)
    }

    /// Estimates how long a player's pairs take if its opponents are equally fast.
    fn pair_seconds(&self, player: PlayerId) -> f64 {
        let record = self.ladder.results.records.get(&player);
        let games = self.ladder.games(player);
        let seconds_a_game = match record {
            Some(record) if games > 0 => {
                Duration::from_millis(record.effort.time_ms).as_secs_f64() / f64::from(games)
            }
            // Assumes that the player uses half of the time on its clock.
            _ => Duration::from_millis(self.time_control.base_ms).as_secs_f64() / 2.0,
        };
        (SIDES_OF_A_PAIR * seconds_a_game).max(LEAST_PAIR_SECONDS)
    }

    /// Returns whether both players still play.
    pub(crate) fn plays(&self, pair: &[ArenaPlayer; 2], now: SystemTime) -> bool {
        pair.iter().all(|contestant| {
            self.able(now)
                .any(|able| able.stored.id == contestant.stored.id)
        })
    }

    /// Starts a pair. Returns its round between its players, from 0, and its number among all
    /// pairs, from 1. No other pair of this process gets the same round and number.
    pub(crate) fn begin_pair(&mut self, [one, other]: [PlayerId; 2]) -> (usize, u64) {
        let pairing = (one.min(other), one.max(other));
        let results = &self.ladder.results;
        let played = results.pairings.get(&pairing);
        let played: u32 = played.map_or(0, |tally| tally.pairs.iter().sum());
        let begun = self.rounds.entry(pairing).or_default();
        let round = (played as usize).max(*begun);
        *begun = round + 1;
        self.last_number = self.last_number.max(results.pairs().into()) + 1;
        (round, self.last_number)
    }
}

#[cfg(test)]
mod tests {
    use tournament::{GameResult, Tally};

    use super::*;
    use crate::player::NewPlayer;

    #[test]
    fn concurrent_pairs_get_different_rounds_and_numbers() {
        let ids = [1, 2, 3].map(PlayerId);
        let player = |id: PlayerId| {
            let entry = id.0.to_string();
            let new = NewPlayer {
                fingerprint: entry.clone(),
                ai: entry.clone(),
                name: entry.clone(),
                entry,
            };
            new.unstored(id)
        };
        let ladder =
            |results: Results| Arc::new(Ladder::new(ids.map(player).to_vec(), results, &ids));
        let [one, other, third] = ids;
        let mut results = Results::default();
        let mut tally = Tally::default();
        tally.add_pair(GameResult::Win, GameResult::Loss);
        results.pairings.insert((one, other), tally);
        let mut standing = Standing {
            contestants: Vec::new(),
            ladder: ladder(results.clone()),
            faults: BTreeMap::new(),
            waits: BTreeMap::new(),
            rounds: BTreeMap::new(),
            last_number: 0,
            requested: BTreeSet::new(),
            time_control: "10+0.1".parse().unwrap(),
        };
        assert_eq!(standing.begin_pair([one, other]), (1, 2));
        assert_eq!(standing.begin_pair([other, one]), (2, 3));
        assert_eq!(standing.begin_pair([one, third]), (0, 4));
        // The second pair ends before the first.
        results
            .pairings
            .entry((one, other))
            .or_default()
            .add_pair(GameResult::Draw, GameResult::Draw);
        standing.ladder = ladder(results);
        assert_eq!(standing.begin_pair([one, other]), (3, 5));
    }
}
