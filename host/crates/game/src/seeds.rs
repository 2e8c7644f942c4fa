//! Seeds that let an AI vary its games.

use ai_api::{OptionKind, OptionSetting, OptionSpec, OptionValue};
use pool::Ai;

use crate::options::RequestedOptions;

/// The names of live options that are seeds.
const SEEDS: [&str; 2] = ["seed", "book_seed"];

/// Returns whether the games of an AI with these configured options vary with [`with_seeds`].
pub fn has_seeds(specs: &[OptionSpec], configured: &[OptionSetting]) -> bool {
    specs.iter().any(|spec| is_free_seed(spec, configured))
}

/// Returns the value of every option for the game with this number. Seeds that are not configured
/// are derived from this number. The result is empty if the AI has no such seeds.
pub fn with_seeds(ai: &Ai, number: u64) -> Vec<OptionSetting> {
    let seeds = ai
        .about
        .options
        .iter()
        .filter(|spec| is_free_seed(spec, &ai.settings.options));
    RequestedOptions::new(
        seeds.filter_map(|spec| seed(spec, number)).collect(),
        ai.options(),
    )
    .all()
}

fn is_free_seed(spec: &OptionSpec, configured: &[OptionSetting]) -> bool {
    spec.live
        && matches!(spec.kind, OptionKind::Integer { .. })
        && SEEDS.contains(&spec.name.as_str())
        && configured.iter().all(|setting| setting.name != spec.name)
}

fn seed(spec: &OptionSpec, number: u64) -> Option<OptionSetting> {
    let OptionKind::Integer { min, max } = spec.kind else {
        return None;
    };
    let offset = max
        .abs_diff(min)
        .checked_add(1)
        .map_or(number, |count| number % count);
    Some(OptionSetting {
        name: spec.name.clone(),
        value: OptionValue::Integer(min.wrapping_add_unsigned(offset)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_live_numbers_without_a_configured_value() {
        let spec = |name| OptionSpec::integer(name, 1, 0..=9, "");
        let configured = |name: &str| OptionSetting {
            name: name.into(),
            value: OptionValue::Integer(1),
        };
        let specs = [spec("seed").live(), spec("book_seed")];
        assert!(has_seeds(&specs, &[configured("book_seed")]));
        assert!(!has_seeds(&specs, &[configured("seed")]));
        assert!(!has_seeds(
            &[
                spec("seeds").live(),
                OptionSpec::text("seed", "", "").live()
            ],
            &[]
        ));
    }

    #[test]
    fn seeds_stay_within_their_bounds() {
        for (bounds, number, expected) in [
            (0..=9, 25, 5),
            (3..=3, u64::MAX, 3),
            (-2..=i64::MAX, 1, -1),
            (i64::MIN..=i64::MAX, u64::MAX, i64::MAX),
        ] {
            let spec = OptionSpec::integer("seed", *bounds.end(), bounds.clone(), "");
            assert_eq!(
                seed(&spec, number).unwrap().value,
                OptionValue::Integer(expected),
                "{bounds:?} {number}"
            );
        }
    }
}
