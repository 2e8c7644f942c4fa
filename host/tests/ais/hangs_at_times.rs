//! An AI that does not come back, not even when told to stop, whenever it is asked for the twentieth time.

use std::sync::atomic::{AtomicU32, Ordering};

use ai_api::{Ai, AiError, Host, Options, SearchRequest, SearchResult, Searcher, export_ai};

static CALLS: AtomicU32 = AtomicU32::new(0);

struct HangsAtTimes;

impl Ai for HangsAtTimes {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for HangsAtTimes {
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        if CALLS.fetch_add(1, Ordering::Relaxed) % 20 == 19 {
            loop {
                std::thread::park();
            }
        }
        Ok(SearchResult::play(host.legal_moves(&question.position)[0]))
    }
}

export_ai!(HangsAtTimes: Searcher);
