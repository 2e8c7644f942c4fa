//! The names of requests.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The most characters that a name of a client's own may have.
const MAX_CHARS: usize = 128;

tokio::task_local! {
    static CURRENT: Option<RequestId>;
}

/// The name of a request, in everything that is said about it: its reply, log lines, the frame in which its question goes
/// to a worker.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RequestId(String);

impl RequestId {
    /// A name that no other request has.
    pub fn generate() -> Self {
        Self(Uuid::new_v4().to_string())
    }

    /// The name that a client, or a proxy before the server, gave its request: 1 to 128 of letters, digits, `-`, `_` and `.`.
    /// None if it is something else.
    pub fn given(name: &[u8]) -> Option<Self> {
        let fits = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let name = std::str::from_utf8(name).ok()?;
        let is_name = (1..=MAX_CHARS).contains(&name.len()) && name.as_bytes().iter().all(fits);
        is_name.then(|| Self(name.to_owned()))
    }

    /// The name of the request that the calling task is answering, if it is one that has a name.
    pub fn current() -> Option<Self> {
        CURRENT.try_with(Clone::clone).ok().flatten()
    }

    /// Does the work of a request of this name, or of none.
    pub async fn scope<F: Future>(name: Option<Self>, work: F) -> F::Output {
        CURRENT.scope(name, work).await
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_short_and_plain() {
        for good in ["a", "0af7651916cd43dd8448eb211c80319c", "Root=1-67891233_abc.d", &"x".repeat(128)] {
            let given = RequestId::given(good.replace('=', "-").as_bytes()).unwrap();
            assert_eq!(given.as_str(), good.replace('=', "-"));
        }
        for bad in ["", "a b", "a\r\nb: c", "ä", "a=1", "\u{7f}", &"x".repeat(129)] {
            assert_eq!(RequestId::given(bad.as_bytes()), None, "{bad:?}");
        }
        assert_eq!(RequestId::given(b"\xff"), None);
        assert_ne!(RequestId::generate(), RequestId::generate());
    }
}
