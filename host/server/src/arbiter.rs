//! The arbiter: what is legal, whose turn it is and how a game ended is decided here, by the rules and by nobody else.
//!
//! Its functions take a request as a client writes it and give a reply as a client reads it; they know nothing of HTTP.

pub mod blogchess;
mod ai_summary;
mod caller;
mod compare;
mod convert;
mod error;
mod form;
mod game_form;
mod limits;
mod strict_json;
mod options;
mod picture;
mod reply;
mod report;
mod progress;
mod search_progress;
mod trace;
mod words;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use ai_api::{Move, Score};
use rules::Game;

pub use ai_summary::{
    AiSummary, CapabilitiesReply, CgroupReply, LastFaultReply, LibraryReply, SandboxReply, kinds,
    options_schema,
};
pub use caller::Caller;
pub use compare::{AgreementReply, Answered, ChosenReply, Comparison};
pub use convert::{ConvertForm, ConvertReply, VariationsForm};
pub(crate) use error::pointer_part;
pub use error::{ArbiterError, GameError, IssueReply, Malformed};
pub use form::{
    BestMoveForm, CompareForm, EvaluateForm, LegalMovesForm, LimitForm, ReachableForm, ReportForm, TraceForm,
    ValidateForm,
};
use game::{final_score, job, legal_move, playable_line, smoke_tests, wrong_response};
pub use game_form::{GameForm, TurnForm};
pub use limits::{LimitReply, limit_schema};
pub use options::{OptionReply, OptionsForm, WrongOptions};
pub use picture::PictureForm;
pub use progress::{AskedAiReply, AskedReply, ProgressEvent, ProgressSender, StartReply};
pub use reply::{
    AiReply, Assumptions, BestMoveReply, EvaluateReply, GameReply, LegalMovesReply, MoveReply, PieceReply,
    ReachReply, ReachableReply, ScoreReply, SearchReply, StatusReply, StoppedBy, TermReply, ValidateReply,
};
pub use report::{AccuracyReply, BestReply, JudgedRecord, JudgedReply, ReportReply, WinningChancesReply};
pub use search_progress::chances;
pub use search_progress::{InfoReply, LineReply};
pub use strict_json::object;
pub use strict_json::optional_object;
pub use trace::{TraceMoveReply, TraceNodeReply, TraceReply};
pub use trace::{bound_name, kind_name};
pub(crate) use words::PartWord;

use config::{ClientSettings, Config, ServerSettings, SkippedLibrary, api_key::concealed};
use limits::{Demand, SearchLimits};
use options::AskedOptions;
use pool::{Ai, Ais, Changes, Fault, Listener, RequestContext, Retry, StartErrors, WorkerProgram};
use protocol::{Job, Response, Task};
use search_progress::{Search, answered_lines};
use text::printable;

/// Answers what clients ask, with the AIs that they may use.
#[derive(Debug)]
pub struct Arbiter {
    config: Config,
    ais: Ais,
}

impl Arbiter {
    /// An arbiter over the AIs of a configuration.
    pub const fn new(config: Config, ais: Ais) -> Self {
        Self { config, ais }
    }

    /// An arbiter over the AIs of a configuration, all started, and over none of those dropped in.
    ///
    /// # Errors
    /// Everything that is wrong with the AIs of the configuration.
    pub fn start(config: Config, program: WorkerProgram) -> Result<Self, StartErrors> {
        let ais = Ais::start(&config, program)?;
        Ok(Self::new(config, ais))
    }

    /// An arbiter over the same AIs and those in the plugin directories that have passed their smoke tests, and how it differs from
    /// this one. Blocks until all are tried.
    ///
    /// # Errors
    /// The server is shutting down.
    pub fn with_dropped_in(&self) -> Result<(Self, Changes), StartErrors> {
        let next_generation = self.ais.with_dropped_in(&self.config, smoke_tests())?;
        Ok((Self::new(self.config.clone(), next_generation.ais), next_generation.changes))
    }

    /// An arbiter over the AIs of another configuration, and how these differ from this one's. It shares those that are the
    /// same, and has tried the others. Blocks until all are ready.
    ///
    /// # Errors
    /// Everything that is wrong with the AIs; then nothing has changed.
    pub fn reload_with(&self, config: Config, retry: Retry) -> Result<(Self, Changes), StartErrors> {
        let next_generation = self.ais.reload_with(&config, smoke_tests(), retry)?;
        Ok((Self::new(config, next_generation.ais), next_generation.changes))
    }

    /// The configuration whose AIs it asks.
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// Ends the AIs, in no more time than `at_most`.
    pub fn stop(&self, at_most: Duration) {
        self.ais.stop(at_most);
    }

    /// How the server is set.
    pub const fn server(&self) -> &ServerSettings {
        &self.config.server
    }

    /// Every client.
    pub fn clients(&self) -> impl Iterator<Item = &ClientSettings> {
        self.config.clients.values()
    }

    /// The settings of the client whose key was sent, or else of the one that a request names, or of the default one.
    ///
    /// # Errors
    /// There is no such client, or it has a key that was not sent.
    pub fn client(&self, name: Option<&str>, key: Option<&[u8]>) -> Result<&ClientSettings, ArbiterError> {
        let shown = |name: &str| concealed(&printable(name)).into_owned();
        let Some(key) = key else {
            let found = self.config.client(name).filter(|client| client.api_key_sha256.is_none());
            return found.ok_or_else(|| ArbiterError::UnknownClient(name.map(shown)));
        };
        let found = self.config.client_with_key(key).ok_or(ArbiterError::UnknownKey)?;
        match name {
            Some(name) if name != found.id => Err(ArbiterError::KeyOfAnother(shown(name))),
            _ => Ok(found),
        }
    }

    /// The libraries in the plugin directories that are not served, though they could be.
    pub fn skipped(&self) -> &[SkippedLibrary] {
        self.ais.skipped()
    }

    /// Whether every AI of the configuration is there for whoever has not made it fail himself. Nobody counts on one that
    /// was dropped in.
    pub fn is_ready(&self) -> bool {
        let mut configured = self.ais.iter().filter(|ai| self.config.ais.contains_key(&ai.id));
        configured.all(|ai| ai.is_available())
    }

    /// The AIs, by id, as this client may see them.
    pub fn ais(&self, client: &ClientSettings) -> Vec<AiSummary> {
        self.ais.iter().map(|ai| AiSummary::new(ai, client)).collect()
    }

    /// The AIs themselves, for those who watch them.
    pub fn every_ai(&self) -> Vec<Arc<Ai>> {
        self.ais.iter().map(Arc::clone).collect()
    }

    /// One AI, as this client may see it.
    ///
    /// # Errors
    /// There is no such AI.
    pub fn ai(&self, client: &ClientSettings, id: &str) -> Result<AiSummary, ArbiterError> {
        let ai = self.find_ai(id)?;
        let summary = AiSummary::new(ai, client);
        Ok(if client.admin { summary.with_last_fault(ai) } else { summary })
    }

    /// Validates a game.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn validate(&self, form: &ValidateForm) -> Result<ValidateReply, ArbiterError> {
        let record = form.game.read(self.server().max_plies)?;
        Ok(ValidateReply { game: GameReply::new(&record.game, record.assumptions) })
    }

    /// Every move that can follow a game, or those of one piece.
    ///
    /// # Errors
    /// The game is not valid.
    pub fn legal_moves(&self, form: &LegalMovesForm) -> Result<LegalMovesReply, ArbiterError> {
        let record = form.game.read(self.server().max_plies)?;
        let from = form.from()?;
        let position = record.game.position();
        let moves = if record.game.status().outcome.is_some() {
            ai_api::MoveList::new()
        } else {
            from.map_or_else(|| rules::legal_moves(position), |from| rules::legal_moves_from(position, from))
        };
        Ok(LegalMovesReply::new(position, &moves, GameReply::new(&record.game, record.assumptions)))
    }

    /// Where the piece on a square can go, and what keeps it from going elsewhere.
    ///
    /// # Errors
    /// The game is not valid, or the square is none.
    pub fn reachable(&self, form: &ReachableForm) -> Result<ReachableReply, ArbiterError> {
        let square = form.square()?;
        let record = form.game.read(self.server().max_plies)?;
        Ok(ReachableReply::new(&record.game, square))
    }

    /// Asks the AI for its judgement of the position, without search.
    ///
    /// # Errors
    /// The game is not valid, the AI may not be used or does not judge, or a fault of the AI.
    pub async fn evaluate(
        &self,
        client: &Caller,
        form: &EvaluateForm,
    ) -> Result<EvaluateReply, ArbiterError> {
        let record = form.game.read(self.server().max_plies)?;
        let ai = self.choose(client, form.ai.as_deref())?;
        if !ai.about.evaluator {
            let detail = format!(
                "the AI '{}' only searches and has no judgement without it; choose one whose 'kinds' name 'evaluator'",
                ai.id
            );
            return Err(Malformed { pointer: "/ai".into(), detail }.into());
        }
        let options = AskedOptions::read(form.options.as_ref(), ai)?;
        if let Some(score) = final_score(&record.game.status()) {
            let ai = AiReply::new(ai).with_options(&options);
            return Ok(EvaluateReply { score: score.into(), terms: None, ai });
        }
        let ask = async |ai: &Ai, _: &AiReply| {
            check_chess960(ai, &record.game)?;
            let question = Job { options: options.all.clone(), ..job(&record.game, Task::Evaluate) };
            match ai.ask_with(RequestContext::of(client.requester.clone()), question, None).await {
                Ok(Response::Evaluated(score, terms)) => Ok((score, terms)),
                Ok(Response::Searched(_)) => Err(ArbiterError::fault(ai, wrong_response())),
                Err(fault) => Err(ArbiterError::fault(ai, fault)),
            }
        };
        let ((score, terms), ai) = self.ask_or_fall_back(ai, &options, |ai| ai.about.evaluator, ask).await?;
        let shown: Vec<_> = terms.iter().map(TermReply::new).collect();
        let terms = (!shown.is_empty()).then_some(shown);
        Ok(EvaluateReply { score: Score::from_value(score.value()).into(), terms, ai })
    }

    /// Asks the AI for its move, checks it and plays it.
    ///
    /// `progress` is told how the search goes on.
    ///
    /// # Errors
    /// The game is not valid, the AI may not be used, or a fault of the AI.
    pub async fn best_move(
        &self,
        client: &Caller,
        form: &BestMoveForm,
        progress: Option<&ProgressSender>,
    ) -> Result<BestMoveReply, ArbiterError> {
        let game_form::ReadGame { game, assumptions } = form.game.read(self.server().max_plies)?;
        let ai = self.choose(client, form.ai.as_deref())?;
        let options = AskedOptions::read(form.options.as_ref(), ai)?;
        let starts = |_: &Ai, asked: &AiReply, limits: &SearchLimits| {
            let progress = progress?;
            let asked = AskedReply::One { ai: asked.clone(), limit: limits.held() };
            let game_reply = GameReply::new(&game, assumptions.clone());
            progress.starts(StartReply { asked, game: game_reply, of: None });
            Some(progress.listener(Search::new(game.clone(), limits)))
        };
        let (played, ai) = self.play_on(client, ai, &game, form.demand()?, &options, starts).await?;
        Ok(BestMoveReply::new(ai, &played, assumptions))
    }

    /// Plays the AI's move, or that of its fallback, as is demanded. `starts` is called for each that is asked, and may
    /// listen to it.
    async fn play_on(
        &self,
        client: &Caller,
        ai: &Ai,
        game: &Game,
        demand: Demand,
        options: &AskedOptions,
        starts: impl Fn(&Ai, &AiReply, &SearchLimits) -> Option<Box<dyn Listener>>,
    ) -> Result<(Played, AiReply), ArbiterError> {
        let play_on = async |ai: &Ai, asked: &AiReply| {
            let limits = demand.of(ai, client);
            trace::check_ability(ai, &limits)?;
            let listen = || starts(ai, asked, &limits);
            play_on(RequestContext::of(client.requester.clone()), ai, game.clone(), options, limits, listen)
                .await
        };
        self.ask_or_fall_back(ai, options, |_| true, play_on).await
    }

    /// Asks an AI, and in its stead its fallback, if it is not available and the fallback `can` answer. The operator has
    /// chosen that one, so it is no matter what the client may choose itself; but it does not have the options of another one.
    async fn ask_or_fall_back<T>(
        &self,
        ai: &Ai,
        options: &AskedOptions,
        can: impl Fn(&Ai) -> bool,
        ask: impl AsyncFn(&Ai, &AiReply) -> Result<T, ArbiterError>,
    ) -> Result<(T, AiReply), ArbiterError> {
        let asked = AiReply::new(ai).with_options(options);
        let error = match ask(ai, &asked).await {
            Ok(answer) => return Ok((answer, asked)),
            Err(error) => error,
        };
        let ArbiterError::Fault { fault: fault @ Fault::Unavailable { .. }, .. } = &error else {
            return Err(error);
        };
        let fallback = ai.settings.fallback.as_ref().and_then(|id| self.ais.get(id));
        let Some(fallback) = fallback.filter(|fallback| can(fallback)) else { return Err(error) };
        if !options.is_empty() {
            let (ai, fallback) = (ai.id.clone(), fallback.id.clone());
            return Err(ArbiterError::NotForFallback { ai, fault: fault.clone(), fallback });
        }
        let asked = AiReply { fallback_for: Some(ai.id.clone()), ..AiReply::new(fallback) };
        match ask(fallback, &asked).await {
            Ok(answer) => Ok((answer, asked)),
            // What was asked for is what the client waits for.
            Err(_) => Err(error),
        }
    }

    /// The AI that a request chooses, or else its client's.
    fn choose(&self, client: &ClientSettings, chosen: Option<&str>) -> Result<&Ai, ArbiterError> {
        let Some(id) = chosen else { return self.find_ai(&client.ai) };
        let ai = self.find_ai(id)?;
        if client.allowed_ais(id) {
            return Ok(ai);
        }
        let allowed = client.allowed_ais.clone().unwrap_or_default();
        Err(ArbiterError::AiNotAllowed { ai: id.to_owned(), allowed })
    }

    fn find_ai(&self, id: &str) -> Result<&Ai, ArbiterError> {
        let unknown = || {
            let known = self.ais.iter().map(|ai| ai.id.as_str());
            ArbiterError::UnknownAi {
                id: printable(id),
                closest: text::suggest(id, known).map(str::to_owned),
            }
        };
        self.ais.get(id).map(AsRef::as_ref).ok_or_else(unknown)
    }
}

/// A game after an AI's move, if there was one to play.
#[derive(Debug)]
pub struct Played {
    /// The game, with the move.
    pub game: Game,
    /// The position in which the AI moved, with its move.
    pub chosen: Option<(ai_api::Position, Move)>,
    /// The AI's score, or that of the game's end.
    pub score: Score,
    /// How it was found.
    pub search: SearchReply,
    /// The tree of the search, where one was asked for.
    pub trace: Option<TraceReply>,
}

/// Plays an AI's move. `listen` is called once it is certain that there is a question to answer, or nothing to ask.
async fn play_on(
    context: RequestContext,
    ai: &Ai,
    mut game: Game,
    options: &AskedOptions,
    limits: SearchLimits,
    listen: impl FnOnce() -> Option<Box<dyn Listener>>,
) -> Result<Played, ArbiterError> {
    let end = final_score(&game.status());
    if end.is_none() {
        check_chess960(ai, &game)?;
    }
    let listener = listen();
    if let Some(score) = end {
        return Ok(Played { game, chosen: None, score, search: SearchReply::NONE, trace: None });
    }
    let asked = Instant::now();
    let (params, options) = (limits.params(), options.all.clone());
    let asking = Job { params, options, ..job(&game, limits.task()) };
    let response = ai.ask_with(context, asking, listener).await;
    let time = asked.elapsed();
    let position = *game.position();
    let check = |response| match response {
        Response::Searched(answer) => {
            let chosen = legal_move(&game, &answer)?;
            let line = playable_line(&game, chosen, &answer.pv);
            let search = SearchReply {
                stopped_by: limits.stopped_by(&answer, time, ai.thinking_time()),
                limit: limits.tightened(),
                lines: limits.wants_lines().then(|| answered_lines(&game, &answer, &line)),
                ..SearchReply::new(&answer, time, &position, &line)
            };
            let trace =
                limits.wants_trace().then(|| TraceReply::new(&position, &answer.trace, limits.trace_nodes()));
            Ok((chosen, search, answer.score, trace))
        }
        Response::Evaluated(..) => Err(wrong_response()),
    };
    let wrong = |fault: &Fault| ai.stats.record_fault(fault, String::new());
    let checked = response.and_then(|response| check(response).inspect_err(wrong));
    let (chosen, search, score, trace) = checked.map_err(|fault| ArbiterError::fault(ai, fault))?;
    game.play(chosen).map_err(|_| ArbiterError::Internal("a legal move could not be played"))?;
    let score = Score::from_value(score.value());
    Ok(Played { game, chosen: Some((position, chosen)), score, search, trace })
}

/// Whether the AI knows the kind of chess that the game is.
fn check_chess960(ai: &Ai, game: &Game) -> Result<(), ArbiterError> {
    if !game.position().is_chess960() || ai.about.capabilities.chess960 {
        return Ok(());
    }
    let detail = format!(
        "the game is Chess960, which the AI '{}' does not play; choose one whose 'capabilities' say 'chess960'",
        ai.id
    );
    Err(Malformed { pointer: "/ai".into(), detail }.into())
}
