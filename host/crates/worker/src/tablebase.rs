//! A worker's tablebases: as the extension `rookery.tablebase/1` for its AI, and as a task for the
//! host.

use std::{fs, path::PathBuf, process::abort, sync::OnceLock};

use ai_api::{Extension, Position, TableMove, Tablebase};
use ai_tablebase::Tablebases;

use crate::{outgoing, probe_flag::while_probing};
use protocol::{Probed, SandboxSettings};

pub(crate) static EXTENSION: Tablebase = Tablebase {
    head: Extension {
        size: size_of::<Tablebase>(),
    },
    max_pieces,
    probe_wdl,
    probe_root,
};

static SETTINGS: OnceLock<ProbeSettings> = OnceLock::new();
static TABLES: OnceLock<Option<Tablebases>> = OnceLock::new();

struct ProbeSettings {
    directories: Vec<PathBuf>,
    max_bytes: u64,
}

/// Sets the directories before any code of the AI runs. The first probe opens them.
pub(crate) fn configure(sandbox: &SandboxSettings) {
    // The other half is for the AI.
    let max_bytes = (sandbox.memory_mb << 20) / 2;
    SETTINGS.get_or_init(|| ProbeSettings {
        directories: sandbox.tablebases.clone(),
        max_bytes,
    });
}

/// Probes a position for the host. Exits if a table is damaged, because the prober can't open
/// further tables after a panic.
pub(crate) fn probe(position: &Position) -> Probed {
    let found = tables().and_then(|tables| {
        while_probing(|| {
            let found = tables.probe_root(position);
            if found.is_none() && tables.covers(position) {
                eprintln!("a table for this ending is damaged or missing");
                abort();
            }
            found
        })
    });
    Probed {
        found,
        max_pieces: max_pieces(),
    }
}

fn tables() -> Option<&'static Tablebases> {
    let open = || {
        let ProbeSettings {
            directories,
            max_bytes,
        } = SETTINGS.get()?;
        for directory in directories {
            if let Err(error) = fs::read_dir(directory) {
                outgoing::warn(&format!(
                    "skipping tablebases in {}: {error}; let all users read the directory and \
                     enter those above it",
                    directory.display()
                ));
            }
        }
        let opened = while_probing(|| Tablebases::open(directories, *max_bytes));
        let tables = opened
            .inspect_err(|error| outgoing::warn(&format!("no tablebases: {error}")))
            .ok()?;
        for file in tables.blocking_files() {
            outgoing::warn(&format!(
                "skipping tablebases in the directory of {}, which is a pipe, a device or a socket \
                 with a table's name; remove it",
                file.display()
            ));
        }
        let (skipped, max_mb) = (tables.skipped_files(), max_bytes >> 20);
        if skipped > 0 {
            outgoing::warn(&format!(
                "skipping {skipped} tablebase files that do not fit in {max_mb} MiB, half of \
                 memory_mb in its [ai.ID]"
            ));
        }
        Some(tables)
    };
    TABLES.get_or_init(open).as_ref()
}

/// Reads the AI's position before the probe, so that an invalid address counts as the AI's fault,
/// not a table's.
fn read(position: &Position) -> Position {
    // SAFETY: the pointer comes from a reference. The compiler can't remove a volatile read.
    unsafe { std::ptr::from_ref(position).read_volatile() }
}

extern "C" fn max_pieces() -> u32 {
    tables().map_or(0, Tablebases::max_pieces)
}

extern "C" fn probe_wdl(position: &Position) -> u32 {
    let position = read(position);
    let result = tables().and_then(|tables| while_probing(|| tables.probe_wdl(&position)));
    result.map_or(0, |result| result as u32)
}

unsafe extern "C" fn probe_root(
    position: &Position,
    dtz: &mut i32,
    moves: *mut TableMove,
    capacity: usize,
    count: &mut usize,
) -> u32 {
    let position = read(position);
    let Some(found) = tables().and_then(|tables| while_probing(|| tables.probe_root(&position)))
    else {
        return 0;
    };
    (*dtz, *count) = (found.dtz, found.moves.len().min(capacity));
    if *count > 0 {
        // SAFETY: the AI provides room for `count` moves.
        unsafe { moves.copy_from_nonoverlapping(found.moves.as_ptr(), *count) };
    }
    found.result as u32
}
