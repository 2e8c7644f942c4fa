//! An AI whose library has no description of the contract's types, as those in C.

use ai_api::{Ai, AiError, Host, Options, SearchRequest, SearchResult, Searcher, c::CAi, export::Exported};

struct Undescribed;

impl Ai for Undescribed {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Undescribed {
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        Ok(SearchResult::play(host.legal_moves(&question.position)[0]))
    }
}

impl Exported for Undescribed {
    type Ai = Self;
    const NAME: &'static str = "Undescribed";
    const VERSION: &'static str = "1.0.0";
    const AUTHOR: &'static str = "";
}

ai_api::rookery_note!(id = "undescribed", version = "1.0.0");

#[unsafe(export_name = "rookery_ai_entry")]
static ENTRY: CAi = CAi::exporting::<Undescribed>().with_searcher::<Undescribed>();
