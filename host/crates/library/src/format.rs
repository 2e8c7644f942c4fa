//! Recognizes the format of a file that is not an ELF file.

/// How many bytes decide whether a file is text.
const TEXT_BYTES: usize = 512;

/// The first bytes of a format, its description, and the remedy.
const FORMATS: &[(&[u8], &str, &str)] = &[
    (b"#!", "a script", BUILD),
    (
        b"!<arch>\n",
        "an archive of object files (.a, .rlib)",
        BUILD,
    ),
    (b"!<thin>\n", "an archive of object files (.a)", BUILD),
    (b"MZ", "a Windows program or DLL", FOR_LINUX),
    (
        &[0xcf, 0xfa, 0xed, 0xfe],
        "a Mach-O file for macOS",
        FOR_LINUX,
    ),
    (
        &[0xce, 0xfa, 0xed, 0xfe],
        "a Mach-O file for macOS",
        FOR_LINUX,
    ),
    (
        &[0xca, 0xfe, 0xba, 0xbe],
        "a Mach-O file for macOS or a Java class",
        FOR_LINUX,
    ),
    (b"\0asm", "a WebAssembly module", FOR_LINUX),
    (b"BC\xc0\xde", "LLVM bitcode", BUILD),
    (b"PK\x03\x04", "a ZIP archive", UNPACK),
    (&[0x1f, 0x8b], "compressed with gzip", UNPACK),
    (b"\xfd7zXZ\0", "compressed with xz", UNPACK),
    (&[0x28, 0xb5, 0x2f, 0xfd], "compressed with zstd", UNPACK),
    (
        b"version https://git-lfs",
        "a Git LFS pointer",
        "run 'git lfs pull'",
    ),
];

const BUILD: &str = "name the .so file of the AI; cargo builds one with crate-type = [\"cdylib\"]";
const FOR_LINUX: &str = "build the AI for Linux and name the .so file";
const UNPACK: &str = "unpack it and name the .so file in it";

/// Returns a description of a file, based on its bytes, and the remedy.
pub(crate) fn recognize(bytes: &[u8]) -> (&'static str, &'static str) {
    if bytes.is_empty() {
        return ("empty", "copy or build the AI again");
    }
    if let Some(&(_, description, remedy)) =
        FORMATS.iter().find(|(magic, ..)| bytes.starts_with(magic))
    {
        return (description, remedy);
    }
    if bytes.iter().all(|&byte| byte == 0) {
        return (
            "filled with zeros",
            "copy or build the AI again; a copy may have been interrupted",
        );
    }
    let is_text_byte = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
    let description = if bytes.iter().take(TEXT_BYTES).all(is_text_byte) {
        "text"
    } else {
        "of an unknown kind"
    };
    (description, BUILD)
}
