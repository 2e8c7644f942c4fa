//! The note that `ai_api::export_ai!` writes into a library.

use std::collections::BTreeMap;

use ai_api::note::{MAX_TEXT_BYTES, is_id};

use text::printable;

const MAX_NOTE_BYTES: usize = 4096;

/// What a library says about itself, known before any of its code runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LibraryNote {
    /// The version of the contract.
    pub abi: u32,
    /// The version of `ai-api`.
    pub api: String,
    /// The AI's default id.
    pub id: String,
    pub version: String,
    pub compiler: String,
}

/// Why a note can't have come from the macro.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseNoteError {
    #[error("it has {0} bytes; at most {MAX_NOTE_BYTES} are allowed")]
    TooLong(usize),
    #[error("one of its texts has {0} bytes; at most {MAX_TEXT_BYTES} are allowed")]
    LongText(usize),
    #[error("its last text lacks the final NUL")]
    Unended,
    #[error("one of its texts is not UTF-8 or has control characters")]
    NoText,
    #[error("it contains '{0}', expected key=value")]
    NoPair(String),
    #[error("it contains the key '{0}' twice")]
    Twice(String),
    #[error("it lacks the key '{0}'")]
    Missing(&'static str),
    #[error("its key '{key}' is '{value}', expected {expected}")]
    Value {
        key: &'static str,
        value: String,
        expected: &'static str,
    },
}

impl LibraryNote {
    pub(crate) fn parse(content: &[u8]) -> Result<Self, ParseNoteError> {
        if content.len() > MAX_NOTE_BYTES {
            return Err(ParseNoteError::TooLong(content.len()));
        }
        let texts = content.strip_suffix(b"\0").ok_or(ParseNoteError::Unended)?;
        let mut pairs = BTreeMap::new();
        for text in texts.split(|&byte| byte == 0) {
            if text.len() > MAX_TEXT_BYTES {
                return Err(ParseNoteError::LongText(text.len()));
            }
            let text = str::from_utf8(text)
                .ok()
                .filter(|text| *text == printable(text));
            let text = text.ok_or(ParseNoteError::NoText)?;
            let (key, value) = text
                .split_once('=')
                .ok_or_else(|| ParseNoteError::NoPair(shorten(text)))?;
            if pairs.insert(key, value).is_some() {
                return Err(ParseNoteError::Twice(shorten(key)));
            }
        }
        let value_of = |key| pairs.get(key).copied().ok_or(ParseNoteError::Missing(key));
        let wrong = |key, value: &str, expected| ParseNoteError::Value {
            key,
            value: shorten(value),
            expected,
        };
        let (abi, id) = (value_of("abi")?, value_of("id")?);
        if !is_id(id) {
            return Err(wrong("id", id, "1 to 64 of a-z, 0-9, _ and -"));
        }
        Ok(Self {
            abi: abi
                .parse()
                .map_err(|_| wrong("abi", abi, "a whole number"))?,
            api: value_of("api")?.to_owned(),
            id: id.to_owned(),
            version: value_of("version")?.to_owned(),
            compiler: value_of("compiler")?.to_owned(),
        })
    }
}

/// Shortens part of the note for a message.
fn shorten(text: &str) -> String {
    const MAX_CHARS: usize = 40;
    let mut short: String = text.chars().take(MAX_CHARS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WHOLE: &str = "abi=1\0api=0.1.0\0id=dice\0version=2\0compiler=rustc 1.95.0\0";

    #[test]
    fn parses_keys_in_any_order_and_ignores_unknown_ones() {
        let expected = LibraryNote {
            abi: 1,
            api: "0.1.0".into(),
            id: "dice".into(),
            version: "2".into(),
            compiler: "rustc 1.95.0".into(),
        };
        assert_eq!(LibraryNote::parse(WHOLE.as_bytes()), Ok(expected.clone()));
        let turned: Vec<_> = WHOLE.split_terminator('\0').rev().collect();
        let turned = turned.join("\0") + "\0";
        assert_eq!(LibraryNote::parse(turned.as_bytes()), Ok(expected.clone()));
        assert_eq!(
            LibraryNote::parse(format!("{WHOLE}other=a=b\0").as_bytes()),
            Ok(expected)
        );
    }

    #[test]
    fn rejects_malformed_notes() {
        let long = "x".repeat(300);
        for (content, part) in [
            (String::new(), "lacks the final NUL"),
            (
                WHOLE.trim_end_matches('\0').to_owned(),
                "lacks the final NUL",
            ),
            ("\0".to_owned(), "contains '', expected key=value"),
            (
                format!("{WHOLE}alone\0"),
                "contains 'alone', expected key=value",
            ),
            (format!("{WHOLE}id=other\0"), "contains the key 'id' twice"),
            (
                format!("{WHOLE}key={long}\0"),
                "has 304 bytes; at most 255 are allowed",
            ),
            (WHOLE.repeat(100), "bytes; at most 4096 are allowed"),
            (WHOLE.replace("id=dice\0", ""), "lacks the key 'id'"),
            (
                WHOLE.replace("compiler", "COMPILER"),
                "lacks the key 'compiler'",
            ),
            (
                WHOLE.replace("id=dice", "id=Dice!"),
                "key 'id' is 'Dice!', expected 1 to 64",
            ),
            (
                WHOLE.replace("id=dice", "id="),
                "key 'id' is '', expected 1 to 64",
            ),
            (
                WHOLE.replace("abi=1", "abi=-1"),
                "key 'abi' is '-1', expected a whole number",
            ),
            (
                WHOLE.replace("abi=1", "abi=99999999999"),
                "expected a whole number",
            ),
            (
                WHOLE.replace("version=2", "version=\u{1b}[2J"),
                "has control characters",
            ),
            (
                WHOLE.replace("version=2", "version=\u{202e}"),
                "has control characters",
            ),
        ] {
            let error = LibraryNote::parse(content.as_bytes())
                .unwrap_err()
                .to_string();
            assert!(error.contains(part), "{part}: {error}");
        }
        let mut bytes = WHOLE.as_bytes().to_vec();
        bytes[10] = 0xff;
        assert_eq!(LibraryNote::parse(&bytes), Err(ParseNoteError::NoText));
    }

    proptest! {
        #[test]
        fn parses_or_rejects_any_bytes_in_a_short_message(
            mut bytes in prop::collection::vec(any::<u8>(), 0..600),
        ) {
            bytes.push(0);
            if let Err(error) = LibraryNote::parse(&bytes) {
                prop_assert!(error.to_string().chars().count() < 200);
            }
        }

        #[test]
        fn parses_or_rejects_any_one_byte_change(at in 0..WHOLE.len(), byte: u8) {
            let mut bytes = WHOLE.as_bytes().to_vec();
            bytes[at] = byte;
            if let Ok(note) = LibraryNote::parse(&bytes) {
                prop_assert!(is_id(&note.id));
            }
        }
    }
}
