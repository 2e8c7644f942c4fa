//! Decodes the bytes from a worker into frames.

use serde::de::DeserializeOwned;

use protocol::{self, FrameError};

/// The received bytes that are not decoded yet. Decoding takes time linear in the bytes, however short the frames are.
#[derive(Debug, Default)]
pub struct Received {
    bytes: Vec<u8>,
    /// The offset of the next frame.
    start: usize,
}

impl Received {
    /// Returns the next frame, if it is complete.
    ///
    /// # Errors
    /// The bytes are no frame, or the frame is too long.
    pub fn next_frame<T: DeserializeOwned>(&mut self) -> Result<Option<T>, FrameError> {
        let Some((header, rest)) = self.bytes[self.start..].split_first_chunk::<4>() else { return Ok(None) };
        let length = protocol::body_length(*header)?;
        let Some(body) = rest.get(..length) else { return Ok(None) };
        let value = protocol::decode(body)?;
        self.start += 4 + length;
        Ok(Some(value))
    }

    /// The buffer, to append to.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        self.bytes.drain(..self.start);
        self.start = 0;
        &mut self.bytes
    }
}

#[cfg(test)]
mod tests {
    use ai_api::{Bound, Score};

    use super::*;
    use protocol::{Iteration, MAX_FRAME_BYTES, Reply, encode};

    fn report(number: u64) -> Reply {
        Reply::Report(
            number,
            Iteration {
                depth: 3,
                score: Score::DRAW,
                nodes: 9,
                bound: Bound::Exact,
                wdl: None,
                pv: Vec::new(),
                pv_number: 1,
                selective_depth: 0,
            },
        )
    }

    #[test]
    fn frames_come_out_whole_however_they_came_in() {
        let bytes: Vec<u8> = (0..100).flat_map(|number| encode(&report(number)).unwrap()).collect();
        for step in [1, 2, 3, 7, 64, bytes.len()] {
            let mut received = Received::default();
            let mut numbers = Vec::new();
            for part in bytes.chunks(step) {
                received.buffer().extend(part);
                while let Some(reply) = received.next_frame::<Reply>().unwrap() {
                    assert_eq!(reply, report(numbers.len() as u64));
                    numbers.push(reply);
                }
            }
            assert_eq!(numbers.len(), 100, "{step} bytes at a time");
            assert!(received.buffer().is_empty());
        }
    }

    #[test]
    fn a_length_that_no_frame_has_is_refused_before_its_bytes_come() {
        let mut received = Received::default();
        received.buffer().extend((MAX_FRAME_BYTES as u32 + 1).to_le_bytes());
        assert!(matches!(received.next_frame::<Reply>(), Err(FrameError::TooLong(_))));
    }
}
