//! Syzygy tables from the option `syzygy` or from the host.

use std::path::Path;

use ai_api::{AiError, Host, LogLevel, Position, TableProbe, TableResult, Tablebase};
use ai_tablebase::Tablebases;

/// The tables that a search probes on all its threads. A failed probe finds nothing, and the search
/// continues without it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tables<'t> {
    None,
    Own(&'t Tablebases),
    Host(&'t Tablebase),
}

impl<'t> Tables<'t> {
    /// Returns the AI's tables, or the host's if the AI has none.
    pub(crate) fn of(own: Option<&'t Tablebases>, host: &Host<'_>) -> Self {
        let host = || host.tablebase().map_or(Self::None, Self::Host);
        own.map_or_else(host, Self::Own)
    }

    /// Returns whether a table may contain the position.
    #[inline]
    fn is_in_reach(self, position: &Position) -> bool {
        let pieces = match self {
            Self::None => return false,
            Self::Own(tables) => tables.max_pieces(),
            Self::Host(tables) => tables.max_pieces(),
        };
        position.occupied().count() <= pieces && position.castling().is_none()
    }

    /// Returns the result as if the last move had been a capture or a pawn move.
    #[inline]
    pub(crate) fn probe_wdl(self, position: &Position) -> Option<TableResult> {
        match self {
            _ if !self.is_in_reach(position) => None,
            Self::None => None,
            Self::Own(tables) => tables.probe_wdl(position),
            Self::Host(tables) => tables.probe_wdl(position),
        }
    }

    /// Returns the result of the position and of every move, counting the half-moves since the last
    /// capture or pawn move.
    pub(crate) fn probe_root(self, position: &Position) -> Option<TableProbe> {
        match self {
            _ if !self.is_in_reach(position) => None,
            Self::None => None,
            Self::Own(tables) => tables.probe_root(position),
            Self::Host(tables) => tables.probe_root(position),
        }
    }
}

/// Opens the tables in the directories of the option `syzygy`, as many as fit in the granted
/// memory minus the AI's `needed_mb`.
///
/// # Errors
/// The directories contain no tables, or the prober does not start.
pub(crate) fn open(
    directories: &[&Path],
    needed_mb: u64,
    host: &Host<'_>,
) -> Result<Tablebases, AiError> {
    let error = |found: &str| {
        let names: Vec<_> = directories
            .iter()
            .map(|directory| directory.display().to_string())
            .collect();
        AiError::new(format!("syzygy = {:?}: {found}", names.join(", ")))
    };
    let max_bytes = host
        .grants()
        .memory_mb
        .map_or(u64::MAX, |granted| granted.saturating_sub(needed_mb) << 20);
    let tables =
        Tablebases::open(directories, max_bytes).map_err(|cause| error(&cause.to_string()))?;
    let skipped = tables.skipped_files();
    if tables.max_pieces() == 0 && skipped == 0 {
        return Err(error(
            "found no tables; expected directories with readable files such as KQvK.rtbw and \
             KQvK.rtbz",
        ));
    }
    if skipped > 0 {
        let max_mb = max_bytes >> 20;
        host.log(
            LogLevel::Warn,
            &format!(
                "skipping {skipped} tablebase files that do not fit in {max_mb} MiB; raise \
                memory_mb"
            ),
        );
    }
    Ok(tables)
}
