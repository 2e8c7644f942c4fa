//! The header, compared with the types of Rust.

use std::{
    fmt::Write,
    mem::offset_of,
    process::{Command, Stdio},
};

use super::{header::HeaderType, *};
use crate::{
    Bound, Color, Extension, Host, Limits, MAX_MOVES, Move, MoveList, NodeKind, PositionParts, Role,
    RulesVtable, Score, Square, TraceNode,
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
        reserved: [u8; 6],
    }
}

shared_type! {
    MoveList as "rookery_move_list" {
        count: u32,
        moves: [Move; MAX_MOVES],
    }
}

shared_type! {
    RulesVtable as "rookery_rules_vtable" {
        size: usize,
        legal_moves: usize,
        legal_captures: usize,
        has_legal_move: usize,
        count_legal_moves: usize,
        is_insufficient_material: usize,
        play: usize,
        pass: usize,
        is_legal: usize,
        attackers: usize,
        gives_check: usize,
    }
}

shared_type! {
    TraceNode as "rookery_trace_node" {
        parent: u32,
        depth: u32,
        alpha: Score,
        beta: Score,
        score: Score,
        chosen: Move,
        bound: Bound,
        kind: NodeKind,
    }
}

type AnyHost = Host<'static>;
shared_type! {
    AnyHost as "rookery_host" {
        size: usize,
        rules: &'static RulesVtable,
        grants: *const CGrants,
        stop: *const u32,
        pondering: *const u32,
        context: *const (),
        report: usize,
        extension: usize,
    }
}

type AnyLog = crate::extension::Log;
shared_type! {
    AnyLog as "rookery_log" {
        head: Extension,
        log: usize,
    }
}

fn assert_type<T: HeaderType>(program: &mut String) {
    let name = T::IN_C;
    writeln!(program, "_Static_assert(sizeof({name}) == {}, \"size of {name}\");", T::SIZE).unwrap();
    // Without padding an appended field always changes the size.
    assert_eq!(T::FIELDS.iter().map(|(_, _, size)| size).sum::<usize>(), T::SIZE, "{name}");
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

/// The messages of a C compiler for a program that includes the header.
fn compile(program: &str) -> String {
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/include");
    let mut compiler = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I", include])
        .args(["-x", "c", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a C compiler, which Rust needs to link");
    std::io::Write::write_all(&mut compiler.stdin.take().unwrap(), program.as_bytes()).unwrap();
    let output = compiler.wait_with_output().unwrap();
    assert_eq!(output.status.success(), output.stderr.is_empty());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn header_and_rust_agree() {
    let mut program = "#include \"rookery_ai.h\"\n".to_owned();
    assert_type::<PositionParts>(&mut program);
    assert_type::<MoveList>(&mut program);
    assert_type::<RulesVtable>(&mut program);
    assert_type::<CSearchInfo>(&mut program);
    assert_type::<TraceNode>(&mut program);
    assert_type::<AnyHost>(&mut program);
    assert_type::<AnyLog>(&mut program);
    assert_type::<CWdl>(&mut program);
    assert_type::<CLimits>(&mut program);
    assert_type::<CClocks>(&mut program);
    assert_type::<CGrants>(&mut program);
    assert_type::<CValue>(&mut program);
    assert_type::<CSetting>(&mut program);
    assert_type::<COption>(&mut program);
    assert_type::<CCapabilities>(&mut program);
    assert_type::<CManifest>(&mut program);
    assert_type::<CSearchRequest>(&mut program);
    assert_type::<CPvLine>(&mut program);
    assert_type::<CSearchResult>(&mut program);
    assert_type::<CEvalTerm>(&mut program);
    assert_type::<CEvalTerms>(&mut program);
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
        ("ROOKERY_VALUE_DECIMAL".to_owned(), VALUE_DECIMAL.into()),
        ("ROOKERY_VALUE_TEXT".to_owned(), VALUE_TEXT.into()),
        ("ROOKERY_VALUE_LIST".to_owned(), VALUE_LIST.into()),
        ("ROOKERY_OPTION_FLAG".to_owned(), OPTION_FLAG.into()),
        ("ROOKERY_OPTION_INTEGER".to_owned(), OPTION_INTEGER.into()),
        ("ROOKERY_OPTION_DECIMAL".to_owned(), OPTION_DECIMAL.into()),
        ("ROOKERY_OPTION_CHOICE".to_owned(), OPTION_CHOICE.into()),
        ("ROOKERY_OPTION_TEXT".to_owned(), OPTION_TEXT.into()),
        ("ROOKERY_OPTION_FILE".to_owned(), OPTION_FILE.into()),
        ("ROOKERY_OPTION_FOLDER".to_owned(), OPTION_FOLDER.into()),
        ("ROOKERY_OPTION_FILES".to_owned(), OPTION_FILES.into()),
        ("ROOKERY_EXACT".to_owned(), Bound::Exact as i64),
        ("ROOKERY_LOWER".to_owned(), Bound::Lower as i64),
        ("ROOKERY_UPPER".to_owned(), Bound::Upper as i64),
        ("ROOKERY_NODE_COMPLETE".to_owned(), NodeKind::Complete as i64),
        ("ROOKERY_NODE_CUTOFF".to_owned(), NodeKind::Cutoff as i64),
        ("ROOKERY_NODE_STATIC_EVAL".to_owned(), NodeKind::StaticEval as i64),
        ("ROOKERY_NODE_TT_HIT".to_owned(), NodeKind::TtHit as i64),
        ("ROOKERY_NODE_PRUNED".to_owned(), NodeKind::Pruned as i64),
        ("ROOKERY_NODE_CHECKMATE".to_owned(), NodeKind::Checkmate as i64),
        ("ROOKERY_NODE_STALEMATE".to_owned(), NodeKind::Stalemate as i64),
        ("ROOKERY_NODE_REPETITION".to_owned(), NodeKind::Repetition as i64),
        ("ROOKERY_NODE_FIFTY_MOVES".to_owned(), NodeKind::FiftyMoves as i64),
        ("ROOKERY_NODE_INSUFFICIENT_MATERIAL".to_owned(), NodeKind::InsufficientMaterial as i64),
        ("ROOKERY_NODE_STOPPED".to_owned(), NodeKind::Stopped as i64),
        ("ROOKERY_NODE_OTHER".to_owned(), NodeKind::Other as i64),
    ] {
        assert_value(&mut program, &name, value);
    }
    assert!(Bound::ALL.iter().enumerate().all(|(number, &bound)| bound as usize == number));
    assert!(NodeKind::ALL.iter().enumerate().all(|(number, &kind)| kind as usize == number));
    assert_eq!(compile(&program), "");
}

#[test]
fn reads_absent_fields_as_zero_and_writes_none() {
    let mut limits = CLimits::of(&Limits { nodes: Some(7), mate_plies: Some(3), ..Limits::movetime_ms(9) });
    limits.size = offset_of!(CLimits, hard_ms);
    // SAFETY: more bytes than the size are valid.
    let read = unsafe { read_sized(&raw const limits) };
    assert_eq!(read.read(), Limits { nodes: Some(7), soft_ms: Some(9), ..Limits::NONE });
    // SAFETY: as above.
    unsafe { write_sized(&raw mut limits, &CLimits::of(&Limits::nodes(8))) };
    assert_eq!((limits.nodes, limits.soft_ms, limits.hard_ms, limits.mate_plies), (8, 0, 9, 3));
    // One of a later version has more, which is ignored.
    let later = (CLimits { size: size_of::<CLimits>() + 8, ..CLimits::of(&Limits::depth(4)) }, u64::MAX);
    // SAFETY: as many bytes as the size are valid.
    assert_eq!(unsafe { read_sized(&raw const later.0) }.read(), Limits::depth(4));
}

#[test]
fn detects_a_difference_between_header_and_rust() {
    let mut program = "#include \"rookery_ai.h\"\n".to_owned();
    assert_value(&mut program, "ROOKERY_KING", 6);
    assert!(compile(&program).contains("value of ROOKERY_KING"));
}

#[test]
fn the_header_names_this_version() {
    let header = include_str!("../../include/rookery_ai.h");
    assert!(header.contains(&format!("#define ROOKERY_API \"{API_VERSION}\"")));
    assert!(header.contains(&format!("\"abi={ABI_VERSION}\\0api=\"")));
    assert!(header.len() > MAX_TEXT_BYTES && header.contains(&format!("const rookery_ai {ENTRY};")));
}
