//! Reloads a server's configuration.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Instant, SystemTime},
};

use super::{record::Reloaded, watch::FileStamps};
use crate::state::{
    failed_reload::{FailedReload, ReloadError},
    server_state::ServerState,
};
use config::{self, Config, ConfigErrors, LoadOptions, SkippedLibrary};
use game::GameService;
use pool::{Changes, LogLimit, Retry};
use text::printable;

/// How a reload treats a file that looks emptied or truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Losses {
    Refused,
    Allowed,
}

/// Reloads a server's configuration.
#[derive(Debug)]
pub struct Reloader {
    path: PathBuf,
    /// Where the server can be reached.
    addresses: Vec<String>,
    overrides: LoadOptions,
    pub(super) state: ServerState,
    /// The configuration at startup. Some of its settings stay in force after a reload.
    first: Config,
    /// The stamps of the files, taken before the files were last read. The lock is held only to
    /// copy the stamps.
    seen: Mutex<FileStamps>,
    fleet_log: Mutex<LogLimit>,
}

impl Reloader {
    /// Creates the reloader for a server. `seen` contains the stamps of the files, taken before the
    /// configuration in `state` was read.
    pub fn new(
        path: PathBuf,
        overrides: LoadOptions,
        state: ServerState,
        seen: FileStamps,
    ) -> Self {
        let first = state.service().config().clone();
        Self {
            path,
            addresses: Vec::new(),
            overrides,
            state,
            first,
            seen: Mutex::new(seen),
            fleet_log: Mutex::default(),
        }
    }

    /// Sets where the server can be reached, for the records of its reloads.
    #[must_use]
    pub fn with_addresses(self, addresses: Vec<String>) -> Self {
        Self { addresses, ..self }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the configuration and the libraries, starts changed AIs, and serves the result. Blocks
    /// until the outcome is known. Must not run concurrently with itself.
    ///
    /// # Errors
    /// The configuration is invalid, an AI does not start, or a loss is refused. The current
    /// configuration is kept.
    pub fn reload(
        &self,
        retry: Retry,
        losses: Losses,
        progress: impl Fn(String),
    ) -> Result<Reloaded, ReloadError> {
        let started = Instant::now();
        let reloaded = self.swap(started, retry, losses, progress);
        match &reloaded {
            Ok(Reloaded {
                ais,
                clients,
                settings,
                warnings,
                time_ms,
                addresses: _,
            }) => {
                self.state.set_failed_reload(None);
                let settings = settings.join(", ");
                tracing::info!(%ais, %clients, settings, time_ms, "configuration reloaded");
                for warning in warnings {
                    tracing::warn!("{warning}");
                }
            }
            Err(error) => {
                tracing::error!(%error, "reload failed; keeping the current configuration");
                self.state.set_failed_reload(Some(FailedReload::now(error)));
            }
        }
        reloaded
    }

    /// Starts the libraries in the plugin directories that no section of the configuration names.
    /// Blocks until all are tested.
    pub(super) fn start_discovered(&self) {
        let old = self.state.service();
        // The stamps are taken before the directories are read. Otherwise a library that is removed
        // before the next check would be served forever.
        let seen = self.seen().extended_to(old.config());
        match old.with_discovered() {
            Ok((new, ais)) => {
                for library in new.skipped() {
                    if library.lacks_settings() {
                        tracing::info!("{library}");
                    } else {
                        tracing::warn!("{library}");
                    }
                }
                if !ais.added.is_empty() {
                    tracing::info!(%ais, "serving libraries from the plugin directories");
                }
                self.serve(new);
                self.set_seen(seen);
            }
            Err(error) => {
                tracing::warn!(%error, "cannot start libraries from the plugin directories");
            }
        }
    }

    fn swap(
        &self,
        started: Instant,
        retry: Retry,
        losses: Losses,
        progress: impl Fn(String),
    ) -> Result<Reloaded, ReloadError> {
        let old = self.state.service();
        // The stamps are taken before the files are read, so that later changes are detected.
        let seen = FileStamps::of(old.config());
        progress(format!("reading {}", self.path.display()));
        self.set_seen(seen.clone());
        let config = config::load_beside(&self.path, &self.overrides, old.config())?;
        if losses == Losses::Refused
            && let Some(issue) = old.config().lost_in(&config)
        {
            return Err(ConfigErrors::from(issue).into());
        }
        let seen = seen.extended_to(&config);
        progress("starting changed AIs".into());
        let (new, ais) = old.reload_with(config, retry)?;
        // The libraries in a plugin directory may be gone, even if the configuration lost nothing.
        let served = old.local_ais().len();
        if losses == Losses::Refused && served > 0 && new.local_ais().is_empty() {
            return Err(ConfigErrors::from(new.config().without_ais(served)).into());
        }
        // Nodes' AIs are served as before.
        let ais = match self.state.extras.remote_ais() {
            Some(remote) => old
                .ais()
                .changes_to(new.with_remote(&remote.borrow()).ais()),
            None => ais,
        };
        let clients = Changes::between(&old.config().clients, &new.config().clients);
        let mut settings = old.config().changed_settings(new.config());
        settings.retain(|key| !NEED_RESTART.contains(&key.as_str()));
        let mut warnings = settings_that_need_restart(&self.first, new.config());
        warnings.extend(new.config().warnings(SystemTime::now()));
        // A library that lacks only settings is reported when it is new, not at each reload or when
        // the configuration stops using it.
        let is_news = |library: &&SkippedLibrary| {
            let is_same = |known: &SkippedLibrary| {
                known.file == library.file && known.sha256 == library.sha256
            };
            let mut used = old.config().ais.values();
            !library.lacks_settings()
                || !old.skipped().iter().any(is_same) && !used.any(|ai| ai.library == library.file)
        };
        let skipped = new.skipped().iter().filter(is_news);
        warnings.extend(skipped.map(ToString::to_string));
        warnings.extend(new.ais().outdated().iter().map(ToString::to_string));
        for extra in self.state.extras.iter() {
            warnings.extend(extra.reconfigure(new.config()));
        }
        self.serve(new);
        self.set_seen(seen);
        let time_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(Reloaded {
            ais,
            clients,
            settings,
            warnings,
            time_ms,
            addresses: self.addresses.clone(),
        })
    }

    /// Serves the AIs on this machine and on nodes.
    fn serve(&self, new: GameService) {
        let extras = &self.state.extras;
        let local = new.local_ais();
        let served = match extras.remote_ais() {
            Some(remote) => new.with_remote(&remote.borrow()),
            None => new,
        };
        self.state.swap(Arc::new(served));
        for extra in extras.iter() {
            extra.set_local_ais(local.clone());
        }
    }

    /// Serves the AIs that nodes now offer, in addition to the AIs on this machine.
    pub(super) fn serve_nodes(&self) {
        let Some(remote) = self.state.extras.remote_ais() else {
            return;
        };
        let old = self.state.service();
        let new = old.with_remote(&remote.borrow());
        let changes = Changes {
            unchanged: Vec::new(),
            ..old.ais().changes_to(new.ais())
        };
        let mut log = self
            .fleet_log
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(dropped) = log.admit(0) {
            let dropped_lines = (dropped > 0).then_some(dropped);
            tracing::info!(
                dropped_lines,
                ais = printable(&changes.to_string()),
                "nodes now offer different AIs"
            );
        }
        self.state.swap(Arc::new(new));
    }

    /// Returns the current stamps of the current configuration's files.
    pub(super) fn current_stamps(&self) -> FileStamps {
        FileStamps::of(self.state.service().config())
    }

    pub(super) fn seen(&self) -> FileStamps {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn set_seen(&self, seen: FileStamps) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = seen;
    }
}

/// The keys that the server reads once, when it starts.
const NEED_RESTART: [&str; 4] = [
    "server.listen",
    "server.admin_listen",
    "server.socket_mode",
    "server.shutdown_grace_ms",
];

/// Returns a warning for each changed setting whose startup value stays in force.
fn settings_that_need_restart(first: &Config, new: &Config) -> Vec<String> {
    let keys = first
        .changed_settings(new)
        .into_iter()
        .filter(|key| NEED_RESTART.contains(&key.as_str()))
        .chain(first.kept_until_restart(new));
    let keys = keys.map(|key| format!("{key} has changed; the old value stays in force"));
    let (first, new) = (&first.server, &new.server);
    let tls = (first.tls.is_some() != new.tls.is_some()).then(|| match new.tls {
        Some(_) => "server.tls is now set; connections are not encrypted".to_owned(),
        None => {
            "server.tls is no longer set; connections stay encrypted with the first certificate"
                .to_owned()
        }
    });
    let warning = |setting: String| format!("{setting} until the server restarts");
    let mut warnings: Vec<_> = keys.chain(tls).map(warning).collect();
    warnings.sort();
    warnings
}
