//! An AI that leaves its process group for the server's and never answers.

use ai_api::{Ai, AiError, Answer, Host, Options, Question, Searcher, export_ai};
use rustix::process::{getpgid, getppid, setpgid};

struct Deserts;

impl Ai for Deserts {
    fn create(_: &Options) -> Result<Self, AiError> {
        let moved = getpgid(getppid()).and_then(|group| setpgid(None, Some(group)));
        moved.map(|()| Self).map_err(|error| AiError::new(error.to_string()))
    }
}

impl Searcher for Deserts {
    fn search(&mut self, _: &Question<'_>, _: &Host<'_>) -> Result<Answer, AiError> {
        loop {
            std::thread::park();
        }
    }
}

export_ai!(Deserts: Searcher);
