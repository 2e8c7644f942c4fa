//! Returns the server's free memory to the system.
//!
//! The allocator is glibc's: the workers are the same program, and another allocator would cost
//! each of them memory and start time.

use std::time::Duration;

use tokio::{
    task::spawn_blocking,
    time::{MissedTickBehavior, interval},
};

use server::ServerState;

/// The size from which allocations are mapped individually.
#[cfg(target_env = "gnu")]
const MAPPED_FROM_BYTES: libc::c_int = 64 << 10;
/// The shortest time between two trims.
const INTERVAL: Duration = Duration::from_secs(2);
/// The minimum number of connections closed between two trims.
const CONNECTIONS: u64 = 100;

/// Makes glibc unmap large buffers when they are freed. By default it raises its mapping threshold
/// to the size of the largest freed buffer, so request bodies would stay in its arenas.
pub(super) fn return_large_buffers() {
    #[cfg(target_env = "gnu")]
    // SAFETY: `mallopt` takes no pointers. It is called before the server starts its threads.
    unsafe {
        // If it fails, memory is returned later.
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED_FROM_BYTES);
    }
}

/// Trims the arenas after many closed connections, whose small buffers stay there. Never returns.
pub(super) async fn return_free_memory(state: &ServerState) {
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut closed_before = 0;
    loop {
        ticks.tick().await;
        let closed = state.closed_connections();
        if closed - closed_before >= CONNECTIONS {
            closed_before = closed;
            // A trim takes milliseconds per 100 MiB. Its thread can end with the server.
            let _ = spawn_blocking(trim).await;
        }
    }
}

fn trim() {
    #[cfg(target_env = "gnu")]
    // SAFETY: `malloc_trim` can be called at any time on any thread and does not move any
    // allocations.
    unsafe {
        libc::malloc_trim(0);
    }
}
