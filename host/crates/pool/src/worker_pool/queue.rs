//! The bounded queue of one AI, fair between clients.
//!
//! Each client (a client with a key, or the address of one without) has a queue of its own, and
//! these take turns. Jobs that play go before those that analyse, and a job that a worker returned
//! goes before others of its rank. Which consumer takes which job is up to the [`policy`].

mod policy;

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

pub(super) use self::policy::{Consumer, Queued, Rank};
use self::policy::{ConsumerId, IdleConsumers};
use crate::client_identity::ClientIdentity;

/// The most jobs that play in a row while one that analyses waits.
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

/// The place of a job among those of its client, unique in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ticket {
    rank: Rank,
    number: u64,
}

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

    /// Returns a job to the head of the queue, after a worker could not run it.
    pub(super) fn give_back(&self, ticket: Ticket, job: T) {
        let mut jobs = self.jobs();
        jobs.given_back.push_back((ticket, job));
        jobs.wake();
    }

    /// Removes a job, if it is still queued.
    pub(super) fn leave(&self, client: &ClientIdentity, ticket: Ticket) -> Option<T> {
        let mut jobs = self.jobs();
        let left = jobs.leave(client, ticket);
        jobs.wake();
        self.notify_if_finished(&jobs);
        left
    }

    /// Waits for the next job that this consumer may take; `None` once the queue is closed and has
    /// none. Dropping the future loses no job.
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

    /// Waits until a job finds no idle consumer, and none on its way. Then the caller is on its
    /// way. Dropping the future changes nothing.
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

    /// Counts a reserve no longer as on its way.
    pub(super) fn remove_called_reserve(&self) {
        self.jobs().called_reserves -= 1;
    }

    /// Waits until a job that plays finds no idle consumer, and no worker that yields. Then the
    /// caller yields. Dropping the future changes nothing.
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

    /// Counts a worker no longer as one that yields.
    pub(super) fn remove_yielding_worker(&self) {
        let mut jobs = self.jobs();
        jobs.yielding_workers -= 1;
        jobs.wake();
    }

    /// Counts a worker as idle before it waits for the next job, so that slots of other machines
    /// leave jobs to it.
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
            // From here on, it resolves at `notify_waiters`.
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

    /// Returns the least value of any job.
    pub(super) fn least<K: Ord>(&self, key: impl Fn(&T) -> K) -> Option<K> {
        let jobs = self.jobs();
        let all = jobs
            .given_back
            .iter()
            .chain(jobs.by_client.values().flatten());
        all.map(|(_, job)| key(job)).min()
    }

    /// Returns the number of jobs that would start before a further one of this client.
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

/// A consumer that waits for a job, until this is dropped.
struct WaitingConsumer<'a, T: Queued> {
    queue: &'a Queue<T>,
    id: ConsumerId,
}

impl<T: Queued> Drop for WaitingConsumer<'_, T> {
    fn drop(&mut self) {
        let mut jobs = self.queue.jobs();
        jobs.idle.remove(self.id);
        // It may have been woken for a job that it does not take, or for the first of several.
        jobs.wake();
    }
}

type TicketedJobs<T> = VecDeque<(Ticket, T)>;

#[derive(Debug)]
struct QueuedJobs<T> {
    capacity: usize,
    given_back: TicketedJobs<T>,
    /// By client, in the order of the tickets; none is empty, and each has a turn.
    by_client: HashMap<ClientIdentity, TicketedJobs<T>>,
    turns: VecDeque<ClientIdentity>,
    /// The jobs that play that were taken since one that analyses could not be.
    plays_in_a_row: usize,
    idle: IdleConsumers,
    reserve: Arc<Notify>,
    /// The reserves that were called and do not wait for a job yet.
    called_reserves: usize,
    yielding: Arc<Notify>,
    /// The workers that stop an analysis for a job that plays, and do not wait for it yet.
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

    /// Removes the newest job of the client with the most, an analysis if there is one, unless the
    /// new client would then have as many.
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

    /// Returns the jobs that may be taken, the next one first.
    fn heads(&self) -> impl Iterator<Item = &(Ticket, T)> {
        let [first, second] = if self.plays_in_a_row < MOST_PLAYS_IN_A_ROW {
            [Rank::Play, Rank::Analysis]
        } else {
            [Rank::Analysis, Rank::Play]
        };
        self.heads_of(first).chain(self.heads_of(second))
    }

    /// Returns those of a rank: the ones given back, and the first one of each client.
    fn heads_of(&self, rank: Rank) -> impl Iterator<Item = &(Ticket, T)> {
        let lines = self.turns.iter().filter_map(|of| self.by_client.get(of));
        let firsts = lines.filter_map(move |jobs| {
            let place = jobs.partition_point(|(ticket, _)| ticket.rank < rank);
            jobs.get(place)
        });
        let heads = self.given_back.iter().chain(firsts);
        heads.filter(move |(ticket, _)| ticket.rank == rank)
    }

    /// Takes the first job that may be taken. Others keep their turns.
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

    /// Wakes a consumer that may take a job, or a reserve and a worker that yields.
    fn wake(&self) {
        self.idle.wake_for(self.heads().map(|(_, job)| job));
        if self.needs_reserve() {
            self.reserve.notify_one();
        }
        if self.needs_yield() {
            self.yielding.notify_one();
        }
    }

    /// Returns whether more jobs play than idle workers and those that yield will take.
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
mod tests {
    use std::time::Duration;

    use ai_api::Move;
    use protocol::{Job, SearchParams, Task};

    use super::*;

    fn client(name: &str) -> ClientIdentity {
        ClientIdentity::Keyed(name.into())
    }

    const WORKER: Consumer = Consumer::Worker { last: None };

    /// A job of a client, with a number; 3 is for this machine alone, those from 1000 analyse, and
    /// the number is how many moves its game has.
    #[derive(Debug, PartialEq)]
    struct Numbered(ClientIdentity, u32);

    impl Queued for Numbered {
        fn client(&self) -> &ClientIdentity {
            &self.0
        }

        fn rank(&self) -> Rank {
            if self.1 < 1000 {
                Rank::Play
            } else {
                Rank::Analysis
            }
        }

        fn moves_since(&self, last: &Job) -> Option<usize> {
            (self.1 as usize).checked_sub(last.moves.len())
        }

        fn is_local_only(&self) -> bool {
            self.1 == 3
        }
    }

    fn numbered(name: &str, number: u32) -> Numbered {
        Numbered(client(name), number)
    }

    impl Queue<Numbered> {
        fn add(&self, name: &str, number: u32) -> Result<Entered<Numbered>, Rejection> {
            self.enter(numbered(name, number))
        }

        async fn next_number(&self, consumer: Consumer) -> Option<u32> {
            let (_, Numbered(_, number)) = self.next(consumer).await?;
            Some(number)
        }

        fn numbers(&self) -> Vec<u32> {
            self.drain()
                .iter()
                .map(|Numbered(_, number)| *number)
                .collect()
        }
    }

    fn queue(capacity: usize, entries: &[(&str, u32)]) -> Queue<Numbered> {
        let queue = Queue::new(capacity);
        for &(name, number) in entries {
            assert!(queue.add(name, number).unwrap().evicted.is_none());
        }
        queue
    }

    #[test]
    fn serves_clients_in_turn_and_each_in_order() {
        let flood: Vec<_> = (0..60).map(|number| ("flood", number)).collect();
        let queue = queue(100, &flood);
        for item in [100, 101] {
            queue.add("late", item).unwrap();
        }
        queue.add("later", 200).unwrap();
        let order = queue.numbers();
        assert_eq!(order[..7], [0, 100, 200, 1, 101, 2, 3]);
        assert_eq!(order.len(), 63);
        assert!(order[5..].is_sorted());
    }

    #[test]
    fn plays_first_and_lets_analyses_pass_in_between() {
        let analyses = [("a", 1000), ("a", 1001), ("b", 1002)];
        let late = queue(99, &analyses);
        late.add("a", 1).unwrap();
        late.add("c", 2).unwrap();
        assert_eq!(late.numbers(), [1, 2, 1002, 1000, 1001]);
        let many = queue(99, &analyses);
        for number in 0..20 {
            many.add("a", number).unwrap();
        }
        let order = many.numbers();
        let places = analyses.map(|(_, of)| order.iter().position(|&number| number == of));
        assert_eq!(places, [Some(17), Some(22), Some(8)]);
    }

    #[test]
    fn evicts_an_analysis_of_the_longest_line_first() {
        let queue = queue(3, &[("flood", 0), ("flood", 1000), ("flood", 1)]);
        let evicted = queue.add("late", 2).unwrap().evicted;
        assert_eq!(evicted, Some(numbered("flood", 1000)));
        assert_eq!(queue.numbers(), [0, 2, 1]);
    }

    #[test]
    fn evicts_from_the_longest_line_only() {
        let queue = queue(
            4,
            &[("flood", 0), ("flood", 1), ("flood", 2), ("other", 10)],
        );
        assert_eq!(queue.add("flood", 3).unwrap_err(), Rejection::Full);
        assert_eq!(
            queue.add("late", 20).unwrap().evicted,
            Some(numbered("flood", 2))
        );
        // Two, one and one: no client has more places than the new one would have.
        assert_eq!(queue.add("late", 21).unwrap_err(), Rejection::Full);
        assert_eq!(
            queue.add("last", 30).unwrap().evicted,
            Some(numbered("flood", 1))
        );
        assert_eq!(queue.add("too late", 40).unwrap_err(), Rejection::Full);
        assert_eq!(queue.numbers(), [0, 10, 20, 30]);
    }

    #[test]
    fn frees_the_place_of_a_job_that_leaves() {
        let queue = Queue::new(2);
        let first = queue.add("a", 1).unwrap().ticket;
        queue.add("b", 2).unwrap();
        assert_eq!(queue.leave(&client("a"), first), Some(numbered("a", 1)));
        assert_eq!(queue.leave(&client("a"), first), None);
        assert_eq!(queue.waiting(), 1);
        queue.add("a", 3).unwrap();
        assert_eq!(queue.numbers(), [2, 3]);
    }

    #[tokio::test]
    async fn returns_a_given_back_job_first() {
        let queue = queue(2, &[("a", 1), ("b", 2)]);
        let (ticket, first) = queue.next(WORKER).await.unwrap();
        queue.give_back(ticket, first);
        assert_eq!(queue.waiting(), 2);
        let (ticket, again) = queue.next(WORKER).await.unwrap();
        assert_eq!(again, numbered("a", 1));
        queue.give_back(ticket, again);
        assert_eq!(queue.leave(&client("a"), ticket), Some(numbered("a", 1)));
        assert_eq!(queue.numbers(), [2]);
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
        assert_eq!(queue.add("a", 2).unwrap_err(), Rejection::Closed);
        assert!(!finished.is_finished());
        assert_eq!(queue.next_number(WORKER).await, Some(1));
        assert_eq!(queue.next(WORKER).await, None);
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
            .map(|served| {
                let queue = Arc::clone(&queue);
                let served = served.map(client);
                let next = async move {
                    queue
                        .next_number(Consumer::IsolatedWorker { served, last: None })
                        .await
                };
                Some(tokio::spawn(next))
            })
            .collect();
        tokio::task::yield_now().await;
        for (name, item, expected) in [("b", 1, 1), ("c", 2, 2), ("d", 3, 0)] {
            queue.add(name, item).unwrap();
            let taken =
                tokio::time::timeout(Duration::from_secs(10), workers[expected].take().unwrap());
            assert_eq!(taken.await.unwrap().unwrap(), Some(item), "{name}");
        }
    }

    #[tokio::test]
    async fn leaves_jobs_to_idle_workers_before_remote_slots() {
        let queue = Arc::new(Queue::new(9));
        let spawn_worker = |queue: &Arc<Queue<Numbered>>| {
            let queue = Arc::clone(queue);
            tokio::spawn(async move { queue.next_number(WORKER).await })
        };
        let remote = tokio::spawn({
            let queue = Arc::clone(&queue);
            async move { queue.next_number(Consumer::RemoteSlot).await }
        });
        let worker = spawn_worker(&queue);
        tokio::task::yield_now().await;
        queue.add("a", 1).unwrap();
        assert_eq!(worker.await.unwrap(), Some(1));
        assert!(!remote.is_finished());
        // No worker is idle, but the slot does not accept the first job.
        queue.add("a", 3).unwrap();
        queue.add("b", 4).unwrap();
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
                tokio::spawn(async move { queue.next_number(WORKER).await })
            })
            .collect();
        tokio::task::yield_now().await;
        queue.add("a", 1).unwrap();
        queue.add("a", 2).unwrap();
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

    #[tokio::test]
    async fn calls_a_reserve_for_each_job_that_finds_no_consumer() {
        let queue = Arc::new(Queue::new(9));
        let reserves: Vec<_> = (0..3)
            .map(|_| {
                let queue = Arc::clone(&queue);
                tokio::spawn(async move { queue.reserve_needed().await })
            })
            .collect();
        let called = async || {
            for _ in 0..9 {
                tokio::task::yield_now().await;
            }
            reserves
                .iter()
                .filter(|reserve| reserve.is_finished())
                .count()
        };
        let worker = tokio::spawn({
            let queue = Arc::clone(&queue);
            async move { queue.next_number(WORKER).await }
        });
        assert_eq!(called().await, 0);
        queue.add("a", 1).unwrap();
        assert_eq!(called().await, 0, "the worker takes it");
        assert_eq!(worker.await.unwrap(), Some(1));
        queue.add_finishing_worker();
        queue.add("a", 2).unwrap();
        assert_eq!(called().await, 0, "a worker is about to take it");
        queue.remove_finishing_worker();
        assert_eq!(called().await, 1);
        queue.add("b", 4).unwrap();
        assert_eq!(called().await, 2);
        // Both are on their way.
        let ticket = queue.add("b", 5).unwrap().ticket;
        queue.leave(&client("b"), ticket);
        assert_eq!(called().await, 2);
        queue.remove_called_reserve();
        assert_eq!(queue.next_number(WORKER).await, Some(2));
        assert_eq!(called().await, 2);
        queue.add("c", 6).unwrap();
        assert_eq!(called().await, 3);
    }

    #[tokio::test]
    async fn leaves_a_job_to_the_worker_that_knows_most_of_its_game() {
        let queue = Arc::new(Queue::new(9));
        let waiting = |moves: usize| {
            let queue = Arc::clone(&queue);
            let last = Some(Arc::new(Job {
                fresh: false,
                fen: String::new(),
                moves: vec![Move::from_bits(0); moves],
                task: Task::Evaluate,
                params: SearchParams::default(),
                options: Vec::new(),
            }));
            let consumer = Consumer::Worker { last };
            tokio::spawn(async move { queue.next_number(consumer).await })
        };
        let workers = [9, 0, 20, 30].map(waiting);
        tokio::task::yield_now().await;
        for number in [20, 25, 19, 18] {
            queue.add("a", number).unwrap();
            // A worker waits for longer than it takes the others to wait.
            for _ in 0..9 {
                tokio::task::yield_now().await;
            }
        }
        let mut taken = Vec::new();
        for worker in workers {
            taken.push(worker.await.unwrap());
        }
        assert_eq!(taken, [Some(25), Some(19), Some(20), Some(18)]);
    }

    #[tokio::test]
    async fn one_analysis_yields_for_each_play_that_finds_no_worker() {
        let queue = Arc::new(Queue::new(9));
        let analyses: Vec<_> = (0..3)
            .map(|_| {
                let queue = Arc::clone(&queue);
                tokio::spawn(async move { queue.yield_needed().await })
            })
            .collect();
        let yielded = async || {
            for _ in 0..9 {
                tokio::task::yield_now().await;
            }
            analyses.iter().filter(|it| it.is_finished()).count()
        };
        queue.add("a", 1000).unwrap();
        assert_eq!(yielded().await, 0, "an analysis waits");
        queue.add_finishing_worker();
        queue.add("a", 1).unwrap();
        assert_eq!(yielded().await, 0, "a worker is about to take it");
        queue.remove_finishing_worker();
        assert_eq!(yielded().await, 1);
        queue.add("b", 2).unwrap();
        assert_eq!(yielded().await, 2);
        for number in [1, 2] {
            assert_eq!(queue.next_number(WORKER).await, Some(number));
            queue.remove_yielding_worker();
        }
        assert_eq!(queue.next_number(WORKER).await, Some(1000));
        let remote = tokio::spawn({
            let queue = Arc::clone(&queue);
            async move { queue.next_number(Consumer::RemoteSlot).await }
        });
        assert_eq!(yielded().await, 2);
        queue.add("b", 4).unwrap();
        assert_eq!(yielded().await, 2, "a node takes it");
        assert_eq!(remote.await.unwrap(), Some(4));
    }

    #[tokio::test]
    async fn wakes_another_worker_if_the_first_stops_waiting() {
        let queue = Arc::new(Queue::new(9));
        let [first, second, third] = [(); 3].map(|()| {
            let queue = Arc::clone(&queue);
            tokio::spawn(async move { queue.next_number(WORKER).await })
        });
        tokio::task::yield_now().await;
        queue.add("a", 1).unwrap();
        queue.add("a", 2).unwrap();
        first.abort();
        for (worker, number) in [(second, 1), (third, 2)] {
            let taken = tokio::time::timeout(Duration::from_secs(10), worker).await;
            assert_eq!(taken.unwrap().unwrap(), Some(number));
        }
    }
}
