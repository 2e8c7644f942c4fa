//! An AI that returns an error at every question, with control characters in it.

use ai_api::{Ai, AiError, Host, Options, SearchRequest, SearchResult, Searcher, export_ai};

struct Fails;

impl Ai for Fails {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Fails {
    fn search(&mut self, _: &SearchRequest<'_>, _: &Host<'_>) -> Result<SearchResult, AiError> {
        Err(AiError::new("no idea\u{1b}[2J\nwhat to play"))
    }
}

export_ai!(Fails: Searcher);
