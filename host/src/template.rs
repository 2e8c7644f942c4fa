//! The folder of a new AI, written from templates in the binary.

use std::{
    borrow::Cow,
    fs, io,
    path::{Path, PathBuf},
};

use ai_api::note::{DefaultId, is_id};

use config::quoted;

/// What the AI of a new folder does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It has its own search.
    Searcher,
    /// It judges positions.
    Evaluator,
}

/// What an AI is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Language {
    /// A crate that depends on `ai-api`.
    Rust,
    /// One file and a header; any C compiler will do.
    C,
}

/// A folder that is still to be written.
#[derive(Clone, Debug)]
pub(crate) struct NewAi {
    name: String,
    kind: Kind,
    needs: Needs,
}

/// What it is built with.
#[derive(Clone, Debug)]
enum Needs {
    /// The sources of `ai-api`, and of the search and the rules beside them.
    Crates { ai_api: PathBuf, ai_search: PathBuf, rules: PathBuf },
    /// The header, which is written beside it.
    Header,
}

/// Why there is no new folder.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NewAiError {
    /// It can't be the name of a crate.
    #[error("'{0}' can't be the name of an AI: expected a letter of a-z, then up to 63 of a-z, 0-9, _ and -")]
    Name(String),
    /// It is somebody else's.
    #[error(
        "'{0}' can't be the name of an AI: it is a word of Rust's or a crate that the AI is built with; try 'ai-{0}'"
    )]
    Taken(String),
    /// There are no sources.
    #[error(
        "the sources of ai-api, ai-search and the rules that a new AI is built with are not in {}; name the folder ai-api of \
         a clone of Rookery with --ai-api PATH",
        .0.display()
    )]
    NoSources(PathBuf),
    /// There is something already.
    #[error("{} is there already; choose another name, or take it away", .0.display())]
    Exists(PathBuf),
    /// It can't be written.
    #[error("can't write {}: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// Names that cargo or the compiler keeps for itself, and those of what a new AI is built with.
#[rustfmt::skip]
const TAKEN: &[&str] = &[
    "abstract", "ai-api", "ai-search", "ai_api", "ai_search", "alloc", "as", "async", "await", "become", "box", "break", "const",
    "continue", "core", "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for",
    "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv",
    "proc_macro", "pub", "ref", "return", "rules", "self", "static", "std", "struct", "super", "test",
    "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while",
    "yield",
];

impl NewAi {
    /// A new AI by its name. `ai_api` are the sources of the contract; left out, those that this binary was built from.
    ///
    /// # Errors
    /// The name is none; there are no sources.
    pub(crate) fn new(
        name: &str,
        kind: Kind,
        language: Language,
        ai_api: Option<&Path>,
    ) -> Result<Self, NewAiError> {
        let begins_well = name.starts_with(|first: char| first.is_ascii_lowercase());
        if !begins_well || !is_id(name) || !is_id(DefaultId::of_crate(name).as_str()) {
            return Err(NewAiError::Name(text::printable(name)));
        }
        if TAKEN.contains(&name) {
            return Err(NewAiError::Taken(name.to_owned()));
        }
        let name = name.to_owned();
        if language == Language::C {
            return Ok(Self { name, kind, needs: Needs::Header });
        }
        let ai_api = ai_api.unwrap_or(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../ai-api")));
        let sources = fs::canonicalize(ai_api).ok().and_then(|ai_api| {
            let ai_search = fs::canonicalize(ai_api.join("../ai-search")).ok()?;
            let rules = fs::canonicalize(ai_api.join("../host/rules")).ok()?;
            let folders = [&ai_api, &ai_search, &rules];
            let are_there = folders.iter().all(|folder| folder.join("Cargo.toml").is_file());
            are_there.then_some((ai_api, ai_search, rules))
        });
        let (ai_api, ai_search, rules) =
            sources.ok_or_else(|| NewAiError::NoSources(ai_api.to_path_buf()))?;
        Ok(Self { name, kind, needs: Needs::Crates { ai_api, ai_search, rules } })
    }

    /// Writes the folder, named like the AI, into `parent`.
    ///
    /// # Errors
    /// It is there already; it can't be written.
    pub(crate) fn write(&self, parent: &Path) -> Result<PathBuf, NewAiError> {
        let parent = fs::canonicalize(parent).unwrap_or_else(|_| parent.to_path_buf());
        let folder = parent.join(&self.name);
        let failed = |file: &Path, source: io::Error| match source.kind() {
            io::ErrorKind::AlreadyExists => NewAiError::Exists(file.to_path_buf()),
            _ => NewAiError::Write { file: file.to_path_buf(), source },
        };
        fs::create_dir(&folder).map_err(|error| failed(&folder, error))?;
        for (file, text) in self.files(&folder) {
            let file = folder.join(file);
            let parent = file.parent().unwrap_or(&folder);
            let written = fs::create_dir_all(parent).and_then(|()| fs::write(&file, text));
            if let Err(error) = written {
                // Half a folder would only be in the way of the next try.
                let _ = fs::remove_dir_all(&folder);
                return Err(NewAiError::Write { file, source: error });
            }
        }
        Ok(folder)
    }

    /// The library that the folder builds, from the folder.
    pub(crate) fn library(&self) -> PathBuf {
        let file = format!("lib{}.so", self.crate_name());
        match self.needs {
            Needs::Crates { .. } => Path::new("target/release").join(file),
            Needs::Header => file.into(),
        }
    }

    fn crate_name(&self) -> String {
        self.name.replace('-', "_")
    }

    /// What stands in the folder, by its path in it.
    fn files(&self, folder: &Path) -> Vec<(String, String)> {
        let id = DefaultId::of_crate(&self.name);
        let library = folder.join(self.library());
        let library = library.to_string_lossy();
        let filled = |template: &str| {
            template
                .replace("{library}", &quoted(&library))
                .replace("{library_quoted}", &shlex::try_quote(&library).unwrap_or(Cow::Borrowed(&library)))
                .replace("{library_here}", &Path::new(".").join(self.library()).to_string_lossy())
                .replace("{crate_name}", &self.crate_name())
                .replace("{id}", id.as_str())
                .replace("{name}", &self.name)
        };
        let readme = |build: &str| filled(&[build, include_str!("../templates/serve.md.in")].concat());
        match &self.needs {
            Needs::Crates { ai_api, ai_search, rules } => {
                let (source, tests) = match self.kind {
                    Kind::Searcher => (
                        include_str!("../templates/rust/searcher.rs.in"),
                        include_str!("../templates/rust/searcher_tests.rs.in"),
                    ),
                    Kind::Evaluator => (
                        include_str!("../templates/rust/evaluator.rs.in"),
                        include_str!("../templates/rust/evaluator_tests.rs.in"),
                    ),
                };
                let manifest = include_str!("../templates/rust/Cargo.toml.in")
                    .replace("{ai_api}", &quoted(&ai_api.to_string_lossy()))
                    .replace("{ai_search}", &quoted(&ai_search.to_string_lossy()))
                    .replace("{rules}", &quoted(&rules.to_string_lossy()));
                vec![
                    ("Cargo.toml".to_owned(), filled(&manifest)),
                    ("src/lib.rs".to_owned(), filled(source)),
                    ("tests/plays.rs".to_owned(), filled(tests)),
                    ("README.md".to_owned(), readme(include_str!("../templates/rust/README.md.in"))),
                    (".gitignore".to_owned(), include_str!("../templates/rust/gitignore.in").to_owned()),
                ]
            }
            Needs::Header => {
                let source = match self.kind {
                    Kind::Searcher => include_str!("../templates/c/searcher.c.in"),
                    Kind::Evaluator => include_str!("../templates/c/evaluator.c.in"),
                };
                let header = include_str!("../../ai-api/include/rookery_ai.h");
                vec![
                    (format!("{}.c", self.crate_name()), filled(source)),
                    ("rookery_ai.h".to_owned(), header.to_owned()),
                    ("Makefile".to_owned(), filled(include_str!("../templates/c/Makefile.in"))),
                    ("README.md".to_owned(), readme(include_str!("../templates/c/README.md.in"))),
                    (".gitignore".to_owned(), include_str!("../templates/c/gitignore.in").to_owned()),
                ]
            }
        }
    }
}
