//! The id of a request.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

const MAX_CHARS: usize = 128;

/// The id of a request in its reply, its log lines and its job's frame.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RequestId(String);

impl RequestId {
    pub fn generate() -> Self {
        Self(Uuid::new_v4().to_string())
    }

    /// Returns the id that a client or a proxy sent; `None` if the id is invalid. A valid id has 1
    /// to 128 characters: letters, digits, `-`, `_` and `.`.
    pub fn given(id: &[u8]) -> Option<Self> {
        let is_allowed =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let id = std::str::from_utf8(id).ok()?;
        let is_id = (1..=MAX_CHARS).contains(&id.len()) && id.as_bytes().iter().all(is_allowed);
        is_id.then(|| Self(id.to_owned()))
    }

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
    fn accepts_short_ids_of_plain_characters() {
        for good in [
            "a",
            "0af7651916cd43dd8448eb211c80319c",
            "Root=1-67891233_abc.d",
            &"x".repeat(128),
        ] {
            let given = RequestId::given(good.replace('=', "-").as_bytes()).unwrap();
            assert_eq!(given.as_str(), good.replace('=', "-"));
        }
        for bad in [
            "",
            "a b",
            "a\r\nb: c",
            "ä",
            "a=1",
            "\u{7f}",
            &"x".repeat(129),
        ] {
            assert_eq!(RequestId::given(bad.as_bytes()), None, "{bad:?}");
        }
        assert_eq!(RequestId::given(b"\xff"), None);
        assert_ne!(RequestId::generate(), RequestId::generate());
    }
}
