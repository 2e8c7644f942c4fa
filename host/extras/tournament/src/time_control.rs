//! Time controls: clocks, or a fixed time, node count or depth per move.

use std::{fmt, time::Duration};

use ai_api::Limits;
use serde::{Deserialize, Serialize};

use config::ClockControl;
use game::clock::Clock;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeControl {
    /// The same limits for each move.
    Fixed(Limits),
    Clock(ClockControl),
}

impl TimeControl {
    pub(crate) fn scaled(self, factor: f64) -> Self {
        match self {
            Self::Fixed(limits) => Self::Fixed(scaled_limits(limits, factor)),
            Self::Clock(control) => Self::Clock(ClockControl {
                base_ms: scaled_ms(control.base_ms, factor),
                increment_ms: scaled_ms(control.increment_ms, factor),
                ..control
            }),
        }
    }
}

/// Combines two sets of limits. The stricter value of each limit applies.
pub(crate) fn stricter(one: Limits, other: &Limits) -> Limits {
    fn min<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
        [one, other].into_iter().flatten().min()
    }
    Limits {
        depth: min(one.depth, other.depth),
        nodes: min(one.nodes, other.nodes),
        mate_plies: min(one.mate_plies, other.mate_plies),
        soft_ms: min(one.soft_ms, other.soft_ms),
        hard_ms: min(one.hard_ms, other.hard_ms),
        ..one
    }
}

/// Multiplies the time limits by `factor`.
pub(crate) fn scaled_limits(limits: Limits, factor: f64) -> Limits {
    Limits {
        soft_ms: limits.soft_ms.map(|ms| scaled_ms(ms, factor)),
        hard_ms: limits.hard_ms.map(|ms| scaled_ms(ms, factor)),
        ..limits
    }
}

/// Multiplies a time. A nonzero time stays between 1 ms and a day.
#[expect(clippy::cast_precision_loss, reason = "a time has fewer than 2^52 ms")]
pub(crate) fn scaled_ms(ms: u64, factor: f64) -> u64 {
    const DAY_MS: f64 = 86_400_000.0;
    if ms == 0 {
        return 0;
    }
    let scaled = (ms as f64 * factor).round().clamp(1.0, DAY_MS);
    // NaN becomes 0.
    (scaled as u64).max(1)
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

/// Returns the clock after a move, or `None` if the move exceeded the time by more than
/// `margin_ms`.
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

    #[test]
    fn scales_only_times() {
        let clock = |text: &str| TimeControl::Clock(text.parse().unwrap());
        for (text, factor, expected) in [
            ("40/60+0.5", 0.5, "40/30+0.25"),
            ("10", 1.5, "15"),
            ("1+0.1", 0.0, "0.001+0.001"),
            ("1+0.1", f64::INFINITY, "86400+86400"),
            ("1", f64::NAN, "0.001"),
        ] {
            assert_eq!(
                clock(text).scaled(factor),
                clock(expected),
                "{text} {factor}"
            );
        }
        let limits = Limits {
            nodes: Some(100),
            soft_ms: Some(3),
            hard_ms: Some(10),
            ..Limits::depth(8)
        };
        let expected = Limits {
            soft_ms: Some(6),
            hard_ms: Some(20),
            ..limits
        };
        assert_eq!(scaled_limits(limits, 2.0), expected);
        assert_eq!(scaled_ms(0, 3.0), 0);
    }
}
