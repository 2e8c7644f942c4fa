//! Loading an AI's library, in Rust or in C.

mod c;
mod needed;

use std::{ffi::c_int, fs::File, path::Path};

use abi_stable::{
    library::{LibraryError, lib_header_from_path},
    std_types::RResult,
};
use ai_api::{
    AiError, Answer, Host, OptionSetting, Position, Question, Score, Term,
    c::{CAi, ENTRY},
    module::{API_VERSION, AiModuleRef, Instance, Manifest},
};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::ai::protocol::Refusal;

/// Of glibc: the library stays loaded when it is closed. Its threads may run on.
const RTLD_NODELETE: c_int = 0x1000;
const FLAGS: c_int = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
/// The runtime of C loads it when a thread is cancelled or a stack unwound, and could not later.
const UNWINDER: &str = "libgcc_s.so.1";
/// How much of a reason is shown at once.
const MAX_MESSAGE_CHARS: usize = 400;

/// A library whose layout fits this host, and what it says of itself.
pub(super) struct LoadedLibrary {
    module: AiModuleRef,
    evaluate: Option<Evaluate>,
    pub(super) manifest: Manifest,
}

/// How the AI judges, as its own language has it: a search calls it for each of its positions.
#[derive(Clone, Copy)]
enum Evaluate {
    InRust(unsafe extern "C" fn(&mut Instance, &Position, &Host<'_>) -> RResult<Score, AiError>),
    InC(c::Evaluate),
}

/// An open library, which is never closed.
pub(super) struct OpenLibrary {
    /// What an AI in C exports.
    entry: Option<*const CAi>,
}

/// The libraries of the system that were opened for an AI's library, before it.
#[derive(Default)]
pub(super) struct Needed {
    /// Names that could not be opened, with the loader's reason.
    failed: Vec<(String, String)>,
}

/// Opens the libraries that the AI's library needs, by name, in the system's folders. The loader reuses them when it opens
/// the AI's library, whose constructors can then run without access to any of these files. A name that is not found here
/// may be a library that lies in a granted folder: the loader looks there itself.
pub(super) fn open_needed(library: &File) -> Needed {
    // What the headers of a hostile library hide is not found later either.
    let mut names = needed::names(library).unwrap_or_default();
    names.push(UNWINDER.to_owned());
    let open = |name: String| {
        // SAFETY: the constructors are those of the system's own libraries, which every program runs.
        match unsafe { Library::open(Some(&name), FLAGS) } {
            Ok(opened) => {
                std::mem::forget(opened);
                None
            }
            Err(error) => Some((name, reason_of(&error))),
        }
    };
    Needed { failed: names.into_iter().filter_map(open).collect() }
}

/// Opens the library. Its own code runs here for the first time: its constructors.
pub(super) fn open(path: &Path, needed: &Needed) -> Result<OpenLibrary, Refusal> {
    // SAFETY: the constructors of the library are code of others and may do anything; that is why this process exists.
    let opened = unsafe { Library::open(Some(path), FLAGS) };
    let library = opened.map_err(|error| not_loadable(path, &reason_of(&error), needed))?;
    // SAFETY: the symbol is what the header declares under this name.
    let entry = unsafe { library.get::<*const CAi>(ENTRY) };
    let entry = entry.ok().map(|entry| entry.as_raw_ptr().cast_const().cast());
    // Never closed, so that what it started goes on as it was.
    std::mem::forget(library);
    Ok(OpenLibrary { entry })
}

/// Checks that the open library, which is to have these options, is an AI for this host.
pub(super) fn load(
    path: &Path,
    library: &OpenLibrary,
    options: &[OptionSetting],
) -> Result<LoadedLibrary, Refusal> {
    let (module, evaluate) = if let Some(entry) = library.entry {
        // SAFETY: the library stays loaded, and this process loads no other.
        let made = unsafe { c::module(entry) };
        let (module, evaluate) = made.map_err(|error| refusal(&error.to_string(), ""))?;
        (module, evaluate.map(Evaluate::InC))
    } else {
        let module = module_in_rust(path)?;
        (module, module.evaluate().map(Evaluate::InRust))
    };
    let manifest = (module.manifest())(options.into()).into_result();
    let manifest =
        manifest.map_err(|error| refusal(&format!("the AI can't describe itself: {error}"), ""))?;
    let library = LoadedLibrary { module, evaluate, manifest };
    if library.is_searcher() || library.is_evaluator() {
        Ok(library)
    } else {
        Err(refusal("the library neither searches nor judges positions; name one in ai_api::export_ai!", ""))
    }
}

fn module_in_rust(path: &Path) -> Result<AiModuleRef, Refusal> {
    let header = lib_header_from_path(path).map_err(|error| unusable(&error))?;
    if header.layout().is_none() {
        return Err(refusal(
            "the library has switched off the check of its layout; export it with ai_api::export_ai!",
            "",
        ));
    }
    header.init_root_module::<AiModuleRef>().map_err(|error| unusable(&error))
}

impl LoadedLibrary {
    pub(super) fn is_searcher(&self) -> bool {
        self.module.search().is_some()
    }

    pub(super) fn is_evaluator(&self) -> bool {
        self.evaluate.is_some()
    }

    pub(super) fn create(&self, options: &[OptionSetting]) -> Result<Instance, AiError> {
        (self.module.create())(options.into()).into_result()
    }

    /// # Errors
    /// The AI's own.
    pub(super) fn new_game(&self, ai: &mut Instance) -> Result<(), AiError> {
        // SAFETY: this process has one library, so the instance is of this module.
        unsafe { (self.module.new_game())(ai) }.into_result()
    }

    /// # Errors
    /// The AI's own, or it is no searcher.
    pub(super) fn search(
        &self,
        ai: &mut Instance,
        question: &Question<'_>,
        host: &Host<'_>,
    ) -> Result<Answer, AiError> {
        let search = self.module.search().ok_or_else(|| AiError::new("the AI does not search"))?;
        // SAFETY: this process has one library, so the instance is of this module.
        unsafe { search(ai, question, host) }.into_result()
    }

    /// # Errors
    /// The AI's own, or it is no evaluator.
    pub(super) fn evaluate(
        &self,
        ai: &mut Instance,
        position: &Position,
        host: &Host<'_>,
    ) -> Result<Score, AiError> {
        match self.evaluate {
            // SAFETY: this process has one library, so the instance is of this module.
            Some(Evaluate::InRust(evaluate)) => unsafe { evaluate(ai, position, host) }.into_result(),
            // SAFETY: as above.
            Some(Evaluate::InC(evaluate)) => Ok(unsafe { evaluate(ai.as_ptr(), position, host) }),
            None => Err(AiError::new("the AI does not judge positions")),
        }
    }

    /// # Errors
    /// The AI's own.
    pub(super) fn terms(
        &self,
        ai: &mut Instance,
        position: &Position,
        host: &Host<'_>,
    ) -> Result<Vec<Term>, AiError> {
        let Some(terms) = self.module.terms() else { return Ok(Vec::new()) };
        // SAFETY: this process has one library, so the instance is of this module.
        unsafe { terms(ai, position, host) }.into_result().map(Vec::from)
    }
}

fn reason_of(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

fn not_loadable(path: &Path, error: &str, needed: &Needed) -> Refusal {
    // The loader begins with the path of what it could not open: the memory file, or a library that the AI needs.
    let (file, rest) = error.split_once(": ").unwrap_or(("", error));
    let of_itself = (Path::new(file) == path).then_some(rest);
    // It found out more while it could read the system's libraries.
    let earlier = needed.failed.iter().find(|(name, _)| name == file).map(|(_, reason)| reason.as_str());
    let reason = of_itself.or(earlier).unwrap_or(error);
    // That the file itself is a whole library for this machine was seen before it was given to a worker.
    let advice = if of_itself.is_none() && reason.contains("cannot open shared object file") {
        "it needs a library that is not here; install that, or link it into the AI"
    } else if of_itself.is_none() && reason.contains("ELF") {
        "it needs a library that is built for another machine; install that for this one"
    } else if reason.contains("undefined symbol") {
        "it needs a symbol that nobody has; link what it needs into it"
    } else if reason.contains("failed to map segment") || reason.contains("annot allocate memory") {
        "it takes more memory than its worker may have (large arrays count too, whatever is in them); raise memory_mb in \
         its [ai.ID], or keep large tables in a file that an option names"
    } else {
        "check with 'ldd' what it needs"
    };
    refusal(&format!("the library can't be loaded ({reason}): {advice}"), error)
}

fn unusable(error: &LibraryError) -> Refusal {
    let details = error.to_string();
    let message = match error {
        LibraryError::GetSymbolError { .. } => {
            "the library is no AI for Rookery: it does not export what ai_api::export_ai! writes, in C rookery_ai_entry with \
             ROOKERY_EXPORT; add it and build again"
                .to_owned()
        }
        LibraryError::IncompatibleVersionNumber { actual_version, .. } => format!(
            "the AI was built with ai-api {actual_version}, this host has {API_VERSION}; build it again with the \
             host's ai-api"
        ),
        LibraryError::AbiInstability(_) => format!(
            "the AI was built with an ai-api whose types differ from those of this host (ai-api {API_VERSION}); build \
             it again with the host's ai-api"
        ),
        LibraryError::InvalidAbiHeader(_) => {
            "the AI was built with another version of abi_stable; build it again with the host's ai-api".to_owned()
        }
        _ => format!("the AI can't be used: {details}"),
    };
    refusal(&message, &details)
}

fn refusal(message: &str, details: &str) -> Refusal {
    const MAX_DETAIL_CHARS: usize = 30_000;
    Refusal {
        message: message.chars().take(MAX_MESSAGE_CHARS).collect(),
        details: details.chars().take(MAX_DETAIL_CHARS).collect(),
    }
}
