//! The accuracy of moves and of a side, using the method that
//! [Lichess](https://lichess.org/page/accuracy) describes.

use std::ops::RangeInclusive;

use crate::judgement::rounded;

/// The number of positions whose winning chances determine a move's weight.
const WINDOW: RangeInclusive<usize> = 2..=8;
/// The range of a move's weight. If the chances never change in a game, all moves count equally.
const WEIGHTS: RangeInclusive<f64> = 0.5..=12.0;

/// A move that counts toward its side's accuracy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WeightedAccuracy {
    /// The accuracy of the move in percent.
    pub(crate) accuracy: f64,
    pub(crate) weight: f64,
}

/// Returns the accuracy of a move that loses winning chances, in percent.
pub(crate) fn of_move(loss: f64) -> f64 {
    if loss <= 0.0 {
        return 100.0;
    }
    // Adds one percent for the uncertainty of the scores.
    rounded((103.1668 * (-0.043_54 * loss).exp() - 3.1669 + 1.0).clamp(0.0, 100.0))
}

/// Returns the accuracy of a side in percent: halfway between the weighted and the harmonic mean of
/// its moves. Returns `None` if there are no moves.
pub(crate) fn of_side(moves: impl IntoIterator<Item = WeightedAccuracy>) -> Option<f64> {
    let (mut count, mut weights, mut weighted, mut inverses) = (0.0, 0.0, 0.0, 0.0);
    for counted in moves {
        count += 1.0;
        weights += counted.weight;
        weighted += counted.weight * counted.accuracy;
        // The inverse of 0 would dominate the mean.
        inverses += 1.0 / counted.accuracy.max(1.0);
    }
    (count > 0.0).then(|| rounded(f64::midpoint(weighted / weights, count / inverses)))
}

/// Returns the weight of each move in a game: the standard deviation of White's winning chances in
/// a window of positions that ends after the move. The first moves share a window.
pub(crate) fn weights(chances: &[Option<f64>]) -> Vec<f64> {
    let moves = chances.len().saturating_sub(1);
    let size = (moves / 10).clamp(*WINDOW.start(), *WINDOW.end());
    (1..=moves)
        .map(|last| {
            let first = (last + 1).saturating_sub(size);
            deviation(&chances[first..first + size]).clamp(*WEIGHTS.start(), *WEIGHTS.end())
        })
        .collect()
}

/// Returns the standard deviation of the known values; 0 if none is known.
fn deviation(values: &[Option<f64>]) -> f64 {
    let known = || values.iter().copied().flatten();
    let mean_of = |sum: f64, count: f64| if count > 0.0 { sum / count } else { 0.0 };
    let count = known().map(|_| 1.0).sum();
    let mean = mean_of(known().sum(), count);
    let squares = known().map(|value| (value - mean).powi(2)).sum();
    mean_of(squares, count).sqrt()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn counted(moves: &[(f64, f64)]) -> Vec<WeightedAccuracy> {
        moves
            .iter()
            .map(|&(accuracy, weight)| WeightedAccuracy { accuracy, weight })
            .collect()
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "compares tenths with expected tenths")]
    fn the_accuracy_of_a_move_falls_from_100_to_0() {
        for (loss, percent) in [
            (0.0, 100.0),
            (0.1, 100.0),
            (5.0, 80.8),
            (10.0, 64.6),
            (20.0, 41.0),
            (50.0, 9.5),
            (100.0, 0.0),
        ] {
            assert_eq!(of_move(loss), percent, "{loss}");
        }
    }

    #[test]
    fn moves_in_volatile_positions_have_large_weights() {
        let chances = [50.0, 48.0, 40.0, 0.0, 0.0].map(Some);
        assert_eq!(weights(&chances), [1.0, 4.0, 12.0, 0.5]);
        assert_eq!(weights(&chances[..1]), [] as [f64; 0]);
        assert_eq!(weights(&[]), [] as [f64; 0]);
    }

    #[test]
    fn longer_games_have_longer_windows() {
        // Thirty moves, three positions per window: the first two moves share one.
        let mut chances = vec![Some(50.0); 31];
        chances[2] = Some(56.0);
        let around = 8.0_f64.sqrt();
        let of_moves = weights(&chances);
        let expected = [around, around, around, around, 0.5];
        for (weight, expected) in of_moves.iter().zip(expected) {
            assert!((weight - expected).abs() < 1e-9, "{of_moves:?}");
        }
        assert_eq!(of_moves.len(), 30);
    }

    #[test]
    fn positions_without_a_score_add_no_weight() {
        assert_eq!(weights(&[None, None, Some(50.0), None]), [0.5, 0.5, 0.5]);
    }

    #[test]
    fn a_sides_accuracy_is_between_its_weighted_and_harmonic_mean() {
        for (moves, percent) in [
            // Both means are 90.
            (&[(90.0, 1.0), (90.0, 3.0)][..], 90.0),
            // (100 + 12 · 20) / 13 is 26.15, and 2 / (1/100 + 1/20) is 33.33.
            (&[(100.0, 1.0), (20.0, 12.0)], 29.7),
            // (2 · 100 + 50) / 3 is 83.33, and 2 / (1/100 + 1/50) is 66.67.
            (&[(100.0, 2.0), (50.0, 1.0)], 75.0),
            // (100 + 0) / 2 is 50, and 2 / (1/100 + 1) is 1.98.
            (&[(100.0, 1.0), (0.0, 1.0)], 26.0),
        ] {
            assert_eq!(of_side(counted(moves)), Some(percent), "{moves:?}");
        }
        assert_eq!(of_side([]), None);
    }

    #[test]
    fn losing_a_queen_and_missing_a_mate_outweigh_good_moves() {
        let mut moves = vec![(100.0, 0.5); 12];
        moves.extend([(20.0, 12.0), (10.0, 12.0)]);
        // (600 + 240 + 120) / 30 is 32, and 14 / (12/100 + 1/20 + 1/10) is 51.85. The plain mean
        // would be 87.9.
        assert_eq!(of_side(counted(&moves)), Some(41.9));
    }

    fn any_move() -> impl Strategy<Value = (f64, f64)> {
        (0.0..=100.0, WEIGHTS)
    }

    proptest! {
        #[test]
        fn accuracies_are_percentages(
            moves in prop::collection::vec(any_move(), 1..40),
            loss in 0.0_f64..=100.0,
        ) {
            let side = of_side(counted(&moves)).expect("there are moves");
            prop_assert!((0.0..=100.0).contains(&side), "{side}");
            prop_assert!((0.0..=100.0).contains(&of_move(loss)));
        }

        #[test]
        fn weights_are_in_range(
            chances in prop::collection::vec(prop::option::of(0.0_f64..=100.0), 0..120),
        ) {
            let of_moves = weights(&chances);
            prop_assert_eq!(of_moves.len(), chances.len().saturating_sub(1));
            prop_assert!(of_moves.iter().all(|weight| WEIGHTS.contains(weight)));
        }

        #[test]
        fn a_side_without_losses_is_perfect(
            weights in prop::collection::vec(WEIGHTS, 1..40),
        ) {
            let moves: Vec<_> = weights.into_iter().map(|weight| (100.0, weight)).collect();
            prop_assert_eq!(of_side(counted(&moves)), Some(100.0));
        }

        #[test]
        fn a_worse_move_never_raises_the_accuracy(
            mut moves in prop::collection::vec(any_move(), 1..40),
            at in any::<prop::sample::Index>(),
            loss in 0.0_f64..=100.0,
        ) {
            let before = of_side(counted(&moves));
            let at = at.index(moves.len());
            moves[at].0 = moves[at].0.min(of_move(loss));
            prop_assert!(of_side(counted(&moves)) <= before);
        }

        #[test]
        fn a_blunder_lowers_the_accuracy_of_a_perfect_game(
            plies in 1_u8..120,
            at in any::<prop::sample::Index>(),
            loss in 20.0_f64..=50.0,
        ) {
            let at = at.index(usize::from(plies));
            let chances: Vec<_> = (0..=usize::from(plies))
                .map(|ply| Some(if ply > at { 50.0 - loss } else { 50.0 }))
                .collect();
            let moves = weights(&chances)
                .into_iter()
                .enumerate()
                .map(|(ply, weight)| WeightedAccuracy {
                    accuracy: if ply == at { of_move(loss) } else { 100.0 },
                    weight,
                });
            let plain_mean = 100.0 - (100.0 - of_move(loss)) / f64::from(plies);
            prop_assert!(of_side(moves).expect("there are moves") <= rounded(plain_mean));
        }
    }
}
