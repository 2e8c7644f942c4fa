//! Moves as text.

use std::{fmt, ops::Deref};

use ai_api::{Role, Square};

/// The text of a move in SAN or UCI: at most seven characters, without allocation. Dereferences to
/// `str`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MoveText {
    length: u8,
    characters: [u8; 7],
}

impl MoveText {
    pub(crate) const EMPTY: Self = Self {
        length: 0,
        characters: [0; 7],
    };

    /// The text in UCI.
    pub(crate) fn uci(from: Square, to: Square, promotion: Option<Role>) -> Self {
        let [[a, b], [c, d]] =
            [from, to].map(|square| [b'a' + square.file(), b'1' + square.rank()]);
        let (length, letter) = promotion.map_or((4, 0), |role| (5, role.letter() as u8));
        Self {
            length,
            characters: [a, b, c, d, letter, 0, 0],
        }
    }

    /// Returns the characters, which are ASCII.
    pub fn as_bytes(&self) -> &[u8] {
        &self.characters[..usize::from(self.length)]
    }

    /// Returns the characters followed by zeros, which are faster to copy than [`Self::as_bytes`].
    pub fn padded(&self) -> [u8; 7] {
        self.characters
    }

    pub(crate) fn push(&mut self, character: u8) {
        self.characters[usize::from(self.length)] = character;
        self.length += 1;
    }

    pub(crate) fn push_all(&mut self, characters: &[u8]) {
        for &character in characters {
            self.push(character);
        }
    }

    pub(crate) fn push_file(&mut self, square: Square) {
        self.push(b'a' + square.file());
    }

    pub(crate) fn push_rank(&mut self, square: Square) {
        self.push(b'1' + square.rank());
    }

    pub(crate) fn push_square(&mut self, square: Square) {
        self.push_file(square);
        self.push_rank(square);
    }

    pub(crate) fn push_role(&mut self, role: Role) {
        self.push(role.letter().to_ascii_uppercase() as u8);
    }
}

impl Deref for MoveText {
    type Target = str;

    fn deref(&self) -> &str {
        str::from_utf8(self.as_bytes()).expect("the characters are ASCII")
    }
}

impl fmt::Display for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl From<MoveText> for String {
    fn from(text: MoveText) -> Self {
        (*text).into()
    }
}

impl PartialEq<&str> for MoveText {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}
