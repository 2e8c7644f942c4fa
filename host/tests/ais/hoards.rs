//! An AI that wants more memory than there is.

use ai_api::{Ai, AiError, Host, Options, SearchRequest, SearchResult, Searcher, export_ai};

struct Hoards;

impl Ai for Hoards {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Hoards {
    fn search(&mut self, _: &SearchRequest<'_>, _: &Host<'_>) -> Result<SearchResult, AiError> {
        let hoard: Vec<u8> = Vec::with_capacity(isize::MAX as usize / 2);
        Err(AiError::new(format!("{:?}", std::hint::black_box(hoard.as_ptr()))))
    }
}

export_ai!(Hoards: Searcher);
