//! What the operator sees: log lines on standard error.

use std::io::{self, IsTerminal, Write};

use tracing_subscriber::EnvFilter;

/// Which lines are logged, such as `debug` or `rookery::ai=debug`.
pub const LOG_VARIABLE: &str = "ROOKERY_LOG";

/// Starts logging to standard error: what `ROOKERY_LOG` says, or `default`. Called once, by the command.
pub fn start(default: &str) {
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
    // A second call, as tests may make, changes nothing.
    let _ = log.with_ansi(io::stderr().is_terminal()).with_env_filter(filter).try_init();
}
