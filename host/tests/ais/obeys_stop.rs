//! An AI that thinks until it is asked to stop, whatever its limit is.

use std::time::Duration;

use ai_api::{Ai, AiError, Answer, Host, Options, Question, Searcher, export_ai};

struct ObeysStop;

impl Ai for ObeysStop {
    fn create(_: &Options) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for ObeysStop {
    fn search(&mut self, question: &Question<'_>, host: &Host<'_>) -> Result<Answer, AiError> {
        while !host.should_stop() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(Answer::play(host.legal_moves(&question.position)[0]))
    }
}

export_ai!(ObeysStop: Searcher);
