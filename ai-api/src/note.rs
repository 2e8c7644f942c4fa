//! The note that describes a library to a host before any of its code runs.
//! [`export_ai!`](crate::export_ai) writes it.
//!
//! It is an ELF note in the section `.note.rookery`, with the name [`NAME`] and the type [`KIND`].
//! It contains UTF-8 strings `key=value` in any order, each with at most [`MAX_TEXT_BYTES`] bytes
//! and a terminating NUL:
//!
//! | key | value |
//! |---|---|
//! | `abi` | the version of the contract, a whole number: [`ABI_VERSION`] |
//! | `api` | the version of `ai-api` that the AI was built with |
//! | `id` | the AI's id, unless the configuration gives another; see [`is_id`] |
//! | `version` | the AI's own version |
//! | `compiler` | the compiler that built it |
//!
//! A reader ignores unknown keys.

/// The version of this crate, and so of the contract.
pub const API_VERSION: &str = env!("CARGO_PKG_VERSION");
/// The name of the note, with its terminating NUL.
pub const NAME: [u8; 8] = *b"Rookery\0";
/// The type of the note.
pub const KIND: u32 = 1;
/// The maximum size of `key=value` in bytes, without its NUL.
pub const MAX_TEXT_BYTES: usize = 255;
/// The version of the contract, incremented with every incompatible change.
pub const ABI_VERSION: u32 = match u32::from_str_radix(ABI_VERSION_TEXT, 10) {
    Ok(version) => version,
    Err(_) => panic!("the version of the contract is a whole number"),
};
const ABI_VERSION_TEXT: &str = "1";
/// The compiler that built this crate. It also built the AI, because cargo builds both.
const COMPILER: &str = env!("AI_API_COMPILER");

const MAX_ID_BYTES: usize = 64;

/// Returns whether `id` is a valid AI id: 1 to 64 characters from a-z, 0-9, `_` and `-`.
pub const fn is_id(id: &str) -> bool {
    let id = id.as_bytes();
    let mut at = 0;
    while at < id.len() {
        if !matches!(id[at], b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-') {
            return false;
        }
        at += 1;
    }
    !id.is_empty() && id.len() <= MAX_ID_BYTES
}

/// The id of an AI that does not set one in `export_ai!`.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct DefaultId {
    bytes: [u8; MAX_ID_BYTES],
    length: usize,
}

impl DefaultId {
    /// Returns the crate's name in lower case without the prefix `ai-`, or an empty id if the name
    /// is too long.
    pub const fn of_crate(name: &str) -> Self {
        let name = match name.as_bytes() {
            [b'a', b'i', b'-', rest @ ..] => rest,
            whole => whole,
        };
        let mut bytes = [0; MAX_ID_BYTES];
        if name.len() > MAX_ID_BYTES {
            return Self { bytes, length: 0 };
        }
        let mut at = 0;
        while at < name.len() {
            let byte = name[at].to_ascii_lowercase();
            bytes[at] = if byte.is_ascii() { byte } else { b'_' };
            at += 1;
        }
        Self {
            bytes,
            length: name.len(),
        }
    }

    /// Returns the id.
    ///
    /// # Panics
    /// Never: the bytes are ASCII.
    pub const fn as_str(&self) -> &str {
        match str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(id) => id,
            Err(_) => panic!("the bytes are ASCII"),
        }
    }
}

/// The strings of a note that differ from AI to AI.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Texts {
    id: &'static str,
    version: &'static str,
}

impl Texts {
    /// # Panics
    /// Fails to compile if the id or the version is invalid.
    pub const fn new(id: &'static str, version: &'static str) -> Self {
        assert!(
            is_id(id),
            "an AI id must have 1 to 64 characters from a-z, 0-9, _ and -; set one: \
             export_ai!(…, id = \"…\")"
        );
        let bytes = version.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            assert!(
                bytes[at] >= b' ' && bytes[at] != 0x7f,
                "an AI version must not contain control characters"
            );
            at += 1;
        }
        assert!(
            !bytes.is_empty() && bytes.len() <= 64,
            "an AI version must be 1 to 64 bytes long"
        );
        Self { id, version }
    }

    /// Returns each key, followed by its value.
    const fn all(&self) -> [&'static str; 10] {
        [
            "abi",
            ABI_VERSION_TEXT,
            "api",
            API_VERSION,
            "id",
            self.id,
            "version",
            self.version,
            "compiler",
            COMPILER,
        ]
    }

    /// Returns the length of the note's content in bytes.
    pub const fn length(&self) -> usize {
        let all = self.all();
        let (mut at, mut length) = (0, 0);
        while at < all.len() {
            // A key is followed by '=', a value by a NUL.
            length += all[at].len() + 1;
            at += 1;
        }
        length
    }
}

/// An AI's note in its library, with `LENGTH` bytes of content. *The host reads it from the file.*
#[doc(hidden)]
#[repr(C, align(4))]
#[derive(Debug)]
pub struct Note<const LENGTH: usize> {
    name_bytes: u32,
    content_bytes: u32,
    kind: u32,
    name: [u8; NAME.len()],
    content: [u8; LENGTH],
}

impl<const LENGTH: usize> Note<LENGTH> {
    /// # Panics
    /// Fails to compile if `LENGTH` is wrong.
    pub const fn new(texts: &Texts) -> Self {
        assert!(
            texts.length() == LENGTH,
            "the content of a note must be LENGTH bytes long"
        );
        let all = texts.all();
        let mut content = [0; LENGTH];
        let (mut number, mut end) = (0, 0);
        while number < all.len() {
            let text = all[number].as_bytes();
            let mut at = 0;
            while at < text.len() {
                content[end] = text[at];
                (at, end) = (at + 1, end + 1);
            }
            content[end] = if number.is_multiple_of(2) { b'=' } else { 0 };
            (number, end) = (number + 1, end + 1);
        }
        Self {
            name_bytes: NAME.len() as u32,
            content_bytes: LENGTH as u32,
            kind: KIND,
            name: NAME,
            content,
        }
    }
}

/// Puts the note into the library. Called by [`export_ai!`](crate::export_ai).
///
/// ```
/// ai_api::rookery_note!(id = "no-id", version = "1");
/// ```
///
/// An invalid id does not compile:
///
/// ```compile_fail,E0080
/// ai_api::rookery_note!(id = "No id", version = "1");
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! rookery_note {
    (id = $id:expr, version = $version:expr) => {
        const _: () = {
            const TEXTS: $crate::note::Texts = $crate::note::Texts::new($id, $version);

            #[used]
            #[unsafe(link_section = ".note.rookery")]
            static NOTE: $crate::note::Note<{ TEXTS.length() }> = $crate::note::Note::new(&TEXTS);
        };
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_id_is_the_crate_name_without_prefix() {
        for (name, id) in [
            ("ai-basic1", "basic1"),
            ("Dice_2", "dice_2"),
            ("my-ai-x", "my-ai-x"),
            ("ai-ai-x", "ai-x"),
        ] {
            assert_eq!(DefaultId::of_crate(name).as_str(), id);
            assert!(is_id(id));
        }
        // The macro then requires an id.
        for name in ["ai-", &"x".repeat(65)] {
            assert_eq!(DefaultId::of_crate(name).as_str(), "");
        }
        assert_eq!(DefaultId::of_crate(&"x".repeat(64)).as_str().len(), 64);
    }

    #[test]
    fn restricts_the_characters_of_an_id() {
        for id in ["a", "0", "_-", &"x".repeat(64)] {
            assert!(is_id(id), "{id}");
        }
        for id in ["", "A", "a b", "é", "a/b", "a\0", &"x".repeat(65)] {
            assert!(!is_id(id), "{id}");
        }
    }

    #[test]
    fn the_content_consists_of_keys_and_values() {
        const TEXTS: Texts = Texts::new("dice", "2.0.0");
        let note = Note::<{ TEXTS.length() }>::new(&TEXTS);
        assert_eq!(
            (note.name_bytes, note.content_bytes as usize, note.kind),
            (8, TEXTS.length(), 1)
        );
        let content = str::from_utf8(&note.content).unwrap();
        let expected = format!(
            "abi={ABI_VERSION}\0api={API_VERSION}\0id=dice\0version=2.0.0\0compiler={COMPILER}\0"
        );
        assert_eq!(content, expected);
        assert!(COMPILER.starts_with("rustc 1."), "{COMPILER}");
        assert!(content.split('\0').all(|text| text.len() <= MAX_TEXT_BYTES));
    }
}
