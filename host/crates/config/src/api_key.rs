//! Client keys. The server stores only their hashes.

use std::{borrow::Cow, fmt, str::FromStr};

use subtle::ConstantTimeEq as _;

use library::sha256::{Hexadecimal, ParseSumError, Sha256Sum};

/// The prefix of every key. It makes keys easy to find in text.
pub const PREFIX: &str = "rookery-key-";
/// The number of random bytes in a key.
const KEY_BYTES: usize = 32;

/// Returns a new random key.
///
/// # Errors
/// The operating system cannot provide random bytes.
pub fn generate() -> Result<String, getrandom::Error> {
    let mut bytes = [0; KEY_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(format!("{PREFIX}{}", Hexadecimal(&bytes)))
}

/// Returns the byte position of the first key prefix in `text`, ignoring case.
fn first_prefix(text: &str) -> Option<usize> {
    text.as_bytes()
        .windows(PREFIX.len())
        .position(|start| start.eq_ignore_ascii_case(PREFIX.as_bytes()))
}

/// Returns whether the text contains the prefix of a key.
pub fn has_key(text: &str) -> bool {
    first_prefix(text).is_some()
}

/// Replaces each character of the keys in `text` with an asterisk.
pub fn concealed(text: &str) -> Cow<'_, str> {
    if !has_key(text) {
        return Cow::Borrowed(text);
    }
    let (mut concealed, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(start) = first_prefix(rest) {
        let (shown, secret) = rest.split_at(start + PREFIX.len());
        let is_other = |character: char| !character.is_ascii_alphanumeric();
        let ends = [
            secret.find(is_other),
            first_prefix(secret),
            Some(secret.len()),
        ];
        let end = ends.into_iter().flatten().min().unwrap_or_default();
        concealed.push_str(shown);
        concealed.extend(std::iter::repeat_n('*', end));
        rest = &secret[end..];
    }
    concealed.push_str(rest);
    Cow::Owned(concealed)
}

/// The SHA-256 of a key. Comparing two digests takes constant time.
#[derive(Clone, Copy)]
pub struct KeyDigest(Sha256Sum);

impl KeyDigest {
    pub fn of(key: &[u8]) -> Self {
        Self(Sha256Sum::of(key))
    }
}

impl PartialEq for KeyDigest {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_bytes().ct_eq(other.0.as_bytes()).into()
    }
}

impl Eq for KeyDigest {}

impl fmt::Display for KeyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for KeyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyDigest")
    }
}

impl FromStr for KeyDigest {
    type Err = ParseSumError;

    fn from_str(text: &str) -> Result<Self, ParseSumError> {
        text.parse().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_the_sha256_of_the_key() {
        let digest = KeyDigest::of(b"abc");
        assert_eq!(digest.to_string(), Sha256Sum::of(b"abc").to_string());
        assert_eq!(digest.to_string().parse(), Ok(digest));
        assert_ne!(digest, KeyDigest::of(b"abd"));
    }

    #[test]
    fn generates_different_keys() {
        let keys: std::collections::BTreeSet<_> = (0..100).map(|_| generate().unwrap()).collect();
        assert_eq!(keys.len(), 100);
        for key in keys {
            assert_eq!(key.len(), PREFIX.len() + 2 * KEY_BYTES);
            assert_eq!(
                concealed(&key),
                format!("{PREFIX}{}", "*".repeat(2 * KEY_BYTES))
            );
        }
    }

    #[test]
    fn conceals_keys_and_nothing_else() {
        assert_eq!(concealed("key = 3"), "key = 3");
        assert_eq!(
            concealed("a 'rookery-key-0aZ9' rookery-key- é rookery-key-ab!c"),
            "a 'rookery-key-****' rookery-key- é rookery-key-**!c"
        );
        assert_eq!(
            concealed("éROOKERY-KEY-0AZ9 Rookery-Key-ab"),
            "éROOKERY-KEY-**** Rookery-Key-**"
        );
        assert_eq!(
            concealed("rookery-key-rookery-key-ab"),
            "rookery-key-rookery-key-**"
        );
    }
}
