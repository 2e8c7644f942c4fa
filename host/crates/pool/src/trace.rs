//! Reports the files that traced workers looked for but could not access.

use std::{
    fs::File,
    io,
    os::{fd::AsRawFd as _, unix::fs::FileExt as _},
    path::{Path, PathBuf},
};

use rustix::fs::{MemfdFlags, memfd_create};

/// The maximum length of a report. No real report is longer.
const MAX_BYTES: usize = 8 << 20;

/// The report of traced workers.
#[derive(Debug)]
pub struct Trace(File);

/// A path that an AI's program looked for but could not access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denied {
    /// Absolute if the program's working directory is known.
    pub path: PathBuf,
    /// Whether the program wrote a relative path.
    pub is_relative: bool,
    /// Whether the program tried to start it.
    pub is_program: bool,
}

impl Trace {
    /// Creates an empty report in memory.
    ///
    /// # Errors
    /// The system call failed.
    pub fn new() -> io::Result<Self> {
        Ok(Self(
            memfd_create("rookery-trace", MemfdFlags::CLOEXEC)?.into(),
        ))
    }

    /// Returns the path at which child processes can open the report.
    pub(crate) fn path(&self) -> PathBuf {
        format!("/proc/{}/fd/{}", std::process::id(), self.0.as_raw_fd()).into()
    }

    /// Returns the paths that the workers have looked for so far but could not access, in the order
    /// of the attempts; `None` if the kernel does not allow tracing.
    ///
    /// # Errors
    /// The report cannot be read.
    pub fn denied(&self) -> io::Result<Option<Vec<Denied>>> {
        let length = usize::try_from(self.0.metadata()?.len())
            .unwrap_or(MAX_BYTES)
            .min(MAX_BYTES);
        let mut bytes = vec![0; length];
        self.0.read_exact_at(&mut bytes, 0)?;
        let text = String::from_utf8_lossy(&bytes);
        let parse = |line: &str| {
            let (kind, path) = line.split_once(' ')?;
            let is_relative =
                kind.bytes().all(|letter| letter.is_ascii_uppercase()) || !path.starts_with('/');
            let is_program = kind.eq_ignore_ascii_case("x");
            Some(Denied {
                path: Path::new(path).to_owned(),
                is_relative,
                is_program,
            })
        };
        // A worker that fails before tracing starts reports nothing.
        let is_forbidden = text.lines().any(|line| line == "forbidden");
        Ok((!is_forbidden).then(|| text.lines().filter_map(parse).collect()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn reports_when_the_kernel_forbids_tracing() {
        let trace = Trace::new().unwrap();
        assert_eq!(trace.denied().unwrap(), Some(Vec::new()));
        (&trace.0).write_all(b"traced\nr /a b\nX /bin/c\n").unwrap();
        let denied = |path: &str, is_program| Denied {
            path: path.into(),
            is_relative: is_program,
            is_program,
        };
        assert_eq!(
            trace.denied().unwrap(),
            Some(vec![denied("/a b", false), denied("/bin/c", true)])
        );
        (&trace.0).write_all(b"forbidden\n").unwrap();
        assert_eq!(trace.denied().unwrap(), None);
    }
}
