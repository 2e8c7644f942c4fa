//! The letters for pieces in each language.

use std::borrow::Cow;

use ai_api::Position;

use super::parse::parse_san;

macro_rules! languages {
    ($($(#[doc = $doc:literal])* $variant:ident = $code:literal $letters:expr,)*) => {
        /// A language, identified by its letters for the pieces. Section 8.2.3.2 of the PGN
        /// standard lists most languages.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum Language {
            /// K, Q, R, B, N.
            #[default]
            English,
            $($(#[doc = $doc])* $variant,)*
        }

        impl Language {
            /// Every language.
            pub const ALL: &[Self] = &[Self::English, $(Self::$variant),*];

            /// Returns the ISO 639-1 code, such as `de`.
            pub const fn code(self) -> &'static str {
                match self {
                    Self::English => "en",
                    $(Self::$variant => $code,)*
                }
            }

            /// Returns the English name.
            pub const fn name(self) -> &'static str {
                match self {
                    Self::English => "English",
                    $(Self::$variant => stringify!($variant),)*
                }
            }

            /// The letters of king, queen, rook, bishop and knight.
            const fn letters(self) -> [&'static str; 5] {
                match self {
                    Self::English => ENGLISH,
                    $(Self::$variant => $letters,)*
                }
            }
        }
    };
}

const ENGLISH: [&str; 5] = ["K", "Q", "R", "B", "N"];

languages! {
    /// K, D, V, S, J.
    Czech = "cs" ["K", "D", "V", "S", "J"],
    /// K, D, T, L, S.
    Danish = "da" ["K", "D", "T", "L", "S"],
    /// K, D, T, L, P.
    Dutch = "nl" ["K", "D", "T", "L", "P"],
    /// K, L, V, O, R.
    Estonian = "et" ["K", "L", "V", "O", "R"],
    /// K, D, T, L, R.
    Finnish = "fi" ["K", "D", "T", "L", "R"],
    /// R, D, T, F, C.
    French = "fr" ["R", "D", "T", "F", "C"],
    /// K, D, T, L, S.
    German = "de" ["K", "D", "T", "L", "S"],
    /// K, V, B, F, H.
    Hungarian = "hu" ["K", "V", "B", "F", "H"],
    /// K, D, H, B, R.
    Icelandic = "is" ["K", "D", "H", "B", "R"],
    /// R, D, T, A, C.
    Italian = "it" ["R", "D", "T", "A", "C"],
    /// K, D, T, L, S.
    Norwegian = "nb" ["K", "D", "T", "L", "S"],
    /// K, H, W, G, S.
    Polish = "pl" ["K", "H", "W", "G", "S"],
    /// R, D, T, B, C.
    Portuguese = "pt" ["R", "D", "T", "B", "C"],
    /// R, D, T, N, C.
    Romanian = "ro" ["R", "D", "T", "N", "C"],
    /// Кр, Ф, Л, С, К.
    Russian = "ru" ["Кр", "Ф", "Л", "С", "К"],
    /// R, D, T, A, C.
    Spanish = "es" ["R", "D", "T", "A", "C"],
    /// K, D, T, L, S.
    Swedish = "sv" ["K", "D", "T", "L", "S"],
}

impl Language {
    /// Returns a move with English letters, or unchanged if it is castling. `None` if a letter
    /// doesn't name a piece.
    pub(crate) fn to_english(self, text: &str) -> Option<Cow<'_, str>> {
        let is_castling = || {
            let rest = text.strip_prefix(['0', 'O']);
            rest.is_some_and(|rest| rest.starts_with(|c: char| !c.is_ascii_alphanumeric()))
        };
        if self == Self::English || is_castling() {
            return Some(Cow::Borrowed(text));
        }
        let mut english = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            if !next.is_uppercase() {
                english.push(next);
                rest = &rest[next.len_utf8()..];
                continue;
            }
            let letters = self.letters();
            let (letter, piece) = letters
                .iter()
                .zip(ENGLISH)
                .find(|(letter, _)| rest.starts_with(**letter))?;
            english.push_str(piece);
            rest = &rest[letter.len()..];
        }
        Some(Cow::Owned(english))
    }

    /// The languages in which the text is a legal move.
    pub(crate) fn of_move(position: &Position, text: &str) -> Vec<Self> {
        let is_move = |language: &&Self| {
            let english = language.to_english(text);
            english.is_some_and(|english| parse_san(position, &english).is_ok())
        };
        Self::ALL.iter().filter(is_move).copied().collect()
    }
}
