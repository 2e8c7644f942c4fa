//! Graceful shutdown of the server.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

/// How long before the deadline streams send their last record.
const LAST_RECORD_TIME: Duration = Duration::from_millis(300);

/// The state of the shutdown, shared by all requests.
#[derive(Clone, Debug, Default)]
pub struct Shutdown(Arc<watch::Sender<ShutdownStage>>);

#[derive(Clone, Copy, Debug, Default)]
enum ShutdownStage {
    #[default]
    Running,
    Draining,
    /// The deadline of all requests.
    Deadline(Instant),
}

impl Shutdown {
    /// Starts draining.
    pub fn drain(&self) {
        self.0.send_replace(ShutdownStage::Draining);
    }

    /// Sets the deadline of the running requests.
    pub fn set_deadline(&self, grace: Duration) {
        self.0.send_replace(ShutdownStage::Deadline(
            Instant::now() + grace.saturating_sub(LAST_RECORD_TIME),
        ));
    }

    /// Returns whether the shutdown has started.
    pub fn is_draining(&self) -> bool {
        !matches!(*self.0.borrow(), ShutdownStage::Running)
    }

    /// Resolves when streams must send their last record. Dropping the future has no effect.
    pub(crate) async fn deadline_near(&self) {
        let mut stage = self.0.subscribe();
        loop {
            let current = *stage.borrow_and_update();
            let near = async {
                match current {
                    ShutdownStage::Deadline(time) => sleep_until(time).await,
                    ShutdownStage::Running | ShutdownStage::Draining => {
                        std::future::pending::<()>().await;
                    }
                }
            };
            tokio::select! {
                () = near => return,
                changed = stage.changed() => changed.expect("this holds the sender"),
            }
        }
    }
}
