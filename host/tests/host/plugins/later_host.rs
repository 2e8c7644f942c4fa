//! Released AIs under a host of a later minor version, whose structs have one more field at their
//! end.

use std::{mem::ManuallyDrop, ptr::null_mut};

use ai_api::{
    Flag, Host, Limits, Move, RulesVtable, SearchInfo,
    c::{
        CAi, CCapabilities, CError, CEvalTerms, CLimits, CManifest, CSearchRequest, CSearchResult,
        ENTRY, OK, SizedStruct as _, list, text,
    },
};
use libloading::os::unix::Library;

use super::frozen_releases::{LIBRARIES, releases};

const CANARY: u64 = 0x0123_4567_89ab_cdef;

/// A struct of the contract with a field that its reader does not know. The size comes first.
#[repr(C)]
struct Later<T> {
    known: T,
    later: u64,
}

impl<T> Later<T> {
    fn new(known: T) -> Self {
        let mut later = Self {
            known,
            later: CANARY,
        };
        // SAFETY: each struct that may grow begins with its size.
        unsafe { (&raw mut later).cast::<usize>().write(size_of::<Self>()) };
        later
    }

    /// The struct that an AI writes.
    const fn output(&mut self) -> *mut T {
        (&raw mut *self).cast()
    }

    #[track_caller]
    fn read(&self) -> &T {
        assert_eq!(self.later, CANARY);
        &self.known
    }
}

#[test]
fn released_ais_run_under_a_later_host() {
    for release in releases() {
        for (name, _) in LIBRARIES {
            run(&release.join(name));
        }
    }
}

fn run(library: &std::path::Path) {
    // SAFETY: we have built the library, and its constructors do nothing.
    let library = ManuallyDrop::new(unsafe { Library::new(library) }.unwrap());
    // SAFETY: it exports the functions of an AI and is never closed.
    let ai: CAi = unsafe { **library.get::<*const CAi>(ENTRY.as_bytes()).unwrap() };
    let (stop, report) = (Flag::new(false), |info: &SearchInfo<'_>| {
        assert!(info.pv_number >= 1);
    });
    let rules: Later<RulesVtable> = Later::new(rules::RULES);
    let host = Later::new(Host::new(&rules.known, &stop, &report));
    let mut error = Later::new(CError::EMPTY);

    let mut capabilities = Later::new(CCapabilities::empty());
    // SAFETY: as above.
    let mut manifest = Later::new(CManifest::of(unsafe { &mut *capabilities.output() }));
    // SAFETY: the arguments are valid during each call, and what the AI returns is valid until the
    // next one.
    unsafe {
        let status = ai.manifest.unwrap()(
            &host.known,
            null_mut(),
            0,
            manifest.output(),
            error.output(),
        );
        assert_eq!(status, OK);
        assert!(!text(manifest.read().name).is_empty() && manifest.read().option_count > 0);
        assert!(capabilities.read().max_lines <= 4);

        let mut instance = null_mut();
        let status = ai.create.unwrap()(
            &host.known,
            null_mut(),
            0,
            &raw mut instance,
            error.output(),
        );
        assert_eq!(status, OK, "{}", text(error.read().message.as_ptr()));

        let position = rules::parse_fen("7k/6pp/8/8/8/8/8/R5K1 w - - 0 1").unwrap();
        let limits = Later::new(CLimits::of(&Limits::depth(2)));
        let request = Later::new(CSearchRequest {
            position: &raw const position,
            start: &raw const position,
            limits: &raw const limits.known,
            lines: 1,
            ..CSearchRequest::empty()
        });
        let mut result = Later::new(CSearchResult::empty());
        let search = ai.search.unwrap();
        let status = search(
            instance,
            &raw const request.known,
            &host.known,
            result.output(),
            error.output(),
        );
        assert_eq!(status, OK, "{}", text(error.read().message.as_ptr()));
        let mate: Move = rules::parse_uci(&position, "a1a8").unwrap();
        assert_eq!(result.read().best_move, mate);
        assert_eq!(
            list(result.read().pv, result.read().pv_length).first(),
            Some(&mate)
        );

        let mut terms = Later::new(CEvalTerms::empty());
        let status = ai.terms.unwrap()(
            instance,
            &position,
            &host.known,
            terms.output(),
            error.output(),
        );
        assert_eq!(status, OK);
        assert!(terms.read().count > 0);
        ai.destroy.unwrap()(instance);
    }
}
