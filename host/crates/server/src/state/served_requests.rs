//! The latest requests that used an AI, in bounded memory. The oldest are forgotten first.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use actix_web::{HttpMessage as _, HttpRequest};
use api::served_request::leave_out;
use protocol::RequestId;
use serde_json::Value;

/// The memory of a request without its strings: twice its place in the queue (which doubles to
/// grow), the data that it refers to, and the overhead of each allocation.
const ENTRY_BYTES: usize =
    2 * size_of::<ServedRequest>() + size_of::<ServedQuestion>() + ALLOCATIONS * ALLOCATION_BYTES;
const ALLOCATIONS: usize = 8;
const ALLOCATION_BYTES: usize = 32;

/// The latest requests. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServedRequests(Arc<Mutex<Ring>>);

#[derive(Debug, Default)]
struct Ring {
    /// Numbered without gaps, starting at `forgotten`.
    kept: VecDeque<ServedRequest>,
    /// The number of requests that were kept and forgotten.
    forgotten: u64,
    /// The number of requests that were larger than `max_bytes`.
    too_large: u64,
    bytes: usize,
    max_bytes: usize,
}

/// A request that used an AI.
#[derive(Clone, Debug)]
pub(crate) struct ServedRequest {
    pub(crate) question: Arc<ServedQuestion>,
    /// The status and the reply in JSON; `None` while it runs or if its client has disconnected.
    pub(crate) answer: Option<(u16, Arc<str>)>,
}

/// The data needed to repeat a request. It contains neither the address nor the key of the client.
#[derive(Debug)]
pub(crate) struct ServedQuestion {
    /// The client can choose it, so several requests can have the same id.
    pub(crate) request_id: RequestId,
    pub(crate) time: SystemTime,
    pub(crate) client: Box<str>,
    pub(crate) path: Box<str>,
    pub(crate) query: Box<str>,
    /// In JSON.
    pub(crate) body: Box<str>,
    /// The requested AIs and the client's maxima, in JSON.
    pub(crate) asked: Box<str>,
}

/// Why no request with an id was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotKept {
    /// No requests are kept.
    Off,
    /// No request with this id has used an AI since the start.
    Unknown,
    /// No request with this id is kept, but some requests were forgotten or too large.
    Forgotten {
        forgotten: u64,
        too_large: u64,
        max_kb: usize,
    },
}

/// The place of a kept request, in the extensions of its `HttpRequest`.
#[derive(Clone, Debug)]
struct ServedTicket {
    requests: ServedRequests,
    number: u64,
}

impl ServedRequest {
    fn bytes(&self) -> usize {
        let ServedQuestion {
            request_id,
            time: _,
            client,
            path,
            query,
            body,
            asked,
        } = &*self.question;
        let texts = [request_id.as_str(), client, path, query, body, asked].map(str::len);
        let reply = self.answer.as_ref().map_or(0, |(_, reply)| reply.len());
        ENTRY_BYTES + texts.iter().sum::<usize>() + reply
    }
}

impl ServedRequests {
    /// Sets the memory limit and forgets requests that exceed it. 0 keeps no requests.
    pub(crate) fn resize(&self, max_kb: usize) {
        let mut ring = self.ring();
        ring.max_bytes = max_kb << 10;
        ring.forget();
        ring.kept.shrink_to_fit();
    }

    /// Returns whether a body of this length may be kept.
    pub(crate) fn has_room(&self, body_bytes: usize) -> bool {
        let mut ring = self.ring();
        let fits = ENTRY_BYTES + body_bytes <= ring.max_bytes;
        ring.too_large += u64::from(!fits);
        fits
    }

    /// Keeps a request that has just started until newer ones displace it. A request that is larger
    /// than the memory limit is not kept.
    pub(crate) fn keep(&self, request: &HttpRequest, question: ServedQuestion) {
        let served = ServedRequest {
            question: Arc::new(question),
            answer: None,
        };
        let mut ring = self.ring();
        if served.bytes() > ring.max_bytes {
            ring.too_large += 1;
            return;
        }
        let number = ring.forgotten + ring.kept.len() as u64;
        ring.bytes += served.bytes();
        ring.kept.push_back(served);
        ring.forget();
        drop(ring);
        request.extensions_mut().insert(ServedTicket {
            requests: self.clone(),
            number,
        });
    }

    /// Returns every kept request with an id, the oldest first.
    pub(crate) fn with_id(&self, id: &str) -> Result<Vec<ServedRequest>, NotKept> {
        let ring = self.ring();
        let has_id = |served: &&ServedRequest| served.question.request_id.as_str() == id;
        let found: Vec<_> = ring.kept.iter().filter(has_id).cloned().collect();
        let Ring {
            forgotten,
            too_large,
            max_bytes,
            ..
        } = *ring;
        match (found.is_empty(), max_bytes, forgotten + too_large) {
            (false, ..) => Ok(found),
            (true, 0, _) => Err(NotKept::Off),
            (true, _, 0) => Err(NotKept::Unknown),
            (true, ..) => Err(NotKept::Forgotten {
                forgotten,
                too_large,
                max_kb: max_bytes >> 10,
            }),
        }
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        // No panic leaves the ring half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ring {
    fn forget(&mut self) {
        while self.bytes > self.max_bytes
            && let Some(oldest) = self.kept.pop_front()
        {
            self.bytes -= oldest.bytes();
            self.forgotten += 1;
        }
    }

    fn answer(&mut self, number: u64, answer: (u16, Arc<str>)) {
        let index = number
            .checked_sub(self.forgotten)
            .and_then(|index| usize::try_from(index).ok());
        let Some(served) = index.and_then(|index| self.kept.get_mut(index)) else {
            return;
        };
        let (before, (status, reply)) = (served.bytes(), answer);
        // Keeping the request matters more than a reply that does not fit within the memory limit.
        let fits = before + reply.len() <= self.max_bytes;
        served.answer = Some((status, if fits { reply } else { "null".into() }));
        self.bytes = self.bytes - before + served.bytes();
        self.forget();
    }
}

/// Keeps the reply to a request if the request is kept. Calls `reply` only then.
pub(crate) fn keep_reply(
    request: &HttpRequest,
    status: u16,
    reply: impl FnOnce() -> Option<Value>,
) {
    // A second answer could only be a stream error after the reply.
    let ticket = request.extensions_mut().remove::<ServedTicket>();
    let Some(ServedTicket { requests, number }) = ticket else {
        return;
    };
    let mut reply = reply().unwrap_or_default();
    leave_out(&mut reply);
    let reply = reply.to_string().into();
    requests.ring().answer(number, (status, reply));
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;
    use serde_json::json;

    use super::*;

    fn question(id: &str, body: &str) -> ServedQuestion {
        ServedQuestion {
            request_id: RequestId::given(id.as_bytes()).unwrap(),
            time: SystemTime::UNIX_EPOCH,
            client: "bob".into(),
            path: "/v1/best-move".into(),
            query: "".into(),
            body: body.into(),
            asked: "{}".into(),
        }
    }

    fn requests(max_kb: usize) -> ServedRequests {
        let requests = ServedRequests::default();
        requests.resize(max_kb);
        requests
    }

    fn kept(requests: &ServedRequests, id: &str, body: &str) -> HttpRequest {
        let request = TestRequest::default().to_http_request();
        requests.keep(&request, question(id, body));
        request
    }

    fn bodies(requests: &ServedRequests, id: &str) -> Vec<String> {
        requests
            .with_id(id)
            .unwrap()
            .iter()
            .map(|served| served.question.body.to_string())
            .collect()
    }

    #[test]
    fn forgets_the_oldest_and_never_exceeds_the_memory() {
        let requests = requests(8);
        let body = "1".repeat(500);
        let open: Vec<_> = (0..100)
            .map(|number| kept(&requests, &format!("r{number}"), &body))
            .collect();
        let bytes = || requests.ring().bytes;
        assert!(
            bytes() <= 8 << 10 && bytes() > (8 << 10) - ENTRY_BYTES - 600,
            "{}",
            bytes()
        );
        let forgotten = requests.ring().forgotten;
        assert!((86..=95).contains(&forgotten), "{forgotten}");
        let expected = NotKept::Forgotten {
            forgotten,
            too_large: 0,
            max_kb: 8,
        };
        assert_eq!(requests.with_id("r0").unwrap_err(), expected);
        assert_eq!(bodies(&requests, "r99"), [body]);
        // Replies count toward the limit. A reply to a forgotten request has no effect.
        for request in &open {
            keep_reply(request, 200, || {
                Some(json!({"text": "2".repeat(1000), "game": "3".repeat(1000)}))
            });
            assert!(bytes() <= 8 << 10, "{}", bytes());
        }
        let (status, reply) = requests.with_id("r99").unwrap()[0].answer.clone().unwrap();
        assert_eq!((status, reply.len()), (200, 1011));
        let counted: usize = requests.ring().kept.iter().map(ServedRequest::bytes).sum();
        assert_eq!(counted, bytes());
    }

    #[test]
    fn a_large_request_displaces_no_other() {
        let requests = requests(2);
        let small = kept(&requests, "small", "1");
        kept(&requests, "large", &"1".repeat(2048));
        assert_eq!(bodies(&requests, "small"), ["1"]);
        let expected = NotKept::Forgotten {
            forgotten: 0,
            too_large: 1,
            max_kb: 2,
        };
        assert_eq!(requests.with_id("large").unwrap_err(), expected);
        keep_reply(&small, 200, || Some("2".repeat(2048).into()));
        assert_eq!(
            requests.with_id("small").unwrap()[0].answer,
            Some((200, "null".into()))
        );
        assert!(requests.has_room(2) && !requests.has_room(2048));
    }

    #[test]
    fn requests_with_equal_ids_get_separate_replies() {
        let requests = requests(64);
        let (one, other) = (kept(&requests, "same", "1"), kept(&requests, "same", "2"));
        keep_reply(&other, 502, || Some(json!("other")));
        keep_reply(&one, 200, || Some(json!("one")));
        // The first reply is kept.
        keep_reply(&one, 503, || panic!("it is not called"));
        let served = requests.with_id("same").unwrap();
        assert_eq!(bodies(&requests, "same"), ["1", "2"]);
        assert_eq!(served[0].answer, Some((200, "\"one\"".into())));
        assert_eq!(served[1].answer, Some((502, "\"other\"".into())));
        assert_eq!(requests.with_id("sam").unwrap_err(), NotKept::Unknown);
    }

    #[test]
    fn keeps_nothing_after_it_is_switched_off() {
        let requests = requests(64);
        let request = kept(&requests, "a", "1");
        requests.resize(0);
        keep_reply(&request, 200, || Some(json!(1)));
        kept(&requests, "b", "1");
        assert_eq!(requests.with_id("a").unwrap_err(), NotKept::Off);
        let ring = requests.ring();
        assert_eq!((ring.bytes, ring.kept.capacity()), (0, 0));
    }
}
