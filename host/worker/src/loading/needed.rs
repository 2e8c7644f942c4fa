//! Reads the names of the libraries that a library needs from its file.

use std::fs::File;

use object::{
    LittleEndian, ReadCache, ReadRef as _,
    elf::{DT_NEEDED, DT_NULL, DT_STRTAB, FileHeader64, PT_LOAD, ProgramHeader64},
    read::elf::{FileHeader as _, ProgramHeader as _},
};

const MAX_NAMES: usize = 256;
const MAX_NAME_BYTES: u64 = 255;

/// Returns the names that the loader would search for, without those that contain a path or a placeholder, because an AI may
/// name any path. Reads only the parts of the file with the names.
///
/// # Errors
/// The headers are malformed, or refer to bytes beyond the end of the file.
pub(super) fn names(library: &File) -> object::read::Result<Vec<String>> {
    let file = &ReadCache::new(library);
    let header = FileHeader64::<LittleEndian>::parse(file)?;
    let segments = header.program_headers(LittleEndian, file)?;
    let dynamic = segments.iter().find_map(|segment| segment.dynamic(LittleEndian, file).transpose());
    let dynamic = dynamic.transpose()?.unwrap_or_default();
    let entries = || dynamic.iter().take_while(|entry| entry.d_tag.get(LittleEndian) != DT_NULL);
    let strings = entries().find(|entry| entry.d_tag.get(LittleEndian) == DT_STRTAB);
    let strings = strings.and_then(|entry| file_offset(segments, entry.d_val.get(LittleEndian)));
    let Some(strings) = strings else { return Ok(Vec::new()) };
    let needed = entries().filter(|entry| entry.d_tag.get(LittleEndian) == DT_NEEDED).take(MAX_NAMES);
    let offsets = needed.filter_map(|entry| strings.checked_add(entry.d_val.get(LittleEndian)));
    Ok(offsets.filter_map(|offset| name(file, offset)).collect())
}

/// Returns the offset in the file of an address in memory.
fn file_offset(segments: &[ProgramHeader64<LittleEndian>], address: u64) -> Option<u64> {
    segments.iter().filter(|segment| segment.p_type.get(LittleEndian) == PT_LOAD).find_map(|segment| {
        let within = address.checked_sub(segment.p_vaddr.get(LittleEndian))?;
        let is_in_file = within < segment.p_filesz.get(LittleEndian);
        is_in_file.then(|| segment.p_offset.get(LittleEndian).checked_add(within))?
    })
}

/// Returns a name that the loader searches for in its folders.
fn name(file: &ReadCache<&File>, offset: u64) -> Option<String> {
    let end = offset.saturating_add(MAX_NAME_BYTES + 1).min(file.len().ok()?);
    let name = str::from_utf8(file.read_bytes_at_until(offset..end, 0).ok()?).ok()?;
    (!name.is_empty() && !name.contains(['/', '$'])).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    fn library() -> Vec<u8> {
        let path = std::env::current_exe().unwrap().with_file_name("libai_basic1.so");
        std::fs::read(path).unwrap()
    }

    fn file_of(bytes: &[u8]) -> File {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(bytes, 0).unwrap();
        file
    }

    /// A library that needs this name in place of another one.
    fn patched(name: &str) -> Vec<u8> {
        const NEEDED: &[u8] = b"\0libgcc_s.so.1\0";
        let mut bytes = library();
        let at = bytes.windows(NEEDED.len()).position(|window| window == NEEDED).unwrap() + 1;
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
            assert!(!names.iter().any(|found| found == name || found.is_empty()), "{names:?}");
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
