//! SHA-256 sums in hexadecimal.

use std::{fmt, str::FromStr};

use sha2::{Digest as _, Sha256};

/// The SHA-256 of some bytes, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256Sum([u8; 32]);

impl Sha256Sum {
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<Sha256> for Sha256Sum {
    fn from(hasher: Sha256) -> Self {
        Self(hasher.finalize().into())
    }
}

impl fmt::Display for Sha256Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hexadecimal(&self.0).fmt(f)
    }
}

impl fmt::Debug for Sha256Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not 64 hexadecimal digits")]
pub struct ParseSumError;

impl FromStr for Sha256Sum {
    type Err = ParseSumError;

    fn from_str(text: &str) -> Result<Self, ParseSumError> {
        let mut sum = [0; 32];
        if text.len() != 2 * sum.len() || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(ParseSumError);
        }
        for (index, byte) in sum.iter_mut().enumerate() {
            let digits = &text[2 * index..2 * index + 2];
            *byte = u8::from_str_radix(digits, 16).map_err(|_| ParseSumError)?;
        }
        Ok(Self(sum))
    }
}

pub struct Hexadecimal<'a>(pub &'a [u8]);

impl fmt::Display for Hexadecimal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_only_64_hexadecimal_digits() {
        let sum = Sha256Sum::of(b"abc");
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sum.to_string(), text);
        assert_eq!(text.parse(), Ok(sum));
        assert_eq!(text.to_uppercase().parse(), Ok(sum));
        assert_ne!(sum, Sha256Sum::of(b"abd"));
        for wrong in [
            "",
            &text[1..],
            &format!("{text}0"),
            &text.replace('b', "+"),
            &"é".repeat(32),
        ] {
            assert_eq!(wrong.parse::<Sha256Sum>(), Err(ParseSumError), "{wrong}");
        }
    }
}
