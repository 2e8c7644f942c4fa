//! Reads a library as data: what kind of file it is, whether it is whole, and the note in it.

use std::env::consts::ARCH;

use ai_api::note::{ABI_VERSION, API_VERSION, KIND, NAME};
use object::{
    LittleEndian,
    elf::{self, FileHeader64, FileType, Ident, Machine},
    read::elf::{FileHeader, ProgramHeader, SectionHeader},
};

use super::{
    format::recognise,
    note::{Note, ParseNoteError},
};
use text::printable;

type Header = FileHeader64<LittleEndian>;

/// The first bytes of every ELF file.
pub(super) const MAGIC: [u8; 4] = elf::ELFMAG;

/// Longer than the name of any library of musl.
const MAX_NAME_BYTES: usize = 64;

/// Why a file is no AI for this host. Each message says what was found, what was expected and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnfitLibraryError {
    /// Not even an ELF file.
    #[error("the file is {found}, not a shared library; {advice}")]
    NoElf {
        /// What it is.
        found: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// For a machine with other words.
    #[error(
        "the library is {found} for {machine}, this host needs 64-bit little-endian for {ours}; build the AI for this host"
    )]
    Words {
        /// Size and order of its words.
        found: &'static str,
        /// Its machine.
        machine: String,
        /// The host's machine.
        ours: String,
    },
    /// For another machine.
    #[error("the library is built for {found}, this host is {ours}; build the AI for this host")]
    Machine {
        /// Its machine.
        found: String,
        /// The host's.
        ours: String,
    },
    /// For another C library.
    #[error(
        "the library needs {found}, the C library musl, and this host has glibc; build the AI for glibc: in Rust with --target \
         {ours}-unknown-linux-gnu, in C with the compiler of a system that has glibc"
    )]
    Musl {
        /// What it needs of musl.
        found: String,
        /// The host's machine.
        ours: String,
    },
    /// An ELF file that is no shared library.
    #[error(
        "the file is {0}, not a shared library; name the .so file of the AI; cargo builds one with crate-type = [\"cdylib\"]"
    )]
    NoLibrary(String),
    /// The end is missing.
    #[error(
        "the file is cut off: it has {found} of the {needed} bytes that its headers speak of, so {} are missing; copy or \
         build it again",
        needed - found
    )]
    Truncated {
        /// Its bytes.
        found: u64,
        /// How many there should be.
        needed: u64,
    },
    /// Its headers contradict each other.
    #[error("the library contradicts itself ({0}); build it again")]
    Malformed(String),
    /// Some other library.
    #[error(
        "the library is no AI for Rookery: it has no note that ai_api::export_ai! writes, in C ROOKERY_NOTE; add the macro, or, \
         if it is there, build the AI again with the host's ai-api {API_VERSION}"
    )]
    NoNote,
    /// More than one AI says who it is.
    #[error("the library has {0} notes of ai_api::export_ai!, expected one; export one AI from a library")]
    ManyNotes(usize),
    /// What the macro did not write.
    #[error("the note of the library is none that ai_api::export_ai! writes: {0}; build the AI again")]
    Note(#[from] ParseNoteError),
    /// The host has moved on.
    #[error(
        "the AI '{}' {} is built for version {} of the contract (ai-api {}), this host has the newer {ABI_VERSION} (ai-api \
         {API_VERSION}); build the AI again with the host's ai-api",
        .0.id, .0.version, .0.abi, .0.api
    )]
    Older(Box<Note>),
    /// The AI has moved on.
    #[error(
        "the AI '{}' {} is built for version {} of the contract (ai-api {}), this host has the older {ABI_VERSION} (ai-api \
         {API_VERSION}); use a newer Rookery, or build the AI with the host's ai-api",
        .0.id, .0.version, .0.abi, .0.api
    )]
    Newer(Box<Note>),
    /// One of both is no release.
    #[error(
        "the AI '{}' {} is built with ai-api {}, this host has ai-api {API_VERSION}: versions before a release are not compatible \
         with any other; build the AI again with the host's ai-api",
        .0.id, .0.version, .0.api
    )]
    PreRelease(Box<Note>),
}

/// Whether these are the bytes of an AI for this host, and what it says of itself. Runs none of it.
///
/// # Errors
/// Why not.
pub fn read(bytes: &[u8]) -> Result<Note, UnfitLibraryError> {
    let header = header(bytes)?;
    check_kind(header)?;
    check_whole(header, bytes)?;
    if is_program(header, bytes) {
        return Err(UnfitLibraryError::NoLibrary("a program".into()));
    }
    if let Some(found) = needed_of_musl(header, bytes) {
        return Err(UnfitLibraryError::Musl { found, ours: ours() });
    }
    let note = Note::parse(note(header, bytes)?)?;
    match note.abi {
        ..ABI_VERSION => Err(UnfitLibraryError::Older(Box::new(note))),
        ABI_VERSION
            if note.api != API_VERSION && [&*note.api, API_VERSION].iter().any(|api| api.contains('-')) =>
        {
            Err(UnfitLibraryError::PreRelease(Box::new(note)))
        }
        ABI_VERSION => Ok(note),
        _ => Err(UnfitLibraryError::Newer(Box::new(note))),
    }
}

/// The header, if the file has one whose words this host reads.
fn header(bytes: &[u8]) -> Result<&Header, UnfitLibraryError> {
    if !bytes.starts_with(&elf::ELFMAG) {
        let (found, advice) = recognise(bytes);
        return Err(UnfitLibraryError::NoElf { found, advice });
    }
    let Ok((header, _)) = object::pod::from_bytes::<Header>(bytes) else {
        return Err(truncated(bytes, size_of::<Header>() as u64));
    };
    let Ident { class, data, .. } = header.e_ident;
    let found = match (class, data) {
        (elf::ELFCLASS64, elf::ELFDATA2LSB) => return Ok(header),
        (elf::ELFCLASS32, elf::ELFDATA2LSB) => "32-bit little-endian",
        (elf::ELFCLASS32, elf::ELFDATA2MSB) => "32-bit big-endian",
        (elf::ELFCLASS64, elf::ELFDATA2MSB) => "64-bit big-endian",
        _ => {
            let words = format!("class {}, data {}", class.0, data.0);
            return Err(UnfitLibraryError::Malformed(words));
        }
    };
    let machine = header.e_machine.get(LittleEndian);
    let machine = if data == elf::ELFDATA2MSB { Machine(machine.0.swap_bytes()) } else { machine };
    Err(UnfitLibraryError::Words { found, machine: machine_name(machine), ours: ours() })
}

fn check_kind(header: &Header) -> Result<(), UnfitLibraryError> {
    let machine = header.e_machine.get(LittleEndian);
    if machine_name(machine) != ours() {
        return Err(UnfitLibraryError::Machine { found: machine_name(machine), ours: ours() });
    }
    let found = match header.e_type.get(LittleEndian) {
        elf::ET_DYN => return Ok(()),
        elf::ET_REL => "an object file (.o)".to_owned(),
        elf::ET_EXEC => "a program".to_owned(),
        elf::ET_CORE => "a core dump".to_owned(),
        FileType(other) => format!("an ELF file of the unknown type {other}"),
    };
    Err(UnfitLibraryError::NoLibrary(found))
}

/// Whether all that the headers speak of is there. A library that is cut off would kill whoever maps it into memory.
fn check_whole(header: &Header, bytes: &[u8]) -> Result<(), UnfitLibraryError> {
    let table =
        |offset: u64, size: u16, count: u16| offset.saturating_add(u64::from(size) * u64::from(count));
    let segments =
        (header.e_phoff(LittleEndian), header.e_phentsize(LittleEndian), header.e_phnum(LittleEndian));
    let sections =
        (header.e_shoff(LittleEndian), header.e_shentsize(LittleEndian), header.e_shnum(LittleEndian));
    let tables = [segments, sections].map(|(offset, size, count)| table(offset, size, count));
    check_length(bytes, tables)?;
    let segments = header.program_headers(LittleEndian, bytes).map_err(malformed)?;
    let sections = header.section_headers(LittleEndian, bytes).map_err(malformed)?;
    let ranges = segments.iter().map(|segment| segment.file_range(LittleEndian));
    let ranges = ranges.chain(sections.iter().filter_map(|section| section.file_range(LittleEndian)));
    check_length(bytes, ranges.map(|(start, length)| start.saturating_add(length)))
}

fn check_length(bytes: &[u8], ends: impl IntoIterator<Item = u64>) -> Result<(), UnfitLibraryError> {
    let needed = ends.into_iter().max().unwrap_or_default();
    if needed <= bytes.len() as u64 { Ok(()) } else { Err(truncated(bytes, needed)) }
}

/// Whether it is a program that can be loaded anywhere, which looks like a library but for one flag.
fn is_program(header: &Header, bytes: &[u8]) -> bool {
    let segments = header.program_headers(LittleEndian, bytes).into_iter().flatten();
    let mut entries =
        segments.filter_map(|segment| segment.dynamic(LittleEndian, bytes).ok().flatten()).flatten();
    entries.any(|entry| {
        let flags = entry.d_val.get(LittleEndian);
        entry.d_tag.get(LittleEndian) == elf::DT_FLAGS_1 && flags & elf::DF_1_PIE.0 != 0
    })
}

/// The library of musl that it needs, if it does. That of glibc is `libc.so.6`.
fn needed_of_musl(header: &Header, bytes: &[u8]) -> Option<String> {
    let table = header.sections(LittleEndian, bytes).ok()?.dynamic_table(LittleEndian, bytes).ok()?;
    let entries = table.dynamics().iter().filter(|entry| entry.d_tag.get(LittleEndian) == elf::DT_NEEDED);
    let mut names = entries.filter_map(|entry| {
        let at = entry.d_val.get(LittleEndian).try_into().ok()?;
        str::from_utf8(table.strings().get(at).ok()?).ok()
    });
    let is_of_musl = |name: &&str| {
        let is_known = *name == "libc.so" || name.starts_with("libc.musl-") || name.starts_with("ld-musl-");
        is_known && name.len() <= MAX_NAME_BYTES
    };
    names.find(is_of_musl).map(printable)
}

/// The content of the one note of Rookery's. Only loadable notes count: the others do not outlive `strip`.
fn note<'b>(header: &Header, bytes: &'b [u8]) -> Result<&'b [u8], UnfitLibraryError> {
    let mut found = Vec::new();
    let mut unreadable = None;
    for segment in header.program_headers(LittleEndian, bytes).map_err(malformed)? {
        let mut notes = match segment.notes(LittleEndian, bytes) {
            Ok(Some(notes)) => notes,
            Ok(None) => continue,
            Err(error) => {
                unreadable = Some(error);
                continue;
            }
        };
        loop {
            match notes.next() {
                Ok(Some(note)) if note.name_bytes() == NAME && note.n_type(LittleEndian).0 == KIND => {
                    found.push(note.desc());
                }
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(error) => {
                    unreadable = Some(error);
                    break;
                }
            }
        }
    }
    match (found.as_slice(), unreadable) {
        ([note], _) => Ok(note),
        ([], Some(error)) => Err(malformed(error)),
        ([], None) => Err(UnfitLibraryError::NoNote),
        (notes, _) => Err(UnfitLibraryError::ManyNotes(notes.len())),
    }
}

fn truncated(bytes: &[u8], needed: u64) -> UnfitLibraryError {
    UnfitLibraryError::Truncated { found: bytes.len() as u64, needed }
}

fn malformed(error: object::read::Error) -> UnfitLibraryError {
    UnfitLibraryError::Malformed(error.to_string())
}

/// Machines that a library may be for, by the names that Rust gives them.
const MACHINES: &[(Machine, &str)] = &[
    (elf::EM_X86_64, "x86_64"),
    (elf::EM_AARCH64, "aarch64"),
    (elf::EM_386, "x86"),
    (elf::EM_ARM, "arm"),
    (elf::EM_RISCV, "riscv64"),
    (elf::EM_PPC64, "powerpc64"),
    (elf::EM_S390, "s390x"),
    (elf::EM_LOONGARCH, "loongarch64"),
    (elf::EM_MIPS, "mips64"),
    (elf::EM_SPARCV9, "sparc64"),
];

fn machine_name(machine: Machine) -> String {
    let known = MACHINES.iter().find(|(known, _)| *known == machine);
    known.map_or_else(|| format!("machine number {}", machine.0), |(_, name)| (*name).to_owned())
}

fn ours() -> String {
    ARCH.to_owned()
}

#[cfg(test)]
pub(super) mod tests {
    use std::{env, fs, path::PathBuf};

    use proptest::prelude::*;

    use super::*;

    /// The library of basic1, which cargo builds beside the tests.
    pub(crate) fn library() -> PathBuf {
        env::current_exe().unwrap().with_file_name("libai_basic1.so")
    }

    /// What is said of some bytes: the id of the AI or why they are none.
    fn said(bytes: &[u8]) -> String {
        let said = read(bytes).map_or_else(|error| error.to_string(), |note| note.id);
        assert!(said.chars().count() <= 400 && !said.contains(char::is_control), "{said}");
        said
    }

    #[track_caller]
    fn check(bytes: &[u8], part: &str) {
        let said = said(bytes);
        assert!(said.contains(part), "no {part} in: {said}");
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
    fn reads_the_note_that_the_macro_writes() {
        let note = read(&fs::read(library()).unwrap()).unwrap();
        assert_eq!((note.abi, note.id.as_str()), (ABI_VERSION, "basic1"));
        assert_eq!((note.api.as_str(), note.version.as_str()), (API_VERSION, env!("CARGO_PKG_VERSION")));
        assert!(note.compiler.starts_with("rustc 1."), "{}", note.compiler);
    }

    #[test]
    fn tells_other_files_for_what_they_are() {
        for (bytes, part) in [
            (&b""[..], "the file is empty"),
            (b"#!/bin/sh\n", "a script"),
            (b"!<arch>\n", "an archive of object files"),
            (b"MZ\x90\0", "a program or a DLL for Windows, not a shared library; build the AI for Linux"),
            (&[0xcf, 0xfa, 0xed, 0xfe, 7], "a Mach-O file for macOS"),
            (b"\0asm", "a WebAssembly module"),
            (b"PK\x03\x04", "a ZIP archive, not a shared library; unpack it"),
            (b"version https://git-lfs.github.com/spec/v1\n", "run 'git lfs pull'"),
            ("INPUT(libc.so.6) é\n".as_bytes(), "the file is a text"),
            (b"\x01\x02\x03", "of an unknown kind, not a shared library; name the .so file"),
            (b"\x7fEL", "of an unknown kind"),
        ] {
            check(bytes, part);
        }
    }

    #[test]
    fn tells_libraries_for_other_machines_and_what_is_no_library() {
        assert_eq!(said(&small(&note_of(&texts(ABI_VERSION)))), "small");
        let mips = [8, 0];
        check(
            &patched(18, &mips),
            &format!("built for mips64, this host is {ARCH}; build the AI for this host"),
        );
        check(&patched(18, &[0x34, 0x12]), "built for machine number 4660");
        check(&patched(4, &[1]), &format!("is 32-bit little-endian for {ARCH}, this host needs 64-bit"));
        let mut big = patched(5, &[2]);
        big[18..20].reverse();
        check(&big, &format!("is 64-bit big-endian for {ARCH}"));
        check(&patched(4, &[9]), "contradicts itself (class 9, data 1)");
        check(&patched(16, &[1]), "an object file (.o), not a shared library");
        check(&patched(16, &[2]), "a program, not a shared library");
        check(&patched(16, &[4]), "a core dump");
        check(&patched(16, &[77]), "an ELF file of the unknown type 77");
        // This test is a program, one that can be loaded anywhere.
        check(&fs::read(env::current_exe().unwrap()).unwrap(), "a program, not a shared library");
    }

    #[test]
    fn tells_a_library_that_is_cut_off_at_any_length() {
        let whole = fs::read(library()).unwrap();
        let cuts = (4..5000).chain((5000..whole.len()).step_by(4099)).chain([whole.len() - 1]);
        for cut in cuts {
            // The header has to be there before it can speak of the rest, which ends with the file.
            let missing = if cut < 64 { 64 - cut } else { whole.len() - cut };
            check(&whole[..cut], &format!("the file is cut off: it has {cut} of the"));
            check(&whole[..cut], &format!("so {missing} are missing"));
        }
        let small = small(&note_of(&texts(ABI_VERSION)));
        check(&small[..small.len() - 3], "so 3 are missing; copy or build it again");
    }

    #[test]
    fn tells_headers_that_speak_of_impossible_places() {
        let far = u64::MAX.to_le_bytes();
        check(&patched(SEGMENT_AT + 8, &far), "18446744073709551615 bytes");
        check(&patched(SEGMENT_AT + 32, &far), "the file is cut off");
        check(&patched(32, &far), "the file is cut off");
        check(&patched(56, &[0xff, 0xff]), "the file is cut off");
        check(&patched(54, &[1, 0]), "contradicts itself (Invalid ELF program header entry size)");
        check(&patched(SEGMENT_AT + 48, &[16]), "contradicts itself (Invalid ELF note alignment)");
    }

    #[test]
    fn tells_a_library_without_one_good_note() {
        let no_note = "is no AI for Rookery: it has no note that ai_api::export_ai! writes";
        check(&small(&[]), no_note);
        let mut other = note_of(&texts(ABI_VERSION));
        other[12] = b'r';
        check(&small(&other), no_note);
        let mut other = note_of(&texts(ABI_VERSION));
        other[8] = 2;
        check(&small(&other), no_note);

        let twice = [note_of(&texts(ABI_VERSION)), note_of(&texts(ABI_VERSION))].concat();
        check(&small(&twice), "has 2 notes of ai_api::export_ai!, expected one");
        check(&small(&note_of(b"id=x")), "its last text is not ended by a NUL; build the AI again");
        check(&small(&note_of(&[b'x'; 5000])), "it has 5000 bytes and may have 4096");
        check(&small(&note_of(b"id=\xff\0")), "is not UTF-8");
        for at in [0, 4] {
            let mut wrong = note_of(&texts(ABI_VERSION));
            wrong[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
            check(&small(&wrong), "contradicts itself (Invalid ELF note");
        }
    }

    #[test]
    fn names_musl_where_a_library_needs_it() {
        const NEEDED: &[u8] = b"\0libgcc_s.so.1\0";
        let whole = fs::read(library()).unwrap();
        let at = whole.windows(NEEDED.len()).position(|window| window == NEEDED).unwrap() + 1;
        for name in ["libc.so", "libc.musl-a.1", "ld-musl-a.so"] {
            let mut bytes = whole.clone();
            bytes[at..at + NEEDED.len() - 2].fill(0);
            bytes[at..at + name.len()].copy_from_slice(name.as_bytes());
            check(&bytes, &format!("the library needs {name}, the C library musl, and this host has glibc"));
            check(&bytes, &format!("--target {ARCH}-unknown-linux-gnu"));
        }
    }

    #[test]
    fn tells_which_side_of_the_contract_is_older() {
        let older = small(&note_of(&texts(ABI_VERSION - 1)));
        check(
            &older,
            &format!(
                "'small' 3 is built for version {} of the contract (ai-api {API_VERSION})",
                ABI_VERSION - 1
            ),
        );
        check(
            &older,
            &format!("this host has the newer {ABI_VERSION} (ai-api {API_VERSION}); build the AI again"),
        );
        let newer = small(&note_of(&texts(ABI_VERSION + 1)));
        check(&newer, &format!("'small' 3 is built for version {} of the contract", ABI_VERSION + 1));
        check(
            &newer,
            &format!("this host has the older {ABI_VERSION} (ai-api {API_VERSION}); use a newer Rookery"),
        );
    }

    #[test]
    fn refuses_another_pre_release() {
        let texts = texts(ABI_VERSION);
        let other = String::from_utf8(texts).unwrap().replace(API_VERSION, "1.0.0-rc.99");
        check(
            &small(&note_of(other.as_bytes())),
            &format!(
                "'small' 3 is built with ai-api 1.0.0-rc.99, this host has ai-api {API_VERSION}: versions before a release"
            ),
        );
    }

    #[test]
    fn any_byte_of_the_headers_may_be_wrong() {
        let whole = fs::read(library()).unwrap();
        let segments = usize::from(u16::from_le_bytes([whole[56], whole[57]]));
        let sections = whole.len() - 64 * usize::from(u16::from_le_bytes([whole[60], whole[61]]));
        let mut bytes = whole.clone();
        for at in (0..64 + 56 * segments).chain(sections.saturating_sub(8)..whole.len()) {
            for wrong in [0, 1, 0x7f, 0x80, 0xff, whole[at] ^ 1] {
                bytes[at] = wrong;
                said(&bytes);
            }
            bytes[at] = whole[at];
        }
        assert_eq!(said(&bytes), "basic1");
    }

    proptest! {
        #[test]
        fn any_bytes_are_told_in_few_words(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            said(&bytes);
            said(&[b"\x7fELF\x02\x01\x01", bytes.as_slice()].concat());
            said(&small(&bytes));
        }

        #[test]
        fn any_small_library_is_told_in_few_words(
            patches in prop::collection::vec((0..200_usize, any::<u8>()), 0..12),
            cut in 0..220_usize,
        ) {
            let mut bytes = small(&note_of(&texts(ABI_VERSION)));
            let length = bytes.len();
            for (at, byte) in patches {
                bytes[at % length] = byte;
            }
            said(&bytes);
            said(&bytes[..cut.min(length)]);
        }
    }
}
