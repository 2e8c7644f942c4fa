//! The bounded queue of one AI, fair between clients.
//!
//! Each client (a key, or an address if there is no key) has its own queue, and the queues take
//! turns. Jobs that play take priority over jobs that analyse, and a job that a worker returned
//! takes priority over others of the same rank. The [`policy`] decides which consumer takes which
//! job.

mod policy;

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

pub(super) use self::policy::{Consumer, Queued, Rank};
use self::policy::{ConsumerId, IdleConsumers};
use crate::client_identity::ClientIdentity;

/// How many jobs that play may be taken in a row while a job that analyses waits.
const MOST_PLAYS_IN_A_ROW: usize = 8;

#[derive(Debug)]
pub(super) struct Queue<T> {
    jobs: Mutex<QueuedJobs<T>>,
    finished: Notify,
    /// Wakes a reserve.
    reserve: Arc<Notify>,
    /// Wakes a worker that could yield.
    yielding: Arc<Notify>,
}

/// A job's place in its client's queue, unique across the whole queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ticket {
    rank: Rank,
    number: u64,
}

/// A place in the queue.
#[derive(Debug)]
pub(super) struct Entered<T> {
    pub(super) ticket: Ticket,
    /// The job that it displaced: the newest job of the client with the most jobs.
    pub(super) evicted: Option<T>,
}

/// Why a job is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rejection {
    /// The queue is full, and no client has more places than this one.
    Full,
    Closed,
}

impl<T: Queued> Queue<T> {
    pub(super) fn new(capacity: usize) -> Self {
        let [reserve, yielding] = [(); 2].map(|()| Arc::new(Notify::new()));
        let jobs = QueuedJobs {
            capacity,
            reserve: Arc::clone(&reserve),
            called_reserves: 0,
            yielding: Arc::clone(&yielding),
            yielding_workers: 0,
            given_back: VecDeque::new(),
            by_client: HashMap::new(),
            turns: VecDeque::new(),
            plays_in_a_row: 0,
            idle: IdleConsumers::default(),
            waiting: 0,
            next_ticket: 0,
            closed: false,
        };
        Self {
            jobs: Mutex::new(jobs),
            finished: Notify::new(),
            reserve,
            yielding,
        }
    }

    pub(super) fn enter(&self, job: T) -> Result<Entered<T>, Rejection> {
        let mut jobs = self.jobs();
        let entered = jobs.enter(job)?;
        jobs.wake();
        Ok(entered)
    }

    /// Puts a job that a worker could not run back at the head of the queue.
    pub(super) fn give_back(&self, ticket: Ticket, job: T) {
        let mut jobs = self.jobs();
        jobs.given_back.push_back((ticket, job));
        jobs.wake();
    }

    /// Removes a job if it is still queued.
    pub(super) fn leave(&self, client: &ClientIdentity, ticket: Ticket) -> Option<T> {
        let mut jobs = self.jobs();
        let left = jobs.leave(client, ticket);
        jobs.wake();
        self.notify_if_finished(&jobs);
        left
    }

    /// Waits for the next job that this consumer may take; `None` once the queue is closed and
    /// contains no such job. Dropping the future loses no job.
    pub(super) async fn next(&self, consumer: Consumer) -> Option<(Ticket, T)> {
        let wake = Arc::new(Notify::new());
        let waiting = WaitingConsumer {
            queue: self,
            id: self.jobs().idle.add(consumer, Arc::clone(&wake)),
        };
        loop {
            {
                let mut jobs = self.jobs();
                let taken = jobs.take(|idle, job| idle.may_take(waiting.id, job));
                if taken.is_some() || jobs.closed {
                    self.notify_if_finished(&jobs);
                    return taken;
                }
            }
            wake.notified().await;
        }
    }

    /// Waits until a job has neither an idle consumer nor one on its way. The caller then counts as
    /// being on its way. Dropping the future changes nothing.
    pub(super) async fn reserve_needed(&self) {
        loop {
            {
                let mut jobs = self.jobs();
                if jobs.needs_reserve() {
                    jobs.called_reserves += 1;
                    jobs.wake();
                    return;
                }
            }
            self.reserve.notified().await;
        }
    }

    /// Stops counting a reserve as being on its way.
    pub(super) fn remove_called_reserve(&self) {
        self.jobs().called_reserves -= 1;
    }

    /// Waits until a job that plays has neither an idle consumer nor a worker that yields. The
    /// caller then yields. Dropping the future changes nothing.
    pub(super) async fn yield_needed(&self) {
        loop {
            {
                let mut jobs = self.jobs();
                if jobs.needs_yield() {
                    jobs.yielding_workers += 1;
                    jobs.wake();
                    return;
                }
            }
            self.yielding.notified().await;
        }
    }

    /// Stops counting a worker as yielding.
    pub(super) fn remove_yielding_worker(&self) {
        let mut jobs = self.jobs();
        jobs.yielding_workers -= 1;
        jobs.wake();
    }

    /// Counts a worker as idle before it waits for the next job, so that remote slots leave jobs to
    /// it.
    pub(super) fn add_finishing_worker(&self) {
        self.jobs().idle.finishing_workers += 1;
    }

    pub(super) fn remove_finishing_worker(&self) {
        let mut jobs = self.jobs();
        jobs.idle.finishing_workers -= 1;
        jobs.wake();
    }

    pub(super) fn drain(&self) -> Vec<T> {
        let mut jobs = self.jobs();
        let all = std::iter::from_fn(|| jobs.take(|_, _| true).map(|(_, job)| job)).collect();
        self.notify_if_finished(&jobs);
        all
    }

    /// Closes the queue to further jobs.
    pub(super) fn close(&self) {
        let mut jobs = self.jobs();
        jobs.closed = true;
        jobs.idle.wake_all();
        self.notify_if_finished(&jobs);
    }

    /// Resolves once the queue is closed and empty.
    pub(super) async fn finished(&self) {
        loop {
            // From here on, `notify_waiters` resolves `finished`.
            let finished = self.finished.notified();
            if self.jobs().is_finished() {
                return;
            }
            finished.await;
        }
    }

    pub(super) fn waiting(&self) -> usize {
        let jobs = self.jobs();
        jobs.waiting + jobs.given_back.len()
    }

    /// Returns the smallest value of `key` among the jobs.
    pub(super) fn least<K: Ord>(&self, key: impl Fn(&T) -> K) -> Option<K> {
        let jobs = self.jobs();
        let all = jobs
            .given_back
            .iter()
            .chain(jobs.by_client.values().flatten());
        all.map(|(_, job)| key(job)).min()
    }

    /// Returns how many jobs would start before another job of this client.
    pub(super) fn ahead_of(&self, client: &ClientIdentity) -> usize {
        self.jobs().ahead_of(client)
    }

    fn notify_if_finished(&self, jobs: &QueuedJobs<T>) {
        if jobs.is_finished() {
            self.finished.notify_waiters();
        }
    }

    fn jobs(&self) -> MutexGuard<'_, QueuedJobs<T>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A consumer that waits for a job until this is dropped.
struct WaitingConsumer<'a, T: Queued> {
    queue: &'a Queue<T>,
    id: ConsumerId,
}

impl<T: Queued> Drop for WaitingConsumer<'_, T> {
    fn drop(&mut self) {
        let mut jobs = self.queue.jobs();
        jobs.idle.remove(self.id);
        // This consumer may have been woken for a job that it does not take, or for the first of
        // several.
        jobs.wake();
    }
}

type TicketedJobs<T> = VecDeque<(Ticket, T)>;

#[derive(Debug)]
struct QueuedJobs<T> {
    capacity: usize,
    given_back: TicketedJobs<T>,
    /// The jobs of each client, in ticket order. No queue is empty, and each has a turn.
    by_client: HashMap<ClientIdentity, TicketedJobs<T>>,
    turns: VecDeque<ClientIdentity>,
    /// How many jobs that play have been taken while a job that analyses waits.
    plays_in_a_row: usize,
    idle: IdleConsumers,
    reserve: Arc<Notify>,
    /// Reserves that were called and are not waiting for a job yet.
    called_reserves: usize,
    yielding: Arc<Notify>,
    /// Workers that are stopping an analysis for a job that plays, and are not waiting for that job
    /// yet.
    yielding_workers: usize,
    /// The number of jobs in `by_client`.
    waiting: usize,
    next_ticket: u64,
    closed: bool,
}

impl<T: Queued> QueuedJobs<T> {
    fn enter(&mut self, job: T) -> Result<Entered<T>, Rejection> {
        if self.closed {
            return Err(Rejection::Closed);
        }
        let evicted = if self.waiting < self.capacity {
            None
        } else {
            Some(self.make_room(job.client())?)
        };
        let ticket = Ticket {
            rank: job.rank(),
            number: self.next_ticket,
        };
        self.next_ticket += 1;
        self.waiting += 1;
        if let Some(jobs) = self.by_client.get_mut(job.client()) {
            let place = jobs.partition_point(|(of, _)| *of < ticket);
            jobs.insert(place, (ticket, job));
        } else {
            let client = job.client().clone();
            self.turns.push_back(client.clone());
            self.by_client
                .insert(client, VecDeque::from([(ticket, job)]));
        }
        Ok(Entered { ticket, evicted })
    }

    /// Removes the newest job of the client with the most jobs, preferably an analysis, unless the
    /// new client would then have at least as many jobs as that client has now.
    fn make_room(&mut self, client: &ClientIdentity) -> Result<T, Rejection> {
        let own = self.by_client.get(client).map_or(0, VecDeque::len);
        let longest = self.by_client.values_mut().max_by_key(|jobs| jobs.len());
        let longest = longest.filter(|jobs| jobs.len() > own + 1);
        // The client has other jobs, so it keeps its turn.
        let (_, newest) = longest
            .and_then(VecDeque::pop_back)
            .ok_or(Rejection::Full)?;
        self.waiting -= 1;
        Ok(newest)
    }

    /// Returns the jobs that may be taken, the next job first.
    fn heads(&self) -> impl Iterator<Item = &(Ticket, T)> {
        let [first, second] = if self.plays_in_a_row < MOST_PLAYS_IN_A_ROW {
            [Rank::Play, Rank::Analysis]
        } else {
            [Rank::Analysis, Rank::Play]
        };
        self.heads_of(first).chain(self.heads_of(second))
    }

    /// Returns the jobs of a rank that may be next: every returned job, and each client's first.
    fn heads_of(&self, rank: Rank) -> impl Iterator<Item = &(Ticket, T)> {
        let lines = self.turns.iter().filter_map(|of| self.by_client.get(of));
        let firsts = lines.filter_map(move |jobs| {
            let place = jobs.partition_point(|(ticket, _)| ticket.rank < rank);
            jobs.get(place)
        });
        let heads = self.given_back.iter().chain(firsts);
        heads.filter(move |(ticket, _)| ticket.rank == rank)
    }

    /// Takes the first job that may be taken. Jobs passed over keep their turns.
    fn take(&mut self, may_take: impl Fn(&IdleConsumers, &T) -> bool) -> Option<(Ticket, T)> {
        let (ticket, client) = self
            .heads()
            .find(|(_, job)| may_take(&self.idle, job))
            .map(|(ticket, job)| (*ticket, job.client().clone()))?;
        let waiting = self.waiting;
        let job = self.leave(&client, ticket)?;
        if self.waiting < waiting
            && let Some(turn) = self.turns.iter().position(|of| *of == client)
        {
            self.turns.remove(turn);
            self.turns.push_back(client);
        }
        let passes_analysis =
            ticket.rank == Rank::Play && self.heads_of(Rank::Analysis).next().is_some();
        self.plays_in_a_row = if passes_analysis {
            self.plays_in_a_row + 1
        } else {
            0
        };
        Some((ticket, job))
    }

    /// Wakes a consumer that may take a job. If needed, also wakes a reserve and a worker that can
    /// yield.
    fn wake(&self) {
        self.idle.wake_for(self.heads().map(|(_, job)| job));
        if self.needs_reserve() {
            self.reserve.notify_one();
        }
        if self.needs_yield() {
            self.yielding.notify_one();
        }
    }

    /// Returns whether there are more jobs that play than idle and yielding workers will take.
    fn needs_yield(&self) -> bool {
        let coming = self.yielding_workers + self.idle.finishing_workers;
        let mut heads = self.heads_of(Rank::Play);
        self.plays() > coming && !heads.any(|(_, job)| self.idle.can_take(job))
    }

    fn plays(&self) -> usize {
        let of_line =
            |jobs: &TicketedJobs<T>| jobs.partition_point(|(ticket, _)| ticket.rank == Rank::Play);
        let given_back = self.given_back.iter();
        let given_back = given_back.filter(|(ticket, _)| ticket.rank == Rank::Play);
        given_back.count() + self.by_client.values().map(of_line).sum::<usize>()
    }

    fn needs_reserve(&self) -> bool {
        self.waiting + self.given_back.len() > self.called_reserves && !self.idle.has_consumer()
    }

    fn leave(&mut self, client: &ClientIdentity, ticket: Ticket) -> Option<T> {
        if let Some(place) = self.given_back.iter().position(|(of, _)| *of == ticket) {
            return self.given_back.remove(place).map(|(_, job)| job);
        }
        let jobs = self.by_client.get_mut(client)?;
        let place = jobs.binary_search_by_key(&ticket, |(of, _)| *of).ok()?;
        let (_, job) = jobs.remove(place)?;
        if jobs.is_empty() {
            self.by_client.remove(client);
            self.turns.retain(|of| of != client);
        }
        self.waiting -= 1;
        Some(job)
    }

    fn ahead_of(&self, client: &ClientIdentity) -> usize {
        let own = self.by_client.get(client).map_or(0, VecDeque::len);
        let others = self.by_client.iter().filter(|(of, _)| *of != client);
        self.given_back.len()
            + own
            + others
                .map(|(_, jobs)| jobs.len().min(own + 1))
                .sum::<usize>()
    }

    fn is_finished(&self) -> bool {
        self.closed && self.waiting == 0 && self.given_back.is_empty()
    }
}

#[cfg(test)]
mod tests;
