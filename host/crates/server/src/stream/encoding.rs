//! Content negotiation: one JSON body, or a stream of records in one of two encodings.

use actix_web::{HttpRequest, web::Bytes};
use serde::Serialize;

use crate::http::accept::preferred;

/// The encoding of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// One JSON record per line.
    Lines,
    /// Server-sent events, named after the types of the records.
    Events,
}

/// The offered media types. If the quality is equal, the first one wins. `None` means one body.
const OFFERS: [(Option<Encoding>, &str, &str); 3] = [
    (None, "application", "json"),
    (Some(Encoding::Lines), "application", "x-ndjson"),
    (Some(Encoding::Events), "text", "event-stream"),
];

impl Encoding {
    /// Returns the encoding that the `Accept` header prefers; `None` means one body, which is the
    /// default.
    pub(super) fn accepted(request: &HttpRequest) -> Option<Self> {
        preferred(request, &OFFERS).flatten()
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

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn negotiates_the_media_type_with_json_as_the_default() {
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
            (
                "application/x-ndjson;q=0.5, text/event-stream;q=0.8, */*;q=0.1",
                events,
            ),
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
            let request = TestRequest::default()
                .insert_header(("Accept", accept))
                .to_http_request();
            assert_eq!(Encoding::accepted(&request), expected, "{accept}");
        }
        assert_eq!(
            Encoding::accepted(&TestRequest::default().to_http_request()),
            None
        );
    }

    #[test]
    fn encodes_a_record_as_a_line_or_an_event() {
        let record = serde_json::json!({"type": "x", "text": "a\nb\r\u{2028}"});
        let json = "{\"type\":\"x\",\"text\":\"a\\nb\\r\u{2028}\"}";
        assert_eq!(
            Encoding::Lines.write("x", &record).unwrap(),
            format!("{json}\n")
        );
        assert_eq!(
            Encoding::Events.write("x", &record).unwrap(),
            format!("event: x\ndata: {json}\n\n")
        );
    }
}
