//! The open file limit, and the remedy when it is reached.

use std::io;

use rustix::{
    io::Errno,
    process::{Resource, Rlimit, getrlimit, setrlimit},
};

/// Raises the soft limit to the hard limit and returns it; `None` means no limit.
pub fn raise_limit() -> Option<u64> {
    let given = getrlimit(Resource::Nofile);
    // The default soft limit exists for programs that use `select(2)`.
    let raised = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: given.maximum,
            ..given
        },
    );
    if let Err(error) = raised {
        tracing::warn!(%error, "cannot raise the soft limit on open files to the hard limit");
    }
    limit()
}

fn limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Returns the remedy for an open file limit that is too low. `limit` would be enough.
pub fn remedy(limit: u64) -> String {
    format!("raise it: 'ulimit -n {limit}' in a shell, 'LimitNOFILE={limit}' in a systemd unit")
}

/// Returns whether an operation failed because too many files are open.
pub(crate) fn is_exhausted(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error().map(Errno::from_raw_os_error),
        Some(Errno::MFILE | Errno::NFILE)
    )
}

/// Returns an error's text, with the limit and the remedy if too many files are open.
pub fn explain(error: &io::Error) -> String {
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::MFILE) => {
            let limit = limit().unwrap_or(u64::MAX);
            let remedy = remedy(limit.saturating_mul(4).max(1024));
            format!("too many open files; this process's limit is {limit}; {remedy}")
        }
        Some(Errno::NFILE) => {
            "too many open files on this machine; raise the sysctl fs.file-max, or stop processes \
             with many open files"
                .into()
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explains_how_to_get_more_descriptors() {
        let explained = explain(&io::Error::from(Errno::MFILE));
        assert!(
            explained.starts_with("too many open files; this process's limit is "),
            "{explained}"
        );
        assert!(
            explained.contains("ulimit -n") && explained.contains("LimitNOFILE="),
            "{explained}"
        );
        assert!(explain(&io::Error::from(Errno::NFILE)).contains("fs.file-max"));
        let other = io::Error::from(Errno::IO);
        assert_eq!(explain(&other), other.to_string());
    }
}
