//! An AI under examination at the board: it is asked, and its answers are looked at.

use std::{fmt, time::Duration};

use ai_api::{Limits, Move, OptionSetting, Score, SearchResult};
use rules::{Game, format_fen, is_legal, legal_moves};

use super::{CheckFailure, Subject};
use crate::{
    ai::{Findings, Heard, Interruption, Iteration, Job, SearchParams, Task, WorkerSession},
    arbiter::question,
};

/// What a question may take that is limited by depth or nodes.
const PATIENCE: Duration = Duration::from_secs(10);

/// An AI with a worker of its own.
pub(super) struct CheckSession {
    pub(super) session: WorkerSession,
}

/// A legal answer, and how it came.
pub(super) struct Found {
    pub(super) answer: SearchResult,
    pub(super) iterations: Vec<Iteration>,
    pub(super) elapsed: Duration,
    pub(super) after_interruption: Option<Duration>,
}

/// What must be the same when a question is asked again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint(String);

impl CheckSession {
    pub(super) async fn of(subject: &Subject) -> Result<Self, CheckFailure> {
        Ok(Self { session: subject.start().await? })
    }

    /// What the AI finds within a limit.
    pub(super) async fn find(&mut self, game: &Game, limits: Limits) -> Result<Found, CheckFailure> {
        let time = limits.hard_ms.map_or(Duration::ZERO, Duration::from_millis);
        self.find_until(game, limits, PATIENCE.saturating_add(time), None).await
    }

    /// What the AI finds when it is asked to stop after a while.
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
        self.find_as(game, question(game, Task::Search(limits)), time_allowed, interruption).await
    }

    /// What the AI finds that is asked for more than a move.
    pub(super) async fn find_with(
        &mut self,
        game: &Game,
        limits: Limits,
        wishes: SearchParams,
        interruption: Option<Interruption>,
    ) -> Result<Found, CheckFailure> {
        let question = Job { wishes, ..question(game, Task::Search(limits)) };
        self.find_as(game, question, PATIENCE, interruption).await
    }

    /// What the AI finds with these options instead of its own.
    pub(super) async fn find_configured(
        &mut self,
        game: &Game,
        limits: Limits,
        options: Vec<OptionSetting>,
    ) -> Result<Found, CheckFailure> {
        let question = Job { options, ..question(game, Task::Search(limits)) };
        self.find_as(game, question, PATIENCE, None).await
    }

    async fn find_as(
        &mut self,
        game: &Game,
        question: Job,
        time_allowed: Duration,
        interruption: Option<Interruption>,
    ) -> Result<Found, CheckFailure> {
        let Heard { findings, iterations, elapsed, after_interruption } =
            self.session.ask(&question, time_allowed, interruption).await;
        let place = place(game);
        let answer = match findings.map_err(|fault| CheckFailure::from(fault).at(&place))? {
            Findings::Answer(answer) => answer,
            Findings::Judgement(..) => return Err(out_of_place().at(&place)),
        };
        let best = answer.best_move;
        if best.is_none_or(|best| !is_legal(game.position(), best)) {
            let legal: Vec<_> = legal_moves(game.position()).iter().map(ToString::to_string).collect();
            let reason = format!("{place}: it played {}; legal are {}", shown(best), legal.join(" "));
            return Err(CheckFailure::failed(reason, "choose among host.legal_moves(&question.position)"));
        }
        Ok(Found { answer, iterations, elapsed, after_interruption })
    }

    /// How the AI judges a position, and the parts of that.
    pub(super) async fn judge(
        &mut self,
        game: &Game,
    ) -> Result<(Score, Vec<ai_api::EvalTerm>), CheckFailure> {
        let heard = self.session.ask(&question(game, Task::Evaluate), PATIENCE, None).await;
        match heard.findings.map_err(|fault| CheckFailure::from(fault).at(&place(game)))? {
            Findings::Judgement(score, terms) => Ok((score, terms)),
            Findings::Answer(_) => Err(out_of_place().at(&place(game))),
        }
    }

    /// Skips what only an evaluator can do.
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
    /// Whether the same question has the same answer.
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

/// Where a game stands, for a message.
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
