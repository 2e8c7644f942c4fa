//! Sends requests to a worker of the AI under test, and checks that each result is legal.

use std::{fmt, time::Duration};

use ai_api::{Capabilities, EvalTerm, Limits, Move, OptionSetting, Score, SearchResult};
use rules::{Game, format_fen, is_legal, legal_moves};

use crate::{
    failure::CheckFailure,
    subject::{Printed, Subject},
};
use game::job;
use pool::{Interruption, JobResult, WorkerSession};
use protocol::{Iteration, Job, Manifest, Response, SearchParams, Task};

/// The time that a request may take beyond its own limit, unless the AI has a longer move timeout.
const TIME_LIMIT: Duration = Duration::from_secs(10);

pub(crate) struct CheckSession {
    pub(crate) worker: WorkerSession,
    printed: Printed,
    /// The time that a request may take beyond its own limit.
    time_limit: Duration,
}

/// A legal result, with the iterations before it.
pub(crate) struct FoundMove {
    pub(crate) result: SearchResult,
    pub(crate) iterations: Vec<Iteration>,
    pub(crate) elapsed: Duration,
    /// The time after the stop or the ponder hit; `None` if the result came earlier.
    pub(crate) after_interruption: Option<Duration>,
}

/// The part of a result that must be equal when a request is repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint(String);

impl CheckSession {
    pub(crate) async fn start(subject: &Subject) -> Result<Self, CheckFailure> {
        Ok(Self::of(subject, subject.start().await?))
    }

    pub(crate) fn of(subject: &Subject, worker: WorkerSession) -> Self {
        let time_limit = TIME_LIMIT.max(Duration::from_millis(subject.ai.move_timeout_ms));
        Self {
            worker,
            printed: subject.printed.clone(),
            time_limit,
        }
    }

    /// Starts a worker. Skips the check if the AI does not declare `what`.
    pub(crate) async fn start_if(
        subject: &Subject,
        what: &str,
        declares: impl Fn(&Capabilities) -> bool,
    ) -> Result<Self, CheckFailure> {
        let session = Self::start(subject).await?;
        if declares(&session.manifest().capabilities) {
            return Ok(session);
        }
        Err(CheckFailure::skipped(format!(
            "the AI does not declare {what}"
        )))
    }

    /// Starts a worker. Skips the check if the AI is not an evaluator.
    pub(crate) async fn start_evaluator(subject: &Subject) -> Result<Self, CheckFailure> {
        let session = Self::start(subject).await?;
        if session.worker.is_evaluator() {
            return Ok(session);
        }
        Err(CheckFailure::skipped("the AI is not an evaluator"))
    }

    pub(crate) const fn manifest(&self) -> &Manifest {
        self.worker.manifest()
    }

    pub(crate) async fn search(
        &mut self,
        game: &Game,
        limits: Limits,
    ) -> Result<FoundMove, CheckFailure> {
        let hard_limit = limits.hard_ms.map_or(Duration::ZERO, Duration::from_millis);
        let job = job(game, Task::Search(limits));
        self.run(game, job, self.time_limit.saturating_add(hard_limit), None)
            .await
    }

    /// Searches without starting a new game first.
    pub(crate) async fn search_on(
        &mut self,
        game: &Game,
        limits: Limits,
    ) -> Result<FoundMove, CheckFailure> {
        let job = Job {
            fresh: false,
            ..job(game, Task::Search(limits))
        };
        self.run(game, job, self.time_limit, None).await
    }

    /// Searches, and returns the fingerprint of the result.
    pub(crate) async fn fingerprint(
        &mut self,
        game: &Game,
        limits: Limits,
    ) -> Result<Fingerprint, CheckFailure> {
        Ok(self.search(game, limits).await?.fingerprint())
    }

    /// Searches, and requests a stop after a delay.
    pub(crate) async fn search_and_stop(
        &mut self,
        game: &Game,
        limits: Limits,
        after: Duration,
    ) -> Result<FoundMove, CheckFailure> {
        let job = job(game, Task::Search(limits));
        self.run(game, job, self.time_limit, Some(Interruption::Stop(after)))
            .await
    }

    pub(crate) async fn search_with_params(
        &mut self,
        game: &Game,
        limits: Limits,
        params: SearchParams,
        interruption: Option<Interruption>,
    ) -> Result<FoundMove, CheckFailure> {
        let job = Job {
            params,
            ..job(game, Task::Search(limits))
        };
        self.run(game, job, self.time_limit, interruption).await
    }

    pub(crate) async fn search_with_options(
        &mut self,
        game: &Game,
        limits: Limits,
        options: Vec<OptionSetting>,
    ) -> Result<FoundMove, CheckFailure> {
        let job = Job {
            options,
            ..job(game, Task::Search(limits))
        };
        self.run(game, job, self.time_limit, None).await
    }

    async fn run(
        &mut self,
        game: &Game,
        job: Job,
        time_limit: Duration,
        interruption: Option<Interruption>,
    ) -> Result<FoundMove, CheckFailure> {
        let JobResult {
            response,
            iterations,
            elapsed,
            after_interruption,
        } = self.send(&job, time_limit, interruption).await;
        let fen = fen_of(game);
        let result = match response.map_err(|fault| CheckFailure::from(fault).at(&fen))? {
            Response::Searched(result) => result,
            Response::Evaluated(..) | Response::Probed(_) => {
                return Err(wrong_response("a search", "an evaluation").at(&fen));
            }
        };
        let best = result.best_move;
        if best.is_none_or(|best| !is_legal(game.position(), best)) {
            let legal = move_list(&legal_moves(game.position()));
            let reason = format!(
                "{fen}: played {}; the legal moves are {legal}",
                move_text(best)
            );
            return Err(CheckFailure::failed(
                reason,
                "choose one of the legal_moves of the position",
            ));
        }
        let iterations = iterations
            .into_iter()
            .filter(|iteration| !iteration.pv.is_empty())
            .collect();
        Ok(FoundMove {
            result,
            iterations,
            elapsed,
            after_interruption,
        })
    }

    async fn send(
        &mut self,
        job: &Job,
        time_limit: Duration,
        interruption: Option<Interruption>,
    ) -> JobResult {
        let result = self.worker.run(job, time_limit, interruption).await;
        self.printed.replace(self.worker.printed().await);
        result
    }

    /// Evaluates a position, and returns the score with its terms.
    pub(crate) async fn evaluate(
        &mut self,
        game: &Game,
    ) -> Result<(Score, Vec<EvalTerm>), CheckFailure> {
        let response = self
            .send(&job(game, Task::Evaluate), self.time_limit, None)
            .await
            .response;
        match response.map_err(|fault| CheckFailure::from(fault).at(&fen_of(game)))? {
            Response::Evaluated(score, terms) => Ok((score, terms)),
            Response::Searched(_) | Response::Probed(_) => {
                Err(wrong_response("an evaluation", "a search").at(&fen_of(game)))
            }
        }
    }
}

impl FoundMove {
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        let SearchResult {
            best_move,
            score,
            nodes,
            ..
        } = &self.result;
        Fingerprint(format!("{}, {score}, {nodes} nodes", move_text(*best_move)))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Fingerprint {
    /// Fails unless the repeated request has an equal result. `repetition` describes how it was
    /// repeated.
    pub(crate) fn must_equal(
        &self,
        repeated: &Self,
        game: &Game,
        repetition: &str,
    ) -> Result<(), CheckFailure> {
        if self == repeated {
            return Ok(());
        }
        let reason = format!("{}: first {self}, {repetition} {repeated}", fen_of(game));
        Err(CheckFailure::failed(
            reason,
            "let the result depend only on the requests since the new game: not on the clock, on \
             random numbers without a fixed seed, or on tables of earlier games",
        ))
    }
}

/// Returns the position of a game as FEN.
pub(crate) fn fen_of(game: &Game) -> String {
    format_fen(game.position())
}

/// Formats a move in UCI for a message.
pub(crate) fn move_text(played: Option<Move>) -> String {
    played.map_or_else(|| "no move".to_owned(), |played| played.to_string())
}

/// Formats moves in UCI, separated by spaces.
pub(crate) fn move_list(moves: &[Move]) -> String {
    moves
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(" ")
}

fn wrong_response(requested: &str, returned: &str) -> CheckFailure {
    CheckFailure::failed(
        format!("returned {returned}, although {requested} was requested"),
        "build the AI with export_ai! (Rust) or the host's rookery_ai.h (C, C++)",
    )
}
