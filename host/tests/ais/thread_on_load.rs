//! An AI whose constructor starts a thread that never ends, as the runtimes of some languages do.
//! Its score is the number of times the thread could read a system file.
#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "each is one libc call with plain arguments"
)]

use std::{
    ffi::c_void,
    mem::MaybeUninit,
    ptr::{null, null_mut},
    sync::atomic::{AtomicI32, Ordering},
};

use ai_api::{Ai, AiError, Host, Options, Score, SearchRequest, SearchResult, Searcher, export_ai};

static READ: AtomicI32 = AtomicI32::new(0);

/// `dlopen` calls the functions of this section.
#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

/// A C thread: a Rust thread would wait until the library is loaded.
extern "C" fn constructor() {
    let mut thread = MaybeUninit::uninit();
    unsafe { libc::pthread_create(thread.as_mut_ptr(), null(), linger, null_mut()) };
}

extern "C" fn linger(_: *mut c_void) -> *mut c_void {
    loop {
        if unsafe { libc::open(c"/etc/ld.so.cache".as_ptr(), libc::O_RDONLY) } >= 0 {
            READ.fetch_add(1, Ordering::Relaxed);
        }
        unsafe { libc::usleep(1000) };
    }
}

struct ThreadOnLoad;

impl Ai for ThreadOnLoad {
    fn create(_: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for ThreadOnLoad {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        let chosen = host.legal_moves(&request.position)[0];
        Ok(SearchResult {
            score: Score::centipawns(READ.load(Ordering::Relaxed)),
            ..SearchResult::play(chosen)
        })
    }
}

export_ai!(ThreadOnLoad: Searcher);
