//! The loader does not panic on arbitrary files.

use config::LoadOptions;
use proptest::prelude::*;

use crate::support::{folder, load_in, loaded};

const PIECES: &[&str] = &[
    "[ai.a]",
    "[client.b]",
    "[fleet]",
    "[[ai]]",
    "\n",
    "\n",
    "=",
    " = ",
    "library",
    "limit",
    "ai",
    "allowed_ais",
    "{",
    "}",
    "[",
    "]",
    ",",
    ".",
    "\"",
    "'''",
    "3",
    "-1",
    "0xfff",
    "1e9",
    "depth",
    "nodes",
    "options",
    "é",
    "\u{202e}",
    "\r",
    "\0",
    "#",
    "server",
    "listen",
    "nats",
    "offer",
    "nodes",
    "'tls://a,nats://[::1]'",
    "\"x\"",
    "true",
    "1979-05-27",
    "99999999999999999999999999999999999999999999",
    "\\u",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn loads_or_rejects_any_text(text in any::<String>()) {
        let folder = folder(&text);
        if let Err(errors) = load_in(&folder, &LoadOptions::none()) {
            prop_assert!(!errors.to_string().is_empty());
        }
    }

    #[test]
    fn loads_or_rejects_any_bytes(bytes in any::<Vec<u8>>()) {
        let _ = load_in(&folder(&bytes), &LoadOptions::none()).map_err(|errors| errors.to_string());
    }

    /// Pieces of TOML reach more code than arbitrary text.
    #[test]
    fn loads_or_rejects_any_pieces_of_toml(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40),
    ) {
        let folder = folder(pieces.concat());
        match load_in(&folder, &LoadOptions::none()) {
            Ok(config) => prop_assert_eq!(loaded(&config.show(|_, _| false)).1, config),
            Err(errors) => for issue in errors.issues() {
                prop_assert!(issue.line.is_some() && issue.column.is_some(), "{}", issue);
            },
        }
    }
}
