//! Runs reloads one at a time. Triggers that arrive during a reload are merged into the next
//! reload.

use std::{future::pending, sync::Arc, thread, time::Duration};

use tokio::{
    signal::unix::Signal,
    sync::{mpsc, oneshot, watch},
    time::{Instant, MissedTickBehavior, interval},
};

use crate::{
    containment::contained,
    reload::{
        control::{ControlSocket, Trigger},
        record::ReloadRecord,
        reloader::{Losses, Reloader},
        watch::FileStamps,
    },
    systemd,
};
use pool::{Ai, Retry};

/// The interval between checks of the files.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);
/// The time without a change after which a file counts as completely written.
const SETTLE_TIME: Duration = Duration::from_secs(1);
/// The capacity of the trigger queue. A trigger beyond it is redundant.
const TRIGGER_CAPACITY: usize = 16;

/// Starts the discovered libraries, then reloads on SIGHUP, on commands over the socket, and when
/// watched files change. Never returns. Dropping the future stops the triggers; a running reload
/// continues on its own thread.
pub async fn reload_when_triggered(
    reloader: Reloader,
    hangups: Signal,
    socket: Option<ControlSocket>,
) {
    let reloader = Arc::new(reloader);
    let (trigger, triggers) = mpsc::channel(TRIGGER_CAPACITY);
    let commands = async {
        match socket {
            Some(socket) => socket.serve(trigger.clone(), &reloader.state.extras).await,
            None => pending().await,
        }
    };
    tokio::join!(
        reload_one_by_one(Arc::clone(&reloader), triggers),
        watch_signals(hangups, trigger.clone()),
        watch(&reloader, trigger.clone()),
        commands,
    );
}

async fn reload_one_by_one(reloader: Arc<Reloader>, mut triggers: mpsc::Receiver<Trigger>) {
    let discovered = Arc::clone(&reloader);
    on_own_thread("discovery", move || discovered.start_discovered()).await;
    let mut remote = reloader.state.extras.remote_ais();
    loop {
        let trigger = tokio::select! {
            trigger = triggers.recv() => trigger,
            () = changed(&mut remote) => {
                reloader.serve_nodes();
                continue;
            }
        };
        let Some(Trigger {
            mut retry,
            mut losses,
            mut settled,
            listener,
        }) = trigger
        else {
            return;
        };
        let mut listeners: Vec<_> = listener.into_iter().collect();
        // One reload serves all triggers that arrived before it.
        while let Ok(further) = triggers.try_recv() {
            listeners.extend(further.listener);
            if further.retry == Retry::All {
                retry = Retry::All;
            }
            if further.losses == Losses::Allowed {
                losses = Losses::Allowed;
            }
            settled = settled.filter(|_| further.settled.is_some());
        }
        let reloader = Arc::clone(&reloader);
        let reload = move || {
            // If the files changed while this reload waited, the watch triggers another reload.
            if settled.is_some_and(|settled| settled != reloader.current_stamps()) {
                return;
            }
            let send = |record: &ReloadRecord| {
                for records in &listeners {
                    // The listener may have disconnected.
                    let _ = records.send(record.clone());
                }
            };
            let outcome = reloader.reload(retry, losses, |message| {
                send(&ReloadRecord::Progress { message });
            });
            send(&ReloadRecord::of(outcome));
        };
        systemd::reloading();
        let outcome = on_own_thread("reload", reload).await;
        systemd::ready();
        if outcome.is_none() {
            tracing::error!(
                "reload failed because of a bug in the server; keeping the current configuration"
            );
        }
    }
}

/// Waits until nodes offer different AIs.
async fn changed(remote: &mut Option<watch::Receiver<Vec<Arc<Ai>>>>) {
    if let Some(ais) = remote
        && ais.changed().await.is_ok()
    {
        return;
    }
    pending::<()>().await;
}

/// Runs blocking work on a detached thread. A file system may hang, and the runtime waits for
/// `spawn_blocking` tasks when it shuts down. Returns `None` if the work panics or no thread can be
/// started. If the future is dropped, the work continues.
async fn on_own_thread<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, outcome) = oneshot::channel();
    let span = tracing::Span::current();
    let on_thread = move || {
        // The receiver is dropped if the server shuts down.
        let _ = sender.send(span.in_scope(|| contained(work)));
    };
    if let Err(error) = thread::Builder::new().name(name.into()).spawn(on_thread) {
        tracing::error!(%error, name, "cannot start a thread; raise the thread limit (ulimit -u, \
            TasksMax)");
    }
    outcome.await.ok()
}

async fn watch_signals(mut hangups: Signal, trigger: mpsc::Sender<Trigger>) {
    while hangups.recv().await.is_some() {
        // If the queue is full, a reload is pending anyway.
        let hangup = Trigger {
            retry: Retry::All,
            losses: Losses::Refused,
            settled: None,
            listener: None,
        };
        let _ = trigger.try_send(hangup);
    }
    pending::<()>().await;
}

/// Triggers a reload when the files differ from what was last read and have stopped changing.
async fn watch(reloader: &Reloader, trigger: mpsc::Sender<Trigger>) {
    let mut ticks = interval(CHECK_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last: Option<(FileStamps, Instant)> = None;
    loop {
        ticks.tick().await;
        let config = reloader.state.service();
        if !config.config().plugins.watch {
            last = None;
            continue;
        }
        // The folder may be on a slow file system.
        let stamps = on_own_thread("watch", move || FileStamps::of(config.config()));
        let Some(stamps) = stamps.await.filter(|stamps| *stamps != reloader.seen()) else {
            last = None;
            continue;
        };
        match last.take() {
            Some((before, since)) if before == stamps => {
                if since.elapsed() >= SETTLE_TIME {
                    tracing::info!("the configuration, a library or a program has changed");
                    let _ = trigger.try_send(Trigger {
                        retry: Retry::Changed,
                        losses: Losses::Refused,
                        settled: Some(stamps),
                        listener: None,
                    });
                } else {
                    last = Some((before, since));
                }
            }
            _ => last = Some((stamps, Instant::now())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runtime_exits_while_a_reload_thread_blocks() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
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
        // If the thread belonged to the runtime, this would block forever.
        drop(runtime);
        drop(resume);
    }
}
