//! How the server's memory goes back to the system.
//!
//! The allocator is glibc's, as in the workers, which are the same program: another one would cost every worker memory of
//! its `memory_mb` and time to start.

use std::time::Duration;

use tokio::{
    task::spawn_blocking,
    time::{MissedTickBehavior, interval},
};

use server::Service;

/// Allocations from this size on are mapped one by one.
#[cfg(target_env = "gnu")]
const MAPPED_FROM_BYTES: libc::c_int = 64 << 10;
/// How often free memory may be returned.
const INTERVAL: Duration = Duration::from_secs(2);
/// Connections after whose end free memory is returned.
const CONNECTIONS: u64 = 100;

/// Has large buffers unmapped when they are freed. By default glibc raises the size from which it maps allocations to that of
/// the largest one that was ever freed, so that bodies come from its arenas and stay there.
pub(super) fn return_large_buffers() {
    #[cfg(target_env = "gnu")]
    // SAFETY: `mallopt` takes no pointers. It is called before the server starts its threads.
    unsafe {
        // Where it is refused, memory is returned later, and nothing else changes.
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED_FROM_BYTES);
    }
}

/// Returns the memory that small buffers of many closed connections leave behind in the allocator's arenas. Never ends.
pub(super) async fn return_free_memory(service: &Service) {
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut closed_before = 0;
    loop {
        ticks.tick().await;
        let closed = service.closed_connections();
        if closed - closed_before >= CONNECTIONS {
            closed_before = closed;
            // It takes milliseconds for each hundred MiB. That its thread is gone when the server ends, is no matter.
            let _ = spawn_blocking(trim).await;
        }
    }
}

fn trim() {
    #[cfg(target_env = "gnu")]
    // SAFETY: `malloc_trim` may be called at any time by any thread; it leaves every allocation where it is.
    unsafe {
        libc::malloc_trim(0);
    }
}
