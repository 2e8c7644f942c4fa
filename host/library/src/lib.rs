//! Files on disk: library files of AIs, programs that AIs start, their hashes. Each access has a deadline.
//!
//! Reads files as data and runs none of them. Knows nothing of configurations, workers or chess.

pub mod executable;
pub mod file_access;
pub mod open_files;
pub mod sha256;

mod access;
mod elf;
mod format;
mod missing;
mod note;
mod sealed;
mod suggest_file;

pub use elf::UnfitLibraryError;
#[doc(hidden)]
pub use elf::read as read_note;
pub use note::{Note, ParseNoteError};
pub use sealed::{ReadLibraryError, SealedLibrary};
pub use suggest_file::suggest_file;
