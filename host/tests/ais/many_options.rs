//! An AI whose options exceed the maximum size of a manifest.

use ai_api::{
    Ai, AiError, Host, OptionSpec, Options, SearchRequest, SearchResult, Searcher, export_ai,
};

struct ManyOptions;

impl Ai for ManyOptions {
    fn options() -> Vec<OptionSpec> {
        let help = "and so on ".repeat(100);
        (0..1000)
            .map(|number| OptionSpec::flag(&format!("option_{number}"), false, &help))
            .collect()
    }

    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for ManyOptions {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        Ok(SearchResult::play(host.legal_moves(&request.position)[0]))
    }
}

export_ai!(ManyOptions: Searcher);
