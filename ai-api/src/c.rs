//! The contract in plain C: the types of `include/rookery_ai.h`, which says what each means.
//!
//! [`Position`], [`MoveList`](crate::MoveList), [`Services`](crate::Services), [`Host`], [`Clocks`] and
//! [`TraceNode`] are the same in both languages. The rest is written twice. A test compares every field with the header.

use std::{ffi::c_char, ptr::null};

use abi_stable::StableAbi;

use crate::{Clocks, Extension, Host, Move, Position, Report, Score, TraceNode};

/// `ROOKERY_ABI`.
pub const ABI: u32 = 1;
/// The name of the symbol that an AI in C exports, a [`CAi`].
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
/// `ROOKERY_VALUE_TEXT`.
pub const VALUE_TEXT: u8 = 2;
/// `ROOKERY_OPTION_FLAG`.
pub const OPTION_FLAG: u8 = 0;
/// `ROOKERY_OPTION_INTEGER`.
pub const OPTION_INTEGER: u8 = 1;
/// `ROOKERY_OPTION_CHOICE`.
pub const OPTION_CHOICE: u8 = 2;
/// `ROOKERY_OPTION_TEXT`.
pub const OPTION_TEXT: u8 = 3;
/// `ROOKERY_OPTION_FILE`.
pub const OPTION_FILE: u8 = 4;
/// `ROOKERY_LIMIT_DEPTH`.
pub const LIMIT_DEPTH: u8 = 0;
/// `ROOKERY_LIMIT_NODES`.
pub const LIMIT_NODES: u8 = 1;
/// `ROOKERY_LIMIT_MOVETIME_MS`.
pub const LIMIT_MOVETIME_MS: u8 = 2;

/// Declares a type of the header, and lists its fields for the test that compares the two.
macro_rules! header_type {
    ($(#[$doc:meta])* $name:ident as $in_c:literal { $($field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy, StableAbi)]
        #[expect(missing_docs, reason = "the header says what each field means")]
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
    /// One of three limits, and how much of it.
    CLimit as "rookery_limit" {
        kind: u8,
        value: u64,
    }
}

header_type! {
    /// A flag, a whole number or a text.
    CValue as "rookery_value" {
        kind: u8,
        flag: u8,
        integer: i64,
        text: *const c_char,
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
        kind: u8,
        min: i64,
        max: i64,
        choices: *const *const c_char,
        choice_count: usize,
        value: CValue,
    }
}

header_type! {
    /// What an AI can do beyond the simplest, and what it needs.
    CAbilities as "rookery_abilities" {
        chess960: u8,
        root_moves: u8,
        ponder: u8,
        max_lines: u32,
        max_trace_nodes: u32,
        threads: u32,
        memory_mb: u64,
    }
}

header_type! {
    /// What an AI says of itself.
    CManifest as "rookery_manifest" {
        size: usize,
        name: *const c_char,
        version: *const c_char,
        author: *const c_char,
        options: *const COption,
        option_count: usize,
        abilities: CAbilities,
    }
}

header_type! {
    /// A position to think about.
    CQuestion as "rookery_question" {
        size: usize,
        position: *const Position,
        history: *const u64,
        history_length: usize,
        start: *const Position,
        moves: *const Move,
        move_count: usize,
        limit: CLimit,
        clocks: *const Clocks,
        root_moves: *const Move,
        root_move_count: usize,
        lines: u32,
        trace_nodes: u32,
    }
}

header_type! {
    /// A line of play beside the best one.
    CLine as "rookery_line" {
        score: Score,
        depth: u32,
        moves: *const Move,
        move_count: usize,
    }
}

header_type! {
    /// The progress of a search.
    CReport as "rookery_report" {
        depth: u32,
        score: Score,
        nodes: u64,
        line: *const Move,
        line_length: usize,
        line_number: u32,
        selective_depth: u32,
    }
}

header_type! {
    /// What a search found.
    CAnswer as "rookery_answer" {
        size: usize,
        best_move: Move,
        score: Score,
        depth: u32,
        nodes: u64,
        line: *const Move,
        line_length: usize,
        further_lines: *const CLine,
        further_line_count: usize,
        trace: *const TraceNode,
        trace_length: usize,
    }
}

header_type! {
    /// A named part of a judgement.
    CTerm as "rookery_term" {
        name: *const c_char,
        score: Score,
    }
}

header_type! {
    /// Why an AI could not do what it was asked.
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
        manifest: Option<unsafe extern "C" fn(*const CSetting, usize, *mut CManifest, *mut CError) -> i32>,
        create: Option<unsafe extern "C" fn(*const CSetting, usize, *mut *mut (), *mut CError) -> i32>,
        destroy: Option<unsafe extern "C" fn(*mut ())>,
        new_game: Option<unsafe extern "C" fn(*mut (), *mut CError) -> i32>,
        search: Option<
            unsafe extern "C" fn(*mut (), *const CQuestion, &Host<'_>, *mut CAnswer, *mut CError) -> i32,
        >,
        evaluate: Option<unsafe extern "C" fn(*mut (), &Position, &Host<'_>, *mut CError) -> Score>,
        terms: Option<
            unsafe extern "C" fn(*mut (), &Position, &Host<'_>, *mut *const CTerm, *mut usize, *mut CError) -> i32,
        >,
        extension: Option<unsafe extern "C" fn(*const c_char) -> Option<&'static Extension>>,
    }
}

impl CManifest {
    /// What the host hands over: nothing yet but the size.
    pub const EMPTY: Self = Self {
        size: size_of::<Self>(),
        name: null(),
        version: null(),
        author: null(),
        options: null(),
        option_count: 0,
        abilities: CAbilities {
            chess960: 0,
            root_moves: 0,
            ponder: 0,
            max_lines: 0,
            max_trace_nodes: 0,
            threads: 0,
            memory_mb: 0,
        },
    };
}

impl CAnswer {
    /// What the host hands over: nothing yet but the size.
    pub const EMPTY: Self = Self {
        size: size_of::<Self>(),
        best_move: Move::from_bits(0),
        score: Score::DRAW,
        depth: 0,
        nodes: 0,
        line: null(),
        line_length: 0,
        further_lines: null(),
        further_line_count: 0,
        trace: null(),
        trace_length: 0,
    };
}

impl CError {
    /// What the host hands over: nothing yet but the size.
    pub const EMPTY: Self = Self { size: size_of::<Self>(), message: [0; MAX_MESSAGE] };
}

impl CReport {
    pub(crate) fn of(report: &Report<'_>) -> Self {
        let &Report { depth, score, nodes, line, line_number, selective_depth } = report;
        Self {
            depth,
            score,
            nodes,
            line: line.as_ptr(),
            line_length: line.len(),
            line_number,
            selective_depth,
        }
    }

    /// # Safety
    /// It names a line that stands as long as the result is used.
    pub(crate) unsafe fn read(&self) -> Report<'_> {
        let &Self { depth, score, nodes, line, line_length, line_number, selective_depth } = self;
        // SAFETY: the caller's promise.
        let line = unsafe { crate::export::list(line, line_length) };
        Report { depth, score, nodes, line, line_number, selective_depth }
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
mod tests {
    use std::{
        fmt::Write,
        mem::offset_of,
        process::{Command, Stdio},
    };

    use super::*;
    use crate::{
        Bound, Color, Ending, MAX_MOVES, MoveList, PositionParts, Role, Score, Services, Square,
        note::{ABI_VERSION, API_VERSION, MAX_TEXT_BYTES},
    };

    /// Lists the fields of a type that is the same in both languages.
    macro_rules! shared_type {
        ($name:ident as $in_c:literal { $($field:ident: $type:ty,)* }) => {
            impl HeaderType for $name {
                const IN_C: &'static str = $in_c;
                const SIZE: usize = size_of::<Self>();
                const FIELDS: &'static [(&'static str, usize, usize)] =
                    &[$((stringify!($field), offset_of!($name, $field), size_of::<$type>()),)*];
            }
        };
    }

    shared_type! {
        PositionParts as "rookery_position" {
            roles: [u64; 6],
            colors: [u64; 2],
            checkers: u64,
            pinned: u64,
            hash: u64,
            castling: [[u8; 2]; 2],
            en_passant_file: u8,
            halfmove_clock: u8,
            fullmove_number: u16,
            turn: u8,
            chess960: bool,
        }
    }

    shared_type! {
        MoveList as "rookery_move_list" {
            count: u32,
            moves: [Move; MAX_MOVES],
        }
    }

    shared_type! {
        Services as "rookery_services" {
            legal_moves: usize,
            legal_captures: usize,
            has_legal_move: usize,
            count_legal_moves: usize,
            is_insufficient_material: usize,
            play: usize,
        }
    }

    shared_type! {
        TraceNode as "rookery_trace_node" {
            parent: u32,
            depth: u32,
            low: Score,
            high: Score,
            score: Score,
            chosen: Move,
            bound: Bound,
            ending: Ending,
        }
    }

    type AnyHost = Host<'static>;
    shared_type! {
        AnyHost as "rookery_host" {
            size: usize,
            services: &'static Services,
            stop: *const bool,
            pondering: *const bool,
            context: *const (),
            report: usize,
            extension: usize,
        }
    }

    shared_type! {
        Clocks as "rookery_clocks" {
            remaining_ms: [u64; 2],
            increment_ms: [u64; 2],
            moves_to_go: u32,
        }
    }

    fn assert_type<T: HeaderType>(program: &mut String) {
        let name = T::IN_C;
        writeln!(program, "_Static_assert(sizeof({name}) == {}, \"size of {name}\");", T::SIZE).unwrap();
        for (field, offset, size) in T::FIELDS {
            let field_name = format!("{name}.{field}");
            writeln!(
                program,
                "_Static_assert(offsetof({name}, {field}) == {offset}, \"place of {field_name}\");"
            )
            .unwrap();
            writeln!(
                program,
                "_Static_assert(sizeof((({name} *)0)->{field}) == {size}, \"size of {field_name}\");"
            )
            .unwrap();
        }
    }

    fn assert_value(program: &mut String, name: &str, value: i64) {
        writeln!(program, "_Static_assert({name} == {value}, \"value of {name}\");").unwrap();
    }

    /// What a C compiler says to a program that includes the header.
    fn compile(program: &str) -> String {
        let include = concat!(env!("CARGO_MANIFEST_DIR"), "/include");
        let mut compiler = Command::new("cc")
            .args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I", include])
            .args(["-x", "c", "-"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("there is a C compiler, which Rust needs to link");
        std::io::Write::write_all(&mut compiler.stdin.take().unwrap(), program.as_bytes()).unwrap();
        let output = compiler.wait_with_output().unwrap();
        assert_eq!(output.status.success(), output.stderr.is_empty());
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    #[test]
    fn the_header_says_what_rust_says() {
        let mut program = "#include \"rookery_ai.h\"\n".to_owned();
        assert_type::<PositionParts>(&mut program);
        assert_type::<MoveList>(&mut program);
        assert_type::<Services>(&mut program);
        assert_type::<CReport>(&mut program);
        assert_type::<TraceNode>(&mut program);
        assert_type::<AnyHost>(&mut program);
        assert_type::<Clocks>(&mut program);
        assert_type::<CLimit>(&mut program);
        assert_type::<CValue>(&mut program);
        assert_type::<CSetting>(&mut program);
        assert_type::<COption>(&mut program);
        assert_type::<CAbilities>(&mut program);
        assert_type::<CManifest>(&mut program);
        assert_type::<CQuestion>(&mut program);
        assert_type::<CLine>(&mut program);
        assert_type::<CAnswer>(&mut program);
        assert_type::<CTerm>(&mut program);
        assert_type::<CError>(&mut program);
        assert_type::<CAi>(&mut program);
        let square = |name: &str| name.parse::<Square>().unwrap();
        let promotion = Move::promoting(square("e7"), square("f8"), Role::Knight).to_bits();
        for (name, value) in [
            ("ROOKERY_ABI".to_owned(), ABI_VERSION.into()),
            ("ROOKERY_MAX_MOVES".to_owned(), MAX_MOVES as i64),
            ("ROOKERY_OK".to_owned(), OK.into()),
            ("ROOKERY_FAILED".to_owned(), FAILED.into()),
            ("ROOKERY_PANICKED".to_owned(), PANICKED.into()),
            ("ROOKERY_NO_SCORE".to_owned(), Score::NONE.value().into()),
            ("ROOKERY_MAX_MESSAGE".to_owned(), MAX_MESSAGE as i64),
            ("ROOKERY_WHITE".to_owned(), Color::White as i64),
            ("ROOKERY_BLACK".to_owned(), Color::Black as i64),
            ("ROOKERY_PAWN".to_owned(), Role::Pawn as i64),
            ("ROOKERY_KNIGHT".to_owned(), Role::Knight as i64),
            ("ROOKERY_BISHOP".to_owned(), Role::Bishop as i64),
            ("ROOKERY_ROOK".to_owned(), Role::Rook as i64),
            ("ROOKERY_QUEEN".to_owned(), Role::Queen as i64),
            ("ROOKERY_KING".to_owned(), Role::King as i64),
            ("ROOKERY_MOVE(12, 28)".to_owned(), Move::new(square("e2"), square("e4")).to_bits().into()),
            (format!("ROOKERY_FROM({promotion})"), square("e7").index() as i64),
            (format!("ROOKERY_TO({promotion})"), square("f8").index() as i64),
            (format!("ROOKERY_PROMOTION({promotion})"), Role::Knight as i64),
            ("ROOKERY_MATE_IN(3)".to_owned(), Score::mate_in_plies(3).value().into()),
            ("ROOKERY_MATED_IN(4)".to_owned(), Score::mated_in_plies(4).value().into()),
            ("ROOKERY_VALUE_FLAG".to_owned(), VALUE_FLAG.into()),
            ("ROOKERY_VALUE_INTEGER".to_owned(), VALUE_INTEGER.into()),
            ("ROOKERY_VALUE_TEXT".to_owned(), VALUE_TEXT.into()),
            ("ROOKERY_OPTION_FLAG".to_owned(), OPTION_FLAG.into()),
            ("ROOKERY_OPTION_INTEGER".to_owned(), OPTION_INTEGER.into()),
            ("ROOKERY_OPTION_CHOICE".to_owned(), OPTION_CHOICE.into()),
            ("ROOKERY_OPTION_TEXT".to_owned(), OPTION_TEXT.into()),
            ("ROOKERY_OPTION_FILE".to_owned(), OPTION_FILE.into()),
            ("ROOKERY_LIMIT_DEPTH".to_owned(), LIMIT_DEPTH.into()),
            ("ROOKERY_LIMIT_NODES".to_owned(), LIMIT_NODES.into()),
            ("ROOKERY_LIMIT_MOVETIME_MS".to_owned(), LIMIT_MOVETIME_MS.into()),
            ("ROOKERY_EXACT".to_owned(), Bound::Exact as i64),
            ("ROOKERY_AT_LEAST".to_owned(), Bound::AtLeast as i64),
            ("ROOKERY_AT_MOST".to_owned(), Bound::AtMost as i64),
            ("ROOKERY_ENDING_COMPLETE".to_owned(), Ending::Complete as i64),
            ("ROOKERY_ENDING_CUTOFF".to_owned(), Ending::Cutoff as i64),
            ("ROOKERY_ENDING_JUDGED".to_owned(), Ending::Judged as i64),
            ("ROOKERY_ENDING_KNOWN".to_owned(), Ending::Known as i64),
            ("ROOKERY_ENDING_PRUNED".to_owned(), Ending::Pruned as i64),
            ("ROOKERY_ENDING_CHECKMATE".to_owned(), Ending::Checkmate as i64),
            ("ROOKERY_ENDING_STALEMATE".to_owned(), Ending::Stalemate as i64),
            ("ROOKERY_ENDING_REPETITION".to_owned(), Ending::Repetition as i64),
            ("ROOKERY_ENDING_FIFTY_MOVES".to_owned(), Ending::FiftyMoves as i64),
            ("ROOKERY_ENDING_INSUFFICIENT_MATERIAL".to_owned(), Ending::InsufficientMaterial as i64),
            ("ROOKERY_ENDING_STOPPED".to_owned(), Ending::Stopped as i64),
            ("ROOKERY_ENDING_OTHER".to_owned(), Ending::Other as i64),
        ] {
            assert_value(&mut program, &name, value);
        }
        assert!(Bound::ALL.iter().enumerate().all(|(number, &bound)| bound as usize == number));
        assert!(Ending::ALL.iter().enumerate().all(|(number, &ending)| ending as usize == number));
        assert_eq!(compile(&program), "");
    }

    #[test]
    fn a_difference_between_header_and_rust_would_be_seen() {
        let mut program = "#include \"rookery_ai.h\"\n".to_owned();
        assert_value(&mut program, "ROOKERY_KING", 6);
        assert!(compile(&program).contains("value of ROOKERY_KING"));
    }

    #[test]
    fn the_header_names_this_version() {
        let header = include_str!("../include/rookery_ai.h");
        assert!(header.contains(&format!("#define ROOKERY_API \"{API_VERSION}\"")));
        assert!(header.contains(&format!("\"abi={ABI_VERSION}\\0api=\"")));
        assert!(header.len() > MAX_TEXT_BYTES && header.contains(&format!("const rookery_ai {ENTRY};")));
    }
}
