//! An AI that tries to leave its process group for the server's, which is denied, and never answers.

use ai_api::{Ai, AiError, Answer, Host, Options, Question, Searcher, export_ai};
use rustix::{
    io::Errno,
    process::{getpgid, getppid, setpgid},
};

struct Deserts;

impl Ai for Deserts {
    fn create(_: &Options) -> Result<Self, AiError> {
        let moved = getpgid(getppid()).and_then(|group| setpgid(None, Some(group)));
        match moved {
            Err(Errno::PERM) => Ok(Self),
            moved => Err(AiError::new(format!("the leader of a session left its group: {moved:?}"))),
        }
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
