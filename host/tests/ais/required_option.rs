//! An AI that starts only with `mood = "good"`.

use ai_api::{
    Ai, AiError, Host, OptionSpec, Options, SearchRequest, SearchResult, Searcher, export_ai,
};

struct RequiredOption;

impl Ai for RequiredOption {
    fn options() -> Vec<OptionSpec> {
        vec![
            OptionSpec::choice(
                "mood",
                "bad",
                &["bad", "good"],
                "the AI starts only with good",
            ),
            OptionSpec::integer("strength", 3, 1..=9, "playing strength"),
        ]
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        match options.text("mood")? {
            "good" => Ok(Self),
            mood => Err(AiError::new(format!("not in a {mood} mood"))),
        }
    }
}

impl Searcher for RequiredOption {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        Ok(SearchResult::play(host.legal_moves(&request.position)[0]))
    }
}

export_ai!(RequiredOption: Searcher, id = "required_option");
