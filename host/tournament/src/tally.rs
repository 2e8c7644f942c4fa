//! Results of games between two players, counted as one of them sees them.

use serde::Serialize;

/// How a game went for a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Points {
    /// It lost.
    Loss,
    /// It drew.
    Draw,
    /// It won.
    Win,
}

impl Points {
    /// How it went for the other player.
    #[must_use]
    pub const fn of_the_other(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }

    /// In half points.
    const fn halves(self) -> usize {
        match self {
            Self::Loss => 0,
            Self::Draw => 1,
            Self::Win => 2,
        }
    }
}

/// Games of a player against another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Won games.
    pub wins: u32,
    /// Drawn games.
    pub draws: u32,
    /// Lost games.
    pub losses: u32,
    /// Pairs of games with one opening and both colours, by the half points that they brought, from 0 to 4.
    pub pairs: [u32; 5],
}

impl Tally {
    /// Counts a game.
    pub const fn add(&mut self, points: Points) {
        match points {
            Points::Loss => self.losses += 1,
            Points::Draw => self.draws += 1,
            Points::Win => self.wins += 1,
        }
    }

    /// Counts two games as a pair, which are counted singly too.
    pub const fn add_pair(&mut self, first: Points, second: Points) {
        self.pairs[first.halves() + second.halves()] += 1;
    }

    /// How many games.
    pub const fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Points of all the games, from 0 to [`games`](Self::games).
    pub fn points(&self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }

    /// The same games as the other player sees them.
    #[must_use]
    pub const fn of_the_other(&self) -> Self {
        let [none, half, one, more, both] = self.pairs;
        Self { wins: self.losses, draws: self.draws, losses: self.wins, pairs: [both, more, one, half, none] }
    }

    /// The possible results with their counts, each result as a part of what could be won: of pairs, if there are any, for
    /// a pair's games are not independent; else of single games.
    pub(super) fn outcomes(&self) -> Vec<(f64, f64)> {
        if self.pairs.iter().any(|count| *count > 0) {
            let results = [0.0, 0.25, 0.5, 0.75, 1.0];
            return results.into_iter().zip(self.pairs.map(f64::from)).collect();
        }
        let counts = [self.losses, self.draws, self.wins].map(f64::from);
        [0.0, 0.5, 1.0].into_iter().zip(counts).collect()
    }
}
