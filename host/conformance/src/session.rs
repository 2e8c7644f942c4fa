//! A session with the AI under examination: sends requests, and checks that the results are legal.

use std::{fmt, time::Duration};

use ai_api::{Limits, Move, OptionSetting, Score, SearchResult};
use rules::{Game, format_fen, is_legal, legal_moves};

use super::{CheckFailure, Subject};
use game::job;
use pool::{Interruption, JobResult, WorkerSession};
use protocol::{Iteration, Job, Response, SearchParams, Task};

/// The time of a request without a time limit.
const PATIENCE: Duration = Duration::from_secs(10);

/// A worker of the AI under examination.
pub(super) struct CheckSession {
    pub(super) session: WorkerSession,
}

/// A legal result, with the iterations before it.
pub(super) struct Found {
    pub(super) answer: SearchResult,
    pub(super) iterations: Vec<Iteration>,
    pub(super) elapsed: Duration,
    pub(super) after_interruption: Option<Duration>,
}

/// The part of a result that must be equal when a request is repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint(String);

impl CheckSession {
    pub(super) async fn of(subject: &Subject) -> Result<Self, CheckFailure> {
        Ok(Self { session: subject.start().await? })
    }

    /// Searches within limits.
    pub(super) async fn find(&mut self, game: &Game, limits: Limits) -> Result<Found, CheckFailure> {
        let time = limits.hard_ms.map_or(Duration::ZERO, Duration::from_millis);
        self.find_until(game, limits, PATIENCE.saturating_add(time), None).await
    }

    /// Searches, and stops the search after a delay.
    pub(super) async fn find_and_stop(
        &mut self,
        game: &Game,
        limits: Limits,
        after: Duration,
    ) -> Result<Found, CheckFailure> {
        self.find_until(game, limits, PATIENCE, Some(Interruption::Stop(after))).await
    }

    async fn find_until(
        &mut self,
        game: &Game,
        limits: Limits,
        time_allowed: Duration,
        interruption: Option<Interruption>,
    ) -> Result<Found, CheckFailure> {
        self.find_as(game, job(game, Task::Search(limits)), time_allowed, interruption).await
    }

    /// Searches with further parameters.
    pub(super) async fn find_with(
        &mut self,
        game: &Game,
        limits: Limits,
        params: SearchParams,
        interruption: Option<Interruption>,
    ) -> Result<Found, CheckFailure> {
        let question = Job { params, ..job(game, Task::Search(limits)) };
        self.find_as(game, question, PATIENCE, interruption).await
    }

    /// Searches with other options.
    pub(super) async fn find_configured(
        &mut self,
        game: &Game,
        limits: Limits,
        options: Vec<OptionSetting>,
    ) -> Result<Found, CheckFailure> {
        let question = Job { options, ..job(game, Task::Search(limits)) };
        self.find_as(game, question, PATIENCE, None).await
    }

    async fn find_as(
        &mut self,
        game: &Game,
        question: Job,
        time_allowed: Duration,
        interruption: Option<Interruption>,
    ) -> Result<Found, CheckFailure> {
        let JobResult { response, iterations, elapsed, after_interruption } =
            self.session.run(&question, time_allowed, interruption).await;
        let place = place(game);
        let answer = match response.map_err(|fault| CheckFailure::from(fault).at(&place))? {
            Response::Searched(answer) => answer,
            Response::Evaluated(..) => return Err(out_of_place().at(&place)),
        };
        let best = answer.best_move;
        if best.is_none_or(|best| !is_legal(game.position(), best)) {
            let legal: Vec<_> = legal_moves(game.position()).iter().map(ToString::to_string).collect();
            let reason = format!("{place}: it played {}; legal are {}", shown(best), legal.join(" "));
            return Err(CheckFailure::failed(reason, "choose among host.legal_moves(&question.position)"));
        }
        Ok(Found { answer, iterations, elapsed, after_interruption })
    }

    /// Evaluates a position, with its terms.
    pub(super) async fn judge(
        &mut self,
        game: &Game,
    ) -> Result<(Score, Vec<ai_api::EvalTerm>), CheckFailure> {
        let heard = self.session.run(&job(game, Task::Evaluate), PATIENCE, None).await;
        match heard.response.map_err(|fault| CheckFailure::from(fault).at(&place(game)))? {
            Response::Evaluated(score, terms) => Ok((score, terms)),
            Response::Searched(_) => Err(out_of_place().at(&place(game))),
        }
    }

    /// Skips the check for an AI that is no evaluator.
    pub(super) fn must_judge(&self) -> Result<(), CheckFailure> {
        if self.session.is_evaluator() {
            Ok(())
        } else {
            Err(CheckFailure::skipped("the AI does not judge positions"))
        }
    }
}

impl Found {
    pub(super) fn fingerprint(&self) -> Fingerprint {
        let SearchResult { best_move, score, nodes, .. } = &self.answer;
        Fingerprint(format!("{}, {score}, {nodes} nodes", shown(*best_move)))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Fingerprint {
    /// Fails unless the repeated request has an equal result.
    pub(super) fn must_be(&self, again: &Self, game: &Game, when: &str) -> Result<(), CheckFailure> {
        if self == again {
            return Ok(());
        }
        let reason = format!("{}: first {}, {when} {}", place(game), self.0, again.0);
        Err(CheckFailure::failed(
            reason,
            "let nothing but the question decide: no clock, no chance without a fixed seed, no table kept from before",
        ))
    }
}

/// The position of a game, for a message.
pub(super) fn place(game: &Game) -> String {
    format_fen(game.position())
}

/// A move in UCI, for a message.
pub(super) fn shown(played: Option<Move>) -> String {
    played.map_or_else(|| "no move".to_owned(), |played| played.to_string())
}

fn out_of_place() -> CheckFailure {
    CheckFailure::failed("it answered another question than it was asked", "build it with ai_api::export_ai!")
}
