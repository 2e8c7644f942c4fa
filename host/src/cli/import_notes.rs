//! Counts of the faults that imports accepted, by kind.

use std::{collections::BTreeMap, fmt};

use formats::GameRecord;
use rules::ImportNote;
use serde::Serialize;

/// How often each kind of fault was accepted.
#[derive(Clone, Debug, Default)]
pub(crate) struct NoteCounts(BTreeMap<ImportNote, NoteCount>);

/// How often a fault was accepted.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct NoteCount {
    #[serde(serialize_with = "kind_name")]
    kind: ImportNote,
    count: usize,
    /// The number of games with it; `None` for invalid words, which are counted before games are
    /// read.
    #[serde(skip_serializing_if = "Option::is_none")]
    games: Option<usize>,
    /// The first such game, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_game: Option<usize>,
    /// Details of the first occurrence.
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn kind_name<S: serde::Serializer>(kind: &ImportNote, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.into_str())
}

impl NoteCounts {
    /// Counts the notes of a game.
    pub(crate) fn add_game(&mut self, record: &GameRecord, game: usize) {
        for &kind in &record.notes {
            let drawn_at = record
                .game
                .game
                .drawn_at()
                .filter(|_| kind == ImportNote::WentOnAfterDraw);
            let entry = self.0.entry(kind).or_insert_with(|| NoteCount {
                kind,
                count: 0,
                games: Some(0),
                first_game: Some(game),
                first: drawn_at.map(|drawn_at| drawn_at.to_string()),
            });
            entry.count += 1;
        }
        let mut kinds = record.notes.clone();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in kinds {
            if let Some(NoteCount {
                games: Some(games), ..
            }) = self.0.get_mut(&kind)
            {
                *games += 1;
            }
        }
    }

    /// Counts words that are not UTF-8.
    pub(crate) fn add_windows_1252(&mut self, words: usize) {
        if words > 0 {
            let kind = ImportNote::Windows1252;
            let none = NoteCount {
                kind,
                count: 0,
                games: None,
                first_game: None,
                first: None,
            };
            self.0.entry(kind).or_insert(none).count += words;
        }
    }

    /// Adds the counts of the next games.
    pub(crate) fn append(&mut self, next: Self, games_before: usize) {
        for (kind, found) in next.0 {
            let first_game = found.first_game.map(|game| game + games_before);
            let Some(known) = self.0.get_mut(&kind) else {
                self.0.insert(
                    kind,
                    NoteCount {
                        first_game,
                        ..found
                    },
                );
                continue;
            };
            known.count += found.count;
            known.games = known
                .games
                .zip(found.games)
                .map(|(known, found)| known + found);
        }
    }

    /// Returns the counts, ordered by kind.
    pub(crate) fn list(&self) -> Vec<&NoteCount> {
        self.0.values().collect()
    }
}

impl fmt::Display for NoteCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            count,
            games,
            first_game,
            first,
        } = self;
        let times = if *count == 1 {
            "once"
        } else {
            &format!("{count} times")
        };
        write!(f, "{kind}: {times}")?;
        if let (Some(games), Some(first_game)) = (games, first_game) {
            if *games > 1 {
                write!(f, " in {games} games, first")?;
            }
            write!(f, " in game {first_game}")?;
        }
        match first {
            Some(first) => write!(f, ", {first}"),
            None => Ok(()),
        }
    }
}
