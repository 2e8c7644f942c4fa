//! The states of a worker, and the one place that moves between them.

use std::{
    fmt,
    sync::atomic::{AtomicU8, Ordering},
};

/// What an AI or one of its workers is doing, from the worst to the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum State {
    /// It has failed too often and is left alone for a while.
    Quarantined,
    /// It is lost or can't be started; it is tried again in a moment.
    Failed,
    /// It finishes what it was asked, and ends.
    Draining,
    /// It is being started.
    Starting,
    /// It is answering.
    Busy,
    /// It waits for a question.
    Ready,
}

impl State {
    /// Every state, each at the place of its number.
    pub const ALL: [Self; 6] =
        [Self::Quarantined, Self::Failed, Self::Draining, Self::Starting, Self::Busy, Self::Ready];

    /// The state in one word.
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

    /// The state that an event leads to, if it can happen in this one.
    const fn after(self, event: Event) -> Option<Self> {
        match (self, event) {
            // Whoever drains goes on draining, whatever happens on the way.
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

/// What happens to a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Its process is there and has made its instance.
    Started,
    /// It is given a question.
    Asked,
    /// It has answered, or failed in a way that has not cost its process.
    Answered,
    /// Its process has served another client and is exchanged for a fresh one.
    Replaced,
    /// Its process is gone, or was not to be had.
    Lost,
    /// Its AI is quarantined.
    LeftAlone,
    /// It is started anew.
    Retried,
    /// Nobody can ask its AI any more.
    Closed,
}

/// What each worker of an AI is doing.
#[derive(Debug)]
pub(super) struct States(Vec<AtomicU8>);

impl States {
    /// So many workers, all being started.
    pub(super) fn new(workers: usize) -> Self {
        Self((0..workers).map(|_| AtomicU8::new(State::Starting as u8)).collect())
    }

    pub(super) fn workers(&self) -> usize {
        self.0.len()
    }

    /// The best that any of them is doing.
    pub(super) fn best(&self) -> State {
        self.each().max().unwrap_or(State::Failed)
    }

    /// How many are in each state, in the order of [`State::ALL`].
    pub(super) fn counts(&self) -> [(State, usize); State::ALL.len()] {
        State::ALL.map(|state| (state, self.each().filter(|&of_worker| of_worker == state).count()))
    }

    /// Moves a worker on.
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
