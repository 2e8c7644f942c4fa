//! An AI without a description of the contract's types, like those in C.

use ai_api::{Ai, AiError, Host, Options, SearchRequest, SearchResult, Searcher, c::CAi, export::Exported};

struct NoLayout;

impl Ai for NoLayout {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for NoLayout {
    fn search(&mut self, request: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        Ok(SearchResult::play(host.legal_moves(&request.position)[0]))
    }
}

impl Exported for NoLayout {
    const NAME: &'static str = "NoLayout";
    const VERSION: &'static str = "1.0.0";
    const AUTHOR: &'static str = "";
}

ai_api::rookery_note!(id = "no_layout", version = "1.0.0");

#[unsafe(export_name = "rookery_ai_entry")]
static ENTRY: CAi = CAi::exporting::<NoLayout>().with_searcher::<NoLayout>();
