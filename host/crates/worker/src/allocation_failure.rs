//! Tells the host that an allocation failed before an AI crashed. Few AIs check for failed
//! allocations, so the crash alone would not point to the memory limit.

use std::{ffi::c_int, mem, ptr::null_mut, sync::OnceLock};

use libc::{SA_ONSTACK, SIG_DFL, SIGABRT, SIGBUS, SIGILL, SIGSEGV, STDERR_FILENO};

use protocol::ALLOCATION_FAILED;

/// The crash signals with their previous actions, such as the handler with which Rust's runtime
/// reports a stack overflow.
static EARLIER: [(c_int, OnceLock<libc::sigaction>); 4] = [
    (SIGABRT, OnceLock::new()),
    (SIGBUS, OnceLock::new()),
    (SIGILL, OnceLock::new()),
    (SIGSEGV, OnceLock::new()),
];

/// Handles crash signals from now on. The AI may replace the handler.
pub(crate) fn report() {
    for (signal, earlier) in &EARLIER {
        // SAFETY: all zeros are a valid action; the kernel accesses the structs only during the
        // calls.
        unsafe {
            let mut action: libc::sigaction = mem::zeroed();
            action.sa_sigaction = on_crash as extern "C" fn(c_int) as usize;
            action.sa_flags = SA_ONSTACK;
            let mut before: libc::sigaction = mem::zeroed();
            if libc::sigaction(*signal, &raw const action, &raw mut before) == 0 {
                let _ = earlier.set(before);
            }
        }
    }
}

/// Writes the report if the last failed call of this thread ran out of memory, and leaves the rest
/// to the previous action.
extern "C" fn on_crash(signal: c_int) {
    // SAFETY: these functions may be called from a signal handler, and all pointers are valid
    // during the calls.
    unsafe {
        if *libc::__errno_location() == libc::ENOMEM {
            libc::write(
                STDERR_FILENO,
                ALLOCATION_FAILED.as_ptr().cast(),
                ALLOCATION_FAILED.len(),
            );
        }
        let earlier = EARLIER
            .iter()
            .find(|(own, _)| *own == signal)
            .and_then(|(_, earlier)| earlier.get());
        let Some(earlier) = earlier else {
            libc::_exit(1)
        };
        libc::sigaction(signal, earlier, null_mut());
        // A previous handler gets the signal, with its address, when the instruction is repeated.
        if earlier.sa_sigaction == SIG_DFL {
            libc::raise(signal);
        }
    }
}
