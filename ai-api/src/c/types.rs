//! The header's types and numbers.

use std::ffi::c_char;

use super::{
    header::{header_numbers, header_type},
    sized::SizedStruct,
};
use crate::{Move, Position, Score, TraceNode};

header_numbers! {
    OK: i32 = 0;
    FAILED: i32 = 1;
    PANICKED: i32 = 2;
    MAX_MESSAGE: usize = 1000;
    MINOR: u32 = 0;

    MAX_OPTIONS: usize = 1000;
    MAX_CHOICES: usize = 4096;
    MAX_LINES: usize = 4096;
    MAX_PV: usize = 4096;
    MAX_TRACE_NODES: usize = 4096;
    MAX_TERMS: usize = 64;

    VALUE_FLAG: u8 = 0;
    VALUE_INTEGER: u8 = 1;
    VALUE_DECIMAL: u8 = 2;
    VALUE_TEXT: u8 = 3;
    VALUE_LIST: u8 = 4;

    OPTION_FLAG: u8 = 0;
    OPTION_INTEGER: u8 = 1;
    OPTION_DECIMAL: u8 = 2;
    OPTION_CHOICE: u8 = 3;
    OPTION_TEXT: u8 = 4;
    OPTION_FILE: u8 = 5;
    OPTION_FOLDER: u8 = 6;
    OPTION_FILES: u8 = 7;
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
    /// The limits on a search.
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
        varies: u8,
        reserved: [u8; 7],
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
        analysis: u8,
        reserved: [u8; 7],
    }
}

header_type! {
    /// A further line, after the best one.
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
    /// An intermediate result of a search.
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
        tablebase_hits: u64,
        text: *const c_char,
        current_number: u32,
        current_move: Move,
        hashfull: u16,
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

macro_rules! sized_structs {
    ($($name:ident: $newer:literal,)*) => {
        $(
            // SAFETY: its fields are numbers, arrays of these, and pointers that may be null.
            unsafe impl SizedStruct for $name {
                const NAME: &'static str = Self::IN_C;
                const ENDS: &'static [usize] = Self::ENDS;
                const LEAST: usize = size_of::<Self>() - $newer;
            }
        )*
    };
}

// The number is how many bytes the struct has gained since 1.0.0.
sized_structs! {
    CLimits: 0,
    CClocks: 0,
    CGrants: 0,
    CCapabilities: 0,
    CManifest: 0,
    CSearchRequest: 0,
    CSearchInfo: 0,
    CSearchResult: 0,
    CEvalTerms: 0,
    CError: 0,
}
