//! An AI that takes 512 MB before it answers.

use ai_api::{Ai, AiError, Host, Options, SearchRequest, SearchResult, Searcher, export_ai};

struct Grows;

impl Ai for Grows {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Grows {
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        let taken: Vec<Vec<u8>> = (0..512).map(|_| Vec::with_capacity(1 << 20)).collect();
        std::hint::black_box(&taken);
        Ok(SearchResult::play(host.legal_moves(&question.position)[0]))
    }
}

export_ai!(Grows: Searcher);
