//! The supervisor starts and watches every worker, usually on its own thread.
//!
//! The thread lives as long as the workers, because Linux sends the `PR_SET_PDEATHSIG` signal when
//! the thread that started the child exits.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError, mpsc as std_mpsc},
    thread,
    time::Duration,
};

use tokio::{
    runtime,
    sync::{Semaphore, mpsc, watch},
    task::JoinSet,
};

use crate::{
    ai::Ai,
    smoke::SmokeTest,
    start::ais::{AiStartError, StartedAi, start_ai},
    worker_program::WorkerProgram,
};
use config::{Candidate, Config};

/// More concurrent starts would only compete for the processor with each other and with running
/// jobs.
const MAX_CONCURRENT_STARTS: usize = 4;

/// A handle to the supervisor. Dropping it stops the supervisor and every worker.
#[derive(Debug)]
pub(crate) struct Supervisor {
    orders: mpsc::UnboundedSender<StartOrder>,
    stopping: watch::Sender<bool>,
    ended: Mutex<std_mpsc::Receiver<()>>,
}

pub(crate) type StartOutcome = Result<Arc<Ai>, Vec<AiStartError>>;

struct StartOrder {
    candidate: Candidate,
    config: Arc<Config>,
    smoke_tests: Arc<[SmokeTest]>,
    reply: std_mpsc::Sender<StartOutcome>,
}

impl Supervisor {
    pub(crate) fn start(program: WorkerProgram) -> io::Result<Self> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let (supervisor, supervise) = Self::new(program);
        let supervise = move || runtime.block_on(supervise);
        thread::Builder::new()
            .name("ai-supervisor".into())
            .spawn(supervise)?;
        Ok(supervisor)
    }

    /// Starts the supervisor as a task of a single-threaded runtime, which must outlive the
    /// workers.
    pub(crate) fn start_in(program: WorkerProgram, runtime: &runtime::Handle) -> Self {
        let (supervisor, supervise) = Self::new(program);
        runtime.spawn(supervise);
        supervisor
    }

    fn new(program: WorkerProgram) -> (Self, impl Future<Output = ()> + Send + 'static) {
        // Bounded by the number of configured AIs, since the sender waits for all outcomes.
        let (orders, ordered) = mpsc::unbounded_channel();
        let (stopping, stop) = watch::channel(false);
        let (ending, ended) = std_mpsc::channel();
        let supervise = async move {
            supervise(&program, ordered, stop).await;
            // The receiver may have stopped waiting.
            let _ = ending.send(());
        };
        (
            Self {
                orders,
                stopping,
                ended: Mutex::new(ended),
            },
            supervise,
        )
    }

    /// Starts a configuration's AIs, runs the smoke tests, and launches the pools of the AIs that
    /// pass. Blocks until all outcomes are known, and returns them in the order of the candidates.
    ///
    /// # Errors
    /// The thread has stopped.
    pub(crate) fn start_all(
        &self,
        candidates: Vec<Candidate>,
        config: &Config,
        smoke_tests: Vec<SmokeTest>,
    ) -> io::Result<Vec<StartOutcome>> {
        let ended = || io::Error::other("the server is shutting down");
        let config = Arc::new(config.clone());
        let smoke_tests: Arc<[_]> = smoke_tests.into();
        let mut outcomes = Vec::new();
        for candidate in candidates {
            let (reply, outcome) = std_mpsc::channel();
            let (config, smoke_tests) = (Arc::clone(&config), Arc::clone(&smoke_tests));
            let order = StartOrder {
                candidate,
                config,
                smoke_tests,
                reply,
            };
            self.orders.send(order).map_err(|_| ended())?;
            outcomes.push(outcome);
        }
        outcomes
            .into_iter()
            .map(|outcome| outcome.recv().map_err(|_| ended()))
            .collect()
    }

    /// Lets running jobs finish, stops the workers and waits up to `at_most` for them. The kernel
    /// kills the remaining workers when this process exits.
    pub(crate) fn stop(&self, at_most: Duration) {
        self.stopping.send_replace(true);
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = ended.recv_timeout(at_most);
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.stopping.send_replace(true);
    }
}

/// A completed order.
type Done = (
    Result<StartedAi, Vec<AiStartError>>,
    std_mpsc::Sender<StartOutcome>,
);

async fn supervise(
    program: &WorkerProgram,
    mut orders: mpsc::UnboundedReceiver<StartOrder>,
    mut stop: watch::Receiver<bool>,
) {
    let workers_stop = stop.clone();
    let free = Arc::new(Semaphore::new(MAX_CONCURRENT_STARTS));
    let mut starting: JoinSet<Done> = JoinSet::new();
    let mut workers = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => break,
            Some(order) = orders.recv() => {
                starting.spawn(start(order, program.clone(), Arc::clone(&free)));
            }
            Some(done) = starting.join_next() => {
                // A panic drops the reply's sender, so the order fails.
                let Ok((outcome, reply)) = done else { continue };
                let outcome = outcome.map(|started| {
                    Ai::launch(started, program.activity.clone(), &workers_stop, &mut workers)
                });
                // Without a receiver the AI is dropped, and its pool stops.
                let _ = reply.send(outcome);
            }
            Some(_) = workers.join_next() => {}
        }
    }
    // Fails the remaining orders.
    drop(orders);
    starting.shutdown().await;
    workers.join_all().await;
}

async fn start(order: StartOrder, program: WorkerProgram, free: Arc<Semaphore>) -> Done {
    let StartOrder {
        candidate,
        config,
        smoke_tests,
        reply,
    } = order;
    let _permit = free.acquire().await;
    (
        start_ai(&config, candidate, &program, &smoke_tests).await,
        reply,
    )
}
