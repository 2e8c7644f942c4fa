//! An AI that writes to the descriptor that its worker talks to the host with.

use std::{fs::File, io::Write, mem::ManuallyDrop, os::fd::FromRawFd};

use ai_api::{Ai, AiError, Host, Options, SearchRequest, SearchResult, Searcher, export_ai};

struct Scribbles;

impl Ai for Scribbles {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Scribbles {
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        // SAFETY: none; that is the point.
        let mut socket = ManuallyDrop::new(unsafe { File::from_raw_fd(3) });
        let _ = socket.write_all(b"\x05\0\0\0hello");
        Ok(SearchResult::play(host.legal_moves(&question.position)[0]))
    }
}

export_ai!(Scribbles: Searcher);
