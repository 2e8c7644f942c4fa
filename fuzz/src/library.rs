//! Libraries, before anything of them runs.

use ::library::read_note;
use ai_api::note::is_id;

use crate::assert_can_be_shown;

/// A file is a library with a note of its own, or it is refused in a few words.
pub fn library_note(data: &[u8]) {
    match read_note(data) {
        Ok(note) => {
            assert!(is_id(&note.id), "{:?}", note.id);
            for text in [&note.api, &note.version, &note.compiler] {
                assert!(text.len() < 256 && !text.contains(char::is_control), "{text:?}");
            }
        }
        Err(error) => assert_can_be_shown(&error.to_string()),
    }
}
