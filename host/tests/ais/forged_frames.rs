//! An AI that writes forged frames to the host.

use std::{fs::File, io::Write, mem::ManuallyDrop, os::fd::FromRawFd, thread};

use ai_api::{
    Ai, AiError, Host, Move, OptionSetting, OptionSpec, OptionValue, Options, Position, Role,
    SearchRequest, SearchResult, Searcher, export_ai,
};

/// The forged frame: a flood of reports, a result with lines that no worker would send, or the
/// rejection of its library.
const FRAMES: &[&str] = &["reports", "answer", "rejection"];
/// Longer than any line that a worker sends.
const LINE_MOVES: usize = 600;

struct ForgedFrames {
    frame: String,
}

impl Ai for ForgedFrames {
    fn options_for(settings: &[OptionSetting], _: &Host<'_>) -> Result<Vec<OptionSpec>, AiError> {
        if settings
            .iter()
            .any(|setting| setting.value == OptionValue::Text("rejection".into()))
        {
            let message = b"rejected \x1b[2J\nby \xe2\x80\xaeitself";
            let frame = [&[1, message.len() as u8], &message[..], &[0]].concat();
            send(&frame);
            park();
        }
        Ok(vec![OptionSpec::choice(
            "frame",
            "reports",
            FRAMES,
            "the forged frame",
        )])
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self {
            frame: options.text("frame")?.to_owned(),
        })
    }
}

impl Searcher for ForgedFrames {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        if self.frame == "answer" {
            send(&answer(&request.position, host));
            park();
        }
        // A report of the first request: depth 1, score 0, 0 nodes, no line, number 1, exact, and
        // nothing else.
        let reports = b"\x0e\0\0\0\x04\x01\x01\0\0\0\x01\0\0\0\0\0\0\0".repeat(100_000);
        loop {
            write(&reports);
        }
    }
}

/// Returns the result of the first request: score 0, exact, no WDL, no depth, a line for each legal
/// move, no trace.
fn answer(position: &Position, host: &Host<'_>) -> Vec<u8> {
    let first_moves = host.legal_moves(position);
    let mut lines = first_moves.iter().map(|&first| line(position, first, host));
    let best = lines.next().expect("a request has a legal move");
    let mut frame = vec![6, 1, 0, 0, 1];
    write_number(&mut frame, best[0].to_bits().into());
    frame.extend([0, 0, 0, 0, 0]);
    write_moves(&mut frame, &best);
    write_number(&mut frame, first_moves.len() - 1);
    for line in lines {
        frame.extend([0, 0, 0, 0]);
        write_moves(&mut frame, &line);
    }
    frame.push(0);
    frame
}

/// Returns a legal line of `LINE_MOVES` moves.
fn line(position: &Position, first: Move, host: &Host<'_>) -> Vec<Move> {
    let mut lines = (1..).map(|chance| played(position, first, chance, host));
    lines
        .find(|line| line.len() == LINE_MOVES)
        .expect("random play finds one")
}

/// Plays pseudo-random moves, preferably without captures and, as long as possible, without pawn
/// moves.
fn played(position: &Position, first: Move, mut chance: usize, host: &Host<'_>) -> Vec<Move> {
    let mut moves = vec![first];
    let mut position = host.play(position, first);
    while moves.len() < LINE_MOVES && position.halfmove_clock() < 150 {
        let legal = host.legal_moves(&position);
        let is_wanted = |chosen: &&Move| {
            let is_pawn = position.role_at(chosen.from()) == Some(Role::Pawn);
            !position.is_capture(**chosen) && is_pawn == (position.halfmove_clock() >= 90)
        };
        let wanted: Vec<_> = legal.iter().filter(is_wanted).collect();
        let wanted = if wanted.is_empty() {
            legal.iter().collect()
        } else {
            wanted
        };
        if wanted.is_empty() {
            break;
        }
        chance = chance
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let chosen = *wanted[(chance >> 33) % wanted.len()];
        moves.push(chosen);
        position = host.play(&position, chosen);
    }
    moves
}

fn write_moves(frame: &mut Vec<u8>, moves: &[Move]) {
    write_number(frame, moves.len());
    for chosen in moves {
        write_number(frame, chosen.to_bits().into());
    }
}

/// Writes a varint: seven bits per byte, the lowest first.
fn write_number(frame: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        frame.push(number as u8 | 0x80);
        number >>= 7;
    }
    frame.push(number as u8);
}

fn send(frame: &[u8]) {
    write(&[&(frame.len() as u32).to_le_bytes(), frame].concat());
}

fn write(bytes: &[u8]) {
    // SAFETY: none, which is the point.
    let mut socket = ManuallyDrop::new(unsafe { File::from_raw_fd(3) });
    let _ = socket.write_all(bytes);
}

fn park() -> ! {
    loop {
        thread::park();
    }
}

export_ai!(ForgedFrames: Searcher);
