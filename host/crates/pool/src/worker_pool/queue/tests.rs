use std::time::Duration;

use ai_api::Move;
use protocol::{Job, SearchParams, Task};

use super::*;

fn client(name: &str) -> ClientIdentity {
    ClientIdentity::Keyed(name.into())
}

const WORKER: Consumer = Consumer::Worker { last: None };

/// A job of a client. Its number is the number of moves in its game. Job 3 is restricted to this
/// machine, and jobs with numbers from 1000 up analyse.
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
fn serves_clients_in_turn_and_their_jobs_in_order() {
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
fn prefers_jobs_that_play_but_lets_some_analyses_through() {
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
fn evicts_an_analysis_from_the_longest_client_queue_first() {
    let queue = queue(3, &[("flood", 0), ("flood", 1000), ("flood", 1)]);
    let evicted = queue.add("late", 2).unwrap().evicted;
    assert_eq!(evicted, Some(numbered("flood", 1000)));
    assert_eq!(queue.numbers(), [0, 2, 1]);
}

#[test]
fn evicts_only_from_the_longest_client_queue() {
    let queue = queue(
        4,
        &[("flood", 0), ("flood", 1), ("flood", 2), ("other", 10)],
    );
    assert_eq!(queue.add("flood", 3).unwrap_err(), Rejection::Full);
    assert_eq!(
        queue.add("late", 20).unwrap().evicted,
        Some(numbered("flood", 2))
    );
    // The clients hold two, one and one places. The client `late` would hold two, so no client has
    // more.
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
async fn serves_a_returned_job_first() {
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
async fn finishes_after_close_once_empty() {
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
    // No worker is idle, but the first job must run on this machine.
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
async fn calls_a_reserve_for_each_job_without_a_consumer() {
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
    // Both reserves are on their way.
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
        // Gives the other workers time to start waiting before the next job.
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
async fn yields_one_analysis_for_each_play_without_a_worker() {
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
