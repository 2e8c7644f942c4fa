//! Why a library can't be served.

use std::env::consts::ARCH;

use ai_api::note::{ABI_VERSION, API_VERSION};

use crate::note::{LibraryNote, ParseNoteError};

/// Why a file is not an AI for this host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnfitLibraryError {
    #[error("the file is {found}, not a shared library; {advice}")]
    NoElf {
        found: &'static str,
        advice: &'static str,
    },
    #[error(
        "the library is {found} for {machine}, but this host needs 64-bit little-endian for \
         {ARCH}; build the AI for this host"
    )]
    Words {
        found: &'static str,
        machine: String,
    },
    #[error("the library is built for {0}, but this host is {ARCH}; build the AI for this host")]
    Machine(String),
    #[error(
        "the library needs {0} from musl, but this host has glibc; build the AI for \
         glibc: in Rust with --target {ARCH}-unknown-linux-gnu, in C with the compiler of a system \
         that has glibc"
    )]
    Musl(String),
    #[error(
        "the file is {0}, not a shared library; name the .so file of the AI; cargo builds one with \
         crate-type = [\"cdylib\"]"
    )]
    NoLibrary(String),
    #[error(
        "the file is truncated: it has {found} of the {needed} bytes that its headers refer to, so \
         {} are missing; copy or build it again",
        needed - found
    )]
    Truncated { found: u64, needed: u64 },
    #[error("the library is malformed ({0}); build it again")]
    Malformed(String),
    #[error(
        "the library is not an AI for Rookery: it has no note from ai_api::export_ai! (in C, \
         ROOKERY_NOTE); add the macro, or if the AI already has it, build the AI again with the \
         host's ai-api {API_VERSION}"
    )]
    NoNote,
    #[error(
        "the library has {0} notes from ai_api::export_ai!, expected one; export one AI from a \
         library"
    )]
    ManyNotes(usize),
    #[error("the library's note was not written by ai_api::export_ai!: {0}; build the AI again")]
    Note(#[from] ParseNoteError),
    #[error(
        "the AI '{}' {} is built for version {} of the contract (ai-api {}), but this host has the \
         newer version {ABI_VERSION} (ai-api {API_VERSION}); build the AI again with the host's \
         ai-api",
        .0.id, .0.version, .0.abi, .0.api
    )]
    Older(Box<LibraryNote>),
    #[error(
        "the AI '{}' {} is built for version {} of the contract (ai-api {}), but this host has the \
         older version {ABI_VERSION} (ai-api {API_VERSION}); use a newer Rookery, or build the AI \
         with the host's ai-api",
        .0.id, .0.version, .0.abi, .0.api
    )]
    Newer(Box<LibraryNote>),
    #[error(
        "the AI '{}' {} is built with ai-api {}, but this host has ai-api {API_VERSION}: a \
         pre-release AI runs only on a host of the same version, and a pre-release host runs \
         only AIs of its own version and of earlier releases; build the AI again with the host's \
         ai-api",
        .0.id, .0.version, .0.api
    )]
    PreRelease(Box<LibraryNote>),
}
