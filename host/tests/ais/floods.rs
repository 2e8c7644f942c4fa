//! An AI that writes megabytes to its standard output and error, then plays.

use ai_api::{Ai, AiError, Host, Options, SearchRequest, SearchResult, Searcher, export_ai};

struct Floods;

impl Ai for Floods {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Floods {
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        for _ in 0..20_000 {
            println!("{}\u{7}", "o".repeat(100));
            eprintln!("{}\u{7}", "e".repeat(100));
        }
        Ok(SearchResult::play(host.legal_moves(&question.position)[0]))
    }
}

export_ai!(Floods: Searcher);
