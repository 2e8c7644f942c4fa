//! An AI's instance and its preparation for a job: a new game, or different options.

use std::{sync::Arc, time::Duration};

use ai_api::{AiError, OptionSetting};

use super::clock::{Deadlines, TimeAllowed};
use crate::fault::{Fault, FaultReason, Stall};
use protocol::{Job, Request, WorkerReply};
use text::printable;

/// The state of the worker's instance, as far as the host knows it.
#[derive(Debug, Default)]
pub(super) struct InstanceOptions {
    /// The configured value of every option.
    configured: Vec<OptionSetting>,
    /// The options of the instance; `None` if there is no instance.
    options: Option<Vec<OptionSetting>>,
    /// The last job; `None` for a fresh instance.
    pub(super) last_job: Option<Arc<Job>>,
}

#[derive(Debug)]
pub(super) enum Preparation {
    /// Starts a new game, with this request number.
    NewGame(u64),
    /// Replaces the instance with one that has these options.
    Instance(Vec<OptionSetting>),
}

impl InstanceOptions {
    /// Creates the state of a new instance with the configured options.
    pub(super) fn configured(options: Vec<OptionSetting>) -> Self {
        Self {
            options: Some(options.clone()),
            configured: options,
            last_job: None,
        }
    }

    /// Returns the preparation that a job needs. `number` must be unused.
    pub(super) fn begin(&mut self, job: &Job, number: u64) -> Option<Preparation> {
        let last_job = self.last_job.replace(Arc::new(job.clone()));
        let wanted = if job.options.is_empty() {
            &self.configured
        } else {
            &job.options
        };
        if self.options.as_ref() != Some(wanted) {
            self.options = None;
            return Some(Preparation::Instance(wanted.clone()));
        }
        last_job
            .is_some_and(|last| job.fresh || !job.continues(&last))
            .then_some(Preparation::NewGame(number))
    }

    /// Applies the reply to a preparation. Returns the error if the AI is not ready for the job.
    ///
    /// # Errors
    /// The process must be replaced.
    pub(super) fn prepared(
        &mut self,
        by: Preparation,
        reply: WorkerReply,
    ) -> Result<Option<AiError>, Fault> {
        match (by, reply) {
            (Preparation::NewGame(number), WorkerReply::NewGame(of, result)) if of == number => {
                Ok(result.err())
            }
            (Preparation::Instance(options), WorkerReply::Created) => {
                self.options = Some(options);
                Ok(None)
            }
            // The options have worked before, so they are not the cause.
            (Preparation::Instance(options), WorkerReply::NotCreated(error))
                if options == self.configured =>
            {
                let error = printable(&error.to_string());
                let reason = FaultReason::from(
                    "the AI could not be created again with its configured options",
                );
                Err(Fault::Protocol(reason.with_details(error)))
            }
            (Preparation::Instance(_), WorkerReply::NotCreated(error)) => Ok(Some(error)),
            _ => Err(Fault::unexpected_reply()),
        }
    }
}

impl Preparation {
    pub(super) fn request(&self) -> Request {
        match self {
            Self::NewGame(number) => Request::NewGame(*number),
            Self::Instance(options) => Request::Configure(options.clone()),
        }
    }

    pub(super) fn deadlines(&self, time_allowed: &TimeAllowed, stop_grace: Duration) -> Deadlines {
        let stall = match self {
            Self::NewGame(_) => Stall::NewGame,
            Self::Instance(_) => Stall::Instance,
        };
        Deadlines::of_preparation(time_allowed.preparation, stop_grace, stall)
    }

    /// Returns whether the preparation continues after the client disconnects, because a fresh
    /// process would have to repeat it.
    pub(super) const fn outlives_client(&self) -> bool {
        matches!(self, Self::Instance(_))
    }
}
