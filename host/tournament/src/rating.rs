//! Maximum-likelihood ratings of a player against rated opponents, or of players against each other.

use serde::Serialize;

use crate::{
    elo::{DEVIATIONS_OF_95_PERCENT, expected_score},
    tally::Tally,
};

/// A rating, on the scale of the opponents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rating {
    pub elo: f64,
    /// The half-width of the 95 % confidence interval.
    pub error: f64,
}

/// Why the results determine no rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unrated {
    #[error("no game was played")]
    NoGames,
    #[error("won all games: stronger than every opponent, by an unknown margin")]
    WonAll,
    #[error("lost all games: weaker than every opponent, by an unknown margin")]
    LostAll,
}

impl Rating {
    /// Returns the rating with an expected score equal to the points against these rated opponents. It is the most likely one
    /// if draws count as half wins.
    ///
    /// # Errors
    /// There is no game, or all games are won or lost.
    pub fn of(games: &[(f64, Tally)]) -> Result<Self, Unrated> {
        let played: f64 = games.iter().map(|(_, tally)| f64::from(tally.games())).sum();
        let points: f64 = games.iter().map(|(_, tally)| tally.points()).sum();
        if played == 0.0 {
            return Err(Unrated::NoGames);
        }
        if points == 0.0 {
            return Err(Unrated::LostAll);
        }
        if points >= played {
            return Err(Unrated::WonAll);
        }
        let expected = |elo: f64| -> f64 {
            games
                .iter()
                .map(|(opponent, tally)| f64::from(tally.games()) * expected_score(elo - opponent))
                .sum()
        };
        let ratings = || games.iter().map(|(opponent, _)| *opponent);
        // No mean score of fewer than ten million games is beyond this distance.
        let (mut low, mut high) = (
            ratings().fold(f64::INFINITY, f64::min) - 3000.0,
            ratings().fold(f64::NEG_INFINITY, f64::max) + 3000.0,
        );
        for _ in 0..100 {
            let elo = f64::midpoint(low, high);
            if expected(elo) < points { low = elo } else { high = elo }
        }
        let elo = f64::midpoint(low, high);
        Ok(Self { elo, error: DEVIATIONS_OF_95_PERCENT * deviation(elo, games) })
    }
}

/// Returns the ratings of players around a mean of 0. `games` has the results of each player, with the index of each opponent.
pub fn ratings(games: &[Vec<(usize, Tally)>]) -> Vec<Result<Rating, Unrated>> {
    /// The assumed distance of a player that won or lost all games.
    const ASSUMED_DISTANCE: f64 = 800.0;
    const ROUNDS: usize = 1000;
    let mut elos = vec![0.0; games.len()];
    let against = |elos: &[f64], player: usize| -> Vec<(f64, Tally)> {
        games[player].iter().map(|(opponent, tally)| (elos[*opponent], *tally)).collect()
    };
    for _ in 0..ROUNDS {
        for player in 0..games.len() {
            let games = against(&elos, player);
            elos[player] = match Rating::of(&games) {
                Ok(rating) => rating.elo,
                Err(Unrated::NoGames) => 0.0,
                Err(Unrated::WonAll) => {
                    games.iter().map(|(elo, _)| *elo).fold(f64::NEG_INFINITY, f64::max) + ASSUMED_DISTANCE
                }
                Err(Unrated::LostAll) => {
                    games.iter().map(|(elo, _)| *elo).fold(f64::INFINITY, f64::min) - ASSUMED_DISTANCE
                }
            }
            .clamp(-3.0 * ASSUMED_DISTANCE, 3.0 * ASSUMED_DISTANCE);
        }
        let mean = elos.iter().sum::<f64>() / f64::from(elos.len().max(1) as u32);
        for elo in &mut elos {
            *elo -= mean;
        }
    }
    (0..games.len()).map(|player| Rating::of(&against(&elos, player))).collect()
}

/// Returns the standard deviation of the points, divided by the slope of the expected points.
fn deviation(elo: f64, games: &[(f64, Tally)]) -> f64 {
    let slope_of_logit = std::f64::consts::LN_10 / 400.0;
    let (mut variance, mut slope) = (0.0, 0.0);
    for (opponent, tally) in games {
        let count = f64::from(tally.games());
        let score = expected_score(elo - opponent);
        let without_draws = score * (1.0 - score);
        // Draws reduce the variance; the bound keeps the error from being too small.
        let drawn = if count > 0.0 { f64::from(tally.draws) / count } else { 0.0 };
        variance += count * (without_draws - drawn / 4.0).max(without_draws / 4.0);
        slope += count * slope_of_logit * without_draws;
    }
    variance.sqrt() / slope
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tally(wins: u32, draws: u32, losses: u32) -> Tally {
        Tally { wins, draws, losses, pairs: [0; 5] }
    }

    fn close(found: f64, expected: f64, within: f64) -> bool {
        (found - expected).abs() <= within
    }

    #[test]
    fn matches_the_elo_formula_for_one_opponent() {
        let even = Rating::of(&[(1500.0, tally(10, 0, 10))]).unwrap();
        assert!(close(even.elo, 1500.0, 0.01), "{even:?}");
        let better = Rating::of(&[(1500.0, tally(75, 0, 25))]).unwrap();
        assert!(close(better.elo, 1690.85, 0.01), "{better:?}");
        // The error of a binomial share of 0.75 in 100 games, over the slope of the curve there.
        let expected =
            1.96 * (0.75_f64 * 0.25 / 100.0).sqrt() / (0.75 * 0.25 * std::f64::consts::LN_10 / 400.0);
        assert!(close(better.error, expected, 0.1), "{better:?}, {expected}");
    }

    #[test]
    fn weights_opponents_by_their_games() {
        // As expected of 1600 against each: the likeliest rating is the true one.
        let games: Vec<_> = [1400.0, 1600.0, 1800.0]
            .map(|opponent| {
                let wins = (10_000.0 * expected_score(1600.0 - opponent)).round() as u32;
                (opponent, tally(wins, 0, 10_000 - wins))
            })
            .to_vec();
        let rating = Rating::of(&games).unwrap();
        assert!(close(rating.elo, 1600.0, 0.1) && rating.error < 6.0, "{rating:?}");
    }

    #[test]
    fn returns_no_rating_if_all_games_are_won_or_lost() {
        assert_eq!(Rating::of(&[]), Err(Unrated::NoGames));
        assert_eq!(Rating::of(&[(1500.0, tally(0, 0, 0))]), Err(Unrated::NoGames));
        assert_eq!(Rating::of(&[(1500.0, tally(9, 0, 0)), (1700.0, tally(1, 0, 0))]), Err(Unrated::WonAll));
        assert_eq!(Rating::of(&[(1500.0, tally(0, 0, 9))]), Err(Unrated::LostAll));
        assert!(Rating::of(&[(1500.0, tally(9, 0, 0)), (1700.0, tally(0, 0, 1))]).is_ok());
    }

    #[test]
    fn rates_players_around_their_mean() {
        // As expected of +100, 0 and -100.
        let met = |difference: f64| {
            let wins = (100_000.0 * expected_score(difference)).round() as u32;
            tally(wins, 0, 100_000 - wins)
        };
        let games = [
            vec![(1, met(100.0)), (2, met(200.0))],
            vec![(0, met(-100.0)), (2, met(100.0))],
            vec![(0, met(-200.0)), (1, met(-100.0))],
        ];
        let found = ratings(&games);
        for (rating, expected) in found.iter().zip([100.0, 0.0, -100.0]) {
            assert!(close(rating.as_ref().unwrap().elo, expected, 0.1), "{found:?}");
        }
        let won = [vec![(1, tally(4, 0, 0))], vec![(0, tally(0, 0, 4))]];
        assert_eq!(ratings(&won), [Err(Unrated::WonAll), Err(Unrated::LostAll)]);
        assert!(ratings(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn expected_points_equal_the_points(
            games in proptest::collection::vec((1000_u16..2800, 0_u32..20, 0_u32..20, 0_u32..20), 1..8),
        ) {
            let games: Vec<_> =
                games.into_iter().map(|(elo, wins, draws, losses)| (f64::from(elo), tally(wins, draws, losses))).collect();
            if let Ok(rating) = Rating::of(&games) {
                let expected: f64 =
                    games.iter().map(|(elo, tally)| f64::from(tally.games()) * expected_score(rating.elo - elo)).sum();
                let points: f64 = games.iter().map(|(_, tally)| tally.points()).sum();
                prop_assert!(close(expected, points, 1e-6), "{expected} {points}");
                prop_assert!(rating.error > 0.0 && rating.error.is_finite());
            }
        }
    }
}
