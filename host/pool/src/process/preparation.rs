//! What an AI has to do before it can be asked a question: hear of another game, or be made anew with other options.

use ai_api::{AiError, OptionSetting};

use super::{clock::Clock, clock::TimeAllowed, out_of_turn};
use crate::fault::{Fault, FaultReason};
use protocol::{Job, Reply, Request};
use text::printable;

/// What the host knows of the instance of an AI.
#[derive(Debug, Default)]
pub(super) struct Instance {
    /// The value of every option, as configured.
    configured: Vec<OptionSetting>,
    /// Those that it has; none where there is no instance.
    options: Option<Vec<OptionSetting>>,
    /// The game of the last question; none of a fresh instance.
    game: Option<Job>,
}

/// What comes before a question.
#[derive(Debug)]
pub(super) enum Preparation {
    /// Another game begins; numbered like a question.
    NewGame(u64),
    /// An instance with these options takes the place of the one that there is.
    Instance(Vec<OptionSetting>),
}

impl Instance {
    /// One that was just made, as it is configured.
    pub(super) fn configured(options: Vec<OptionSetting>) -> Self {
        Self { options: Some(options.clone()), configured: options, game: None }
    }

    /// What comes before a question, if anything does; `number` is free for it.
    pub(super) fn begin(&mut self, question: &Job, number: u64) -> Option<Preparation> {
        let before = self.game.replace(question.clone());
        let wanted = if question.options.is_empty() { &self.configured } else { &question.options };
        if self.options.as_ref() != Some(wanted) {
            self.options = None;
            return Some(Preparation::Instance(wanted.clone()));
        }
        before.is_some_and(|game| !question.continues(&game)).then_some(Preparation::NewGame(number))
    }

    /// What came of it: nothing, or why the AI can't be asked now.
    ///
    /// # Errors
    /// The process is of no use any more.
    pub(super) fn prepared(&mut self, by: Preparation, reply: Reply) -> Result<Option<AiError>, Fault> {
        match (by, reply) {
            (Preparation::NewGame(number), Reply::NewGame(of, heard)) if of == number => Ok(heard.err()),
            (Preparation::Instance(options), Reply::Created) => {
                self.options = Some(options);
                Ok(None)
            }
            // It has been made with these before, so it is not for them that it can't.
            (Preparation::Instance(options), Reply::NotCreated(error)) if options == self.configured => {
                let error = printable(&error.to_string());
                let reason = FaultReason::from("the AI could not be made again as it is configured");
                Err(Fault::Protocol(reason.with_details(error)))
            }
            (Preparation::Instance(_), Reply::NotCreated(error)) => Ok(Some(error)),
            _ => Err(out_of_turn()),
        }
    }
}

impl Preparation {
    /// What the worker is told.
    pub(super) fn request(&self) -> Request {
        match self {
            Self::NewGame(number) => Request::NewGame(*number),
            Self::Instance(options) => Request::Configure(options.clone()),
        }
    }

    /// How long it may take.
    pub(super) fn clock(&self, time_allowed: &TimeAllowed) -> Clock {
        match self {
            Self::NewGame(_) => Clock::new_game(time_allowed),
            Self::Instance(_) => Clock::instance(time_allowed),
        }
    }

    /// Whether a process that is killed meanwhile would have to do the same again.
    pub(super) const fn is_worth_waiting_for(&self) -> bool {
        matches!(self, Self::Instance(_))
    }
}
