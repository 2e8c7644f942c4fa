//! The AIs of one configuration, and asking them on behalf of clients.

use std::{sync::Arc, time::Duration};

use ai_api::{EvalTerm, Score};
use config::{Config, SkippedLibrary};
use pool::{Ai, Ais, Changes, Fault, Listener, Retry, StartErrors, WorkerProgram};
use protocol::{Job, Response, SearchParams, Task};
use rules::Game;

use crate::{
    answers::{AnswerCounts, Answers},
    ask::{check_variant, final_score, job, wrong_response},
    client::Client,
    error::ServiceError,
    limits::{RequestedSearch, SearchLimits},
    options::RequestedOptions,
    play::{AskedMove, Played, play},
    smoke::smoke_tests,
};

/// The AIs of one configuration.
#[derive(Debug)]
pub struct GameService {
    config: Config,
    ais: Ais,
    answers: Answers,
}

/// The AI that answers a request.
#[derive(Clone, Copy, Debug)]
pub struct Responder<'a> {
    pub ai: &'a Ai,
    /// The id of the unavailable AI that this one answers for.
    pub fallback_for: Option<&'a str>,
}

impl<'a> Responder<'a> {
    /// An AI that answers for itself.
    pub const fn of(ai: &'a Ai) -> Self {
        Self {
            ai,
            fallback_for: None,
        }
    }
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
        Ok(Self {
            config,
            ais,
            answers,
        })
    }

    /// Adds the libraries of the plugin directories that pass the smoke tests. Shares the running
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
            },
            next.changes,
        ))
    }

    /// Starts the AIs of another configuration and runs their smoke tests. Shares unchanged AIs.
    /// Blocks until all are ready.
    ///
    /// # Errors
    /// Every error of every AI; then nothing has changed.
    pub fn reload_with(
        &self,
        config: Config,
        retry: Retry,
    ) -> Result<(Self, Changes), StartErrors> {
        let next = self.ais.reload_with(&config, smoke_tests(), retry)?;
        let answers = Answers::new(&config.server, Some(&self.answers));
        Ok((
            Self {
                config,
                ais: next.ais,
                answers,
            },
            next.changes,
        ))
    }

    /// Returns this service with other AIs of nodes.
    #[must_use]
    pub fn with_remote(&self, remote: &[Arc<Ai>]) -> Self {
        Self {
            config: self.config.clone(),
            ais: self.ais.with_remote(remote),
            answers: self.answers.clone(),
        }
    }

    /// How requests were answered whose answers may be kept; `None` if none are.
    pub fn answer_counts(&self) -> Option<AnswerCounts> {
        self.answers.counts()
    }

    pub const fn config(&self) -> &Config {
        &self.config
    }

    pub const fn ais(&self) -> &Ais {
        &self.ais
    }

    /// The skipped libraries of the plugin directories.
    pub fn skipped(&self) -> &[SkippedLibrary] {
        self.ais.skipped()
    }

    /// Returns whether every configured AI is available. Discovered AIs do not count.
    pub fn is_ready(&self) -> bool {
        let mut configured = self
            .ais
            .iter()
            .filter(|ai| self.config.ais.contains_key(&ai.id));
        configured.all(|ai| ai.is_available())
    }

    /// The AIs, which outlive a reload for as long as they are held.
    pub fn every_ai(&self) -> Vec<Arc<Ai>> {
        self.ais.iter().map(Arc::clone).collect()
    }

    /// The AIs of this machine.
    pub fn local_ais(&self) -> Vec<Arc<Ai>> {
        self.ais.local().map(Arc::clone).collect()
    }

    /// Drains the requests and stops the AIs, in no more time than `at_most`.
    pub fn stop(&self, at_most: Duration) {
        self.ais.stop(at_most);
    }

    /// Returns the static evaluation of an AI, or of its fallback.
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
        let evaluate = async |Responder { ai: asked, .. }: Responder<'_>| {
            check_variant(asked, game)?;
            let params = SearchParams {
                analysis: true,
                ..SearchParams::default()
            };
            let job = Job {
                params,
                options: options.all(),
                ..job(game, Task::Evaluate)
            };
            match asked.ask(client.context(), job, None).await {
                Ok(Response::Evaluated(score, terms)) => Ok((score, terms)),
                Ok(Response::Searched(_) | Response::Probed(_)) => {
                    Err(ServiceError::fault(asked, wrong_response()))
                }
                Err(fault) => Err(ServiceError::fault(asked, fault)),
            }
        };
        let ((score, terms), responder) = self
            .ask_or_fall_back(ai, options, |ai| ai.about.evaluator, evaluate)
            .await?;
        Ok((score, terms, responder))
    }

    /// Plays the move of an AI, or of its fallback. `listener` is called for each AI that is asked.
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
        listener: impl Fn(Responder<'_>, &SearchLimits) -> Option<Box<dyn Listener>>,
    ) -> Result<(Played, Responder<'a>), ServiceError> {
        let play = async |responder: Responder<'_>| {
            self.play_as(responder, client, game, search, options, &listener)
                .await
        };
        self.ask_or_fall_back(ai, options, |_| true, play).await
    }

    /// Plays the move of an AI, without its fallback.
    ///
    /// # Errors
    /// As [`Self::play`].
    pub(crate) async fn play_as(
        &self,
        responder: Responder<'_>,
        client: &Client,
        game: &Game,
        search: RequestedSearch<'_>,
        options: &RequestedOptions,
        listener: impl Fn(Responder<'_>, &SearchLimits) -> Option<Box<dyn Listener>>,
    ) -> Result<Played, ServiceError> {
        let limits = search.limits(responder.ai, client);
        let asked = AskedMove {
            ai: responder.ai,
            game: game.clone(),
            options,
            limits,
            root_moves: search.root_moves,
            fresh: search.fresh,
        };
        // What a fallback answers is no answer of the AI that was asked.
        let answers = match responder.fallback_for {
            Some(_) => &Answers::default(),
            None => &self.answers,
        };
        let listener = || listener(responder, &limits);
        play(answers, client.context(), asked, listener).await
    }

    /// Asks an AI, or its fallback if the AI is unavailable and the fallback `can` answer. The
    /// operator chose the fallback, so the client need not be allowed to choose it; but it does not
    /// have the options of another AI.
    async fn ask_or_fall_back<'a, T>(
        &'a self,
        ai: &'a Ai,
        options: &RequestedOptions,
        can: impl Fn(&Ai) -> bool,
        ask: impl AsyncFn(Responder<'_>) -> Result<T, ServiceError>,
    ) -> Result<(T, Responder<'a>), ServiceError> {
        let error = match ask(Responder::of(ai)).await {
            Ok(response) => return Ok((response, Responder::of(ai))),
            Err(error) => error,
        };
        let ServiceError::Fault {
            fault: fault @ Fault::Unavailable { .. },
            ..
        } = &error
        else {
            return Err(error);
        };
        let fallback = ai
            .settings
            .fallback
            .as_ref()
            .and_then(|id| self.ais.get(id));
        let Some(fallback) = fallback.filter(|fallback| can(fallback)) else {
            return Err(error);
        };
        if !options.set().is_empty() {
            let (ai, fallback) = (ai.id.clone(), fallback.id.clone());
            return Err(ServiceError::NotForFallback {
                ai,
                fault: fault.clone(),
                fallback,
            });
        }
        let responder = Responder {
            ai: fallback,
            fallback_for: Some(&ai.id),
        };
        match ask(responder).await {
            Ok(response) => Ok((response, responder)),
            // The client waits for the AI that it asked for.
            Err(_) => Err(error),
        }
    }
}
