//! An AI that can't bear some positions, and one that dies only once.

use ai_api::{
    Ai, AiError, Evaluator, Host, OptionSpec, Options, Position, Score, SearchRequest, SearchResult,
    Searcher, export_ai,
};

struct Mortal {
    /// A file to be made when it dies the one time that it does.
    once: String,
}

impl Mortal {
    fn look(&self, position: &Position) {
        let dies = if self.once.is_empty() {
            position.halfmove_clock() >= 50
        } else {
            std::fs::File::create_new(&self.once).is_ok()
        };
        if dies {
            std::process::abort();
        }
    }
}

impl Ai for Mortal {
    fn options() -> Vec<OptionSpec> {
        vec![OptionSpec::text(
            "once",
            "",
            "dies once, when it can make this file; else of a clock of 50 or more",
        )]
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self { once: options.text("once")?.to_owned() })
    }
}

impl Searcher for Mortal {
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        self.look(&question.position);
        Ok(SearchResult::play(host.legal_moves(&question.position)[0]))
    }
}

impl Evaluator for Mortal {
    fn evaluate(&mut self, position: &Position, _: &Host<'_>) -> Score {
        self.look(position);
        Score::DRAW
    }
}

export_ai!(Mortal: Searcher + Evaluator);
