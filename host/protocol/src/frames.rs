//! What host and worker say to each other: frames over a private socket, each four bytes of length (little-endian) and a
//! value in postcard's encoding.

use std::{
    fmt,
    io::{self, Read, Write},
};

use ai_api::{
    AiError, Bound, Capabilities, Clocks, EvalTerm, Limits, LogLevel, Move, OptionSetting, OptionSpec, Score,
    SearchResult, Wdl,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{RequestId, SandboxSettings};

/// Grows with every change to the frames; both sides are the same binary, so it only guards against mix-ups.
pub const PROTOCOL_VERSION: u32 = 9;

/// The longest frame that is sent or accepted.
pub const MAX_FRAME_BYTES: usize = 256 * 1024;

/// The most lines that an AI may be asked for.
pub const MAX_LINES: u32 = 64;
/// The most messages that an AI may log during a request.
pub const MAX_LOG_MESSAGES: u32 = 100;
/// The most nodes of a trace that an AI may be asked for. They fit into a frame, with as many lines.
pub const MAX_TRACE_NODES: u32 = 4000;

/// What an AI says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// A name for people.
    pub name: String,
    /// The AI's own version.
    pub version: String,
    /// Who wrote it; may be empty.
    pub author: String,
    /// The options that it takes.
    pub options: Vec<OptionSpec>,
    /// What it can do beyond the simplest, and what it needs.
    pub capabilities: Capabilities,
}

/// From the host to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// First of all: enter the sandbox, then load the library and let it describe itself with these options set.
    Load(SandboxSettings, Vec<OptionSetting>),
    /// Give the AI these options: make its instance, or another one in place of the old one, or set those that are live.
    Configure(Vec<OptionSetting>),
    /// Tell the AI that another game begins. Numbered like a question.
    NewGame(u64),
    /// Ask the AI something, for the request of this name. Every question of a worker has a new number.
    Ask(u64, Option<RequestId>, Job),
    /// The opponent has played what the question of this number expects: its time begins.
    PonderHit(u64),
    /// Let the AI answer the question of this number now.
    Stop(u64),
}

/// A question, complete in itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The first position of the game.
    pub fen: String,
    /// The moves since.
    pub moves: Vec<Move>,
    /// What is wanted.
    pub task: Task,
    /// What else is wanted of a search.
    pub wishes: SearchParams,
    /// The value of every option of the AI; nothing where they are as configured. A worker has heard of them before it hears
    /// of the question.
    pub options: Vec<OptionSetting>,
}

/// What is wanted of a search beside its move. An AI is asked for no more than it declares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchParams {
    /// How many lines, at least 1.
    pub lines: u32,
    /// How many nodes of the search's trace, at most.
    pub trace_nodes: u32,
    /// The moves to choose from; every legal one where there are none.
    pub root_moves: Vec<Move>,
    /// The clocks of the game.
    pub clocks: Option<Clocks>,
    /// Whether the opponent is still thinking, until [`Request::PonderHit`].
    pub ponder: bool,
}

impl Default for SearchParams {
    /// The best line and nothing else.
    fn default() -> Self {
        Self { lines: 1, trace_nodes: 0, root_moves: Vec::new(), clocks: None, ponder: false }
    }
}

impl Job {
    /// Whether this comes later in the game that another one was asked in.
    pub fn continues(&self, earlier: &Self) -> bool {
        self.fen == earlier.fen && self.moves.starts_with(&earlier.moves)
    }
}

/// What is wanted of an AI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// A move within limits.
    Search(Limits),
    /// A judgement of the position as it stands.
    Evaluate,
}

impl Task {
    /// The limits of the search, if it is one.
    pub const fn limits(&self) -> Limits {
        match *self {
            Self::Search(limits) => limits,
            Self::Evaluate => Limits::NONE,
        }
    }
}

/// From the worker to the host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The library is loaded, and this is what it says of itself.
    Loaded(Loaded),
    /// Instead of [`Reply::Confined`] or [`Reply::Loaded`]: the library can't be used, or not here.
    Refused(Refusal),
    /// There is an instance with these options.
    Created,
    /// The instance could not be made.
    NotCreated(AiError),
    /// An iteration of the search for the question of this number is done.
    Report(u64, Iteration),
    /// The AI has heard of the new game of this number.
    NewGame(u64, Result<(), AiError>),
    /// The AI has answered the question of this number.
    Answered(u64, Result<Response, AiError>),
    /// First of all, before any code of the AI has run: what the sandbox holds back, and the number of the worker's
    /// process, which is not always the one that the host has started.
    Confined(Confined, u32),
    /// The AI logs a message.
    Log(LogLevel, String),
}

/// What the sandbox of a worker holds back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confined {
    /// What is enforced.
    pub enforced: Vec<Protection>,
    /// What is not, and why; nothing of either where the sandbox is off.
    pub missing: Vec<Missing>,
}

/// A part of a sandbox that is not enforced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// The part.
    pub protection: Protection,
    /// Why not, and what to do about it.
    pub reason: String,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.protection.name(), self.reason)
    }
}

/// A part of a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Protection {
    /// The working directory is empty, and nothing can be made in it.
    WorkingDirectory,
    /// A crash leaves no file.
    CoreDumps,
    /// There is a limit to descriptors.
    OpenFiles,
    /// There is a limit to threads.
    Threads,
    /// There is a limit to memory.
    Memory,
    /// There are no capabilities, and no way to get any.
    Privileges,
    /// Only what is granted can be read, and nothing written.
    Files,
    /// There is no way to the network or to other processes than those of programs that are granted.
    SystemCalls,
    /// What the granted programs leave behind ends with the worker.
    Processes,
    /// The worker computes only when it is asked something.
    ComputingTime,
    /// The server goes first where processor time or memory is short, and workers share the processor equally.
    Priority,
    /// There is no path but those that are granted.
    MountNamespace,
}

impl Protection {
    /// Every part.
    pub const ALL: [Self; 12] = [
        Self::WorkingDirectory,
        Self::CoreDumps,
        Self::OpenFiles,
        Self::Threads,
        Self::Memory,
        Self::Privileges,
        Self::Files,
        Self::SystemCalls,
        Self::Processes,
        Self::ComputingTime,
        Self::Priority,
        Self::MountNamespace,
    ];

    /// Whether an AI whose sandbox is required is not started without it. The others bound what an AI can disturb or learn a
    /// little of, and are not to be had everywhere.
    pub const fn is_required(self) -> bool {
        !matches!(self, Self::Priority | Self::MountNamespace)
    }

    /// The part, as clients and operators see it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WorkingDirectory => "working_directory",
            Self::CoreDumps => "core_dumps",
            Self::OpenFiles => "open_files",
            Self::Threads => "threads",
            Self::Memory => "memory",
            Self::Privileges => "privileges",
            Self::Files => "files",
            Self::SystemCalls => "system_calls",
            Self::Processes => "processes",
            Self::ComputingTime => "computing_time",
            Self::Priority => "priority",
            Self::MountNamespace => "mount_namespace",
        }
    }
}

/// A loaded library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loaded {
    /// [`PROTOCOL_VERSION`] of the worker.
    pub protocol: u32,
    /// What the library says of itself.
    pub manifest: Manifest,
    /// Whether the AI has its own search.
    pub searcher: bool,
    /// Whether the AI judges positions.
    pub evaluator: bool,
}

/// Why a library can't be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// What was found, what was expected and what to do, in a few lines.
    pub message: String,
    /// All that is known, which can be much.
    pub details: String,
}

impl Refusal {
    /// A sandbox that is required lacks these parts, as far as they are required.
    pub fn unenforceable(missing: &[Missing]) -> Self {
        let required = missing.iter().filter(|missing| missing.protection.is_required());
        let missing: Vec<_> = required.map(ToString::to_string).collect();
        let message = format!(
            "its sandbox is required, but can't be enforced here: {}; change that, or set sandbox = \
             \"best-effort\" in its [ai.ID] to start it without",
            missing.join("; ")
        );
        Self { message, details: String::new() }
    }
}

/// What an AI found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Response {
    /// By a search.
    Searched(SearchResult),
    /// By judging: the score and its named parts, for White.
    Evaluated(Score, Vec<EvalTerm>),
}

/// [`ai_api::SearchInfo`], as it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iteration {
    /// Plies searched completely.
    pub depth: u32,
    /// What the line leads to, for White.
    pub score: Score,
    /// Positions looked at so far.
    pub nodes: u64,
    /// The line, the best so far.
    pub pv: Vec<Move>,
    /// Which line it is: 1 is the best one.
    pub pv_number: u32,
    /// How `score` relates to the true one.
    pub bound: Bound,
    /// White's chances, if known.
    pub wdl: Option<Wdl>,
    /// The length of the longest line looked at; 0 where the AI does not say.
    pub selective_depth: u32,
}

/// Why a frame could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The other side is gone.
    #[error("the other side closed the socket")]
    Closed,
    /// The socket failed.
    #[error("the socket failed")]
    Socket(#[source] io::Error),
    /// Longer than [`MAX_FRAME_BYTES`].
    #[error("a frame of {0} bytes; at most {MAX_FRAME_BYTES} are allowed")]
    TooLong(usize),
    /// The bytes are not a value of the protocol.
    #[error("a frame that is not of the protocol")]
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

/// The bytes of a frame, length included.
///
/// # Errors
/// The value is too long for a frame.
pub fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, FrameError> {
    let mut frame = postcard::to_extend(value, vec![0; 4]).map_err(FrameError::Malformed)?;
    let length = frame.len() - 4;
    frame[..4].copy_from_slice(&frame_length(length)?.to_le_bytes());
    Ok(frame)
}

/// The value of a frame's bytes, without the length.
///
/// # Errors
/// The bytes are no such value, or more than one.
pub fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, FrameError> {
    match postcard::take_from_bytes(body).map_err(FrameError::Malformed)? {
        (value, []) => Ok(value),
        _ => Err(FrameError::Malformed(postcard::Error::DeserializeBadEncoding)),
    }
}

/// How many bytes follow a frame's length.
///
/// # Errors
/// More than [`MAX_FRAME_BYTES`].
pub fn body_length(header: [u8; 4]) -> Result<usize, FrameError> {
    let length = u32::from_le_bytes(header) as usize;
    frame_length(length).map(|_| length)
}

fn frame_length(length: usize) -> Result<u32, FrameError> {
    u32::try_from(length).ok().filter(|_| length <= MAX_FRAME_BYTES).ok_or(FrameError::TooLong(length))
}

/// Reads a frame, waiting for it.
///
/// # Errors
/// As [`FrameError`] says.
pub fn read_frame<T: DeserializeOwned>(socket: &mut impl Read) -> Result<T, FrameError> {
    let mut header = [0; 4];
    socket.read_exact(&mut header)?;
    let mut body = vec![0; body_length(header)?];
    socket.read_exact(&mut body)?;
    decode(&body)
}

/// Writes a frame, waiting until it is taken.
///
/// # Errors
/// As [`FrameError`] says.
pub fn write_frame<T: Serialize>(socket: &mut impl Write, value: &T) -> Result<(), FrameError> {
    Ok(socket.write_all(&encode(value)?)?)
}

#[cfg(test)]
mod tests {
    use ai_api::OptionValue;

    use super::*;

    fn question() -> Request {
        let question = Job {
            fen: "8/8".into(),
            moves: vec![Move::from_bits(12)],
            task: Task::Search(Limits { depth: Some(3), ..Limits::nodes(7) }),
            wishes: SearchParams { lines: 2, ..SearchParams::default() },
            options: vec![OptionSetting { name: "style".into(), value: OptionValue::Text("wild".into()) }],
        };
        Request::Ask(3, RequestId::given(b"a-1"), question)
    }

    #[test]
    fn a_frame_is_read_as_it_was_written() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, &question()).unwrap();
        write_frame(&mut bytes, &Request::Stop(3)).unwrap();
        let mut reader = bytes.as_slice();
        assert_eq!(read_frame::<Request>(&mut reader).unwrap(), question());
        assert_eq!(read_frame::<Request>(&mut reader).unwrap(), Request::Stop(3));
        assert!(matches!(read_frame::<Request>(&mut reader), Err(FrameError::Closed)));
    }

    #[test]
    fn a_question_continues_a_game_that_has_the_same_start_and_no_other_moves() {
        let question = |fen: &str, moves: &[u16]| {
            let moves = moves.iter().map(|&bits| Move::from_bits(bits)).collect();
            let (wishes, options) = (SearchParams::default(), Vec::new());
            Job { fen: fen.into(), moves, task: Task::Evaluate, wishes, options }
        };
        let earlier = question("8/8", &[1, 2]);
        assert!(question("8/8", &[1, 2]).continues(&earlier));
        assert!(question("8/8", &[1, 2, 3, 4]).continues(&earlier));
        for other in [question("8/7", &[1, 2]), question("8/8", &[1]), question("8/8", &[1, 3, 2])] {
            assert!(!other.continues(&earlier), "{other:?}");
        }
    }

    #[test]
    fn refuses_a_frame_that_is_too_long_without_reading_it() {
        let mut reader = &u32::MAX.to_le_bytes()[..];
        assert!(matches!(read_frame::<Request>(&mut reader), Err(FrameError::TooLong(_))));
        let long = Request::Configure(vec![OptionSetting {
            name: "x".repeat(MAX_FRAME_BYTES),
            value: OptionValue::Flag(true),
        }]);
        assert!(matches!(encode(&long), Err(FrameError::TooLong(_))));
    }

    #[test]
    fn refuses_bytes_of_no_value_and_bytes_too_many() {
        let frame = encode(&question()).unwrap();
        for length in 4..frame.len() {
            assert!(decode::<Request>(&frame[4..length]).is_err(), "{length} bytes");
        }
        let mut long = frame[4..].to_vec();
        long.push(0);
        assert!(decode::<Request>(&long).is_err());
    }
}
