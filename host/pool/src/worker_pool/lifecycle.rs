//! The states of a worker, and the one place that moves between them.

use std::{
    fmt,
    sync::atomic::{AtomicU8, Ordering},
};

/// The state of an AI or a worker, from the worst to the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum State {
    /// The circuit is open.
    Quarantined,
    /// Lost or failed to start; it restarts after a delay.
    Failed,
    /// Finishes its request, then stops.
    Draining,
    /// Starting.
    Starting,
    /// Running a request.
    Busy,
    /// Idle.
    Ready,
}

impl State {
    /// Every state, in the order of its number.
    pub const ALL: [Self; 6] =
        [Self::Quarantined, Self::Failed, Self::Draining, Self::Starting, Self::Busy, Self::Ready];

    /// The name of the state in replies and metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quarantined => "quarantined",
            Self::Failed => "failed",
            Self::Draining => "draining",
            Self::Starting => "starting",
            Self::Busy => "busy",
            Self::Ready => "ready",
        }
    }

    /// The state after an event; none if the event is impossible in this state.
    const fn after(self, event: Event) -> Option<Self> {
        match (self, event) {
            // A draining worker keeps draining.
            (Self::Draining, _) | (_, Event::Closed) => Some(Self::Draining),
            (Self::Starting, Event::Started) | (Self::Busy, Event::Answered) => Some(Self::Ready),
            (Self::Ready, Event::Asked) => Some(Self::Busy),
            (Self::Starting | Self::Ready | Self::Busy, Event::Lost) => Some(Self::Failed),
            (Self::Failed, Event::LeftAlone) => Some(Self::Quarantined),
            (Self::Ready, Event::Replaced) | (Self::Failed | Self::Quarantined, Event::Retried) => {
                Some(Self::Starting)
            }
            _ => None,
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An event of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Its process has made the instance.
    Started,
    /// It receives a request.
    Asked,
    /// It returned a result, or a failure that its process survived.
    Answered,
    /// Its process has served another client and is replaced.
    Replaced,
    /// Its process exited, or did not start.
    Lost,
    /// The circuit of its AI has opened.
    LeftAlone,
    /// It restarts.
    Retried,
    /// Its AI was dropped.
    Closed,
}

/// The states of the workers of an AI.
#[derive(Debug)]
pub(super) struct States(Vec<AtomicU8>);

impl States {
    /// That many workers, all starting.
    pub(super) fn new(workers: usize) -> Self {
        Self((0..workers).map(|_| AtomicU8::new(State::Starting as u8)).collect())
    }

    pub(super) fn workers(&self) -> usize {
        self.0.len()
    }

    /// The best state of any worker.
    pub(super) fn best(&self) -> State {
        self.each().max().unwrap_or(State::Failed)
    }

    /// The number of workers in each state, in the order of [`State::ALL`].
    pub(super) fn counts(&self) -> [(State, usize); State::ALL.len()] {
        State::ALL.map(|state| (state, self.each().filter(|&of_worker| of_worker == state).count()))
    }

    /// Applies an event to a worker.
    pub(super) fn tell(&self, worker: usize, event: Event) {
        let step = |state: u8| state_of(state).after(event).map(|state| state as u8);
        let moved = self.0[worker].fetch_update(Ordering::Relaxed, Ordering::Relaxed, step);
        debug_assert!(
            moved.is_ok(),
            "{event:?} can't happen to a worker that is {:?}",
            moved.map_err(state_of)
        );
    }

    fn each(&self) -> impl Iterator<Item = State> {
        self.0.iter().map(|state| state_of(state.load(Ordering::Relaxed)))
    }
}

fn state_of(number: u8) -> State {
    State::ALL.get(usize::from(number)).copied().unwrap_or(State::Failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: [Event; 8] = [
        Event::Started,
        Event::Asked,
        Event::Answered,
        Event::Replaced,
        Event::Lost,
        Event::LeftAlone,
        Event::Retried,
        Event::Closed,
    ];

    #[test]
    fn a_worker_moves_only_as_the_table_says() {
        use State::{Busy, Draining, Failed, Quarantined, Ready, Starting};
        // One row for each state; the columns are those of EVENTS.
        let table = [
            (Starting, [Some(Ready), None, None, None, Some(Failed), None, None, Some(Draining)]),
            (Ready, [None, Some(Busy), None, Some(Starting), Some(Failed), None, None, Some(Draining)]),
            (Busy, [None, None, Some(Ready), None, Some(Failed), None, None, Some(Draining)]),
            (Failed, [None, None, None, None, None, Some(Quarantined), Some(Starting), Some(Draining)]),
            (Quarantined, [None, None, None, None, None, None, Some(Starting), Some(Draining)]),
            (Draining, [Some(Draining); 8]),
        ];
        assert_eq!(table.len(), State::ALL.len());
        for (state, row) in table {
            assert_eq!(EVENTS.map(|event| state.after(event)), row, "{state}");
        }
    }

    #[test]
    fn the_number_of_a_state_is_its_place() {
        for (place, state) in State::ALL.into_iter().enumerate() {
            assert_eq!(state as usize, place);
            assert_eq!(state_of(place as u8), state);
        }
    }

    #[test]
    fn an_ai_does_the_best_that_one_of_its_workers_does() {
        let states = States::new(3);
        assert_eq!(states.best(), State::Starting);
        states.tell(0, Event::Lost);
        states.tell(1, Event::Started);
        states.tell(1, Event::Asked);
        assert_eq!(states.best(), State::Busy);
        let counted: Vec<_> = states.counts().into_iter().filter(|&(_, workers)| workers > 0).collect();
        assert_eq!(counted, [(State::Failed, 1), (State::Starting, 1), (State::Busy, 1)]);
        states.tell(1, Event::Lost);
        states.tell(2, Event::Lost);
        states.tell(2, Event::LeftAlone);
        assert_eq!(states.best(), State::Failed);
    }
}
