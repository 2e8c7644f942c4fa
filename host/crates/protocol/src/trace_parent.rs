//! A request's trace, as in the W3C recommendation Trace Context.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The length of a version 00 header, in bytes.
const BYTES: usize = 55;

/// A valid `traceparent`, converted to version 00.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TraceParent(String);

impl TraceParent {
    /// Parses the value of a header. Returns `None` if it is malformed. A later version may append
    /// fields.
    pub fn parse(value: &[u8]) -> Option<Self> {
        let (known, rest) = value.split_at_checked(BYTES)?;
        let known = std::str::from_utf8(known).ok()?;
        let mut fields = known.split('-');
        let mut next = |length: usize| fields.next().filter(|field| is_hexadecimal(field, length));
        let [version, trace, parent, flags] = [next(2)?, next(32)?, next(16)?, next(2)?];
        let is_known = match version {
            "ff" => false,
            "00" => rest.is_empty(),
            _ => matches!(rest, [] | [b'-', ..]),
        };
        let is_zero = |id: &str| id.bytes().all(|digit| digit == b'0');
        (is_known && !is_zero(trace) && !is_zero(parent))
            .then(|| Self(format!("00-{trace}-{parent}-{flags}")))
    }

    /// Returns the trace id: 32 hexadecimal digits.
    pub fn trace_id(&self) -> &str {
        &self.0[3..35]
    }
}

fn is_hexadecimal(field: &str, length: usize) -> bool {
    field.len() == length
        && field
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

impl TryFrom<String> for TraceParent {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(text.as_bytes())
            .ok_or("expected a traceparent of the form 00-TRACE-PARENT-FLAGS, in hexadecimal")
    }
}

impl From<TraceParent> for String {
    fn from(parent: TraceParent) -> Self {
        parent.0
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

    #[test]
    fn accepts_valid_headers_of_this_and_later_versions() {
        let rest = format!("{TRACE}-b7ad6b7169203331-01");
        for given in ["00-", "01-", "cc-"].map(|version| version.to_owned() + &rest) {
            let parent = TraceParent::parse(given.as_bytes()).unwrap();
            assert_eq!(
                (parent.to_string(), parent.trace_id()),
                (format!("00-{rest}"), TRACE)
            );
        }
        assert!(
            TraceParent::parse(format!("cc-{rest}-what-the-future-holds").as_bytes()).is_some()
        );
    }

    #[test]
    fn rejects_malformed_headers() {
        let zeros = "0".repeat(32);
        for bad in [
            String::new(),
            format!("00-{TRACE}-b7ad6b7169203331"),
            format!("00-{TRACE}-b7ad6b7169203331-1"),
            format!("00-{TRACE}-b7ad6b7169203331-01-"),
            format!("00-{TRACE}-b7ad6b7169203331-01 "),
            format!("00-{TRACE}-b7ad6b7169203331_01"),
            format!("cc-{TRACE}-b7ad6b7169203331-01.more"),
            format!("ff-{TRACE}-b7ad6b7169203331-01"),
            format!("00-{zeros}-b7ad6b7169203331-01"),
            format!("00-{TRACE}-0000000000000000-01"),
            format!("00-{}-b7ad6b7169203331-01", TRACE.to_uppercase()),
            format!("00-{TRACE}-b7ad6b716920333-101"),
            format!("00-{TRACE}-b7ad6b7169203331-0ä"),
        ] {
            assert_eq!(TraceParent::parse(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(TraceParent::parse(&[0xff; 55]), None);
    }
}
