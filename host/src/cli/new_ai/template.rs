//! The folder of a new AI, written from built-in templates.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use ai_api::note::{DefaultId, is_id};

use super::{
    error::NewAiError,
    sdk::{Sdk, is_crate_of_sdk},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AiKind {
    /// An AI with its own search.
    Searcher,
    /// An AI that evaluates positions.
    Evaluator,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum TemplateLanguage {
    /// A crate that depends on `rookery-ai-api`.
    Rust,
    /// One file and a header, for any C compiler.
    C,
    /// One file and a header, for any C++ compiler.
    Cpp,
    /// A UCI engine with the package `rookery-ai`.
    Python,
}

/// A valid new AI, before its folder is written.
#[derive(Clone, Debug)]
pub(crate) struct NewAi {
    name: String,
    kind: AiKind,
    files: Files,
}

/// The contents of an AI's folder.
#[derive(Clone, Debug)]
enum Files {
    /// A crate that uses the SDK.
    Crate(Sdk),
    /// A source next to the header.
    Native(&'static Native),
    /// A script next to the package.
    Script,
}

/// A language for native libraries, with its parts of the template and the Makefile.
#[derive(Debug)]
struct Native {
    searcher: &'static str,
    evaluator: &'static str,
    words: [(&'static str, &'static str); 8],
}

static C: Native = Native {
    searcher: include_str!("../../../templates/c/searcher.c.in"),
    evaluator: include_str!("../../../templates/c/evaluator.c.in"),
    words: [
        ("{language}", "C"),
        ("{extension}", "c"),
        ("{standard}", "c11"),
        ("{compiler}", "cc"),
        ("{cc}", "CC"),
        ("{flags}", "CFLAGS"),
        ("{package}", "gcc"),
        ("{other}", "clang"),
    ],
};
static CPP: Native = Native {
    searcher: include_str!("../../../templates/cpp/searcher.cpp.in"),
    evaluator: include_str!("../../../templates/cpp/evaluator.cpp.in"),
    words: [
        ("{language}", "C++"),
        ("{extension}", "cpp"),
        ("{standard}", "c++17"),
        ("{compiler}", "c++"),
        ("{cc}", "CXX"),
        ("{flags}", "CXXFLAGS"),
        ("{package}", "g++"),
        ("{other}", "clang++"),
    ],
};

/// The package for AIs in Python.
const PYTHON_PACKAGE: [(&str, &str); 7] = [
    (
        "__init__.py",
        include_str!("../../../../sdk/python/rookery_ai/__init__.py"),
    ),
    (
        "board.py",
        include_str!("../../../../sdk/python/rookery_ai/board.py"),
    ),
    (
        "engine.py",
        include_str!("../../../../sdk/python/rookery_ai/engine.py"),
    ),
    (
        "limits.py",
        include_str!("../../../../sdk/python/rookery_ai/limits.py"),
    ),
    (
        "options.py",
        include_str!("../../../../sdk/python/rookery_ai/options.py"),
    ),
    (
        "position.py",
        include_str!("../../../../sdk/python/rookery_ai/position.py"),
    ),
    (
        "py.typed",
        include_str!("../../../../sdk/python/rookery_ai/py.typed"),
    ),
];

/// Reserved names of cargo and the compiler, and the dependencies of a new AI.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "abstract", "ai-api", "ai-search", "ai_api", "ai_search", "alloc", "as", "async", "await",
    "become", "box", "break", "const", "continue", "core", "crate", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "proc_macro", "pub", "ref", "return",
    "rules", "self", "static", "std", "struct", "super", "test", "trait", "true", "try", "type",
    "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

impl NewAi {
    /// Validates the name and reads the contents of the folder. If `link` is set, a Rust AI uses
    /// the crates from that clone instead of copies.
    ///
    /// # Errors
    /// The name is invalid or reserved, the language has no evaluators or no crates to link, or the
    /// sources of the SDK are missing or unreadable.
    pub(crate) fn new(
        name: &str,
        kind: AiKind,
        language: TemplateLanguage,
        link: Option<&Path>,
    ) -> Result<Self, NewAiError> {
        let begins_with_letter = name.starts_with(|first: char| first.is_ascii_lowercase());
        if !begins_with_letter || !is_id(name) || !is_id(DefaultId::of_crate(name).as_str()) {
            return Err(NewAiError::InvalidName(text::printable(name)));
        }
        if RESERVED.contains(&name) || is_crate_of_sdk(name) {
            return Err(NewAiError::ReservedName(name.to_owned()));
        }
        let files = match language {
            TemplateLanguage::C | TemplateLanguage::Cpp | TemplateLanguage::Python
                if link.is_some() =>
            {
                return Err(NewAiError::LinkWithoutCrates);
            }
            TemplateLanguage::Rust => Files::Crate(Sdk::find(link)?),
            TemplateLanguage::C => Files::Native(&C),
            TemplateLanguage::Cpp => Files::Native(&CPP),
            TemplateLanguage::Python if kind == AiKind::Evaluator => {
                return Err(NewAiError::NoEvaluator);
            }
            TemplateLanguage::Python => Files::Script,
        };
        Ok(Self {
            name: name.to_owned(),
            kind,
            files,
        })
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
            _ => NewAiError::Write {
                file: file.to_path_buf(),
                source,
            },
        };
        fs::create_dir(&folder).map_err(|error| failed(&folder, error))?;
        for (file, text) in self.files() {
            let file = folder.join(file);
            let subfolder = file.parent().unwrap_or(&folder);
            let mode = if text.starts_with("#!/") {
                0o777
            } else {
                0o666
            };
            let written = fs::create_dir_all(subfolder)
                .and_then(|()| {
                    fs::OpenOptions::new()
                        .write(true)
                        .create_new(true)
                        .mode(mode)
                        .open(&file)
                })
                .and_then(|mut created| created.write_all(text.as_bytes()));
            if let Err(error) = written {
                // An incomplete folder would make the next attempt fail.
                let _ = fs::remove_dir_all(&folder);
                return Err(NewAiError::Write {
                    file,
                    source: error,
                });
            }
        }
        Ok(folder)
    }

    /// Returns the path that a server loads, relative to the folder: the built library or the
    /// script.
    pub(crate) fn target(&self) -> PathBuf {
        let library = format!("lib{}.so", self.crate_name());
        match self.files {
            Files::Crate(_) => Path::new("target/release").join(library),
            Files::Native(_) => library.into(),
            Files::Script => "engine.py".into(),
        }
    }

    fn crate_name(&self) -> String {
        self.name.replace('-', "_")
    }

    /// Returns the files of the folder: their relative paths and contents.
    fn files(&self) -> Vec<(String, String)> {
        let id = DefaultId::of_crate(&self.name);
        let about = match self.kind {
            AiKind::Searcher => {
                "it searches with alpha-beta and a clock, and counts material and placement. \
                 Improve `evaluate` first."
            }
            AiKind::Evaluator => "it evaluates positions, and the host searches.",
        };
        let target = Path::new(".").join(self.target());
        let filled = |template: &str| {
            template
                .replace("{target}", &target.to_string_lossy())
                .replace("{about}", about)
                .replace("{crate_name}", &self.crate_name())
                .replace("{id}", id.as_str())
                .replace("{name}", &self.name)
        };
        let readme =
            |build: &str| filled(&[build, include_str!("../../../templates/serve.md.in")].concat());
        let of_kind = |searcher, evaluator| match self.kind {
            AiKind::Searcher => searcher,
            AiKind::Evaluator => evaluator,
        };
        let named = |(file, text): (&str, String)| (file.to_owned(), text);
        match &self.files {
            Files::Crate(sdk) => {
                let source = of_kind(
                    include_str!("../../../templates/rust/searcher.rs.in"),
                    include_str!("../../../templates/rust/evaluator.rs.in"),
                );
                let tests = of_kind(
                    include_str!("../../../templates/rust/searcher_tests.rs.in"),
                    include_str!("../../../templates/rust/evaluator_tests.rs.in"),
                );
                let folder = if sdk.vendored.is_empty() {
                    ""
                } else {
                    " and the folder `vendor`"
                };
                let manifest = include_str!("../../../templates/rust/Cargo.toml.in")
                    .replace("{folder}", folder)
                    .replace("{patches}", &sdk.patches);
                [
                    ("Cargo.toml", filled(&manifest)),
                    (
                        "Cargo.lock",
                        filled(include_str!("../../../templates/rust/Cargo.lock.in")),
                    ),
                    ("src/lib.rs", filled(source)),
                    ("tests/plays.rs", filled(tests)),
                    (
                        "README.md",
                        readme(include_str!("../../../templates/rust/README.md.in")),
                    ),
                    (
                        ".gitignore",
                        include_str!("../../../templates/rust/gitignore.in").to_owned(),
                    ),
                ]
                .into_iter()
                .map(named)
                .chain(sdk.vendored.iter().cloned())
                .collect()
            }
            Files::Native(native) => {
                let worded = |template: &str| {
                    native
                        .words
                        .iter()
                        .fold(template.to_owned(), |text, (key, word)| {
                            text.replace(key, word)
                        })
                };
                let source = of_kind(native.searcher, native.evaluator);
                [
                    ("{crate_name}.{extension}", filled(source)),
                    (
                        "rookery_ai.h",
                        include_str!("../../../../ai-api/include/rookery_ai.h").to_owned(),
                    ),
                    (
                        "Makefile",
                        filled(&worded(include_str!(
                            "../../../templates/native/Makefile.in"
                        ))),
                    ),
                    (
                        "test.sh",
                        include_str!("../../../templates/native/test.sh.in").to_owned(),
                    ),
                    (
                        "README.md",
                        readme(&worded(include_str!(
                            "../../../templates/native/README.md.in"
                        ))),
                    ),
                    (
                        ".gitignore",
                        include_str!("../../../templates/native/gitignore.in").to_owned(),
                    ),
                ]
                .into_iter()
                .map(|(file, text)| (filled(&worded(file)), text))
                .collect()
            }
            Files::Script => [
                (
                    "engine.py",
                    filled(include_str!("../../../templates/python/engine.py.in")),
                ),
                (
                    "test_engine.py",
                    include_str!("../../../templates/python/test_engine.py.in").to_owned(),
                ),
                (
                    "README.md",
                    readme(include_str!("../../../templates/python/README.md.in")),
                ),
                (
                    ".gitignore",
                    include_str!("../../../templates/python/gitignore.in").to_owned(),
                ),
            ]
            .into_iter()
            .map(named)
            .chain(
                PYTHON_PACKAGE.map(|(file, text)| (format!("rookery_ai/{file}"), text.to_owned())),
            )
            .collect(),
        }
    }
}
