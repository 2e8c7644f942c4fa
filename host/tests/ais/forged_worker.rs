//! An AI whose constructor never returns and implements the worker protocol. Its name lists the
//! files it could read.

use std::{
    fs::File,
    io::{Read, Write},
    mem::ManuallyDrop,
    os::fd::FromRawFd,
};

use ai_api::{
    Ai, AiError, Capabilities, Host, Move, Options, SearchRequest, SearchResult, Searcher,
    export_ai,
};
use serde::Serialize;

/// The kinds of the worker's frames.
const LOADED: u8 = 0;
const CREATED: u8 = 2;
const NEW_GAME: u8 = 5;
const ANSWERED: u8 = 6;
/// The kinds of the host's frames.
const ASK: u8 = 3;
const BEGIN_NEW_GAME: u8 = 2;
const CREATE: u8 = 1;

/// Longer than any line from a real worker.
const LINE_MOVES: usize = 5000;

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

extern "C" fn constructor() {
    // SAFETY: none, which is the point.
    let mut socket = ManuallyDrop::new(unsafe { File::from_raw_fd(3) });
    let read = ["/etc/ld.so.cache", "/etc/passwd"]
        .into_iter()
        .filter(|path| File::open(path).is_ok());
    let read: Vec<_> = read.collect();
    let name = format!("read {read:?} \x1b[2J\u{202e}");
    // The manifest consists of the name, version, author, options and capabilities.
    let manifest = (
        name,
        "1\n2",
        "me",
        [(); 0].as_slice(),
        Capabilities::SIMPLEST,
    );
    send(
        &mut socket,
        LOADED,
        &(protocol_version(), manifest, true, false),
    );
    loop {
        let mut length = [0; 4];
        if socket.read_exact(&mut length).is_err() {
            std::process::exit(0);
        }
        let mut frame = vec![0; u32::from_le_bytes(length) as usize];
        socket.read_exact(&mut frame).expect("a complete frame");
        let number = postcard::from_bytes::<u64>(&frame[1..]).unwrap_or(0);
        match frame[0] {
            CREATE => send(&mut socket, CREATED, &()),
            BEGIN_NEW_GAME => send(&mut socket, NEW_GAME, &(number, Ok::<(), AiError>(()))),
            ASK => send(&mut socket, ANSWERED, &(number, Ok::<_, AiError>(answer()))),
            _ => {}
        }
    }
}

/// Returns a legal first move and a very long line.
fn answer() -> (u8, SearchResult) {
    let knight = |from: u16, to: u16| Move::from_bits(from | to << 6);
    let there_and_back = [knight(6, 21), knight(62, 45), knight(21, 6), knight(45, 62)];
    let pv: Vec<_> = there_and_back
        .into_iter()
        .cycle()
        .take(LINE_MOVES)
        .collect();
    (
        0,
        SearchResult {
            pv,
            ..SearchResult::play(there_and_back[0])
        },
    )
}

fn send(socket: &mut File, kind: u8, value: &impl Serialize) {
    let body = postcard::to_extend(value, vec![kind]).expect("a value can be written");
    let _ = socket.write_all(&[&(body.len() as u32).to_le_bytes(), &body[..]].concat());
}

/// Returns the worker's protocol version, which a hostile AI can find by trial.
fn protocol_version() -> u32 {
    let source = include_str!("../../crates/protocol/src/messages.rs");
    let rest = source
        .split_once("PROTOCOL_VERSION: u32 = ")
        .expect("the constant exists")
        .1;
    rest.split_once(';')
        .and_then(|(number, _)| number.parse().ok())
        .expect("the constant is a number")
}

struct ForgedWorker;

impl Ai for ForgedWorker {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for ForgedWorker {
    fn search(&mut self, _: &SearchRequest<'_>, _: &Host<'_>) -> Result<SearchResult, AiError> {
        Err(AiError::new("the real worker never loads this library"))
    }
}

export_ai!(ForgedWorker: Searcher);
