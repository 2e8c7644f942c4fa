//! When a client's access ends.

use std::{
    fmt,
    path::Path,
    str::FromStr,
    time::{Duration, SystemTime},
};

use time::{Date, Month, OffsetDateTime, Time, UtcOffset, format_description::well_known::Rfc3339};
use toml::de::DeValue;
use toml_edit::{Datetime, Offset};

use crate::{
    issue::Issues,
    kinds::{GivenValue, Kind},
};

/// Lists and warnings name clients whose access ends within this time.
const SOON: Duration = Duration::from_hours(14 * 24);

/// The time from which a client is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Expiry(OffsetDateTime);

/// How close an [`Expiry`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ExpiryState {
    Active,
    ExpiresSoon,
    Expired,
}

impl Expiry {
    pub fn state(self, now: SystemTime) -> ExpiryState {
        let now = OffsetDateTime::from(now);
        if now >= self.0 {
            ExpiryState::Expired
        } else if now >= self.0 - SOON {
            ExpiryState::ExpiresSoon
        } else {
            ExpiryState::Active
        }
    }

    /// Converts a date or a date-time with an offset. A date without a time means midnight
    /// UTC at the start of that day.
    fn of(datetime: &Datetime) -> Option<Self> {
        let date = datetime.date?;
        let date = Date::from_calendar_date(
            date.year.into(),
            Month::try_from(date.month).ok()?,
            date.day,
        )
        .ok()?;
        let (time, offset) = match (datetime.time, datetime.offset) {
            (None, None) => (Time::MIDNIGHT, UtcOffset::UTC),
            (Some(time), Some(offset)) => {
                let minutes = match offset {
                    Offset::Z => 0,
                    Offset::Custom { minutes } => minutes,
                };
                // Drops fractions of a second.
                let time = Time::from_hms(time.hour, time.minute, time.second.unwrap_or(0)).ok()?;
                (
                    time,
                    UtcOffset::from_whole_seconds(i32::from(minutes) * 60).ok()?,
                )
            }
            _ => return None,
        };
        let time =
            OffsetDateTime::new_in_offset(date, time, offset).checked_to_offset(UtcOffset::UTC)?;
        // RFC 3339 cannot express other years.
        (0..=9999).contains(&time.year()).then_some(Self(time))
    }
}

impl fmt::Display for Expiry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.format(&Rfc3339).map_err(|_| fmt::Error)?)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {ALLOWED}")]
pub struct ParseExpiryError;

impl FromStr for Expiry {
    type Err = ParseExpiryError;

    fn from_str(text: &str) -> Result<Self, ParseExpiryError> {
        text.parse()
            .ok()
            .as_ref()
            .and_then(Self::of)
            .ok_or(ParseExpiryError)
    }
}

const ALLOWED: &str = "a date, which starts at 00:00 UTC, or a time with an offset, such as \
    2027-01-31 or 2027-01-31T18:00:00+01:00";

/// A TOML date or date-time.
pub(crate) struct DateTime;

impl Kind for DateTime {
    type Value = Expiry;

    fn values(&self) -> String {
        format!("{ALLOWED}, without quotes")
    }

    fn read(&self, found: &GivenValue<'_>, issues: &mut Issues<'_>) -> Option<Expiry> {
        let datetime = match found.value.get_ref() {
            DeValue::Datetime(datetime) => Some(datetime),
            _ => None,
        };
        found.checked(datetime.and_then(Expiry::of), issues)
    }

    fn parse(&self, text: &str, _: &Path) -> Option<Expiry> {
        text.parse().ok()
    }

    fn show(&self, value: &Expiry) -> String {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_dates_and_times_to_utc() {
        for (text, expected) in [
            ("2027-01-31", "2027-01-31T00:00:00Z"),
            ("2027-01-31T18:00:00+01:00", "2027-01-31T17:00:00Z"),
            ("2027-01-31 18:00:00.75Z", "2027-01-31T18:00:00Z"),
            ("0000-01-01", "0000-01-01T00:00:00Z"),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
        ] {
            let expiry: Expiry = text.parse().unwrap();
            assert_eq!(expiry.to_string(), expected, "{text}");
            assert_eq!(expected.parse(), Ok(expiry));
        }
    }

    #[test]
    fn rejects_malformed_times() {
        for text in [
            "",
            "soon",
            "2027-02-29",
            "2027-01-31T18:00:00",
            "18:00:00",
            "2027-01-31T23:59:60Z",
            "10000-01-01",
            "9999-12-31T23:59:59-01:00",
            "0000-01-01T00:00:00+01:00",
        ] {
            assert_eq!(text.parse::<Expiry>(), Err(ParseExpiryError), "{text}");
        }
    }

    #[test]
    fn access_expires_soon_within_two_weeks() {
        let expiry: Expiry = "2027-01-31T12:00:00Z".parse().unwrap();
        for (now, expected) in [
            ("2027-01-17T11:59:59Z", ExpiryState::Active),
            ("2027-01-17T12:00:00Z", ExpiryState::ExpiresSoon),
            ("2027-01-31T11:59:59Z", ExpiryState::ExpiresSoon),
            ("2027-01-31T12:00:00Z", ExpiryState::Expired),
        ] {
            let Expiry(now) = now.parse().unwrap();
            assert_eq!(expiry.state(now.into()), expected, "{now}");
        }
    }
}
