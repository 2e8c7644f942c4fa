//! Matches in the file.

use std::time::SystemTime;

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use tournament::GameResult;

use super::{
    Store, StoreError, StoreReader,
    columns::{Points, Time},
};
use crate::stored_match::{MatchProgress, StoredMatch};

const SELECT: &str = "SELECT id, client, idempotency_key, request, state, is_finished FROM matches WHERE";

impl Store {
    /// Adds a match.
    ///
    /// # Errors
    /// The client has used the idempotency key before, or the file cannot be written.
    pub fn add_match(&self, new: &StoredMatch) -> Result<(), StoreError> {
        let StoredMatch { client, idempotency_key, request, progress } = new;
        let MatchProgress { id, state, is_finished } = progress;
        let insert =
            "INSERT INTO matches (id, client, idempotency_key, request, state, is_finished, created_ms)
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        self.write(|transaction| {
            let row =
                params![id, client, idempotency_key, request, state, is_finished, Time(SystemTime::now())];
            transaction.execute(insert, row).map(drop)
        })
    }

    /// Sets the state of a match.
    ///
    /// # Errors
    /// The file has no such match, or cannot be written.
    pub fn update_match(&self, progress: &MatchProgress) -> Result<(), StoreError> {
        self.write(|transaction| update(transaction, progress))
    }
}

impl StoreReader {
    /// Returns a match by its id.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn stored_match(&self, id: &str) -> Result<Option<StoredMatch>, StoreError> {
        self.read(|transaction| {
            transaction.query_one(&format!("{SELECT} id = ?1"), params![id], stored_match).optional()
        })
    }

    /// Returns the match that a client has added with an idempotency key.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn keyed_match(&self, client: &str, key: &str) -> Result<Option<StoredMatch>, StoreError> {
        let find = format!("{SELECT} client = ?1 AND idempotency_key = ?2");
        self.read(|transaction| transaction.query_one(&find, params![client, key], stored_match).optional())
    }

    /// Returns the results of a match's games for White, and how they ended, the oldest first.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn match_results(&self, id: &str) -> Result<Vec<(GameResult, String)>, StoreError> {
        let select = "SELECT points, termination FROM games WHERE match_id = ?1 ORDER BY id";
        self.read(|transaction| {
            let game = |row: &Row<'_>| Ok((row.get::<_, Points>(0)?.0, row.get(1)?));
            transaction.prepare(select)?.query_map(params![id], game)?.collect()
        })
    }

    /// Returns the PGN of a match's games, the oldest first.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn match_pgn(&self, id: &str) -> Result<String, StoreError> {
        let select = "SELECT coalesce(group_concat(pgn, '' ORDER BY id), '')
                      FROM games JOIN texts ON game = id WHERE match_id = ?1";
        self.read(|transaction| transaction.query_one(select, params![id], |row| row.get(0)))
    }

    /// Returns what the ids of the file's matches begin with.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn server(&self) -> Result<String, StoreError> {
        self.read(|transaction| transaction.query_one("SELECT server FROM arena", [], |row| row.get(0)))
    }

    /// Returns the matches that are not finished, the oldest first.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn unfinished_matches(&self) -> Result<Vec<StoredMatch>, StoreError> {
        self.read(|transaction| {
            let mut select =
                transaction.prepare(&format!("{SELECT} is_finished = 0 ORDER BY created_ms, rowid"))?;
            select.query_map([], stored_match)?.collect()
        })
    }
}

/// Sets the state of a match.
pub(super) fn update(connection: &Connection, progress: &MatchProgress) -> rusqlite::Result<()> {
    let MatchProgress { id, state, is_finished } = progress;
    let update = "UPDATE matches SET state = ?2, is_finished = ?3 WHERE id = ?1";
    match connection.execute(update, params![id, state, is_finished])? {
        1 => Ok(()),
        _ => Err(rusqlite::Error::QueryReturnedNoRows),
    }
}

fn stored_match(row: &Row<'_>) -> rusqlite::Result<StoredMatch> {
    Ok(StoredMatch {
        client: row.get(1)?,
        idempotency_key: row.get(2)?,
        request: row.get(3)?,
        progress: MatchProgress { id: row.get(0)?, state: row.get(4)?, is_finished: row.get(5)? },
    })
}
