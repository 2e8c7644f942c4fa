//! Basic1, Rookery's first AI, and the worked example for authors of others.
//!
//! It counts [material](Material) and [mobility](Mobility), and looks ahead with the search of `ai-search`. The three steps
//! of writing an AI are below: implement [`Ai`], implement what the AI does, export it.

mod material;
mod mobility;

use ai_api::{
    Ai, AiError, Capabilities, EvalTerm, Evaluator, Host, OptionSpec, Options, Position, Score,
    SearchRequest, SearchResult, Searcher,
};
use ai_search::{Search, SearchOptions};

pub use material::Material;
pub use mobility::Mobility;

ai_api::export_ai!(Basic1: Searcher + Evaluator, name = "Basic1");

/// The AI.
#[derive(Debug)]
pub struct Basic1 {
    judgement: Judgement,
    search: Search,
}

impl Ai for Basic1 {
    fn options() -> Vec<OptionSpec> {
        vec![
            OptionSpec::integer("hash_mb", 16, 1..=1024, "megabytes of memory for positions met before"),
            OptionSpec::flag("quiescence", true, "follow captures beyond the last ply"),
        ]
    }

    fn capabilities(_: &Options, _: &Host<'_>) -> Capabilities {
        Search::CAPABILITIES
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        let hash_mb = u32::try_from(options.integer("hash_mb")?)
            .map_err(|error| AiError::new(format!("hash_mb: {error}; expected 1 to 1024")))?;
        let search = Search::new(SearchOptions { hash_mb, quiescence: options.flag("quiescence")? })?;
        Ok(Self { judgement: Judgement::default(), search })
    }
}

impl Searcher for Basic1 {
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        Ok(self.search.search(&mut self.judgement, question, host))
    }
}

impl Evaluator for Basic1 {
    fn evaluate(&mut self, position: &Position, host: &Host<'_>) -> Score {
        self.judgement.evaluate(position, host)
    }

    fn terms(&mut self, position: &Position, host: &Host<'_>) -> Vec<EvalTerm> {
        self.judgement.terms(position, host)
    }
}

/// Material and mobility together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Judgement {
    material: Material,
    mobility: Mobility,
}

impl Evaluator for Judgement {
    fn evaluate(&mut self, position: &Position, host: &Host<'_>) -> Score {
        let material = self.material.evaluate(position, host);
        let mobility = self.mobility.evaluate(position, host);
        Score::centipawns(material.value() + mobility.value())
    }

    fn terms(&mut self, position: &Position, host: &Host<'_>) -> Vec<EvalTerm> {
        vec![
            EvalTerm::new("material", self.material.evaluate(position, host)),
            EvalTerm::new("mobility", self.mobility.evaluate(position, host)),
        ]
    }
}
