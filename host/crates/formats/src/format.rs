//! The trait that every format implements.

use ai_api::Color;
use rules::{Language, NullMoves, PgnReader, ReadVariations, Setup};
use serde_json::{Map, Value, json};

use crate::{Boundaries, FormatIssue, GameRecord, Likeness, Part, Sample};

/// A game format.
pub trait Format: Sync {
    /// Returns the parts of a game, apart from the piece placement, that the format stores.
    fn holds(&self) -> &'static [Part];

    /// Returns the code for text that is not in the format; `None` if the code is an
    /// [`IssueCode`](rules::IssueCode).
    fn code(&self) -> Option<&'static str> {
        None
    }

    /// Returns how closely the text resembles the format.
    fn likeness(&self, sample: &Sample<'_>) -> Likeness;

    /// Returns the JSON schema of the field named after the format.
    fn schema(&self) -> Value {
        json!({"type": "string"})
    }

    /// Returns the separator between two games; `None` if a file can contain only one game.
    fn separator(&self) -> Option<&'static str> {
        Some("")
    }

    /// Returns where text in the format can be split.
    fn boundaries(&self) -> Boundaries {
        Boundaries::None
    }

    /// Reads the games in the text in order. Blank text contains no games. Each game is read on
    /// demand, so the issues of half a million lines are never in memory at once.
    fn import<'t>(&self, text: &'t str, options: Import) -> Games<'t>;

    /// Reads the last position, legal or not, of text with one game. Returns `None` if the text has
    /// no such position or the format does not read one. `turn` is the side to move if the text
    /// does not name it.
    fn read_setup(&self, _text: &str, _turn: Option<Color>) -> Option<Setup> {
        None
    }

    /// Writes a game.
    fn export(&self, record: &GameRecord) -> String;

    /// Writes a game as fields of a JSON object: the field named after the format, and any others
    /// that the format requires.
    fn export_fields(&self, name: &str, record: &GameRecord) -> Map<String, Value> {
        Map::from_iter([(name.to_owned(), self.export(record).into())])
    }
}

/// The games in the input, each read or rejected with all its issues.
pub type Games<'t> = Box<dyn Iterator<Item = Result<GameRecord, Vec<FormatIssue>>> + 't>;

/// The options of an import.
#[derive(Clone, Copy, Debug)]
pub struct Import {
    /// The side to move if the text does not name it.
    pub turn: Option<Color>,
    /// Whether variations are kept.
    pub variations: ReadVariations,
    /// How to read null moves.
    pub null_moves: NullMoves,
    /// The language of the piece letters in SAN and PGN.
    pub language: Language,
    /// The maximum number of half-moves per game.
    pub max_plies: usize,
}

impl Import {
    /// Returns a PGN reader with these options.
    pub(crate) fn pgn_reader(self, text: &str) -> PgnReader<'_> {
        PgnReader::new(text)
            .variations(self.variations)
            .null_moves(self.null_moves)
            .language(self.language)
            .max_plies(self.max_plies)
    }

    /// Rejects a game that is too long, before its moves are read.
    pub(crate) fn check_length(
        self,
        plies: usize,
        code: impl Into<&'static str>,
    ) -> Result<(), Vec<FormatIssue>> {
        let max_plies = self.max_plies;
        if plies <= max_plies {
            return Ok(());
        }
        let message =
            format!("the game has {plies} half-moves; at most {max_plies} are allowed here");
        Err(vec![FormatIssue::new(code, message)])
    }
}
