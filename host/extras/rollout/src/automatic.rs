//! Saves the tallies, and aborts or promotes candidates automatically.

use std::time::Duration;

use config::{FileEdit, LoadOptions};
use server::reload::{Losses, ReloadRecord, reloads_deadline, running_servers};
use tokio::time::interval;

use crate::{
    change::{ChangeError, RolloutChange},
    state::{RolloutKey, RolloutState},
    verdict::{abortion, refusals},
};

const INTERVAL: Duration = Duration::from_secs(1);

/// A change that is due.
struct Decision {
    key: RolloutKey,
    change: RolloutChange,
    why: String,
}

/// Saves tallies and makes decisions until the future is dropped.
pub(crate) async fn keep(state: &RolloutState, options: &LoadOptions) {
    let mut ticks = interval(INTERVAL);
    loop {
        ticks.tick().await;
        state.save();
        if let Some(decision) = next_decision(state) {
            decide(state, options, decision).await;
        }
    }
}

/// Returns a decision that has not been made yet, and marks its rollout as decided.
fn next_decision(state: &RolloutState) -> Option<Decision> {
    let settings = state.settings();
    let mut running = state.running();
    running.iter_mut().find_map(|(ai, rollout)| {
        if rollout.is_decided {
            return None;
        }
        let (change, why) = match abortion(&rollout.tallies, &settings) {
            Some(why) => (RolloutChange::Abort, why),
            None if settings.promote && refusals(&rollout.tallies, &settings).is_empty() => (
                RolloutChange::Promote,
                "it meets every condition".to_owned(),
            ),
            None => return None,
        };
        rollout.is_decided = true;
        let key = RolloutKey {
            ai: ai.clone(),
            candidate: rollout.settings.id.clone()?,
            versions: rollout.versions.clone(),
        };
        Some(Decision { key, change, why })
    })
}

/// Changes the configuration, and makes every server that uses it reload.
async fn decide(state: &RolloutState, options: &LoadOptions, decision: Decision) {
    let Decision { key, change, why } = decision;
    let (ai, candidate, action) = (&key.ai, &key.candidate, change.name());
    tracing::warn!(ai, candidate, why, "rollout ended automatically: {action}");
    let config = state.config();
    let path = config.path();
    let changed = FileEdit::change(path, options, |edit| {
        change.apply(edit, ai)?;
        edit.load()?;
        Ok::<_, ChangeError>(change.keep_copy(edit, ai)?)
    });
    let outcome = match changed {
        Ok(copy) => {
            let copy = copy.display();
            tracing::warn!(ai, action, %copy, "configuration changed; kept a copy");
            reload(path).await
        }
        Err(error) => Err(error.to_string()),
    };
    if let Err(error) = outcome {
        tracing::error!(ai, action, error, "cannot end a rollout automatically");
        state.set_note(
            &key,
            format!("{action} is due because {why}, but failed; see the log"),
        );
    }
}

/// # Errors
/// No server was found, or a server has not applied the configuration.
async fn reload(path: &std::path::Path) -> Result<(), String> {
    let servers = running_servers(path)
        .await
        .map_err(|error| error.to_string())?;
    if servers.is_empty() {
        return Err("found no control socket; reload the servers".to_owned());
    }
    for server in servers {
        let record = server
            .reload(Losses::Refused, reloads_deadline(), |_| ())
            .await
            .map_err(|error| error.to_string())?;
        if let ReloadRecord::Error { errors } = record {
            return Err(errors.join("; "));
        }
    }
    Ok(())
}
