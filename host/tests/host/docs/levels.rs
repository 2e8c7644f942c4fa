//! The documents and the shipped configuration list the same levels.

use ai_api::{OptionSetting, OptionValue};
use config::LevelSettings;
use test_kit::configuration::loaded;

use crate::support::options;

const CONFIG: &str = include_str!("../../../../config/rookery.toml");
const NNUE1: &str = include_str!("../../../../docs/nnue1.md");
const CHANGELOG: &str = include_str!("../../../../CHANGELOG.md");

/// The shipped levels, weakest first.
fn levels() -> Vec<LevelSettings> {
    let (_folder, config) = loaded(&CONFIG.replace("../target/release", "../lib"), &options());
    let mut levels: Vec<_> = config.levels.into_values().collect();
    levels.sort_by_key(|level| level.elo);
    levels
}

/// A level's rating as the documents write it.
fn rating(level: &LevelSettings) -> String {
    format!("{} ± {}", level.elo, level.elo_error.unwrap())
}

#[test]
fn the_table_of_levels_matches_the_configuration() {
    let rows: Vec<_> = NNUE1
        .lines()
        .skip_while(|line| !line.starts_with("| level | Elo (95 %) |"))
        .skip(2)
        .take_while(|line| line.starts_with("| "))
        .collect();
    let configured: Vec<_> = levels()
        .iter()
        .map(|level| format!("| {} | {} |", level.name, rating(level)))
        .collect();
    assert_eq!(rows, configured);
}

#[test]
fn every_level_plays_at_its_elo_and_states_its_error_and_scale() {
    for level in levels() {
        assert!(level.elo_error.is_some_and(|error| error > 0), "{level:?}");
        assert!(level.scale.is_some(), "{level:?}");
        let elo = OptionSetting {
            name: "elo".to_owned(),
            value: OptionValue::Integer(level.elo.into()),
        };
        let is_full_strength = level.id == "strongest";
        assert_eq!(level.options.contains(&elo), !is_full_strength, "{level:?}");
    }
}

#[test]
fn the_documents_agree_on_full_strength() {
    let levels = levels();
    let strongest = levels.last().unwrap();
    assert_eq!(
        (strongest.id.as_str(), strongest.options.len()),
        ("strongest", 0)
    );
    let rating = rating(strongest);
    for (name, text) in [("docs/nnue1.md", NNUE1), ("CHANGELOG.md", CHANGELOG)] {
        let found = text.contains(&format!("{rating} Elo on CCRL Blitz"));
        assert!(
            found,
            "{name} does not contain '{rating} Elo on CCRL Blitz'"
        );
    }
}
