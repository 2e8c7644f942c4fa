//! What a library says of itself in the note that `ai_api::export_ai!` writes.

use std::collections::BTreeMap;

use ai_api::note::{MAX_TEXT_BYTES, is_id};

use text::printable;

/// The most bytes that the texts of a note may have together.
const MAX_NOTE_BYTES: usize = 4096;

/// What a library says of itself before a line of it has run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The version of the contract that it was built for.
    pub abi: u32,
    /// The version of `ai-api` that it was built with.
    pub api: String,
    /// What clients call the AI unless the configuration says otherwise.
    pub id: String,
    /// The AI's own version.
    pub version: String,
    /// What built it.
    pub compiler: String,
}

/// Why the content of a note can't be what the macro wrote.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseNoteError {
    /// Longer than any note.
    #[error("it has {0} bytes and may have {MAX_NOTE_BYTES}")]
    TooLong(usize),
    /// A text is too long.
    #[error("one of its texts has {0} bytes and may have {MAX_TEXT_BYTES}")]
    LongText(usize),
    /// The last text is not ended.
    #[error("its last text is not ended by a NUL")]
    Unended,
    /// Not UTF-8, or not to be shown.
    #[error("one of its texts is not UTF-8 or has control characters")]
    NoText,
    /// Not `key=value`.
    #[error("'{0}' in it is not key=value")]
    NoPair(String),
    /// The same key again.
    #[error("'{0}' stands in it twice")]
    Twice(String),
    /// A key is missing.
    #[error("'{0}' is missing in it")]
    Missing(&'static str),
    /// A value is not what it should be.
    #[error("'{key}' in it is '{value}', expected {expected}")]
    Value {
        /// The key.
        key: &'static str,
        /// What was found.
        value: String,
        /// What is allowed.
        expected: &'static str,
    },
}

impl Note {
    /// Reads the content of a note.
    pub(super) fn parse(content: &[u8]) -> Result<Self, ParseNoteError> {
        if content.len() > MAX_NOTE_BYTES {
            return Err(ParseNoteError::TooLong(content.len()));
        }
        let texts = content.strip_suffix(b"\0").ok_or(ParseNoteError::Unended)?;
        let mut pairs = BTreeMap::new();
        for text in texts.split(|&byte| byte == 0) {
            if text.len() > MAX_TEXT_BYTES {
                return Err(ParseNoteError::LongText(text.len()));
            }
            let text = str::from_utf8(text).ok().filter(|text| *text == printable(text));
            let text = text.ok_or(ParseNoteError::NoText)?;
            let (key, value) = text.split_once('=').ok_or_else(|| ParseNoteError::NoPair(shown(text)))?;
            if pairs.insert(key, value).is_some() {
                return Err(ParseNoteError::Twice(shown(key)));
            }
        }
        let value = |key| pairs.get(key).copied().ok_or(ParseNoteError::Missing(key));
        let wrong = |key, value: &str, expected| ParseNoteError::Value { key, value: shown(value), expected };
        let (abi, id) = (value("abi")?, value("id")?);
        if !is_id(id) {
            return Err(wrong("id", id, "1 to 64 of a-z, 0-9, _ and -"));
        }
        Ok(Self {
            abi: abi.parse().map_err(|_| wrong("abi", abi, "a whole number"))?,
            api: value("api")?.to_owned(),
            id: id.to_owned(),
            version: value("version")?.to_owned(),
            compiler: value("compiler")?.to_owned(),
        })
    }
}

/// A part of the note in a message, which has to stay short.
fn shown(text: &str) -> String {
    const MOST_CHARS: usize = 40;
    let mut short: String = text.chars().take(MOST_CHARS).collect();
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
    fn reads_what_a_library_says_in_any_order_and_passes_over_the_rest() {
        let expected = Note {
            abi: 1,
            api: "0.1.0".into(),
            id: "dice".into(),
            version: "2".into(),
            compiler: "rustc 1.95.0".into(),
        };
        assert_eq!(Note::parse(WHOLE.as_bytes()), Ok(expected.clone()));
        let turned: Vec<_> = WHOLE.split_terminator('\0').rev().collect();
        let turned = turned.join("\0") + "\0";
        assert_eq!(Note::parse(turned.as_bytes()), Ok(expected.clone()));
        assert_eq!(Note::parse(format!("{WHOLE}mood=a=b\0").as_bytes()), Ok(expected));
    }

    #[test]
    fn tells_what_is_wrong_with_a_note() {
        let long = "x".repeat(300);
        for (content, part) in [
            (String::new(), "not ended by a NUL"),
            (WHOLE.trim_end_matches('\0').to_owned(), "not ended by a NUL"),
            ("\0".to_owned(), "'' in it is not key=value"),
            (format!("{WHOLE}alone\0"), "'alone' in it is not key=value"),
            (format!("{WHOLE}id=other\0"), "'id' stands in it twice"),
            (format!("{WHOLE}key={long}\0"), "has 304 bytes and may have 255"),
            (WHOLE.repeat(100), "bytes and may have 4096"),
            (WHOLE.replace("id=dice\0", ""), "'id' is missing in it"),
            (WHOLE.replace("compiler", "COMPILER"), "'compiler' is missing in it"),
            (WHOLE.replace("id=dice", "id=Dice!"), "'id' in it is 'Dice!', expected 1 to 64"),
            (WHOLE.replace("id=dice", "id="), "'id' in it is '', expected 1 to 64"),
            (WHOLE.replace("abi=1", "abi=-1"), "'abi' in it is '-1', expected a whole number"),
            (WHOLE.replace("abi=1", "abi=99999999999"), "expected a whole number"),
            (WHOLE.replace("version=2", "version=\u{1b}[2J"), "has control characters"),
            (WHOLE.replace("version=2", "version=\u{202e}"), "has control characters"),
        ] {
            let error = Note::parse(content.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{part}: {error}");
        }
        let mut bytes = WHOLE.as_bytes().to_vec();
        bytes[10] = 0xff;
        assert_eq!(Note::parse(&bytes), Err(ParseNoteError::NoText));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused_in_few_words(mut bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            bytes.push(0);
            if let Err(error) = Note::parse(&bytes) {
                prop_assert!(error.to_string().chars().count() < 200);
            }
        }

        #[test]
        fn any_change_of_one_byte_is_read_or_refused(at in 0..WHOLE.len(), byte: u8) {
            let mut bytes = WHOLE.as_bytes().to_vec();
            bytes[at] = byte;
            if let Ok(note) = Note::parse(&bytes) {
                prop_assert!(is_id(&note.id));
            }
        }
    }
}
