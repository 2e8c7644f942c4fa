//! Properties of ratings.

use proptest::prelude::*;

use super::*;
use crate::elo::expected_score;

type Pairings = BTreeMap<(usize, usize), Tally>;

fn tally(wins: u32, draws: u32, losses: u32) -> Tally {
    Tally {
        wins,
        draws,
        losses,
        pairs: [0; 5],
    }
}

fn close(found: f64, expected: f64, within: f64) -> bool {
    (found - expected).abs() <= within
}

/// Returns the expected results for a difference.
fn expected_results(difference: f64, games: u32) -> Tally {
    let wins = (f64::from(games) * expected_score(difference)).round() as u32;
    tally(wins, 0, games - wins)
}

/// Returns the rating of a player against opponents with known ratings.
fn against(games: &[(f64, Tally)]) -> Result<Rating, Unrated> {
    let known: Vec<_> = std::iter::once(None)
        .chain(games.iter().map(|(elo, _)| Some(*elo)))
        .collect();
    let pairings = games
        .iter()
        .zip(1..)
        .map(|((_, tally), opponent)| ((0, opponent), *tally))
        .collect();
    ratings(&known, &pairings)[0].rating
}

/// Returns the ratings of connected players.
fn elos(known: &[Option<f64>], pairings: &Pairings) -> Vec<f64> {
    ratings(known, pairings)
        .iter()
        .map(|player| player.rating.unwrap().elo)
        .collect()
}

/// Rates players one after the other by bisection until nothing changes: slow and simple.
fn slow_elos(known: &[Option<f64>], pairings: &Pairings) -> Vec<f64> {
    let mut elos: Vec<_> = known.iter().map(|elo| elo.unwrap_or(0.0)).collect();
    for _ in 0..300 {
        for player in (0..known.len()).filter(|&player| known[player].is_none()) {
            let games: Vec<_> = pairings
                .iter()
                .filter_map(|(&(first, second), tally)| match player {
                    _ if player == first => Some((second, *tally)),
                    _ if player == second => Some((first, tally.reversed())),
                    _ => None,
                })
                .collect();
            let (mut low, mut high) = (-6000.0, 6000.0);
            for _ in 0..60 {
                let middle = f64::midpoint(low, high);
                let surplus = |(opponent, tally): &(usize, Tally)| {
                    tally.points()
                        - f64::from(tally.games()) * expected_score(middle - elos[*opponent])
                };
                if games.iter().map(surplus).sum::<f64>() > 0.0 {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            elos[player] = f64::midpoint(low, high);
        }
        if known.iter().all(Option::is_none) {
            let mean = elos.iter().sum::<f64>() / f64::from(elos.len() as u32);
            for elo in &mut elos {
                *elo -= mean;
            }
        }
    }
    elos
}

/// Returns results of each pair of players, with a point for each side.
fn connected(players: usize) -> impl Strategy<Value = Pairings> {
    let results = proptest::collection::vec(
        (1_u32..20, 0_u32..20, 1_u32..20),
        players * (players - 1) / 2,
    );
    let pairs =
        (0..players).flat_map(move |first| (first + 1..players).map(move |second| (first, second)));
    results.prop_map(move |results| {
        pairs
            .clone()
            .zip(results)
            .map(|(pair, (wins, draws, losses))| (pair, tally(wins, draws, losses)))
            .collect()
    })
}

#[test]
fn matches_the_elo_formula_for_one_opponent() {
    let even = against(&[(1500.0, tally(10, 0, 10))]).unwrap();
    assert!(close(even.elo, 1500.0, 0.01), "{even:?}");
    let better = against(&[(1500.0, tally(75, 0, 25))]).unwrap();
    assert!(close(better.elo, 1690.85, 0.01), "{better:?}");
    // Dividing the score's error by the slope of the Elo curve at 75 % gives the error in Elo.
    let expected =
        1.96 * (0.75_f64 * 0.25 / 100.0).sqrt() / (0.75 * 0.25 * std::f64::consts::LN_10 / 400.0);
    assert!(close(better.error, expected, 0.1), "{better:?}, {expected}");
}

#[test]
fn draws_reduce_the_error() {
    let decisive = against(&[(1500.0, tally(50, 0, 50))]).unwrap();
    let drawn = against(&[(1500.0, tally(25, 50, 25))]).unwrap();
    assert!(
        close(drawn.error / decisive.error, 0.5_f64.sqrt(), 1e-6),
        "{decisive:?} {drawn:?}"
    );
}

#[test]
fn weights_opponents_by_their_games() {
    let games = [1400.0, 1600.0, 1800.0]
        .map(|opponent| (opponent, expected_results(1600.0 - opponent, 10_000)));
    let rating = against(&games).unwrap();
    assert!(
        close(rating.elo, 1600.0, 0.1) && rating.error < 6.0,
        "{rating:?}"
    );
}

#[test]
fn a_player_with_one_sided_results_gets_a_bound() {
    assert_eq!(against(&[]), Err(Unrated::NoGames));
    assert_eq!(against(&[(1500.0, tally(0, 0, 0))]), Err(Unrated::NoGames));
    let won = against(&[(1500.0, tally(20, 0, 0)), (1700.0, tally(10, 0, 0))]).unwrap();
    assert_eq!((won.bound, won.error), (EloBound::Lower, f64::INFINITY));
    assert_eq!(won.to_string(), "at least 1983 Elo (95 %)");
    let lost = against(&[(1500.0, tally(0, 0, 20)), (1300.0, tally(0, 0, 10))]).unwrap();
    assert!(
        lost.bound == EloBound::Upper && close(lost.elo - 1500.0, 1500.0 - won.elo, 1e-6),
        "{lost:?}"
    );
    assert_eq!(format!("{lost:+}"), "at most +1017 Elo (95 %)");
    let both = against(&[(1500.0, tally(9, 0, 0)), (1700.0, tally(0, 0, 1))]).unwrap();
    assert_eq!(both.bound, EloBound::Exact);
}

#[test]
fn rates_players_around_their_mean() {
    let pairings = [((0, 1), 100.0), ((0, 2), 200.0), ((1, 2), 100.0)]
        .map(|(pair, elo)| (pair, expected_results(elo, 100_000)));
    let found = elos(&[None; 3], &pairings.into());
    assert!(
        found
            .iter()
            .zip([100.0, 0.0, -100.0])
            .all(|(found, expected)| close(*found, expected, 0.1)),
        "{found:?}"
    );
    assert!(ratings(&[], &BTreeMap::new()).is_empty());
}

#[test]
fn a_player_who_won_all_games_does_not_move_the_others() {
    let two = [((0, 1), tally(6, 2, 4))];
    let three = [two[0], ((0, 2), tally(0, 0, 10)), ((1, 2), tally(0, 0, 10))];
    let (two, three) = (
        ratings(&[None; 2], &two.into()),
        ratings(&[None; 3], &three.into()),
    );
    assert_eq!(two[..], three[..2]);
    let best = three[2].rating.unwrap();
    assert!(
        best.bound == EloBound::Lower
            && best.elo > two[0].rating.unwrap().elo
            && three[2].group == 0,
        "{best:?}"
    );
}

#[test]
fn reports_groups_that_no_result_connects() {
    let even = tally(5, 2, 5);
    let found = ratings(&[None; 5], &[((0, 1), even), ((2, 3), even)].into());
    assert_eq!(
        found.iter().map(|player| player.group).collect::<Vec<_>>(),
        [0, 0, 1, 1, 2]
    );
    assert_eq!(found[4].rating, Err(Unrated::NoGames));
    // If one group won every game, the distance between the groups is unknown.
    let wins = [((0, 2), tally(9, 0, 0)), ((1, 3), tally(9, 0, 0))];
    let found = ratings(
        &[None; 4],
        &[((0, 1), even), ((2, 3), even)]
            .into_iter()
            .chain(wins)
            .collect(),
    );
    assert_eq!(
        found.iter().map(|player| player.group).collect::<Vec<_>>(),
        [0, 0, 1, 1]
    );
    assert!(
        found
            .iter()
            .all(|player| close(player.rating.unwrap().elo, 0.0, 1e-9)),
        "{found:?}"
    );
    // With known ratings, unconnected players have no rating.
    let found = ratings(
        &[Some(1500.0), None, None, None],
        &[((0, 1), even), ((2, 3), even)].into(),
    );
    assert_eq!(
        (found[2].rating, found[3].rating),
        (Err(Unrated::Unconnected), Err(Unrated::Unconnected))
    );
}

#[test]
fn the_most_even_player_is_rated_0_if_all_results_are_one_sided() {
    let won = tally(4, 0, 0);
    let found = ratings(
        &[None; 5],
        &[((0, 1), won), ((1, 2), won), ((3, 4), won)].into(),
    );
    let texts: Vec<_> = found
        .iter()
        .map(|player| {
            player.rating.map_or_else(
                |unrated| unrated.to_string(),
                |rating| format!("{rating:+}"),
            )
        })
        .collect();
    let (above, below) = ("at least -19 Elo (95 %)", "at most +19 Elo (95 %)");
    let apart = "no game against a rated player";
    assert_eq!(texts, [above, "+0 ± 0 Elo (95 %)", below, apart, apart]);
    assert!(
        found[0].group == found[2].group && found[3].group != found[0].group,
        "{found:?}"
    );
}

#[test]
fn known_ratings_on_both_sides_fix_the_scale() {
    // The opponent without a known rating is rated only by its games against the player.
    let pairings = [
        ((0, 1), expected_results(200.0, 10_000)),
        ((0, 2), expected_results(-100.0, 10_000)),
        ((0, 3), expected_results(50.0, 10_000)),
    ];
    let found = ratings(&[None, Some(1800.0), Some(2100.0), None], &pairings.into());
    let [player, weaker, _, unknown] = found
        .iter()
        .map(|player| player.rating.unwrap())
        .collect::<Vec<_>>()[..]
    else {
        panic!("{found:?}");
    };
    assert!(
        close(player.elo, 2000.0, 0.2) && close(unknown.elo, 1950.0, 0.5),
        "{found:?}"
    );
    assert_eq!((weaker.elo, weaker.error), (1800.0, 0.0));
    assert!(unknown.error > player.error, "{found:?}");
}

proptest! {
    #[test]
    fn expected_points_equal_the_points(
        games in proptest::collection::vec(
            (1000_u16..2800, 0_u32..20, 0_u32..20, 0_u32..20),
            1..8,
        ),
    ) {
        let games: Vec<_> = games
            .into_iter()
            .map(|(elo, wins, draws, losses)| (f64::from(elo), tally(wins, draws, losses)))
            .collect();
        if let Ok(rating @ Rating { bound: EloBound::Exact, .. }) = against(&games) {
            let expected: f64 = games
                .iter()
                .map(|(elo, tally)| f64::from(tally.games()) * expected_score(rating.elo - elo))
                .sum();
            let points: f64 = games.iter().map(|(_, tally)| tally.points()).sum();
            prop_assert!(close(expected, points, 1e-6), "{expected} {points}");
            prop_assert!(rating.error > 0.0 && rating.error.is_finite());
        }
    }

    #[test]
    fn matches_the_slow_algorithm(pairings in connected(4), anchors in 0_u32..3) {
        let known: Vec<_> = (0..4)
            .map(|player: u32| (player < anchors).then_some(1500.0 + 100.0 * f64::from(player)))
            .collect();
        for (found, expected) in elos(&known, &pairings).iter().zip(slow_elos(&known, &pairings)) {
            prop_assert!(close(*found, expected, 1e-3), "{found} {expected}");
        }
    }

    #[test]
    fn higher_known_ratings_raise_all_ratings_equally(
        pairings in connected(5),
        raise in -3000.0..3000.0,
    ) {
        let known = |raise: f64| [Some(1500.0 + raise), None, Some(1800.0 + raise), None, None];
        let (low, high) = (ratings(&known(0.0), &pairings), ratings(&known(raise), &pairings));
        for (low, high) in low.iter().zip(&high) {
            let (low, high) = (low.rating.unwrap(), high.rating.unwrap());
            prop_assert!(close(low.elo + raise, high.elo, 1e-5));
            prop_assert!(close(low.error, high.error, 1e-5));
        }
    }

    #[test]
    fn reversed_results_negate_the_ratings(pairings in connected(5)) {
        let reversed = pairings.iter().map(|(&pair, tally)| (pair, tally.reversed())).collect();
        let (found, negated) = (ratings(&[None; 5], &pairings), ratings(&[None; 5], &reversed));
        for (found, negated) in found.iter().zip(&negated) {
            let (found, negated) = (found.rating.unwrap(), negated.rating.unwrap());
            prop_assert!(close(found.elo, -negated.elo, 1e-5));
            prop_assert!(close(found.error, negated.error, 1e-5));
        }
    }

    #[test]
    fn the_order_of_the_players_does_not_matter(pairings in connected(5)) {
        let swapped = pairings
            .iter()
            .map(|(&(first, second), tally)| ((4 - second, 4 - first), tally.reversed()))
            .collect();
        let (found, swapped) = (elos(&[None; 5], &pairings), elos(&[None; 5], &swapped));
        for (found, swapped) in found.iter().zip(swapped.iter().rev()) {
            prop_assert!(close(*found, *swapped, 1e-5), "{found} {swapped}");
        }
    }

    #[test]
    fn symmetric_results_give_equal_ratings(wins in 0_u32..50, draws in 1_u32..50) {
        let pairs = (0..4).flat_map(|first| (first + 1..4).map(move |second| (first, second)));
        let pairings = pairs.map(|pair| (pair, tally(wins, draws, wins))).collect();
        let found = ratings(&[None; 4], &pairings);
        let error_of_first = found[0].rating.unwrap().error;
        for player in &found {
            let rating = player.rating.unwrap();
            prop_assert!(close(rating.elo, 0.0, 1e-6));
            prop_assert!(close(rating.error, error_of_first, 1e-6));
        }
    }

    #[test]
    fn more_wins_never_lower_a_bound(games in 1_u32..1000) {
        let won = |games| against(&[(2000.0, tally(games, 0, 0))]).unwrap().elo;
        prop_assert!(won(games) < won(games + 1));
    }

    #[test]
    fn any_results_give_finite_ratings(
        results in proptest::collection::vec(
            (0_usize..6, 0_usize..6, 0_u32..3, 0_u32..2, 0_u32..3),
            0..20,
        ),
        anchored in proptest::collection::vec(proptest::option::of(-5000.0..5000.0), 6),
    ) {
        let mut pairings = Pairings::new();
        for (first, second, wins, draws, losses) in results {
            if first < second {
                pairings.insert((first, second), tally(1_000_000 * wins, draws, losses));
            }
        }
        for known in [&[None; 6], &anchored[..]] {
            let found = ratings(known, &pairings);
            let rated = found.iter().filter_map(|player| player.rating.ok());
            for Rating { elo, error, bound } in rated {
                prop_assert!(elo.is_finite() && error >= 0.0);
                prop_assert!(error.is_infinite() == (bound != EloBound::Exact));
            }
        }
    }
}
