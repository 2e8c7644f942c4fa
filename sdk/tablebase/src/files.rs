//! Finds the table files that exist, fit within the memory limit and look complete.

use std::{
    collections::{BTreeMap, HashMap},
    ffi::OsStr,
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use crate::material::Material;

/// The maximum number of pieces in a table that can be probed.
pub const MAX_PIECES: u32 = 7;
/// The maximum number of directory entries to read. The tables with up to seven pieces total 3,020
/// files.
const MAX_ENTRIES: usize = 100_000;
/// Each file consists of 64-byte blocks and a 16-byte checksum at the end.
const BLOCK_BYTES: u64 = 64;
const CHECKSUM_BYTES: u64 = 16;

/// The kinds of tables, the more valuable kind first: a search probes results, not distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    /// The result: win, draw or loss.
    Wdl,
    /// The distance to zeroing.
    Dtz,
}

impl Kind {
    const ALL: [Self; 2] = [Self::Wdl, Self::Dtz];

    const fn extension(self) -> &'static str {
        match self {
            Self::Wdl => "rtbw",
            Self::Dtz => "rtbz",
        }
    }

    /// Returns the bytes that every file of this kind starts with.
    const fn magic(self) -> [u8; 4] {
        match self {
            Self::Wdl => [0x71, 0xe8, 0x23, 0x5d],
            Self::Dtz => [0xd7, 0x66, 0x0c, 0xa5],
        }
    }
}

/// The tables found in a list of directories, without the ones beyond the memory limit.
#[derive(Debug, Default)]
pub(crate) struct TableFiles {
    tables: HashMap<(Material, Kind), Table>,
    /// For each ending, whether it can be probed.
    probeable: HashMap<Material, Probeable>,
    /// The number of files that do not fit within the memory limit.
    pub(crate) too_large: usize,
}

#[derive(Debug)]
struct Table {
    file: PathBuf,
    bytes: u64,
}

/// Whether an ending can be probed. Computed at the first probe, because this reads the files.
#[derive(Debug, Default)]
struct Probeable {
    wdl: OnceLock<bool>,
    dtz: OnceLock<bool>,
}

impl TableFiles {
    /// Finds the tables in directories. If several contain the same table, the first one wins.
    /// Skips everything that is not a table or cannot be read. If the tables together exceed
    /// `max_bytes`, skips the largest ones.
    pub(crate) fn find(directories: &[&str], max_bytes: u64) -> Self {
        let mut found = BTreeMap::new();
        for directory in directories {
            for file in entries(directory) {
                let Some((material, kind)) = named(&file) else {
                    continue;
                };
                let Ok(metadata) = fs::metadata(&file) else {
                    continue;
                };
                if metadata.is_file() {
                    found.entry((material, kind)).or_insert(Table {
                        file,
                        bytes: metadata.len(),
                    });
                }
            }
        }
        let count = found.len();
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort_by_key(|((material, kind), table)| (material.pieces(), *kind, table.bytes));
        let mut left = max_bytes;
        let mut tables = HashMap::new();
        for (key, table) in found {
            if let Some(rest) = left.checked_sub(table.bytes) {
                left = rest;
                tables.insert(key, table);
            }
        }
        let probeable = tables
            .keys()
            .map(|&(material, _)| (material, Probeable::default()))
            .collect();
        Self {
            too_large: count - tables.len(),
            tables,
            probeable,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Returns the maximum number of pieces in a [`Kind::Wdl`] table.
    pub(crate) fn largest(&self) -> u32 {
        let wdl = self.tables.keys().filter(|(_, kind)| *kind == Kind::Wdl);
        wdl.map(|(material, _)| material.pieces())
            .max()
            .unwrap_or(0)
    }

    /// Returns whether an ending's result is known: its table and the tables after captures exist.
    pub(crate) fn has_wdl(&self, material: Material) -> bool {
        let is_complete = || {
            self.is_whole(material, Kind::Wdl)
                && material
                    .after_captures()
                    .into_iter()
                    .all(|after| self.has_wdl(after))
        };
        material.pieces() == 2
            || self
                .probeable
                .get(&material)
                .is_some_and(|known| *known.wdl.get_or_init(is_complete))
    }

    /// Returns whether an ending's distance to zeroing is known: its tables and the tables after
    /// captures and promotions exist.
    pub(crate) fn has_dtz(&self, material: Material) -> bool {
        let is_complete = || {
            self.is_whole(material, Kind::Dtz)
                && self.has_wdl(material)
                && material
                    .after_promotions()
                    .into_iter()
                    .all(|after| self.has_wdl(after))
        };
        material.pieces() == 2
            || self
                .probeable
                .get(&material)
                .is_some_and(|known| *known.dtz.get_or_init(is_complete))
    }

    /// Returns whether a file is readable, begins like a table and has a valid size.
    fn is_whole(&self, material: Material, kind: Kind) -> bool {
        let Some(Table { file, bytes }) = self.tables.get(&(material, kind)) else {
            return false;
        };
        let mut start = [0; 4];
        bytes % BLOCK_BYTES == CHECKSUM_BYTES
            && File::open(file)
                .and_then(|mut file| file.read_exact(&mut start))
                .is_ok()
            && start == kind.magic()
    }
}

/// Returns a pipe or device that has a table's name, if the directory contains one. The prober
/// would wait forever for a writer.
pub(crate) fn blocking_file(directory: &str) -> Option<PathBuf> {
    let is_special =
        |file: &Path| fs::metadata(file).is_ok_and(|found| !found.is_file() && !found.is_dir());
    entries(directory).find(|file| is_table_name(file) && is_special(file))
}

/// Returns whether the prober may open a file with this name. In addition to the kinds in [`Kind`],
/// it opens tables with distances to mate.
fn is_table_name(file: &Path) -> bool {
    file.extension()
        .and_then(OsStr::to_str)
        .is_some_and(|extension| extension.starts_with("rtb"))
}

/// Returns the contents of a directory, or nothing if it cannot be read.
fn entries(directory: &str) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(directory)
        .into_iter()
        .flatten()
        .take(MAX_ENTRIES);
    entries.flatten().map(|entry| entry.path())
}

/// Returns the ending and the kind in a file name.
fn named(file: &Path) -> Option<(Material, Kind)> {
    let extension = file.extension()?;
    let kind = Kind::ALL
        .into_iter()
        .find(|kind| extension == kind.extension())?;
    let material = Material::parse(file.file_stem()?.to_str()?)?;
    (3..=MAX_PIECES)
        .contains(&material.pieces())
        .then_some((material, kind))
}
