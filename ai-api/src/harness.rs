//! Runs an AI without a server, for authors' tests. `WithSearch` in the crate `rookery-ai-search`
//! combines an [`Evaluator`] with the host's search.
//!
//! ```
//! use std::time::Duration;
//!
//! use ai_api::{Ai, AiError, SearchResult, Host, Limits, Options, SearchRequest, Searcher};
//! use ai_api::harness::{Harness, Timing};
//! # struct First;
//! # impl Ai for First {
//! #     fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
//! #         Ok(Self)
//! #     }
//! # }
//! # impl Searcher for First {
//! #     fn search(
//! #         &mut self,
//! #         request: &SearchRequest<'_>,
//! #         host: &Host<'_>,
//! #     ) -> Result<SearchResult, AiError> {
//! #         while host.is_pondering() {}
//! #         let legal = host.legal_moves(&request.position);
//! #         Ok(SearchResult::play(*request.root_moves.first().unwrap_or(&legal[0])))
//! #     }
//! # }
//!
//! let mut ai = Harness::<First>::new(&rules::RULES, &[])?;
//! let start = rules::start_position();
//! let found = ai.search(&start, Limits::depth(2))?;
//! assert!(rules::is_legal(&start, found.best_move));
//! assert_eq!(ai.play_game(&start, Limits::nodes(100), 20)?.len(), 20);
//!
//! let only = rules::legal_moves(&start)[3];
//! let request = SearchRequest {
//!     root_moves: &[only],
//!     lines: 2,
//!     ..SearchRequest::new(start, Limits::depth(2))
//! };
//! let timing = Timing { ponder_for: Some(Duration::from_millis(5)), ..Timing::default() };
//! assert_eq!(ai.request(&request, timing)?.best_move, only);
//! # Ok::<(), AiError>(())
//! ```

use std::{
    cell::RefCell,
    fmt,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use crate::{
    Ai, AiError, EvalTerm, Evaluator, Flag, Host, Limits, Move, OptionSetting, Options, Position,
    RulesVtable, Score, SearchInfo, SearchRequest, SearchResult, Searcher, further::Further,
};

/// An AI, together with the rules of chess.
pub struct Harness<T> {
    ai: T,
    rules: &'static RulesVtable,
}

impl<T: fmt::Debug> fmt::Debug for Harness<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Harness")
            .field("ai", &self.ai)
            .finish_non_exhaustive()
    }
}

/// The result of a search, with a legal move.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Found {
    /// The move.
    pub best_move: Move,
    /// The complete result.
    pub result: SearchResult,
    /// The depths of the iterations that the AI reported, in order, each with its score.
    pub iterations: Vec<(u32, Score)>,
}

/// When the host intervenes in a search, measured from the start of the search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timing {
    /// When the host asks the AI to stop. `None` means at the hard limit.
    pub stop_after: Option<Duration>,
    /// How long the opponent keeps thinking. `None` means that the AI does not ponder.
    pub ponder_for: Option<Duration>,
    /// Reserved for fields in later versions. End struct literals with `..`.
    #[doc(hidden)]
    pub further: Further,
}

impl<T: Ai> Harness<T> {
    /// Creates the AI with these settings, and all other options at their defaults. Pass
    /// `&rules::RULES` as `rules`.
    ///
    /// # Errors
    /// The AI does not allow a setting, or it returns an error.
    pub fn new(rules: &'static RulesVtable, settings: &[OptionSetting]) -> Result<Self, AiError> {
        with_host(rules, |host| {
            let specs = T::options_for(settings, host)?;
            for setting in settings {
                let spec = specs.iter().find(|spec| spec.name == setting.name);
                if !spec.is_some_and(|spec| spec.allows(&setting.value)) {
                    return Err(AiError::new(format!(
                        "the AI declares no option '{}' that allows this value",
                        setting.name
                    )));
                }
            }
            Ok(Self {
                ai: T::create(&Options::resolve(&specs, settings), host)?,
                rules,
            })
        })
    }

    /// Starts a new game.
    ///
    /// # Errors
    /// The AI returns an error.
    pub fn new_game(&mut self) -> Result<(), AiError> {
        with_host(self.rules, |host| self.ai.new_game(host))
    }

    /// Changes a live option, and starts a new game, as the host does.
    ///
    /// # Errors
    /// The AI returns an error.
    pub fn set_option(&mut self, setting: &OptionSetting) -> Result<(), AiError> {
        with_host(self.rules, |host| self.ai.set_option(setting, host))?;
        self.new_game()
    }

    /// Returns the AI itself.
    pub const fn ai(&mut self) -> &mut T {
        &mut self.ai
    }
}

impl<T: Ai + Searcher> Harness<T> {
    /// Searches a position within limits.
    ///
    /// # Errors
    /// The AI returns an error or an illegal move.
    pub fn search(&mut self, position: &Position, limits: Limits) -> Result<Found, AiError> {
        self.request(&SearchRequest::new(*position, limits), Timing::default())
    }

    /// Makes an arbitrary request. `request` can ask for lines and a trace, and set clocks, a
    /// history and root moves. `timing` sets pondering and stopping.
    ///
    /// # Errors
    /// The same as [`search`](Self::search).
    pub fn request(
        &mut self,
        request: &SearchRequest<'_>,
        timing: Timing,
    ) -> Result<Found, AiError> {
        let (stop, pondering) = (Flag::new(false), Flag::new(timing.ponder_for.is_some()));
        let iterations = RefCell::new(Vec::new());
        let report = |info: &SearchInfo<'_>| iterations.borrow_mut().push((info.depth, info.score));
        let host = Host::new(self.rules, &stop, &report).with_pondering(&pondering);
        let hard = request.limits.hard_ms.map(Duration::from_millis);
        let stop_after = [
            timing.stop_after,
            hard.map(|hard| hard + timing.ponder_for.unwrap_or_default()),
        ];
        let stop_after = stop_after.into_iter().flatten().min();
        let result = thread::scope(|scope| {
            let (ended, wait) = mpsc::channel::<()>();
            let (stop, pondering) = (&stop, &pondering);
            scope.spawn(move || {
                let mut calls = [
                    (timing.ponder_for, pondering, false),
                    (stop_after, stop, true),
                ];
                calls.sort_by_key(|&(after, ..)| after);
                let started = Instant::now();
                for (after, flag, is_set) in calls {
                    let Some(after) = after else { continue };
                    // The channel is disconnected when the search ends.
                    if wait.recv_timeout(after.saturating_sub(started.elapsed()))
                        == Err(RecvTimeoutError::Timeout)
                    {
                        flag.set(is_set);
                    }
                }
            });
            let result = self.ai.search(request, &host);
            drop(ended);
            result
        })?;
        let best_move = result
            .best_move
            .ok_or_else(|| AiError::new("the AI played no move"))?;
        if !host.is_legal(&request.position, best_move) {
            return Err(AiError::new(format!(
                "the AI played {best_move}, which is not legal"
            )));
        }
        Ok(Found {
            best_move,
            result,
            iterations: iterations.into_inner(),
        })
    }

    /// Lets the AI play a game against itself until the game ends or reaches `most_plies` plies.
    ///
    /// # Errors
    /// The same as [`search`](Self::search).
    pub fn play_game(
        &mut self,
        start: &Position,
        limits: Limits,
        most_plies: usize,
    ) -> Result<Vec<Move>, AiError> {
        let mut position = *start;
        let mut moves = Vec::new();
        while moves.len() < most_plies
            && (self.rules.has_legal_move)(&position)
            && !(self.rules.is_insufficient_material)(&position)
            && position.halfmove_clock() < 150
        {
            let chosen = self.search(&position, limits)?.best_move;
            position = self.rules.play(&position, chosen);
            moves.push(chosen);
        }
        Ok(moves)
    }
}

impl<T: Ai + Evaluator> Harness<T> {
    /// Evaluates a position from White's point of view.
    pub fn evaluate(&mut self, position: &Position) -> Score {
        with_host(self.rules, |host| self.ai.evaluate(position, host))
    }

    /// Returns the parts of the evaluation.
    pub fn terms(&mut self, position: &Position) -> Vec<EvalTerm> {
        with_host(self.rules, |host| self.ai.terms(position, host))
    }
}

fn with_host<R>(rules: &RulesVtable, work: impl FnOnce(&Host<'_>) -> R) -> R {
    work(&Host::new(rules, &Flag::new(false), &|_: &SearchInfo<
        '_,
    >| ()))
}
