//! The states of a worker, and the only place that changes them.

use std::{
    ops::Range,
    sync::atomic::{AtomicU8, Ordering},
};

use strum::{Display, IntoStaticStr, VariantArray};

/// The state of an AI or a worker, from worst to best, named as in replies and metrics.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, VariantArray, IntoStaticStr, Display,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
#[repr(u8)]
pub enum WorkerState {
    /// Starts when requests wait.
    Reserve,
    /// The circuit is open.
    Quarantined,
    /// Lost or failed to start; it restarts after a delay.
    Failed,
    /// Finishes its job, then stops.
    Draining,
    Starting,
    /// Runs a job.
    Busy,
    /// Idle, with an instance.
    Ready,
}

impl WorkerState {
    /// Returns the state after an event; `None` if the event is impossible in this state.
    const fn after(self, event: WorkerEvent) -> Option<Self> {
        match (self, event) {
            // A draining worker keeps draining.
            (Self::Draining, _) | (_, WorkerEvent::Closed) => Some(Self::Draining),
            (Self::Starting, WorkerEvent::Started) | (Self::Busy, WorkerEvent::JobFinished) => {
                Some(Self::Ready)
            }
            (Self::Ready, WorkerEvent::JobStarted) => Some(Self::Busy),
            (Self::Starting | Self::Ready | Self::Busy, WorkerEvent::Lost) => Some(Self::Failed),
            (Self::Failed, WorkerEvent::CircuitOpened) => Some(Self::Quarantined),
            (Self::Reserve, WorkerEvent::Needed)
            | (Self::Ready, WorkerEvent::Replaced)
            | (Self::Failed | Self::Quarantined, WorkerEvent::Retried) => Some(Self::Starting),
            _ => None,
        }
    }
}

/// An event of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(test, derive(VariantArray))]
pub(super) enum WorkerEvent {
    /// A request waits, and no worker is free.
    Needed,
    /// Its process has created the instance.
    Started,
    JobStarted,
    /// It has a result, or a fault that its process survived.
    JobFinished,
    /// Its process has served another client and is being replaced.
    Replaced,
    /// Its process exited or did not start.
    Lost,
    /// Its AI's circuit has opened.
    CircuitOpened,
    /// The delay after a loss is over.
    Retried,
    /// Its AI was dropped.
    Closed,
}

#[derive(Debug, Default)]
pub(super) struct States(Vec<AtomicU8>);

impl States {
    /// Creates the states of this many workers, some of them reserves, before any has started.
    pub(super) fn new(workers: usize, reserves: &Range<usize>) -> Self {
        let state = |number| {
            if reserves.contains(&number) {
                WorkerState::Reserve
            } else {
                WorkerState::Starting
            }
        };
        let state = |number| AtomicU8::new(state(number) as u8);
        Self((0..workers).map(state).collect())
    }

    pub(super) fn workers(&self) -> usize {
        self.0.len()
    }

    pub(super) fn best(&self) -> WorkerState {
        self.each().max().unwrap_or(WorkerState::Failed)
    }

    /// Returns the number of workers in each state.
    pub(super) fn counts(&self) -> Vec<(WorkerState, usize)> {
        let workers_in = |state| self.each().filter(|&of_worker| of_worker == state).count();
        WorkerState::VARIANTS
            .iter()
            .map(|&state| (state, workers_in(state)))
            .collect()
    }

    pub(super) fn apply(&self, worker: usize, event: WorkerEvent) {
        let step = |state: u8| state_of(state).after(event).map(|state| state as u8);
        let moved = self.0[worker].fetch_update(Ordering::Relaxed, Ordering::Relaxed, step);
        debug_assert!(
            moved.is_ok(),
            "the event {event:?} is impossible in the state {:?}",
            moved.map_err(state_of)
        );
    }

    fn each(&self) -> impl Iterator<Item = WorkerState> {
        self.0
            .iter()
            .map(|state| state_of(state.load(Ordering::Relaxed)))
    }
}

fn state_of(number: u8) -> WorkerState {
    WorkerState::VARIANTS
        .get(usize::from(number))
        .copied()
        .unwrap_or(WorkerState::Failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allows_only_the_transitions_in_the_table() {
        use WorkerEvent::{
            CircuitOpened, Closed, JobFinished, JobStarted, Lost, Needed, Replaced, Retried,
            Started,
        };
        use WorkerState::{Busy, Draining, Failed, Quarantined, Ready, Reserve, Starting};
        let allowed = [
            (Reserve, Needed, Starting),
            (Starting, Started, Ready),
            (Starting, Lost, Failed),
            (Ready, JobStarted, Busy),
            (Ready, Replaced, Starting),
            (Ready, Lost, Failed),
            (Busy, JobFinished, Ready),
            (Busy, Lost, Failed),
            (Failed, CircuitOpened, Quarantined),
            (Failed, Retried, Starting),
            (Quarantined, Retried, Starting),
        ];
        for &state in WorkerState::VARIANTS {
            for &event in WorkerEvent::VARIANTS {
                let listed = allowed.iter().find(|row| (row.0, row.1) == (state, event));
                let expected = match (state, event) {
                    (Draining, _) | (_, Closed) => Some(Draining),
                    _ => listed.map(|row| row.2),
                };
                assert_eq!(state.after(event), expected, "{state} {event:?}");
            }
        }
    }

    #[test]
    fn restores_each_state_from_its_number() {
        for (place, &state) in WorkerState::VARIANTS.iter().enumerate() {
            assert_eq!(state as usize, place);
            assert_eq!(state_of(place as u8), state);
        }
    }

    #[test]
    fn returns_the_best_state_among_workers() {
        let states = States::new(3, &(3..3));
        assert_eq!(states.best(), WorkerState::Starting);
        states.apply(0, WorkerEvent::Lost);
        states.apply(1, WorkerEvent::Started);
        states.apply(1, WorkerEvent::JobStarted);
        assert_eq!(states.best(), WorkerState::Busy);
        let counted: Vec<_> = states
            .counts()
            .into_iter()
            .filter(|&(_, workers)| workers > 0)
            .collect();
        assert_eq!(
            counted,
            [
                (WorkerState::Failed, 1),
                (WorkerState::Starting, 1),
                (WorkerState::Busy, 1)
            ]
        );
        states.apply(1, WorkerEvent::Lost);
        states.apply(2, WorkerEvent::Lost);
        states.apply(2, WorkerEvent::CircuitOpened);
        assert_eq!(states.best(), WorkerState::Failed);
    }
}
