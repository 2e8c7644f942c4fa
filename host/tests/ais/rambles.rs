//! An AI with more options than anybody can set.

use ai_api::{Ai, AiError, Answer, Host, OptionSpec, Options, Question, Searcher, export_ai};

struct Rambles;

impl Ai for Rambles {
    fn options() -> Vec<OptionSpec> {
        (0..100_000).map(|number| OptionSpec::flag(&format!("option_{number}"), false, "")).collect()
    }

    fn create(_: &Options) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Rambles {
    fn search(&mut self, question: &Question<'_>, host: &Host<'_>) -> Result<Answer, AiError> {
        Ok(Answer::play(host.legal_moves(&question.position)[0]))
    }
}

export_ai!(Rambles: Searcher);
