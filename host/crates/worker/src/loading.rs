//! Loads an AI's library.

mod entry;
mod lent;
mod needed;

use std::{ffi::c_int, fs::File, path::Path};

use abi_stable::library::{LibraryError, lib_header_from_path};
use ai_api::{
    GrantTable, OptionSetting,
    c::{CAi, ENTRY},
    layout::{ContractRef, is_comparable},
    note::API_VERSION,
};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::idle_host::with_idle_host;
use protocol::{Manifest, Refusal};

pub(crate) use self::{
    entry::{ERROR, EVALUATE, Functions, Instance, no_error},
    lent::LentOutput,
};

/// A glibc flag that `libc` lacks: the library stays loaded when it is closed, because its threads
/// may keep running.
const RTLD_NODELETE: c_int = 0x1000;
const FLAGS: c_int = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
/// The C runtime loads this library when a thread is cancelled or a stack is unwound. By then, the
/// sandbox would forbid it.
const UNWINDER: &str = "libgcc_s.so.1";
/// The maximum length of a refusal's message. The loader's messages contain paths and symbols of
/// any length.
const MAX_MESSAGE_CHARS: usize = 1000;

/// A library whose functions fit this host, with its manifest.
pub(crate) struct LoadedLibrary {
    pub(crate) functions: Functions,
    pub(crate) manifest: Manifest,
}

/// The system libraries that an AI's library needs, opened before it.
#[derive(Default)]
pub(crate) struct SystemLibraries {
    /// Names that could not be opened, with the loader's reason.
    failed: Vec<(String, String)>,
}

/// Opens the libraries that the AI's library needs, by name, from the system folders. The loader
/// reuses them when it opens the AI's library, so that its constructors can run without access to
/// these files. A name that is not found here may be a library in a granted folder, which the
/// loader searches itself.
pub(crate) fn open_needed(library: &File) -> SystemLibraries {
    // Malformed headers of a hostile library yield no names.
    let mut names = needed::names(library).unwrap_or_default();
    names.push(UNWINDER.to_owned());
    let open = |name: String| {
        // SAFETY: the constructors belong to system libraries, which every program runs.
        match unsafe { Library::open(Some(&name), FLAGS) } {
            Ok(opened) => {
                std::mem::forget(opened);
                None
            }
            Err(error) => Some((name, reason_of(&error))),
        }
    };
    SystemLibraries {
        failed: names.into_iter().filter_map(open).collect(),
    }
}

/// Opens the library, which is never closed, and returns the exported `rookery_ai_entry`. This runs
/// the library's constructors, its first code.
fn open(path: &Path, libraries: &SystemLibraries) -> Result<Option<*const CAi>, Refusal> {
    // SAFETY: the constructors of the library are third-party code and may do anything; this
    // process exists to confine them.
    let opened = unsafe { Library::open(Some(path), FLAGS) };
    let library = opened.map_err(|error| not_loadable(path, &reason_of(&error), libraries))?;
    // SAFETY: the header declares the symbol with this type.
    let entry = unsafe { library.get::<*const CAi>(ENTRY) };
    let entry = entry
        .ok()
        .map(|entry| entry.as_raw_ptr().cast_const().cast());
    // The library's threads may keep running.
    std::mem::forget(library);
    Ok(entry)
}

/// Opens the library, checks that it is an AI for this host, and reads its manifest with these
/// options set.
pub(crate) fn load(
    path: &Path,
    libraries: &SystemLibraries,
    options: &[OptionSetting],
    grants: &GrantTable,
) -> Result<LoadedLibrary, Refusal> {
    let entry = open(path, libraries)?.ok_or_else(|| {
        let message = "the library is not an AI for Rookery: it does not export rookery_ai_entry, \
                       which ai_api::export_ai! (in C, ROOKERY_EXPORT) writes; add it and build \
                       again";
        refusal(message, "")
    })?;
    check_layout(path)?;
    // SAFETY: the library stays loaded.
    unsafe { describe(entry, options, grants) }
}

/// Reads the manifest of an AI built into this program.
pub(crate) fn load_built_in(
    entry: &'static CAi,
    grants: &GrantTable,
) -> Result<LoadedLibrary, Refusal> {
    // SAFETY: the functions stay loaded.
    unsafe { describe(entry, &[], grants) }
}

/// Checks the functions of an AI, and reads its manifest with these options set.
///
/// # Safety
/// `entry` belongs to a library that stays loaded.
unsafe fn describe(
    entry: *const CAi,
    options: &[OptionSetting],
    grants: &GrantTable,
) -> Result<LoadedLibrary, Refusal> {
    // SAFETY: guaranteed by the caller.
    let functions =
        unsafe { Functions::read(entry) }.map_err(|error| refusal(&error.to_string(), ""))?;
    let manifest = with_idle_host(grants, |host| functions.manifest(options, host));
    let manifest =
        manifest.map_err(|error| refusal(&format!("the AI can't describe itself: {error}"), ""))?;
    Ok(LoadedLibrary {
        functions,
        manifest,
    })
}

/// Compares the layout of the contract's structs in the library with this host's. A library passes
/// if it has no description, or a different version's.
fn check_layout(path: &Path) -> Result<(), Refusal> {
    let Ok(header) = lib_header_from_path(path) else {
        return Ok(());
    };
    if !is_comparable(header) {
        return Ok(());
    }
    match header.ensure_layout::<ContractRef>() {
        Err(LibraryError::AbiInstability(difference)) => Err(refusal(
            &format!(
                "the AI was built with an ai-api whose types differ from this host's \
                 (ai-api {API_VERSION}); build it again with the host's ai-api"
            ),
            &difference.to_string(),
        )),
        _ => Ok(()),
    }
}

fn reason_of(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

fn not_loadable(path: &Path, error: &str, libraries: &SystemLibraries) -> Refusal {
    // The loader's message starts with the path it could not open: the memory file, or a library
    // that the AI needs.
    let (file, rest) = error.split_once(": ").unwrap_or(("", error));
    let own_reason = (Path::new(file) == path).then_some(rest);
    // The first attempt gives the better reason, because it could read the system libraries.
    let earlier = libraries
        .failed
        .iter()
        .find(|(name, _)| name == file)
        .map(|(_, reason)| reason.as_str());
    let reason = own_reason.or(earlier).unwrap_or(error);
    // The host has already checked that the file is a complete library for this machine.
    let advice = if own_reason.is_none() && reason.contains("cannot open shared object file") {
        "it needs a library that is not installed; install it, or link it into the AI"
    } else if own_reason.is_none() && reason.contains("ELF") {
        "it needs a library that is built for another machine; install it for this one"
    } else if reason.contains("undefined symbol") {
        "it needs a symbol that no library provides; link it into the AI"
    } else if reason.contains("failed to map segment") || reason.contains("annot allocate memory") {
        "it exceeds its worker's memory limit (large arrays count, even zeroed ones); \
         raise memory_mb in its [ai.ID], or keep large tables in a file that an option names"
    } else {
        "check the libraries that it needs with 'ldd'"
    };
    refusal(
        &format!("the library can't be loaded ({reason}): {advice}"),
        error,
    )
}

fn refusal(message: &str, details: &str) -> Refusal {
    const MAX_DETAIL_CHARS: usize = 30_000;
    Refusal {
        message: message.chars().take(MAX_MESSAGE_CHARS).collect(),
        details: details.chars().take(MAX_DETAIL_CHARS).collect(),
    }
}
