//! Tries an AI without a server: for the tests of authors. Under the feature `harness`. `WithSearch` of the crate
//! `rookery-ai-search` tries an [`Evaluator`] with the host's search.
//!
//! ```
//! use ai_api::{Ai, AiError, Answer, Host, Limit, Options, Question, Searcher, harness::Harness};
//! # struct First;
//! # impl Ai for First {
//! #     fn create(_: &Options) -> Result<Self, AiError> {
//! #         Ok(Self)
//! #     }
//! # }
//! # impl Searcher for First {
//! #     fn search(&mut self, question: &Question<'_>, host: &Host<'_>) -> Result<Answer, AiError> {
//! #         Ok(Answer::play(host.legal_moves(&question.position)[0]))
//! #     }
//! # }
//!
//! let mut ai = Harness::<First>::new(&rules::SERVICES, &[])?;
//! let start = rules::start_position();
//! let found = ai.search(&start, Limit::Depth(2))?;
//! assert!(rules::is_legal(&start, found.best_move));
//! assert_eq!(ai.play_game(&start, Limit::Nodes(100), 20)?.len(), 20);
//! # Ok::<(), AiError>(())
//! ```

use std::{
    cell::RefCell,
    fmt,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use crate::{
    Ai, AiError, Answer, Evaluator, Host, Limit, Move, OptionSetting, Options, Position, Question, Report,
    Score, Searcher, Term,
};

/// An AI, the rules, and nothing else.
pub struct Harness<T> {
    ai: T,
    services: &'static crate::Services,
}

impl<T: fmt::Debug> fmt::Debug for Harness<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Harness").field("ai", &self.ai).finish_non_exhaustive()
    }
}

/// What a search found, its move being legal.
#[derive(Clone, Debug)]
pub struct Found {
    /// The move.
    pub best_move: Move,
    /// The whole answer.
    pub answer: Answer,
    /// The depths of the iterations that the AI told of, in their order, each with its score for White.
    pub iterations: Vec<(u32, Score)>,
}

impl<T: Ai> Harness<T> {
    /// The AI with these options set, and the others as it declares them. `services` are `&rules::SERVICES`.
    ///
    /// # Errors
    /// A setting that the AI does not allow; the AI's own.
    pub fn new(services: &'static crate::Services, settings: &[OptionSetting]) -> Result<Self, AiError> {
        let specs = T::options_for(settings)?;
        for setting in settings {
            let spec = specs.iter().find(|spec| spec.name == setting.name);
            if !spec.is_some_and(|spec| spec.allows(&setting.value)) {
                return Err(AiError::new(format!(
                    "the AI declares no option '{}' of that value",
                    setting.name
                )));
            }
        }
        Ok(Self { ai: T::create(&Options::resolve(&specs, settings))?, services })
    }

    /// Tells the AI of a new game.
    ///
    /// # Errors
    /// The AI's own.
    pub fn new_game(&mut self) -> Result<(), AiError> {
        self.ai.new_game()
    }

    /// The AI itself.
    pub const fn ai(&mut self) -> &mut T {
        &mut self.ai
    }

    /// Calls the AI as the host would, and hears its reports. `stop_after` is when it is asked to stop.
    fn ask(
        &mut self,
        position: &Position,
        stop_after: Option<Duration>,
        search: impl FnOnce(&mut T, &Host<'_>) -> Result<Answer, AiError>,
    ) -> Result<Found, AiError> {
        let stop = AtomicBool::new(false);
        let iterations = RefCell::new(Vec::new());
        let report = |report: &Report<'_>| iterations.borrow_mut().push((report.depth, report.score));
        let host = Host::new(self.services, &stop, &report);
        let answer = thread::scope(|scope| {
            if let Some(after) = stop_after {
                let stop = &stop;
                scope.spawn(move || {
                    thread::sleep(after);
                    stop.store(true, Ordering::Relaxed);
                });
            }
            search(&mut self.ai, &host)
        })?;
        let best_move = answer.best_move.ok_or_else(|| AiError::new("the AI played no move"))?;
        if !host.legal_moves(position).contains(&best_move) {
            return Err(AiError::new(format!("the AI played {best_move:?}, which is not legal")));
        }
        Ok(Found { best_move, answer, iterations: iterations.into_inner() })
    }
}

impl<T: Ai + Searcher> Harness<T> {
    /// What the AI finds within a limit.
    ///
    /// # Errors
    /// The AI's own; a move that is not legal.
    pub fn search(&mut self, position: &Position, limit: Limit) -> Result<Found, AiError> {
        self.ask(position, None, |ai, host| ai.search(&Question::new(*position, limit), host))
    }

    /// What the AI finds when it is asked to stop after a while.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub fn search_and_stop(
        &mut self,
        position: &Position,
        limit: Limit,
        after: Duration,
    ) -> Result<Found, AiError> {
        self.ask(position, Some(after), |ai, host| ai.search(&Question::new(*position, limit), host))
    }

    /// The moves of a game of the AI against itself, until it ends or has `most_plies`.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub fn play_game(
        &mut self,
        start: &Position,
        limit: Limit,
        most_plies: usize,
    ) -> Result<Vec<Move>, AiError> {
        play_game(self.services, start, most_plies, |position| Ok(self.search(position, limit)?.best_move))
    }
}

impl<T: Ai + Evaluator> Harness<T> {
    /// How the AI judges a position, for White.
    pub fn evaluate(&mut self, position: &Position) -> Score {
        let (stop, report) = (AtomicBool::new(false), |_: &Report<'_>| ());
        self.ai.evaluate(position, &Host::new(self.services, &stop, &report))
    }

    /// The parts of that.
    pub fn terms(&mut self, position: &Position) -> Vec<Term> {
        let (stop, report) = (AtomicBool::new(false), |_: &Report<'_>| ());
        self.ai.terms(position, &Host::new(self.services, &stop, &report))
    }
}

fn play_game(
    services: &crate::Services,
    start: &Position,
    most_plies: usize,
    mut choose: impl FnMut(&Position) -> Result<Move, AiError>,
) -> Result<Vec<Move>, AiError> {
    let mut position = *start;
    let mut moves = Vec::new();
    while moves.len() < most_plies
        && (services.has_legal_move)(&position)
        && !(services.is_insufficient_material)(&position)
        && position.halfmove_clock() < 150
    {
        let chosen = choose(&position)?;
        position = (services.play)(&position, chosen);
        moves.push(chosen);
    }
    Ok(moves)
}
