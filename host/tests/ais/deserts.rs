//! An AI that tries to leave its process group for the server's, which is denied, and never answers.

use std::io;

use ai_api::{Ai, AiError, Host, Options, SearchRequest, SearchResult, Searcher, export_ai};

struct Deserts;

impl Ai for Deserts {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        // SAFETY: three calls with plain arguments. In a PID namespace the server's group may have no number.
        let result = unsafe { libc::setpgid(0, libc::getpgid(libc::getppid())) };
        match io::Error::last_os_error().raw_os_error() {
            Some(libc::EPERM) if result == -1 => Ok(Self),
            error => {
                Err(AiError::new(format!("the leader of a session left its group: {result}, {error:?}")))
            }
        }
    }
}

impl Searcher for Deserts {
    fn search(&mut self, _: &SearchRequest<'_>, _: &Host<'_>) -> Result<SearchResult, AiError> {
        loop {
            std::thread::park();
        }
    }
}

export_ai!(Deserts: Searcher);
