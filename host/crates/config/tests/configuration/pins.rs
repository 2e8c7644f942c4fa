//! Checks libraries against their pins.

use std::fs;

use config::Config;
use library::sha256::Sha256Sum;

use crate::support::{FULL, loaded};

/// The issue with a library of these bytes, without the folder of the test.
fn pin_issue(config: &Config, ai: &str, bytes: &[u8]) -> Option<String> {
    let issue = config.check_pin(ai, Sha256Sum::of(bytes))?.to_string();
    let folder = config.path().parent().unwrap().parent().unwrap();
    Some(
        issue
            .replace(&*folder.to_string_lossy(), "")
            .replace(&*fs::canonicalize(folder).unwrap().to_string_lossy(), ""),
    )
}

#[test]
fn rejects_a_library_with_another_sha256_than_its_pin() {
    let (_folder, config) = loaded(FULL);
    assert_eq!(pin_issue(&config, "basic1", b"abc"), None);
    let other = pin_issue(&config, "basic1", b"abd").unwrap();
    for part in [
        "AI 'basic1': the library is not the pinned one: its sha256 is a52d159f",
        "expected ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n",
        " | sha256 = \"BA7816bf",
        "`rookery ais pin basic1` prints the line",
        "its library is /lib/libai_basic1.so\n",
    ] {
        assert!(other.contains(part), "no {part} in {other}");
    }
}

#[test]
fn rejects_an_unpinned_library_only_if_pins_are_required() {
    let (_folder, config) = loaded(FULL);
    let unpinned = pin_issue(&config, "uci", b"abc").unwrap();
    for part in [
        "error: AI 'uci': the library is not pinned, and plugins.policy requires it\n",
        ":5\n   |\n61 | [ai.uci]\n   |     ^^^\n",
        "`rookery ais pin uci` prints the line",
    ] {
        assert!(unpinned.contains(part), "no {part} in {unpinned}");
    }
    for policy in ["configured", "any"] {
        let (_folder, config) = loaded(&FULL.replace("pinned", policy));
        assert_eq!(pin_issue(&config, "uci", b"abc"), None);
        assert!(pin_issue(&config, "basic1", b"abd").is_some(), "a pin holds under every policy");
    }
}
