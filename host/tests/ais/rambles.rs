//! An AI whose options take more words than anybody reads.

use ai_api::{Ai, AiError, Answer, Host, OptionSpec, Options, Question, Searcher, export_ai};

struct Rambles;

impl Ai for Rambles {
    fn options() -> Vec<OptionSpec> {
        let help = "and so on ".repeat(100);
        (0..1000).map(|number| OptionSpec::flag(&format!("option_{number}"), false, &help)).collect()
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
