//! What a file is that is no ELF file, for somebody who has named the wrong one.

/// Bytes that are looked at.
const LOOKED_AT: usize = 512;

/// What files begin with, what such a file is, and what to do about it.
const FORMATS: &[(&[u8], &str, &str)] = &[
    (b"#!", "a script", BUILD),
    (b"!<arch>\n", "an archive of object files (.a, .rlib)", BUILD),
    (b"!<thin>\n", "an archive of object files (.a)", BUILD),
    (b"MZ", "a program or a DLL for Windows", FOR_LINUX),
    (&[0xcf, 0xfa, 0xed, 0xfe], "a Mach-O file for macOS", FOR_LINUX),
    (&[0xce, 0xfa, 0xed, 0xfe], "a Mach-O file for macOS", FOR_LINUX),
    (&[0xca, 0xfe, 0xba, 0xbe], "a Mach-O file for macOS or a class of Java", FOR_LINUX),
    (b"\0asm", "a WebAssembly module", FOR_LINUX),
    (b"BC\xc0\xde", "bitcode of LLVM", BUILD),
    (b"PK\x03\x04", "a ZIP archive", UNPACK),
    (&[0x1f, 0x8b], "compressed by gzip", UNPACK),
    (b"\xfd7zXZ\0", "compressed by xz", UNPACK),
    (&[0x28, 0xb5, 0x2f, 0xfd], "compressed by zstd", UNPACK),
    (b"version https://git-lfs", "a stand-in for a file in Git LFS", "run 'git lfs pull'"),
];

const BUILD: &str = "name the .so file of the AI; cargo builds one with crate-type = [\"cdylib\"]";
const FOR_LINUX: &str = "build the AI for Linux and name the .so file";
const UNPACK: &str = "unpack it and name the .so file in it";

/// What a file is that begins with `bytes`, and what to do about it.
pub(super) fn recognise(bytes: &[u8]) -> (&'static str, &'static str) {
    if bytes.is_empty() {
        return ("empty", "copy or build the AI again");
    }
    if let Some(&(_, what, advice)) = FORMATS.iter().find(|(magic, ..)| bytes.starts_with(magic)) {
        return (what, advice);
    }
    if bytes.iter().all(|&byte| byte == 0) {
        return ("filled with zeros", "copy or build the AI again; a copy may have been interrupted");
    }
    let of_a_text = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
    let what = if bytes.iter().take(LOOKED_AT).all(of_a_text) { "a text" } else { "of an unknown kind" };
    (what, BUILD)
}
