//! Properties of ratings with priors, on simulated ladders.

use fastrand::Rng;
use proptest::prelude::*;

use super::*;
use crate::tally::GameResult;

type Pairings = BTreeMap<(usize, usize), Tally>;

/// Players with their true strengths.
struct Ladder {
    priors: Vec<Prior>,
    elos: Vec<f64>,
}

impl Ladder {
    /// Returns a ladder with strengths drawn from the priors.
    fn draw(priors: &[Prior], rng: &mut Rng) -> Self {
        let mut elos: Vec<f64> = Vec::new();
        for prior in priors {
            let (mean, error) = match prior {
                Prior::Known(elo) => (*elo, 0.0),
                Prior::Newcomer => (AVERAGE, NEWCOMER_ERROR),
                Prior::After(predecessor) => (elos[*predecessor], VERSION_ERROR),
            };
            elos.push(mean + error / DEVIATIONS_OF_95_PERCENT * normal(rng));
        }
        Self {
            priors: priors.to_vec(),
            elos,
        }
    }

    /// Returns the strengths on the scale of the ratings.
    fn relative_elos(&self) -> Vec<f64> {
        if self.priors.iter().any(|prior| prior.known().is_some()) {
            return self.elos.clone();
        }
        let newcomers = self
            .priors
            .iter()
            .zip(&self.elos)
            .filter(|(prior, _)| **prior == Prior::Newcomer);
        let average = mean(newcomers.map(|(_, elo)| *elo));
        self.elos
            .iter()
            .map(|elo| AVERAGE + elo - average)
            .collect()
    }

    /// Adds the results of pairs of games.
    fn play(
        &self,
        pairings: &mut Pairings,
        (first, second): (usize, usize),
        pairs: usize,
        rng: &mut Rng,
    ) {
        let tally = pairings.entry((first, second)).or_default();
        let score = expected_score(self.elos[first] - self.elos[second]);
        // Strong players draw more.
        let draws = ((self.elos[first] + self.elos[second]) / 6000.0).clamp(0.1, 0.9);
        for _ in 0..pairs {
            // An opening helps one colour, and thus each player once.
            let help = 0.8 * (2.0 * rng.f64() - 1.0) * score.min(1.0 - score);
            let results = [score + help, score - help].map(|score| game(score, draws, rng));
            tally.add(results[0]);
            tally.add(results[1]);
            tally.add_pair(results[0], results[1]);
        }
    }
}

/// Returns a random result of a game with this expected score.
fn game(score: f64, draws: f64, rng: &mut Rng) -> GameResult {
    let draw = 2.0 * draws * score.min(1.0 - score);
    match rng.f64() {
        random if random < draw => GameResult::Draw,
        random if random < score + draw / 2.0 => GameResult::Win,
        _ => GameResult::Loss,
    }
}

/// Returns a random value from the standard normal distribution.
fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (std::f64::consts::TAU * rng.f64()).cos()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

fn pairings_of(players: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..players).flat_map(move |first| (first + 1..players).map(move |second| (first, second)))
}

/// Returns a ladder with strengths drawn from its priors, and fewer than `pairs` pairs of games
/// between any two players.
fn played(priors: &[Prior], pairs: usize, rng: &mut Rng) -> (Ladder, Pairings) {
    let ladder = Ladder::draw(priors, rng);
    let mut pairings = Pairings::new();
    for pairing in pairings_of(priors.len()) {
        ladder.play(&mut pairings, pairing, rng.usize(..pairs), rng);
    }
    (ladder, pairings)
}

fn tally(wins: u32, draws: u32, losses: u32, pairs: [u32; 5]) -> Tally {
    Tally {
        wins,
        draws,
        losses,
        pairs,
    }
}

fn close(found: f64, expected: f64, within: f64) -> bool {
    (found - expected).abs() <= within
}

/// Returns where a function with one maximum reaches it.
fn golden_section(function: impl Fn(f64) -> f64) -> f64 {
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (-1000.0, 1000.0);
    for _ in 0..40 {
        let width = golden * (high - low);
        if function(high - width) < function(low + width) {
            low = high - width;
        } else {
            high = low + width;
        }
    }
    f64::midpoint(low, high)
}

/// Returns the ratings that maximize the posterior density, player by player by golden sections,
/// with the dispersions of these ratings.
fn slow_elos(priors: &[Prior], pairings: &Pairings) -> Vec<f64> {
    let anchors = || priors.iter().filter_map(|prior| prior.known());
    let average = if anchors().count() == 0 {
        1500.0
    } else {
        mean(anchors())
    };
    let mut elos: Vec<_> = priors
        .iter()
        .map(|prior| prior.known().unwrap_or(average))
        .collect();
    for _ in 0..100 {
        let score = |elos: &[f64], (first, second): (usize, usize)| {
            expected_score(elos[first] - elos[second])
        };
        // The squared deviations of the half points, as found and as expected.
        let squares: Vec<_> = pairings
            .iter()
            .map(|(&pairing, tally)| {
                let score = score(&elos, pairing);
                let found = tally
                    .pairs
                    .iter()
                    .zip(0..)
                    .map(|(count, halves): (_, u32)| {
                        f64::from(*count) * (f64::from(halves) - 4.0 * score).powi(2)
                    });
                (
                    found.sum::<f64>(),
                    4.0 * f64::from(tally.games()) * score * (1.0 - score),
                    score,
                )
            })
            .collect();
        let surplus: f64 = squares
            .iter()
            .map(|(found, expected, _)| found - expected)
            .sum();
        let even: f64 = squares
            .iter()
            .map(|(_, expected, score)| expected * 4.0 * score * (1.0 - score))
            .sum();
        let dispersions: Vec<_> = squares
            .iter()
            .map(|(found, expected, score)| {
                let assumed = 1.0 + surplus / (even + 20.0) * 4.0 * score * (1.0 - score);
                (found + 20.0 * assumed) / (expected + 20.0)
            })
            .collect();
        let log_density = |elos: &[f64]| {
            let results =
                pairings
                    .iter()
                    .zip(&dispersions)
                    .map(|((&pairing, tally), dispersion)| {
                        let score = score(elos, pairing);
                        let lost = f64::from(tally.games()) - tally.points();
                        (tally.points() * score.ln() + lost * (1.0 - score).ln()) / dispersion
                    });
            let before = priors.iter().zip(elos).map(|(prior, elo)| match prior {
                Prior::Known(_) => 0.0,
                Prior::Newcomer => -((elo - average) * 1.96 / 1000.0).powi(2) / 2.0,
                Prior::After(predecessor) => {
                    -((elo - elos[*predecessor]) * 1.96 / 100.0).powi(2) / 2.0
                }
            });
            results.chain(before).sum::<f64>()
        };
        let free = || (0..priors.len()).filter(|&player| priors[player].known().is_none());
        // All free players also move together. Only the priors fix their level, so single steps
        // would be small.
        for players in free().map(|player| vec![player]).chain([free().collect()]) {
            let raised = |elos: &[f64], by: f64| {
                let mut elos = elos.to_vec();
                for &player in &players {
                    elos[player] += by;
                }
                elos
            };
            let by = golden_section(|by| log_density(&raised(&elos, by)));
            elos = raised(&elos, by);
        }
    }
    elos
}

const WITHOUT_ANCHOR: [Prior; 5] = [
    Prior::Newcomer,
    Prior::Newcomer,
    Prior::After(0),
    Prior::Newcomer,
    Prior::After(2),
];
const ANCHORED: [Prior; 5] = [
    Prior::Known(1500.0),
    Prior::Newcomer,
    Prior::After(0),
    Prior::Newcomer,
    Prior::After(2),
];

/// Returns the share of ratings and of differences that the 95 % intervals cover in 1000 ladders.
fn coverage(ladders: &[[Prior; 5]], pairs: usize) -> [f64; 2] {
    let mut rng = Rng::with_seed(33);
    let (mut ratings, mut differences) = (Vec::new(), Vec::new());
    for priors in ladders.iter().cycle().take(1000) {
        let (ladder, pairings) = played(priors, pairs, &mut rng);
        let strengths = ladder.relative_elos();
        let posterior = posterior(priors, &pairings);
        for player in (0..5).filter(|&player| priors[player].known().is_none()) {
            let Rating { elo, error, .. } = posterior.rating(player);
            ratings.push(close(elo, strengths[player], error));
        }
        for (first, second) in pairings_of(5) {
            let EloEstimate { elo, error, .. } = posterior.difference(first, second);
            differences.push(close(elo, strengths[first] - strengths[second], error));
        }
    }
    [ratings, differences].map(|covered| mean(covered.into_iter().map(f64::from)))
}

#[test]
fn intervals_cover_the_strengths() {
    let versions = [
        Prior::Known(1500.0),
        Prior::After(0),
        Prior::After(1),
        Prior::After(2),
        Prior::After(3),
    ];
    for (ladders, pairs) in [
        (&[WITHOUT_ANCHOR, ANCHORED][..], 5),
        (&[WITHOUT_ANCHOR, ANCHORED], 20),
        (&[versions], 40),
    ] {
        let shares = coverage(ladders, pairs);
        assert!(
            shares.iter().all(|share| (0.93..=0.97).contains(share)),
            "{shares:?}"
        );
    }
}

#[test]
fn matches_an_independent_optimizer() {
    let mut rng = Rng::with_seed(7);
    for priors in [WITHOUT_ANCHOR, ANCHORED] {
        let (_, pairings) = played(&priors, 20, &mut rng);
        let posterior = posterior(&priors, &pairings);
        for (player, expected) in slow_elos(&priors, &pairings).into_iter().enumerate() {
            let found = posterior.rating(player).elo;
            assert!(close(found, expected, 0.1), "{found} {expected}");
        }
    }
}

#[test]
fn players_without_games_keep_their_priors() {
    let priors = [
        Prior::Known(1800.0),
        Prior::Known(2000.0),
        Prior::Newcomer,
        Prior::After(1),
        Prior::After(3),
    ];
    let found = posterior(&priors, &Pairings::new());
    let ratings = (0..5)
        .map(|player| found.rating(player).to_string())
        .collect::<Vec<_>>();
    let expected = [
        "1800 ± 0",
        "2000 ± 0",
        "1900 ± 1000",
        "2000 ± 100",
        "2000 ± 141",
    ];
    assert_eq!(
        ratings,
        expected.map(|rating| format!("{rating} Elo (95 %)"))
    );
    assert_eq!(
        found.difference(4, 3).to_string(),
        "+0.0 ± 100.0 Elo (95 %)"
    );
    let superiorities = [1, 0].map(|other| found.difference(0, other).superiority);
    assert!(
        close(superiorities[0], 0.0, 1e-9) && close(superiorities[1], 0.5, 1e-9),
        "{superiorities:?}"
    );
    assert!(posterior(&[], &Pairings::new()).elos.is_empty());
    assert_eq!(
        posterior(&[Prior::Newcomer], &Pairings::new())
            .rating(0)
            .to_string(),
        "1500 ± 0 Elo (95 %)"
    );
}

#[test]
fn without_an_anchor_the_newcomers_average_1500() {
    let (_, pairings) = played(&WITHOUT_ANCHOR, 20, &mut Rng::with_seed(3));
    let found = posterior(&WITHOUT_ANCHOR, &pairings);
    let average = mean([0, 1, 3].into_iter().map(|player| found.rating(player).elo));
    assert!(close(average, 1500.0, 1e-6), "{average}");
    // Relative to their average, two players are as uncertain as half of their difference.
    let two = posterior(
        &[Prior::Newcomer; 2],
        &[((0, 1), tally(20, 20, 10, [2, 5, 8, 5, 5]))].into(),
    );
    assert!(
        close(two.rating(0).error, two.difference(0, 1).error / 2.0, 1e-6),
        "{two:?}"
    );
}

#[test]
fn results_eventually_outweigh_priors() {
    let after = [Prior::Known(1500.0), Prior::After(0)];
    let won = |pairs: u32| {
        let pairings = [((0, 1), tally(0, pairs, pairs, [0, pairs, 0, 0, 0]))].into();
        posterior(&after, &pairings).rating(1)
    };
    let (few, many) = (won(2), won(2000));
    assert!(
        few.elo < 1600.0 && close(many.elo, 1690.8, 1.0),
        "{few} {many}"
    );
    assert!(few.error > 50.0 && many.error < 10.0, "{few} {many}");
}

#[test]
fn pairs_that_scatter_less_have_smaller_errors() {
    let of = |pairs| {
        posterior(
            &[Prior::Newcomer; 2],
            &[((0, 1), tally(60, 80, 60, pairs))].into(),
        )
        .rating(0)
        .error
    };
    let (narrow, independent, wide) = (
        of([0, 10, 80, 10, 0]),
        of([9, 24, 34, 24, 9]),
        of([20, 20, 20, 20, 20]),
    );
    assert!(
        narrow < 0.5 * independent && independent < 0.8 * wide,
        "{narrow} {independent} {wide}"
    );
}

#[test]
fn a_difference_based_on_games_ignores_the_prior() {
    let priors = [Prior::Newcomer, Prior::After(0), Prior::Newcomer];
    let results = |wins, losses, pairs| tally(wins, 0, losses, pairs);
    let worse = ((0, 2), results(10, 30, [10, 0, 10, 0, 0]));
    let better = ((1, 2), results(30, 10, [0, 0, 10, 0, 10]));
    let pairings = [worse, better].into();
    let by_games = ByGames::new(&priors, &pairings).difference(1, 0).unwrap();
    assert!(close(by_games.elo, 2.0 * 190.85, 0.1), "{by_games}");
    let with_prior = posterior(&priors, &pairings).difference(1, 0);
    assert!(
        with_prior.elo < 0.5 * by_games.elo && with_prior.error < by_games.error,
        "{with_prior}"
    );
    // Neither wins without losses nor a prior connects players.
    assert_eq!(
        ByGames::new(&priors, &[better].into()).difference(1, 0),
        None
    );
    let won = ((1, 2), results(40, 0, [0, 0, 0, 0, 20]));
    assert_eq!(
        ByGames::new(&priors, &[worse, won].into()).difference(1, 0),
        None
    );
    // Known ratings connect players.
    let anchored = [
        Prior::Newcomer,
        Prior::After(0),
        Prior::Known(1500.0),
        Prior::Known(1600.0),
    ];
    let apart = [worse, ((1, 3), better.1)].into();
    assert!(close(
        ByGames::new(&anchored, &apart)
            .difference(1, 0)
            .unwrap()
            .elo,
        481.7,
        0.1
    ));
}

#[test]
fn a_gain_is_the_variance_that_a_pair_removes() {
    // Four players 100 Elo apart. The last has played least.
    let of = |pairs: u32| {
        let won = |count: u32| {
            let (better, worse) = (16 * count / 25, 2 * count / 25);
            let even = count - better - worse;
            tally(
                better + even,
                better + worse,
                worse + even,
                [0, worse, even, better, 0],
            )
        };
        let games = [
            ((0, 1), won(5000)),
            ((1, 2), won(5000)),
            ((2, 3), won(pairs)),
        ];
        posterior(&[Prior::Newcomer; 4], &games.into())
    };
    let sum = |posterior: &Posterior| {
        (0..4)
            .map(|player| posterior.covariance[player][player])
            .sum::<f64>()
    };
    let (before, after) = (of(500), of(525));
    let (gain, found) = (before.gain(2, 3), (sum(&before) - sum(&after)) / 25.0);
    assert!(close(gain / found, 1.0, 0.1), "{gain} {found}");
    assert!(
        gain > before.gain(1, 3) && before.gain(1, 3) > before.gain(0, 3),
        "{before:?}"
    );
    assert!(
        before.gain(0, 3) > before.gain(0, 1) && close(before.gain(0, 0), 0.0, 1e-9),
        "{before:?}"
    );
}

proptest! {
    #[test]
    fn any_results_give_finite_ratings(
        results in proptest::collection::vec(
            (0_usize..5, 0_usize..5, proptest::array::uniform5(0_u32..3)),
            0..10,
        ),
        scale in prop_oneof![Just(1_u32), Just(100_000)],
    ) {
        let mut pairings = Pairings::new();
        for (first, second, pairs) in results {
            if first >= second {
                continue;
            }
            let pairs = pairs.map(|count| scale * count);
            let halves: u32 = pairs.iter().zip(0..).map(|(count, halves)| count * halves).sum();
            let games = 2 * pairs.iter().sum::<u32>();
            let (wins, draws) = (halves / 2, halves % 2);
            pairings.insert((first, second), tally(wins, draws, games - wins - draws, pairs));
        }
        for priors in [WITHOUT_ANCHOR, ANCHORED] {
            let found = posterior(&priors, &pairings);
            for player in 0..5 {
                let Rating { elo, error, .. } = found.rating(player);
                prop_assert!(elo.is_finite() && error.is_finite(), "{elo} {error}");
            }
            for (first, second) in pairings_of(5) {
                let by_games = ByGames::new(&priors, &pairings).difference(first, second);
                let estimates = by_games.into_iter().chain([found.difference(first, second)]);
                for EloEstimate { elo, error, .. } in estimates {
                    prop_assert!(elo.is_finite() && error.is_finite(), "{elo} {error}");
                }
                prop_assert!(found.gain(first, second) >= 0.0);
            }
        }
    }
}
