//! Counted results of a player against an opponent.

use ai_api::Color;
use rules::PgnResult;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The result of a game for a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameResult {
    Loss,
    Draw,
    Win,
}

impl GameResult {
    /// Returns the result for the opponent.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }

    /// Returns White's result as a PGN result.
    pub const fn in_pgn(self) -> PgnResult {
        match self {
            Self::Loss => PgnResult::Win(Color::Black),
            Self::Draw => PgnResult::Draw,
            Self::Win => PgnResult::Win(Color::White),
        }
    }

    /// Returns White's result from a PGN result, or `None` if that is unknown.
    pub const fn of_pgn(result: PgnResult) -> Option<Self> {
        match result {
            PgnResult::Win(Color::White) => Some(Self::Win),
            PgnResult::Win(Color::Black) => Some(Self::Loss),
            PgnResult::Draw => Some(Self::Draw),
            PgnResult::Unknown => None,
        }
    }

    /// Returns the half points.
    const fn halves(self) -> usize {
        match self {
            Self::Loss => 0,
            Self::Draw => 1,
            Self::Win => 2,
        }
    }
}

/// Counted results of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tally {
    /// The number of games won.
    pub wins: u32,
    /// The number of games drawn.
    pub draws: u32,
    /// The number of games lost.
    pub losses: u32,
    /// The number of pairs by the half points that the player scored in them, from 0 to 4.
    pub pairs: [u32; 5],
}

impl Tally {
    /// Adds a game.
    pub const fn add(&mut self, result: GameResult) {
        match result {
            GameResult::Loss => self.losses += 1,
            GameResult::Draw => self.draws += 1,
            GameResult::Win => self.wins += 1,
        }
    }

    /// Adds a pair of games. The caller also adds each game.
    pub const fn add_pair(&mut self, first: GameResult, second: GameResult) {
        self.pairs[first.halves() + second.halves()] += 1;
    }

    pub const fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Returns the points, from 0 to [`games`](Self::games).
    pub fn points(&self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }

    /// Returns the sum of these and other results.
    #[must_use]
    pub fn with(mut self, other: &Self) -> Self {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        for (pairs, others) in self.pairs.iter_mut().zip(other.pairs) {
            *pairs += others;
        }
        self
    }

    /// Returns the results for the opponent.
    #[must_use]
    pub const fn reversed(&self) -> Self {
        let [none, half, one, more, both] = self.pairs;
        Self {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
            pairs: [both, more, one, half, none],
        }
    }

    /// Returns the score, from 0 to 1, and the count of each possible result. Counts pairs, since
    /// the games of a pair are not independent. Counts games if there are no pairs, or if all pairs
    /// are won or all are lost: the pairs then add no information.
    pub(crate) fn scores(&self) -> Vec<(f64, f64)> {
        let [lost, .., won] = self.pairs;
        let count: u32 = self.pairs.iter().sum();
        if count > lost.max(won) {
            self.pair_scores()
        } else {
            self.game_scores()
        }
    }

    /// Returns the score of a pair, from 0 to 1, and the count of each possible result.
    pub(crate) fn pair_scores(&self) -> Vec<(f64, f64)> {
        [0.0, 0.25, 0.5, 0.75, 1.0]
            .into_iter()
            .zip(self.pairs.map(f64::from))
            .collect()
    }

    /// Returns the score of a game, from 0 to 1, and the count of each possible result.
    pub(crate) fn game_scores(&self) -> Vec<(f64, f64)> {
        let counts = [self.losses, self.draws, self.wins].map(f64::from);
        [0.0, 0.5, 1.0].into_iter().zip(counts).collect()
    }
}
