//! An evaluator combined with the search that Rookery runs for it.

use ai_api::{
    Ai, AiError, Capabilities, EvalTerm, Evaluator, Host, OptionSetting, OptionSpec, Options,
    Position, Score, SearchRequest, SearchResult, Searcher,
};

use crate::{options::SearchOptions, search::Search};

/// An [`Evaluator`] combined with a [`Search`] with [default options](SearchOptions::default).
/// Rookery does the same with an evaluator that is not a [`Searcher`], so a test can use this type
/// to make an evaluator search.
///
/// ```
/// use ai_api::{
///     Ai, AiError, Color, Evaluator, Host, Limits, Options, Position, Role, Score,
///     harness::Harness,
/// };
/// use ai_search::WithSearch;
///
/// struct Queens;
///
/// impl Ai for Queens {
///     fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
///         Ok(Self)
///     }
/// }
///
/// impl Evaluator for Queens {
///     fn evaluate(&mut self, position: &Position, _: &Host<'_>) -> Score {
///         let queens = |color| position.pieces(color, Role::Queen).count() as i32;
///         let [white, black] = Color::ALL.map(queens);
///         Score::centipawns(900 * (white - black))
///     }
/// }
///
/// let mut ai = Harness::<WithSearch<Queens>>::new(&rules::RULES, &[])?;
/// let hanging = rules::parse_fen("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1").expect("a legal position");
/// assert_eq!(ai.search(&hanging, Limits::depth(1))?.best_move.to_string(), "e4d5");
/// # Ok::<(), AiError>(())
/// ```
#[derive(Debug)]
pub struct WithSearch<E> {
    /// The evaluator.
    pub evaluator: E,
    search: Search,
}

impl<E: Ai> Ai for WithSearch<E> {
    fn options() -> Vec<OptionSpec> {
        E::options()
    }

    fn options_for(
        settings: &[OptionSetting],
        host: &Host<'_>,
    ) -> Result<Vec<OptionSpec>, AiError> {
        E::options_for(settings, host)
    }

    fn capabilities(options: &Options, host: &Host<'_>) -> Capabilities {
        Search::capabilities_with(E::capabilities(options, host))
    }

    fn create(options: &Options, host: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self {
            evaluator: E::create(options, host)?,
            search: Search::new(SearchOptions::default())?,
        })
    }

    fn new_game(&mut self, host: &Host<'_>) -> Result<(), AiError> {
        self.search.new_game();
        self.evaluator.new_game(host)
    }
}

impl<E: Evaluator> Searcher for WithSearch<E> {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        Ok(self.search.search(&mut self.evaluator, request, host))
    }
}

impl<E: Evaluator> Evaluator for WithSearch<E> {
    fn evaluate(&mut self, position: &Position, host: &Host<'_>) -> Score {
        self.evaluator.evaluate(position, host)
    }

    fn terms(&mut self, position: &Position, host: &Host<'_>) -> Vec<EvalTerm> {
        self.evaluator.terms(position, host)
    }
}
