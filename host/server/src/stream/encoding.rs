//! How a client wants its answer: whole, or record by record in one of two encodings.

use actix_web::{
    HttpRequest,
    http::header::{Accept, Header as _},
    web::Bytes,
};
use serde::Serialize;

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// JSON, a record on each line.
    Lines,
    /// Server-sent events, whose names are the types of the records.
    Events,
}

/// What an answer can look like, the first first where a client likes several as much. `None` is whole.
const OFFERS: [(Option<Encoding>, &str, &str); 3] = [
    (None, "application", "json"),
    (Some(Encoding::Lines), "application", "x-ndjson"),
    (Some(Encoding::Events), "text", "event-stream"),
];

impl Encoding {
    /// What the request's `Accept` likes best; none is the answer as a whole, which is for everybody who does not ask for
    /// anything else.
    pub(super) fn wanted(request: &HttpRequest) -> Option<Self> {
        let accept = Accept::parse(request).ok()?;
        let liked = OFFERS.iter().filter_map(|(encoding, kind, subtype)| {
            let (specific, quality) = liking(&accept, kind, subtype)?;
            // Who names a type beside a wildcard means the type.
            Some(((quality, specific), *encoding))
        });
        let best = liked.reduce(|best, other| if other.0 > best.0 { other } else { best });
        best.and_then(|(_, encoding)| encoding)
    }

    /// The media type.
    pub(super) const fn content_type(self) -> &'static str {
        match self {
            Self::Lines => "application/x-ndjson",
            Self::Events => "text/event-stream",
        }
    }

    /// The bytes of a record of this type.
    pub(super) fn write(self, name: &str, record: &impl Serialize) -> serde_json::Result<Bytes> {
        let json = serde_json::to_string(record)?;
        Ok(match self {
            Self::Lines => format!("{json}\n").into(),
            Self::Events => format!("event: {name}\ndata: {json}\n\n").into(),
        })
    }
}

/// How much a client likes a media type, in thousandths, as what it says most specifically of it has it; nothing where it
/// does not like it at all.
fn liking(accept: &Accept, kind: &str, subtype: &str) -> Option<(u8, u16)> {
    let said = accept.iter().filter_map(|said| {
        let specific = match (said.item.type_().as_str(), said.item.subtype().as_str()) {
            ("*", "*") => 0,
            (said, "*") if said == kind => 1,
            (said, rest) if said == kind && rest == subtype => 2,
            _ => return None,
        };
        let quality = (said.quality.to_string().parse::<f32>().ok()? * 1000.0).round() as u16;
        Some((specific, quality))
    });
    said.max().filter(|(_, quality)| *quality > 0)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn negotiates_the_media_type_with_json_as_default() {
        let (lines, events) = (Some(Encoding::Lines), Some(Encoding::Events));
        for (accept, wanted) in [
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
            assert_eq!(Encoding::wanted(&request), wanted, "{accept}");
        }
        assert_eq!(Encoding::wanted(&TestRequest::default().to_http_request()), None);
    }

    #[test]
    fn encodes_a_record_as_a_line_or_an_event() {
        let record = serde_json::json!({"type": "x", "text": "a\nb\r\u{2028}"});
        let json = "{\"text\":\"a\\nb\\r\u{2028}\",\"type\":\"x\"}";
        assert_eq!(Encoding::Lines.write("x", &record).unwrap(), format!("{json}\n"));
        assert_eq!(Encoding::Events.write("x", &record).unwrap(), format!("event: x\ndata: {json}\n\n"));
    }
}
