//! The expiry of a certificate (RFC 5280).

use time::{Date, Month};

const INTEGER: u8 = 0x02;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;

/// Returns the time at which a certificate in DER expires, in seconds since 1970.
pub(super) fn expiry(certificate: &[u8]) -> Option<i64> {
    let (certificate, _) = value(certificate, SEQUENCE)?;
    let (mut fields, _) = value(certificate, SEQUENCE)?;
    if let Some((_, rest)) = value(fields, VERSION) {
        fields = rest;
    }
    // Skips the serial number, the algorithm and the issuer.
    for tag in [INTEGER, SEQUENCE, SEQUENCE] {
        (_, fields) = value(fields, tag)?;
    }
    let (validity, _) = value(fields, SEQUENCE)?;
    let (_, _, not_after) = element(validity)?;
    let (tag, text, _) = element(not_after)?;
    let text = std::str::from_utf8(text).ok()?;
    let text = match tag {
        UTC_TIME => format!("{}{text}", if text < "50" { "20" } else { "19" }),
        GENERALIZED_TIME => text.to_owned(),
        _ => return None,
    };
    let number = |at: usize| text.get(at..at + 2)?.parse::<u8>().ok();
    let year = 100 * i32::from(number(0)?) + i32::from(number(2)?);
    let date =
        Date::from_calendar_date(year, Month::try_from(number(4)?).ok()?, number(6)?).ok()?;
    let time = date.with_hms(number(8)?, number(10)?, number(12)?).ok()?;
    Some(time.assume_utc().unix_timestamp())
}

/// Returns the contents of the first element if it has this tag, and the bytes after the element.
fn value(bytes: &[u8], expected: u8) -> Option<(&[u8], &[u8])> {
    element(bytes)
        .filter(|(tag, ..)| *tag == expected)
        .map(|(_, contents, rest)| (contents, rest))
}

/// Returns the tag and the contents of the first element, and the bytes after it.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&[tag, first], rest) = bytes.split_first_chunk::<2>()?;
    let (length, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let digits = usize::from(first & 0x7f);
        let (digits, rest) = rest.split_at_checked(digits).filter(|_| digits <= 4)?;
        (
            digits
                .iter()
                .fold(0, |length, &digit| length << 8 | usize::from(digit)),
            rest,
        )
    };
    let (contents, rest) = rest.split_at_checked(length)?;
    Some((tag, contents, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn der(tag: u8, contents: &[&[u8]]) -> Vec<u8> {
        let contents = contents.concat();
        let length = contents.len();
        let long = [0x82, (length >> 8) as u8, length as u8];
        let length = if length < 0x80 {
            vec![length as u8]
        } else {
            long.to_vec()
        };
        [vec![tag], length, contents].concat()
    }

    fn certificate(tag: u8, not_after: &str) -> Vec<u8> {
        let (serial, name) = (der(INTEGER, &[&[7]]), der(SEQUENCE, &[&[0; 200]]));
        let validity = der(
            SEQUENCE,
            &[
                &der(UTC_TIME, &[b"200101000000Z"]),
                &der(tag, &[not_after.as_bytes()]),
            ],
        );
        let version = der(VERSION, &[&der(INTEGER, &[&[2]])]);
        let fields = der(
            SEQUENCE,
            &[
                &version,
                &serial,
                &der(SEQUENCE, &[]),
                &name,
                &validity,
                &name,
            ],
        );
        der(SEQUENCE, &[&fields, &name])
    }

    #[test]
    fn reads_both_forms_of_the_time() {
        for (tag, text, expected) in [
            (UTC_TIME, "310506070809Z", Some(1_935_817_689)),
            (UTC_TIME, "991231235959Z", Some(946_684_799)),
            (GENERALIZED_TIME, "40960101000000Z", Some(67_090_118_400)),
            (UTC_TIME, "311306070809Z", None),
            (INTEGER, "310506070809Z", None),
        ] {
            assert_eq!(expiry(&certificate(tag, text)), expected, "{text}");
        }
    }

    #[test]
    fn a_damaged_certificate_has_no_expiry() {
        let whole = certificate(UTC_TIME, "310506070809Z");
        assert!((0..whole.len()).all(|length| expiry(&whole[..length]).is_none()));
        assert_eq!(expiry(&[SEQUENCE, 0x89, 1, 1, 1, 1, 1, 1, 1, 1, 1]), None);
    }
}
