//! When the server ends.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

/// How long before the end a stream says its last word.
const LAST_WORD: Duration = Duration::from_millis(300);

/// When the server ends, for those who have to know in time.
#[derive(Clone, Debug, Default)]
pub struct Ending(Arc<watch::Sender<Stage>>);

#[derive(Clone, Copy, Debug, Default)]
enum Stage {
    #[default]
    GoesOn,
    /// No more requests should come.
    Announced,
    /// What is not answered then will not be.
    At(Instant),
}

impl Ending {
    /// The server will end before long.
    pub fn announce(&self) {
        self.0.send_replace(Stage::Announced);
    }

    /// The server ends now: no request is let in any more, and those that are here have this long.
    pub fn begin(&self, grace: Duration) {
        self.0.send_replace(Stage::At(Instant::now() + grace.saturating_sub(LAST_WORD)));
    }

    /// Whether the server is about to end, so that no more requests should come.
    pub fn is_announced(&self) -> bool {
        !matches!(*self.0.borrow(), Stage::GoesOn)
    }

    /// Comes when it is time for a last word.
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
