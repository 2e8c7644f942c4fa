//! Stockfish's `UCI_Elo` on the scale of the CCRL Blitz list.
//!
//! Stockfish turns `UCI_Elo` into a skill level from 0 to 20. Stockfish 11 to 15.1 use a 2019
//! fit to games at 60 s + 0.6 s, anchored to one engine
//! (<https://github.com/official-stockfish/Stockfish/pull/2225>). In January 2023 each level was
//! rated again, against 13 versions of Stash with CCRL Blitz ratings
//! (<https://github.com/official-stockfish/Stockfish/pull/4341>). Stockfish 16 and later use a fit
//! to these ratings.

use ai_api::{OptionKind, OptionSetting, OptionSpec, OptionValue};

/// The ratings of skill levels 0 to 19 in January 2023, on the scale of CCRL Blitz. The
/// errors are 25 to 40 Elo. The ratings of Stash agreed with CCRL within 100 Elo.
const CCRL_BLITZ: [f64; 20] = [
    1320.1, 1467.6, 1608.4, 1742.3, 1922.9, 2203.7, 2363.2, 2499.5, 2596.2, 2702.8, 2788.3, 2855.5,
    2923.1, 2972.9, 3024.8, 3069.5, 3111.2, 3141.3, 3170.3, 3191.1,
];

/// Returns the `UCI_Elo` of Stockfish 11 to 15.1 with this CCRL Blitz rating, and how fast
/// `UCI_Elo` changes with the rating. Returns `None` for a rating beyond the skill levels. In
/// Stockfish 16 and later the two are the same.
pub(crate) fn of_ccrl_blitz(elo: f64) -> Option<(f64, f64)> {
    let [lowest, .., highest] = CCRL_BLITZ;
    if !(lowest..=highest).contains(&elo) {
        return None;
    }
    let above = CCRL_BLITZ
        .partition_point(|rating| *rating <= elo)
        .min(CCRL_BLITZ.len() - 1);
    let (low, high) = (CCRL_BLITZ[above - 1], CCRL_BLITZ[above]);
    let level = f64::from(above as u32 - 1);
    let slope = (uci_elo_of(level + 1.0) - uci_elo_of(level)) / (high - low);
    Some((uci_elo_of(level + (elo - low) / (high - low)), slope))
}

/// Returns the CCRL Blitz rating that these options give Stockfish with `UCI_LimitStrength`, or
/// `None` for other AIs.
pub(crate) fn known_rating(specs: &[OptionSpec], settings: &[OptionSetting]) -> Option<f64> {
    let value = |name: &str| {
        settings
            .iter()
            .find(|setting| setting.name == name)
            .map(|setting| &setting.value)
    };
    let spec = specs.iter().find(|spec| spec.name == "uci_elo")?;
    let uci_elo = match (
        value("elo"),
        value("uci_elo")?,
        value("uci_limit_strength")?,
    ) {
        (Some(&OptionValue::Integer(elo @ 1..)), ..) => elo,
        (_, &OptionValue::Integer(uci_elo), OptionValue::Flag(true)) => uci_elo,
        _ => return None,
    };
    let uci_elo = f64::from(uci_elo as i32);
    // The versions differ in the bounds of the option.
    match spec.kind {
        OptionKind::Integer {
            min: 1350,
            max: 2850,
        } => Some(interpolate(skill_level(uci_elo))),
        OptionKind::Integer {
            min: 1320,
            max: 3190,
        } => Some(uci_elo),
        _ => None,
    }
}

/// Returns the skill level of Stockfish 11 to 15.1 with this `UCI_Elo`.
fn skill_level(uci_elo: f64) -> f64 {
    ((uci_elo - 1346.6).max(0.0) / 143.4).powf(1.0 / 0.806)
}

/// Returns the `UCI_Elo` of Stockfish 11 to 15.1 with this skill level.
fn uci_elo_of(skill_level: f64) -> f64 {
    1346.6 + 143.4 * skill_level.powf(0.806)
}

/// Returns the rating of a skill level between the measured ones.
fn interpolate(skill_level: f64) -> f64 {
    let below = (skill_level as usize).min(CCRL_BLITZ.len() - 2);
    let share = (skill_level - f64::from(below as u32)).clamp(0.0, 1.0);
    CCRL_BLITZ[below] + share * (CCRL_BLITZ[below + 1] - CCRL_BLITZ[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(bounds: (i64, i64), uci_elo: i64, limited: bool) -> Option<f64> {
        let specs = [
            OptionSpec::flag("uci_limit_strength", false, ""),
            OptionSpec::integer("uci_elo", bounds.0, bounds.0..=bounds.1, ""),
        ];
        let set = |name: &str, value| OptionSetting {
            name: name.into(),
            value,
        };
        let settings = [
            set("uci_limit_strength", OptionValue::Flag(limited)),
            set("uci_elo", OptionValue::Integer(uci_elo)),
        ];
        known_rating(&specs, &settings)
    }

    #[test]
    fn maps_uci_elo_to_the_later_ratings() {
        for (uci_elo, expected) in [
            (1350, 1322.2),
            (1490, 1467.6),
            (1870, 2199.7),
            (2264, 2788.0),
            (2850, 3179.9),
        ] {
            let found = options((1350, 2850), uci_elo, true).unwrap();
            assert!(
                (found - expected).abs() < 1.0,
                "{uci_elo}: {found}, expected {expected}"
            );
        }
        assert_eq!(options((1320, 3190), 2200, true), Some(2200.0));
    }

    #[test]
    fn elo_takes_precedence_over_the_engines_options() {
        let specs = [OptionSpec::integer("uci_elo", 1320, 1320..=3190, "")];
        let rating = |elo, limited| {
            let settings = [
                ("elo", OptionValue::Integer(elo)),
                ("uci_elo", OptionValue::Integer(2000)),
                ("uci_limit_strength", OptionValue::Flag(limited)),
            ];
            known_rating(
                &specs,
                &settings.map(|(name, value)| OptionSetting {
                    name: name.into(),
                    value,
                }),
            )
        };
        assert_eq!(
            (rating(1500, false), rating(1500, true)),
            (Some(1500.0), Some(1500.0))
        );
        assert_eq!((rating(0, false), rating(0, true)), (None, Some(2000.0)));
    }

    #[test]
    fn gives_no_rating_to_full_strength_or_other_engines() {
        assert_eq!(options((1350, 2850), 1870, false), None);
        assert_eq!(options((500, 2850), 1870, true), None);
        assert_eq!(known_rating(&[], &[]), None);
    }

    #[test]
    fn maps_ratings_back() {
        for expected in (1350..=2850).step_by(50) {
            let elo = options((1350, 2850), expected, true).unwrap();
            let (found, slope) = of_ccrl_blitz(elo).unwrap();
            assert!(
                (found - f64::from(expected as i32)).abs() < 1e-6 && slope > 0.0,
                "{expected}: {found}, {slope}"
            );
        }
        for beyond in [1320.0, 3192.0, f64::NAN] {
            assert_eq!(of_ccrl_blitz(beyond), None);
        }
        assert!(of_ccrl_blitz(3191.1).is_some());
    }
}
