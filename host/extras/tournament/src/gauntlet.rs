//! A player's rating against opponents with known ratings, on the scales of CCRL Blitz and
//! `UCI_Elo`.

use std::{cmp::Ordering, collections::BTreeMap};

use serde::Serialize;

use crate::{
    elo::EloBound,
    rating::{Rating, Unrated, ratings},
    tally::Tally,
    uci_elo::of_ccrl_blitz,
};

/// The uncertainty of `UCI_Elo` as a scale: half the width of a 95 % interval. `UCI_Elo` was fitted
/// with a different time control and processor.
const UCI_ELO_ERROR: f64 = 50.0;

/// An opponent with a known rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GauntletAnchor {
    /// On the CCRL Blitz scale.
    pub elo: f64,
    pub source: AnchorSource,
}

/// Where an opponent's rating comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AnchorSource {
    /// Stockfish with limited strength.
    UciElo,
    /// The user.
    Given,
}

impl AnchorSource {
    /// Returns the uncertainty of these ratings on CCRL Blitz: half the width of a 95 % interval.
    const fn scale_error(self) -> f64 {
        match self {
            // The skill levels were rated against Stash, whose ratings agreed with CCRL within 100
            // Elo.
            Self::UciElo => 100.0,
            // CCRL uses a different time control, processor and openings.
            Self::Given => 50.0,
        }
    }
}

/// A side on which a gauntlet has no opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingAnchor {
    Weaker,
    Stronger,
}

/// The rating of a player, with the uncertainty of the scale in each error and bound.
#[derive(Clone, Debug, PartialEq)]
pub struct GauntletRating {
    pub ccrl_blitz: Result<Rating, Unrated>,
    /// On the `UCI_Elo` of Stockfish 11 to 15.1, or `None` beyond its range.
    pub uci_elo: Option<Rating>,
    /// The rating that each opponent's games alone imply, on CCRL Blitz.
    pub implied: Vec<Result<Rating, Unrated>>,
    /// The side without opponents, if any. On that side, the rating relies on the Elo formula far
    /// from even results.
    pub missing: Option<MissingAnchor>,
}

impl GauntletRating {
    /// Rates a player by its results against each opponent.
    pub fn of(games: &[(GauntletAnchor, Tally)]) -> Self {
        let joint = rate(games);
        let played = games.iter().filter(|(_, tally)| tally.games() > 0);
        let scale_error = played
            .map(|(anchor, _)| anchor.source.scale_error())
            .fold(0.0, f64::max);
        Self {
            ccrl_blitz: joint.map(|rating| rating.with_scale_error(scale_error)),
            uci_elo: joint.ok().and_then(on_uci_elo),
            implied: games
                .iter()
                .map(|game| Ok(rate(&[*game])?.with_scale_error(game.0.source.scale_error())))
                .collect(),
            missing: joint.ok().and_then(|rating| missing(rating, games)),
        }
    }
}

/// Returns the most likely rating, assuming that the opponents' ratings are exact.
fn rate(games: &[(GauntletAnchor, Tally)]) -> Result<Rating, Unrated> {
    let known: Vec<_> = std::iter::once(None)
        .chain(games.iter().map(|(anchor, _)| Some(anchor.elo)))
        .collect();
    let pairings: BTreeMap<_, _> = games
        .iter()
        .zip(1..)
        .map(|((_, tally), opponent)| ((0, opponent), *tally))
        .collect();
    ratings(&known, &pairings)[0].rating
}

/// Returns the side of a rating without opponents, if any.
fn missing(rating: Rating, games: &[(GauntletAnchor, Tally)]) -> Option<MissingAnchor> {
    let has = |side| {
        games
            .iter()
            .any(|(anchor, _)| anchor.elo.total_cmp(&rating.elo) == side)
    };
    match rating.bound {
        EloBound::Lower => Some(MissingAnchor::Stronger),
        EloBound::Upper => Some(MissingAnchor::Weaker),
        EloBound::Exact if has(Ordering::Equal) => None,
        EloBound::Exact if !has(Ordering::Greater) => Some(MissingAnchor::Stronger),
        EloBound::Exact if !has(Ordering::Less) => Some(MissingAnchor::Weaker),
        EloBound::Exact => None,
    }
}

/// Converts a CCRL Blitz rating to the scale of `UCI_Elo`.
fn on_uci_elo(rating: Rating) -> Option<Rating> {
    let (elo, slope) = of_ccrl_blitz(rating.elo)?;
    Some(
        Rating {
            elo,
            error: slope * rating.error,
            ..rating
        }
        .with_scale_error(UCI_ELO_ERROR),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn anchor(elo: f64, source: AnchorSource) -> GauntletAnchor {
        GauntletAnchor { elo, source }
    }

    fn tally(wins: u32, draws: u32, losses: u32) -> Tally {
        Tally {
            wins,
            draws,
            losses,
            pairs: [0; 5],
        }
    }

    #[test]
    fn shows_both_scales_and_what_each_opponent_implies() {
        let games = [
            (anchor(2000.0, AnchorSource::UciElo), tally(3000, 0, 1000)),
            (anchor(2400.0, AnchorSource::Given), tally(1000, 0, 3000)),
        ];
        let rating = GauntletRating::of(&games);
        // The statistical error is 9. The rest comes from the scale.
        assert_eq!(
            rating.ccrl_blitz.unwrap().to_string(),
            "2200 ± 100 Elo (95 %)"
        );
        assert_eq!(rating.uci_elo.unwrap().to_string(), "1870 ± 50 Elo (95 %)");
        let implied: Vec<_> = rating
            .implied
            .iter()
            .map(|rating| rating.unwrap().to_string())
            .collect();
        assert_eq!(implied, ["2191 ± 101 Elo (95 %)", "2209 ± 52 Elo (95 %)"]);
        assert_eq!(rating.missing, None);
    }

    #[test]
    fn one_sided_results_give_bounds_on_both_scales() {
        let games = [(anchor(1922.9, AnchorSource::UciElo), tally(20, 0, 0))];
        let won = GauntletRating::of(&games);
        assert_eq!(
            won.ccrl_blitz.unwrap().to_string(),
            "at least 2140 Elo (95 %)"
        );
        assert_eq!(won.uci_elo.unwrap().to_string(), "at least 1840 Elo (95 %)");
        assert_eq!(won.missing, Some(MissingAnchor::Stronger));
        let lost = GauntletRating::of(&[(games[0].0, tally(0, 0, 20))]);
        assert_eq!(
            lost.ccrl_blitz.unwrap().to_string(),
            "at most 1706 Elo (95 %)"
        );
        assert_eq!(lost.missing, Some(MissingAnchor::Weaker));
        assert_eq!(
            GauntletRating::of(&[(games[0].0, tally(0, 0, 0))]).ccrl_blitz,
            Err(Unrated::NoGames)
        );
    }

    #[test]
    fn reports_a_side_without_opponents() {
        let against = |elos: &[f64]| {
            let games: Vec<_> = elos
                .iter()
                .map(|elo| (anchor(*elo, AnchorSource::Given), tally(10, 10, 10)))
                .collect();
            GauntletRating::of(&games).missing
        };
        assert_eq!(against(&[1800.0, 2000.0]), None);
        let better =
            |elo| GauntletRating::of(&[(anchor(elo, AnchorSource::Given), tally(20, 0, 10))]);
        assert_eq!(better(1500.0).missing, Some(MissingAnchor::Stronger));
        // Skill levels end at 3191.
        assert_eq!(better(3190.0).uci_elo, None);
    }

    proptest! {
        #[test]
        fn no_error_is_below_fifty(
            games in proptest::collection::vec(
                (1400.0..3100.0, any::<bool>(), 1_u32..100_000, 1_u32..100_000),
                1..5,
            ),
        ) {
            let games: Vec<_> = games
                .into_iter()
                .map(|(elo, is_given, wins, losses)| {
                    let source = if is_given { AnchorSource::Given } else { AnchorSource::UciElo };
                    (anchor(elo, source), tally(wins, 0, losses))
                })
                .collect();
            let GauntletRating { ccrl_blitz, uci_elo, implied, .. } = GauntletRating::of(&games);
            let all = implied.into_iter().chain([ccrl_blitz]).map(Result::unwrap).chain(uci_elo);
            for rating in all {
                prop_assert!(rating.error >= 50.0, "{rating:?}");
            }
        }
    }
}
