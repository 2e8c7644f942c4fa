//! Players in the file.

use std::time::SystemTime;

use rusqlite::{OptionalExtension as _, Row, params};

use super::{Store, StoreReader, columns::Time, error::StoreError};
use crate::player::{NewPlayer, PlayerId, StoredPlayer};

const COLUMNS: &str = "id, entry, version, fingerprint, ai, name, since_ms, rests_until_ms";

impl Store {
    /// Returns the player with this entry and fingerprint. A new one becomes the next version of its entry.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn player(&self, new: &NewPlayer) -> Result<StoredPlayer, StoreError> {
        let NewPlayer { entry, fingerprint, ai, name } = new;
        self.write(|transaction| {
            let find = format!("SELECT {COLUMNS} FROM players WHERE entry = ?1 AND fingerprint = ?2");
            let known = transaction.query_one(&find, params![entry, fingerprint], player).optional()?;
            if let Some(known) = known {
                return Ok(known);
            }
            let insert = format!(
                "INSERT INTO players (entry, version, fingerprint, ai, name, since_ms)
                 VALUES (?1, 1 + coalesce((SELECT max(version) FROM players WHERE entry = ?1), 0), ?2, ?3, ?4, ?5)
                 RETURNING {COLUMNS}"
            );
            let now = Time(SystemTime::now());
            transaction.query_one(&insert, params![entry, fingerprint, ai, name, now], player)
        })
    }

    /// Sets or ends the rest of a player.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn set_rest(&self, id: PlayerId, until: Option<SystemTime>) -> Result<(), StoreError> {
        let update = "UPDATE players SET rests_until_ms = ?2 WHERE id = ?1";
        self.write(|transaction| transaction.execute(update, params![id, until.map(Time)]).map(drop))
    }
}

impl StoreReader {
    /// Returns every player that the file has known, by id.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn players(&self) -> Result<Vec<StoredPlayer>, StoreError> {
        self.read(|transaction| {
            let mut select = transaction.prepare(&format!("SELECT {COLUMNS} FROM players ORDER BY id"))?;
            select.query_map([], player)?.collect()
        })
    }
}

fn player(row: &Row<'_>) -> rusqlite::Result<StoredPlayer> {
    Ok(StoredPlayer {
        id: row.get(0)?,
        entry: row.get(1)?,
        version: row.get(2)?,
        fingerprint: row.get(3)?,
        ai: row.get(4)?,
        name: row.get(5)?,
        since: row.get::<_, Time>(6)?.0,
        rests_until: row.get::<_, Option<Time>>(7)?.map(|Time(until)| until),
    })
}
