//! Asks the AIs of one configuration on behalf of clients.

use std::{sync::Arc, time::Duration};

use ai_api::{EvalTerm, Score};
use config::{Config, SkippedLibrary};
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use pool::{Ai, Ais, Changes, Fault, Listener, Retry, StartErrors, WorkerProgram};
use rules::Game;

use crate::{
    answered::{RolloutAnswer, RolloutQuestion, SearchQuestion},
    answers::{AnswerCounts, Answers},
    ask::final_score,
    candidate::Rollout,
    client::Client,
    error::ServiceError,
    evaluation::evaluate,
    extra::Extra,
    limits::{RequestedSearch, SearchLimits},
    observers::Observers,
    options::RequestedOptions,
    play::{AskedMove, Played, play},
    responder::Responder,
    smoke::smoke_tests,
};

/// Chooses the listener of a search, before the search begins.
pub type ChooseListener<'a> =
    dyn Fn(Responder<'_>, &SearchLimits) -> Option<Box<dyn Listener>> + 'a;

/// The AIs of one configuration.
#[derive(Debug)]
pub struct GameService {
    config: Config,
    ais: Ais,
    answers: Answers,
    observers: Observers,
}

impl GameService {
    /// Starts every AI of a configuration, without discovered libraries. Blocks until all are
    /// ready.
    ///
    /// # Errors
    /// Every error of every AI.
    pub fn start(config: Config, program: WorkerProgram) -> Result<Self, StartErrors> {
        let ais = Ais::start(&config, program)?;
        let answers = Answers::new(&config.server, None);
        read_candidates(&config, &ais);
        Ok(Self {
            config,
            ais,
            answers,
            observers: Observers::default(),
        })
    }

    /// Adds the libraries in the plugin directories that pass the smoke tests. Shares the running
    /// AIs. Blocks until all are tested.
    ///
    /// # Errors
    /// The server is shutting down.
    pub fn with_discovered(&self) -> Result<(Self, Changes), StartErrors> {
        let next = self.ais.with_discovered(&self.config, smoke_tests())?;
        Ok((
            Self {
                config: self.config.clone(),
                ais: next.ais,
                answers: self.answers.clone(),
                observers: self.observers.clone(),
            },
            next.changes,
        ))
    }

    /// Starts the AIs of another configuration and runs their smoke tests. Shares unchanged AIs.
    /// Blocks until all are ready.
    ///
    /// # Errors
    /// Every error of every AI. In that case, nothing changes.
    pub fn reload_with(
        &self,
        config: Config,
        retry: Retry,
    ) -> Result<(Self, Changes), StartErrors> {
        let next = self.ais.reload_with(&config, smoke_tests(), retry)?;
        let answers = Answers::new(&config.server, Some(&self.answers));
        read_candidates(&config, &next.ais);
        Ok((
            Self {
                config,
                ais: next.ais,
                answers,
                observers: self.observers.clone(),
            },
            next.changes,
        ))
    }

    /// Returns this service with `remote` as the AIs from nodes.
    #[must_use]
    pub fn with_remote(&self, remote: &[Arc<Ai>]) -> Self {
        Self {
            config: self.config.clone(),
            ais: self.ais.with_remote(remote),
            answers: self.answers.clone(),
            observers: self.observers.clone(),
        }
    }

    /// Lets an extra receive answered requests.
    pub fn add_observer(&self, extra: Arc<dyn Extra>) {
        self.observers.add(extra);
    }

    /// Returns the rollout of an AI for a client and its options, if the AI has a candidate.
    fn rollout<'a, 'c>(
        &'a self,
        client: &'c Client,
        ai: &Ai,
        options: &RequestedOptions,
    ) -> Option<Rollout<'a, 'c>> {
        let settings = &self.config.ais.get(&ai.id)?.rollout;
        let candidate = self.ais.get(settings.id.as_ref()?)?;
        // The request may have asked for a superseded AI.
        let own = self
            .ais
            .get(&ai.id)
            .filter(|own| std::ptr::eq(&raw const ***own, ai))?;
        let sides = (own, candidate);
        Some(Rollout::new(
            sides,
            settings.canary,
            client,
            options,
            &self.observers,
        ))
    }

    /// Returns the counts of requests whose answers may be kept; `None` if no answers are kept.
    pub fn answer_counts(&self) -> Option<AnswerCounts> {
        self.answers.counts()
    }

    pub const fn config(&self) -> &Config {
        &self.config
    }

    pub const fn ais(&self) -> &Ais {
        &self.ais
    }

    /// Returns the skipped libraries in the plugin directories.
    pub fn skipped(&self) -> &[SkippedLibrary] {
        self.ais.skipped()
    }

    /// Returns whether every configured AI is available. Candidates and discovered AIs do not
    /// count.
    pub fn is_ready(&self) -> bool {
        let mut configured = self
            .ais
            .iter()
            .filter(|ai| self.config.ais.contains_key(&ai.id))
            // If a candidate is unavailable, its AI answers instead.
            .filter(|ai| !self.config.is_candidate(&ai.id));
        configured.all(|ai| ai.is_available())
    }

    /// Returns the AIs. They survive a reload while they are held.
    pub fn every_ai(&self) -> Vec<Arc<Ai>> {
        self.ais.iter().map(Arc::clone).collect()
    }

    /// Returns the AIs on this machine.
    pub fn local_ais(&self) -> Vec<Arc<Ai>> {
        self.ais.local().map(Arc::clone).collect()
    }

    /// Drains the requests and stops the AIs, within `at_most`.
    pub fn stop(&self, at_most: Duration) {
        self.ais.stop(at_most);
    }

    /// Returns the static evaluation by an AI or its fallback.
    ///
    /// # Errors
    /// The AI does not evaluate, does not support the game, or fails.
    pub async fn evaluate<'a>(
        &'a self,
        client: &Client,
        ai: &'a Ai,
        game: &Game,
        options: &RequestedOptions,
    ) -> Result<(Score, Vec<EvalTerm>, Responder<'a>), ServiceError> {
        if !ai.about.evaluator {
            return Err(ServiceError::NoEvaluator { ai: ai.id.clone() });
        }
        if let Some(score) = final_score(&game.status()) {
            return Ok((score, Vec::new(), Responder::of(ai)));
        }
        let rollout = self.rollout(client, ai, options);
        let ask = async |responder: Responder<'_>, own: &RequestedOptions| {
            let answer = evaluate(responder, client, game, own).await;
            if let Some(rollout) = &rollout {
                let shown = |(score, _): &(Score, _)| RolloutAnswer::Score(*score);
                let (question, answer) = (RolloutQuestion::Evaluation, answer.as_ref());
                rollout.tell(responder, game, question, answer, shown);
            }
            answer
        };
        let canary = rollout.as_ref().and_then(Rollout::canary);
        let canary = canary.filter(|(canary, _)| canary.ai.about.evaluator);
        let ((score, terms), responder) = self
            .ask_or_fall_back(canary, ai, options, |ai| ai.about.evaluator, ask)
            .await?;
        Ok((score, terms, responder))
    }

    /// Plays the move that an AI, its candidate or its fallback chooses. `listener` is called for
    /// each AI that is asked.
    ///
    /// # Errors
    /// The AI does not support the request, or fails.
    pub async fn play<'a>(
        &'a self,
        client: &Client,
        ai: &'a Ai,
        game: &Game,
        search: RequestedSearch<'_>,
        options: &RequestedOptions,
        listener: &ChooseListener<'_>,
    ) -> Result<(Played, Responder<'a>), ServiceError> {
        let rollout = self.rollout(client, ai, options);
        let play = async |responder: Responder<'_>, own: &RequestedOptions| {
            let played = self
                .play_as(responder, client, game, search, own, listener)
                .await;
            if let Some(rollout) = &rollout {
                let limit = search.limits(responder.ai, client).effective();
                let question = SearchQuestion::new(search, own, limit);
                let (question, played) =
                    (RolloutQuestion::Move(Box::new(question)), played.as_ref());
                rollout.tell(responder, game, question, played, RolloutAnswer::of);
            }
            played
        };
        let canary = rollout.as_ref().and_then(Rollout::canary);
        self.ask_or_fall_back(canary, ai, options, |_| true, play)
            .await
    }

    /// Plays a move without the candidate, for a request that asks one AI for several searches.
    ///
    /// # Errors
    /// The same as for [`Self::play`].
    pub(crate) async fn play_without_candidate<'a>(
        &'a self,
        client: &Client,
        ai: &'a Ai,
        game: &Game,
        search: RequestedSearch<'_>,
        options: &RequestedOptions,
        listener: &ChooseListener<'_>,
    ) -> Result<(Played, Responder<'a>), ServiceError> {
        let play = async |responder: Responder<'_>, own: &RequestedOptions| {
            self.play_as(responder, client, game, search, own, listener)
                .await
        };
        self.ask_or_fall_back(None, ai, options, |_| true, play)
            .await
    }

    /// Plays an AI's move, without its fallback.
    ///
    /// # Errors
    /// The same as for [`Self::play`].
    pub(crate) fn play_as<'a>(
        &'a self,
        responder: Responder<'a>,
        client: &'a Client,
        game: &'a Game,
        search: RequestedSearch<'a>,
        options: &'a RequestedOptions,
        listener: &'a ChooseListener<'a>,
    ) -> LocalBoxFuture<'a, Result<Played, ServiceError>> {
        // Boxed, because it would otherwise be compiled in each crate that asks for a move.
        async move {
            let limits = search.limits(responder.ai, client);
            let asked = AskedMove {
                ai: responder.ai,
                game: game.clone(),
                options,
                limits,
                root_moves: search.root_moves,
                fresh: search.fresh,
            };
            // A fallback's answer must not be kept as an answer of the AI that was asked.
            let answers = match responder.fallback_for {
                Some(_) => &Answers::default(),
                None => &self.answers,
            };
            let listener = || listener(responder, &limits);
            play(answers, responder.context(client), asked, &listener).await
        }
        .boxed_local()
    }

    /// Asks the AI's candidate if there is a `canary`. Otherwise, or if the candidate fails, asks
    /// the AI, or its fallback if the AI is unavailable and the fallback `can` answer. The operator
    /// chose the fallback, so the client need not be allowed to choose it. A request that sets
    /// options gets an error instead, because they belong to the AI.
    async fn ask_or_fall_back<'a, T>(
        &'a self,
        canary: Option<(Responder<'a>, &RequestedOptions)>,
        ai: &'a Ai,
        options: &RequestedOptions,
        can: impl Fn(&Ai) -> bool,
        ask: impl AsyncFn(Responder<'_>, &RequestedOptions) -> Result<T, ServiceError>,
    ) -> Result<(T, Responder<'a>), ServiceError> {
        if let Some((responder, own)) = canary
            && let Ok(response) = ask(responder, own).await
        {
            return Ok((response, responder));
        }
        let error = match ask(Responder::of(ai), options).await {
            Ok(response) => return Ok((response, Responder::of(ai))),
            Err(error) => error,
        };
        let Some(responder) = self.fallback(ai, options, &error, can)? else {
            return Err(error);
        };
        match ask(responder, options).await {
            Ok(response) => Ok((response, responder)),
            // The client asked for the AI, so it gets the AI's error.
            Err(_) => Err(error),
        }
    }

    /// Returns the fallback that answers in place of a failed AI, if it has one.
    ///
    /// # Errors
    /// The request sets options of the AI, which its fallback does not have.
    fn fallback<'a>(
        &'a self,
        ai: &'a Ai,
        options: &RequestedOptions,
        error: &ServiceError,
        can: impl Fn(&Ai) -> bool,
    ) -> Result<Option<Responder<'a>>, ServiceError> {
        let ServiceError::Fault {
            fault: fault @ Fault::Unavailable { .. },
            ..
        } = error
        else {
            return Ok(None);
        };
        let fallback = ai.settings.fallback.as_ref();
        let fallback = fallback.and_then(|id| self.ais.get(id));
        let Some(fallback) = fallback.filter(|fallback| can(fallback)) else {
            return Ok(None);
        };
        if !options.set().is_empty() {
            let (ai, fallback) = (ai.id.clone(), fallback.id.clone());
            return Err(ServiceError::NotForFallback {
                ai,
                fault: fault.clone(),
                fallback,
            });
        }
        Ok(Some(Responder {
            fallback_for: Some(&ai.id),
            ..Responder::of(fallback)
        }))
    }
}

/// Reads the fingerprints of candidates and their AIs. The fingerprints decide which clients a
/// candidate gets and which counts belong to it.
fn read_candidates(config: &Config, ais: &Ais) {
    let rollouts = config.ais.values().filter(|ai| ai.rollout.id.is_some());
    let ids = rollouts.flat_map(|ai| [Some(&ai.id), ai.rollout.id.as_ref()]);
    for ai in ids.flatten().filter_map(|id| ais.get(id)) {
        ai.read_fingerprint();
    }
}
