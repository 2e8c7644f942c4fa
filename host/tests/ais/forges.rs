//! An AI that writes reports of its own making to the host, faster than anybody can read them.

use std::{fs::File, io::Write, mem::ManuallyDrop, os::fd::FromRawFd};

use ai_api::{Ai, AiError, Answer, Host, Options, Question, Searcher, export_ai};

struct Forges;

impl Ai for Forges {
    fn create(_: &Options) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Forges {
    fn search(&mut self, _: &Question<'_>, _: &Host<'_>) -> Result<Answer, AiError> {
        // Eight bytes: a report, of the first question, depth 1, score 0, 0 nodes, no line, which is the best one.
        let reports = b"\x08\0\0\0\x04\x01\x01\0\0\0\x01\0".repeat(100_000);
        // SAFETY: none; that is the point.
        let mut socket = ManuallyDrop::new(unsafe { File::from_raw_fd(3) });
        loop {
            let _ = socket.write_all(&reports);
        }
    }
}

export_ai!(Forges: Searcher);
