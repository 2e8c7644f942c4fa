//! An AI that aborts in the constructor of its library.

use ai_api::{Ai, AiError, Host, Options, SearchRequest, SearchResult, Searcher, export_ai};

/// `dlopen` calls the functions of this section.
#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

extern "C" fn constructor() {
    std::process::abort();
}

struct AbortOnLoad;

impl Ai for AbortOnLoad {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for AbortOnLoad {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        Ok(SearchResult::play(host.legal_moves(&request.position)[0]))
    }
}

export_ai!(AbortOnLoad: Searcher, id = "abort_on_load");
