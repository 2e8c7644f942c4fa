//! The table of sentences.

use claims::ClaimKind;
use serde_json::Value;
use strum::VariantArray as _;

fn table() -> Value {
    serde_json::from_str(include_str!("../../src/sentences.json")).unwrap()
}

#[test]
fn both_languages_have_sentences_for_exactly_the_known_kinds() {
    let table = table();
    for language in ["en", "de"] {
        let mut found: Vec<_> = table[language]["sentences"]
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let mut kinds: Vec<&str> = ClaimKind::VARIANTS
            .iter()
            .map(|&kind| kind.into())
            .collect();
        found.sort_unstable();
        kinds.sort_unstable();
        assert_eq!(found, kinds, "{language}");
    }
}

/// Some programs that read PGN comments support only ASCII.
#[test]
fn english_is_ascii() {
    assert!(table()["en"].to_string().is_ascii());
}

#[test]
fn both_languages_state_the_same_facts() {
    let table = table();
    let facts = |language: &str, kind: &str| {
        let text = table[language]["sentences"][kind].to_string();
        let mut facts: Vec<_> = text
            .split('{')
            .skip(1)
            .map(|part| part.split(['}', ':']).next().unwrap().to_owned())
            .filter(|name| !name.contains('"'))
            .collect();
        facts.sort();
        facts
    };
    for &kind in ClaimKind::VARIANTS {
        let name: &str = kind.into();
        assert_eq!(facts("en", name), facts("de", name), "{name}");
    }
}
