//! Time controls: clocks, or a fixed time, node count or depth per move.

use std::{fmt, str::FromStr, time::Duration};

use ai_api::Limits;

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
                f.write_str(if limits.soft_ms.is_some() { " per move" } else { "" })
            }
            Self::Clock(control) => control.fmt(f),
        }
    }
}

/// Time for a number of moves or for the game, with an increment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockControl {
    /// The moves until the base time is added again; none is the whole game.
    pub moves: Option<u64>,
    pub base_ms: u64,
    /// The time that each move adds.
    pub increment_ms: u64,
}

impl ClockControl {
    /// Returns the clock at the start of the game.
    pub(crate) const fn clock(&self) -> Clock {
        Clock { remaining_ms: self.base_ms, increment_ms: self.increment_ms, moves_to_go: self.moves }
    }

    /// Returns the clock after a move; none if the move exceeded the time by more than `margin_ms`.
    pub(crate) fn after_move(&self, clock: Clock, spent: Duration, margin_ms: u64) -> Option<Clock> {
        let spent_ms = spent.as_millis() as u64;
        if spent_ms > clock.remaining_ms.saturating_add(margin_ms) {
            return None;
        }
        let left_ms = clock.remaining_ms.saturating_sub(spent_ms);
        let mut remaining_ms = left_ms.saturating_add(self.increment_ms);
        let moves_to_go = match clock.moves_to_go.map(|moves| moves.saturating_sub(1)) {
            Some(0) => {
                remaining_ms = remaining_ms.saturating_add(self.base_ms);
                self.moves
            }
            moves => moves,
        };
        Some(Clock { remaining_ms, moves_to_go, ..clock })
    }
}

impl fmt::Display for ClockControl {
    /// As in PGN: `40/60+0.5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", seconds(self.base_ms))?;
        if self.increment_ms > 0 { write!(f, "+{}", seconds(self.increment_ms)) } else { Ok(()) }
    }
}

fn seconds(ms: u64) -> f64 {
    Duration::from_millis(ms).as_secs_f64()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected [MOVES/]SECONDS[+SECONDS], such as 1+0.1 or 40/60, at most a day")]
pub struct ParseClockControlError;

impl FromStr for ClockControl {
    type Err = ParseClockControlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const DAY_MS: f64 = 86_400_000.0;
        let (moves, times) = match text.split_once('/') {
            Some((moves, times)) => (Some(moves), times),
            None => (None, text),
        };
        let (base, increment) = times.split_once('+').unwrap_or((times, "0"));
        let ms = |seconds: &str| {
            let ms = seconds.trim().parse::<f64>().ok()? * 1000.0;
            (0.0..=DAY_MS).contains(&ms).then_some(ms.round() as u64)
        };
        let moves = moves
            .map(|moves| moves.trim().parse().ok().filter(|moves| *moves > 0))
            .map_or(Ok(None), |moves| moves.map(Some).ok_or(ParseClockControlError))?;
        let base_ms = ms(base).filter(|ms| *ms > 0).ok_or(ParseClockControlError)?;
        let increment_ms = ms(increment).ok_or(ParseClockControlError)?;
        Ok(Self { moves, base_ms, increment_ms })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_formats_as_in_pgn() {
        for (text, moves, base_ms, increment_ms) in
            [("1+0.1", None, 1000, 100), ("40/60+0.5", Some(40), 60_000, 500), ("300", None, 300_000, 0)]
        {
            let control = ClockControl { moves, base_ms, increment_ms };
            assert_eq!(text.parse(), Ok(control));
            assert_eq!(control.to_string(), text);
        }
        for text in ["", "x", "0", "-1", "1+", "1+x", "/5", "0/5", "inf", "NaN", "1e9"] {
            assert_eq!(text.parse::<ClockControl>(), Err(ParseClockControlError), "{text}");
        }
    }

    #[test]
    fn updates_the_clock_after_a_move() {
        let control: ClockControl = "2/10+1".parse().unwrap();
        let move_of = |clock, ms, margin_ms| control.after_move(clock, Duration::from_millis(ms), margin_ms);
        let after = move_of(control.clock(), 4000, 0).unwrap();
        assert_eq!((after.remaining_ms, after.moves_to_go), (7000, Some(1)));
        let after = move_of(after, 7000, 0).unwrap();
        assert_eq!((after.remaining_ms, after.moves_to_go), (11_000, Some(2)));
        assert_eq!(move_of(after, 11_001, 0), None);
        // The flag fell, but within the margin.
        assert_eq!(move_of(after, 11_001, 1).unwrap().remaining_ms, 1000);
    }
}
