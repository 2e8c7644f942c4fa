//! Graceful shutdown of the server.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

/// The time before the end at which streams send their last record.
const LAST_WORD: Duration = Duration::from_millis(300);

/// The state of the shutdown.
#[derive(Clone, Debug, Default)]
pub struct Ending(Arc<watch::Sender<Stage>>);

#[derive(Clone, Copy, Debug, Default)]
enum Stage {
    #[default]
    GoesOn,
    /// The server is draining.
    Announced,
    /// The deadline of all requests.
    At(Instant),
}

impl Ending {
    /// Starts draining.
    pub fn announce(&self) {
        self.0.send_replace(Stage::Announced);
    }

    /// Stops accepting requests. The running ones have this long.
    pub fn begin(&self, grace: Duration) {
        self.0.send_replace(Stage::At(Instant::now() + grace.saturating_sub(LAST_WORD)));
    }

    /// Whether the server is draining.
    pub fn is_announced(&self) -> bool {
        !matches!(*self.0.borrow(), Stage::GoesOn)
    }

    /// Resolves when streams must send their last record.
    pub(super) async fn is_near(&self) {
        let mut stage = self.0.subscribe();
        loop {
            let seen = *stage.borrow_and_update();
            let near = async {
                match seen {
                    Stage::At(time) => sleep_until(time).await,
                    Stage::GoesOn | Stage::Announced => std::future::pending().await,
                }
            };
            tokio::select! {
                () = near => return,
                changed = stage.changed() => changed.expect("this holds the sender"),
            }
        }
    }
}
