//! Basic1, Rookery's first AI and a worked example for AI authors.
//!
//! Evaluates [material](Material) and [mobility](Mobility), and searches with `ai-search`. This
//! file shows the steps of writing an AI: implement [`Ai`], implement [`Searcher`], [`Evaluator`]
//! or both, and export the type.

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

#[derive(Debug)]
pub struct Basic1 {
    evaluation: Evaluation,
    search: Search,
}

impl Ai for Basic1 {
    fn options() -> Vec<OptionSpec> {
        SearchOptions::specs()
    }

    fn capabilities(_: &Options, _: &Host<'_>) -> Capabilities {
        Search::CAPABILITIES
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        let search = Search::new(SearchOptions::from_options(options)?)?;
        Ok(Self {
            evaluation: Evaluation::default(),
            search,
        })
    }

    fn new_game(&mut self, _: &Host<'_>) -> Result<(), AiError> {
        self.search.new_game();
        Ok(())
    }
}

impl Searcher for Basic1 {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        Ok(self.search.search(&mut self.evaluation, request, host))
    }
}

impl Evaluator for Basic1 {
    fn evaluate(&mut self, position: &Position, host: &Host<'_>) -> Score {
        self.evaluation.evaluate(position, host)
    }

    fn terms(&mut self, position: &Position, host: &Host<'_>) -> Vec<EvalTerm> {
        self.evaluation.terms(position, host)
    }
}

/// The sum of material and mobility.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evaluation {
    material: Material,
    mobility: Mobility,
}

impl Evaluator for Evaluation {
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
