//! How long an AI may take, and when it is told that its time is up.

use std::time::Duration;

use tokio::time::Instant;

use crate::fault::Stall;
use protocol::Job;

/// What an AI gets to answer in once its time is up and it was asked to stop.
const STOP_GRACE: Duration = Duration::from_millis(20);

/// How long an AI may take over one question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeAllowed {
    /// To begin a new game, where it is one, or to make an instance with other options.
    pub(crate) new_game: Duration,
    /// For the answer.
    pub(crate) answer: Duration,
    /// What of that is left: less where the question has been asked before.
    pub(crate) left: Duration,
}

impl TimeAllowed {
    /// So much for the answer, and as much for a new game.
    pub(crate) const fn of(time: Duration) -> Self {
        Self { new_game: time, answer: time, left: time }
    }
}

/// When an AI is asked to stop, when it is killed, and what for.
pub(super) struct Clock {
    pub(super) stop_at: Instant,
    pub(super) deadline: Instant,
    pub(super) stall: Stall,
}

impl Clock {
    /// While a game is begun: nothing stops an AI early then.
    pub(super) fn new_game(time_allowed: &TimeAllowed) -> Self {
        Self::preparing(time_allowed, Stall::NewGame)
    }

    /// While an instance is made with other options.
    pub(super) fn instance(time_allowed: &TimeAllowed) -> Self {
        Self::preparing(time_allowed, Stall::Instance)
    }

    fn preparing(time_allowed: &TimeAllowed, stall: fn(Duration) -> Stall) -> Self {
        let deadline = Instant::now() + time_allowed.new_game;
        Self { stop_at: deadline, deadline, stall: stall(time_allowed.new_game) }
    }

    /// While a question is answered.
    pub(super) fn answer(time_allowed: &TimeAllowed, question: &Job) -> Self {
        let TimeAllowed { answer, left, .. } = *time_allowed;
        let now = Instant::now();
        // The time of a search that ponders has not begun yet.
        let hard_ms = question.task.limits().hard_ms.filter(|_| !question.wishes.ponder);
        let most = hard_ms.map_or(left, Duration::from_millis);
        let stop_at = now + thinking_time(left).min(most);
        Self { stop_at, deadline: now + left, stall: Stall::Answer(answer) }
    }
}

/// How much of the time for an answer passes before the AI is asked to stop.
pub(crate) fn thinking_time(time_allowed: Duration) -> Duration {
    time_allowed.saturating_sub(STOP_GRACE.min(time_allowed / 2))
}
