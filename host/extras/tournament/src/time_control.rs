//! Time controls: clocks, or a fixed time, node count or depth per move.

use std::{fmt, time::Duration};

use ai_api::Limits;

use config::ClockControl;
use game::clock::Clock;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControl {
    /// The same limits for each move.
    Fixed(Limits),
    Clock(ClockControl),
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(limits) => {
                limits.fmt(f)?;
                f.write_str(if limits.soft_ms.is_some() {
                    " per move"
                } else {
                    ""
                })
            }
            Self::Clock(control) => control.fmt(f),
        }
    }
}

/// Returns the clock at the start of a game.
pub(crate) const fn first_clock(control: ClockControl) -> Clock {
    Clock {
        remaining_ms: control.base_ms,
        increment_ms: control.increment_ms,
        moves_to_go: control.moves,
    }
}

/// Returns the clock after a move; none if the move exceeded the time by more than `margin_ms`.
pub(crate) fn after_move(
    control: ClockControl,
    clock: Clock,
    spent: Duration,
    margin_ms: u64,
) -> Option<Clock> {
    let spent_ms = spent.as_millis() as u64;
    if spent_ms > clock.remaining_ms.saturating_add(margin_ms) {
        return None;
    }
    let left_ms = clock.remaining_ms.saturating_sub(spent_ms);
    let mut remaining_ms = left_ms.saturating_add(control.increment_ms);
    let moves_to_go = match clock.moves_to_go.map(|moves| moves.saturating_sub(1)) {
        Some(0) => {
            remaining_ms = remaining_ms.saturating_add(control.base_ms);
            control.moves
        }
        moves => moves,
    };
    Some(Clock {
        remaining_ms,
        moves_to_go,
        ..clock
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_the_clock_after_a_move() {
        let control: ClockControl = "2/10+1".parse().unwrap();
        let move_of =
            |clock, ms, margin_ms| after_move(control, clock, Duration::from_millis(ms), margin_ms);
        let after = move_of(first_clock(control), 4000, 0).unwrap();
        assert_eq!((after.remaining_ms, after.moves_to_go), (7000, Some(1)));
        let after = move_of(after, 7000, 0).unwrap();
        assert_eq!((after.remaining_ms, after.moves_to_go), (11_000, Some(2)));
        assert_eq!(move_of(after, 11_001, 0), None);
        // The flag fell, but within the margin.
        assert_eq!(move_of(after, 11_001, 1).unwrap().remaining_ms, 1000);
    }
}
