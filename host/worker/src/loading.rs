//! Loading an AI's library.

mod entry;
mod needed;

use std::{ffi::c_int, fs::File, path::Path};

use ai_api::{
    GrantTable, OptionSetting,
    abi_stable::library::{LibraryError, lib_header_from_path},
    c::{CAi, ENTRY},
    layout::{ContractRef, is_comparable},
    note::API_VERSION,
};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::with_idle_host;
use protocol::{Manifest, Refusal};

pub(super) use self::entry::{EvaluationError, Functions, Instance};

/// Of glibc: the library stays loaded when it is closed. Its threads may run on.
const RTLD_NODELETE: c_int = 0x1000;
const FLAGS: c_int = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
/// The runtime of C loads it when a thread is cancelled or a stack unwound, and could not later.
const UNWINDER: &str = "libgcc_s.so.1";
/// How much of a reason is shown at once.
const MAX_MESSAGE_CHARS: usize = 400;

/// A library whose functions fit this host, and what it says of itself.
pub(super) struct LoadedLibrary {
    pub(super) functions: Functions,
    pub(super) manifest: Manifest,
}

/// An open library, which is never closed.
pub(super) struct OpenLibrary {
    /// What it exports as `rookery_ai_entry`.
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
    grants: &GrantTable,
) -> Result<LoadedLibrary, Refusal> {
    let entry = library.entry.ok_or_else(|| {
        let message = "the library is no AI for Rookery: it does not export rookery_ai_entry, which ai_api::export_ai! writes, \
                       in C ROOKERY_EXPORT; add it and build again";
        refusal(message, "")
    })?;
    check_layout(path)?;
    // SAFETY: the library stays loaded.
    let functions = unsafe { Functions::read(entry) }.map_err(|error| refusal(&error.to_string(), ""))?;
    let manifest = with_idle_host(grants, |host| functions.manifest(options, host));
    let manifest =
        manifest.map_err(|error| refusal(&format!("the AI can't describe itself: {error}"), ""))?;
    Ok(LoadedLibrary { functions, manifest })
}

/// Compares the structs of the contract as the library describes them with those of this host. A library that has no
/// description, or that of another version, has nothing that could be compared.
fn check_layout(path: &Path) -> Result<(), Refusal> {
    let Ok(header) = lib_header_from_path(path) else { return Ok(()) };
    if !is_comparable(header) {
        return Ok(());
    }
    match header.ensure_layout::<ContractRef>() {
        Err(LibraryError::AbiInstability(difference)) => Err(refusal(
            &format!(
                "the AI was built with an ai-api whose types differ from those of this host (ai-api {API_VERSION}); build it \
                 again with the host's ai-api"
            ),
            &difference.to_string(),
        )),
        _ => Ok(()),
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

fn refusal(message: &str, details: &str) -> Refusal {
    const MAX_DETAIL_CHARS: usize = 30_000;
    Refusal {
        message: message.chars().take(MAX_MESSAGE_CHARS).collect(),
        details: details.chars().take(MAX_DETAIL_CHARS).collect(),
    }
}
