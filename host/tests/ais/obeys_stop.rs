//! An AI that thinks until it is asked to stop, whatever its limit is.

use std::time::Duration;

use ai_api::{Ai, AiError, Host, Options, SearchRequest, SearchResult, Searcher, export_ai};

struct ObeysStop;

impl Ai for ObeysStop {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for ObeysStop {
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        while !host.should_stop() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(SearchResult::play(host.legal_moves(&question.position)[0]))
    }
}

export_ai!(ObeysStop: Searcher);
