//! Files on disk: AI libraries, the programs that AIs start, the commands that start them, and
//! their hashes. Each access has a deadline.
//!
//! This crate never runs the files. It does not depend on configurations, workers or chess.

pub mod executable;
pub mod file_access;
pub mod open_files;
pub mod sha256;

mod content;
mod elf;
mod engine_command;
mod format;
mod note;
mod permission;
mod remedy;
mod sealed;
mod stamp;
mod suggest_file;
mod unfit_library;

pub use content::{changed_since, content_sha256, file_sha256, remembered_sha256};
#[doc(hidden)]
pub use elf::read as read_note;
pub use engine_command::{EngineCommand, EngineCommandError, ProgramPlaces};
pub use note::{LibraryNote, ParseNoteError};
pub use sealed::{ReadLibraryError, SealedLibrary};
pub use stamp::FileStamp;
pub use suggest_file::suggest_file;
pub use unfit_library::UnfitLibraryError;
