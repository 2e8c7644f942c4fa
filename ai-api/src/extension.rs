//! Extensions: function tables in addition to the contract.

use std::ffi::{CStr, CString, c_char};

/// The header of an extension: a table of functions that the AI or the host offers in addition to
/// the contract.
///
/// The rest of the table follows in memory. Its name is OWNER.NAME/REVISION, such as
/// `rookery.log/1`. A revision never changes, and neither do its enumerations. The owner `rookery`
/// is this project. Others use a reversed domain of their own, such as `org.example.tables/1`. Each
/// side returns nothing for a name that it does not know, so either can be older than the other.
#[repr(C)]
#[derive(Debug)]
#[cfg_attr(feature = "layout", derive(abi_stable::StableAbi))]
pub struct Extension {
    /// The size of the table, including this header.
    pub size: usize,
}

/// The severity of a log message.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
pub enum LogLevel {
    /// The AI has failed.
    Error = 1,
    /// The operator should know.
    Warn = 2,
    /// The operator may want to know.
    Info = 3,
    /// The author may want to know.
    Debug = 4,
}

impl LogLevel {
    /// Returns the level for a number in the header, or `Debug` for a later one.
    pub const fn from_number(number: u32) -> Self {
        match number {
            0 | 1 => Self::Error,
            2 => Self::Warn,
            3 => Self::Info,
            _ => Self::Debug,
        }
    }
}

/// The host's extension `rookery.log/1`.
#[repr(C)]
#[derive(Debug)]
pub struct Log {
    /// The header with the table's size.
    pub head: Extension,
    /// Logs a message at a level. Any thread.
    pub log: unsafe extern "C" fn(u32, *const c_char),
}

impl Log {
    /// The name under which an AI requests this extension.
    pub const NAME: &'static CStr = c"rookery.log/1";

    /// # Safety
    /// `extension` was found under [`NAME`](Self::NAME).
    pub(crate) unsafe fn write(extension: &'static Extension, level: LogLevel, message: &str) {
        let Ok(message) = CString::new(message.replace('\0', "")) else {
            return;
        };
        // SAFETY: guaranteed by the caller, and the message is a NUL-terminated string.
        unsafe {
            let log = &*std::ptr::from_ref(extension).cast::<Self>();
            (log.log)(level as u32, message.as_ptr());
        }
    }
}
