//! An AI that answers without a move.

use ai_api::{Ai, AiError, Host, Options, SearchRequest, SearchResult, Searcher, export_ai};

struct Resigns;

impl Ai for Resigns {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Resigns {
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        let moves = host.legal_moves(&question.position);
        Ok(SearchResult { best_move: None, ..SearchResult::play(moves[0]) })
    }
}

export_ai!(Resigns: Searcher);
