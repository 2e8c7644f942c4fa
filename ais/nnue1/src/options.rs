//! The AI's options.

use std::{path::Path, sync::Arc};

use ai_api::{AiError, OptionSpec, Options};

use crate::{
    evaluation::features::Term,
    net::Net,
    search::{ELO, SearchOptions, Strength},
};

/// The resolved options.
#[derive(Clone, Debug)]
pub(crate) struct Settings<'o> {
    pub(crate) search: SearchOptions,
    /// An `elo` of 0 means full strength.
    pub(crate) strength: Strength,
    /// The terms that are switched on.
    pub(crate) terms: Vec<Term>,
    /// The network that evaluates instead of the terms.
    pub(crate) net: Option<Arc<Net>>,
    pub(crate) book: Option<&'o Path>,
    pub(crate) book_seed: u64,
    /// Directories of tables. If empty, the AI uses the host's tables.
    pub(crate) syzygy: Vec<&'o Path>,
}

pub(crate) fn specs() -> Vec<OptionSpec> {
    let defaults = SearchOptions::default();
    let mut specs = vec![
        OptionSpec::choice(
            "evaluation",
            "net",
            &["net", "terms"],
            "evaluate by the net or by hand-written terms",
        ),
        OptionSpec::file(
            "net",
            "a file with another net; by default, the built-in net",
        ),
        OptionSpec::integer(
            "hash_mb",
            defaults.hash_mb.into(),
            1..=4096,
            "megabytes of memory for positions already searched",
        ),
        OptionSpec::integer(
            "threads",
            defaults.threads.into(),
            1..=64,
            "threads that search; only one gives repeatable results",
        ),
        OptionSpec::file("book", "a Polyglot book to play from; none by default"),
        OptionSpec::integer(
            "book_seed",
            1,
            0..=u32::MAX.into(),
            "selects one of many ways through the book",
        )
        .advanced()
        .live(),
        OptionSpec::integer(
            "elo",
            0,
            0..=i64::from(*ELO.end()),
            &format!(
                "playing strength on the CCRL Blitz scale, at least {}; 0 is full strength",
                ELO.start()
            ),
        )
        .live(),
        OptionSpec::integer(
            "seed",
            1,
            0..=u32::MAX.into(),
            "varies games at limited strength",
        )
        .advanced()
        .live(),
        OptionSpec::files(
            "syzygy",
            "directories of Syzygy tables to use instead of the host's tables",
        ),
    ];
    let switches = Term::ALL.iter().filter(|&&term| term != Term::Material);
    specs.extend(switches.map(|term| OptionSpec::flag(term.name(), true, term.help()).advanced()));
    specs
}

impl<'o> Settings<'o> {
    /// Reads the options of [`specs`].
    ///
    /// # Errors
    /// An option is missing or has a different type, or the evaluation is not available.
    pub(crate) fn from_options(options: &'o Options) -> Result<Self, AiError> {
        let net = match (options.text("evaluation")?, options.text("net")?) {
            ("net", "") => Some(Net::embedded()),
            ("net", path) => {
                let net = Net::read(Path::new(path));
                Some(Arc::new(net.map_err(|error| {
                    AiError::new(format!("net = {path:?}: {error}"))
                })?))
            }
            _ => None,
        };
        let mut terms = vec![Term::Material];
        for term in Term::ALL.into_iter().filter(|&term| term != Term::Material) {
            if options.flag(term.name())? {
                terms.push(term);
            }
        }
        Ok(Self {
            search: search_options(options)?,
            strength: Strength {
                elo: number(options, "elo")?,
                seed: options.integer("seed")?.cast_unsigned(),
            },
            terms,
            net,
            book: options.file("book")?,
            book_seed: options.integer("book_seed")?.cast_unsigned(),
            syzygy: options.files("syzygy")?.collect(),
        })
    }
}

/// Reads the options of the search.
///
/// # Errors
/// An option is missing or has a different type.
pub(crate) fn search_options(options: &Options) -> Result<SearchOptions, AiError> {
    Ok(SearchOptions {
        hash_mb: number(options, "hash_mb")?,
        threads: number(options, "threads")?,
    })
}

fn number(options: &Options, name: &str) -> Result<u32, AiError> {
    u32::try_from(options.integer(name)?).map_err(|error| AiError::new(format!("{name}: {error}")))
}
