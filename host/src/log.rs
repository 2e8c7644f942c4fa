//! The log on standard error.

mod writer;

use std::{
    io::{self, IsTerminal, Write},
    sync::{Arc, OnceLock, atomic::AtomicU64},
};

use clap::ValueEnum;
use tracing::{Level, level_filters::LevelFilter};
use tracing_subscriber::{
    filter::Targets, layer::SubscriberExt as _, util::SubscriberInitExt as _,
};

use server::text_fields::{TextFields, TextTime};
use writer::LogWriter;

/// The environment variable that sets the log filter, such as `debug` or `pool=debug`.
pub(crate) const LOG_VARIABLE: &str = "ROOKERY_LOG";

/// The log target of requests that actix cannot read. Their level is `error`.
const MALFORMED_REQUESTS: &str = "actix_http::h1::dispatcher";

/// Set by the first start.
static STARTED: OnceLock<(LogFormat, LogWriter)> = OnceLock::new();

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Text
    #[default]
    Text,
    /// One JSON object per line
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
                 debug and trace, optionally per module, such as pool=debug"
            );
            default()
        }
    };
    // Any client can cause any number of these lines, and they name no address.
    let filter = if filter.would_enable(MALFORMED_REQUESTS, &Level::DEBUG) {
        filter
    } else {
        filter.with_target(MALFORMED_REQUESTS, LevelFilter::OFF)
    };
    let (_, writer) = STARTED.get_or_init(|| (format, LogWriter::start()));
    // The logger would write internal errors to standard error. If standard error is closed, this
    // would stop the process.
    let log = tracing_subscriber::fmt()
        .with_writer(move || writer)
        .log_internal_errors(false);
    let log = log.with_max_level(LevelFilter::TRACE);
    let _ = match format {
        LogFormat::Text => {
            let log = log
                .with_ansi(io::stderr().is_terminal())
                .with_timer(TextTime)
                .fmt_fields(TextFields);
            log.finish().with(filter).try_init()
        }
        LogFormat::Json => log
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .finish()
            .with(filter)
            .try_init(),
    };
}

/// Returns the number of lines that were dropped because nobody read them in time.
pub(crate) fn dropped() -> Arc<AtomicU64> {
    STARTED
        .get()
        .map(|(_, writer)| writer.dropped())
        .unwrap_or_default()
}

/// Reports the error that ends a command, as a log record if the log is JSON.
pub(crate) fn report(error: &str) {
    match STARTED.get() {
        Some((LogFormat::Json, _)) => tracing::error!("{error}"),
        // The command continues if standard error is closed, as with `2>&1 | head`.
        _ => _ = writeln!(io::stderr(), "{error}"),
    }
}

/// Waits until the log is written, but gives up on a reader that takes too long.
pub(crate) fn finish() {
    if let Some((_, writer)) = STARTED.get() {
        writer.finish();
    }
}
