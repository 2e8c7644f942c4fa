//! Content negotiation: one JSON body, or a stream of records in one of two encodings.

use actix_web::{
    HttpRequest,
    http::header::{Accept, Header as _},
    web::Bytes,
};
use serde::Serialize;

/// The encoding of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// One JSON record per line.
    Lines,
    /// Server-sent events, named like the types of the records.
    Events,
}

/// The offered media types; among equal qualities the first wins. `None` is one body.
const OFFERS: [(Option<Encoding>, &str, &str); 3] = [
    (None, "application", "json"),
    (Some(Encoding::Lines), "application", "x-ndjson"),
    (Some(Encoding::Events), "text", "event-stream"),
];

impl Encoding {
    /// Returns the encoding that the `Accept` header prefers; `None` is one body, the default.
    pub(super) fn accepted(request: &HttpRequest) -> Option<Self> {
        let accept = Accept::parse(request).ok()?;
        let acceptable = OFFERS.iter().filter_map(|(encoding, kind, subtype)| {
            let (specific, quality) = quality_of(&accept, kind, subtype)?;
            // A named type takes precedence over a wildcard.
            Some(((quality, specific), *encoding))
        });
        let best = acceptable.reduce(|best, other| if other.0 > best.0 { other } else { best });
        best.and_then(|(_, encoding)| encoding)
    }

    pub(super) const fn content_type(self) -> &'static str {
        match self {
            Self::Lines => "application/x-ndjson",
            Self::Events => "text/event-stream",
        }
    }

    /// Encodes a record.
    pub(super) fn write(self, name: &str, record: &impl Serialize) -> serde_json::Result<Bytes> {
        let json = serde_json::to_string(record)?;
        Ok(match self {
            Self::Lines => format!("{json}\n").into(),
            Self::Events => format!("event: {name}\ndata: {json}\n\n").into(),
        })
    }
}

/// Returns the specificity and the quality, in thousandths, of the most specific range that matches a media type; `None` if it is not
/// acceptable.
fn quality_of(accept: &Accept, kind: &str, subtype: &str) -> Option<(u8, u16)> {
    let ranges = accept.iter().filter_map(|range| {
        let specific = match (range.item.type_().as_str(), range.item.subtype().as_str()) {
            ("*", "*") => 0,
            (found, "*") if found == kind => 1,
            (found, rest) if found == kind && rest == subtype => 2,
            _ => return None,
        };
        let quality = (range.quality.to_string().parse::<f32>().ok()? * 1000.0).round() as u16;
        Some((specific, quality))
    });
    ranges.max().filter(|(_, quality)| *quality > 0)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn negotiates_the_media_type_with_json_as_default() {
        let (lines, events) = (Some(Encoding::Lines), Some(Encoding::Events));
        for (accept, expected) in [
            ("application/x-ndjson", lines),
            ("text/event-stream", events),
            ("Text/Event-Stream; charset=utf-8", events),
            ("application/json", None),
            ("*/*", None),
            ("application/*", None),
            ("text/*", events),
            ("application/json, text/event-stream", None),
            ("text/event-stream, application/json;q=0.9", events),
            ("application/x-ndjson;q=0.5, text/event-stream;q=0.8, */*;q=0.1", events),
            ("text/event-stream, */*", events),
            ("application/x-ndjson, application/json", None),
            ("application/x-ndjson;q=0.9, application/json;q=0.8", lines),
            ("application/x-ndjson;q=0, text/event-stream;q=0", None),
            ("application/x-ndjson;q=0, */*", None),
            ("application/json;q=0, */*;q=0.5", lines),
            ("text/html,application/xhtml+xml,*/*;q=0.8", None),
            ("image/png", None),
            ("", None),
            ("/", None),
            ("x-ndjson", None),
        ] {
            let request = TestRequest::default().insert_header(("Accept", accept)).to_http_request();
            assert_eq!(Encoding::accepted(&request), expected, "{accept}");
        }
        assert_eq!(Encoding::accepted(&TestRequest::default().to_http_request()), None);
    }

    #[test]
    fn encodes_a_record_as_a_line_or_an_event() {
        let record = serde_json::json!({"type": "x", "text": "a\nb\r\u{2028}"});
        let json = "{\"type\":\"x\",\"text\":\"a\\nb\\r\u{2028}\"}";
        assert_eq!(Encoding::Lines.write("x", &record).unwrap(), format!("{json}\n"));
        assert_eq!(Encoding::Events.write("x", &record).unwrap(), format!("event: x\ndata: {json}\n\n"));
    }
}
