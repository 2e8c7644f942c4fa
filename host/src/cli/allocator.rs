//! How the server's memory goes back to the system.

/// Allocations from this size on are mapped one by one.
const MAPPED_FROM_BYTES: libc::c_int = 64 << 10;

/// Has large buffers unmapped when they are freed. By default glibc raises the size from which it maps allocations to that of
/// the largest one that was ever freed, so that bodies come from its arenas and stay there. A worker is another program to
/// the kernel, with the default.
pub(super) fn return_large_buffers() {
    #[cfg(target_env = "gnu")]
    // SAFETY: `mallopt` may be called at any time, by one thread at a time; the server has not started others.
    unsafe {
        // Where it is refused, memory is returned later, and nothing else changes.
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED_FROM_BYTES);
    }
}
