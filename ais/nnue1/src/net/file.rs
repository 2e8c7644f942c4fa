//! Network files.
//!
//! All numbers are little-endian. The header has 32 bytes: the magic, the version (u32), the width
//! (u32), the number of inputs (u32), the number of bytes after the header (u32) and their checksum
//! (u64, FNV-1a). The weights follow: hidden layer, its bias, output, and the output bias (i32). A
//! weight from -127 to 127 takes one byte (i8). Any other takes the byte -128 and two more (i16).

use std::{fmt, fs, io::Read, path::Path};

use super::{INPUTS, LANES, MAX_HIDDEN_WEIGHT, MAX_OUTPUT_WEIGHT, MAX_WIDTH, Net};

const MAGIC: [u8; 8] = *b"rooknet\n";
const VERSION: u32 = 2;
const HEADER_BYTES: usize = 32;
/// Announces a two-byte weight.
const LONG_WEIGHT: i8 = i8::MIN;
const MAX_PAYLOAD_BYTES: usize = 3 * MAX_WIDTH * (INPUTS + 1 + 2) + size_of::<i32>();

/// The reason why a file cannot be used as a network.
#[derive(Debug)]
#[non_exhaustive]
pub enum NetError {
    /// The file could not be read.
    Unreadable(std::io::Error),
    /// The file has no network header.
    NotANet,
    /// The file has a different format version.
    Version(u32),
    /// The width is not a multiple of 16 up to 256.
    Width(u32),
    /// The network has a different number of inputs.
    Inputs(u32),
    /// The file has too few or too many bytes.
    Length {
        /// The number that the header states.
        expected: usize,
        /// The number found.
        found: usize,
    },
    /// The checksum does not match the weights.
    Checksum,
    /// The file has too few or too many weights.
    Count,
    /// A weight would overflow.
    Weight {
        /// The greatest absolute value of such a weight.
        limit: i16,
        /// The weight.
        found: i16,
    },
}

impl fmt::Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "cannot read the network: {error}"),
            Self::NotANet => {
                f.write_str("not a network; expected a file written by `workshop train`")
            }
            Self::Version(found) => {
                write!(
                    f,
                    "the network has format version {found}; expected {VERSION}; train it again"
                )
            }
            Self::Width(found) => {
                write!(
                    f,
                    "the network has width {found}; expected a multiple of {LANES} up to \
                     {MAX_WIDTH}"
                )
            }
            Self::Inputs(found) => write!(f, "the network has {found} inputs; expected {INPUTS}"),
            Self::Length { expected, found } => {
                write!(
                    f,
                    "the network has {found} bytes; expected {expected}; copy the file again"
                )
            }
            Self::Checksum => {
                f.write_str("the checksum of the network differs; copy the file again")
            }
            Self::Count => f.write_str(
                "the network has too few or too many weights for its width; train it again",
            ),
            Self::Weight { limit, found } => {
                write!(
                    f,
                    "the network contains the weight {found}; expected -{limit} to {limit}"
                )
            }
        }
    }
}

impl std::error::Error for NetError {}

impl Net {
    /// Reads a network from a file.
    ///
    /// # Errors
    /// The file cannot be read or is not a valid network.
    pub fn read(path: &Path) -> Result<Self, NetError> {
        let file = fs::File::open(path).map_err(NetError::Unreadable)?;
        let mut bytes = Vec::new();
        // Reading one byte more than the largest network shows whether a file is too long.
        let limit = HEADER_BYTES + MAX_PAYLOAD_BYTES + 1;
        file.take(limit as u64)
            .read_to_end(&mut bytes)
            .map_err(NetError::Unreadable)?;
        Self::from_bytes(&bytes)
    }

    /// Reads a network from the bytes of a file.
    ///
    /// # Errors
    /// The bytes are not a valid network.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetError> {
        let (header, payload) = bytes
            .split_first_chunk::<HEADER_BYTES>()
            .ok_or(NetError::NotANet)?;
        if !header.starts_with(&MAGIC) {
            return Err(NetError::NotANet);
        }
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| header[at + byte]));
        let [version, width, inputs, length, low, high] = [8, 12, 16, 20, 24, 28].map(number);
        let checksum = u64::from(high) << 32 | u64::from(low);
        if version != VERSION {
            return Err(NetError::Version(version));
        }
        if !Self::is_width(width as usize) {
            return Err(NetError::Width(width));
        }
        if inputs as usize != INPUTS {
            return Err(NetError::Inputs(inputs));
        }
        if length as usize != payload.len() {
            return Err(NetError::Length {
                expected: HEADER_BYTES + length as usize,
                found: bytes.len(),
            });
        }
        if fnv1a(payload) != checksum {
            return Err(NetError::Checksum);
        }
        let width = width as usize;
        let mut fields = Fields(payload);
        let hidden = fields.weights(INPUTS * width, MAX_HIDDEN_WEIGHT)?;
        let hidden_bias = fields.weights(width, MAX_HIDDEN_WEIGHT)?;
        let output = fields.weights(2 * width, MAX_OUTPUT_WEIGHT)?;
        let output_bias = i32::from_le_bytes(fields.take()?);
        if !fields.0.is_empty() {
            return Err(NetError::Count);
        }
        Ok(Self {
            width,
            hidden,
            hidden_bias,
            output,
            output_bias,
        })
    }

    /// Returns the bytes of a file with this network.
    pub fn to_bytes(&self) -> Vec<u8> {
        let weights = [&self.hidden, &self.hidden_bias, &self.output];
        let mut payload = Vec::new();
        for &weight in weights.into_iter().flatten() {
            match i8::try_from(weight) {
                Ok(short) if short != LONG_WEIGHT => payload.extend(short.to_le_bytes()),
                _ => {
                    payload.extend(LONG_WEIGHT.to_le_bytes());
                    payload.extend(weight.to_le_bytes());
                }
            }
        }
        payload.extend(self.output_bias.to_le_bytes());
        let mut bytes = MAGIC.to_vec();
        for number in [
            VERSION,
            self.width as u32,
            INPUTS as u32,
            payload.len() as u32,
        ] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(fnv1a(&payload).to_le_bytes());
        bytes.extend(payload);
        bytes
    }
}

/// Returns the 64-bit FNV-1a hash (Fowler, Noll, Vo).
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The bytes left to read.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], NetError> {
        let (field, rest) = self.0.split_first_chunk().ok_or(NetError::Count)?;
        self.0 = rest;
        Ok(*field)
    }

    fn weight(&mut self) -> Result<i16, NetError> {
        match i8::from_le_bytes(self.take()?) {
            LONG_WEIGHT => Ok(i16::from_le_bytes(self.take()?)),
            short => Ok(short.into()),
        }
    }

    fn weights(&mut self, count: usize, limit: i16) -> Result<Vec<i16>, NetError> {
        let weights = (0..count)
            .map(|_| self.weight())
            .collect::<Result<Vec<_>, _>>()?;
        match weights
            .iter()
            .find(|weight| weight.unsigned_abs() > limit.unsigned_abs())
        {
            Some(&found) => Err(NetError::Weight { limit, found }),
            None => Ok(weights),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::random_net, *};

    #[test]
    fn networks_round_trip_through_bytes() {
        let mut net = random_net(32, 1);
        net.hidden[..6].copy_from_slice(&[
            127,
            -127,
            128,
            -128,
            MAX_HIDDEN_WEIGHT,
            -MAX_HIDDEN_WEIGHT,
        ]);
        let bytes = net.to_bytes();
        assert_eq!(
            bytes.len(),
            HEADER_BYTES + 32 * (INPUTS + 1 + 2) + 4 * 2 + 4,
            "four weights take two more bytes"
        );
        assert_eq!(Net::from_bytes(&bytes).unwrap(), net);
    }

    #[test]
    fn reads_the_embedded_network() {
        assert_eq!(
            Net::embedded().to_bytes(),
            include_bytes!("../../net/nnue1.net")
        );
    }

    #[test]
    fn rejects_files_that_are_not_networks() {
        let good = random_net(16, 2).to_bytes();
        let changed = |at: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[at] = byte;
            Net::from_bytes(&bytes)
                .expect_err("the bytes are wrong")
                .to_string()
        };
        let error = |bytes: &[u8]| {
            Net::from_bytes(bytes)
                .expect_err("the bytes are wrong")
                .to_string()
        };
        assert!(error(b"").contains("not a network"));
        assert!(changed(0, b'R').contains("not a network"));
        assert!(changed(8, 9).contains("format version 9; expected 2"));
        assert!(changed(12, 17).contains("width 17; expected a multiple of 16 up to 256"));
        assert!(changed(12, 0).contains("width 0"));
        assert!(changed(16, 1).contains("769 inputs; expected 768"));
        assert!(changed(24, good[24] ^ 1).contains("checksum"));
        assert!(changed(100, good[100] ^ 1).contains("checksum"));
        let too_short = format!("{} bytes; expected {}", good.len() - 1, good.len());
        assert!(error(&good[..good.len() - 1]).contains(&too_short));
        assert!(error(&[&good[..], &[0]].concat()).contains("bytes; expected"));
    }

    #[test]
    fn rejects_files_with_too_few_or_too_many_weights() {
        let net = random_net(16, 4);
        for count in [INPUTS * 16 - 1, INPUTS * 16 + 1] {
            let mut other = net.clone();
            other.hidden.resize(count, 1);
            let error = Net::from_bytes(&other.to_bytes())
                .expect_err("the number is wrong")
                .to_string();
            assert_eq!(
                error,
                "the network has too few or too many weights for its width; train it again"
            );
        }
    }

    #[test]
    fn rejects_weights_that_would_overflow() {
        let mut net = random_net(16, 3);
        net.output[5] = -128;
        let error = Net::from_bytes(&net.to_bytes())
            .expect_err("the weight is too great")
            .to_string();
        assert_eq!(
            error,
            "the network contains the weight -128; expected -127 to 127"
        );
    }

    #[test]
    fn names_the_file_that_cannot_be_read() {
        let error = Net::read(Path::new("/nonexistent.net"))
            .expect_err("the file does not exist")
            .to_string();
        assert!(
            error.contains("cannot read the network: No such file"),
            "{error}"
        );
    }
}
