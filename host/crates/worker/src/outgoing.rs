//! The worker's replies. The AI's threads log while its main thread reports, so a lock keeps frames
//! intact.

use std::{
    ffi::{CStr, c_char},
    os::unix::net::UnixStream,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use ai_api::{Extension, Log, LogLevel};

use protocol::{FrameError, MAX_LOG_MESSAGES, WorkerReply, sanitize, write_frame};

static SOCKET: Mutex<Option<UnixStream>> = Mutex::new(None);
/// Messages logged since the last request.
static LOGGED: AtomicU32 = AtomicU32::new(0);
/// The extension `rookery.log/1`.
pub(crate) static LOG: Log = Log {
    head: Extension {
        size: size_of::<Log>(),
    },
    log,
};

pub(crate) fn open(socket: UnixStream) {
    *SOCKET.lock().unwrap_or_else(PoisonError::into_inner) = Some(socket);
}

pub(crate) fn send(reply: &WorkerReply) -> Result<(), FrameError> {
    match &mut *SOCKET.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(socket) => write_frame(socket, reply),
        None => Err(FrameError::Closed),
    }
}

/// Warns the operator in the AI's log.
pub(crate) fn warn(reason: &str) {
    // The listener notices a closed socket.
    let _ = send(&WorkerReply::Log(
        LogLevel::Warn,
        sanitize::log_message(reason),
    ));
}

/// Resets the limit on log messages at the start of a request.
pub(crate) fn request_started() {
    LOGGED.store(0, Ordering::Relaxed);
}

unsafe extern "C" fn log(level: u32, message: *const c_char) {
    if LOGGED.fetch_add(1, Ordering::Relaxed) >= MAX_LOG_MESSAGES {
        return;
    }
    // SAFETY: the AI passes a NUL-terminated string.
    let message = unsafe { CStr::from_ptr(message) }.to_string_lossy();
    // The listener notices a closed socket.
    let _ = send(&WorkerReply::Log(
        LogLevel::from_number(level),
        sanitize::log_message(&message),
    ));
}
