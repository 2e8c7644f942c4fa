//! An AI that probes the limits of its sandbox, in its constructor and again in a search. Its score
//! is the number of successful probes, and standard error names them.
#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "each is one libc call with plain arguments"
)]

use std::{
    ffi::CStr,
    mem::MaybeUninit,
    ptr::{null, null_mut},
    sync::OnceLock,
};

use ai_api::{
    Ai, AiError, Host, OptionSpec, Options, Score, SearchRequest, SearchResult, Searcher, export_ai,
};

/// Returns whether the probe succeeds.
type Probe = fn() -> bool;

/// Above any limit on pending signals.
const SIGNALS: usize = 2000;
/// None of these paths leads to a checkout of the sources, because workers may read the libraries
/// there.
const EXISTING: [&CStr; 3] = [c"/etc/passwd", c"/boot", c"/proc/1"];

const PROBES: [(&str, Probe); 12] = [
    ("make a ruleset of Landlock", || unsafe {
        // The file rights of the first Landlock version. Rules use kernel memory.
        let attributes = 0x1fff_u64;
        let ruleset = libc::syscall(
            libc::SYS_landlock_create_ruleset,
            &raw const attributes,
            8,
            0,
        );
        (ruleset >= 0 && libc::close(ruleset as i32) == 0) || errno() != libc::EPERM
    }),
    ("add filters of system calls", || unsafe {
        // An unknown operation.
        libc::syscall(libc::SYS_seccomp, 99, 0, null::<u8>()) != 0 && errno() != libc::EPERM
    }),
    ("send out of band", || unsafe {
        libc::send(3, null(), 0, libc::MSG_OOB) >= 0 || errno() != libc::EPERM
    }),
    ("receive out of band", || unsafe {
        libc::recv(3, null_mut(), 0, libc::MSG_OOB | libc::MSG_DONTWAIT) >= 0
            || errno() != libc::EPERM
    }),
    ("queue many signals", || queue_signals() == SIGNALS),
    ("see a file's size", || {
        EXISTING.iter().any(|path| unsafe {
            libc::stat(path.as_ptr(), MaybeUninit::uninit().as_mut_ptr()) == 0
        })
    }),
    ("see that a file exists", || {
        EXISTING
            .iter()
            .any(|path| unsafe { libc::access(path.as_ptr(), libc::F_OK) == 0 })
    }),
    ("see a file system", || {
        EXISTING.iter().any(|path| unsafe {
            libc::statfs(path.as_ptr(), MaybeUninit::uninit().as_mut_ptr()) == 0
        })
    }),
    ("read a link", || unsafe {
        let mut target = [0_u8; 64];
        libc::readlink(
            c"/proc/self/exe".as_ptr(),
            target.as_mut_ptr().cast(),
            target.len(),
        ) > 0
    }),
    // Workers that share the descriptor could pass data through its offset.
    ("find the library's offset moved", || unsafe {
        libc::lseek(4, 0, libc::SEEK_CUR) > 0
    }),
    ("use a file or folder of the server", || {
        let is_open = |descriptor: &i32| unsafe {
            let mut status = MaybeUninit::<libc::stat>::uninit();
            libc::fstat(*descriptor, status.as_mut_ptr()) == 0
                && [libc::S_IFDIR, libc::S_IFREG]
                    .contains(&(status.assume_init().st_mode & libc::S_IFMT))
        };
        // The library's own descriptor is 4.
        (5..256).any(|descriptor| is_open(&descriptor))
    }),
    ("read a system library", || unsafe {
        let cache = libc::open(c"/etc/ld.so.cache".as_ptr(), libc::O_RDONLY);
        cache >= 0 && libc::close(cache) == 0
    }),
];

fn errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

/// Returns how many signals can be pending for this thread, which blocks them.
fn queue_signals() -> usize {
    unsafe {
        let signal = libc::SIGRTMIN() + 5;
        let (mut set, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), signal);
        libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), before.as_mut_ptr());
        let (process, thread) = (libc::getpid(), libc::gettid());
        let queued = (0..SIGNALS)
            .take_while(|_| libc::syscall(libc::SYS_tgkill, process, thread, signal) == 0);
        let queued = queued.count();
        // Drops the pending signals.
        libc::signal(signal, libc::SIG_IGN);
        libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), null_mut());
        queued
    }
}

static IN_CONSTRUCTOR: OnceLock<Vec<&str>> = OnceLock::new();

/// `dlopen` calls the functions of this section.
#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

extern "C" fn constructor() {
    let _ = IN_CONSTRUCTOR.set(open());
}

fn open() -> Vec<&'static str> {
    PROBES
        .iter()
        .filter(|(_, probe)| probe())
        .map(|(name, _)| *name)
        .collect()
}

struct SandboxProbe {
    granted: String,
}

impl Ai for SandboxProbe {
    fn options() -> Vec<OptionSpec> {
        vec![OptionSpec::text(
            "granted",
            "",
            "a file to read, if there is one",
        )]
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self {
            granted: options.text("granted")?.to_owned(),
        })
    }
}

impl SandboxProbe {
    /// Returns 1000 plus the error number if the granted file is unreadable, else 0.
    fn unreadable(&self) -> i32 {
        if self.granted.is_empty() {
            return 0;
        }
        let error = std::fs::read(&self.granted).err();
        error.map_or(0, |error| 1000 + error.raw_os_error().unwrap_or(0))
    }
}

impl Searcher for SandboxProbe {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        let (loading, search) = (IN_CONSTRUCTOR.get().cloned().unwrap_or_default(), open());
        eprintln!("open while loading: {loading:?}; in a search: {search:?}");
        let open = (loading.len() + search.len()) as i32 + self.unreadable();
        let chosen = host.legal_moves(&request.position)[0];
        Ok(SearchResult {
            score: Score::centipawns(open),
            ..SearchResult::play(chosen)
        })
    }
}

export_ai!(SandboxProbe: Searcher);
