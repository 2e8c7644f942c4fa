//! The ladder: the players' ratings from all results so far.

use std::{collections::BTreeMap, sync::OnceLock};

use tournament::{ByGames, EloEstimate, Posterior, Prior, Rating, Tally, posterior};

use crate::{
    player::{PlayerId, StoredPlayer},
    results::{PlayerRecord, Results},
    store::{StoreError, StoreReader},
};

/// The players with their ratings.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// The current version of each entry, best first.
    pub rows: Vec<LadderRow>,
    /// All versions of the entries, by id.
    pub players: BTreeMap<PlayerId, StoredPlayer>,
    pub results: Results,
    priors: Vec<Prior>,
    posterior: Posterior,
    /// Computed on first use.
    by_games: OnceLock<ByGames>,
}

/// A player with its rating and results.
#[derive(Clone, Debug)]
pub struct LadderRow {
    pub player: StoredPlayer,
    /// `None` before the first game, unless the player is an anchor.
    pub rating: Option<Rating>,
    /// The results of all games.
    pub total: Tally,
    pub record: PlayerRecord,
}

impl Ladder {
    /// Reads a file and rates its players. The latest version of each entry is in the ladder.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(file: &StoreReader) -> Result<Self, StoreError> {
        Self::of(file, |player, results| results.has(player.id))
    }

    /// Like [`Self::read`], but takes each entry's latest version from the players for
    /// which `is_member` is true.
    pub(crate) fn of(
        file: &StoreReader,
        is_member: impl Fn(&StoredPlayer, &Results) -> bool,
    ) -> Result<Self, StoreError> {
        let (players, results) = (file.players()?, file.results()?);
        let members = players.iter().filter(|player| is_member(player, &results));
        let latest: BTreeMap<_, _> = members
            .map(|player| (player.entry.clone(), player.id))
            .collect();
        Ok(Self::new(
            players,
            results,
            &latest.into_values().collect::<Vec<_>>(),
        ))
    }

    /// Rates the players with results. `current` holds the versions that play now. Other players
    /// without results are left out, because they have only played unrated matches.
    pub(crate) fn new(players: Vec<StoredPlayer>, results: Results, current: &[PlayerId]) -> Self {
        let is_rated = |player: &StoredPlayer| {
            player.anchor_elo.is_some() || current.contains(&player.id) || results.has(player.id)
        };
        let players: BTreeMap<_, _> = players
            .into_iter()
            .filter(is_rated)
            .map(|player| (player.id, player))
            .collect();
        let index_of: BTreeMap<_, _> = players
            .keys()
            .enumerate()
            .map(|(index, &id)| (id, index))
            .collect();
        let prior = |player: &StoredPlayer| match player.anchor_elo {
            Some(elo) => Prior::Known(elo),
            None => before(&players, player)
                .map_or(Prior::Newcomer, |before| Prior::After(index_of[&before])),
        };
        let priors: Vec<_> = players.values().map(prior).collect();
        let pairings = indexed(&results, |id| index_of[&id]);
        let posterior = posterior(&priors, &pairings);
        let by_games = OnceLock::new();
        let mut ladder = Self {
            rows: Vec::new(),
            players,
            results,
            priors,
            posterior,
            by_games,
        };
        let mut rows: Vec<_> = current.iter().filter_map(|&id| ladder.row(id)).collect();
        let elo = |row: &LadderRow| row.rating.map_or(f64::NEG_INFINITY, |rating| rating.elo);
        rows.sort_by(|one, other| {
            elo(other)
                .total_cmp(&elo(one))
                .then(one.player.id.cmp(&other.player.id))
        });
        ladder.rows = rows;
        ladder
    }

    /// Returns a player with its rating, even if it is not in the ladder.
    pub fn row(&self, id: PlayerId) -> Option<LadderRow> {
        let player = self.players.get(&id)?.clone();
        let mut total = Tally::default();
        for (_, tally) in self.opponents(id) {
            total = total.with(&tally);
        }
        let is_rated = total.games() > 0 || player.anchor_elo.is_some();
        let rating = is_rated.then(|| self.posterior.rating(self.index_of(id)));
        let record = self.results.records.get(&id).copied().unwrap_or_default();
        Some(LadderRow {
            player,
            rating,
            total,
            record,
        })
    }

    /// Returns the opponents of a player, with its results against them.
    pub fn opponents(&self, id: PlayerId) -> impl Iterator<Item = (PlayerId, Tally)> {
        self.results
            .pairings
            .iter()
            .filter_map(move |(&(first, second), tally)| match id {
                _ if id == first => Some((second, *tally)),
                _ if id == second => Some((first, tally.reversed())),
                _ => None,
            })
    }

    /// Returns the number of a player's games.
    pub(crate) fn games(&self, id: PlayerId) -> u32 {
        self.opponents(id).map(|(_, tally)| tally.games()).sum()
    }

    /// Returns the versions of an entry, oldest first.
    pub fn versions(&self, entry: &str) -> impl Iterator<Item = &StoredPlayer> {
        self.players
            .values()
            .filter(move |player| player.entry == entry)
    }

    /// Returns the difference from the previous version, based only on games, or `None` if there is
    /// no previous version or no games connect the two.
    pub fn progress(&self, id: PlayerId) -> Option<EloEstimate> {
        let before = before(&self.players, self.players.get(&id)?)?;
        let by_games = self.by_games.get_or_init(|| {
            ByGames::new(
                &self.priors,
                &indexed(&self.results, |player| self.index_of(player)),
            )
        });
        by_games.difference(self.index_of(id), self.index_of(before))
    }

    /// Returns whether at least one player has a fixed rating.
    pub fn is_anchored(&self) -> bool {
        self.players
            .values()
            .any(|player| player.anchor_elo.is_some())
    }

    /// Returns the likelihood that a player is stronger than another, or `None` unless both have
    /// ratings.
    pub fn superiority(&self, one: &LadderRow, other: &LadderRow) -> Option<f64> {
        let [first, second] =
            [one, other].map(|row| row.rating.map(|_| self.index_of(row.player.id)));
        Some(self.posterior.difference(first?, second?).superiority)
    }

    pub(crate) const fn posterior(&self) -> &Posterior {
        &self.posterior
    }

    /// Returns the index of a player in the posterior.
    pub(crate) fn index_of(&self, id: PlayerId) -> usize {
        self.players.range(..id).count()
    }
}

/// Returns the version before a player.
fn before(players: &BTreeMap<PlayerId, StoredPlayer>, player: &StoredPlayer) -> Option<PlayerId> {
    let earlier = players
        .values()
        .filter(|other| other.entry == player.entry && other.version < player.version);
    earlier
        .max_by_key(|other| other.version)
        .map(|other| other.id)
}

/// Returns the results, keyed by the indices of the players.
fn indexed(
    results: &Results,
    index_of: impl Fn(PlayerId) -> usize,
) -> BTreeMap<(usize, usize), Tally> {
    let index = |(&(first, second), &tally): (&(PlayerId, PlayerId), &Tally)| {
        ((index_of(first), index_of(second)), tally)
    };
    results.pairings.iter().map(index).collect()
}
