//! The log on standard error.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{filter::Targets, layer::SubscriberExt as _, util::SubscriberInitExt as _};

/// The variable of the log filter, such as `debug` or `pool=debug`.
pub(crate) const LOG_VARIABLE: &str = "ROOKERY_LOG";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Text lines
    #[default]
    Text,
    /// JSON lines
    Json,
}

/// Starts the log with the filter of `ROOKERY_LOG`, or `default`. Later calls have no effect.
pub(crate) fn start(default: &str, format: LogFormat) {
    let directives = std::env::var(LOG_VARIABLE).unwrap_or_default();
    let default = || default.parse().expect("the default is a filter");
    let filter: Targets = match directives.parse() {
        Ok(filter) if !directives.is_empty() => filter,
        Ok(_) => default(),
        Err(error) => {
            let _ = writeln!(
                io::stderr(),
                "warning: ignoring {LOG_VARIABLE}: {error}; allowed: off, error, warn, info, \
                 debug, trace, also per module as in pool=debug"
            );
            default()
        }
    };
    // A closed standard error must not stop the process; an internal error would be written there too.
    let log = tracing_subscriber::fmt().with_writer(io::stderr).log_internal_errors(false);
    let log = log.with_max_level(LevelFilter::TRACE);
    let _ = match format {
        LogFormat::Text => log.with_ansi(io::stderr().is_terminal()).finish().with(filter).try_init(),
        LogFormat::Json => {
            log.json().flatten_event(true).with_current_span(false).finish().with(filter).try_init()
        }
    };
}
