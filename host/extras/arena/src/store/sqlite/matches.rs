//! Matches in the file.

use std::time::SystemTime;

use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};
use tournament::GameResult;

use super::{
    PART_OF_MATCHES, Store, StoreError, StoreFault, StoreReader,
    columns::{PointsColumn, TimeColumn},
    players,
};
use crate::{
    finished::FinishedPair,
    player::{NewPlayer, PlayerId, StoredPlayer},
    retention::{KeptMatch, OVERHEAD_BYTES, first_to_go, surplus},
    stored_match::{MatchProgress, StoredMatch},
};

const SELECT: &str =
    "SELECT id, client, idempotency_key, request, state, is_finished FROM matches WHERE";

impl Store {
    /// Adds a match. Removes old ones with their games if there is no room for all.
    ///
    /// # Errors
    /// The client has used the idempotency key before, there is no room for the match, or the file
    /// cannot be written.
    pub fn add_match(&self, new: &StoredMatch) -> Result<(), StoreError> {
        let StoredMatch {
            client,
            idempotency_key,
            request,
            progress,
        } = new;
        let MatchProgress {
            id,
            state,
            is_finished,
        } = progress;
        let insert =
            "INSERT INTO matches (id, client, idempotency_key, request, state, is_finished,
                                  created_ms, bytes)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        self.write_soon(|transaction| {
            self.ensure_space(transaction)?;
            let (created, bytes) = (TimeColumn(SystemTime::now()), request.len() as u64);
            let row = params![
                id,
                client,
                idempotency_key,
                request,
                state,
                is_finished,
                created,
                bytes
            ];
            transaction.execute(insert, row)?;
            self.make_room(transaction, client)
        })
    }

    /// Finds or adds the players of a match that starts.
    ///
    /// # Errors
    /// The file has no such match, has reached its limit, or cannot be written.
    pub fn begin_match(
        &self,
        id: &str,
        new: &[NewPlayer; 2],
    ) -> Result<[StoredPlayer; 2], StoreError> {
        self.write(|transaction| {
            self.ensure_space(transaction)?;
            let [first, second] = new
                .each_ref()
                .map(|new| players::find_or_add(transaction, new, true));
            let (first, second) = (first?, second?);
            let update = "UPDATE matches SET first = ?2, second = ?3 WHERE id = ?1";
            changed(transaction.execute(update, params![id, first.id, second.id])?)?;
            Ok::<_, StoreFault>([first, second])
        })
    }

    /// Sets the state of a match.
    ///
    /// # Errors
    /// The file has no such match, or cannot be written.
    pub fn update_match(&self, progress: &MatchProgress) -> Result<(), StoreError> {
        self.write(|transaction| update(transaction, progress))
    }

    /// Like [`Self::update_match`], but for a request, so it waits a shorter time for other
    /// processes.
    ///
    /// # Errors
    /// The file has no such match, or cannot be written.
    pub fn update_match_soon(&self, progress: &MatchProgress) -> Result<(), StoreError> {
        self.write_soon(|transaction| update(transaction, progress))
    }

    /// Removes old matches until the file is below its limit, to make room for a write.
    pub(super) fn ensure_space(&self, connection: &Connection) -> Result<(), StoreFault> {
        let used = "SELECT (page_count - freelist_count) * page_size
                    FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
        loop {
            let bytes: u64 = connection.query_one(used, [], |row| row.get(0))?;
            if bytes < self.max_bytes {
                return Ok(());
            }
            if !remove_oldest(connection)? {
                return Err(StoreFault::MaxSize(self.max_bytes >> 20));
            }
        }
    }

    /// Counts the games of a match, and removes old matches if there is no room for all.
    pub(super) fn add_games_of_match(
        &self,
        transaction: &Transaction<'_>,
        pair: &FinishedPair,
    ) -> Result<(), StoreFault> {
        let Some(progress) = &pair.match_progress else {
            return Ok(());
        };
        let bytes: u64 = pair
            .games()
            .map(|game| game.pgn.len() as u64 + OVERHEAD_BYTES)
            .sum();
        let grow = "UPDATE matches SET bytes = bytes + ?2 WHERE id = ?1 RETURNING client";
        let client: String =
            transaction.query_one(grow, params![progress.id, bytes], |row| row.get(0))?;
        self.make_room(transaction, &client)
    }

    /// Removes surplus matches after one of `client`'s matches has been added or has grown.
    fn make_room(&self, transaction: &Transaction<'_>, client: &str) -> Result<(), StoreFault> {
        let room = self.max_bytes / PART_OF_MATCHES;
        let rows = kept(transaction)?;
        let kept: Vec<_> = rows.iter().map(KeptMatch::from).collect();
        let gone = surplus(&kept, client, room).ok_or(StoreFault::NoRoomForMatch(room))?;
        Ok(gone
            .into_iter()
            .try_for_each(|index| remove(transaction, &rows[index].0))?)
    }
}

impl StoreReader {
    /// Returns a match by its id.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn stored_match(&self, id: &str) -> Result<Option<StoredMatch>, StoreError> {
        self.read(|transaction| {
            transaction
                .query_one(&format!("{SELECT} id = ?1"), params![id], stored_match)
                .optional()
        })
    }

    /// Returns the match that a client added with an idempotency key.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn keyed_match(&self, client: &str, key: &str) -> Result<Option<StoredMatch>, StoreError> {
        let find = format!("{SELECT} client = ?1 AND idempotency_key = ?2");
        self.read(|transaction| {
            transaction
                .query_one(&find, params![client, key], stored_match)
                .optional()
        })
    }

    /// Returns White's result in each game of a match and how the game ended, oldest first.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn match_results(&self, id: &str) -> Result<Vec<(GameResult, String)>, StoreError> {
        let select = "SELECT points, termination FROM games WHERE match_id = ?1 ORDER BY id";
        self.read(|transaction| {
            let game = |row: &Row<'_>| Ok((row.get::<_, PointsColumn>(0)?.0, row.get(1)?));
            transaction
                .prepare(select)?
                .query_map(params![id], game)?
                .collect()
        })
    }

    /// Returns the PGN of a match's games, oldest first.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn match_pgn(&self, id: &str) -> Result<String, StoreError> {
        let select = "SELECT coalesce(group_concat(pgn, '' ORDER BY id), '')
                      FROM games JOIN texts ON game = id WHERE match_id = ?1";
        self.read(|transaction| transaction.query_one(select, params![id], |row| row.get(0)))
    }

    /// Returns the prefix of this file's match ids.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn server(&self) -> Result<String, StoreError> {
        self.read(|transaction| {
            transaction.query_one("SELECT server FROM arena", [], |row| row.get(0))
        })
    }

    /// Returns the unfinished matches, oldest first.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn unfinished_matches(&self) -> Result<Vec<StoredMatch>, StoreError> {
        self.read(|transaction| {
            let mut select = transaction.prepare(&format!(
                "{SELECT} is_finished = 0 ORDER BY created_ms, rowid"
            ))?;
            select.query_map([], stored_match)?.collect()
        })
    }
}

/// Sets the state of a match.
pub(super) fn update(connection: &Connection, progress: &MatchProgress) -> rusqlite::Result<()> {
    let MatchProgress {
        id,
        state,
        is_finished,
    } = progress;
    let update = "UPDATE matches SET state = ?2, is_finished = ?3 WHERE id = ?1";
    changed(connection.execute(update, params![id, state, is_finished])?)
}

/// # Errors
/// No row was changed.
fn changed(rows: usize) -> rusqlite::Result<()> {
    if rows == 1 {
        Ok(())
    } else {
        Err(rusqlite::Error::QueryReturnedNoRows)
    }
}

/// The id, client and size in bytes of a match, and whether it has ended.
type KeptRow = (String, String, u64, bool);

impl<'a> From<&'a KeptRow> for KeptMatch<'a> {
    fn from((_, client, bytes, is_ended): &'a KeptRow) -> Self {
        Self {
            client,
            bytes: *bytes,
            is_ended: *is_ended,
        }
    }
}

/// Returns all matches, oldest first.
fn kept(connection: &Connection) -> rusqlite::Result<Vec<KeptRow>> {
    let select = "SELECT id, client, bytes + ?1, is_finished FROM matches INDEXED BY matches_by_age
                  ORDER BY created_ms, rowid";
    let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    connection
        .prepare(select)?
        .query_map(params![OVERHEAD_BYTES], row)?
        .collect()
}

/// Removes the match that [`first_to_go`] chooses. Returns false if it chooses none.
pub(super) fn remove_oldest(connection: &Connection) -> Result<bool, StoreFault> {
    let rows = kept(connection)?;
    let kept: Vec<_> = rows.iter().map(KeptMatch::from).collect();
    let Some(index) = first_to_go(&kept) else {
        return Ok(false);
    };
    remove(connection, &rows[index].0)?;
    Ok(true)
}

/// Removes a match with its games and the players that only it uses. Games that an earlier version
/// of the program rated stay, since the ratings count them.
fn remove(connection: &Connection, id: &str) -> rusqlite::Result<()> {
    let select = "SELECT first, second FROM matches WHERE id = ?1";
    let players: [Option<PlayerId>; 2] =
        connection.query_one(select, params![id], |row| Ok([row.get(0)?, row.get(1)?]))?;
    for delete in [
        "UPDATE games SET match_id = NULL WHERE match_id = ?1 AND is_rated",
        "DELETE FROM texts WHERE game IN (SELECT id FROM games WHERE match_id = ?1)",
        "DELETE FROM games WHERE match_id = ?1",
        "DELETE FROM matches WHERE id = ?1",
    ] {
        connection.execute(delete, params![id])?;
    }
    let unused = "DELETE FROM players WHERE id = ?1 AND is_of_matches
                  AND NOT EXISTS (SELECT 1 FROM matches WHERE first = ?1)
                  AND NOT EXISTS (SELECT 1 FROM matches WHERE second = ?1)";
    players
        .iter()
        .flatten()
        .try_for_each(|player| connection.execute(unused, params![player]).map(drop))
}

fn stored_match(row: &Row<'_>) -> rusqlite::Result<StoredMatch> {
    Ok(StoredMatch {
        client: row.get(1)?,
        idempotency_key: row.get(2)?,
        request: row.get(3)?,
        progress: MatchProgress {
            id: row.get(0)?,
            state: row.get(4)?,
            is_finished: row.get(5)?,
        },
    })
}
