//! Frames on the socket between host and worker: a four-byte length (little-endian) followed by a
//! value in postcard encoding.

use std::io::{self, Read, Write};

use serde::{Serialize, de::DeserializeOwned};

/// The longest frame that is sent or accepted.
pub const MAX_FRAME_BYTES: usize = 256 * 1024;

/// Why a frame could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    #[error("the other side closed the socket")]
    Closed,
    #[error("the socket failed")]
    Socket(#[source] io::Error),
    #[error("a frame has {0} bytes; at most {MAX_FRAME_BYTES} are allowed")]
    TooLong(usize),
    #[error("a frame is malformed")]
    Malformed(#[source] postcard::Error),
}

impl From<io::Error> for FrameError {
    fn from(error: io::Error) -> Self {
        use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
        match error.kind() {
            UnexpectedEof | ConnectionReset | BrokenPipe => Self::Closed,
            _ => Self::Socket(error),
        }
    }
}

/// Encodes a value as a frame, including the frame's length.
///
/// # Errors
/// The value is too long for a frame.
pub fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, FrameError> {
    let mut frame = postcard::to_extend(value, vec![0; 4]).map_err(FrameError::Malformed)?;
    let length = frame.len() - 4;
    frame[..4].copy_from_slice(&frame_length(length)?.to_le_bytes());
    Ok(frame)
}

/// Decodes the value in a frame's body, which excludes the length.
///
/// # Errors
/// The bytes are not exactly one value of this type.
pub fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, FrameError> {
    match postcard::take_from_bytes(body).map_err(FrameError::Malformed)? {
        (value, []) => Ok(value),
        _ => Err(FrameError::Malformed(
            postcard::Error::DeserializeBadEncoding,
        )),
    }
}

/// Returns the length of a frame's body.
///
/// # Errors
/// The length exceeds [`MAX_FRAME_BYTES`].
pub fn body_length(header: [u8; 4]) -> Result<usize, FrameError> {
    let length = u32::from_le_bytes(header) as usize;
    frame_length(length).map(|_| length)
}

fn frame_length(length: usize) -> Result<u32, FrameError> {
    u32::try_from(length)
        .ok()
        .filter(|_| length <= MAX_FRAME_BYTES)
        .ok_or(FrameError::TooLong(length))
}

/// Reads a frame. Blocks until it is complete.
///
/// # Errors
/// The socket failed or was closed, or the bytes are not a frame of this type.
pub fn read_frame<T: DeserializeOwned>(socket: &mut impl Read) -> Result<T, FrameError> {
    let mut header = [0; 4];
    socket.read_exact(&mut header)?;
    let mut body = vec![0; body_length(header)?];
    socket.read_exact(&mut body)?;
    decode(&body)
}

/// Writes a frame. Blocks until the kernel has accepted it.
///
/// # Errors
/// The socket failed or was closed, or the value is too long for a frame.
pub fn write_frame<T: Serialize>(socket: &mut impl Write, value: &T) -> Result<(), FrameError> {
    Ok(socket.write_all(&encode(value)?)?)
}

#[cfg(test)]
mod tests {
    use ai_api::{Limits, Move, OptionSetting, OptionValue};

    use super::*;
    use crate::{Job, Request, RequestId, SearchParams, Task, Wanted};

    fn request() -> Request {
        let job = Job {
            fresh: false,
            fen: "8/8".into(),
            moves: vec![Move::from_bits(12)],
            task: Task::Search(Limits {
                depth: Some(3),
                ..Limits::nodes(7)
            }),
            params: SearchParams {
                lines: 2,
                ..SearchParams::default()
            },
            options: vec![OptionSetting {
                name: "style".into(),
                value: OptionValue::Text("wild".into()),
            }],
        };
        Request::Run(3, RequestId::given(b"a-1"), job, Wanted::Iterations)
    }

    #[test]
    fn reads_written_frames() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, &request()).unwrap();
        write_frame(&mut bytes, &Request::NewGame(3)).unwrap();
        let mut reader = bytes.as_slice();
        assert_eq!(read_frame::<Request>(&mut reader).unwrap(), request());
        assert_eq!(
            read_frame::<Request>(&mut reader).unwrap(),
            Request::NewGame(3)
        );
        assert!(matches!(
            read_frame::<Request>(&mut reader),
            Err(FrameError::Closed)
        ));
    }

    #[test]
    fn rejects_long_frames_without_reading_them() {
        let mut reader = &u32::MAX.to_le_bytes()[..];
        assert!(matches!(
            read_frame::<Request>(&mut reader),
            Err(FrameError::TooLong(_))
        ));
        let long = Request::Configure(vec![OptionSetting {
            name: "x".repeat(MAX_FRAME_BYTES),
            value: OptionValue::Flag(true),
        }]);
        assert!(matches!(encode(&long), Err(FrameError::TooLong(_))));
    }

    #[test]
    fn rejects_malformed_values_and_trailing_bytes() {
        let frame = encode(&request()).unwrap();
        for length in 4..frame.len() {
            assert!(
                decode::<Request>(&frame[4..length]).is_err(),
                "{length} bytes"
            );
        }
        let mut long = frame[4..].to_vec();
        long.push(0);
        assert!(decode::<Request>(&long).is_err());
    }
}
