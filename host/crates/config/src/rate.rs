//! Request rates.

use std::{fmt, num::NonZeroU32, str::FromStr, time::Duration};

/// The maximum number of requests per unit of time and per burst.
const MAX: u32 = 1_000_000;

/// A number of requests per second, minute or hour, with a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// The number of requests in a unit of time.
    pub requests: NonZeroU32,
    pub per: RateUnit,
    /// The number of requests that may arrive at once after a pause.
    pub burst: NonZeroU32,
}

/// A rate's unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString)]
pub enum RateUnit {
    #[strum(serialize = "s")]
    Second,
    #[strum(serialize = "min")]
    Minute,
    #[strum(serialize = "h")]
    Hour,
}

impl RateUnit {
    const fn duration(self) -> Duration {
        Duration::from_secs(match self {
            Self::Second => 1,
            Self::Minute => 60,
            Self::Hour => 3600,
        })
    }
}

impl Rate {
    /// Returns the time between two requests at this rate.
    pub fn interval(self) -> Duration {
        self.per.duration() / self.requests.get()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a rate such as 20/s")]
pub struct ParseRateError;

impl FromStr for Rate {
    type Err = ParseRateError;

    fn from_str(text: &str) -> Result<Self, ParseRateError> {
        let number = |digits: &str| {
            let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let number = digits
                .parse()
                .ok()
                .filter(|&number| is_plain && number <= MAX);
            number.and_then(NonZeroU32::new).ok_or(ParseRateError)
        };
        let mut words = text.split_whitespace();
        let (requests, unit) = words
            .next()
            .and_then(|word| word.split_once('/'))
            .ok_or(ParseRateError)?;
        let requests = number(requests)?;
        let per = unit.parse().map_err(|_| ParseRateError)?;
        let burst = match (words.next(), words.next(), words.next()) {
            (None, ..) => requests,
            (Some("burst"), Some(burst), None) => number(burst)?,
            _ => return Err(ParseRateError),
        };
        Ok(Self {
            requests,
            per,
            burst,
        })
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} burst {}", self.requests, self.per, self.burst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_round_trip() {
        for (text, written, interval) in [
            ("20/s", "20/s burst 20", Duration::from_millis(50)),
            (
                " 30/min  burst 5 ",
                "30/min burst 5",
                Duration::from_secs(2),
            ),
            (
                "1/h burst 1000000",
                "1/h burst 1000000",
                Duration::from_hours(1),
            ),
        ] {
            let rate: Rate = text.parse().unwrap();
            assert_eq!(
                (rate.to_string().as_str(), rate.interval()),
                (written, interval)
            );
            assert_eq!(written.parse(), Ok(rate));
        }
    }

    #[test]
    fn rejects_malformed_rates() {
        for text in [
            "",
            "20",
            "/s",
            "20/",
            "20/day",
            "0/s",
            "-1/s",
            "+1/s",
            "1.5/s",
            "20 /s",
            "1000001/s",
            "20/s 5",
            "20/s burst",
            "20/s burst 0",
            "20/s burst 5 6",
            "20/S",
        ] {
            assert_eq!(text.parse::<Rate>(), Err(ParseRateError), "{text}");
        }
    }
}
