//! Text from files and from standard input.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, IsTerminal, Read},
    path::Path,
};

use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::failure::Failure;

/// The size from which a file has a progress bar.
const LONG_BYTES: u64 = 8 << 20;

/// Text that is read once, with its progress.
pub(crate) struct Input {
    pub(crate) source: Box<dyn BufRead>,
    pub(crate) progress: ProgressBar,
    /// The path, or `standard input`.
    pub(crate) name: String,
}

impl Input {
    /// Opens a file; `-` is standard input.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        if path == Path::new("-") {
            return Ok(Self::new(
                "standard input".to_owned(),
                io::stdin(),
                ProgressBar::hidden(),
            ));
        }
        let failed = |error| Failure::Usage(format!("{}: {error}", path.display()));
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        let is_long = metadata.is_file() && metadata.len() >= LONG_BYTES;
        let progress = if is_long && io::stderr().is_terminal() {
            let style = ProgressStyle::with_template(
                "{bar:30} {bytes} of {total_bytes}  {elapsed} of {duration}",
            );
            ProgressBar::new(metadata.len()).with_style(style.expect("the template is well-formed"))
        } else {
            ProgressBar::hidden()
        };
        Ok(Self::new(path.display().to_string(), file, progress))
    }

    fn new(name: String, source: impl Read + 'static, progress: ProgressBar) -> Self {
        let source = BufReader::with_capacity(64 << 10, progress.wrap_read(source));
        Self {
            source: Box::new(source),
            progress,
            name,
        }
    }
}
