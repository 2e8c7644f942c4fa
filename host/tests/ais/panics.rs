//! An AI that panics at every question.

use ai_api::{Ai, AiError, Answer, Host, Options, Question, Searcher, export_ai};

struct Panics;

impl Ai for Panics {
    fn create(_: &Options) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Panics {
    fn search(&mut self, _: &Question<'_>, _: &Host<'_>) -> Result<Answer, AiError> {
        panic!("I can't see the board")
    }
}

export_ai!(Panics: Searcher);
