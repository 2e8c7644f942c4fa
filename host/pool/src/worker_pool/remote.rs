//! A slot of another machine that takes jobs of a pool.

use std::future::pending;

use tokio::time::{Instant, sleep_until};
use tracing::Instrument;

use super::{
    queue::Ticket,
    queued_job::QueuedJob,
    shared::{ReturnedJob, Shared},
};
use crate::{fault::Fault, slot::RemoteSlot};
use protocol::{RequestId, Response};

/// The next step of a slot.
enum Next {
    Run(Ticket, Box<QueuedJob>),
    Wait,
    End,
}

/// Runs jobs of the pool in a slot, until the node is gone or the pool is closed and empty.
pub(super) async fn serve(shared: &Shared, node: &str, mut slot: impl RemoteSlot) {
    let mut returned = None;
    {
        let added = shared.remote.add(node);
        loop {
            match next(shared, &mut slot, &mut returned).await {
                Next::Run(ticket, job) => {
                    let _busy = added.busy();
                    let gone = slot.gone();
                    let run = run_in_span(shared, node, &mut slot, ticket, job);
                    tokio::pin!(run);
                    returned = tokio::select! {
                        biased;
                        returned = &mut run => returned,
                        () = gone => {
                            added.close();
                            run.await
                        }
                    };
                }
                Next::Wait => {}
                Next::End => break,
            }
        }
    }
    if let Some(returned) = &returned {
        shared.expire(returned).await;
    }
}

async fn next(shared: &Shared, slot: &mut impl RemoteSlot, returned: &mut Option<ReturnedJob>) -> Next {
    let expired = async {
        match returned {
            Some(returned) => shared.expire(returned).await,
            None => pending().await,
        }
    };
    let take = async {
        while let Some(open_for) = shared.open_for(Instant::now()) {
            sleep_until(Instant::now() + open_for).await;
        }
        if !slot.free().await {
            return Next::End;
        }
        tokio::select! {
            biased;
            () = slot.taken() => Next::Wait,
            next = shared.queue.next_for_remote(|job| !job.context.local_only) => next.map_or(Next::End, |(ticket, job)| Next::Run(ticket, job)),
        }
    };
    tokio::select! {
        biased;
        () = expired => {
            *returned = None;
            Next::Wait
        }
        () = shared.queue.finished() => Next::End,
        next = take => next,
    }
}

/// Runs a job in a span with the request, the AI and the node.
async fn run_in_span(
    shared: &Shared,
    node: &str,
    slot: &mut impl RemoteSlot,
    ticket: Ticket,
    job: Box<QueuedJob>,
) -> Option<ReturnedJob> {
    let request_id = job.request_id.clone();
    let span = tracing::info_span!(
        "job",
        ai = %shared.settings.id,
        node,
        request_id = request_id.as_ref().map(RequestId::as_str)
    );
    RequestId::scope(request_id, run(shared, slot, ticket, job)).instrument(span).await
}

async fn run(
    shared: &Shared,
    slot: &mut impl RemoteSlot,
    ticket: Ticket,
    mut job: Box<QueuedJob>,
) -> Option<ReturnedJob> {
    let now = Instant::now();
    if let Some(rejection) = shared.rejection_at_head(&mut job, now) {
        job.finish(Err(rejection));
        return None;
    }
    let started_before = job.finish_by;
    let time_allowed = shared.begin_attempt(&mut job, now);
    let result = job.run(slot, time_allowed).await;
    let time = now.elapsed();
    if job.reply.is_closed() {
        return None;
    }
    if matches!(result, Err(Fault::Declined)) {
        // As if it had not been asked.
        job.attempts -= 1;
        job.finish_by = started_before;
        let finish_by = started_before.unwrap_or(job.start_by);
        return Some(shared.give_back(ticket, job, finish_by));
    }
    record(shared, &job, now, result.as_ref());
    match result {
        Err(fault) if fault.kills_worker() || matches!(fault, Fault::Lost { .. }) => {
            tracing::warn!(code = %fault.code(), fault = %fault.in_full(), "a job failed on a node");
            shared.retry_or_fail(ticket, job, fault, time)
        }
        result => {
            job.finish(result);
            None
        }
    }
}

fn record(shared: &Shared, job: &QueuedJob, began: Instant, result: Result<&Response, &Fault>) {
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
