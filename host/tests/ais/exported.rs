// An AI that plays the first legal move, exported without `export_ai!`. Each library that includes
// this file has its own note, and declares the name, the version and the author of its manifest as
// `LABELS`.

use ai_api::{
    Ai, AiError, Host, Options, SearchRequest, SearchResult, Searcher, c::CAi, export::Exported,
};

struct FirstMove;

impl Ai for FirstMove {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for FirstMove {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        Ok(SearchResult::play(host.legal_moves(&request.position)[0]))
    }
}

impl Exported for FirstMove {
    const NAME: &'static str = LABELS[0];
    const VERSION: &'static str = LABELS[1];
    const AUTHOR: &'static str = LABELS[2];
}

#[unsafe(export_name = "rookery_ai_entry")]
static ENTRY: CAi = CAi::exporting::<FirstMove>().with_searcher::<FirstMove>();
