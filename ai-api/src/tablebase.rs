//! The host's extension `rookery.tablebase/1`: endgames with known results.

use std::{ffi::CStr, mem::MaybeUninit};

use crate::{Extension, MAX_MOVES, Move, Position};

/// A result for the side to move under the fifty-move rule, from worst to best.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
pub enum TableResult {
    /// The opponent mates.
    Loss = 1,
    /// The opponent could mate, but the fifty-move rule draws the game first.
    BlessedLoss = 2,
    /// Neither side can mate.
    Draw = 3,
    /// The side to move could mate, but the fifty-move rule draws the game first.
    CursedWin = 4,
    /// The side to move mates.
    Win = 5,
}

impl TableResult {
    /// Every result, from worst to best.
    pub const ALL: [Self; 5] = [
        Self::Loss,
        Self::BlessedLoss,
        Self::Draw,
        Self::CursedWin,
        Self::Win,
    ];

    /// Returns the name in `snake_case`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::BlessedLoss => "blessed_loss",
            Self::Draw => "draw",
            Self::CursedWin => "cursed_win",
            Self::Win => "win",
        }
    }

    /// Returns the result for a number in the header, or `None` for `ROOKERY_TABLE_UNKNOWN`.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|result| *result as u32 == number)
    }
}

/// A move in a tablebase position, with its result for the side that moves.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
pub struct TableMove {
    /// The move.
    pub chosen: Move,
    /// Always 0.
    pub reserved: u16,
    /// The result after the move, counting the half-moves since the last capture or pawn move.
    pub result: TableResult,
    /// The distance to zeroing: half-moves until a capture, a pawn move or mate, including this
    /// move. Negative for a loss, 0 for a draw. Tables round some distances up by one.
    pub dtz: i32,
}

impl TableMove {
    /// Creates a move with its result and its distance to zeroing.
    pub const fn new(chosen: Move, result: TableResult, dtz: i32) -> Self {
        Self {
            chosen,
            reserved: 0,
            result,
            dtz,
        }
    }
}

/// What the tables know about a position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
pub struct TableProbe {
    /// The result, counting the half-moves since the last capture or pawn move.
    pub result: TableResult,
    /// The distance to zeroing of the best move; see [`TableMove::dtz`].
    pub dtz: i32,
    /// Every legal move, the best first.
    pub moves: Vec<TableMove>,
}

/// The host's extension `rookery.tablebase/1`. The first probe in a process opens the tables, and
/// the first probe of each ending maps its table. Later probes take microseconds.
///
/// ```
/// use ai_api::{Host, Position, Score, TableResult};
///
/// /// The score of a position after a capture or a pawn move, if it is in a table.
/// fn known_score(host: &Host<'_>, position: &Position) -> Option<Score> {
///     let pieces = position.occupied().count();
///     let tables = host.tablebase().filter(|tables| pieces <= tables.max_pieces())?;
///     let sign = position.turn().sign();
///     Some(match tables.probe_wdl(position)? {
///         TableResult::Win => Score::centipawns(20_000 * sign),
///         TableResult::Loss => Score::centipawns(-20_000 * sign),
///         _ => Score::DRAW,
///     })
/// }
/// # let stop = ai_api::Flag::new(false);
/// # let host = Host::new(&rules::RULES, &stop, &|_| ());
/// # assert_eq!(known_score(&host, &rules::start_position()), None);
/// ```
#[repr(C)]
#[derive(Debug)]
pub struct Tablebase {
    /// The header with the table's size.
    pub head: Extension,
    /// The maximum number of pieces in a table, or 0 without tables. Any thread.
    pub max_pieces: unsafe extern "C" fn() -> u32,
    /// The number of a [`TableResult`], or 0 if unknown. Any thread.
    pub probe_wdl: unsafe extern "C" fn(&Position) -> u32,
    /// The number of a [`TableResult`], or 0 if unknown. Writes the distance to zeroing, the moves
    /// and their number. The `usize` is the maximum number of moves. Any thread.
    pub probe_root:
        unsafe extern "C" fn(&Position, &mut i32, *mut TableMove, usize, &mut usize) -> u32,
}

impl Tablebase {
    /// The name under which an AI requests this extension.
    pub const NAME: &'static CStr = c"rookery.tablebase/1";

    /// Returns the maximum number of pieces in a table, including kings, or 0 without tables. Any
    /// thread; constant.
    pub fn max_pieces(&self) -> u32 {
        // SAFETY: the host made the table.
        unsafe { (self.max_pieces)() }
    }

    /// Returns the result, as if the last move had been a capture or a pawn move. If it was not,
    /// the fifty-move rule may turn a win into a draw. Returns `None` if a table is missing or a
    /// side can still castle. Any thread; may read a file.
    pub fn probe_wdl(&self, position: &Position) -> Option<TableResult> {
        // SAFETY: the host made the table.
        TableResult::from_number(unsafe { (self.probe_wdl)(position) })
    }

    /// Returns what the tables know about a position and its moves, or `None` if a table is missing
    /// or a side can still castle. Any thread, one at a time; may read files. Meant for the root of
    /// a search.
    pub fn probe_root(&self, position: &Position) -> Option<TableProbe> {
        let mut moves = [const { MaybeUninit::<TableMove>::uninit() }; MAX_MOVES];
        let (mut dtz, mut count) = (0, 0);
        // SAFETY: the host made the table, and does not write more moves than fit.
        let number = unsafe {
            (self.probe_root)(
                position,
                &mut dtz,
                moves.as_mut_ptr().cast(),
                moves.len(),
                &mut count,
            )
        };
        let result = TableResult::from_number(number)?;
        // SAFETY: the host wrote `count` moves.
        let moves = moves
            .iter()
            .take(count)
            .map(|found| unsafe { found.assume_init() })
            .collect();
        Some(TableProbe { result, dtz, moves })
    }

    /// # Safety
    /// `extension` was found under [`NAME`](Self::NAME).
    pub(crate) unsafe fn of(extension: &'static Extension) -> &'static Self {
        // SAFETY: guaranteed by the caller.
        unsafe { &*std::ptr::from_ref(extension).cast::<Self>() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_match_the_numbers_in_the_header() {
        let header = include_str!("../include/rookery_ai.h");
        for result in TableResult::ALL {
            let name = result.name().to_uppercase();
            assert!(
                header.contains(&format!(
                    "#define ROOKERY_TABLE_{name} {}u\n",
                    result as u32
                )),
                "{name}"
            );
            assert_eq!(TableResult::from_number(result as u32), Some(result));
        }
        assert!(header.contains("#define ROOKERY_TABLE_UNKNOWN 0u\n"));
        assert_eq!(
            (TableResult::from_number(0), TableResult::from_number(6)),
            (None, None)
        );
        let name = Tablebase::NAME.to_str().unwrap();
        assert!(header.contains(&format!("#define ROOKERY_TABLEBASE \"{name}\"\n")));
    }
}
