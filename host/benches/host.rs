//! What the host adds to an AI's own time, measured on a real server over loopback, beside the same server's
//! `/healthz` (HTTP alone) and the same search linked into this process (the AI alone), in turns in one run; and how long
//! an AI takes to start, with its sandbox and without, and what its workers cost when they are well and when they are not.
//!
//! Needs `libai_basic1.so` beside the `rookery` binary: `make bench` builds it first.
#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "figures for people; a benchmark that can't go on has failed"
)]

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

use ai_api::{Ai, Host, Limit, Options, Question, Searcher};
use ai_basic1::Basic1;
use criterion::{Criterion, criterion_group};
use rookery::{
    ai::{Ais, Fault, Findings, Task, Wishes, WorkerProgram},
    config::{Overrides, load},
};
use rustix::process::{Pid, Signal, kill_process};

const STARTS: usize = 300;
const ROUNDS: usize = 5000;
const LOSSES: usize = 200;
const STALLS: usize = 50;
/// The hard limit of an answer that never comes.
const STALL: Duration = Duration::from_millis(200);
const SEED_DEPTH: u32 = 3;

struct Server {
    process: Child,
    connection: BufReader<TcpStream>,
    folder: tempfile::TempDir,
}

impl Server {
    fn start() -> Self {
        let program = Path::new(env!("CARGO_BIN_EXE_rookery"));
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("rookery.toml");
        let text = format!(
            "[plugins]\ndirectories = ['{}']\npolicy = \"known\"\n[ai.basic1]\nlibrary = \"ai_basic1\"\nlimit = {{ depth = 1 }}\n[client.default]\nai = \"basic1\"\n",
            program.parent().unwrap().display()
        );
        fs::write(&config, text).unwrap();
        let mut command = Command::new(program);
        command.args(["serve", "--listen", "127.0.0.1:0", "--config"]).arg(&config);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().rsplit('/').next().unwrap();
        let connection = TcpStream::connect(address).unwrap();
        connection.set_nodelay(true).unwrap();
        Self { process, connection: BufReader::new(connection), folder }
    }

    /// Sends a request on the open connection and reads the whole reply.
    fn call(&mut self, request: &str) -> Vec<u8> {
        self.connection.get_mut().write_all(request.as_bytes()).unwrap();
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.connection.read_line(&mut line).unwrap();
            let line = line.trim().to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.connection.read_exact(&mut body).unwrap();
        body
    }

    /// Resident memory of the server and of its worker, in kB.
    fn resident_kb(&self) -> (u64, u64) {
        let server = self.process.id();
        let resident = |process: u32| {
            let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
            let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
            line.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
        };
        (resident(server), child_of(server).map_or(0, resident))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        assert!(self.folder.path().exists());
    }
}

const HEALTH: &str = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

fn best_move(depth: u32) -> String {
    let body = format!("{{\"game\":{{}},\"limit\":{{\"depth\":{depth}}}}}");
    let length = body.len();
    format!(
        "POST /v1/best-move HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

/// The AI, linked into this process.
struct Linked {
    ai: Basic1,
    stop: AtomicBool,
}

impl Linked {
    fn new() -> Self {
        Self {
            ai: Basic1::create(&Options::resolve(&Basic1::options(), &[])).unwrap(),
            stop: AtomicBool::new(false),
        }
    }

    fn search(&mut self, depth: u32) {
        let question = Question::new(rules::start_position(), Limit::Depth(depth));
        self.ai.search(&question, &Host::new(&rules::SERVICES, &self.stop, &|_| ())).unwrap();
    }
}

fn time(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn percentiles(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e6;
    format!("median {:7.1} µs   p99 {:7.1} µs", at(0.5), at(0.99))
}

/// How long it takes until an AI's worker is there, its library read, hashed, loaded and its instance made.
fn starts() {
    let folder = tempfile::tempdir().unwrap();
    let configured = |sandbox: &str| {
        let file = folder.path().join(format!("{sandbox}.toml"));
        let directory = Path::new(env!("CARGO_BIN_EXE_rookery")).parent().unwrap().display();
        let text = format!(
            "[plugins]\ndirectories = ['{directory}']\npolicy = \"known\"\n[ai.basic1]\nlibrary = \"ai_basic1\"\nsandbox = \"{sandbox}\"\n"
        );
        fs::write(&file, text).unwrap();
        load(&file, &Overrides::none()).unwrap()
    };
    let configs = ["required", "off"].map(configured);
    let mut times = [vec![], vec![]];
    for _ in 0..STARTS {
        for (config, times) in configs.iter().zip(&mut times) {
            let program = WorkerProgram::at(Path::new(env!("CARGO_BIN_EXE_rookery")));
            let started = Instant::now();
            let ais = Ais::start(config, program).unwrap();
            times.push(started.elapsed());
            ais.stop(Duration::from_secs(1));
        }
    }
    let [mut confined, mut free] = times;
    println!("start of an AI, in its sandbox          {}", percentiles(&mut confined));
    println!("start of an AI, sandbox = \"off\"         {}\n", percentiles(&mut free));
}

/// An AI in its sandbox, asked without HTTP.
struct Asked {
    ais: Ais,
    runtime: tokio::runtime::Runtime,
    _folder: tempfile::TempDir,
}

impl Asked {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = Path::new(env!("CARGO_BIN_EXE_rookery"));
        let text = format!(
            "[plugins]\ndirectories = ['{}']\npolicy = \"known\"\n[ai.basic1]\nlibrary = \"ai_basic1\"\nlimit = {{ depth = 1 }}\nmove_timeout_ms = {}\n",
            program.parent().unwrap().display(),
            STALL.as_millis()
        );
        let file = folder.path().join("rookery.toml");
        fs::write(&file, text).unwrap();
        let ais = Ais::start(&load(&file, &Overrides::none()).unwrap(), WorkerProgram::at(program)).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { ais, runtime, _folder: folder }
    }

    fn ask(&self) -> Result<Findings, Fault> {
        let fen = rules::format_fen(&rules::start_position());
        let question =
            rookery::ai::Question { fen, moves: Vec::new(), task: Task::Evaluate, wishes: Wishes::default() };
        self.runtime.block_on(self.ais.get("basic1").unwrap().ask(question, None))
    }

    fn signal_worker(signal: Signal) {
        let worker = child_of(std::process::id()).unwrap();
        kill_process(Pid::from_raw(worker.cast_signed()).unwrap(), signal).unwrap();
    }
}

/// A question to a worker and back; from the loss of a worker to the next answer; how much later than its hard limit a
/// question is answered whose worker does not.
fn workers() {
    let (mut round_trips, mut losses, mut overshoots) = (vec![], vec![], vec![]);
    let asked = Asked::start();
    for _ in 0..ROUNDS {
        round_trips.push(time(|| drop(asked.ask().unwrap())));
    }
    for _ in 0..LOSSES {
        losses.push(time(|| {
            Asked::signal_worker(Signal::KILL);
            asked.ask().unwrap();
        }));
    }
    drop(asked);
    for _ in 0..STALLS {
        while child_of(std::process::id()).is_some() {
            std::thread::yield_now();
        }
        let asked = Asked::start();
        Asked::signal_worker(Signal::STOP);
        let waited = time(|| assert!(matches!(asked.ask(), Err(Fault::Stalled(_)))));
        overshoots.push(waited.checked_sub(STALL).expect("nobody is given up before the hard limit"));
    }
    println!("a question to a worker and back         {}", percentiles(&mut round_trips));
    println!("from a worker's loss to the next answer {}", percentiles(&mut losses));
    println!("overshoot of the hard limit             {}\n", percentiles(&mut overshoots));
}

fn child_of(parent: u32) -> Option<u32> {
    let mut processes =
        fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_child = |process: &u32| {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        stat.rsplit(')').next().unwrap().split_whitespace().nth(1) == Some(parent.to_string().as_str())
    };
    processes.find(is_child)
}

/// The three in turns, so that a busy moment of the machine hits them alike.
fn overhead() {
    let (mut server, mut linked) = (Server::start(), Linked::new());
    let request = best_move(1);
    let (mut http, mut whole, mut alone, mut added) = (vec![], vec![], vec![], vec![]);
    for round in 0..ROUNDS + 200 {
        let of_http = time(|| drop(server.call(HEALTH)));
        let of_whole = time(|| drop(server.call(&request)));
        let of_search = time(|| linked.search(1));
        if round >= 200 {
            http.push(of_http);
            whole.push(of_whole);
            alone.push(of_search);
            added.push(of_whole.saturating_sub(of_search));
        }
    }
    let mut seed = vec![];
    let request = best_move(SEED_DEPTH);
    for _ in 0..200 {
        seed.push(time(|| drop(server.call(&request))));
    }
    let (of_server, of_worker) = server.resident_kb();
    println!("GET /healthz over loopback              {}", percentiles(&mut http));
    println!("POST /v1/best-move, depth 1             {}", percentiles(&mut whole));
    println!("the same search, linked                 {}", percentiles(&mut alone));
    println!("what the host adds (HTTP included)      {}", percentiles(&mut added));
    println!("POST /v1/best-move, depth {SEED_DEPTH} (seed: 37 s) {}", percentiles(&mut seed));
    println!("resident memory: server {of_server} kB, worker {of_worker} kB\n");
}

fn through_criterion(criterion: &mut Criterion) {
    let (mut server, mut linked) = (Server::start(), Linked::new());
    let mut group = criterion.benchmark_group("host");
    let request = best_move(1);
    group.bench_function("healthz", |bencher| bencher.iter(|| server.call(HEALTH)));
    group.bench_function("best-move depth 1", |bencher| bencher.iter(|| server.call(&request)));
    group.bench_function("linked search depth 1", |bencher| bencher.iter(|| linked.search(1)));
    group.finish();
}

criterion_group!(benches, through_criterion);

fn main() {
    starts();
    workers();
    overhead();
    benches();
    Criterion::default().configure_from_args().final_summary();
}
