//! An AI that crashes whenever it is asked for the tenth time.

use std::sync::atomic::{AtomicU32, Ordering};

use ai_api::{Ai, AiError, Host, Options, SearchRequest, SearchResult, Searcher, export_ai};

static CALLS: AtomicU32 = AtomicU32::new(0);

struct CrashesAtTimes;

impl Ai for CrashesAtTimes {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for CrashesAtTimes {
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        if CALLS.fetch_add(1, Ordering::Relaxed) % 10 == 9 {
            std::process::abort();
        }
        Ok(SearchResult::play(host.legal_moves(&question.position)[0]))
    }
}

export_ai!(CrashesAtTimes: Searcher);
