//! Nnue1, Rookery's strongest AI: a selective alpha-beta [search] with an [evaluation] by a net or
//! by hand-written terms, an opening book and tablebases.

mod book;
mod endgame;
pub mod evaluation;
pub mod net;
mod options;
mod processor;
pub mod search;

use ai_api::{
    Ai, AiError, Bound, Capabilities, EvalTerm, Evaluator, Host, NodeKind, OptionSetting,
    OptionSpec, OptionValue, Options, Position, Score, SearchRequest, SearchResult, Searcher,
    TraceNode,
};
use book::OpeningBook;
use endgame::king_pawn;
use evaluation::{Evaluate, Terms, Weights};
use net::NetEvaluation;
use options::Settings;
use search::{Search, Strength};

ai_api::export_ai!(Nnue1: Searcher + Evaluator, name = "Nnue1");

/// The part of the net's evaluation that the named terms don't cover.
const REST: &str = "rest";

#[derive(Debug)]
pub struct Nnue1 {
    book: Option<OpeningBook>,
    search: Search,
    /// An `elo` of 0 means full strength.
    strength: Strength,
    terms: Terms,
    /// Evaluates positions instead of `terms`, if set.
    net: Option<NetEvaluation>,
}

impl Ai for Nnue1 {
    fn options() -> Vec<OptionSpec> {
        options::specs()
    }

    fn capabilities(options: &Options, _: &Host<'_>) -> Capabilities {
        options::search_options(options)
            .unwrap_or_default()
            .capabilities()
    }

    fn create(options: &Options, host: &Host<'_>) -> Result<Self, AiError> {
        let settings = Settings::from_options(options)?;
        let search = Search::new(settings.search)?;
        let needed_mb = settings.search.capabilities().memory_mb;
        king_pawn::prepare();
        Ok(Self {
            book: settings
                .book
                .map(|path| OpeningBook::open(path, settings.book_seed))
                .transpose()?,
            search: match &settings.syzygy[..] {
                [] => search,
                directories => search.with_tables(endgame::open(directories, needed_mb, host)?),
            },
            strength: settings.strength,
            terms: Terms::new(&Weights::default(), &settings.terms),
            net: settings.net.map(NetEvaluation::new),
        })
    }

    fn set_option(&mut self, setting: &OptionSetting, _: &Host<'_>) -> Result<(), AiError> {
        let name = setting.name.as_str();
        match (name, &setting.value) {
            ("elo", OptionValue::Integer(elo)) => {
                self.strength.elo = u32::try_from(*elo)
                    .map_err(|error| AiError::new(format!("{name}: {error}")))?;
            }
            ("seed", OptionValue::Integer(seed)) => self.strength.seed = seed.cast_unsigned(),
            ("book_seed", OptionValue::Integer(seed)) => {
                self.book
                    .iter_mut()
                    .for_each(|book| book.seed = seed.cast_unsigned());
            }
            _ => return Err(AiError::new(format!("{name} is not live"))),
        }
        Ok(())
    }

    fn new_game(&mut self, _: &Host<'_>) -> Result<(), AiError> {
        self.search.new_game();
        Ok(())
    }
}

impl Searcher for Nnue1 {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        if let Some(chosen) = self
            .book
            .as_mut()
            .and_then(|book| book.choose(request, host))
        {
            // Nothing was searched, so the score is the static evaluation.
            let score = self.evaluate(&request.position, host);
            let root = TraceNode {
                parent: TraceNode::NO_PARENT,
                depth: 0,
                alpha: Score::MIN,
                beta: Score::MAX,
                score,
                chosen,
                bound: Bound::Exact,
                kind: NodeKind::Other,
                ..TraceNode::ROOT
            };
            let trace = if request.trace_nodes > 0 {
                vec![root]
            } else {
                Vec::new()
            };
            return Ok(SearchResult {
                score,
                trace,
                ..SearchResult::play(chosen)
            });
        }
        self.search
            .limit_strength((self.strength.elo > 0).then_some(self.strength));
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
        let parts = self.terms.parts(position);
        let named: i32 = parts.iter().map(|(_, value)| value).sum();
        let mut terms: Vec<_> = parts
            .into_iter()
            .map(|(term, value)| EvalTerm::new(term.name(), Score::centipawns(value)))
            .collect();
        if self.net.is_some() {
            let rest = self.evaluate(position, host).value() - named;
            terms.push(EvalTerm::new(REST, Score::centipawns(rest)));
        }
        terms
    }
}
