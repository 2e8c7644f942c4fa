//! Nnue1, the strongest AI of Rookery: a selective alpha-beta [search] over an [evaluation] by hand-written terms or by a net.

mod attacks;
pub mod evaluation;
pub mod net;
mod options;
mod processor;
pub mod search;

use ai_api::{
    Ai, AiError, Capabilities, EvalTerm, Evaluator, Host, OptionSpec, Options, Position, Score,
    SearchRequest, SearchResult, Searcher,
};
use evaluation::{Evaluate, Terms, Weights};
use net::NetEvaluation;
use options::Settings;
use search::Search;

ai_api::export_ai!(Nnue1: Searcher + Evaluator, name = "Nnue1");

#[derive(Debug)]
pub struct Nnue1 {
    search: Search,
    terms: Terms,
    /// Evaluates instead of the terms.
    net: Option<NetEvaluation>,
}

impl Ai for Nnue1 {
    fn options() -> Vec<OptionSpec> {
        options::specs()
    }

    fn capabilities(options: &Options, _: &Host<'_>) -> Capabilities {
        options::search_options(options).unwrap_or_default().capabilities()
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        let settings = Settings::from_options(options)?;
        Ok(Self {
            search: Search::new(settings.search)?,
            terms: Terms::new(&Weights::default(), &settings.terms),
            net: settings.net.map(NetEvaluation::new),
        })
    }

    fn new_game(&mut self, _: &Host<'_>) -> Result<(), AiError> {
        self.search.new_game();
        Ok(())
    }
}

impl Searcher for Nnue1 {
    fn search(&mut self, request: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        Ok(match &mut self.net {
            Some(net) => self.search.search(net, request, host),
            None => self.search.search(&mut self.terms, request, host),
        })
    }
}

impl Evaluator for Nnue1 {
    fn evaluate(&mut self, position: &Position, _: &Host<'_>) -> Score {
        Score::centipawns(match &mut self.net {
            Some(net) => net.evaluate(0, position) * position.turn().sign(),
            None => self.terms.for_white(position),
        })
    }

    fn terms(&mut self, position: &Position, host: &Host<'_>) -> Vec<EvalTerm> {
        if self.net.is_some() {
            return vec![EvalTerm::new("net", self.evaluate(position, host))];
        }
        let parts = self.terms.parts(position).into_iter();
        parts.map(|(term, value)| EvalTerm::new(term.name(), Score::centipawns(value))).collect()
    }
}
