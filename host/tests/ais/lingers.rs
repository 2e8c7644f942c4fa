//! An AI whose constructor starts a thread that never ends.
#![expect(clippy::undocumented_unsafe_blocks, reason = "each is one call of libc, with plain arguments")]

use std::{
    ffi::c_void,
    mem::MaybeUninit,
    ptr::{null, null_mut},
};

use ai_api::{Ai, AiError, Answer, Host, Options, Question, Searcher, export_ai};

/// The linker calls what stands here before it gives the library to whoever loads it.
#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

/// A thread of C: one of Rust would wait until the library is loaded.
extern "C" fn constructor() {
    let mut thread = MaybeUninit::uninit();
    unsafe { libc::pthread_create(thread.as_mut_ptr(), null(), linger, null_mut()) };
}

extern "C" fn linger(_: *mut c_void) -> *mut c_void {
    loop {
        unsafe { libc::pause() };
    }
}

struct Lingers;

impl Ai for Lingers {
    fn create(_: &Options) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Lingers {
    fn search(&mut self, question: &Question<'_>, host: &Host<'_>) -> Result<Answer, AiError> {
        Ok(Answer::play(host.legal_moves(&question.position)[0]))
    }
}

export_ai!(Lingers: Searcher);
