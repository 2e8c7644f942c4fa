//! An AI that never answers, not even when asked to stop.

use ai_api::{Ai, AiError, Host, Options, SearchRequest, SearchResult, Searcher, export_ai};

struct Hangs;

impl Ai for Hangs {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Hangs {
    fn search(&mut self, _: &SearchRequest<'_>, _: &Host<'_>) -> Result<SearchResult, AiError> {
        loop {
            std::thread::park();
        }
    }
}

export_ai!(Hangs: Searcher, id = "hangs");
