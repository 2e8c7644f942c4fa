//! Threads that play games until their owner is dropped.

use std::{
    io,
    sync::{Mutex, PoisonError, mpsc},
    thread,
    time::Duration,
};

use tokio::{
    runtime::{self, Handle},
    sync::watch,
};

/// How long to wait for the threads to end. A thread that is starting a player takes longer, and
/// its workers end with it.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// Threads that stop when this is dropped, each at its next wait.
#[derive(Debug)]
pub struct Threads {
    is_stopping: watch::Sender<bool>,
    /// Every thread has a clone.
    running: Option<mpsc::Sender<()>>,
    /// Disconnected when no thread is running.
    ended: Mutex<mpsc::Receiver<()>>,
}

impl Threads {
    #[expect(
        clippy::new_without_default,
        reason = "an owner of threads has no meaningful default"
    )]
    pub fn new() -> Self {
        let (running, ended) = mpsc::channel();
        Self {
            is_stopping: watch::Sender::new(false),
            running: Some(running),
            ended: Mutex::new(ended),
        }
    }

    /// Starts a thread with its own runtime. The thread drops `play` when it stops.
    ///
    /// # Errors
    /// The thread or its runtime cannot be started.
    pub fn start(
        &self,
        name: String,
        play: impl AsyncFnOnce(Handle) + Send + 'static,
    ) -> io::Result<()> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let (mut stop, running) = (self.is_stopping.subscribe(), self.running.clone());
        let run = move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = stop.wait_for(|is_stopping| *is_stopping) => {}
                    () = play(runtime.handle().clone()) => {}
                }
            });
            drop(running);
        };
        thread::Builder::new().name(name).spawn(run).map(drop)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.is_stopping.send_replace(true);
        self.running = None;
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = ended.recv_timeout(STOP_GRACE);
    }
}
