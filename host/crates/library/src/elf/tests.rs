use std::{env, fs, path::PathBuf};

use proptest::prelude::*;

use super::*;

/// The library of basic1, which cargo builds for the tests.
pub(crate) fn library() -> PathBuf {
    env::current_exe()
        .unwrap()
        .with_file_name("libai_basic1.so")
}

/// Returns the AI's id or the error.
fn outcome(bytes: &[u8]) -> String {
    let outcome = read(bytes).map_or_else(|error| error.to_string(), |note| note.id);
    assert!(
        outcome.chars().count() <= 400 && !outcome.contains(char::is_control),
        "{outcome}"
    );
    outcome
}

#[track_caller]
fn check(bytes: &[u8], part: &str) {
    let outcome = outcome(bytes);
    assert!(outcome.contains(part), "no {part} in: {outcome}");
}

/// A note as the macro writes it.
fn note_of(content: &[u8]) -> Vec<u8> {
    let mut note = Vec::new();
    for number in [NAME.len() as u32, content.len() as u32, KIND] {
        note.extend(number.to_le_bytes());
    }
    note.extend(NAME);
    note.extend(content);
    note.resize(note.len().next_multiple_of(4), 0);
    note
}

fn texts(abi: u32) -> Vec<u8> {
    format!("abi={abi}\0api={API_VERSION}\0id=small\0version=3\0compiler=cc\0").into_bytes()
}

const SEGMENT_AT: usize = 64;
const NOTES_AT: usize = SEGMENT_AT + 56;

/// The smallest library with these notes: a header, one segment, no sections.
fn small(notes: &[u8]) -> Vec<u8> {
    let machine = MACHINES.iter().find(|(_, name)| *name == ARCH).unwrap().0.0;
    let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
    bytes.resize(16, 0);
    bytes.extend([3, 0]);
    bytes.extend(machine.to_le_bytes());
    bytes.extend(1_u32.to_le_bytes());
    for offset in [0, SEGMENT_AT as u64, 0] {
        bytes.extend(offset.to_le_bytes());
    }
    bytes.extend([0; 4]);
    for size in [64_u16, 56, 1, 64, 0, 0] {
        bytes.extend(size.to_le_bytes());
    }
    assert_eq!(bytes.len(), SEGMENT_AT);
    bytes.extend(elf::PT_NOTE.0.to_le_bytes());
    bytes.extend(4_u32.to_le_bytes());
    let (at, length) = (NOTES_AT as u64, notes.len() as u64);
    for word in [at, at, at, length, length, 4] {
        bytes.extend(word.to_le_bytes());
    }
    assert_eq!(bytes.len(), NOTES_AT);
    bytes.extend(notes);
    bytes
}

fn patched(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut library = small(&note_of(&texts(ABI_VERSION)));
    library[at..at + bytes.len()].copy_from_slice(bytes);
    library
}

#[test]
fn parses_the_macros_note() {
    let note = read(&fs::read(library()).unwrap()).unwrap();
    assert_eq!((note.abi, note.id.as_str()), (ABI_VERSION, "basic1"));
    assert_eq!(
        (note.api.as_str(), note.version.as_str()),
        (API_VERSION, env!("CARGO_PKG_VERSION"))
    );
    assert!(note.compiler.starts_with("rustc 1."), "{}", note.compiler);
}

#[test]
fn recognizes_other_file_formats() {
    for (bytes, part) in [
        (&b""[..], "the file is empty"),
        (b"#!/bin/sh\n", "a script"),
        (b"!<arch>\n", "an archive of object files"),
        (
            b"MZ\x90\0",
            "a Windows program or DLL, not a shared library; build the AI for Linux",
        ),
        (&[0xcf, 0xfa, 0xed, 0xfe, 7], "a Mach-O file for macOS"),
        (b"\0asm", "a WebAssembly module"),
        (
            b"PK\x03\x04",
            "a ZIP archive, not a shared library; unpack it",
        ),
        (
            b"version https://git-lfs.github.com/spec/v1\n",
            "run 'git lfs pull'",
        ),
        ("INPUT(libc.so.6) é\n".as_bytes(), "the file is text"),
        (
            b"\x01\x02\x03",
            "of an unknown kind, not a shared library; name the .so file",
        ),
        (b"\x7fEL", "of an unknown kind"),
    ] {
        check(bytes, part);
    }
}

#[test]
fn rejects_other_machines_and_other_elf_files() {
    assert_eq!(outcome(&small(&note_of(&texts(ABI_VERSION)))), "small");
    let mips = [8, 0];
    check(
        &patched(18, &mips),
        &format!("built for mips64, but this host is {ARCH}; build the AI for this host"),
    );
    check(&patched(18, &[0x34, 0x12]), "built for machine number 4660");
    check(
        &patched(4, &[1]),
        &format!("is 32-bit little-endian for {ARCH}, but this host needs 64-bit"),
    );
    let mut big = patched(5, &[2]);
    big[18..20].reverse();
    check(&big, &format!("is 64-bit big-endian for {ARCH}"));
    check(&patched(4, &[9]), "malformed (class 9, data 1)");
    check(
        &patched(16, &[1]),
        "an object file (.o), not a shared library",
    );
    check(&patched(16, &[2]), "a program, not a shared library");
    check(&patched(16, &[4]), "a core dump");
    check(&patched(16, &[77]), "an ELF file of unknown type 77");
    // This test is a position-independent program.
    check(
        &fs::read(env::current_exe().unwrap()).unwrap(),
        "a program, not a shared library",
    );
}

#[test]
fn rejects_a_library_truncated_at_any_length() {
    let whole = fs::read(library()).unwrap();
    let cuts = (4..5000)
        .chain((5000..whole.len()).step_by(4099))
        .chain([whole.len() - 1]);
    for cut in cuts {
        // A partial header says only that the rest of the header is missing. A complete one shows
        // where the file should end.
        let missing = if cut < 64 {
            64 - cut
        } else {
            whole.len() - cut
        };
        check(
            &whole[..cut],
            &format!("the file is truncated: it has {cut} of the"),
        );
        check(&whole[..cut], &format!("so {missing} are missing"));
    }
    let small = small(&note_of(&texts(ABI_VERSION)));
    check(
        &small[..small.len() - 3],
        "so 3 are missing; copy or build it again",
    );
}

#[test]
fn rejects_headers_with_impossible_offsets() {
    let far = u64::MAX.to_le_bytes();
    check(&patched(SEGMENT_AT + 8, &far), "18446744073709551615 bytes");
    check(&patched(SEGMENT_AT + 32, &far), "the file is truncated");
    check(&patched(32, &far), "the file is truncated");
    check(&patched(56, &[0xff, 0xff]), "the file is truncated");
    check(
        &patched(54, &[1, 0]),
        "malformed (Invalid ELF program header entry size)",
    );
    check(
        &patched(SEGMENT_AT + 48, &[16]),
        "malformed (Invalid ELF note alignment)",
    );
}

#[test]
fn rejects_a_library_without_exactly_one_valid_note() {
    let no_note = "is not an AI for Rookery: it has no note from ai_api::export_ai!";
    check(&small(&[]), no_note);
    for (at, byte) in [(12, b'r'), (8, 2)] {
        let mut other = note_of(&texts(ABI_VERSION));
        other[at] = byte;
        check(&small(&other), no_note);
    }

    let twice = [note_of(&texts(ABI_VERSION)), note_of(&texts(ABI_VERSION))].concat();
    check(
        &small(&twice),
        "has 2 notes from ai_api::export_ai!, expected one",
    );
    check(
        &small(&note_of(b"id=x")),
        "its last text lacks the final NUL; build the AI again",
    );
    check(
        &small(&note_of(&[b'x'; 5000])),
        "it has 5000 bytes; at most 4096 are allowed",
    );
    check(&small(&note_of(b"id=\xff\0")), "is not UTF-8");
    for at in [0, 4] {
        let mut wrong = note_of(&texts(ABI_VERSION));
        wrong[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        check(&small(&wrong), "malformed (Invalid ELF note");
    }
}

#[test]
fn rejects_a_library_for_musl() {
    const NEEDED: &[u8] = b"\0libgcc_s.so.1\0";
    let whole = fs::read(library()).unwrap();
    let at = whole
        .windows(NEEDED.len())
        .position(|window| window == NEEDED)
        .unwrap()
        + 1;
    for name in ["libc.so", "libc.musl-a.1", "ld-musl-a.so"] {
        let mut bytes = whole.clone();
        bytes[at..at + NEEDED.len() - 2].fill(0);
        bytes[at..at + name.len()].copy_from_slice(name.as_bytes());
        check(
            &bytes,
            &format!("the library needs {name} from musl, but this host has glibc"),
        );
        check(&bytes, &format!("--target {ARCH}-unknown-linux-gnu"));
    }
}

#[test]
fn says_whether_the_ai_or_the_host_is_older() {
    for (abi, host, remedy) in [
        (ABI_VERSION - 1, "newer", "build the AI again"),
        (ABI_VERSION + 1, "older", "use a newer Rookery"),
    ] {
        let expected = format!(
            "'small' 3 is built for version {abi} of the contract (ai-api {API_VERSION}), but this \
             host has the {host} version {ABI_VERSION} (ai-api {API_VERSION}); {remedy}"
        );
        check(&small(&note_of(&texts(abi))), &expected);
    }
}

#[test]
fn rejects_a_different_pre_release() {
    let texts = texts(ABI_VERSION);
    let other = String::from_utf8(texts)
        .unwrap()
        .replace(API_VERSION, "1.0.0-rc.99");
    check(
        &small(&note_of(other.as_bytes())),
        &format!(
            "'small' 3 is built with ai-api 1.0.0-rc.99, but this host has ai-api \
             {API_VERSION}: a pre-release"
        ),
    );
}

#[test]
fn accepts_or_rejects_any_changed_header() {
    let whole = fs::read(library()).unwrap();
    let segments = usize::from(u16::from_le_bytes([whole[56], whole[57]]));
    let sections = whole.len() - 64 * usize::from(u16::from_le_bytes([whole[60], whole[61]]));
    let mut bytes = whole.clone();
    for at in (0..64 + 56 * segments).chain(sections.saturating_sub(8)..whole.len()) {
        for wrong in [0, 1, 0x7f, 0x80, 0xff, whole[at] ^ 1] {
            bytes[at] = wrong;
            outcome(&bytes);
        }
        bytes[at] = whole[at];
    }
    assert_eq!(outcome(&bytes), "basic1");
}

proptest! {
    #[test]
    fn reports_any_bytes_in_a_short_message(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        outcome(&bytes);
        outcome(&[b"\x7fELF\x02\x01\x01", bytes.as_slice()].concat());
        outcome(&small(&bytes));
    }

    #[test]
    fn reports_any_small_library_in_a_short_message(
        patches in prop::collection::vec((0..200_usize, any::<u8>()), 0..12),
        cut in 0..220_usize,
    ) {
        let mut bytes = small(&note_of(&texts(ABI_VERSION)));
        let length = bytes.len();
        for (at, byte) in patches {
            bytes[at % length] = byte;
        }
        outcome(&bytes);
        outcome(&bytes[..cut.min(length)]);
    }
}

#[test]
fn accepts_compatible_releases_and_only_equal_pre_releases() {
    for (ai, host) in [
        ("1.0.0", "1.0.0"),
        ("1.0.0", "1.4.2"),
        ("1.4.2", "1.0.0"),
        ("1.1.0-rc.1", "1.1.0-rc.1"),
        ("1.0.0", "1.1.0-rc.1"),
        ("1.9.3", "1.10.0-rc.1"),
    ] {
        assert!(fits(ai, host), "{ai} on {host}");
    }
    for (ai, host) in [
        ("1.0.0-rc.3", "1.0.0"),
        ("1.0.0-rc.3", "1.0.0-rc.4"),
        ("1.0.0", "1.0.0-rc.4"),
        ("1.1.0", "1.1.0-rc.1"),
        ("1.2.0", "1.1.0-rc.1"),
        ("", "1.0.0-rc.1"),
        ("x", "1.0.0-rc.1"),
    ] {
        assert!(!fits(ai, host), "{ai} on {host}");
    }
}
