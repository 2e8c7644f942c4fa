//! A slot on another machine that takes jobs from a pool.

use std::future::pending;

use tokio::time::{Instant, sleep_until};
use tracing::Instrument;

use super::{
    queue::{Consumer, Ticket},
    queued_job::QueuedJob,
    shared::PoolState,
};
use crate::{
    fault::Fault,
    request_scope::{RequestScope, SlotId},
    slot::RemoteSlot,
};
use protocol::Response;

/// The next step of a slot.
enum SlotStep {
    Run(Ticket, Box<QueuedJob>),
    Wait,
    End,
}

/// Runs the pool's jobs in a slot until the node is gone or the pool is closed and empty.
pub(super) async fn serve(shared: &PoolState, node: &str, mut slot: impl RemoteSlot) {
    let added = shared.remote.add(node);
    loop {
        match next(shared, &mut slot).await {
            SlotStep::Run(ticket, job) => {
                let _busy = added.busy();
                let gone = slot.gone();
                let run = run_in_span(shared, node, &mut slot, ticket, job);
                tokio::pin!(run);
                tokio::select! {
                    biased;
                    () = &mut run => {}
                    () = gone => {
                        added.close();
                        run.await;
                    }
                }
            }
            SlotStep::Wait => {}
            SlotStep::End => break,
        }
    }
}

async fn next(shared: &PoolState, slot: &mut impl RemoteSlot) -> SlotStep {
    let take = async {
        while let Some(open_for) = shared.open_for(Instant::now()) {
            sleep_until(Instant::now() + open_for).await;
        }
        if !slot.free().await {
            return SlotStep::End;
        }
        tokio::select! {
            biased;
            () = slot.taken() => SlotStep::Wait,
            next = shared.queue.next(Consumer::RemoteSlot) => match next {
                Some((ticket, job)) => SlotStep::Run(ticket, job),
                None => SlotStep::End,
            },
        }
    };
    tokio::select! {
        biased;
        () = shared.queue.finished() => SlotStep::End,
        next = take => next,
    }
}

/// Runs a job in a span with the request, the AI and the node.
async fn run_in_span(
    shared: &PoolState,
    node: &str,
    slot: &mut impl RemoteSlot,
    ticket: Ticket,
    job: Box<QueuedJob>,
) {
    let request = job.request().cloned();
    let span = SlotId::Node(node).job_span(&shared.settings.id, request.as_deref());
    RequestScope::enter(request, run(shared, node, slot, ticket, job))
        .instrument(span)
        .await;
}

async fn run(
    shared: &PoolState,
    node: &str,
    slot: &mut impl RemoteSlot,
    ticket: Ticket,
    mut job: Box<QueuedJob>,
) {
    let now = Instant::now();
    if let Some(rejection) = shared.rejection_at_head(&mut job, now) {
        job.finish(Err(rejection));
        return;
    }
    let started_before = job.finish_by;
    let time_allowed = shared.begin_attempt(&mut job, now, SlotId::Node(node));
    // Only local workers yield.
    let result = job.run(slot, time_allowed, pending()).await;
    let time = now.elapsed();
    if job.reply.is_closed() {
        return;
    }
    if matches!(result, Err(Fault::Declined)) {
        // A declined attempt is not counted.
        job.attempts -= 1;
        job.finish_by = started_before;
        shared.give_back(ticket, job);
        return;
    }
    record(shared, &job, now, result.as_ref());
    match result {
        Err(fault) if fault.kills_worker() || matches!(fault, Fault::Lost { .. }) => {
            tracing::warn!(
                code = %fault.code(),
                fault = %fault.in_full(),
                "a job failed on a node"
            );
            shared.retry_or_fail(ticket, job, fault, time);
        }
        result => job.finish(result),
    }
}

fn record(shared: &PoolState, job: &QueuedJob, began: Instant, result: Result<&Response, &Fault>) {
    shared.record_attempt(job, began, result.ok());
    match result {
        Ok(_) => shared.record_success(job, began.elapsed()),
        Err(fault) => {
            shared.stats.record_fault(fault, String::new());
            if !fault.kills_worker() {
                tracing::warn!(code = %fault.code(), fault = %fault.in_full(), "request failed");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        cell::RefCell,
        rc::Rc,
        sync::{Arc, atomic::AtomicUsize, atomic::Ordering},
        task::{Context, Poll},
        time::Duration,
    };

    use ai_api::{Limits, Score};
    use config::AiSettings;
    use protocol::{Iteration, Job, SearchParams, Task};
    use tokio::{
        task::{LocalSet, spawn_local},
        time::timeout,
    };

    use super::*;
    use crate::{
        fault::FaultCode,
        request_context::RequestContext,
        slot::{Question, Slot, StopReason},
        stats::AiStats,
        worker_pool::WorkerPool,
    };

    /// A slot that replies with these faults in turn, then with results.
    struct Scripted {
        faults: Rc<RefCell<Vec<Fault>>>,
        asked: Arc<AtomicUsize>,
    }

    impl RemoteSlot for Scripted {
        async fn free(&mut self) -> bool {
            true
        }

        async fn taken(&mut self) {
            pending::<()>().await;
        }

        fn gone(&self) -> impl Future<Output = ()> + 'static {
            pending()
        }
    }

    impl Slot for Scripted {
        async fn run(
            &mut self,
            _: Question<'_>,
            _: impl Future<Output = ()>,
            _: impl FnMut(&mut Context<'_>) -> Poll<StopReason>,
            _: impl FnMut(Iteration),
        ) -> Result<Response, Fault> {
            self.asked.fetch_add(1, Ordering::Relaxed);
            let fault = self.faults.borrow_mut().pop();
            fault.map_or_else(|| Ok(Response::Evaluated(Score::DRAW, Vec::new())), Err)
        }
    }

    fn pool() -> WorkerPool {
        let library = tempfile::NamedTempFile::with_suffix(".so").unwrap();
        let settings = AiSettings::of_file("remote", library.path()).unwrap();
        let settings = AiSettings {
            workers: Some(0),
            ..settings
        };
        WorkerPool::without_workers(settings, Vec::new(), Arc::new(AiStats::new(0)))
    }

    async fn ask(pool: &WorkerPool, context: RequestContext) -> Result<Response, Fault> {
        let (fen, params) = (
            "8/8/8/8/8/8/8/8 w - - 0 1".to_owned(),
            SearchParams::default(),
        );
        let task = Task::Search(Limits::depth(1));
        let job = Job {
            fresh: false,
            fen,
            moves: Vec::new(),
            task,
            params,
            options: Vec::new(),
        };
        timeout(Duration::from_mins(1), pool.run(context, job, None))
            .await
            .unwrap()
    }

    /// Runs one job with slots that reply with these faults first, each fault once. Returns the
    /// result and how often a slot was asked.
    fn answer(slots: usize, faults: &[Fault]) -> (Result<Response, Fault>, usize) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        LocalSet::new().block_on(&runtime.unwrap(), async {
            let (pool, asked) = (pool(), Arc::new(AtomicUsize::new(0)));
            let faults = Rc::new(RefCell::new(faults.to_vec()));
            for number in 0..slots {
                let slot = Scripted {
                    faults: Rc::clone(&faults),
                    asked: Arc::clone(&asked),
                };
                spawn_local(pool.serve(format!("node{number}"), slot));
            }
            let result = ask(&pool, RequestContext::default()).await;
            (result, asked.load(Ordering::Relaxed))
        })
    }

    fn lost() -> Fault {
        Fault::Lost {
            reason: "lost the node".into(),
            retry_after: Duration::from_secs(1),
        }
    }

    #[test]
    fn asks_again_while_slots_reject_jobs() {
        let (result, asked) = answer(2, &[const { Fault::Declined }; 5]);
        assert!(result.is_ok(), "{result:?}");
        assert_eq!(asked, 6);
    }

    #[test]
    fn asks_again_once_after_a_loss() {
        let (result, asked) = answer(1, &[lost()]);
        assert!(result.is_ok(), "{result:?}");
        assert_eq!(asked, 2);
        let (result, asked) = answer(3, &[lost(), lost()]);
        assert_eq!(result.unwrap_err().code(), FaultCode::AiUnavailable);
        assert_eq!(asked, 2);
    }

    #[test]
    fn asks_again_once_after_a_crash() {
        let crash = || Fault::Crashed("segmentation fault".into());
        assert!(answer(2, &[crash()]).0.is_ok());
        assert_eq!(answer(2, &[crash(), crash()]).0, Err(crash()));
        let failed = Fault::Failed("it returned an error".into());
        assert_eq!(answer(2, std::slice::from_ref(&failed)), (Err(failed), 1));
    }

    #[test]
    fn fails_quickly_without_a_slot() {
        let (result, asked) = answer(0, &[]);
        assert_eq!(result.unwrap_err().code(), FaultCode::AiUnavailable);
        assert_eq!(asked, 0);
    }

    #[test]
    fn does_not_serve_local_only_clients() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        LocalSet::new().block_on(&runtime, async {
            let (pool, asked) = (pool(), Arc::new(AtomicUsize::new(0)));
            let slot = Scripted {
                faults: Rc::default(),
                asked: Arc::clone(&asked),
            };
            spawn_local(pool.serve("node".into(), slot));
            let context = RequestContext {
                local_only: true,
                ..RequestContext::default()
            };
            let fault = ask(&pool, context).await.unwrap_err();
            assert_eq!(fault.code(), FaultCode::AiUnavailable);
            assert_eq!(asked.load(Ordering::Relaxed), 0);
        });
    }
}
