//! The queue of a gateway, as in `host/crates/pool`: requesters take turns, and a job that was given back goes first.

use std::collections::VecDeque;

/// The number of a job.
pub type JobNumber = u32;

#[derive(Debug)]
pub struct FairQueue {
    capacity: usize,
    given_back: VecDeque<JobNumber>,
    lines: Vec<VecDeque<JobNumber>>,
    turns: VecDeque<usize>,
    waiting: usize,
}

impl FairQueue {
    pub fn new(capacity: usize, requesters: usize) -> Self {
        Self {
            capacity,
            given_back: VecDeque::new(),
            lines: vec![VecDeque::new(); requesters],
            turns: VecDeque::new(),
            waiting: 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.waiting == 0 && self.given_back.is_empty()
    }

    /// Returns the job that is rejected, if the queue is full: this one, or the newest of the requester with the most.
    pub fn enter(&mut self, requester: usize, job: JobNumber) -> Option<JobNumber> {
        let mut evicted = None;
        if self.waiting >= self.capacity {
            let own = self.lines[requester].len();
            let longest = self.lines.iter_mut().max_by_key(|line| line.len());
            match longest.filter(|line| line.len() > own + 1).and_then(VecDeque::pop_back) {
                Some(newest) => evicted = Some(newest),
                None => return Some(job),
            }
            self.waiting -= 1;
        }
        if self.lines[requester].is_empty() {
            self.turns.push_back(requester);
        }
        self.lines[requester].push_back(job);
        self.waiting += 1;
        evicted
    }

    pub fn give_back(&mut self, job: JobNumber) {
        self.given_back.push_back(job);
    }

    pub fn take(&mut self) -> Option<JobNumber> {
        if let Some(job) = self.given_back.pop_front() {
            return Some(job);
        }
        let requester = self.turns.pop_front()?;
        let job = self.lines[requester].pop_front()?;
        if !self.lines[requester].is_empty() {
            self.turns.push_back(requester);
        }
        self.waiting -= 1;
        Some(job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requesters_take_turns_after_jobs_that_were_given_back() {
        let mut queue = FairQueue::new(8, 2);
        for (requester, job) in [(0, 1), (0, 2), (0, 3), (1, 4)] {
            assert_eq!(queue.enter(requester, job), None);
        }
        queue.give_back(9);
        let order: Vec<_> = std::iter::from_fn(|| queue.take()).collect();
        assert_eq!(order, [9, 1, 4, 2, 3]);
        assert!(queue.is_empty());
    }

    #[test]
    fn a_full_queue_rejects_the_newest_job_of_the_requester_with_the_most() {
        let mut queue = FairQueue::new(3, 2);
        for job in [1, 2, 3] {
            assert_eq!(queue.enter(0, job), None);
        }
        assert_eq!(queue.enter(1, 4), Some(3));
        assert_eq!(queue.enter(0, 5), Some(5));
        let order: Vec<_> = std::iter::from_fn(|| queue.take()).collect();
        assert_eq!(order, [1, 4, 2]);
    }
}
