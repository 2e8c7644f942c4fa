//! Frames between the host and a worker.

use std::fmt::Debug;

use ::pool::FrameDecoder;
use ::protocol::{MAX_FRAME_BYTES, Request, WorkerReply, decode, encode, read_frame};
use serde::{Serialize, de::DeserializeOwned};

/// Decodes a frame. Either it is rejected, or its value round-trips. The first byte selects whether
/// the worker or the host reads it.
pub fn worker_frames(data: &[u8]) {
    match data {
        [side, frame @ ..] if side & 1 == 0 => check::<Request>(frame),
        [_, frame @ ..] => check::<WorkerReply>(frame),
        [] => {}
    }
}

fn check<T: Serialize + DeserializeOwned + Debug>(data: &[u8]) {
    if let Ok(value) = decode::<T>(data) {
        // The new frame may be shorter, because numbers may be padded.
        let frame = encode(&value).expect("a decoded value fits into a frame");
        assert!(frame.len() <= data.len() + 4);
        let again = decode::<T>(&frame[4..]).expect("an encoded value can be decoded");
        assert_eq!(shown(&again), shown(&value));
    }
    let mut socket = data;
    while let Ok(value) = read_frame::<T>(&mut socket) {
        assert!(encode(&value).is_ok());
    }
}

/// Returns a value in a form to compare, because NaN in an option does not equal itself.
fn shown(value: &impl Debug) -> String {
    format!("{value:?}")
}

/// Checks that the replies do not depend on the sizes of the reads. The first byte sets the size.
pub fn frame_decoder(data: &[u8]) {
    let [step, stream @ ..] = data else { return };
    let whole = replies(stream, stream.len().max(1));
    let pieces = replies(stream, usize::from(*step).max(1));
    assert_eq!(pieces, whole);
}

/// Decodes a stream in pieces of `step` bytes. Returns the replies as text, and the error that
/// ended the decoding.
fn replies(stream: &[u8], step: usize) -> (Vec<String>, Option<String>) {
    let mut decoder = FrameDecoder::default();
    let mut replies = Vec::new();
    for piece in stream.chunks(step) {
        decoder.buffer().extend(piece);
        loop {
            match decoder.next_frame::<WorkerReply>() {
                Ok(Some(reply)) => replies.push(shown(&reply)),
                Ok(None) => break,
                Err(error) => return (replies, Some(error.to_string())),
            }
        }
        let buffered = decoder.buffer().len();
        assert!(
            buffered < 4 + MAX_FRAME_BYTES + step,
            "{buffered} bytes are buffered"
        );
    }
    (replies, None)
}
