//! Counts for AIs and their candidates.

use rusqlite::{OptionalExtension as _, params};

use super::{Store, StoreError, StoreFault, StoreReader};

impl Store {
    /// Stores the counts of these versions of an AI and its candidate. They replace earlier counts
    /// of the AI.
    ///
    /// # Errors
    /// The file has reached its limit, or cannot be written.
    pub fn keep_rollout(&self, ai: &str, versions: &str, tallies: &str) -> Result<(), StoreError> {
        let replace = "INSERT OR REPLACE INTO rollouts VALUES (?1, ?2, ?3)";
        self.write(|transaction| {
            self.ensure_space(transaction)?;
            transaction.execute(replace, params![ai, versions, tallies])?;
            Ok::<_, StoreFault>(())
        })
    }

    /// Removes the counts of all AIs except these.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn forget_rollouts_but(&self, ais: &[&str]) -> Result<(), StoreError> {
        self.write(|transaction| {
            let mut select = transaction.prepare("SELECT ai FROM rollouts")?;
            let kept: Vec<String> = select
                .query_map([], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
            for ai in kept.iter().filter(|ai| !ais.contains(&ai.as_str())) {
                transaction.execute("DELETE FROM rollouts WHERE ai = ?1", [ai])?;
            }
            Ok::<_, StoreFault>(())
        })
    }
}

impl StoreReader {
    /// Returns the counts of these versions of an AI and its candidate.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn rollout(&self, ai: &str, versions: &str) -> Result<Option<String>, StoreError> {
        let select = "SELECT tallies FROM rollouts WHERE ai = ?1 AND versions = ?2";
        self.read(|transaction| {
            let found = transaction.query_one(select, params![ai, versions], |row| row.get(0));
            found.optional()
        })
    }
}
