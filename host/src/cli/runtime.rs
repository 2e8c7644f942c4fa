//! Runs the asynchronous parts of commands.

use std::{
    io,
    pin::{Pin, pin},
};

use tokio::runtime::{Builder, Runtime};

/// A runtime on the thread of the command.
#[derive(Debug)]
pub(super) struct CommandRuntime(Runtime);

impl CommandRuntime {
    pub(super) fn new() -> io::Result<Self> {
        Builder::new_current_thread().enable_all().build().map(Self)
    }

    /// Blocks until the future has its result.
    pub(super) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        // Otherwise tokio's code would be compiled for each future.
        let future: Pin<&mut dyn Future<Output = T>> = pin!(future);
        self.0.block_on(future)
    }

    /// Waits at most this long for blocking work that has begun.
    #[cfg(feature = "extras")]
    pub(super) fn shut_down(self, at_most: std::time::Duration) {
        self.0.shutdown_timeout(at_most);
    }
}
