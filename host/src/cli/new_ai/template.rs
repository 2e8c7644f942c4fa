//! The folder of a new AI, written from built-in templates.

use std::{
    borrow::Cow,
    fs, io,
    path::{Path, PathBuf},
};

use ai_api::note::{DefaultId, is_id};

use config::quoted;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An AI with its own search.
    Searcher,
    /// An AI that evaluates positions.
    Evaluator,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Language {
    /// A crate that depends on `ai-api`.
    Rust,
    /// One file and a header, for any C compiler.
    C,
}

/// A valid new AI, before its folder is written.
#[derive(Clone, Debug)]
pub(crate) struct NewAi {
    name: String,
    kind: Kind,
    dependencies: Dependencies,
}

#[derive(Clone, Debug)]
enum Dependencies {
    /// The folders of these crates.
    Crates { ai_api: PathBuf, ai_search: PathBuf, rules: PathBuf },
    /// The header, which is copied.
    Header,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum NewAiError {
    #[error(
        "'{0}' is not a valid name of an AI: expected a letter of a-z, then up to 63 of a-z, 0-9, _ and -"
    )]
    InvalidName(String),
    #[error(
        "'{0}' is not a valid name of an AI: it is a Rust keyword or a crate that the AI depends on; try 'ai-{0}'"
    )]
    ReservedName(String),
    #[error(
        "the sources of ai-api, ai-search and the rules, which a new AI is built with, are not in {}; give the folder \
         ai-api of a clone of Rookery with --ai-api PATH",
        .0.display()
    )]
    MissingSources(PathBuf),
    #[error("{} already exists; choose another name, or remove it", .0.display())]
    Exists(PathBuf),
    #[error("cannot write {}: {source}", file.display())]
    Write { file: PathBuf, source: io::Error },
}

/// Reserved names of cargo and the compiler, and the dependencies of a new AI.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "abstract", "ai-api", "ai-search", "ai_api", "ai_search", "alloc", "as", "async", "await", "become", "box", "break", "const",
    "continue", "core", "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for",
    "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv",
    "proc_macro", "pub", "ref", "return", "rules", "self", "static", "std", "struct", "super", "test",
    "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while",
    "yield",
];

impl NewAi {
    /// Validates the name and finds the sources of `ai-api`: by default those that this binary was built from.
    ///
    /// # Errors
    /// The name is invalid or reserved, or the sources are missing.
    pub(crate) fn new(
        name: &str,
        kind: Kind,
        language: Language,
        ai_api: Option<&Path>,
    ) -> Result<Self, NewAiError> {
        let begins_with_letter = name.starts_with(|first: char| first.is_ascii_lowercase());
        if !begins_with_letter || !is_id(name) || !is_id(DefaultId::of_crate(name).as_str()) {
            return Err(NewAiError::InvalidName(text::printable(name)));
        }
        if RESERVED.contains(&name) {
            return Err(NewAiError::ReservedName(name.to_owned()));
        }
        let name = name.to_owned();
        if language == Language::C {
            return Ok(Self { name, kind, dependencies: Dependencies::Header });
        }
        let ai_api = ai_api.unwrap_or(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../ai-api")));
        let sources = fs::canonicalize(ai_api).ok().and_then(|ai_api| {
            let ai_search = fs::canonicalize(ai_api.join("../sdk/search")).ok()?;
            let rules = fs::canonicalize(ai_api.join("../host/crates/rules")).ok()?;
            let folders = [&ai_api, &ai_search, &rules];
            let exist = folders.iter().all(|folder| folder.join("Cargo.toml").is_file());
            exist.then_some((ai_api, ai_search, rules))
        });
        let (ai_api, ai_search, rules) =
            sources.ok_or_else(|| NewAiError::MissingSources(ai_api.to_path_buf()))?;
        Ok(Self { name, kind, dependencies: Dependencies::Crates { ai_api, ai_search, rules } })
    }

    /// Writes the folder, named like the AI, into `parent`.
    ///
    /// # Errors
    /// The folder already exists, or cannot be written.
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
                // An incomplete folder would make the next attempt fail.
                let _ = fs::remove_dir_all(&folder);
                return Err(NewAiError::Write { file, source: error });
            }
        }
        Ok(folder)
    }

    /// Returns the path of the built library, relative to the folder.
    pub(crate) fn library(&self) -> PathBuf {
        let file = format!("lib{}.so", self.crate_name());
        match self.dependencies {
            Dependencies::Crates { .. } => Path::new("target/release").join(file),
            Dependencies::Header => file.into(),
        }
    }

    fn crate_name(&self) -> String {
        self.name.replace('-', "_")
    }

    /// Returns the files of the folder: their relative paths and contents.
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
        let readme = |build: &str| filled(&[build, include_str!("../../../templates/serve.md.in")].concat());
        match &self.dependencies {
            Dependencies::Crates { ai_api, ai_search, rules } => {
                let (source, tests) = match self.kind {
                    Kind::Searcher => (
                        include_str!("../../../templates/rust/searcher.rs.in"),
                        include_str!("../../../templates/rust/searcher_tests.rs.in"),
                    ),
                    Kind::Evaluator => (
                        include_str!("../../../templates/rust/evaluator.rs.in"),
                        include_str!("../../../templates/rust/evaluator_tests.rs.in"),
                    ),
                };
                let manifest = include_str!("../../../templates/rust/Cargo.toml.in")
                    .replace("{ai_api}", &quoted(&ai_api.to_string_lossy()))
                    .replace("{ai_search}", &quoted(&ai_search.to_string_lossy()))
                    .replace("{rules}", &quoted(&rules.to_string_lossy()));
                vec![
                    ("Cargo.toml".to_owned(), filled(&manifest)),
                    ("src/lib.rs".to_owned(), filled(source)),
                    ("tests/plays.rs".to_owned(), filled(tests)),
                    ("README.md".to_owned(), readme(include_str!("../../../templates/rust/README.md.in"))),
                    (
                        ".gitignore".to_owned(),
                        include_str!("../../../templates/rust/gitignore.in").to_owned(),
                    ),
                ]
            }
            Dependencies::Header => {
                let source = match self.kind {
                    Kind::Searcher => include_str!("../../../templates/c/searcher.c.in"),
                    Kind::Evaluator => include_str!("../../../templates/c/evaluator.c.in"),
                };
                let header = include_str!("../../../../ai-api/include/rookery_ai.h");
                vec![
                    (format!("{}.c", self.crate_name()), filled(source)),
                    ("rookery_ai.h".to_owned(), header.to_owned()),
                    ("Makefile".to_owned(), filled(include_str!("../../../templates/c/Makefile.in"))),
                    ("README.md".to_owned(), readme(include_str!("../../../templates/c/README.md.in"))),
                    (".gitignore".to_owned(), include_str!("../../../templates/c/gitignore.in").to_owned()),
                ]
            }
        }
    }
}
