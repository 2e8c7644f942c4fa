//! Syzygy tables, probed by position.

use std::{
    cmp::Reverse,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use ai_api::{Color, Move, Position, Role, Square, TableMove, TableProbe, TableResult};
use pyrrhic_rs::{DtzProbeValue, DtzResult, Piece, TBError, TableBases, WdlProbeResult};

use crate::{
    adapter::Adapter,
    files::{TableFiles, blocking_file},
    material::Material,
};

/// The half-move count at which the game ends automatically. The prober keeps the count in a byte.
const MAX_HALFMOVES: u8 = 150;
const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// Why tables cannot be opened. Missing, unreadable and oversized tables are skipped without an
/// error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// `pyrrhic-rs` keeps its tables in a static variable.
    #[error("this process has already opened tables; share that instance")]
    AlreadyOpen,
    #[error("the prober failed to start")]
    Failed,
}

/// Calls a probe with a position's bitboards and additional arguments. Returns `None` if the probe
/// fails, or panics because a file cannot be mapped.
macro_rules! probe {
    ($prober:ident.$probe:ident($bitboards:expr, $($state:expr),+)) => {{
        let [white, black, kings, queens, rooks, bishops, knights, pawns] = $bitboards;
        let probe = || {
            $prober.$probe(
                white,
                black,
                kings,
                queens,
                rooks,
                bishops,
                knights,
                pawns,
                $($state),+
            )
        };
        catch_unwind(AssertUnwindSafe(probe))
            .ok()
            .and_then(Result::ok)
    }};
}

/// The tables in a list of directories. A process, or a library in it, can have only one instance
/// open at a time. Threads can share it.
pub struct Tablebases {
    files: TableFiles,
    blocking: Vec<PathBuf>,
    /// `None` if there are no tables.
    prober: Option<TableBases<Adapter>>,
    /// Root probes use prober memory that threads must not share.
    root: Mutex<()>,
}

impl Tablebases {
    /// Opens the tables in directories. If several contain the same table, the first one wins. This
    /// reads only names and sizes: a table is mapped when it is first probed. If all tables
    /// together would take more than `max_bytes` of address space, the largest ones are skipped.
    /// Also skips files that are not tables or cannot be read, and directories that contain a pipe
    /// or a device named like a table.
    ///
    /// # Errors
    /// Tables are already open, or the prober failed to start.
    pub fn open<P: AsRef<Path>>(directories: &[P], max_bytes: u64) -> Result<Self, OpenError> {
        // The prober expects the directories in one string, separated by colons.
        let names = directories
            .iter()
            .filter_map(|directory| directory.as_ref().to_str());
        let mut names: Vec<_> = names
            .filter(|name| !name.is_empty() && !name.contains([':', '\0']) && *name != "<empty>")
            .collect();
        let mut blocking = Vec::new();
        names.retain(|name| {
            blocking_file(name)
                .map(|file| blocking.push(file))
                .is_none()
        });
        let files = TableFiles::find(&names, max_bytes);
        let root = Mutex::new(());
        if files.is_empty() {
            return Ok(Self {
                files,
                blocking,
                prober: None,
                root,
            });
        }
        let opened = catch_unwind(|| TableBases::new(names.join(":")));
        match opened {
            Ok(Ok(prober)) => Ok(Self {
                files,
                blocking,
                prober: Some(prober),
                root,
            }),
            Ok(Err(TBError::AlreadyInitialized)) => Err(OpenError::AlreadyOpen),
            _ => Err(OpenError::Failed),
        }
    }

    /// Returns the maximum number of pieces in a table, including kings, or 0 without tables.
    pub fn max_pieces(&self) -> u32 {
        self.files.largest()
    }

    /// Returns the number of files that were skipped because they do not fit in `max_bytes`.
    pub fn skipped_files(&self) -> usize {
        self.files.too_large
    }

    /// Returns the pipes and devices that caused directories to be skipped. A probe would wait
    /// forever for a writer.
    pub fn blocking_files(&self) -> &[PathBuf] {
        &self.blocking
    }

    /// Returns whether every table exists that [`probe_root`](Self::probe_root) needs for a
    /// position. If the probe still finds nothing, a table is damaged or has been deleted.
    pub fn covers(&self, position: &Position) -> bool {
        self.prober_for(position).is_some() && self.files.has_dtz(Material::of(position))
    }

    /// Returns the result for the side to move, as if the last move had been a capture or a pawn
    /// move. Returns `None` if a table is missing or a side can still castle. Threads can probe at
    /// the same time.
    pub fn probe_wdl(&self, position: &Position) -> Option<TableResult> {
        let prober = self.prober_for(position)?;
        if !self.files.has_wdl(Material::of(position)) {
            return None;
        }
        let is_white = position.turn() == Color::White;
        probe!(prober.probe_wdl(bitboards(position), en_passant(position), is_white)).map(result)
    }

    /// Returns the result for the side to move, its distance to zeroing, and the same for each
    /// move, best first. Results take the half-moves since the last capture or pawn move into
    /// account. Returns `None` if a table is missing or a side can still castle.
    ///
    /// Tables round some distances up by one half-move and ignore repetitions. The distance of a
    /// win is too short if the shortest line contains a later double push that an en passant
    /// capture refutes.
    pub fn probe_root(&self, position: &Position) -> Option<TableProbe> {
        if !self.covers(position) {
            return None;
        }
        let prober = self.prober.as_ref()?;
        let halfmoves = position.halfmove_clock().min(MAX_HALFMOVES).into();
        let is_white = position.turn() == Color::White;
        let alone = self.root.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = probe!(prober.probe_root(
            bitboards(position),
            halfmoves,
            en_passant(position),
            is_white
        ))?;
        drop(alone);
        let result = match answer.root {
            DtzProbeValue::Checkmate => TableResult::Loss,
            DtzProbeValue::Stalemate => TableResult::Draw,
            DtzProbeValue::DtzResult(root) => result(root.wdl),
            DtzProbeValue::Failed => return None,
        };
        let moves = answer
            .moves
            .iter()
            .take(answer.num_moves)
            .filter_map(|found| match found {
                DtzProbeValue::DtzResult(found) => Some(table_move(*found)),
                _ => None,
            });
        let mut moves: Vec<_> = moves.collect();
        for found in &mut moves {
            if let Some(corrected) = after_double_push(prober, position, found.chosen) {
                *found = TableMove::new(found.chosen, corrected, dtz_of_zeroing(corrected));
            }
        }
        // Faster wins and slower losses come first.
        moves.sort_by_key(|found| (Reverse(found.result), found.dtz));
        let dtz = moves.first().map_or(0, |best| best.dtz);
        Some(TableProbe { result, dtz, moves })
    }

    /// Returns the prober if the position can be in a table.
    fn prober_for(&self, position: &Position) -> Option<&TableBases<Adapter>> {
        let is_in_reach = position.castling().is_none()
            && position.occupied().count() <= self.max_pieces().max(2);
        self.prober.as_ref().filter(|_| is_in_reach)
    }
}

impl std::fmt::Debug for Tablebases {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tablebases")
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

/// Returns the pieces of each side and of each role, in the order of the prober's arguments.
fn bitboards(position: &Position) -> [u64; 8] {
    let of = |role| position.role(role).0;
    [
        position.color(Color::White).0,
        position.color(Color::Black).0,
        of(Role::King),
        of(Role::Queen),
        of(Role::Rook),
        of(Role::Bishop),
        of(Role::Knight),
        of(Role::Pawn),
    ]
}

/// Returns the square of an en passant capture, or 0 for none.
fn en_passant(position: &Position) -> u32 {
    position
        .en_passant()
        .map_or(0, |square| square.index() as u32)
}

fn result(probed: WdlProbeResult) -> TableResult {
    match probed {
        WdlProbeResult::Loss => TableResult::Loss,
        WdlProbeResult::BlessedLoss => TableResult::BlessedLoss,
        WdlProbeResult::Draw => TableResult::Draw,
        WdlProbeResult::CursedWin => TableResult::CursedWin,
        WdlProbeResult::Win => TableResult::Win,
    }
}

/// Returns the result of a double push for the side that plays it, if an enemy pawn is ready to
/// capture en passant: `pyrrhic-rs` 0.2 overlooks this capture when it plays the root moves.
/// Returns `None` for other moves.
fn after_double_push(
    prober: &TableBases<Adapter>,
    position: &Position,
    chosen: Move,
) -> Option<TableResult> {
    let (from, to) = (chosen.from().index(), chosen.to().index());
    let [
        mut white,
        mut black,
        kings,
        queens,
        rooks,
        bishops,
        knights,
        mut pawns,
    ] = bitboards(position);
    let is_white = position.turn() == Color::White;
    let enemies = pawns & if is_white { black } else { white };
    let square = 1 << to;
    let beside = ((square & !FILE_A) >> 1) | ((square & !FILE_H) << 1);
    if from.abs_diff(to) != 16 || pawns & (1 << from) == 0 || beside & enemies == 0 {
        return None;
    }
    let pushed = (1 << from) | square;
    pawns ^= pushed;
    *(if is_white { &mut white } else { &mut black }) ^= pushed;
    let passed = u32::midpoint(from as u32, to as u32);
    let after = [white, black, kings, queens, rooks, bishops, knights, pawns];
    probe!(prober.probe_wdl(after, passed, !is_white)).map(|theirs| opposite(result(theirs)))
}

/// Returns the distance to zeroing of a capture or a pawn move.
const fn dtz_of_zeroing(result: TableResult) -> i32 {
    match result {
        TableResult::Loss => -1,
        TableResult::BlessedLoss => -101,
        TableResult::Draw => 0,
        TableResult::CursedWin => 101,
        TableResult::Win => 1,
    }
}

const fn opposite(result: TableResult) -> TableResult {
    match result {
        TableResult::Loss => TableResult::Win,
        TableResult::BlessedLoss => TableResult::CursedWin,
        TableResult::Draw => TableResult::Draw,
        TableResult::CursedWin => TableResult::BlessedLoss,
        TableResult::Win => TableResult::Loss,
    }
}

fn signed_dtz(probed: DtzResult) -> i32 {
    let dtz = i32::from(probed.dtz);
    if result(probed.wdl) < TableResult::Draw {
        -dtz
    } else {
        dtz
    }
}

fn table_move(probed: DtzResult) -> TableMove {
    let [from, to] = [probed.from_square, probed.to_square].map(Square::from_index);
    let chosen = match probed.promotion {
        Piece::Queen => Move::promoting(from, to, Role::Queen),
        Piece::Rook => Move::promoting(from, to, Role::Rook),
        Piece::Bishop => Move::promoting(from, to, Role::Bishop),
        Piece::Knight => Move::promoting(from, to, Role::Knight),
        Piece::Pawn | Piece::King => Move::new(from, to),
    };
    TableMove::new(chosen, result(probed.wdl), signed_dtz(probed))
}
