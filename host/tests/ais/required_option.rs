//! An AI that starts only with `mood = "good"`.

use ai_api::{Ai, AiError, Host, OptionSpec, Options, SearchRequest, SearchResult, Searcher, export_ai};

struct RequiredOption;

impl Ai for RequiredOption {
    fn options() -> Vec<OptionSpec> {
        vec![
            OptionSpec::choice("mood", "bad", &["bad", "good"], "whether it starts"),
            OptionSpec::integer("strength", 3, 1..=9, "how hard it tries"),
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
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        Ok(SearchResult::play(host.legal_moves(&question.position)[0]))
    }
}

export_ai!(RequiredOption: Searcher, id = "required_option");
