//! Hot reload: reads a changed configuration and changed libraries, checks and starts them beside the current ones, and swaps them as
//! a whole. If anything fails, the current configuration stays.

mod control;
mod failure;
mod running;
mod watch;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use serde::{Deserialize, Serialize};

pub use control::{ControlSocket, ReloadRecord, RunningServer, running_servers};
pub use failure::{FailedReload, ReloadError};
pub use running::reload_when_triggered;
pub use watch::Sight;

use crate::service::Service;
use config::{self, Overrides, ServerSettings, TlsSettings};
use pool::{Changes, Retry};

/// Takes over what has changed, each time it is told to.
#[derive(Debug)]
pub struct Reloader {
    path: PathBuf,
    overrides: Overrides,
    service: Service,
    /// What the files in force were like before they were last read.
    seen: Mutex<Sight>,
}

/// What a reload has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reloaded {
    /// The AIs.
    pub ais: Changes,
    /// The clients.
    pub clients: Changes,
    /// What was not taken over, or is not served, and why.
    pub warnings: Vec<String>,
    /// From the start of the reading to the exchange.
    pub time_ms: u64,
}

impl Reloader {
    /// For the service that was started with this file under these overrides, and what the files were like then.
    pub fn new(path: PathBuf, overrides: Overrides, service: Service, seen: Sight) -> Self {
        Self { path, overrides, service, seen: Mutex::new(seen) }
    }

    /// The configuration file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the configuration and the libraries, starts what is new, and lets it take over. Blocks until the outcome is
    /// known; not to be called twice at a time.
    ///
    /// # Errors
    /// Everything that is wrong; then nothing has changed.
    pub fn reload(&self, retry: Retry, progress: impl Fn(String)) -> Result<Reloaded, ReloadError> {
        let started = Instant::now();
        let reloaded = self.swap(started, retry, progress);
        match &reloaded {
            Ok(Reloaded { ais, clients, warnings, time_ms }) => {
                self.service.set_failed_reload(None);
                tracing::info!(%ais, %clients, time_ms, "the configuration has been taken over");
                for warning in warnings {
                    tracing::warn!("{warning}");
                }
            }
            Err(error) => {
                tracing::error!(%error, "reload failed; keeping the current configuration");
                self.service.set_failed_reload(Some(FailedReload::now(error)));
            }
        }
        reloaded
    }

    /// Starts the libraries in the plugin directories that no section names, beside the AIs that already answer. Blocks
    /// until all are tried.
    fn start_dropped_in(&self) {
        let old = self.service.game();
        // Before the directories are read. A library that has come since the start and goes before it is watched would
        // otherwise be served for ever.
        let seen = self.seen().extended_to(old.config());
        match old.with_dropped_in() {
            Ok((new, ais)) => {
                for library in new.skipped() {
                    if library.lacks_settings() {
                        tracing::info!("{library}");
                    } else {
                        tracing::warn!("{library}");
                    }
                }
                if !ais.added.is_empty() {
                    tracing::info!(%ais, "serving libraries of the plugin directories");
                }
                self.service.swap(Arc::new(new));
                self.set_seen(seen);
            }
            Err(error) => tracing::warn!(%error, "libraries of the plugin directories not tried"),
        }
    }

    fn swap(
        &self,
        started: Instant,
        retry: Retry,
        progress: impl Fn(String),
    ) -> Result<Reloaded, ReloadError> {
        let old = self.service.game();
        // Before anything is read, so that whatever changes from now on is seen as a change.
        let seen = Sight::of(old.config());
        progress(format!("reading {}", self.path.display()));
        self.set_seen(seen.clone());
        let config = config::load(&self.path, &self.overrides)?;
        let seen = seen.extended_to(&config);
        progress("starting what is new".into());
        let (new, ais) = old.reload_with(config, retry)?;
        let clients = Changes::between(&old.config().clients, &new.config().clients);
        let mut warnings = kept(&old.config().server, &new.config().server);
        warnings.extend(new.config().server.tls.as_ref().and_then(TlsSettings::warning));
        warnings.extend(new.skipped().iter().map(ToString::to_string));
        self.service.swap(Arc::new(new));
        self.set_seen(seen);
        let time_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(Reloaded { ais, clients, warnings, time_ms })
    }

    fn seen(&self) -> Sight {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_seen(&self, sight: Sight) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = sight;
    }
}

/// What of the settings only a new start changes.
fn kept(old: &ServerSettings, new: &ServerSettings) -> Vec<String> {
    let listen = (old.listen != new.listen)
        .then(|| format!("server.listen is now {}; the server goes on listening where it did", new.listen));
    let grace = (old.shutdown_grace_ms != new.shutdown_grace_ms)
        .then(|| format!("server.shutdown_grace_ms is now {}; the old one stays", new.shutdown_grace_ms));
    let tls = (old.tls.is_some() != new.tls.is_some()).then(|| match new.tls {
        Some(_) => "server.tls is set now; connections are not encrypted".to_owned(),
        None => "server.tls is left out now; connections are still encrypted, with the first certificate"
            .to_owned(),
    });
    let warning = |what: String| format!("{what} until it is started anew");
    listen.into_iter().chain(grace).chain(tls).map(warning).collect()
}
