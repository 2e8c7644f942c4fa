//! `rookery serve`.

use std::{
    future::pending,
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use actix_web::{HttpServer, dev::ServerHandle};
use clap::Args;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::{ConfigFile, Failure, print};
use crate::{
    ai::{Ais, WorkerProgram},
    arbiter::Arbiter,
    config::Config,
    http::{Service, create_app},
    telemetry::{self, LogFormat},
};

/// For the workers to end once the server has.
const WORKERS_GRACE: Duration = Duration::from_secs(2);

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
        telemetry::start("info,actix_server=warn", self.log_format);
        let config = self.file.load_with(self.listen)?;
        let ais = Ais::start(&config, WorkerProgram::this_binary())?;
        let arbiter = Arc::new(Arbiter::new(config.clone(), ais));
        let served = actix_web::rt::System::new().block_on(serve(&config, Arc::clone(&arbiter)));
        arbiter.stop(WORKERS_GRACE);
        served
    }
}

async fn serve(config: &Config, arbiter: Arc<Arbiter>) -> Result<(), Failure> {
    // Before anybody can know that the server is there.
    let mut signals = Signals::listen()?;
    let settings = &config.server;
    let service = Service::new(arbiter);
    let draining = Arc::clone(&service.draining);
    let grace = Duration::from_millis(settings.shutdown_grace_ms);
    let server = HttpServer::new(move || create_app(service.clone()))
        .disable_signals()
        // Else a client that is gone would hold its place until the answer is made. With it goes the handler, and so the
        // question to the AI. Nobody can tell a client that has only ended its half from one that is gone.
        .h1_allow_half_closed(false)
        .shutdown_timeout(grace.as_secs().max(1))
        .bind(settings.listen)
        .map_err(|error| {
            anyhow::anyhow!(
                "can't listen on {}: {error}; choose another address with --listen",
                settings.listen
            )
        })?;
    let addresses = server.addrs();
    let running = server.run();
    let handle = running.handle();
    for address in addresses {
        let told = print(&format!("listening on http://{address}"));
        // In words of its own: a reader that has gone is no reason for a server to end as if all were well.
        told.map_err(|error| anyhow::anyhow!("can't write the address to standard output: {error}"))?;
    }
    tokio::select! {
        ended = running => Ok(ended?),
        () = stop(&handle, &mut signals, &draining, Duration::from_millis(settings.drain_delay_ms)) => Ok(()),
    }
}

/// At the first signal lets running answers finish, and with them the server. Ends at the second one.
///
/// At SIGTERM, which a supervisor sends, those who send requests here get `delay` to notice that it is not ready any more.
async fn stop(server: &ServerHandle, signals: &mut Signals, draining: &AtomicBool, delay: Duration) {
    let delay = match signals.next().await {
        Asked::AtTheTerminal => Duration::ZERO,
        Asked::BySupervisor => delay,
    };
    tracing::info!("shutting down: running answers may finish; once more to end them at once");
    draining.store(true, Ordering::Relaxed);
    let finishing = async {
        tokio::time::sleep(delay).await;
        server.stop(true).await;
        pending::<()>().await;
    };
    tokio::select! {
        () = finishing => {}
        _ = signals.next() => {}
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
