//! Pairs of games and the tallies of their results.

use rusqlite::{Connection, Row, params};
use sha2::{Digest, Sha256};
use tournament::{Effort, Tally};

use super::{
    Store, StoreError, StoreFault, StoreReader,
    columns::{PointsColumn, TimeColumn},
    matches,
};
use crate::{
    finished::{FinishedGame, FinishedPair, GameId},
    player::PlayerId,
    results::{PlayerRecord, Results},
};

impl Store {
    /// Adds a pair of games atomically. Removes old matches if there is no room for all. Returns
    /// the ids of its games.
    ///
    /// # Errors
    /// The file or the match has reached its limit, the disk is full, or the file cannot be
    /// written.
    pub fn add_pair(&self, pair: &FinishedPair) -> Result<Vec<GameId>, StoreError> {
        self.write(|transaction| {
            self.ensure_space(transaction)?;
            let games = insert(transaction, pair)?;
            self.add_games_of_match(transaction, pair)?;
            Ok::<_, StoreFault>(games)
        })
    }

    /// Counts a void pair.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add_void_pair(&self, one: PlayerId, other: PlayerId) -> Result<(), StoreError> {
        let upsert = "INSERT INTO pair_tallies (first, second, void) VALUES (?1, ?2, 1)
                      ON CONFLICT DO UPDATE SET void = void + 1";
        let (first, second) = (one.min(other), one.max(other));
        self.write(|transaction| {
            transaction
                .execute(upsert, params![first, second])
                .map(drop)
        })
    }
}

impl StoreReader {
    /// Returns the counted results of all rated games.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn results(&self) -> Result<Results, StoreError> {
        self.read(|transaction| {
            let mut results = Results::default();
            let mut color_tallies = transaction
                .prepare("SELECT white, black, wins, draws, losses FROM color_tallies")?;
            let mut color_rows = color_tallies.query([])?;
            while let Some(row) = color_rows.next()? {
                let (white, black): (PlayerId, PlayerId) = (row.get(0)?, row.get(1)?);
                let [wins, draws, losses] = [row.get(2)?, row.get(3)?, row.get(4)?];
                let tally = Tally {
                    wins,
                    draws,
                    losses,
                    ..Tally::default()
                };
                results.by_color.insert((white, black), tally);
                let of_first = if white < black {
                    tally
                } else {
                    tally.reversed()
                };
                let sum = results
                    .pairings
                    .entry((white.min(black), white.max(black)))
                    .or_default();
                *sum = sum.with(&of_first);
            }
            let mut pair_tallies = transaction.prepare(
                "SELECT first, second, points_0, points_1, points_2, points_3, points_4, void FROM \
                 pair_tallies",
            )?;
            let mut pair_rows = pair_tallies.query([])?;
            while let Some(row) = pair_rows.next()? {
                let pairs = [
                    row.get(2)?,
                    row.get(3)?,
                    row.get(4)?,
                    row.get(5)?,
                    row.get(6)?,
                ];
                if pairs != [0; 5] {
                    results
                        .pairings
                        .entry((row.get(0)?, row.get(1)?))
                        .or_default()
                        .pairs = pairs;
                }
                results.void_pairs += row.get::<_, u32>(7)?;
            }
            let mut players = transaction.prepare(
                "SELECT id, faults, moves, depth_sum, time_ms FROM players WHERE moves > \
                    0 OR faults > 0",
            )?;
            results.records = players
                .query_map([], record)?
                .collect::<rusqlite::Result<_>>()?;
            Ok(results)
        })
    }
}

fn record(row: &Row<'_>) -> rusqlite::Result<(PlayerId, PlayerRecord)> {
    let effort = Effort {
        moves: row.get(2)?,
        depth_sum: row.get(3)?,
        time_ms: row.get(4)?,
    };
    Ok((
        row.get(0)?,
        PlayerRecord {
            faults: row.get(1)?,
            effort,
        },
    ))
}

/// Inserts the games of a pair and adds them to the tallies.
pub(super) fn insert(
    connection: &Connection,
    pair: &FinishedPair,
) -> rusqlite::Result<Vec<GameId>> {
    let next = "SELECT 1 + coalesce((SELECT pair FROM games ORDER BY id DESC LIMIT 1), 0)";
    let number: i64 = connection.query_one(next, [], |row| row.get(0))?;
    if let Some(progress) = &pair.match_progress {
        matches::update(connection, progress)?;
    }
    let games = pair
        .games()
        .map(|game| insert_game(connection, game, number, pair));
    let games = games.collect::<rusqlite::Result<_>>()?;
    let mut results = Results::default();
    results.add(pair);
    add_results(connection, &results)?;
    Ok(games)
}

fn insert_game(
    connection: &Connection,
    game: &FinishedGame,
    number: i64,
    pair: &FinishedPair,
) -> rusqlite::Result<GameId> {
    let FinishedGame { record, pgn, .. } = game;
    let fault = record.fault.as_ref();
    let id = connection.query_one(
        "INSERT INTO games (pair, match_id, is_rated, white, black, points, termination, opening,
                            plies, ended_ms, hash, faulty_player, fault_ply, fault_code,
                            fault_details)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15) RETURNING id",
        params![
            number,
            pair.match_progress.as_ref().map(|progress| &progress.id),
            pair.is_rated,
            record.white,
            record.black,
            PointsColumn(record.result),
            record.termination,
            record.opening,
            record.plies,
            TimeColumn(record.ended),
            hash(pgn),
            record.faulty_player(),
            fault.map(|fault| fault.ply),
            fault.map(|fault| &fault.code),
            fault.map(|fault| &fault.details),
        ],
        |row| row.get(0),
    )?;
    connection.execute(
        "INSERT INTO texts (game, pgn) VALUES (?1, ?2)",
        params![id, pgn],
    )?;
    Ok(id)
}

fn add_results(connection: &Connection, results: &Results) -> rusqlite::Result<()> {
    for (&(white, black), tally) in &results.by_color {
        connection.execute(
            "INSERT INTO color_tallies (white, black, wins, draws, losses)
             VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT DO UPDATE SET wins = wins + excluded.wins, draws = draws + excluded.draws,
                                       losses = losses + excluded.losses",
            params![white, black, tally.wins, tally.draws, tally.losses],
        )?;
    }
    for (&(first, second), tally) in &results.pairings {
        let [none, half, one, more, both] = tally.pairs;
        connection.execute(
            "INSERT INTO pair_tallies (first, second, points_0, points_1, points_2, points_3,
                                       points_4)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT DO UPDATE SET
                points_0 = points_0 + excluded.points_0, points_1 = points_1 + excluded.points_1,
                points_2 = points_2 + excluded.points_2, points_3 = points_3 + excluded.points_3,
                points_4 = points_4 + excluded.points_4",
            params![first, second, none, half, one, more, both],
        )?;
    }
    for (player, PlayerRecord { faults, effort }) in &results.records {
        connection.execute(
            "UPDATE players SET faults = faults + ?2, moves = moves + ?3,
                                depth_sum = depth_sum + ?4, time_ms = time_ms + ?5
             WHERE id = ?1",
            params![
                player,
                faults,
                effort.moves,
                effort.depth_sum,
                effort.time_ms
            ],
        )?;
    }
    Ok(())
}

/// Returns a hash that ignores white space around the text.
pub(super) fn hash(pgn: &str) -> i64 {
    let digest = Sha256::digest(pgn.trim());
    digest
        .iter()
        .take(8)
        .fold(0, |hash, &byte| hash << 8 | i64::from(byte))
}
