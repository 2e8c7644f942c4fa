//! `rookery serve`.

use std::{
    future::pending,
    path::PathBuf,
    sync::Arc,
    time::{Duration, SystemTime},
};

use actix_web::dev::ServerHandle;
use clap::Args;
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::{
    allocator::{return_free_memory, return_large_buffers},
    capacity,
    config_file::{ConfigFile, absolute_text},
    extras,
    failure::Failure,
    output::print,
    signals::{Signals, StopSignal},
    start::start_ais,
};
use crate::{
    log::{self, LogFormat},
    panics,
};
use config::ServerSettings;
use pool::Activity;
use server::{
    BoundAddress, Capacity, ListeningSocket, Scope, ServerState,
    reload::{ControlSocket, FileStamps, Reloader, reload_when_triggered},
    systemd::{self, Watchdog},
};

/// How long workers may take to stop after the server.
pub(super) const WORKERS_GRACE: Duration = Duration::from_secs(2);
/// How long streams may take to send their last event at an immediate exit.
const STREAM_GRACE: Duration = Duration::from_millis(50);

#[derive(Debug, Args)]
pub(super) struct Serve {
    #[command(flatten)]
    file: ConfigFile,
    #[arg(
        help = "Addresses to listen on, separated by commas, such as 127.0.0.1:8080 or \
                unix:/run/rookery/rookery.sock; port 0 picks a free port; overrides \
                ROOKERY_LISTEN",
        long,
        value_name = "ADDR"
    )]
    listen: Option<String>,
    /// Arena file; overrides `file` in [arena]
    #[arg(long, value_name = "FILE")]
    arena: Option<PathBuf>,
    #[arg(
        help = "Format of the log on standard error; ROOKERY_LOG sets its level",
        long,
        value_name = "FORMAT",
        env = "ROOKERY_LOG_FORMAT",
        value_enum,
        default_value_t
    )]
    log_format: LogFormat,
}

impl Serve {
    pub(super) fn run(self) -> Result<(), Failure> {
        return_large_buffers();
        log::start(
            "info,actix_server=warn,async_nats=warn,rmcp=error",
            self.log_format,
        );
        panics::end_the_process();
        let overrides = self.file.options(self.listen).with_flag(
            "arena",
            ("--arena", "file"),
            self.arena.as_deref().map(absolute_text),
        );
        // Recorded before the files are read, so that later changes are detected.
        let seen = FileStamps::of_file(self.file.path());
        let config = self.file.load_with(&overrides)?;
        self.file.log();
        let seen = seen.extended_to(&config);
        let capacity = capacity::of_this_process(&config)?;
        let settings = config.server.clone();
        for warning in config.warnings(SystemTime::now()) {
            tracing::warn!("{warning}");
        }
        for note in config.plugins.notes() {
            tracing::info!("{note}");
        }
        // Otherwise the first request that names an opening would wait for this.
        formats::eco::load();
        let activity = Activity::default();
        let (game, cgroups) = start_ais(config, activity.clone())?;
        let extras = extras::start(game.config(), overrides.clone(), activity);
        let extras = extras.inspect_err(|_| cgroups.close())?;
        let state = ServerState::new(Arc::new(game)).with_log_drops(log::dropped());
        let state = extras.into_iter().fold(state, ServerState::with);
        let reloader = Reloader::new(self.file.path().into(), overrides, state.clone(), seen);
        let system = actix_web::rt::System::new();
        let served = system.block_on(serve(&settings, capacity, state.clone(), reloader));
        // A running reload is not awaited: its thread ends with the process.
        state.service().stop(WORKERS_GRACE);
        cgroups.close();
        served
    }
}

async fn serve(
    settings: &ServerSettings,
    capacity: Capacity,
    state: ServerState,
    reloader: Reloader,
) -> Result<(), Failure> {
    // Signals are handled before the server accepts connections.
    let mut signals = Signals::listen()?;
    let hangups = signal(SignalKind::hangup())?;
    let stopping = state.clone();
    let grace = Duration::from_millis(settings.shutdown_grace_ms);
    // Unix socket files are removed at shutdown.
    let (mut listeners, reachable, lines) = listen(settings)?;
    let socket = ControlSocket::open(reloader.path()).await.map_err(|error| {
        tracing::warn!(%error, "cannot open the control socket; `rookery reload` is unavailable, \
            but SIGHUP does the same");
    });
    let addresses = reachable.iter().map(|bound| address_of(bound, settings));
    let reloader = reloader.with_addresses(addresses.collect());
    let reloading = reload_when_triggered(reloader, hangups, socket.ok());
    let (watchdog, own) = Watchdog::open()?.unzip();
    listeners.extend(own);
    let running = server::serve(listeners, &state, &extras::catalog(), capacity, grace)?;
    let handle = running.handle();
    let watching = async {
        match watchdog {
            Some(watchdog) => watchdog.run(&state.shutdown).await,
            None => pending().await,
        }
    };
    // Converted to another type, because a broken pipe would count as success.
    let printed = print(&lines);
    printed.map_err(|error| anyhow::anyhow!("cannot write the address to {error}"))?;
    tokio::select! {
        result = running => Ok(result?),
        () = reloading => Ok(()),
        () = return_free_memory(&state) => Ok(()),
        () = watching => Ok(()),
        () = stop(&handle, &mut signals, &stopping, grace) => Ok(()),
    }
}

/// Opens the listeners of a server. Returns them, their addresses, and the lines that the server
/// prints about them.
fn listen(
    settings: &ServerSettings,
) -> Result<(Vec<ListeningSocket>, Vec<BoundAddress>, String), Failure> {
    let public = if settings.admin_listen.is_some() {
        Scope::Public
    } else {
        Scope::Every
    };
    let of_admins = settings.admin_listen.iter().flatten();
    let of_admins = of_admins.map(|address| {
        (
            address,
            Scope::Every,
            "`admin_listen` in [server]",
            " for admins",
        )
    });
    let addresses = settings
        .listen
        .iter()
        .map(|address| (address, public, "--listen", ""))
        .chain(of_admins);
    let all: Vec<_> = addresses.clone().map(|(address, ..)| address).collect();
    let (mut listeners, mut reachable, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    for (address, scope, source, purpose) in addresses {
        let bound = ListeningSocket::bind(address, &all, settings.socket_mode, scope);
        let (listener, bound) = bound.map_err(|error| {
            anyhow::anyhow!(
                "cannot listen on {address}: {error}; choose another address with {source}"
            )
        })?;
        lines.push(format!(
            "listening on {}{purpose}",
            address_of(&bound, settings)
        ));
        listeners.push(listener);
        reachable.push(bound);
    }
    Ok((listeners, reachable, lines.join("\n")))
}

/// Returns an address with its scheme.
fn address_of(bound: &BoundAddress, settings: &ServerSettings) -> String {
    let scheme = match bound {
        BoundAddress::Unix(_) => "",
        BoundAddress::Tcp(_) if settings.tls.is_some() => "https://",
        BoundAddress::Tcp(_) => "http://",
    };
    format!("{scheme}{bound}")
}

/// Drains requests and stops the server at the first signal; returns at the second.
///
/// After SIGTERM, which supervisors send, the server first waits for the drain delay, during which
/// load balancers notice that it is not ready.
async fn stop(server: &ServerHandle, signals: &mut Signals, state: &ServerState, grace: Duration) {
    let delay = match signals.next().await {
        StopSignal::Interrupt => Duration::ZERO,
        StopSignal::Terminate => {
            Duration::from_millis(state.service().config().server.drain_delay_ms)
        }
    };
    systemd::stopping();
    tracing::info!("draining requests; signal again to exit immediately");
    state.shutdown.drain();
    let finishing = async {
        tokio::time::sleep(delay).await;
        state.shutdown.set_deadline(grace);
        server.stop(true).await;
        pending::<()>().await;
    };
    tokio::select! {
        () = finishing => {}
        _ = signals.next() => {
            state.shutdown.set_deadline(Duration::ZERO);
            tokio::time::sleep(STREAM_GRACE).await;
        }
    }
}
