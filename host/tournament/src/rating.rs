//! The rating of a player from games against several opponents whose ratings are known, by maximum likelihood.

use serde::Serialize;

use super::{
    Tally,
    elo::{DEVIATIONS_OF_95_PERCENT, expected_score},
};

/// A rating, on the scale of the opponents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// The likeliest.
    pub elo: f64,
    /// Half of the interval in which it is with a probability of 95 %.
    pub error: f64,
}

/// What the games say where they do not say a rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unrated {
    /// Nothing was played.
    #[error("no game was played")]
    NoGames,
    /// Everything was won, so that any rating from some height on is as likely.
    #[error("every game was won: it is stronger than every opponent by more than these games can tell")]
    WonAll,
    /// Everything was lost.
    #[error("every game was lost: it is weaker than every opponent by more than these games can tell")]
    LostAll,
}

impl Rating {
    /// The rating at which as many points are expected against these opponents, each with its rating, as were made: the
    /// likeliest one where draws are half wins.
    ///
    /// # Errors
    /// Where there is no such rating.
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

/// The ratings of players who met each other, around a mean of 0. `games` are those of each player, with the place of each
/// opponent.
pub fn ratings(games: &[Vec<(usize, Tally)>]) -> Vec<Result<Rating, Unrated>> {
    /// How far above or below its opponents a player is put of whom nothing more is known.
    const FAR: f64 = 800.0;
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
                    games.iter().map(|(elo, _)| *elo).fold(f64::NEG_INFINITY, f64::max) + FAR
                }
                Err(Unrated::LostAll) => {
                    games.iter().map(|(elo, _)| *elo).fold(f64::INFINITY, f64::min) - FAR
                }
            }
            .clamp(-3.0 * FAR, 3.0 * FAR);
        }
        let mean = elos.iter().sum::<f64>() / f64::from(elos.len().max(1) as u32);
        for elo in &mut elos {
            *elo -= mean;
        }
    }
    (0..games.len()).map(|player| Rating::of(&against(&elos, player))).collect()
}

/// The deviation of the points that were made, over how fast the expected ones grow with the rating.
fn deviation(elo: f64, games: &[(f64, Tally)]) -> f64 {
    let slope_of_logit = std::f64::consts::LN_10 / 400.0;
    let (mut variance, mut slope) = (0.0, 0.0);
    for (opponent, tally) in games {
        let count = f64::from(tally.games());
        let score = expected_score(elo - opponent);
        let of_won_and_lost = score * (1.0 - score);
        // A draw is less of a surprise than a win or a loss; but a rating must not seem surer than it can be.
        let drawn = if count > 0.0 { f64::from(tally.draws) / count } else { 0.0 };
        variance += count * (of_won_and_lost - drawn / 4.0).max(of_won_and_lost / 4.0);
        slope += count * slope_of_logit * of_won_and_lost;
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
    fn a_rating_against_one_opponent_is_that_of_the_elo_formula() {
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
    fn several_opponents_are_weighed_by_their_games() {
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
    fn where_all_was_won_or_lost_there_is_no_rating() {
        assert_eq!(Rating::of(&[]), Err(Unrated::NoGames));
        assert_eq!(Rating::of(&[(1500.0, tally(0, 0, 0))]), Err(Unrated::NoGames));
        assert_eq!(Rating::of(&[(1500.0, tally(9, 0, 0)), (1700.0, tally(1, 0, 0))]), Err(Unrated::WonAll));
        assert_eq!(Rating::of(&[(1500.0, tally(0, 0, 9))]), Err(Unrated::LostAll));
        assert!(Rating::of(&[(1500.0, tally(9, 0, 0)), (1700.0, tally(0, 0, 1))]).is_ok());
    }

    #[test]
    fn players_who_met_each_other_are_rated_around_their_mean() {
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
        fn the_rating_expects_the_points_that_were_made(
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
