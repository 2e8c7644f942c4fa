//! Reads the names of the libraries that a library needs from its file.

use std::{fs::File, io, os::unix::fs::FileExt};

use object::{
    LittleEndian, Pod,
    elf::{
        DT_NEEDED, DT_NULL, DT_STRTAB, Dyn64, FileHeader64, PT_DYNAMIC, PT_LOAD, ProgramHeader64,
    },
    pod,
};

type Segment = ProgramHeader64<LittleEndian>;
type DynamicEntry = Dyn64<LittleEndian>;

const MAX_ENTRIES: u64 = 4096;
const MAX_NAMES: usize = 256;
const MAX_NAME_BYTES: usize = 255;

/// Returns the names that the loader would search for. Leaves out names that contain a path or a
/// variable such as `$ORIGIN`, because an AI may name any path. Reads at explicit positions, so
/// that the offset of the shared descriptor stays 0 and tells an AI nothing.
///
/// # Errors
/// The headers refer to bytes beyond the end of the file.
pub(super) fn names(library: &File) -> io::Result<Vec<String>> {
    let header = read::<FileHeader64<LittleEndian>>(library, 0, 1)?;
    let header = items::<FileHeader64<LittleEndian>>(&header)?[0];
    let segment_count = header.e_phnum.get(LittleEndian).into();
    let segments = read::<Segment>(library, header.e_phoff.get(LittleEndian), segment_count)?;
    let segments = items::<Segment>(&segments)?;
    let is_dynamic = |segment: &&Segment| segment.p_type.get(LittleEndian) == PT_DYNAMIC;
    let Some(dynamic) = segments.iter().find(is_dynamic) else {
        return Ok(Vec::new());
    };
    let entry_count = dynamic.p_filesz.get(LittleEndian) / size_of::<DynamicEntry>() as u64;
    let entries = read::<DynamicEntry>(
        library,
        dynamic.p_offset.get(LittleEndian),
        entry_count.min(MAX_ENTRIES),
    )?;
    let entries = items::<DynamicEntry>(&entries)?;
    let entries = || {
        entries
            .iter()
            .take_while(|entry| entry.d_tag.get(LittleEndian) != DT_NULL)
    };
    let strings = entries().find(|entry| entry.d_tag.get(LittleEndian) == DT_STRTAB);
    let strings = strings.and_then(|entry| file_offset(segments, entry.d_val.get(LittleEndian)));
    let strings = strings.ok_or_else(|| io::Error::other("the string table is missing"))?;
    let needed = entries()
        .filter(|entry| entry.d_tag.get(LittleEndian) == DT_NEEDED)
        .take(MAX_NAMES);
    let names = needed.filter_map(|entry| {
        name(library, strings.checked_add(entry.d_val.get(LittleEndian))?).transpose()
    });
    names.collect()
}

/// Returns the file offset of an address in memory.
fn file_offset(segments: &[Segment], address: u64) -> Option<u64> {
    segments
        .iter()
        .filter(|segment| segment.p_type.get(LittleEndian) == PT_LOAD)
        .find_map(|segment| {
            let within = address.checked_sub(segment.p_vaddr.get(LittleEndian))?;
            let is_in_file = within < segment.p_filesz.get(LittleEndian);
            is_in_file.then(|| segment.p_offset.get(LittleEndian).checked_add(within))?
        })
}

/// Returns a name that the loader looks up in its folders.
fn name(library: &File, at: u64) -> io::Result<Option<String>> {
    let mut bytes = [0; MAX_NAME_BYTES + 1];
    let length = library.read_at(&mut bytes, at)?;
    let end = bytes[..length].iter().position(|&byte| byte == 0);
    let name = end.and_then(|end| str::from_utf8(&bytes[..end]).ok());
    Ok(name
        .filter(|name| !name.is_empty() && !name.contains(['/', '$']))
        .map(str::to_owned))
}

fn read<T: Pod>(library: &File, at: u64, count: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; size_of::<T>() * count as usize];
    library.read_exact_at(&mut bytes, at)?;
    Ok(bytes)
}

fn items<T: Pod>(bytes: &[u8]) -> io::Result<&[T]> {
    pod::slice_from_all_bytes(bytes).map_err(|()| io::Error::other("a table is truncated"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library() -> Vec<u8> {
        let path = std::env::current_exe()
            .unwrap()
            .with_file_name("libai_basic1.so");
        std::fs::read(path).unwrap()
    }

    fn file_of(bytes: &[u8]) -> File {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(bytes, 0).unwrap();
        file
    }

    /// Returns a library that needs this name instead of `libgcc_s.so.1`.
    fn patched(name: &str) -> Vec<u8> {
        const NEEDED: &[u8] = b"\0libgcc_s.so.1\0";
        let mut bytes = library();
        let at = bytes
            .windows(NEEDED.len())
            .position(|window| window == NEEDED)
            .unwrap()
            + 1;
        bytes[at..at + NEEDED.len() - 1].fill(0);
        bytes[at..at + name.len()].copy_from_slice(name.as_bytes());
        bytes
    }

    #[test]
    fn returns_the_names_that_the_loader_resolves() {
        let names = names(&file_of(&library())).unwrap();
        assert!(names.contains(&"libc.so.6".to_owned()), "{names:?}");
        assert!(names.contains(&"libgcc_s.so.1".to_owned()), "{names:?}");
    }

    #[test]
    fn skips_names_with_a_path_or_a_placeholder() {
        for name in ["/tmp/evil.so", "./evil.so", "$ORIGIN", "x$LIB.so", ""] {
            let names = names(&file_of(&patched(name))).unwrap();
            assert!(names.contains(&"libc.so.6".to_owned()), "{names:?}");
            assert!(
                !names.iter().any(|found| found == name || found.is_empty()),
                "{names:?}"
            );
        }
    }

    #[test]
    fn reads_any_headers_without_a_panic() {
        let whole = library();
        let file = file_of(&whole);
        for (at, &right) in whole.iter().enumerate().take(64 + 56 * 12) {
            for wrong in [0, 0x7f, 0x80, 0xff] {
                file.write_all_at(&[wrong], at as u64).unwrap();
                let _ = names(&file);
            }
            file.write_all_at(&[right], at as u64).unwrap();
        }
        assert!(!names(&file).unwrap().is_empty());
    }
}
