//! A library's note, read without loading the library.

use ::library::read_note;
use ai_api::note::is_id;

use crate::assert_printable;

/// Reads a file's note. Either the file is rejected, or the note is short and printable.
pub fn library_note(data: &[u8]) {
    match read_note(data) {
        Ok(note) => {
            assert!(is_id(&note.id), "{:?}", note.id);
            for text in [&note.api, &note.version, &note.compiler] {
                assert!(
                    text.len() < 256 && !text.contains(char::is_control),
                    "{text:?}"
                );
            }
        }
        Err(error) => assert_printable(&error.to_string()),
    }
}
