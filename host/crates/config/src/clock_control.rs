//! A time control with clocks.

use std::{fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Serialize};

/// Time for a number of moves or for the game, with an increment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ClockControl {
    /// The number of moves after which the base time is added again; `None` if it covers the game.
    pub moves: Option<u64>,
    pub base_ms: u64,
    /// The time that each move adds.
    pub increment_ms: u64,
}

impl fmt::Display for ClockControl {
    /// Writes PGN notation, such as `40/60+0.5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", seconds(self.base_ms))?;
        if self.increment_ms > 0 {
            write!(f, "+{}", seconds(self.increment_ms))
        } else {
            Ok(())
        }
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
        let (moves_text, times) = match text.split_once('/') {
            Some((moves_text, times)) => (Some(moves_text), times),
            None => (None, text),
        };
        let (base, increment) = times.split_once('+').unwrap_or((times, "0"));
        let ms = |seconds: &str| {
            let ms = seconds.trim().parse::<f64>().ok()? * 1000.0;
            (0.0..=DAY_MS).contains(&ms).then_some(ms.round() as u64)
        };
        let positive = |count: &str| count.trim().parse().ok().filter(|moves| *moves > 0);
        let moves = moves_text
            .map(|count| positive(count).ok_or(ParseClockControlError))
            .transpose()?;
        let base_ms = ms(base)
            .filter(|ms| *ms > 0)
            .ok_or(ParseClockControlError)?;
        let increment_ms = ms(increment).ok_or(ParseClockControlError)?;
        Ok(Self {
            moves,
            base_ms,
            increment_ms,
        })
    }
}

impl TryFrom<String> for ClockControl {
    type Error = ParseClockControlError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<ClockControl> for String {
    fn from(control: ClockControl) -> Self {
        control.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_formats_pgn_notation() {
        for (text, moves, base_ms, increment_ms) in [
            ("1+0.1", None, 1000, 100),
            ("40/60+0.5", Some(40), 60_000, 500),
            ("300", None, 300_000, 0),
        ] {
            let control = ClockControl {
                moves,
                base_ms,
                increment_ms,
            };
            assert_eq!(text.parse(), Ok(control));
            assert_eq!(control.to_string(), text);
        }
        for text in [
            "", "x", "0", "-1", "1+", "1+x", "/5", "0/5", "inf", "NaN", "1e9",
        ] {
            assert_eq!(
                text.parse::<ClockControl>(),
                Err(ParseClockControlError),
                "{text}"
            );
        }
    }
}
