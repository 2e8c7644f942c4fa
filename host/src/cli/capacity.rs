//! The number of connections that the limit on open files allows.

use std::{num::NonZero, thread::available_parallelism};

use crate::cli::failure::Failure;
use config::Config;
use library::open_files::{raise_limit, remedy};
use server::Capacity;

/// The maximum number of connections per thread on any machine.
const MAX_CONNECTIONS: usize = 25_000;
/// How many descriptors the server itself uses: standard streams, event queues, sockets, signals
/// and the supervisor. A busy server had 34 in `/proc/PID/fd`. The rest is for starting workers,
/// which need up to four more each until they run, and for other short-lived descriptors.
const OWN_FILES: usize = 50;
/// How many descriptors each serving thread uses: event queues and a listening socket.
const FILES_OF_THREAD: usize = 4;
/// The number of descriptors of a worker process: its socket, two pipes, its pidfd and its probe
/// flag.
const FILES_OF_WORKER: usize = 5;
/// The minimum number of connections for a useful server.
const MIN_CONNECTIONS: usize = 4;
/// The recommended limit, with room for clients and reloads.
const AMPLE_FILES: usize = 1024;

#[derive(Debug, thiserror::Error)]
#[error(
    "the limit on open files is {limit}, but this configuration needs at least {needed}: \
     {FILES_OF_WORKER} for each of {workers} workers, {FILES_OF_THREAD} for each of {threads} \
     threads, one for each of {ais} AIs, {} for the server and its clients; {}",
    OWN_FILES + MIN_CONNECTIONS,
    remedy((needed * 2).max(AMPLE_FILES) as u64)
)]
struct TooFewFilesError {
    limit: usize,
    needed: usize,
    workers: usize,
    threads: usize,
    ais: usize,
}

/// Raises the limit on open files and returns the capacity that it allows.
///
/// # Errors
/// The limit is too low for the workers of the configuration.
pub(super) fn of_this_process(config: &Config) -> Result<Capacity, Failure> {
    let threads = available_parallelism().map_or(1, NonZero::get);
    let limit = raise_limit()
        .and_then(|files| usize::try_from(files).ok())
        .unwrap_or(usize::MAX);
    let workers = config
        .ais
        .values()
        .map(|ai| ai.workers.unwrap_or(threads))
        .sum();
    of(limit, threads, workers, config.ais.len()).map_err(|error| Failure::Other(error.into()))
}

fn of(
    limit: usize,
    threads: usize,
    workers: usize,
    ais: usize,
) -> Result<Capacity, TooFewFilesError> {
    let used = OWN_FILES + FILES_OF_THREAD * threads + FILES_OF_WORKER * workers + ais;
    let needed = used + MIN_CONNECTIONS;
    if limit < needed {
        return Err(TooFewFilesError {
            limit,
            needed,
            workers,
            threads,
            ais,
        });
    }
    // A quarter is reserved for reloads and discovered AIs, which start further workers.
    let connections = (limit / 4 * 3).min(limit - used);
    Ok(Capacity {
        threads,
        connections_each: (connections / threads).clamp(1, MAX_CONNECTIONS),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserves_a_quarter_of_the_files() {
        let each = |limit, threads| of(limit, threads, 1, 1).unwrap().connections_each;
        assert_eq!(each(1024, 2), 384);
        assert_eq!(each(1 << 20, 4), MAX_CONNECTIONS);
        assert_eq!(each(usize::MAX, 1), MAX_CONNECTIONS);
    }

    #[test]
    fn reserves_the_files_of_workers() {
        let capacity = of(1024, 2, 150, 1).unwrap();
        assert_eq!(
            2 * capacity.connections_each,
            1024 - OWN_FILES - 8 - 750 - 1 - 1
        );
    }

    #[test]
    fn reports_the_numbers_if_the_limit_of_open_files_is_too_low() {
        let error = of(46, 2, 2, 1).unwrap_err().to_string();
        for part in [
            "is 46,",
            "at least 73:",
            "each of 2 workers",
            "ulimit -n 1024",
            "LimitNOFILE=1024",
        ] {
            assert!(error.contains(part), "no {part} in {error}");
        }
        assert!(of(73, 2, 2, 1).is_ok());
    }
}
