//! The host's extensions, by name.

use std::{
    ffi::{CStr, c_char},
    mem::offset_of,
    ptr::from_ref,
};

use ai_api::{Extension, Log, Tablebase};

use crate::{outgoing, tablebase};

/// Returns the extension with this name.
pub(crate) unsafe extern "C" fn extension(name: *const c_char) -> Option<&'static Extension> {
    // SAFETY: the AI passes a NUL-terminated string.
    let name = unsafe { CStr::from_ptr(name) };
    // Each table begins with the head.
    const { assert!(offset_of!(Log, head) == 0 && offset_of!(Tablebase, head) == 0) };
    let table = if name == Log::NAME {
        from_ref(&outgoing::LOG).cast::<Extension>()
    } else if name == Tablebase::NAME {
        from_ref(&tablebase::EXTENSION).cast()
    } else {
        return None;
    };
    // SAFETY: the head is the beginning of the table.
    Some(unsafe { &*table })
}
