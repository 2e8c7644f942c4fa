//! The keys by which clients prove who they are. The server knows only their hashes.

use std::{borrow::Cow, fmt, str::FromStr};

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// What every key begins with, so that people and programs know one when they see it.
pub const PREFIX: &str = "rookery-key-";
/// Bytes of chance in a key.
const KEY_BYTES: usize = 32;

/// A new key, of the operating system's randomness.
///
/// # Errors
/// The operating system has none to give.
pub fn generate() -> Result<String, getrandom::Error> {
    let mut bytes = [0; KEY_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(format!("{PREFIX}{}", Hexadecimal(&bytes)))
}

/// `text` with a star for each character of a key that stands in it.
pub(crate) fn concealed(text: &str) -> Cow<'_, str> {
    if !text.contains(PREFIX) {
        return Cow::Borrowed(text);
    }
    let mut concealed = String::with_capacity(text.len());
    for (number, part) in text.split(PREFIX).enumerate() {
        let secret = if number == 0 {
            0
        } else {
            concealed.push_str(PREFIX);
            part.find(|character: char| !character.is_ascii_alphanumeric()).unwrap_or(part.len())
        };
        concealed.extend(std::iter::repeat_n('*', secret));
        concealed.push_str(&part[secret..]);
    }
    Cow::Owned(concealed)
}

/// The SHA-256 of a key. Comparing two takes the same time wherever they differ.
#[derive(Clone, Copy)]
pub struct KeyDigest([u8; 32]);

impl KeyDigest {
    /// Of a key.
    pub fn of(key: &[u8]) -> Self {
        Self(Sha256::digest(key).into())
    }
}

impl PartialEq for KeyDigest {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for KeyDigest {}

impl fmt::Display for KeyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hexadecimal(&self.0).fmt(f)
    }
}

impl fmt::Debug for KeyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyDigest")
    }
}

/// A text that is no SHA-256 in hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not 64 hexadecimal digits")]
pub struct ParseDigestError;

impl FromStr for KeyDigest {
    type Err = ParseDigestError;

    fn from_str(text: &str) -> Result<Self, ParseDigestError> {
        let mut digest = [0; 32];
        let pairs = text.as_bytes().chunks_exact(2);
        if text.len() != 2 * digest.len() || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(ParseDigestError);
        }
        for (byte, pair) in digest.iter_mut().zip(pairs) {
            let pair = std::str::from_utf8(pair).map_err(|_| ParseDigestError)?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| ParseDigestError)?;
        }
        Ok(Self(digest))
    }
}

struct Hexadecimal<'a>(&'a [u8]);

impl fmt::Display for Hexadecimal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_the_sha256_of_the_key_and_reads_as_it_is_written() {
        let digest = KeyDigest::of(b"abc");
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest.to_string(), text);
        assert_eq!(text.parse(), Ok(digest));
        assert_eq!(text.to_uppercase().parse(), Ok(digest));
        assert_ne!(digest, KeyDigest::of(b"abd"));
        for wrong in ["", &text[1..], &format!("{text}0"), &text.replace('b', "+"), &"é".repeat(32)] {
            assert_eq!(wrong.parse::<KeyDigest>(), Err(ParseDigestError), "{wrong}");
        }
    }

    #[test]
    fn no_two_keys_are_alike() {
        let keys: std::collections::BTreeSet<_> = (0..100).map(|_| generate().unwrap()).collect();
        assert_eq!(keys.len(), 100);
        for key in keys {
            assert_eq!(key.len(), PREFIX.len() + 2 * KEY_BYTES);
            assert_eq!(concealed(&key), format!("{PREFIX}{}", "*".repeat(2 * KEY_BYTES)));
        }
    }

    #[test]
    fn conceals_every_key_of_a_text_and_nothing_else() {
        assert_eq!(concealed("key = 3"), "key = 3");
        assert_eq!(
            concealed("a 'rookery-key-0aZ9' rookery-key- é rookery-key-ab!c"),
            "a 'rookery-key-****' rookery-key- é rookery-key-**!c"
        );
    }
}
