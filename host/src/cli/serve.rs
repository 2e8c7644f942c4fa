//! `rookery serve`.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use actix_web::{HttpServer, dev::ServerHandle};
use clap::Args;
use tokio::signal::unix::{SignalKind, signal};

use super::{ConfigFile, Failure, print};
use crate::{
    ai::{Ais, WorkerProgram},
    arbiter::Arbiter,
    config::{Config, Overrides},
    http::{Service, create_app},
    telemetry,
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
}

impl Serve {
    pub(super) fn run(self) -> Result<(), Failure> {
        telemetry::start("info,actix_server=warn");
        let config = self
            .file
            .load(&Overrides::from_environment(|name| std::env::var_os(name)).with_listen(self.listen))?;
        let ais = Ais::start(&config, WorkerProgram::this_binary())?;
        let arbiter = Arc::new(Arbiter::new(config.clone(), ais));
        let served = actix_web::rt::System::new().block_on(serve(&config, Arc::clone(&arbiter)));
        arbiter.stop(WORKERS_GRACE);
        served
    }
}

async fn serve(config: &Config, arbiter: Arc<Arbiter>) -> Result<(), Failure> {
    let settings = &config.server;
    let service = Service::new(arbiter, settings.max_body_bytes);
    let draining = Arc::clone(&service.draining);
    let grace = Duration::from_millis(settings.shutdown_grace_ms);
    let server = HttpServer::new(move || create_app(service.clone()))
        .disable_signals()
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
        print(&format!("listening on http://{address}"))?;
    }
    actix_web::rt::spawn(async move {
        if wait_for_signal().await {
            draining.store(true, Ordering::Relaxed);
            stop(&handle).await;
        }
    });
    Ok(running.await?)
}

/// Lets running answers finish; a second signal ends them at once.
async fn stop(server: &ServerHandle) {
    tracing::info!("shutting down: running answers may finish; once more to end them at once");
    tokio::select! {
        () = server.stop(true) => {}
        true = wait_for_signal() => server.stop(false).await,
    }
}

/// Waits for Ctrl-C or SIGTERM; false if they can't be waited for.
async fn wait_for_signal() -> bool {
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return false;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    true
}
