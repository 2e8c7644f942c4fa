//! Decodes a worker's bytes into frames.

use serde::de::DeserializeOwned;

use protocol::{self, FrameError};

/// Holds the received bytes that have not been decoded yet. Decoding time is linear in the number
/// of bytes, however short the frames are.
#[derive(Debug, Default)]
pub struct FrameDecoder {
    bytes: Vec<u8>,
    /// The offset of the next frame.
    start: usize,
}

impl FrameDecoder {
    /// Returns the next frame if it is complete.
    ///
    /// # Errors
    /// The bytes are not a frame, or the frame is too long.
    pub fn next_frame<T: DeserializeOwned>(&mut self) -> Result<Option<T>, FrameError> {
        let Some((header, rest)) = self.bytes[self.start..].split_first_chunk::<4>() else {
            return Ok(None);
        };
        let length = protocol::body_length(*header)?;
        let Some(body) = rest.get(..length) else {
            return Ok(None);
        };
        let value = protocol::decode(body)?;
        self.start += 4 + length;
        Ok(Some(value))
    }

    /// Returns the buffer for more bytes.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        self.bytes.drain(..self.start);
        self.start = 0;
        &mut self.bytes
    }
}

#[cfg(test)]
mod tests {
    use ai_api::{Score, SearchInfo};

    use super::*;
    use protocol::{Iteration, MAX_FRAME_BYTES, WorkerReply, encode};

    fn report(number: u64) -> WorkerReply {
        WorkerReply::Iteration(
            number,
            Iteration::from(&SearchInfo::new(3, Score::DRAW, 9, &[])),
        )
    }

    #[test]
    fn decodes_frames_from_pieces_of_any_size() {
        let bytes: Vec<u8> = (0..100)
            .flat_map(|number| encode(&report(number)).unwrap())
            .collect();
        for step in [1, 2, 3, 7, 64, bytes.len()] {
            let mut decoder = FrameDecoder::default();
            let mut numbers = Vec::new();
            for part in bytes.chunks(step) {
                decoder.buffer().extend(part);
                while let Some(reply) = decoder.next_frame::<WorkerReply>().unwrap() {
                    assert_eq!(reply, report(numbers.len() as u64));
                    numbers.push(reply);
                }
            }
            assert_eq!(numbers.len(), 100, "{step} bytes at a time");
            assert!(decoder.buffer().is_empty());
        }
    }

    #[test]
    fn rejects_a_length_that_exceeds_the_limit() {
        let mut decoder = FrameDecoder::default();
        decoder
            .buffer()
            .extend((MAX_FRAME_BYTES as u32 + 1).to_le_bytes());
        assert!(matches!(
            decoder.next_frame::<WorkerReply>(),
            Err(FrameError::TooLong(_))
        ));
    }
}
