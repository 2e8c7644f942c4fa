//! An AI that can be made only once in a process, and panics when it is asked.

use std::sync::atomic::{AtomicBool, Ordering};

use ai_api::{Ai, AiError, Host, Options, SearchRequest, SearchResult, Searcher, export_ai};

static MADE: AtomicBool = AtomicBool::new(false);

struct Despairs;

impl Ai for Despairs {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        if MADE.swap(true, Ordering::Relaxed) { Err(AiError::new("once is enough")) } else { Ok(Self) }
    }
}

impl Searcher for Despairs {
    fn search(&mut self, _: &SearchRequest<'_>, _: &Host<'_>) -> Result<SearchResult, AiError> {
        panic!("all is lost")
    }
}

export_ai!(Despairs: Searcher);
