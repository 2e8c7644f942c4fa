//! Checks a library file without running it: its format, its completeness, and its note.

use std::env::consts::ARCH;

use ai_api::note::{ABI_VERSION, API_VERSION, KIND, NAME};
use object::{
    LittleEndian,
    elf::{self, FileHeader64, FileType, Ident, Machine},
    read::elf::{FileHeader, ProgramHeader, SectionHeader},
};

use crate::{format::recognize, note::LibraryNote, unfit_library::UnfitLibraryError};
use text::printable;

type ElfHeader = FileHeader64<LittleEndian>;

/// The first bytes of every ELF file.
pub(super) const MAGIC: [u8; 4] = elf::ELFMAG;

/// Longer than the name of any musl library.
const MAX_NAME_BYTES: usize = 64;

/// Checks that the bytes are an AI's library for this host, and returns its note.
///
/// # Errors
/// The file is not a complete library for this machine, or its note is missing, malformed or from
/// another contract.
pub fn read(bytes: &[u8]) -> Result<LibraryNote, UnfitLibraryError> {
    let header = header(bytes)?;
    check_kind(header)?;
    check_complete(header, bytes)?;
    if is_program(header, bytes) {
        return Err(UnfitLibraryError::NoLibrary("a program".into()));
    }
    if let Some(found) = needed_of_musl(header, bytes) {
        return Err(UnfitLibraryError::Musl(found));
    }
    let note = LibraryNote::parse(note(header, bytes)?)?;
    match note.abi {
        ..ABI_VERSION => Err(UnfitLibraryError::Older(Box::new(note))),
        ABI_VERSION if !fits(&note.api, API_VERSION) => {
            Err(UnfitLibraryError::PreRelease(Box::new(note)))
        }
        ABI_VERSION => Ok(note),
        _ => Err(UnfitLibraryError::Newer(Box::new(note))),
    }
}

/// Returns whether an AI built for one version of the contract runs on a host with another. All
/// releases are compatible. A pre-release AI runs only on a host of the same version, but a
/// pre-release host also runs AIs built for earlier releases.
fn fits(ai: &str, host: &str) -> bool {
    let release = |version: &str| -> Vec<u64> {
        let release = version.split(['-', '+']).next().unwrap_or_default();
        release
            .split('.')
            .map(|number| number.parse().unwrap_or(u64::MAX))
            .collect()
    };
    ai == host || !ai.contains('-') && (!host.contains('-') || release(ai) < release(host))
}

/// Returns the header of a 64-bit little-endian ELF file.
fn header(bytes: &[u8]) -> Result<&ElfHeader, UnfitLibraryError> {
    if !bytes.starts_with(&elf::ELFMAG) {
        let (found, advice) = recognize(bytes);
        return Err(UnfitLibraryError::NoElf { found, advice });
    }
    let Ok((header, _)) = object::pod::from_bytes::<ElfHeader>(bytes) else {
        return Err(truncated(bytes, size_of::<ElfHeader>() as u64));
    };
    let Ident { class, data, .. } = header.e_ident;
    let found = match (class, data) {
        (elf::ELFCLASS64, elf::ELFDATA2LSB) => return Ok(header),
        (elf::ELFCLASS32, elf::ELFDATA2LSB) => "32-bit little-endian",
        (elf::ELFCLASS32, elf::ELFDATA2MSB) => "32-bit big-endian",
        (elf::ELFCLASS64, elf::ELFDATA2MSB) => "64-bit big-endian",
        _ => {
            let ident = format!("class {}, data {}", class.0, data.0);
            return Err(UnfitLibraryError::Malformed(ident));
        }
    };
    let machine = header.e_machine.get(LittleEndian);
    let machine = if data == elf::ELFDATA2MSB {
        Machine(machine.0.swap_bytes())
    } else {
        machine
    };
    Err(UnfitLibraryError::Words {
        found,
        machine: machine_name(machine),
    })
}

fn check_kind(header: &ElfHeader) -> Result<(), UnfitLibraryError> {
    let machine = machine_name(header.e_machine.get(LittleEndian));
    if machine != ARCH {
        return Err(UnfitLibraryError::Machine(machine));
    }
    let found = match header.e_type.get(LittleEndian) {
        elf::ET_DYN => return Ok(()),
        elf::ET_REL => "an object file (.o)".to_owned(),
        elf::ET_EXEC => "a program".to_owned(),
        elf::ET_CORE => "a core dump".to_owned(),
        FileType(other) => format!("an ELF file of unknown type {other}"),
    };
    Err(UnfitLibraryError::NoLibrary(found))
}

/// Checks that the file contains all ranges that its headers refer to. A process that maps a
/// truncated library would be killed.
fn check_complete(header: &ElfHeader, bytes: &[u8]) -> Result<(), UnfitLibraryError> {
    let tables = [
        (
            header.e_phoff(LittleEndian),
            header.e_phentsize(LittleEndian),
            header.e_phnum(LittleEndian),
        ),
        (
            header.e_shoff(LittleEndian),
            header.e_shentsize(LittleEndian),
            header.e_shnum(LittleEndian),
        ),
    ];
    let end = |(offset, size, count): (u64, u16, u16)| {
        offset.saturating_add(u64::from(size) * u64::from(count))
    };
    check_length(bytes, tables.map(end))?;
    let segments = header
        .program_headers(LittleEndian, bytes)
        .map_err(malformed)?;
    let sections = header
        .section_headers(LittleEndian, bytes)
        .map_err(malformed)?;
    let ranges = segments
        .iter()
        .map(|segment| segment.file_range(LittleEndian));
    let ranges = ranges.chain(
        sections
            .iter()
            .filter_map(|section| section.file_range(LittleEndian)),
    );
    check_length(
        bytes,
        ranges.map(|(start, length)| start.saturating_add(length)),
    )
}

fn check_length(
    bytes: &[u8],
    ends: impl IntoIterator<Item = u64>,
) -> Result<(), UnfitLibraryError> {
    let needed = ends.into_iter().max().unwrap_or_default();
    if needed <= bytes.len() as u64 {
        Ok(())
    } else {
        Err(truncated(bytes, needed))
    }
}

/// Returns whether the file is a position-independent program, which differs from a library by one
/// flag.
fn is_program(header: &ElfHeader, bytes: &[u8]) -> bool {
    let segments = header
        .program_headers(LittleEndian, bytes)
        .into_iter()
        .flatten();
    let mut entries = segments
        .filter_map(|segment| segment.dynamic(LittleEndian, bytes).ok().flatten())
        .flatten();
    entries.any(|entry| {
        let flags = entry.d_val.get(LittleEndian);
        entry.d_tag.get(LittleEndian) == elf::DT_FLAGS_1 && flags & elf::DF_1_PIE.0 != 0
    })
}

/// Returns the name of the musl library that the file needs. Glibc's is `libc.so.6`.
fn needed_of_musl(header: &ElfHeader, bytes: &[u8]) -> Option<String> {
    let table = header
        .sections(LittleEndian, bytes)
        .ok()?
        .dynamic_table(LittleEndian, bytes)
        .ok()?;
    let entries = table
        .dynamics()
        .iter()
        .filter(|entry| entry.d_tag.get(LittleEndian) == elf::DT_NEEDED);
    let mut names = entries.filter_map(|entry| {
        let at = entry.d_val.get(LittleEndian).try_into().ok()?;
        str::from_utf8(table.strings().get(at).ok()?).ok()
    });
    let is_of_musl = |name: &&str| {
        let is_known =
            *name == "libc.so" || name.starts_with("libc.musl-") || name.starts_with("ld-musl-");
        is_known && name.len() <= MAX_NAME_BYTES
    };
    names.find(is_of_musl).map(printable)
}

/// Returns the content of Rookery's note. Only loadable notes count, because `strip` removes the
/// others.
fn note<'b>(header: &ElfHeader, bytes: &'b [u8]) -> Result<&'b [u8], UnfitLibraryError> {
    let mut found = Vec::new();
    let mut unreadable = None;
    for segment in header
        .program_headers(LittleEndian, bytes)
        .map_err(malformed)?
    {
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
                Ok(Some(note))
                    if note.name_bytes() == NAME && note.n_type(LittleEndian).0 == KIND =>
                {
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
    UnfitLibraryError::Truncated {
        found: bytes.len() as u64,
        needed,
    }
}

fn malformed(error: object::read::Error) -> UnfitLibraryError {
    UnfitLibraryError::Malformed(error.to_string())
}

/// Rust's names for machines.
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

pub(super) fn machine_name(machine: Machine) -> String {
    let known = MACHINES.iter().find(|(known, _)| *known == machine);
    known.map_or_else(
        || format!("machine number {}", machine.0),
        |(_, name)| (*name).to_owned(),
    )
}

#[cfg(test)]
pub(super) mod tests;
