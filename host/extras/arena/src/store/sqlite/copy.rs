//! Exports the games as PGN, and backs up the file.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

use rusqlite::{
    Connection,
    backup::{Backup, StepResult},
    params,
};

use super::{PATIENCE, StoreError, StoreFault, StoreReader, lock::CopyLock};
use crate::finished::GameId;

/// The number of games that an export reads at once.
const GAMES_A_READ: i64 = 256;
/// Copies all pages in one step, so that a change to the file cannot restart the backup.
const ALL_PAGES: i32 = -1;

impl StoreReader {
    /// Writes the PGN of every game in the file, oldest first. Returns the number of games. The
    /// arena keeps running.
    ///
    /// # Errors
    /// The file cannot be read, or `out` cannot be written.
    pub fn export(&self, out: &mut impl Write) -> Result<u64, StoreError> {
        let newest = "SELECT coalesce(max(game), 0) FROM texts";
        let newest: GameId =
            self.read(|transaction| transaction.query_one(newest, [], |row| row.get(0)))?;
        let output = |error| StoreFault::Output(error).at(&self.shared.path);
        let (mut games, mut last) = (0, GameId(0));
        let next =
            "SELECT game, pgn FROM texts WHERE game > ?1 AND game <= ?2 ORDER BY game LIMIT ?3";
        while last < newest {
            let texts: Vec<(GameId, String)> = self.read(|transaction| {
                let mut select = transaction.prepare(next)?;
                let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
                select
                    .query_map(params![last, newest, GAMES_A_READ], row)?
                    .collect()
            })?;
            for (game, text) in texts {
                write!(out, "{}\n\n", text.trim_end()).map_err(output)?;
                (last, games) = (game, games + 1);
            }
        }
        out.flush().map_err(output)?;
        Ok(games)
    }

    /// Copies a consistent snapshot of the file. The arena keeps running, and stores its next games
    /// after the copy. `to` never contains an incomplete copy.
    ///
    /// # Errors
    /// `to` exists or cannot be written, or the file cannot be read.
    pub fn backup(&self, to: &Path) -> Result<(), StoreError> {
        let failed = |error| StoreFault::File(error).at(to);
        if to.try_exists().map_err(failed)? {
            let error = io::Error::new(
                io::ErrorKind::AlreadyExists,
                "the file exists; choose another path",
            );
            return Err(failed(error));
        }
        let part = to.with_added_extension("part");
        // Removes the incomplete copy of a killed backup.
        fs::remove_file(&part)
            .or_else(|error| {
                if error.kind() == io::ErrorKind::NotFound {
                    Ok(())
                } else {
                    Err(error)
                }
            })
            .map_err(failed)?;
        let renamed = self
            .copy_to(&part)
            .and_then(|()| fs::rename(&part, to).map_err(failed));
        if renamed.is_err() {
            let _ = fs::remove_file(&part);
        }
        renamed?;
        let folder = to
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(failed)
    }

    fn copy_to(&self, part: &Path) -> Result<(), StoreError> {
        let path = &self.shared.path;
        let failed = |error: rusqlite::Error| match StoreFault::from(error) {
            fault @ (StoreFault::Damaged(_) | StoreFault::NotAnArena) => fault.at(path),
            fault => fault.at(part),
        };
        // The copy is consistent even without the lock, but then commits wait for the copy.
        let _lock = CopyLock::acquire(path, PATIENCE).ok();
        let source = super::open_to_read(path).map_err(|fault| fault.at(path))?;
        let mut copy = Connection::open(part).map_err(failed)?;
        match Backup::new(&source, &mut copy)
            .and_then(|backup| backup.step(ALL_PAGES))
            .map_err(failed)?
        {
            StepResult::Done => Ok(()),
            _ => Err(StoreFault::Locked.at(path)),
        }
    }
}
