//! The contract in plain C: the types of `include/rookery_ai.h`, which documents each.
//!
//! [`Position`], [`MoveList`](crate::MoveList), [`RulesVtable`](crate::RulesVtable), [`Host`] and [`TraceNode`] are the same
//! in both languages. The rest is written twice. A test compares every field with the header.

mod options;

use std::{ffi::c_char, ptr::from_ref};

use abi_stable::StableAbi;

pub use self::options::{Texts, UnknownKind, text};
use crate::{
    Bound, Capabilities, Clocks, Extension, Host, Limits, Move, Position, Score, SearchInfo, TraceNode, Wdl,
};

/// `ROOKERY_ABI`.
pub const ABI: u32 = 1;
/// The name of the symbol that an AI exports, a [`CAi`].
pub const ENTRY: &str = "rookery_ai_entry";
/// `ROOKERY_OK`.
pub const OK: i32 = 0;
/// `ROOKERY_FAILED`.
pub const FAILED: i32 = 1;
/// `ROOKERY_PANICKED`.
pub const PANICKED: i32 = 2;
/// `ROOKERY_MAX_MESSAGE`.
pub const MAX_MESSAGE: usize = 1000;

/// `ROOKERY_VALUE_FLAG`.
pub const VALUE_FLAG: u8 = 0;
/// `ROOKERY_VALUE_INTEGER`.
pub const VALUE_INTEGER: u8 = 1;
/// `ROOKERY_VALUE_DECIMAL`.
pub const VALUE_DECIMAL: u8 = 2;
/// `ROOKERY_VALUE_TEXT`.
pub const VALUE_TEXT: u8 = 3;
/// `ROOKERY_VALUE_LIST`.
pub const VALUE_LIST: u8 = 4;
/// `ROOKERY_OPTION_FLAG`.
pub const OPTION_FLAG: u8 = 0;
/// `ROOKERY_OPTION_INTEGER`.
pub const OPTION_INTEGER: u8 = 1;
/// `ROOKERY_OPTION_DECIMAL`.
pub const OPTION_DECIMAL: u8 = 2;
/// `ROOKERY_OPTION_CHOICE`.
pub const OPTION_CHOICE: u8 = 3;
/// `ROOKERY_OPTION_TEXT`.
pub const OPTION_TEXT: u8 = 4;
/// `ROOKERY_OPTION_FILE`.
pub const OPTION_FILE: u8 = 5;
/// `ROOKERY_OPTION_FOLDER`.
pub const OPTION_FOLDER: u8 = 6;
/// `ROOKERY_OPTION_FILES`.
pub const OPTION_FILES: u8 = 7;

/// Declares a type of the header, and lists its fields for the test that compares the two.
macro_rules! header_type {
    ($(#[$doc:meta])* $name:ident as $in_c:literal { $($field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy, StableAbi)]
        #[expect(missing_docs, reason = "the header documents each field")]
        pub struct $name {
            $(pub $field: $type,)*
        }

        #[cfg(test)]
        impl HeaderType for $name {
            const IN_C: &'static str = $in_c;
            const SIZE: usize = size_of::<Self>();
            const FIELDS: &'static [(&'static str, usize, usize)] =
                &[$((stringify!($field), std::mem::offset_of!($name, $field), size_of::<$type>()),)*];
        }
    };
}

header_type! {
    /// White's chances per mille.
    #[derive(Debug, PartialEq, Eq)]
    CWdl as "rookery_wdl" {
        win: u16,
        draw: u16,
        loss: u16,
    }
}

header_type! {
    /// The limits of a search.
    CLimits as "rookery_limits" {
        size: usize,
        nodes: u64,
        soft_ms: u64,
        hard_ms: u64,
        depth: u32,
        mate_plies: u32,
    }
}

header_type! {
    /// The clocks of a game.
    CClocks as "rookery_clocks" {
        size: usize,
        remaining_ms: [u64; 2],
        increment_ms: [u64; 2],
        moves_to_go: u32,
        reserved: u32,
    }
}

header_type! {
    /// What the operator grants to an AI.
    #[derive(Debug)]
    CGrants as "rookery_grants" {
        size: usize,
        memory_mb: u64,
        paths: *const *const c_char,
        path_count: usize,
        threads: u32,
        reserved: u32,
    }
}

header_type! {
    /// The value of an option.
    CValue as "rookery_value" {
        kind: u8,
        flag: u8,
        reserved: [u8; 6],
        integer: i64,
        decimal: f64,
        text: *const c_char,
        list: *const *const c_char,
        list_length: usize,
    }
}

header_type! {
    /// An option and its value.
    CSetting as "rookery_setting" {
        name: *const c_char,
        value: CValue,
    }
}

header_type! {
    /// An option that an AI declares.
    COption as "rookery_option" {
        name: *const c_char,
        help: *const c_char,
        min: i64,
        max: i64,
        decimal_min: f64,
        decimal_max: f64,
        choices: *const *const c_char,
        choice_count: usize,
        value: CValue,
        kind: u8,
        secret: u8,
        advanced: u8,
        live: u8,
        reserved: [u8; 4],
    }
}

header_type! {
    /// What an AI can do beyond the minimum, and what it needs.
    CCapabilities as "rookery_capabilities" {
        size: usize,
        memory_mb: u64,
        threads: u32,
        max_lines: u32,
        max_trace_nodes: u32,
        chess960: u8,
        root_moves: u8,
        ponder: u8,
        manages_time: u8,
    }
}

header_type! {
    /// The description of an AI.
    CManifest as "rookery_manifest" {
        size: usize,
        capabilities: *mut CCapabilities,
        name: *const c_char,
        version: *const c_char,
        author: *const c_char,
        options: *const COption,
        option_count: usize,
        option_stride: usize,
    }
}

header_type! {
    /// A position to search.
    CSearchRequest as "rookery_search_request" {
        size: usize,
        position: *const Position,
        history: *const u64,
        history_length: usize,
        start: *const Position,
        moves: *const Move,
        move_count: usize,
        limits: *const CLimits,
        clocks: *const CClocks,
        root_moves: *const Move,
        root_move_count: usize,
        lines: u32,
        trace_nodes: u32,
    }
}

header_type! {
    /// A line beside the best one.
    CPvLine as "rookery_pv_line" {
        moves: *const Move,
        move_count: usize,
        depth: u32,
        score: Score,
        wdl: CWdl,
        bound: u8,
        reserved: u8,
    }
}

header_type! {
    /// A result of a search in progress.
    CSearchInfo as "rookery_search_info" {
        size: usize,
        nodes: u64,
        pv: *const Move,
        pv_length: usize,
        depth: u32,
        selective_depth: u32,
        pv_number: u32,
        score: Score,
        wdl: CWdl,
        bound: u8,
        reserved: u8,
    }
}

header_type! {
    /// The result of a search.
    CSearchResult as "rookery_search_result" {
        size: usize,
        nodes: u64,
        pv: *const Move,
        pv_length: usize,
        multipv: *const CPvLine,
        multipv_count: usize,
        multipv_stride: usize,
        trace: *const TraceNode,
        trace_length: usize,
        trace_stride: usize,
        depth: u32,
        score: Score,
        best_move: Move,
        wdl: CWdl,
        bound: u8,
        reserved: [u8; 7],
    }
}

header_type! {
    /// A named part of an evaluation.
    CEvalTerm as "rookery_eval_term" {
        name: *const c_char,
        score: Score,
        reserved: u32,
    }
}

header_type! {
    /// The parts of an evaluation.
    CEvalTerms as "rookery_eval_terms" {
        size: usize,
        terms: *const CEvalTerm,
        count: usize,
        stride: usize,
    }
}

header_type! {
    /// Why a function has failed.
    CError as "rookery_error" {
        size: usize,
        message: [c_char; MAX_MESSAGE],
    }
}

header_type! {
    /// The functions of an AI, as its library exports them.
    CAi as "rookery_ai" {
        size: usize,
        abi: u32,
        reserved: u32,
        manifest:
            Option<unsafe extern "C" fn(&Host<'_>, *const CSetting, usize, *mut CManifest, *mut CError) -> i32>,
        create:
            Option<unsafe extern "C" fn(&Host<'_>, *const CSetting, usize, *mut *mut (), *mut CError) -> i32>,
        destroy: Option<unsafe extern "C" fn(*mut ())>,
        new_game: Option<unsafe extern "C" fn(*mut (), &Host<'_>, *mut CError) -> i32>,
        search: Option<
            unsafe extern "C" fn(
                *mut (), *const CSearchRequest, &Host<'_>, *mut CSearchResult, *mut CError,
            ) -> i32,
        >,
        evaluate: Option<unsafe extern "C" fn(*mut (), &Position, &Host<'_>, *mut CError) -> Score>,
        terms: Option<
            unsafe extern "C" fn(*mut (), &Position, &Host<'_>, *mut CEvalTerms, *mut CError) -> i32,
        >,
        extension: Option<unsafe extern "C" fn(*const c_char) -> Option<&'static Extension>>,
        set_option: Option<unsafe extern "C" fn(*mut (), *const CSetting, &Host<'_>, *mut CError) -> i32>,
    }
}

/// A struct of the contract that may grow: its first field is the size that its maker knows, a `usize`.
///
/// # Safety
/// All zeros, the size aside, are a value of it.
pub unsafe trait SizedStruct: Copy {
    /// All zeros, but for the size.
    fn empty() -> Self {
        // SAFETY: the implementer's promise.
        let mut value: Self = unsafe { std::mem::zeroed() };
        // SAFETY: the size is the first field.
        unsafe { (&raw mut value).cast::<usize>().write(size_of::<Self>()) };
        value
    }
}

macro_rules! sized_structs {
    ($($name:ident)*) => {
        $(
            // SAFETY: its fields are numbers, arrays of these, and pointers that may be null.
            unsafe impl SizedStruct for $name {}
        )*
    };
}

sized_structs! {
    CLimits CClocks CGrants CCapabilities CManifest CSearchRequest CSearchInfo CSearchResult CEvalTerms CError CAi
}

/// Reads the fields that both sides know; the others are zero.
///
/// # Safety
/// `from` points to as many bytes as its size says.
pub unsafe fn read_sized<T: SizedStruct>(from: *const T) -> T {
    let mut value = T::empty();
    // SAFETY: the size comes first, and so many bytes are there.
    unsafe {
        let size = (*from.cast::<usize>()).min(size_of::<T>());
        std::ptr::copy_nonoverlapping(from.cast::<u8>(), (&raw mut value).cast(), size);
    }
    value
}

/// Writes the fields that both sides know, and leaves the size as it is.
///
/// # Safety
/// `to` points to as many bytes as its size says.
pub unsafe fn write_sized<T: SizedStruct>(to: *mut T, value: &T) {
    const HEAD: usize = size_of::<usize>();
    // SAFETY: the size comes first, and so many bytes are there.
    unsafe {
        let size = (*to.cast::<usize>()).clamp(HEAD, size_of::<T>());
        std::ptr::copy_nonoverlapping(
            from_ref(value).cast::<u8>().add(HEAD),
            to.cast::<u8>().add(HEAD),
            size - HEAD,
        );
    }
}

/// A list; none where it is null or empty.
///
/// # Safety
/// There are `length` values, which stay valid as long as the result is used.
pub unsafe fn list<'a, T>(begin: *const T, length: usize) -> &'a [T] {
    if begin.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(begin, length) }
}

impl CLimits {
    /// The limits in C.
    pub fn of(limits: &Limits) -> Self {
        let &Limits { depth, nodes, mate_plies, soft_ms, hard_ms } = limits;
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
        }
    }
}

impl CClocks {
    /// The clocks in C.
    pub fn of(clocks: &Clocks) -> Self {
        let &Clocks { remaining_ms, increment_ms, moves_to_go } = clocks;
        Self { remaining_ms, increment_ms, moves_to_go, ..Self::empty() }
    }

    pub(crate) const fn read(&self) -> Clocks {
        let &Self { remaining_ms, increment_ms, moves_to_go, .. } = self;
        Clocks { remaining_ms, increment_ms, moves_to_go }
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
            ..Self::empty()
        }
    }

    /// The capabilities in Rust.
    pub const fn read(&self) -> Capabilities {
        Capabilities {
            chess960: self.chess960 != 0,
            root_moves: self.root_moves != 0,
            ponder: self.ponder != 0,
            manages_time: self.manages_time != 0,
            max_lines: if self.max_lines == 0 { 1 } else { self.max_lines },
            max_trace_nodes: self.max_trace_nodes,
            threads: self.threads,
            memory_mb: self.memory_mb,
        }
    }
}

impl CWdl {
    pub(crate) fn of(wdl: Option<Wdl>) -> Self {
        wdl.map_or(Self { win: 0, draw: 0, loss: 0 }, |Wdl { win, draw, loss }| Self { win, draw, loss })
    }

    /// The chances; none unless they add up to 1000.
    pub fn read(self) -> Option<Wdl> {
        let Self { win, draw, loss } = self;
        Some(Wdl { win, draw, loss }).filter(|wdl| wdl.is_whole())
    }
}

impl Bound {
    /// The bound of a number of the header; `Exact` for an unknown one.
    #[doc(hidden)]
    pub fn from_number(number: u8) -> Self {
        Self::ALL.get(usize::from(number)).copied().unwrap_or(Self::Exact)
    }
}

impl CManifest {
    /// An empty manifest, as the host passes it.
    pub fn of(capabilities: &mut CCapabilities) -> Self {
        Self { capabilities, ..Self::empty() }
    }
}

impl CError {
    /// No message yet.
    pub const EMPTY: Self = Self { size: size_of::<Self>(), message: [0; MAX_MESSAGE] };
}

impl CSearchInfo {
    pub(crate) fn of(info: &SearchInfo<'_>) -> Self {
        let &SearchInfo { depth, score, bound, wdl, nodes, pv, pv_number, selective_depth } = info;
        Self {
            depth,
            score,
            bound: bound as u8,
            wdl: CWdl::of(wdl),
            nodes,
            pv: pv.as_ptr(),
            pv_length: pv.len(),
            pv_number,
            selective_depth,
            ..Self::empty()
        }
    }

    /// # Safety
    /// It has a line that stays valid as long as the result is used.
    pub(crate) unsafe fn read(&self) -> SearchInfo<'_> {
        let &Self { depth, score, bound, wdl, nodes, pv, pv_length, pv_number, selective_depth, .. } = self;
        // SAFETY: the caller's promise.
        let pv = unsafe { list(pv, pv_length) };
        let (bound, wdl) = (Bound::from_number(bound), wdl.read());
        SearchInfo { depth, score, bound, wdl, nodes, pv, pv_number, selective_depth }
    }
}

/// A type of the header: its name there, and its fields with their offsets and sizes.
#[cfg(test)]
trait HeaderType {
    const IN_C: &'static str;
    const SIZE: usize;
    const FIELDS: &'static [(&'static str, usize, usize)];
}

#[cfg(test)]
mod tests;
