//! An AI that calls itself until the stack ends.

use ai_api::{Ai, AiError, Host, Options, SearchRequest, SearchResult, Searcher, export_ai};

struct Overflows;

impl Ai for Overflows {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

/// Never ends, and is not a loop that a compiler sees.
#[inline(never)]
fn descend(depth: u64) -> u64 {
    let frame = std::hint::black_box([depth; 64]);
    if depth == u64::MAX { 0 } else { descend(std::hint::black_box(depth | 1)) + frame[7] }
}

impl Searcher for Overflows {
    fn search(&mut self, question: &SearchRequest<'_>, _: &Host<'_>) -> Result<SearchResult, AiError> {
        Err(AiError::new(descend(question.position.hash()).to_string()))
    }
}

export_ai!(Overflows: Searcher);
