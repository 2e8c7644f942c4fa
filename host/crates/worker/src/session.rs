//! A session with an AI: its instance, options and search.

use ai_api::{
    AiError, AiErrorKind, Evaluator, Flag, GrantTable, Host, Limits, OptionSetting, Position,
    Score, SearchInfo, SearchRequest, SearchResult, c::CError,
};
use ai_search::{Search, SearchOptions};
use rules::{Game, Setup};

use crate::{
    error::WorkerError,
    extensions::extension,
    flags::Flags,
    idle_host::with_idle_host,
    loading::{ERROR, EVALUATE, Functions, Instance, LentOutput, no_error},
    outgoing, tablebase,
};
use protocol::{Job, MAX_LINES, MAX_TRACE_NODES, Response, SearchParams, Task};

pub(crate) struct AiSession<'a> {
    grants: &'a GrantTable,
    functions: Functions,
    /// The names of the options that don't need a new instance.
    live: Vec<String>,
    /// The options of the instance; `None` if it could not be created with them.
    options: Option<Vec<OptionSetting>>,
    instance: Option<Instance>,
    /// The search from `ai-search`, for an AI that does not search.
    search: Option<Search>,
}

impl<'a> AiSession<'a> {
    pub(crate) fn new(
        functions: Functions,
        options: Vec<OptionSetting>,
        live: Vec<String>,
        grants: &'a GrantTable,
    ) -> Result<Self, AiError> {
        let instance = Some(with_idle_host(grants, |host| {
            functions.create(&options, host)
        })?);
        let search = if functions.is_searcher() {
            None
        } else {
            Some(Search::new(SearchOptions::default())?)
        };
        Ok(Self {
            grants,
            functions,
            live,
            options: Some(options),
            instance,
            search,
        })
    }

    /// Changes the options with `set_option` if all changed options are live, otherwise with a new
    /// instance. The old instance is destroyed first, because two may exceed the memory limit.
    pub(crate) fn configure(&mut self, options: Vec<OptionSetting>) -> Result<(), AiError> {
        if self.set_live(&options) {
            self.options = Some(options);
            return Ok(());
        }
        self.search.iter_mut().for_each(Search::new_game);
        (self.instance, self.options) = (None, None);
        self.instance = Some(with_idle_host(self.grants, |host| {
            self.functions.create(&options, host)
        })?);
        self.options = Some(options);
        Ok(())
    }

    /// Sets the changed options if all of them are live. Returns false if a new instance is needed.
    fn set_live(&mut self, options: &[OptionSetting]) -> bool {
        let (Some(instance), Some(before)) = (&mut self.instance, &self.options) else {
            return false;
        };
        let different: Vec<_> = options
            .iter()
            .zip(before)
            .filter(|(new, old)| new != old)
            .collect();
        let is_live = |(new, old): &(&OptionSetting, &OptionSetting)| {
            new.name == old.name && self.live.contains(&new.name)
        };
        if options.len() != before.len() || !different.iter().all(is_live) {
            return false;
        }
        let functions = self.functions;
        self.search.iter_mut().for_each(Search::new_game);
        let set = with_idle_host(self.grants, |host| {
            different
                .iter()
                .try_for_each(|(setting, _)| functions.set_option(instance, setting, host))?;
            functions.new_game(instance, host)
        });
        set.inspect_err(|error| {
            outgoing::warn(&format!(
                "a live option can't be set, so the AI gets a new instance: {error}"
            ));
        })
        .is_ok()
    }

    /// Runs a job. `on_info` receives each iteration.
    pub(crate) fn run(
        &mut self,
        job: &Job,
        flags: &Flags,
        on_info: &impl Fn(&SearchInfo<'_>),
    ) -> Result<Response, AiError> {
        let game = replay(job)?;
        let host = Host::new(&rules::RULES, &flags.stop, on_info)
            .with_pondering(&flags.pondering)
            .with_grants(self.grants)
            .with_extensions(extension);
        let result = match job.task {
            Task::Search(limits) => {
                let found = self.search(&game, limits, &job.params, &host, &flags.stop);
                found.map(Response::Searched)
            }
            Task::Evaluate => self.evaluate(&with_clock_of_contract(game.position()), &host),
            Task::Probe => Ok(Response::Probed(tablebase::probe(game.position()))),
        };
        self.drop_panicked(&result);
        result
    }

    pub(crate) fn new_game(&mut self) -> Result<(), AiError> {
        self.search.iter_mut().for_each(Search::new_game);
        let instance = self.instance.as_mut().ok_or_else(no_instance)?;
        let result = with_idle_host(self.grants, |host| self.functions.new_game(instance, host));
        self.drop_panicked(&result);
        result
    }

    /// Drops the instance after a panic. `recover` replaces it after the reply.
    fn drop_panicked<T>(&mut self, result: &Result<T, AiError>) {
        if result
            .as_ref()
            .is_err_and(|error| error.kind == AiErrorKind::Panicked)
        {
            self.instance = None;
        }
    }

    fn search(
        &mut self,
        game: &Game,
        limits: Limits,
        params: &SearchParams,
        host: &Host<'_>,
        stop: &Flag,
    ) -> Result<SearchResult, AiError> {
        let history = game.history();
        let request = SearchRequest {
            history: &history,
            start: *game.start(),
            moves: game.moves(),
            clocks: params.clocks,
            root_moves: &params.root_moves,
            lines: params.lines.clamp(1, MAX_LINES),
            trace_nodes: params.trace_nodes.min(MAX_TRACE_NODES),
            analysis: params.analysis,
            ..SearchRequest::new(*game.position(), limits)
        };
        let instance = self.instance.as_mut().ok_or_else(no_instance)?;
        let Some(search) = &mut self.search else {
            return self.functions.search(instance, &request, host);
        };
        let mut evaluator = HostedEvaluator {
            functions: &self.functions,
            instance,
            stop,
            buffer: no_error(),
            error: None,
        };
        let result = search.search(&mut evaluator, &request, host);
        evaluator.buffer.check(EVALUATE, ERROR)?;
        evaluator.error.map_or(Ok(result), Err)
    }

    fn evaluate(&mut self, position: &Position, host: &Host<'_>) -> Result<Response, AiError> {
        let instance = self.instance.as_mut().ok_or_else(no_instance)?;
        let score = self.functions.evaluate_checked(instance, position, host)?;
        Ok(Response::Evaluated(
            score,
            self.functions.terms(instance, position, host)?,
        ))
    }

    /// Creates a new instance after a panic. If an instance could not be created with other
    /// options, the host handles that.
    pub(crate) fn recover(&mut self) -> Result<(), WorkerError> {
        if self.instance.is_none()
            && let Some(options) = &self.options
        {
            let created = with_idle_host(self.grants, |host| self.functions.create(options, host));
            let created = created.map_err(|error| {
                WorkerError::System(
                    "create a new instance of the AI",
                    std::io::Error::other(error.to_string()),
                )
            })?;
            self.instance = Some(created);
        }
        Ok(())
    }
}

/// The evaluator that `ai-search` uses, for an AI that does not search. Its first error ends the
/// search.
struct HostedEvaluator<'a> {
    functions: &'a Functions,
    instance: &'a mut Instance,
    stop: &'a Flag,
    /// Holds the reason for a failed evaluation, allocated once per search.
    buffer: LentOutput<CError>,
    error: Option<AiError>,
}

impl Evaluator for HostedEvaluator<'_> {
    fn evaluate(&mut self, position: &Position, host: &Host<'_>) -> Score {
        if self.error.is_some() {
            return Score::DRAW;
        }
        self.functions
            .evaluate(self.instance, position, host, &mut self.buffer)
            .unwrap_or_else(|error| {
                self.error = Some(error);
                self.stop.set(true);
                Score::DRAW
            })
    }
}

/// Returns a position whose half-move clock the contract allows.
fn with_clock_of_contract(position: &Position) -> Position {
    const HIGHEST: u8 = 150;
    let mut setup = Setup::from(position);
    setup.halfmove_clock = setup.halfmove_clock.min(HIGHEST);
    setup.into_position().unwrap_or(*position)
}

fn replay(job: &Job) -> Result<Game, AiError> {
    let illegal_game = || AiError::new("the host sent an illegal game");
    let mut game = Game::new(rules::parse_fen(&job.fen).map_err(|_| illegal_game())?);
    for &chosen in &job.moves {
        game.play_on(chosen).map_err(|_| illegal_game())?;
    }
    Ok(game)
}

fn no_instance() -> AiError {
    AiError::new("the AI has no instance")
}
