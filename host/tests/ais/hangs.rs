//! An AI that never answers, not even when asked to stop.

use ai_api::{Ai, AiError, Answer, Host, Options, Question, Searcher, export_ai};

struct Hangs;

impl Ai for Hangs {
    fn create(_: &Options) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Hangs {
    fn search(&mut self, _: &Question<'_>, _: &Host<'_>) -> Result<Answer, AiError> {
        loop {
            std::thread::park();
        }
    }
}

export_ai!(Hangs: Searcher, id = "hangs");
