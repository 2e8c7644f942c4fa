//! An AI that reads where nothing is.

use ai_api::{Ai, AiError, Host, Options, SearchRequest, SearchResult, Searcher, export_ai};

struct Segfaults;

impl Ai for Segfaults {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Segfaults {
    fn search(&mut self, _: &SearchRequest<'_>, _: &Host<'_>) -> Result<SearchResult, AiError> {
        // SAFETY: none; that is the point.
        let value = unsafe { std::ptr::read_volatile(std::ptr::without_provenance::<u64>(16)) };
        Err(AiError::new(value.to_string()))
    }
}

export_ai!(Segfaults: Searcher, id = "segfaults");
