//! An AI whose manifest differs from its note, with an unprintable name.

use ai_api::{Ai, AiError, Host, Options, SearchRequest, SearchResult, Searcher, c::CAi, export::Exported};

struct Mislabelled;

impl Ai for Mislabelled {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Mislabelled {
    fn search(&mut self, request: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        Ok(SearchResult::play(host.legal_moves(&request.position)[0]))
    }
}

ai_api::rookery_note!(id = "mislabelled", version = "2.0.0");

impl Exported for Mislabelled {
    const NAME: &'static str = "\u{1b}[2J";
    const VERSION: &'static str = "";
    const AUTHOR: &'static str = "nobody\n";
}

#[unsafe(export_name = "rookery_ai_entry")]
static ENTRY: CAi = CAi::exporting::<Mislabelled>().with_searcher::<Mislabelled>();
