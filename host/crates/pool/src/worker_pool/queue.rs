//! The bounded queue of one AI, fair between clients.
//!
//! Each client (a client with a key, or the address of one without) has a queue of its own, and
//! these take turns. A job that a worker returned goes first.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

use super::tenancy::{IdleWorkers, fits_best};
use crate::client_identity::ClientIdentity;

#[derive(Debug)]
pub(super) struct Queue<T> {
    inner: Mutex<Inner<T>>,
    arrived: Notify,
    finished: Notify,
}

/// The number of a queued job, unique in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ticket(u64);

/// A place in the queue.
#[derive(Debug)]
pub(super) struct Entered<T> {
    pub(super) ticket: Ticket,
    /// The job that it displaced: the newest one of the client with the most.
    pub(super) evicted: Option<T>,
}

/// Why a job is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rejection {
    /// The queue is full, and no client has more places than this one.
    Full,
    Closed,
}

impl<T> Queue<T> {
    pub(super) fn new(capacity: usize) -> Self {
        let inner = Inner {
            capacity,
            given_back: VecDeque::new(),
            by_client: HashMap::new(),
            turns: VecDeque::new(),
            idle: IdleWorkers::new(),
            idle_workers: 0,
            idle_remotes: Vec::new(),
            waiting: 0,
            next_ticket: 0,
            closed: false,
        };
        Self {
            inner: Mutex::new(inner),
            arrived: Notify::new(),
            finished: Notify::new(),
        }
    }

    pub(super) fn enter(&self, client: &ClientIdentity, item: T) -> Result<Entered<T>, Rejection> {
        let entered = self.inner().enter(client, item)?;
        self.notify_arrival();
        Ok(entered)
    }

    /// Returns a job to the head of the queue, after a worker could not run it.
    pub(super) fn give_back(&self, ticket: Ticket, item: T) {
        self.inner().given_back.push_back((ticket, item));
        self.notify_arrival();
    }

    /// Removes a job, if it is still queued.
    pub(super) fn leave(&self, client: &ClientIdentity, ticket: Ticket) -> Option<T> {
        let left = self.inner().leave(client, ticket);
        self.notify_if_finished();
        left
    }

    /// Waits for the next job; `None` once the queue is closed and empty. Dropping the future loses
    /// no job.
    pub(super) async fn next(&self) -> Option<(Ticket, T)> {
        self.add_idle_worker();
        let _idle = IdleWorker(self);
        self.next_by(Inner::take).await
    }

    /// Counts a worker as idle before it waits for the next job, so that slots of other machines
    /// leave jobs to it.
    pub(super) fn add_idle_worker(&self) {
        self.inner().idle_workers += 1;
    }

    pub(super) fn remove_idle_worker(&self) {
        self.inner().idle_workers -= 1;
        self.wake_remote();
    }

    /// Wakes a slot of another machine if it can take a job that is left. Any one, so that several
    /// servers seldom ask the same node.
    fn wake_remote(&self) {
        let inner = self.inner();
        if inner.has_jobs() && inner.is_left_to_remotes() && !inner.idle_remotes.is_empty() {
            inner.idle_remotes[fastrand::usize(..inner.idle_remotes.len())].notify_one();
        }
    }

    /// As [`next`](Self::next), for a slot of another machine. Leaves jobs to idle workers of this
    /// one.
    pub(super) async fn next_for_remote(
        &self,
        accepts: impl Fn(&T) -> bool,
    ) -> Option<(Ticket, T)> {
        let idle = IdleRemote {
            queue: self,
            woken: Arc::default(),
        };
        self.inner().idle_remotes.push(Arc::clone(&idle.woken));
        loop {
            let (taken, closed) = {
                let mut inner = self.inner();
                let taken = if inner.is_left_to_remotes() {
                    inner.take_first(&accepts)
                } else {
                    None
                };
                (taken, inner.closed)
            };
            if taken.is_some() || closed {
                self.notify_if_finished();
                return taken;
            }
            idle.woken.notified().await;
        }
    }

    /// As [`next`](Self::next), for a worker of an isolated AI, whose process has served this
    /// client or none. Leaves a job to another idle worker that fits it better.
    pub(super) async fn next_for(
        &self,
        worker: usize,
        served: Option<ClientIdentity>,
    ) -> Option<(Ticket, T)> {
        self.inner().idle.insert(worker, served);
        let _idle = Idle {
            queue: self,
            worker,
        };
        self.next_by(|inner| {
            if inner.next_is_for(worker) {
                inner.take()
            } else {
                None
            }
        })
        .await
    }

    async fn next_by(
        &self,
        take: impl Fn(&mut Inner<T>) -> Option<(Ticket, T)>,
    ) -> Option<(Ticket, T)> {
        loop {
            let arrived = self.arrived.notified();
            tokio::pin!(arrived);
            arrived.as_mut().enable();
            let (taken, closed) = {
                let mut inner = self.inner();
                (take(&mut inner), inner.closed)
            };
            if taken.is_some() || closed {
                self.notify_if_finished();
                return taken;
            }
            arrived.await;
        }
    }

    pub(super) fn drain(&self) -> Vec<T> {
        let mut inner = self.inner();
        let all = std::iter::from_fn(|| inner.take().map(|(_, item)| item)).collect();
        drop(inner);
        self.notify_if_finished();
        all
    }

    /// Closes the queue to further jobs.
    pub(super) fn close(&self) {
        self.inner().closed = true;
        self.arrived.notify_waiters();
        self.inner()
            .idle_remotes
            .iter()
            .for_each(|remote| remote.notify_one());
        self.notify_if_finished();
    }

    /// Resolves once the queue is closed and empty.
    pub(super) async fn finished(&self) {
        loop {
            // From here on, it resolves at `notify_waiters`.
            let finished = self.finished.notified();
            if self.inner().is_finished() {
                return;
            }
            finished.await;
        }
    }

    pub(super) fn waiting(&self) -> usize {
        let inner = self.inner();
        inner.waiting + inner.given_back.len()
    }

    /// Returns the least value of any job.
    pub(super) fn least<K: Ord>(&self, key: impl Fn(&T) -> K) -> Option<K> {
        let inner = self.inner();
        let jobs = inner
            .given_back
            .iter()
            .chain(inner.by_client.values().flatten());
        jobs.map(|(_, job)| key(job)).min()
    }

    /// Returns the number of jobs that would start before a further one of this client.
    pub(super) fn ahead_of(&self, client: &ClientIdentity) -> usize {
        self.inner().ahead_of(client)
    }

    fn notify_arrival(&self) {
        let is_for_any_worker = self.inner().idle.is_empty();
        if is_for_any_worker {
            self.arrived.notify_one();
        } else {
            self.arrived.notify_waiters();
        }
        self.wake_remote();
    }

    fn notify_if_finished(&self) {
        if self.inner().is_finished() {
            self.finished.notify_waiters();
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner<T>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An idle worker of an isolated AI, until this is dropped.
struct Idle<'a, T> {
    queue: &'a Queue<T>,
    worker: usize,
}

impl<T> Drop for Idle<'_, T> {
    fn drop(&mut self) {
        self.queue.inner().idle.remove(&self.worker);
        // A queued job may fit another worker now.
        self.queue.arrived.notify_waiters();
        self.queue.wake_remote();
    }
}

/// A counted idle worker of an AI that is not isolated, until this is dropped.
struct IdleWorker<'a, T>(&'a Queue<T>);

impl<T> Drop for IdleWorker<'_, T> {
    fn drop(&mut self) {
        self.0.remove_idle_worker();
    }
}

/// An idle slot of another machine, until this is dropped.
struct IdleRemote<'a, T> {
    queue: &'a Queue<T>,
    woken: Arc<Notify>,
}

impl<T> Drop for IdleRemote<'_, T> {
    fn drop(&mut self) {
        self.queue
            .inner()
            .idle_remotes
            .retain(|remote| !Arc::ptr_eq(remote, &self.woken));
        // It may have been woken for a job that it does not take, or for the first of several.
        self.queue.wake_remote();
    }
}

type Jobs<T> = VecDeque<(Ticket, T)>;

#[derive(Debug)]
struct Inner<T> {
    capacity: usize,
    given_back: Jobs<T>,
    /// By client; none is empty, and each has a turn.
    by_client: HashMap<ClientIdentity, Jobs<T>>,
    turns: VecDeque<ClientIdentity>,
    /// The idle workers of an isolated AI.
    idle: IdleWorkers,
    /// The number of idle workers of other AIs.
    idle_workers: usize,
    /// The idle slots of other machines.
    idle_remotes: Vec<Arc<Notify>>,
    /// The number of jobs in `by_client`.
    waiting: usize,
    next_ticket: u64,
    closed: bool,
}

impl<T> Inner<T> {
    fn enter(&mut self, client: &ClientIdentity, item: T) -> Result<Entered<T>, Rejection> {
        if self.closed {
            return Err(Rejection::Closed);
        }
        let evicted = if self.waiting < self.capacity {
            None
        } else {
            Some(self.make_room(client)?)
        };
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        self.waiting += 1;
        if let Some(jobs) = self.by_client.get_mut(client) {
            jobs.push_back((ticket, item));
        } else {
            self.by_client
                .insert(client.clone(), VecDeque::from([(ticket, item)]));
            self.turns.push_back(client.clone());
        }
        Ok(Entered { ticket, evicted })
    }

    /// Removes the newest job of the client with the most, unless the new client would then have as
    /// many.
    fn make_room(&mut self, client: &ClientIdentity) -> Result<T, Rejection> {
        let own = self.by_client.get(client).map_or(0, VecDeque::len);
        let longest = self.by_client.values_mut().max_by_key(|jobs| jobs.len());
        let longest = longest.filter(|jobs| jobs.len() > own + 1);
        // Its client has others, so the turn stays.
        let (_, newest) = longest
            .and_then(VecDeque::pop_back)
            .ok_or(Rejection::Full)?;
        self.waiting -= 1;
        Ok(newest)
    }

    fn take(&mut self) -> Option<(Ticket, T)> {
        self.take_first(|_| true)
    }

    /// Takes the first job that is accepted. Others keep their turns.
    fn take_first(&mut self, accepts: impl Fn(&T) -> bool) -> Option<(Ticket, T)> {
        if let Some(place) = self.given_back.iter().position(|(_, item)| accepts(item)) {
            return self.given_back.remove(place);
        }
        let is_accepted = |client: &ClientIdentity| {
            let first = self.by_client.get(client).and_then(VecDeque::front);
            first.is_some_and(|(_, item)| accepts(item))
        };
        let turn = self.turns.iter().position(is_accepted)?;
        let client = self.turns.remove(turn)?;
        let jobs = self.by_client.get_mut(&client)?;
        let first = jobs.pop_front()?;
        if jobs.is_empty() {
            self.by_client.remove(&client);
        } else {
            self.turns.push_back(client);
        }
        self.waiting -= 1;
        Some(first)
    }

    /// Returns whether no other idle worker fits the next job better than this one. A returned job
    /// goes to the first worker.
    fn next_is_for(&self, worker: usize) -> bool {
        let client = self.turns.front().filter(|_| self.given_back.is_empty());
        client.is_none_or(|client| fits_best(&self.idle, worker, client))
    }

    fn leave(&mut self, client: &ClientIdentity, ticket: Ticket) -> Option<T> {
        if let Some(place) = self.given_back.iter().position(|(of, _)| *of == ticket) {
            return self.given_back.remove(place).map(|(_, item)| item);
        }
        let jobs = self.by_client.get_mut(client)?;
        let place = jobs.binary_search_by_key(&ticket, |(of, _)| *of).ok()?;
        let (_, item) = jobs.remove(place)?;
        if jobs.is_empty() {
            self.by_client.remove(client);
            self.turns.retain(|of| of != client);
        }
        self.waiting -= 1;
        Some(item)
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
        self.closed && !self.has_jobs()
    }

    /// Returns whether no worker of this machine is idle.
    fn is_left_to_remotes(&self) -> bool {
        self.idle_workers == 0 && self.idle.is_empty()
    }

    fn has_jobs(&self) -> bool {
        self.waiting > 0 || !self.given_back.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn client(name: &str) -> ClientIdentity {
        ClientIdentity::Keyed(name.into())
    }

    fn queue(capacity: usize, entries: &[(&str, u32)]) -> Queue<u32> {
        let queue = Queue::new(capacity);
        for &(name, item) in entries {
            assert!(queue.enter(&client(name), item).unwrap().evicted.is_none());
        }
        queue
    }

    #[test]
    fn serves_clients_in_turn_and_each_in_order() {
        let flood: Vec<_> = (0..60).map(|number| ("flood", number)).collect();
        let queue = queue(100, &flood);
        for item in [100, 101] {
            queue.enter(&client("late"), item).unwrap();
        }
        queue.enter(&client("later"), 200).unwrap();
        let order = queue.drain();
        assert_eq!(order[..7], [0, 100, 200, 1, 101, 2, 3]);
        assert_eq!(order.len(), 63);
        assert!(order[5..].is_sorted());
    }

    #[test]
    fn evicts_from_the_longest_line_only() {
        let queue = queue(
            4,
            &[("flood", 0), ("flood", 1), ("flood", 2), ("other", 10)],
        );
        assert_eq!(
            queue.enter(&client("flood"), 3).unwrap_err(),
            Rejection::Full
        );
        assert_eq!(queue.enter(&client("late"), 20).unwrap().evicted, Some(2));
        // Two, one and one: no client has more places than the new one would have.
        assert_eq!(
            queue.enter(&client("late"), 21).unwrap_err(),
            Rejection::Full
        );
        assert_eq!(queue.enter(&client("last"), 30).unwrap().evicted, Some(1));
        assert_eq!(
            queue.enter(&client("too late"), 40).unwrap_err(),
            Rejection::Full
        );
        assert_eq!(queue.drain(), [0, 10, 20, 30]);
    }

    #[test]
    fn frees_the_place_of_a_job_that_leaves() {
        let queue = Queue::new(2);
        let first = queue.enter(&client("a"), 1).unwrap().ticket;
        queue.enter(&client("b"), 2).unwrap();
        assert_eq!(queue.leave(&client("a"), first), Some(1));
        assert_eq!(queue.leave(&client("a"), first), None);
        assert_eq!(queue.waiting(), 1);
        queue.enter(&client("a"), 3).unwrap();
        assert_eq!(queue.drain(), [2, 3]);
    }

    #[tokio::test]
    async fn returns_a_given_back_job_first() {
        let queue = queue(2, &[("a", 1), ("b", 2)]);
        let (ticket, first) = queue.next().await.unwrap();
        queue.give_back(ticket, first);
        assert_eq!(queue.waiting(), 2);
        let (ticket, again) = queue.next().await.unwrap();
        assert_eq!(again, 1);
        queue.give_back(ticket, again);
        assert_eq!(queue.leave(&client("a"), ticket), Some(1));
        assert_eq!(queue.drain(), [2]);
    }

    #[test]
    fn counts_the_jobs_ahead_by_turns() {
        let queue = queue(9, &[("a", 0), ("a", 1), ("a", 2), ("b", 3)]);
        assert_eq!(queue.ahead_of(&client("new")), 2);
        assert_eq!(queue.ahead_of(&client("b")), 3);
        assert_eq!(queue.ahead_of(&client("a")), 4);
    }

    #[tokio::test]
    async fn finishes_after_close_once_it_is_empty() {
        let queue = Arc::new(queue(9, &[("a", 1)]));
        let finished = tokio::spawn({
            let queue = Arc::clone(&queue);
            async move { queue.finished().await }
        });
        queue.close();
        assert_eq!(queue.enter(&client("a"), 2).unwrap_err(), Rejection::Closed);
        assert!(!finished.is_finished());
        assert_eq!(queue.next().await.map(|(_, item)| item), Some(1));
        assert_eq!(queue.next().await, None);
        tokio::time::timeout(Duration::from_secs(10), finished)
            .await
            .unwrap()
            .unwrap();
    }

    #[tokio::test]
    async fn leaves_a_job_to_the_worker_that_fits_best() {
        let queue = Arc::new(Queue::new(9));
        let mut workers: Vec<_> = [Some("a"), Some("b"), None]
            .into_iter()
            .enumerate()
            .map(|(worker, served)| {
                let queue = Arc::clone(&queue);
                let next = async move {
                    queue
                        .next_for(worker, served.map(client))
                        .await
                        .map(|(_, item)| item)
                };
                Some(tokio::spawn(next))
            })
            .collect();
        tokio::task::yield_now().await;
        for (name, item, expected) in [("b", 1, 1), ("c", 2, 2), ("d", 3, 0)] {
            queue.enter(&client(name), item).unwrap();
            let taken =
                tokio::time::timeout(Duration::from_secs(10), workers[expected].take().unwrap());
            assert_eq!(taken.await.unwrap().unwrap(), Some(item), "{name}");
        }
    }

    #[tokio::test]
    async fn leaves_jobs_to_idle_workers_before_remote_slots() {
        let queue = Arc::new(Queue::new(9));
        let spawn_worker = |queue: &Arc<Queue<u32>>| {
            let queue = Arc::clone(queue);
            tokio::spawn(async move { queue.next().await.map(|(_, item)| item) })
        };
        let remote = tokio::spawn({
            let queue = Arc::clone(&queue);
            async move {
                queue
                    .next_for_remote(|&item| item != 3)
                    .await
                    .map(|(_, item)| item)
            }
        });
        let worker = spawn_worker(&queue);
        tokio::task::yield_now().await;
        queue.enter(&client("a"), 1).unwrap();
        assert_eq!(worker.await.unwrap(), Some(1));
        assert!(!remote.is_finished());
        // No worker is idle, but the slot does not accept the first job.
        queue.enter(&client("a"), 3).unwrap();
        queue.enter(&client("b"), 4).unwrap();
        let taken = tokio::time::timeout(Duration::from_secs(10), remote).await;
        assert_eq!(taken.unwrap().unwrap(), Some(4));
        assert_eq!(spawn_worker(&queue).await.unwrap(), Some(3));
    }

    #[tokio::test]
    async fn wakes_waiting_workers_on_arrival_and_close() {
        let queue = Arc::new(Queue::new(9));
        let workers: Vec<_> = (0..3)
            .map(|_| {
                let queue = Arc::clone(&queue);
                tokio::spawn(async move { queue.next().await.map(|(_, item)| item) })
            })
            .collect();
        tokio::task::yield_now().await;
        queue.enter(&client("a"), 1).unwrap();
        queue.enter(&client("a"), 2).unwrap();
        queue.close();
        let mut taken = Vec::new();
        for worker in workers {
            taken.push(
                tokio::time::timeout(Duration::from_secs(10), worker)
                    .await
                    .unwrap()
                    .unwrap(),
            );
        }
        taken.sort_unstable();
        assert_eq!(taken, [None, Some(1), Some(2)]);
    }
}
