//! Converts requests, results and capabilities between C and Rust, for both sides.

use std::{ffi::CStr, ptr::null};

use super::{
    sized::{SizedStruct, list, pointer},
    types::{
        CCapabilities, CClocks, CError, CLimits, CManifest, CSearchInfo, CWdl, MAX_MESSAGE, MAX_PV,
    },
};
use crate::{Bound, Capabilities, Clocks, Limits, Move, SearchInfo, Wdl, further::Further};

impl CLimits {
    /// Converts the limits to C.
    pub fn of(limits: &Limits) -> Self {
        let &Limits {
            depth,
            nodes,
            mate_plies,
            soft_ms,
            hard_ms,
            further: _,
        } = limits;
        Self {
            nodes: nodes.unwrap_or(0),
            soft_ms: soft_ms.unwrap_or(0),
            hard_ms: hard_ms.unwrap_or(0),
            depth: depth.unwrap_or(0),
            mate_plies: mate_plies.unwrap_or(0),
            ..Self::empty()
        }
    }

    pub(crate) fn read(&self) -> Limits {
        let some = |number: u64| (number > 0).then_some(number);
        Limits {
            depth: (self.depth > 0).then_some(self.depth),
            nodes: some(self.nodes),
            mate_plies: (self.mate_plies > 0).then_some(self.mate_plies),
            soft_ms: some(self.soft_ms),
            hard_ms: some(self.hard_ms),
            further: Further::NONE,
        }
    }
}

impl CClocks {
    /// Converts the clocks to C.
    pub fn of(clocks: &Clocks) -> Self {
        let &Clocks {
            remaining_ms,
            increment_ms,
            moves_to_go,
            further: _,
        } = clocks;
        Self {
            remaining_ms,
            increment_ms,
            moves_to_go,
            ..Self::empty()
        }
    }

    pub(crate) const fn read(&self) -> Clocks {
        let &Self {
            remaining_ms,
            increment_ms,
            moves_to_go,
            ..
        } = self;
        Clocks {
            remaining_ms,
            increment_ms,
            moves_to_go,
            further: Further::NONE,
        }
    }
}

impl CCapabilities {
    pub(crate) fn of(capabilities: Capabilities) -> Self {
        let Capabilities {
            chess960,
            root_moves,
            ponder,
            manages_time,
            max_lines,
            max_trace_nodes,
            threads,
            memory_mb,
            varies,
            further: _,
        } = capabilities;
        Self {
            memory_mb,
            threads,
            max_lines,
            max_trace_nodes,
            chess960: chess960.into(),
            root_moves: root_moves.into(),
            ponder: ponder.into(),
            manages_time: manages_time.into(),
            varies: varies.into(),
            ..Self::empty()
        }
    }

    /// Converts the capabilities to Rust.
    pub const fn read(&self) -> Capabilities {
        Capabilities {
            chess960: self.chess960 != 0,
            root_moves: self.root_moves != 0,
            ponder: self.ponder != 0,
            manages_time: self.manages_time != 0,
            max_lines: if self.max_lines == 0 {
                1
            } else {
                self.max_lines
            },
            max_trace_nodes: self.max_trace_nodes,
            threads: self.threads,
            memory_mb: self.memory_mb,
            varies: self.varies != 0,
            further: Further::NONE,
        }
    }
}

impl CWdl {
    pub(crate) fn of(wdl: Option<Wdl>) -> Self {
        wdl.map_or(
            Self {
                win: 0,
                draw: 0,
                loss: 0,
            },
            |Wdl { win, draw, loss }| Self { win, draw, loss },
        )
    }

    /// Returns the chances, or `None` unless they add up to 1000.
    pub fn read(self) -> Option<Wdl> {
        let Self { win, draw, loss } = self;
        Some(Wdl { win, draw, loss }).filter(|wdl| wdl.is_whole())
    }
}

impl Bound {
    /// Returns the bound for a number in the header, or `Exact` for an unknown one.
    #[doc(hidden)]
    pub fn from_number(number: u8) -> Self {
        Self::ALL
            .get(usize::from(number))
            .copied()
            .unwrap_or(Self::Exact)
    }
}

impl CManifest {
    /// Returns an empty manifest, as the host passes it.
    pub fn of(capabilities: &mut CCapabilities) -> Self {
        Self {
            capabilities,
            ..Self::empty()
        }
    }
}

impl CError {
    /// An error without a message.
    pub const EMPTY: Self = Self {
        size: size_of::<Self>(),
        message: [0; MAX_MESSAGE],
    };
}

impl CSearchInfo {
    pub(crate) fn of(info: &SearchInfo<'_>, text: Option<&CStr>) -> Self {
        let &SearchInfo {
            depth,
            score,
            bound,
            wdl,
            nodes,
            pv,
            pv_number,
            selective_depth,
            ..
        } = info;
        let (current_move, current_number) = info.current.unwrap_or((Move::from_bits(0), 0));
        Self {
            depth,
            score,
            bound: bound as u8,
            wdl: CWdl::of(wdl),
            nodes,
            pv: pointer(pv),
            pv_length: pv.len(),
            pv_number,
            selective_depth,
            tablebase_hits: info.tablebase_hits,
            text: text.map_or(null(), CStr::as_ptr),
            current_number,
            current_move,
            hashfull: info.hashfull,
            ..Self::empty()
        }
    }

    /// # Safety
    /// Its line and its text stay valid as long as the result is used.
    pub(crate) unsafe fn read(&self) -> SearchInfo<'_> {
        let &Self {
            depth,
            score,
            bound,
            wdl,
            nodes,
            pv_number,
            selective_depth,
            ..
        } = self;
        // SAFETY: guaranteed by the caller.
        let (pv, text) = unsafe {
            (
                list(self.pv, self.pv_length.min(MAX_PV)),
                (!self.text.is_null())
                    .then(|| CStr::from_ptr(self.text).to_str().unwrap_or_default()),
            )
        };
        SearchInfo {
            depth,
            score,
            bound: Bound::from_number(bound),
            wdl: wdl.read(),
            nodes,
            pv,
            pv_number,
            selective_depth,
            tablebase_hits: self.tablebase_hits,
            hashfull: self.hashfull,
            current: (self.current_number > 0).then_some((self.current_move, self.current_number)),
            text,
            further: Further::NONE,
        }
    }
}
