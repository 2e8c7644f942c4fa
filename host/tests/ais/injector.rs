// An AI that plays the first legal move, or has the fault that its option `fault` names. Each
// library that includes this file declares `DEFAULT_FAULT`.

use std::{
    fmt::Write as _,
    fs::File,
    hint::black_box,
    io::{self, Write as _},
    mem::ManuallyDrop,
    os::fd::FromRawFd,
    sync::{
        Once,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use ai_api::{
    Ai, AiError, Evaluator, Flag, Host, Move, OptionSpec, Options, Position, Score, SearchInfo,
    SearchRequest, SearchResult, Searcher, Square, export_ai,
};

const FAULTS: &[&str] = &include!("faults.rs");
/// The game that `count_games` fails to start.
const LAST_GAME: u64 = 7;
/// The lifetime of each process of `burn_in_children`.
const SHORT_LIFE: Duration = Duration::from_millis(300);

/// The number of searches in this process.
static SEARCHES: AtomicU64 = AtomicU64::new(0);
static CREATED: AtomicBool = AtomicBool::new(false);
/// Starts one thread or process for all searches.
static BURNING: Once = Once::new();

struct FaultInjector {
    fault: String,
    score: Score,
    file: String,
    threads: i64,
    time: Duration,
    games: u64,
}

impl Ai for FaultInjector {
    fn options() -> Vec<OptionSpec> {
        let scores = i64::from(i32::MIN)..=i64::from(i32::MAX);
        vec![
            OptionSpec::choice("fault", DEFAULT_FAULT, FAULTS, "the fault"),
            OptionSpec::integer("score", 0, scores, "the score of extreme_score"),
            OptionSpec::text(
                "file",
                "",
                "abort_at_clock_50 aborts only once, when it can create this file",
            ),
            OptionSpec::integer("threads", 64, 1..=1000, "the threads of many_threads"),
            OptionSpec::integer(
                "time_ms",
                1000,
                1..=60_000,
                "the time of many_threads and of sleep",
            ),
        ]
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        let fault = options.text("fault")?.to_owned();
        match fault.as_str() {
            "leave_child" => leave_child(false),
            "leave_daemon" => leave_child(true),
            "leave_process_group" => leave_process_group()?,
            "panic_once_created" if CREATED.swap(true, Ordering::Relaxed) => {
                return Err(AiError::new("only one instance is allowed"));
            }
            "hang_in_create" => hang(),
            _ => {}
        }
        let score = options.integer("score")? as i32;
        Ok(Self {
            fault,
            // SAFETY: a `Score` is a transparent wrapper of any `i32`.
            score: unsafe { std::mem::transmute::<i32, Score>(score) },
            file: options.text("file")?.to_owned(),
            threads: options.integer("threads")?,
            time: Duration::from_millis(options.integer("time_ms")?.unsigned_abs()),
            games: 1,
        })
    }

    fn new_game(&mut self, _: &Host<'_>) -> Result<(), AiError> {
        if self.fault == "hang_in_new_game" {
            hang();
        }
        self.games += 1;
        if self.fault == "count_games" && self.games == LAST_GAME {
            return Err(AiError::new("too many new games"));
        }
        Ok(())
    }
}

impl FaultInjector {
    fn abort_at_clock_50(&self, position: &Position) {
        let aborts = if self.file.is_empty() {
            position.halfmove_clock() >= 50
        } else {
            File::create_new(&self.file).is_ok()
        };
        if self.fault == "abort_at_clock_50" && aborts {
            std::process::abort();
        }
    }

    fn compute_in_threads(&self, host: &Host<'_>) {
        let (stop, end) = (host.stop_flag(), Instant::now() + self.time);
        thread::scope(|scope| {
            for _ in 0..self.threads {
                scope.spawn(|| compute_until(stop, end));
            }
        });
    }
}

impl Searcher for FaultInjector {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        let searches = SEARCHES.fetch_add(1, Ordering::Relaxed) + 1;
        let position = &request.position;
        let first = host.legal_moves(position)[0];
        let mut result = SearchResult::play(first);
        match self.fault.as_str() {
            "error" => return Err(AiError::new("no idea\u{1b}[2J\nwhat to play")),
            "panic" => panic!("I can't see the board"),
            "panic_once_created" => panic!("created before"),
            "segfault" => {
                // SAFETY: none; that is the point.
                let value =
                    unsafe { std::ptr::read_volatile(std::ptr::without_provenance::<u64>(16)) };
                return Err(AiError::new(value.to_string()));
            }
            "stack_overflow" => return Err(AiError::new(descend(position.hash()).to_string())),
            "allocation_failure" => {
                let memory: Vec<u8> = Vec::with_capacity(isize::MAX as usize / 2);
                return Err(AiError::new(format!("{:?}", black_box(memory.as_ptr()))));
            }
            "exit" => std::process::exit(0),
            "kill" => {
                kill();
                std::process::exit(0)
            }
            "kill_after_reply" => {
                thread::spawn(|| {
                    thread::sleep(Duration::from_millis(30));
                    kill();
                    std::process::exit(0);
                });
            }
            "hang" | "leave_process_group" => hang(),
            "sleep" => sleep(self.time, host),
            "wait_for_stop" => {
                while !host.should_stop() {
                    thread::sleep(Duration::from_millis(1));
                }
            }
            "abort_every_10th" if searches.is_multiple_of(10) => std::process::abort(),
            "hang_every_20th" if searches.is_multiple_of(20) => hang(),
            "abort_at_clock_50" => self.abort_at_clock_50(position),
            "illegal_move" => {
                result = SearchResult::play(Move::new(
                    position.king(position.turn()),
                    Square::new(4, 4),
                ));
            }
            "no_move" => result.best_move = None,
            "implausible_info" => result = report_implausibly(position, first, host),
            "extreme_score" => {
                host.report(&SearchInfo::new(1, self.score, u64::MAX, &[first]));
                (result.depth, result.nodes, result.score) = (u32::MAX, u64::MAX, self.score);
            }
            "write_to_socket" => {
                // SAFETY: none; that is the point.
                let mut socket = ManuallyDrop::new(unsafe { File::from_raw_fd(3) });
                let _ = socket.write_all(b"\x05\0\0\0hello");
            }
            "flood_output" => {
                for _ in 0..20_000 {
                    println!("{}\u{7}", "o".repeat(100));
                    eprintln!("{}\u{7}", "e".repeat(100));
                }
            }
            "log_games" => {
                log_game(request);
                result.nodes = searches;
            }
            "allocate_512_mb" => {
                let memory: Vec<Vec<u8>> = (0..512).map(|_| Vec::with_capacity(1 << 20)).collect();
                black_box(&memory);
            }
            "burn_in_thread" => BURNING.call_once(|| _ = thread::spawn(|| compute())),
            "burn_in_process" => BURNING.call_once(|| in_child(|| compute())),
            "burn_in_children" => BURNING.call_once(|| in_child(|| compute_in_children())),
            "many_threads" => self.compute_in_threads(host),
            "leave_child_then_abort" | "leave_daemon_then_abort" => {
                leave_child(self.fault == "leave_daemon_then_abort");
                std::process::abort();
            }
            "count_games" | "hang_in_new_game" => result.nodes = self.games,
            _ => {}
        }
        Ok(result)
    }
}

impl Evaluator for FaultInjector {
    fn evaluate(&mut self, position: &Position, _: &Host<'_>) -> Score {
        self.abort_at_clock_50(position);
        self.score
    }
}

/// Sleeps for this time or until the host stops the search.
fn sleep(time: Duration, host: &Host<'_>) {
    let end = Instant::now() + time;
    while !host.should_stop() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        thread::sleep(left.min(Duration::from_millis(5)));
    }
}

fn hang() -> ! {
    loop {
        thread::park();
    }
}

/// Recurses forever, in a form that the compiler can't turn into a loop.
#[inline(never)]
fn descend(depth: u64) -> u64 {
    let frame = black_box([depth; 64]);
    if depth == u64::MAX {
        0
    } else {
        descend(black_box(depth | 1)) + frame[7]
    }
}

/// Sends SIGKILL to this process in every possible way.
fn kill() {
    // SAFETY: calls to libc with plain arguments; the child only sends signals.
    unsafe {
        libc::raise(libc::SIGKILL);
        libc::syscall(libc::SYS_tkill, libc::gettid(), libc::SIGKILL);
        let process = libc::getpid();
        let kill_worker =
            || [process, 0, -process].map(|receiver| libc::kill(receiver, libc::SIGKILL));
        kill_worker();
        if libc::fork() == 0 {
            kill_worker();
            libc::_exit(0);
        }
        // Waits for the signals from the child.
        thread::sleep(Duration::from_millis(30));
    }
}

/// Sends many reports with extreme figures and a line that is legal only at its start.
fn report_implausibly(position: &Position, first: Move, host: &Host<'_>) -> SearchResult {
    let next = host.legal_moves(&host.play(position, first))[0];
    let line = [first, next, Move::from_bits(u16::MAX), first];
    for depth in 0..10_000 {
        host.report(&SearchInfo::new(depth, Score::MAX, u64::MAX, &line));
    }
    SearchResult {
        depth: u32::MAX,
        nodes: u64::MAX,
        pv: line.to_vec(),
        ..SearchResult::play(first)
    }
}

/// Writes the moves of the game to standard error, aborts at a half-move clock of 50 or more, and
/// occupies the worker for the duration of the search.
fn log_game(request: &SearchRequest<'_>) {
    let moves = request
        .moves
        .iter()
        .fold(String::new(), |mut text, played| {
            let _ = write!(text, " {played}");
            text
        });
    eprintln!("logged game{moves}");
    if request.position.halfmove_clock() >= 50 {
        std::process::abort();
    }
    if let Some(time_ms) = request.limits.soft_ms {
        thread::sleep(Duration::from_millis(time_ms));
    }
}

fn compute_until(stop: &Flag, end: Instant) {
    let mut number = 1_u64;
    while !stop.get() && Instant::now() < end {
        for _ in 0..10_000 {
            number = black_box(number).wrapping_mul(3);
        }
    }
}

fn compute() -> ! {
    let mut number = 1_u64;
    loop {
        number = black_box(number).wrapping_mul(3);
    }
}

fn in_child(run: impl FnOnce()) {
    // SAFETY: the child only computes and starts computing children.
    if unsafe { libc::fork() } == 0 {
        run();
    }
}

/// Runs one computing child after another. The kernel discards their CPU times, because their
/// parent ignores SIGCHLD.
fn compute_in_children() -> ! {
    // SAFETY: the process has one thread and calls only libc.
    unsafe {
        libc::signal(libc::SIGCHLD, libc::SIG_IGN);
        loop {
            if libc::fork() == 0 {
                let began = Instant::now();
                while began.elapsed() < SHORT_LIFE {
                    black_box(began);
                }
                libc::_exit(0);
            }
            // Returns after all children have exited.
            libc::waitpid(-1, std::ptr::null_mut(), 0);
        }
    }
}

/// Leaves behind a child that holds every descriptor of the worker. A daemon has its own session
/// and no parent.
fn leave_child(is_daemon: bool) {
    // SAFETY: none; that is the point.
    unsafe {
        if libc::fork() == 0 {
            if is_daemon && (libc::setsid() == -1 || libc::fork() != 0) {
                libc::_exit(0);
            }
            hang();
        }
    }
}

/// Tries to join the server's process group, which must be denied.
fn leave_process_group() -> Result<(), AiError> {
    // SAFETY: three calls with plain arguments. In a PID namespace, the server's group may have no
    // id.
    let result = unsafe { libc::setpgid(0, libc::getpgid(libc::getppid())) };
    match io::Error::last_os_error().raw_os_error() {
        Some(libc::EPERM) if result == -1 => Ok(()),
        error => Err(AiError::new(format!(
            "the leader of a session left its group: {result}, {error:?}"
        ))),
    }
}
