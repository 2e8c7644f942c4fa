//! `rookery serve`.

use std::{
    future::pending,
    io,
    net::{SocketAddr, TcpListener},
    sync::Arc,
    time::Duration,
};

use actix_web::dev::ServerHandle;
use clap::Args;
use tokio::{
    net::TcpSocket,
    signal::unix::{Signal, SignalKind, signal},
};

use super::{
    ConfigFile, Failure,
    allocator::{return_free_memory, return_large_buffers},
    capacity, overrides, print,
};
use crate::log::{self, LogFormat};
use config::{ServerSettings, TlsSettings};
use game::GameService;
use pool::{WorkerProgram, cgroup::Cgroups};
use server::{
    Capacity, Service,
    reload::{ControlSocket, Reloader, Sight, reload_when_triggered},
};

/// Connections that may wait in the kernel until they are accepted.
const BACKLOG: u32 = 1024;
/// For the workers to end once the server has.
const WORKERS_GRACE: Duration = Duration::from_secs(2);
/// For streams to say that it is over, where the server is to end at once.
const LAST_WORDS: Duration = Duration::from_millis(50);

#[derive(Debug, Args)]
pub(super) struct Serve {
    #[command(flatten)]
    file: ConfigFile,
    /// Where to listen, such as 127.0.0.1:8080; port 0 picks a free one; beats `ROOKERY_LISTEN`
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// How log lines are written to standard error; which are is said by `ROOKERY_LOG`
    #[arg(long, value_name = "FORMAT", env = "ROOKERY_LOG_FORMAT", value_enum, default_value_t)]
    log_format: LogFormat,
}

impl Serve {
    pub(super) fn run(self) -> Result<(), Failure> {
        return_large_buffers();
        log::start("info,actix_server=warn", self.log_format);
        let overrides = overrides(self.listen);
        // Before anything is read, so that whatever changes from now on is seen as a change.
        let seen = Sight::of_file(&self.file.config);
        let config = config::load(&self.file.config, &overrides)?;
        let seen = seen.extended_to(&config);
        let capacity = capacity::of_this_process(&config)?;
        let settings = config.server.clone();
        if let Some(warning) = settings.tls.as_ref().and_then(TlsSettings::warning) {
            tracing::warn!("{warning}");
        }
        let cgroups = Arc::new(Cgroups::of_this_process());
        let program = WorkerProgram::this_binary().in_cgroups(Arc::clone(&cgroups));
        let game = GameService::start(config, program).inspect_err(|_| cgroups.close())?;
        if let Some(reason) = cgroups.reason() {
            tracing::info!(%reason, "workers have no cgroups");
        } else {
            tracing::info!("each worker has its own cgroup");
        }
        let service = Service::new(Arc::new(game));
        let reloader = Reloader::new(self.file.config, overrides, service.clone(), seen);
        let system = actix_web::rt::System::new();
        let served = system.block_on(serve(&settings, capacity, service.clone(), reloader));
        // A reload that is still at work is not waited for: its thread ends with the process.
        service.game().stop(WORKERS_GRACE);
        cgroups.close();
        served
    }
}

async fn serve(
    settings: &ServerSettings,
    capacity: Capacity,
    service: Service,
    reloader: Reloader,
) -> Result<(), Failure> {
    // Before anybody can know that the server is there.
    let mut signals = Signals::listen()?;
    let hangups = signal(SignalKind::hangup())?;
    let socket = ControlSocket::open(reloader.path()).await.map_err(|error| {
        tracing::warn!(%error, "cannot open the control socket; `rookery reload` is unavailable, SIGHUP does the same");
    });
    let reloading = reload_when_triggered(reloader, hangups, socket.ok());
    let stopped = service.clone();
    let grace = Duration::from_millis(settings.shutdown_grace_ms);
    let listener = listen(settings.listen).map_err(|error| {
        anyhow::anyhow!("can't listen on {}: {error}; choose another address with --listen", settings.listen)
    })?;
    let address = listener.local_addr()?;
    let running = server::serve(listener, &service, capacity, grace)?;
    let handle = running.handle();
    let scheme = if settings.tls.is_some() { "https" } else { "http" };
    let told = print(&format!("listening on {scheme}://{address}"));
    // In words of its own: a reader that has gone is no reason for a server to end as if all were well.
    told.map_err(|error| anyhow::anyhow!("can't write the address to standard output: {error}"))?;
    tokio::select! {
        ended = running => Ok(ended?),
        () = reloading => Ok(()),
        () = return_free_memory(&service) => Ok(()),
        () = stop(&handle, &mut signals, &stopped, grace) => Ok(()),
    }
}

/// A socket that listens on an address, even where connections of a server before still linger there.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)?.into_std()
}

/// At the first signal lets running answers finish, and with them the server. Ends at the second one.
///
/// At SIGTERM, which a supervisor sends, those who send requests here get the drain delay to notice that it is not ready
/// any more.
async fn stop(server: &ServerHandle, signals: &mut Signals, service: &Service, grace: Duration) {
    let delay = match signals.next().await {
        Asked::AtTheTerminal => Duration::ZERO,
        Asked::BySupervisor => Duration::from_millis(service.game().config().server.drain_delay_ms),
    };
    tracing::info!("draining requests; signal again to exit immediately");
    service.ending.announce();
    let finishing = async {
        tokio::time::sleep(delay).await;
        service.ending.begin(grace);
        server.stop(true).await;
        pending::<()>().await;
    };
    tokio::select! {
        () = finishing => {}
        _ = signals.next() => {
            service.ending.begin(Duration::ZERO);
            tokio::time::sleep(LAST_WORDS).await;
        }
    }
}

/// Who asks the server to end.
enum Asked {
    /// With Ctrl-C.
    AtTheTerminal,
    /// With SIGTERM.
    BySupervisor,
}

/// Ctrl-C and SIGTERM, each of which asks the server to end.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.interrupt.recv() => Asked::AtTheTerminal,
            _ = self.terminate.recv() => Asked::BySupervisor,
        }
    }
}
