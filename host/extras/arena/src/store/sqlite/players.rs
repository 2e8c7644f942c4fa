//! Players in the file.

use std::time::SystemTime;

use rusqlite::{OptionalExtension as _, Row, Transaction, params};

use super::{Store, StoreError, StoreReader, columns::TimeColumn};
use crate::player::{NewPlayer, PlayerId, StoredPlayer};

const COLUMNS: &str =
    "id, entry, version, fingerprint, ai, name, since_ms, rests_until_ms, anchor_elo";

impl Store {
    /// Returns the player with this entry and fingerprint. A new one becomes the next version of
    /// its entry.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn player(&self, new: &NewPlayer) -> Result<StoredPlayer, StoreError> {
        self.write(|transaction| find_or_add(transaction, new, false))
    }

    /// Like [`Self::player`], but also sets or removes the rating of an anchor. If another version
    /// of the entry already has this rating, that version keeps it, and this one gets none.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn anchored_player(
        &self,
        new: &NewPlayer,
        elo: Option<f64>,
    ) -> Result<StoredPlayer, StoreError> {
        self.write(|transaction| {
            let found = find_or_add(transaction, new, false)?;
            let count = "SELECT count(*) FROM players WHERE entry = ?1 AND anchor_elo = ?2";
            let given: u32 =
                transaction.query_one(count, params![new.entry, elo], |row| row.get(0))?;
            if given == 0 {
                let update =
                    "UPDATE players SET anchor_elo = iif(id = ?2, ?3, NULL) WHERE entry = ?1";
                transaction.execute(update, params![new.entry, found.id, elo])?;
            }
            let select = format!("SELECT {COLUMNS} FROM players WHERE id = ?1");
            transaction.query_one(&select, params![found.id], player)
        })
    }

    /// Makes a player rest until a time.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn set_rest(&self, id: PlayerId, until: SystemTime) -> Result<(), StoreError> {
        let update = "UPDATE players SET rests_until_ms = ?2 WHERE id = ?1";
        self.write(|transaction| {
            transaction
                .execute(update, params![id, TimeColumn(until)])
                .map(drop)
        })
    }
}

impl StoreReader {
    /// Returns every player in the file, by id.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn players(&self) -> Result<Vec<StoredPlayer>, StoreError> {
        self.read(|transaction| {
            let mut select =
                transaction.prepare(&format!("SELECT {COLUMNS} FROM players ORDER BY id"))?;
            select.query_map([], player)?.collect()
        })
    }
}

/// Returns a player, and adds it if it is new. A player that only matches use is removed with its
/// last match.
pub(super) fn find_or_add(
    transaction: &Transaction<'_>,
    new: &NewPlayer,
    is_of_match: bool,
) -> rusqlite::Result<StoredPlayer> {
    let NewPlayer {
        entry,
        fingerprint,
        ai,
        name,
    } = new;
    let find = format!(
        "UPDATE players SET is_of_matches = is_of_matches AND ?3
         WHERE entry = ?1 AND fingerprint = ?2
         RETURNING {COLUMNS}"
    );
    let known = transaction
        .query_one(&find, params![entry, fingerprint, is_of_match], player)
        .optional()?;
    if let Some(known) = known {
        return Ok(known);
    }
    let insert = format!(
        "INSERT INTO players (entry, version, fingerprint, ai, name, since_ms, is_of_matches)
         VALUES (?1, 1 + coalesce((SELECT max(version) FROM players WHERE entry = ?1), 0),
                 ?2, ?3, ?4, ?5, ?6)
         RETURNING {COLUMNS}"
    );
    let now = TimeColumn(SystemTime::now());
    transaction.query_one(
        &insert,
        params![entry, fingerprint, ai, name, now, is_of_match],
        player,
    )
}

fn player(row: &Row<'_>) -> rusqlite::Result<StoredPlayer> {
    Ok(StoredPlayer {
        id: row.get(0)?,
        entry: row.get(1)?,
        version: row.get(2)?,
        fingerprint: row.get(3)?,
        ai: row.get(4)?,
        name: row.get(5)?,
        since: row.get::<_, TimeColumn>(6)?.0,
        rests_until: row
            .get::<_, Option<TimeColumn>>(7)?
            .map(|TimeColumn(until)| until),
        anchor_elo: row.get(8)?,
    })
}
