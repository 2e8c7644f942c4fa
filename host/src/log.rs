//! What the operator sees: log lines on standard error, the name of each request in all of them, and numbers.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use tracing_subscriber::EnvFilter;

/// Which lines are logged, such as `debug` or `rookery::ai=debug`.
pub(crate) const LOG_VARIABLE: &str = "ROOKERY_LOG";

/// How log lines are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people
    #[default]
    Text,
    /// One object of JSON a line, for programs
    Json,
}

/// Starts logging to standard error: what `ROOKERY_LOG` says, or `default`. Called once, by the command.
pub(crate) fn start(default: &str, format: LogFormat) {
    let wanted = std::env::var(LOG_VARIABLE).unwrap_or_default();
    let filter = match EnvFilter::try_new(&wanted) {
        Ok(filter) if !wanted.is_empty() => filter,
        Ok(_) => EnvFilter::new(default),
        Err(error) => {
            let _ = writeln!(
                io::stderr(),
                "warning: {LOG_VARIABLE} is not understood ({error}) and not used; allowed: off, error, warn, info, \
                 debug, trace, also for parts as in rookery::ai=debug"
            );
            EnvFilter::new(default)
        }
    };
    // A log that nobody reads any more must not end who writes it, as complaining about it to the same place would.
    let log = tracing_subscriber::fmt().with_writer(io::stderr).log_internal_errors(false);
    let log = log.with_env_filter(filter);
    // A second call, as tests may make, changes nothing.
    let _ = match format {
        LogFormat::Text => log.with_ansi(io::stderr().is_terminal()).try_init(),
        LogFormat::Json => log.json().flatten_event(true).with_current_span(false).try_init(),
    };
}
