//! An AI that tries to escape the sandbox, in its constructor and again in a search. The terms of
//! its evaluation are the outcomes: one centipawn for a success, zero for a failure.
#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "each is one libc call with plain arguments"
)]

use std::{
    ffi::c_void,
    fs::File,
    io::Read,
    mem::MaybeUninit,
    net::{TcpListener, UdpSocket},
    os::{
        linux::net::SocketAddrExt,
        unix::{
            fs::FileExt,
            net::{SocketAddr, UnixDatagram, UnixListener, UnixStream},
        },
    },
    process::Command,
    ptr::{null, null_mut},
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use ai_api::{
    Ai, AiError, EvalTerm, Evaluator, Host, OptionSpec, Options, Position, Score, SearchRequest,
    SearchResult, Searcher, export_ai,
};

/// Returns whether the attempt succeeds.
type Attempt = fn() -> bool;
/// The attempts, and whether each succeeded.
type Attempts = Vec<(&'static str, bool)>;

static IN_CONSTRUCTOR: OnceLock<Attempts> = OnceLock::new();
static STARTED_IN_CONSTRUCTOR: AtomicU64 = AtomicU64::new(0);

/// The program that a test may grant.
const TRUE: &str = "/bin/true";
#[cfg(target_arch = "x86_64")]
const LOADER: &str = "/lib64/ld-linux-x86-64.so.2";
#[cfg(target_arch = "aarch64")]
const LOADER: &str = "/lib/ld-linux-aarch64.so.1";

/// `dlopen` calls the functions of this section.
#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

extern "C" fn constructor() {
    let _ = IN_CONSTRUCTOR.set(try_all());
    STARTED_IN_CONSTRUCTOR.store(start_threads(), Ordering::Relaxed);
}

const ATTEMPTS: [(&str, Attempt); 29] = [
    ("read /etc/passwd", || reads("/etc/passwd")),
    ("read the linker's cache", || reads("/etc/ld.so.cache")),
    ("list /", || std::fs::read_dir("/").is_ok()),
    ("write to the working directory", || {
        writes("rookery-escaped")
    }),
    ("write to /tmp", || writes("/tmp/rookery-escaped")),
    (
        "create a memfd",
        || unsafe { libc::memfd_create(c"escape".as_ptr(), 0) } >= 0,
    ),
    ("tcp", || TcpListener::bind("127.0.0.1:0").is_ok()),
    ("udp", || {
        UdpSocket::bind("127.0.0.1:0").is_ok_and(|socket| {
            socket
                .send_to(
                    b"x",
                    socket.local_addr().unwrap_or(([127, 0, 0, 1], 9).into()),
                )
                .is_ok()
        })
    }),
    ("unix socket", unix_socket),
    ("abstract unix socket", abstract_socket),
    ("socket pair", || UnixStream::pair().is_ok()),
    (
        "netlink socket",
        || unsafe { libc::socket(libc::AF_NETLINK, libc::SOCK_RAW, 0) } >= 0,
    ),
    ("fork", || fork_and(|| 7) == Some(7)),
    ("exec", exec),
    ("exec twice at once", || {
        let started = [Command::new(TRUE).spawn(), Command::new(TRUE).spawn()];
        started.map(|child| {
            child
                .and_then(|mut child| child.wait())
                .is_ok_and(|status| status.success())
        }) == [true; 2]
    }),
    ("exec another program", || {
        Command::new("/bin/false").status().is_ok()
    }),
    ("exec another program by the loader", || {
        Command::new(LOADER)
            .arg("/bin/false")
            .status()
            .is_ok_and(|status| status.code() == Some(1))
    }),
    ("exec a shell", || {
        Command::new("/bin/sh")
            .args(["-c", "exit"])
            .status()
            .is_ok()
    }),
    ("exec a script", || {
        Command::new("/usr/bin/ldd")
            .arg("--version")
            .status()
            .is_ok()
    }),
    ("change a limit", || unsafe {
        let mut limit = MaybeUninit::uninit();
        libc::getrlimit(libc::RLIMIT_CPU, limit.as_mut_ptr()) == 0
            && libc::setrlimit(libc::RLIMIT_CPU, limit.as_ptr()) == 0
    }),
    (
        "signal the server",
        || unsafe { libc::kill(server(), libc::SIGURG) } == 0,
    ),
    ("signal itself", || {
        // An allowed signal is ignored.
        [libc::SIGHUP, libc::SIGINT, libc::SIGTERM]
            .into_iter()
            .any(|signal| unsafe {
                libc::signal(signal, libc::SIG_IGN);
                libc::syscall(libc::SYS_tgkill, libc::getpid(), libc::gettid(), signal) == 0
            })
    }),
    ("set a timer that kills", || unsafe {
        let mut event: libc::sigevent = std::mem::zeroed();
        event.sigev_notify = libc::SIGEV_SIGNAL;
        event.sigev_signo = libc::SIGKILL;
        let mut timer = null_mut::<c_void>();
        libc::syscall(
            libc::SYS_timer_create,
            libc::CLOCK_MONOTONIC,
            &raw mut event,
            &raw mut timer,
        ) == 0
    }),
    (
        "own a descriptor to signal the server",
        || unsafe { libc::fcntl(1, libc::F_SETOWN, server()) } == 0,
    ),
    ("trace the server", trace),
    ("read the server's memory from /proc", read_server_memory),
    (
        "read the server's memory by call",
        read_server_memory_by_call,
    ),
    (
        "outlive the server",
        || unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, 0) } == 0,
    ),
    ("more memory than allowed", || {
        let map = unsafe {
            libc::mmap(
                null_mut(),
                1 << 29,
                libc::PROT_READ,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        map != libc::MAP_FAILED && unsafe { libc::munmap(map, 1 << 29) } == 0
    }),
];

fn try_all() -> Attempts {
    ATTEMPTS
        .iter()
        .map(|(name, attempt)| (*name, attempt()))
        .collect()
}

/// Returns the server's process id outside the PID namespace.
fn server() -> i32 {
    let parent = std::env::args()
        .skip_while(|argument| argument != "--parent")
        .nth(1);
    parent
        .and_then(|number| number.parse().ok())
        .expect("a worker receives the process id of its server")
}

fn reads(path: &str) -> bool {
    File::open(path).is_ok_and(|mut file| file.read(&mut [0; 16]).is_ok_and(|count| count > 0))
}

fn writes(path: &str) -> bool {
    let path = format!("{path}-{}", std::process::id());
    let wrote = std::fs::write(&path, "x").is_ok();
    let _ = std::fs::remove_file(&path);
    wrote
}

fn unix_socket() -> bool {
    let path = format!("/tmp/rookery-escapes-{}", std::process::id());
    let bound = UnixListener::bind(&path).is_ok();
    let _ = std::fs::remove_file(&path);
    bound
}

fn abstract_socket() -> bool {
    let name = format!("rookery-escapes-{}", std::process::id());
    SocketAddr::from_abstract_name(name)
        .is_ok_and(|address| UnixDatagram::bind_addr(&address).is_ok())
}

/// Runs a function in a child and returns the child's exit status.
fn fork_and(run: impl FnOnce() -> i32) -> Option<i32> {
    match unsafe { libc::fork() } {
        -1 => None,
        0 => {
            let status = run();
            unsafe { libc::_exit(status) }
        }
        child => {
            let mut status = 0;
            unsafe { libc::waitpid(child, &raw mut status, 0) };
            Some(libc::WEXITSTATUS(status))
        }
    }
}

fn exec() -> bool {
    if Command::new(TRUE)
        .status()
        .is_ok_and(|status| status.success())
    {
        return true;
    }
    // Does not fork. If the call were allowed, it would replace this process, and the test would
    // see the worker end.
    let arguments = [c"/bin/true".as_ptr(), null()];
    unsafe { libc::execve(arguments[0], arguments.as_ptr(), [null()].as_ptr()) };
    false
}

fn trace() -> bool {
    let server = server();
    let nothing = null_mut::<c_void>();
    if unsafe { libc::ptrace(libc::PTRACE_SEIZE, server, nothing, nothing) } != 0 {
        return false;
    }
    unsafe {
        libc::ptrace(libc::PTRACE_INTERRUPT, server, nothing, nothing);
        libc::waitpid(server, null_mut(), libc::__WALL);
        libc::ptrace(libc::PTRACE_DETACH, server, nothing, nothing) == 0
    }
}

/// Returns an address in the server's memory, or an arbitrary one if its maps are hidden.
fn server_address() -> u64 {
    let maps = std::fs::read_to_string(format!("/proc/{}/maps", server())).unwrap_or_default();
    maps.split('-')
        .next()
        .and_then(|start| u64::from_str_radix(start, 16).ok())
        .unwrap_or(0x40_0000)
}

fn read_server_memory() -> bool {
    let memory = File::open(format!("/proc/{}/mem", server()));
    memory.is_ok_and(|memory| memory.read_at(&mut [0; 4], server_address()).is_ok())
}

fn read_server_memory_by_call() -> bool {
    let mut bytes = [0_u8; 4];
    let here = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: 4,
    };
    let there = libc::iovec {
        iov_base: server_address() as *mut _,
        iov_len: 4,
    };
    unsafe { libc::process_vm_readv(server(), &raw const here, 1, &raw const there, 1, 0) == 4 }
}

/// Returns how many threads can start, up to 1000. C threads can end in a constructor, but Rust
/// threads would wait for it to return.
fn start_threads() -> u64 {
    let mut ends = [0; 2];
    unsafe { libc::pipe(ends.as_mut_ptr()) };
    let [until_closed, closed_at_the_end] = ends;
    let start = |_| {
        let (mut thread, mut attributes) = (0, MaybeUninit::uninit());
        let started = unsafe {
            libc::pthread_attr_init(attributes.as_mut_ptr());
            libc::pthread_attr_setstacksize(attributes.as_mut_ptr(), 1 << 15);
            libc::pthread_create(
                &raw mut thread,
                attributes.as_ptr(),
                wait,
                until_closed as *mut c_void,
            )
        };
        (started == 0).then_some(thread)
    };
    let threads: Vec<_> = (0..1000).map_while(start).collect();
    unsafe { libc::close(closed_at_the_end) };
    for thread in &threads {
        unsafe { libc::pthread_join(*thread, null_mut()) };
    }
    unsafe { libc::close(until_closed) };
    threads.len() as u64
}

extern "C" fn wait(descriptor: *mut c_void) -> *mut c_void {
    let mut byte = 0_u8;
    unsafe { libc::read(descriptor as i32, (&raw mut byte).cast(), 1) };
    null_mut()
}

struct SandboxEscape {
    granted: String,
    in_search: Attempts,
    started_in_search: u64,
}

impl Ai for SandboxEscape {
    fn options() -> Vec<OptionSpec> {
        vec![OptionSpec::text("granted", "", "a file to read")]
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        let granted = options.text("granted")?.to_owned();
        Ok(Self {
            granted,
            in_search: Vec::new(),
            started_in_search: 0,
        })
    }
}

impl Searcher for SandboxEscape {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        self.in_search = try_all();
        self.started_in_search = start_threads();
        Ok(SearchResult::play(host.legal_moves(&request.position)[0]))
    }
}

impl Evaluator for SandboxEscape {
    fn evaluate(&mut self, _: &Position, _: &Host<'_>) -> Score {
        Score::DRAW
    }

    fn terms(&mut self, _: &Position, _: &Host<'_>) -> Vec<EvalTerm> {
        let threads = |count: u64| Score::centipawns(count as i32);
        let mut terms = vec![
            EvalTerm::new(
                "loading: threads",
                threads(STARTED_IN_CONSTRUCTOR.load(Ordering::Relaxed)),
            ),
            EvalTerm::new("search: threads", threads(self.started_in_search)),
            EvalTerm::new(
                "search: read the granted file",
                Score::centipawns(reads(&self.granted).into()),
            ),
        ];
        let loading = IN_CONSTRUCTOR.get().map_or(&[][..], Vec::as_slice);
        for (when, attempts) in [("loading", loading), ("search", &self.in_search)] {
            terms.extend(attempts.iter().map(|(attempt, open)| {
                EvalTerm::new(
                    &format!("{when}: {attempt}"),
                    Score::centipawns(i32::from(*open)),
                )
            }));
        }
        terms
    }
}

export_ai!(SandboxEscape: Searcher + Evaluator);
