//! Compares the header with the Rust types.

use std::{
    fmt::Write,
    mem::offset_of,
    process::{Command, Stdio},
};

use super::{
    header::{HeaderType, header_fields},
    *,
};
use crate::{
    Bound, Color, Extension, Host, Limits, MAX_MOVES, Move, MoveList, NodeKind, OptionSetting,
    OptionSpec, OptionValue, PositionParts, Role, RulesVtable, Score, Square, TraceNode,
    note::{ABI_VERSION, API_VERSION, MAX_TEXT_BYTES},
};

header_fields! {
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

header_fields! {
    MoveList as "rookery_move_list" {
        count: u32,
        moves: [Move; MAX_MOVES],
    }
}

header_fields! {
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

header_fields! {
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
header_fields! {
    AnyHost as "rookery_host" {
        size: usize,
        rules: &'static RulesVtable,
        grants: *const CGrants,
        stop: *const u32,
        pondering: *const u32,
        context: *const (),
        report: usize,
        extension: usize,
        minor: u32,
        reserved: u32,
        version: *const std::ffi::c_char,
    }
}

type AnyTablebase = crate::Tablebase;
header_fields! {
    AnyTablebase as "rookery_tablebase" {
        head: Extension,
        max_pieces: usize,
        probe_wdl: usize,
        probe_root: usize,
    }
}

type AnyTableMove = crate::TableMove;
header_fields! {
    AnyTableMove as "rookery_table_move" {
        chosen: Move,
        reserved: u16,
        result: u32,
        dtz: i32,
    }
}

type AnyLog = crate::extension::Log;
header_fields! {
    AnyLog as "rookery_log" {
        head: Extension,
        log: usize,
    }
}

fn assert_type<T: HeaderType>(program: &mut String) {
    let name = T::IN_C;
    writeln!(
        program,
        "_Static_assert(sizeof({name}) == {}, \"size of {name}\");",
        T::SIZE
    )
    .unwrap();
    // Without padding, an appended field always changes the size.
    assert_eq!(
        T::FIELDS.iter().map(|(_, _, size)| size).sum::<usize>(),
        T::SIZE,
        "{name}"
    );
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
    writeln!(
        program,
        "_Static_assert({name} == {value}, \"value of {name}\");"
    )
    .unwrap();
}

/// Returns a C compiler's messages for a program that includes the header.
fn compile(program: &str) -> String {
    compile_with(program, &[])
}

fn compile_with(program: &str, flags: &[&str]) -> String {
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/include");
    let mut compiler = Command::new("cc")
        .args([
            "-std=c11",
            "-Wall",
            "-Wextra",
            "-Wpedantic",
            "-Werror",
            "-fsyntax-only",
            "-I",
            include,
        ])
        .args(flags)
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
    assert_type::<AnyTablebase>(&mut program);
    assert_type::<AnyTableMove>(&mut program);
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
    let own: [(&str, i64); 9] = [
        ("ROOKERY_ABI", ABI_VERSION.into()),
        ("ROOKERY_MAX_MOVES", MAX_MOVES as i64),
        ("ROOKERY_NO_SCORE", Score::NONE.value().into()),
        (
            "ROOKERY_MOVE(12, 28)",
            Move::new(square("e2"), square("e4")).to_bits().into(),
        ),
        (
            &format!("ROOKERY_FROM({promotion})"),
            square("e7").index() as i64,
        ),
        (
            &format!("ROOKERY_TO({promotion})"),
            square("f8").index() as i64,
        ),
        (
            &format!("ROOKERY_PROMOTION({promotion})"),
            Role::Knight as i64,
        ),
        ("ROOKERY_MATE_IN(3)", Score::mate_in_plies(3).value().into()),
        (
            "ROOKERY_MATED_IN(4)",
            Score::mated_in_plies(4).value().into(),
        ),
    ];
    for &(name, value) in own.iter().chain(NUMBERS) {
        assert_value(&mut program, name, value);
    }
    let colors = Color::ALL.map(|color| (color.name(), color as i64));
    let roles = Role::ALL.map(|role| (role.name(), role as i64));
    let bounds = Bound::ALL.map(|bound| (bound.name(), bound as i64));
    for (name, value) in [&colors[..], &roles, &bounds].concat() {
        assert_value(
            &mut program,
            &format!("ROOKERY_{}", name.to_uppercase()),
            value,
        );
    }
    for &kind in NodeKind::ALL {
        let name = format!("ROOKERY_NODE_{}", kind.name().to_uppercase());
        assert_value(&mut program, &name, kind as i64);
    }
    assert!(
        Bound::ALL
            .iter()
            .enumerate()
            .all(|(number, &bound)| bound as usize == number)
    );
    assert!(
        NodeKind::ALL
            .iter()
            .enumerate()
            .all(|(number, &kind)| kind as usize == number)
    );
    assert_eq!(compile(&program), "");
}

/// A struct whose last field was added after 1.0.
#[derive(Clone, Copy)]
struct Grown([u64; 3]);

// SAFETY: its fields are numbers.
unsafe impl SizedStruct for Grown {
    const NAME: &'static str = "grown";
    const ENDS: &'static [usize] = &[8, 16, 24];
    const LEAST: usize = 16;
}

#[test]
fn rejects_sizes_below_1_0_or_inside_a_field() {
    let whole = size_of::<CSearchInfo>();
    assert_eq!(
        <CSearchInfo as SizedStruct>::LEAST,
        whole,
        "the struct of 1.0"
    );
    for size in [whole, whole + 1, usize::MAX] {
        assert_eq!(CSearchInfo::check_size(size), Ok(()), "{size}");
    }
    for size in [16, 24, 25] {
        assert_eq!(Grown::check_size(size), Ok(()), "{size}");
    }
    for (size, what) in [
        (0, "is too small"),
        (8, "is too small"),
        (15, "is too small"),
        (17, "ends inside a field"),
        (23, "ends inside a field"),
    ] {
        let error = Grown::check_size(size).unwrap_err().to_string();
        let expected = "expected 16 or more, at the end of a field: set it to sizeof(grown)";
        assert_eq!(
            error,
            format!("the size {size} of grown {what}; {expected}")
        );
    }
    assert_eq!(Grown::empty().0[0], 24);
}

#[test]
fn empty_arrays_are_null() {
    let (mut texts, none) = (Texts::default(), OptionValue::List(Vec::new()));
    let setting = CSetting::of(
        &OptionSetting {
            name: "n".into(),
            value: none,
        },
        &mut texts,
    );
    assert!(setting.value.list.is_null());
    let choice = COption::of(&OptionSpec::choice("c", "", &[], ""), &mut texts);
    assert!(choice.choices.is_null());
    assert!(pointer::<u64>(&[]).is_null() && !pointer(&[1]).is_null());
}

#[test]
fn reads_absent_fields_as_zero_and_writes_none() {
    let mut limits = CLimits::of(&Limits {
        nodes: Some(7),
        mate_plies: Some(3),
        ..Limits::movetime_ms(9)
    });
    limits.size = offset_of!(CLimits, hard_ms);
    // SAFETY: more bytes than the size are valid.
    let read = unsafe { read_sized(&raw const limits) };
    assert_eq!(
        read.read(),
        Limits {
            nodes: Some(7),
            soft_ms: Some(9),
            ..Limits::NONE
        }
    );
    // SAFETY: as above.
    unsafe { write_sized(&raw mut limits, &CLimits::of(&Limits::nodes(8))) };
    assert_eq!(
        (
            limits.nodes,
            limits.soft_ms,
            limits.hard_ms,
            limits.mate_plies
        ),
        (8, 0, 9, 3)
    );
    // A struct from a later version has more fields, which are ignored.
    let later = (
        CLimits {
            size: size_of::<CLimits>() + 8,
            ..CLimits::of(&Limits::depth(4))
        },
        u64::MAX,
    );
    // SAFETY: as many bytes as the size are valid.
    let read = unsafe { read_sized(&raw const later.0) };
    assert_eq!(read.read(), Limits::depth(4));
}

#[test]
fn enumerations_that_do_not_grow_keep_their_values() {
    let header = include_str!("../../include/rookery_ai.h");
    let values = |names: &[&str]| {
        let numbers = header
            .lines()
            .filter_map(|line| line.strip_prefix("#define ROOKERY_")?.split_once(' '));
        let numbers = numbers.filter(|(name, number)| {
            names.iter().any(|own| name.starts_with(own))
                && number.starts_with(|first: char| first.is_ascii_digit())
        });
        numbers.map(|(name, _)| name).collect::<Vec<_>>()
    };
    // The enumerations in a revision of an extension do not grow.
    let levels = ["LOG_ERROR", "LOG_WARN", "LOG_INFO", "LOG_DEBUG"];
    assert_eq!(values(&["LOG"]), levels);
    let results = [
        "UNKNOWN",
        "LOSS",
        "BLESSED_LOSS",
        "DRAW",
        "CURSED_WIN",
        "WIN",
    ];
    assert_eq!(
        values(&["TABLE_"]),
        results.map(|result| format!("TABLE_{result}"))
    );
    // Neither do colors, roles or bounds.
    assert_eq!(values(&["WHITE", "BLACK"]).len(), 2);
    assert_eq!(
        values(&["PAWN", "KNIGHT", "BISHOP", "ROOK", "QUEEN", "KING"]).len(),
        6
    );
    assert_eq!(values(&["EXACT", "LOWER", "UPPER"]).len(), 3);
}

#[test]
fn host_extensions_are_named_after_this_project_with_a_revision() {
    let header = include_str!("../../include/rookery_ai.h");
    let names = header
        .lines()
        .filter_map(|line| line.strip_prefix("#define ")?.split_once(" \"rookery."));
    let names: Vec<_> = names.map(|(_, name)| name).collect();
    assert_eq!(names, ["log/1\"", "tablebase/1\""]);
}

#[test]
fn detects_a_difference_between_header_and_rust() {
    let mut program = "#include \"rookery_ai.h\"\n".to_owned();
    assert_value(&mut program, "ROOKERY_KING", 6);
    assert!(compile(&program).contains("value of ROOKERY_KING"));
}

#[test]
fn the_header_rejects_big_endian_machines() {
    let errors = compile_with(
        "#include \"rookery_ai.h\"\n",
        &["-U__BYTE_ORDER__", "-D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__"],
    );
    assert!(
        errors.contains("ABI 1 is for 64-bit little-endian machines"),
        "{errors}"
    );
}

#[test]
fn the_header_names_this_version() {
    let header = include_str!("../../include/rookery_ai.h");
    assert!(header.contains(&format!("#define ROOKERY_API \"{API_VERSION}\"")));
    assert!(header.contains(&format!("\"abi={ABI_VERSION}\\0api=\"")));
    assert!(
        header.len() > MAX_TEXT_BYTES && header.contains(&format!("const rookery_ai {ENTRY};"))
    );
}
