//! Holds what is frozen: an AI that was built years ago reads these types at these places.

use std::mem::offset_of;

use abi_stable::std_types::{ROption, RSlice, RString, RVec};

use crate::{
    Abilities, AiError, Answer, Clocks, Extension, Host, Limit, Line, Move, MoveList, OptionKind,
    OptionSetting, OptionSpec, OptionValue, Position, PositionParts, Question, Report, Score, Services, Term,
    TraceNode,
    module::{AiModule, Instance, Manifest},
};

/// Asserts the size of a type, and the place of each of its fields.
macro_rules! frozen {
    ($($type:ty [$size:literal] { $($field:ident: $offset:literal),* $(,)? })*) => {
        $(
            const _: () = assert!(
                size_of::<$type>() == $size $(&& offset_of!($type, $field) == $offset)*,
                concat!(
                    "the contract is frozen: AIs that are built already rely on the layout of ",
                    stringify!($type),
                    ". Leave it as it is, and offer what is new as an extension: a table of functions with a name and a \
                     revision of its own (ai-api/src/extension.rs, and 'How the contract grows' in docs/writing-an-ai.md)"
                )
            );
        )*
    };
}

#[cfg(target_pointer_width = "64")]
frozen! {
    RString [32] {}
    RVec<Move> [32] {}
    RSlice<'static, Move> [16] {}
    ROption<Move> [4] {}
    Move [2] {}
    Score [4] {}
    PositionParts [104] {
        roles: 0, colors: 48, checkers: 64, pinned: 72, hash: 80, castling: 88, en_passant_file: 92,
        halfmove_clock: 93, fullmove_number: 94, turn: 96, chess960: 97,
    }
    Position [104] {}
    MoveList [516] { count: 0, moves: 4 }
    Services [48] {
        legal_moves: 0, legal_captures: 8, has_legal_move: 16, count_legal_moves: 24,
        is_insufficient_material: 32, play: 40,
    }
    Host<'static> [56] {
        size: 0, services: 8, stop: 16, pondering: 24, context: 32, report: 40, extension: 48,
    }
    Extension [8] { size: 0 }
    Limit [16] {}
    Clocks [40] { remaining_ms: 0, increment_ms: 16, moves_to_go: 32 }
    Question<'static> [288] {
        position: 0, history: 104, limit: 120, start: 136, moves: 240, clocks: 256, root_moves: 264,
        lines: 280, trace_nodes: 284,
    }
    Report<'static> [40] { depth: 0, score: 4, nodes: 8, line: 16, line_number: 32, selective_depth: 36 }
    Line [40] { score: 0, depth: 4, moves: 8 }
    TraceNode [24] { parent: 0, depth: 4, low: 8, high: 12, score: 16, chosen: 20, bound: 22, ending: 23 }
    Answer [120] { best_move: 0, score: 4, depth: 8, nodes: 16, line: 24, further_lines: 56, trace: 88 }
    Term [40] { name: 0, score: 32 }
    AiError [40] { kind: 0, message: 8 }
    OptionValue [40] {}
    OptionKind [40] {}
    OptionSpec [144] { name: 0, help: 32, kind: 64, default: 104 }
    OptionSetting [72] { name: 0, value: 32 }
    Abilities [24] {
        chess960: 0, root_moves: 1, ponder: 2, max_lines: 4, max_trace_nodes: 8, threads: 12, memory_mb: 16,
    }
    Manifest [184] { name: 0, version: 32, author: 64, api_version: 96, options: 128, abilities: 160 }
    Instance [16] {}
    AiModule [56] {
        manifest: 0, create: 8, new_game: 16, search: 24, evaluate: 32, terms: 40, extension: 48,
    }
}
