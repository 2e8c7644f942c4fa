//! When a reload is to be made: one at a time, and once more for whatever came during one.

use std::{future::pending, sync::Arc, thread, time::Duration};

use tokio::{
    signal::unix::Signal,
    sync::{mpsc, oneshot},
    time::{Instant, MissedTickBehavior, interval},
};

use super::{ControlSocket, ReloadRecord, Reloader, watch::Sight};
use pool::Retry;

/// How often files are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How long files must have stayed the same to be taken as whole.
const WHOLE_AFTER: Duration = Duration::from_millis(300);
/// Triggers that may wait. More than one of a kind would say nothing new.
const WAITING: usize = 16;

/// Somebody wants the configuration to be taken over, and perhaps to hear how it goes.
#[derive(Debug)]
pub(super) struct Trigger {
    retry: Retry,
    listener: Option<mpsc::UnboundedSender<ReloadRecord>>,
}

impl Trigger {
    pub(super) fn new(retry: Retry, listener: Option<mpsc::UnboundedSender<ReloadRecord>>) -> Self {
        Self { retry, listener }
    }
}

/// Starts the libraries that were dropped in, then reloads at each SIGHUP, at each command over the socket, and when watched
/// files have changed. Never ends.
pub async fn reload_when_triggered(reloader: Reloader, hangups: Signal, socket: Option<ControlSocket>) {
    let reloader = Arc::new(reloader);
    let (trigger, triggers) = mpsc::channel(WAITING);
    let commands = async {
        match socket {
            Some(socket) => socket.serve(trigger.clone()).await,
            None => pending().await,
        }
    };
    tokio::join!(
        reload_one_by_one(Arc::clone(&reloader), triggers),
        hear_signals(hangups, trigger.clone()),
        watch(&reloader, trigger.clone()),
        commands,
    );
}

async fn reload_one_by_one(reloader: Arc<Reloader>, mut triggers: mpsc::Receiver<Trigger>) {
    let dropped_in = Arc::clone(&reloader);
    on_own_thread("dropped-in", move || dropped_in.start_dropped_in()).await;
    while let Some(Trigger { mut retry, listener }) = triggers.recv().await {
        let mut listeners: Vec<_> = listener.into_iter().collect();
        // One reload answers all who came before it.
        while let Ok(Trigger { retry: further, listener }) = triggers.try_recv() {
            listeners.extend(listener);
            if further == Retry::All {
                retry = Retry::All;
            }
        }
        let reloader = Arc::clone(&reloader);
        let reload = move || {
            let tell = |record: &ReloadRecord| {
                for listener in &listeners {
                    // Whoever has gone does not want to know.
                    let _ = listener.send(record.clone());
                }
            };
            let outcome = reloader.reload(retry, |message| tell(&ReloadRecord::Progress { message }));
            tell(&ReloadRecord::of(outcome));
        };
        if on_own_thread("reload", reload).await.is_none() {
            tracing::error!("reload failed by a bug of the server; keeping the current configuration");
        }
    }
}

/// Runs blocking work on a thread that nobody joins: the runtime waits at its end for what `spawn_blocking` has begun, and
/// files may hang. Returns nothing if the work has panicked or no thread could be started.
async fn on_own_thread<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, outcome) = oneshot::channel();
    let span = tracing::Span::current();
    let on_thread = move || {
        // At the end of the server nobody waits any more.
        let _ = sender.send(span.in_scope(work));
    };
    if let Err(error) = thread::Builder::new().name(name.into()).spawn(on_thread) {
        tracing::error!(%error, name, "cannot start a thread; raise the limit of threads (ulimit -u, TasksMax)");
    }
    outcome.await.ok()
}

async fn hear_signals(mut hangups: Signal, trigger: mpsc::Sender<Trigger>) {
    while hangups.recv().await.is_some() {
        // Where the line is full, a reload is to come anyway.
        let _ = trigger.try_send(Trigger::new(Retry::All, None));
    }
    pending::<()>().await;
}

/// Triggers a reload when the files are others than were read, and have stopped changing.
async fn watch(reloader: &Reloader, trigger: mpsc::Sender<Trigger>) {
    let mut looks = interval(LOOK_EVERY);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last: Option<(Sight, Instant)> = None;
    loop {
        looks.tick().await;
        let config = reloader.service.game();
        if !config.config().plugins.watch {
            last = None;
            continue;
        }
        // A folder may be far away.
        let look = on_own_thread("watch", move || Sight::of(config.config()));
        let Some(sight) = look.await.filter(|sight| *sight != reloader.seen()) else {
            last = None;
            continue;
        };
        match last.take() {
            Some((before, since)) if before == sight => {
                if since.elapsed() >= WHOLE_AFTER {
                    tracing::info!("the configuration or a library has changed");
                    let _ = trigger.try_send(Trigger::new(Retry::Changed, None));
                } else {
                    last = Some((before, since));
                }
            }
            _ => last = Some((sight, Instant::now())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runtime_exits_while_a_reload_thread_blocks() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (resume, resumed) = std::sync::mpsc::channel::<()>();
        let (entered, inside) = oneshot::channel();
        let blocked = on_own_thread("blocked", move || {
            let _ = entered.send(());
            resumed.recv().is_ok()
        });
        runtime.block_on(async {
            tokio::select! {
                _ = blocked => unreachable!("it blocks"),
                entered = inside => entered.unwrap(),
            }
        });
        // With a thread of the runtime this would wait for ever.
        drop(runtime);
        drop(resume);
    }
}
