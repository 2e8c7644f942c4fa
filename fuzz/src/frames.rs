//! What host and worker say to each other.

use std::fmt::Debug;

use ::pool::FrameDecoder;
use ::protocol::{MAX_FRAME_BYTES, Reply, Request, decode, encode, read_frame};
use serde::{Serialize, de::DeserializeOwned};

/// A frame is a value of the protocol, or it is refused. The first byte says which side reads it.
pub fn worker_frames(data: &[u8]) {
    match data {
        [side, frame @ ..] if side & 1 == 0 => check::<Request>(frame),
        [_, frame @ ..] => check::<Reply>(frame),
        [] => {}
    }
}

fn check<T: Serialize + DeserializeOwned + PartialEq + Debug>(data: &[u8]) {
    if let Ok(value) = decode::<T>(data) {
        // What is written may be shorter: numbers can be read that are longer than they need to be.
        let frame = encode(&value).expect("what fits into a frame is written as one");
        assert!(frame.len() <= data.len() + 4);
        assert_eq!(decode::<T>(&frame[4..]).ok(), Some(value));
    }
    let mut socket = data;
    while let Ok(value) = read_frame::<T>(&mut socket) {
        assert!(encode(&value).is_ok());
    }
}

/// Replies come out the same however their bytes came in. The first byte says in which steps.
pub fn received(data: &[u8]) {
    let [step, stream @ ..] = data else { return };
    let whole = replies(stream, stream.len().max(1));
    let pieces = replies(stream, usize::from(*step).max(1));
    assert_eq!(pieces, whole);
}

/// The replies in a stream that comes in steps, and why it ended, if it did.
fn replies(stream: &[u8], step: usize) -> (Vec<Reply>, Option<String>) {
    let mut received = FrameDecoder::default();
    let mut replies = Vec::new();
    for piece in stream.chunks(step) {
        received.buffer().extend(piece);
        loop {
            match received.next_frame() {
                Ok(Some(reply)) => replies.push(reply),
                Ok(None) => break,
                Err(error) => return (replies, Some(error.to_string())),
            }
        }
        let waiting = received.buffer().len();
        assert!(waiting < 4 + MAX_FRAME_BYTES + step, "{waiting} bytes wait");
    }
    (replies, None)
}
