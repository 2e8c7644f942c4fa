//! The supervisor thread, which starts and watches every worker.
//!
//! It lives as long as the server, because Linux ties a child's `PR_SET_PDEATHSIG` to the thread that started it.

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

use super::{
    Ai, SmokeTest, WorkerProgram,
    generation::Tried,
    starting::{AiStartError, Started, start_one},
};
use crate::worker_pool::pool;
use config::{Candidate, Config};

/// How many AIs are started at a time: more would only keep each other, and the AIs that answer, from the processor.
const STARTS_AT_A_TIME: usize = 4;

/// The handle of the thread. Dropping it ends the thread and every worker.
#[derive(Debug)]
pub(super) struct Supervisor {
    orders: mpsc::UnboundedSender<Order>,
    stopping: watch::Sender<bool>,
    ended: Mutex<std_mpsc::Receiver<()>>,
}

/// What came of starting an AI.
pub(super) type Outcome = Result<Arc<Ai>, Vec<AiStartError>>;

/// An AI that is to be started, and who wants it.
#[derive(Debug)]
struct Order {
    number: usize,
    candidate: Candidate,
    config: Arc<Config>,
    smoke_tests: Arc<[SmokeTest]>,
    reply: std_mpsc::Sender<(usize, Outcome)>,
}

impl Supervisor {
    /// Starts the thread, which has nothing to do yet.
    pub(super) fn start(program: WorkerProgram) -> io::Result<Self> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        // One at most for each AI of a configuration, whose sender waits until all are carried out.
        let (orders, ordered) = mpsc::unbounded_channel();
        let (stopping, stop) = watch::channel(false);
        let (ending, ended) = std_mpsc::channel();
        let supervise = move || {
            runtime.block_on(supervise(&program, ordered, stop));
            // Nobody may be waiting.
            let _ = ending.send(());
        };
        thread::Builder::new().name("ai-supervisor".into()).spawn(supervise)?;
        Ok(Self { orders, stopping, ended: Mutex::new(ended) })
    }

    /// Starts these AIs of a configuration, runs the smoke tests of each, and gives each that does a pool. Blocks until all
    /// that becomes of them is known; the outcomes are in the order of the candidates.
    ///
    /// # Errors
    /// The thread has ended.
    pub(super) fn raise(&self, candidates: Vec<Tried>, config: &Arc<Config>) -> io::Result<Vec<Outcome>> {
        let ended = || io::Error::other("the server is shutting down");
        let (reply, replied) = std_mpsc::channel();
        let count = candidates.len();
        for (number, (candidate, smoke_tests)) in candidates.into_iter().enumerate() {
            let (config, reply) = (Arc::clone(config), reply.clone());
            let order = Order { number, candidate, config, smoke_tests, reply };
            self.orders.send(order).map_err(|_| ended())?;
        }
        drop(reply);
        let mut outcomes: Vec<_> = replied.iter().collect();
        if outcomes.len() < count {
            return Err(ended());
        }
        outcomes.sort_by_key(|(number, _)| *number);
        Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
    }

    /// Lets running answers finish, ends the workers and waits until they are gone, but no longer than `at_most`. What
    /// still runs then is killed by the kernel when this process ends.
    pub(super) fn stop(&self, at_most: Duration) {
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

/// An order once it is known what became of it.
type Done = (Result<Started, Vec<AiStartError>>, usize, std_mpsc::Sender<(usize, Outcome)>);

async fn supervise(
    program: &WorkerProgram,
    mut orders: mpsc::UnboundedReceiver<Order>,
    mut stop: watch::Receiver<bool>,
) {
    let workers_stop = stop.clone();
    let free = Arc::new(Semaphore::new(STARTS_AT_A_TIME));
    let mut starting: JoinSet<Done> = JoinSet::new();
    let mut workers = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => break,
            Some(order) = orders.recv() => {
                starting.spawn(carry_out(order, program.clone(), Arc::clone(&free)));
            }
            Some(done) = starting.join_next() => {
                // One that panicked has dropped its reply, which tells whoever waits.
                let Ok((outcome, number, reply)) = done else { continue };
                let outcome = outcome.map(|started| pool(started, program, &workers_stop, &mut workers));
                // Where nobody waits any more, the AI is dropped, and its pool ends.
                let _ = reply.send((number, outcome));
            }
            Some(_) = workers.join_next() => {}
        }
    }
    // Whoever waits for an AI learns that there will be none.
    drop(orders);
    starting.shutdown().await;
    workers.join_all().await;
}

async fn carry_out(order: Order, program: WorkerProgram, free: Arc<Semaphore>) -> Done {
    let Order { number, candidate, config, smoke_tests, reply } = order;
    let _turn = free.acquire().await;
    (start_one(&config, candidate, &program, &smoke_tests).await, number, reply)
}
