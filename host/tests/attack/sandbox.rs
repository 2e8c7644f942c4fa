//! The sandbox: system calls, files, kernel memory, descriptors, the environment.

use std::{fs, os::unix::fs::MetadataExt as _, path::Path, time::Duration};

use serde_json::{Value, json};
use test_kit::{
    poll,
    processes::{is_worker, limit, status_kb},
};

use crate::{
    library,
    runner::{Attack, Attempt, Outcome, judge},
    server::{Server, Setup},
};

const CALLS: &str = "an AI makes no system call beyond computing, threads, reading and its socket";
const KERNEL: &str = "the kernel memory of an AI is bounded";
const FILES: &str = "an AI sees only the granted files";

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::new(
        CALLS,
        "every other call, from the constructor and a search, as root",
        |attempt| system_calls(attempt, Setup::new()),
    ),
    Attack::new(
        CALLS,
        "the same with a server of the user `nobody`",
        |attempt| system_calls(attempt, Setup::new().run_as_nobody()),
    ),
    Attack::new(CALLS, "calls of 32-bit programs", calls_of_32_bits),
    Attack::new(
        "the memory of a worker reaches no file and no other process",
        "a core dump, as root",
        |attempt| core_dump(attempt, Setup::new()),
    ),
    Attack::new(
        "the memory of a worker reaches no file and no other process",
        "the same with a server of the user `nobody`",
        |attempt| core_dump(attempt, Setup::new().run_as_nobody()),
    ),
    Attack::new(KERNEL, "Landlock rulesets of 65,536 rules", |attempt| {
        kernel(attempt, "landlock", 0)
    }),
    Attack::new(KERNEL, "real-time signals that stay pending", |attempt| {
        kernel(attempt, "signals", 4096)
    }),
    Attack::new(KERNEL, "POSIX timers", |attempt| {
        kernel(attempt, "timers", 4096)
    }),
    Attack::new(KERNEL, "full pipes (kB)", |attempt| {
        kernel(attempt, "pipes", 16 << 10)
    }),
    Attack::new(KERNEL, "descriptors", |attempt| {
        kernel(attempt, "descriptors", 256)
    }),
    Attack::new(KERNEL, "locked memory (kB)", |attempt| {
        kernel(attempt, "locked", 16 << 10)
    }),
    Attack::new(KERNEL, "threads beyond `threads = 8`", |attempt| {
        kernel(attempt, "threads", 9)
    }),
    Attack::new(
        "page tables stay within three times `memory_mb`",
        "pages as far apart as tables reach",
        page_tables,
    ),
    Attack::new(
        "the containers' system call filter allows everything that the sandbox needs",
        "a server under `deploy/seccomp.json`, with an AI that starts a program",
        containers_filter,
    ),
    Attack::new(FILES, "well-known paths of the machine", |attempt| {
        looks(attempt, Setup::new(), "paths", "")
    }),
    Attack::new(
        FILES,
        "the same with a server of the user `nobody`",
        |attempt| looks(attempt, Setup::new().run_as_nobody(), "paths", ""),
    ),
    Attack::new(
        FILES,
        "system libraries, from the constructor and a search",
        |attempt| looks(attempt, Setup::new(), "libraries", ""),
    ),
    Attack::new(
        "a worker inherits no descriptor of the server",
        "all descriptors of a worker, with clients connected",
        |attempt| looks(attempt, Setup::new(), "descriptors", "workers = 2"),
    ),
    Attack::new(
        "a worker does not see the server's environment",
        "a secret in a variable",
        |attempt| {
            let setup = Setup::new()
                .environment("ROOKERY_SECRET", "x")
                .environment("SECRET", "y");
            looks(attempt, setup, "environment", "")
        },
    ),
    Attack::new(
        "successive workers share no data",
        "the offset of the library's descriptor, left for the next worker",
        successive_workers,
    ),
    Attack::new(
        "successive workers share no data",
        "the process id counter, and clocks of other processes",
        |attempt| process_ids(attempt, Setup::new()),
    ),
    Attack::new(
        "successive workers share no data",
        "the same with a server of the user `nobody`",
        |attempt| process_ids(attempt, Setup::new().run_as_nobody()),
    ),
    Attack::new(
        "successive workers share no data",
        "access times of a granted file and the library, left by reading them",
        time_of_access,
    ),
    Attack::new(
        "memory, threads and the stack are bounded",
        "allocation, threads, recursion and output",
        bombs,
    ),
];

fn system_calls(attempt: &Attempt, setup: Setup) -> Outcome {
    let server = setup.hostile("calls.c", "all", "").start(attempt);
    let terms = server.terms("bad")?;
    let (counts, passed): (Vec<_>, Vec<_>) = terms
        .into_iter()
        .partition(|(name, _)| name.ends_with(" tried"));
    server.is_unharmed("good")?;
    if !passed.is_empty() || counts.len() != 2 {
        let names: Vec<_> = passed.into_iter().map(|(name, _)| name).collect();
        return Err(format!("the kernel accepted {}", names.join(", ")));
    }
    Ok(counts
        .iter()
        .map(|(name, count)| format!("{name}: {count}"))
        .collect::<Vec<_>>()
        .join(", "))
}

fn calls_of_32_bits(attempt: &Attempt) -> Outcome {
    let server = Setup::new()
        .hostile("calls.c", "32 bits", "")
        .start(attempt);
    let seen = match server.term("bad", "32 bits") {
        // The error number comes from the kernel or the filter.
        Ok(result) if result < 0 => format!("error {result}"),
        Ok(result) => return Err(format!("the call returned {result}")),
        Err(_) => "the worker ended".into(),
    };
    server.is_unharmed("good")?;
    Ok(seen)
}

/// A kernel that pipes core dumps to a program ignores a limit of 0.
fn core_dump(attempt: &Attempt, setup: Setup) -> Outcome {
    let server = setup.with_good().start(attempt);
    server.is_unharmed("good")?;
    let descendants = server.descendants().into_iter();
    let worker = { descendants }
        .find(|&process| is_worker(process))
        .ok_or("no worker")?;
    let [limit, _] = limit(worker, "Max core file size");
    // The files of a process that may be dumped belong to its user.
    let owner = fs::metadata(format!("/proc/{worker}/limits"))
        .unwrap()
        .uid();
    let seen = format!("limit {limit}, its files in /proc belong to {owner}");
    let inherited = rustix::process::getrlimit(rustix::process::Resource::Core).maximum;
    let expected = if inherited == Some(0) { "0" } else { "1" };
    judge(limit == expected && owner == 0, seen)
}

fn kernel(attempt: &Attempt, attack: &str, most: i64) -> Outcome {
    let server = Setup::new()
        .hostile("kernel.c", attack, "memory_mb = 128\nthreads = 8")
        .start(attempt);
    let count = server.term("bad", "count")?;
    server.is_unharmed("good")?;
    if count > most {
        Err(format!("{count}, expected at most {most}"))
    } else {
        Ok(count.to_string())
    }
}

fn containers_filter(attempt: &Attempt) -> Outcome {
    let profile = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/seccomp.json");
    let profile: Value = serde_json::from_slice(&fs::read(profile).unwrap()).unwrap();
    let names: Vec<_> = profile["syscalls"][0]["names"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let allow = |name: &&str| format!("#ifdef SYS_{name}\nALLOW(SYS_{name}),\n#endif\n");
    let setup = Setup::new();
    let calls = setup.folder().join("calls.h");
    fs::write(&calls, names.iter().map(allow).collect::<String>()).unwrap();
    let filtered = library::compile_program(
        "filtered.c",
        setup.folder(),
        &[&format!("-DCALLS=\"{}\"", calls.display())],
    );
    let program = library::compile_program("program.c", setup.folder(), &[]);
    let lines = format!(
        "allow_exec = ['{0}']\noptions = {{ attack = \"exit {0}\" }}",
        program.display()
    );
    let server = setup
        .ai("bad", "starts.c", &lines)
        .with_good()
        .run_as_nobody()
        .run_under(filtered)
        .start(attempt);
    server.is_unharmed("good")?;
    let reply = server.best_move("bad");
    if reply.status != 200 {
        return Err(format!(
            "an AI with a program: {} {}",
            reply.status,
            reply.text()
        ));
    }
    for ai in ["good", "bad"] {
        let missing = server.get(&format!("/v1/ais/{ai}")).json()["sandbox"]["missing"].clone();
        if missing != json!([]) {
            return Err(format!("{ai} lacks {missing}"));
        }
    }
    Ok(format!(
        "{} calls are allowed, no protection is missing",
        names.len()
    ))
}

fn page_tables(attempt: &Attempt) -> Outcome {
    let server = Setup::new()
        .hostile("kernel.c", "page tables", "memory_mb = 32")
        .start(attempt);
    let pages = server.term("bad", "count")?;
    let megabytes = server
        .descendants()
        .into_iter()
        .map(|worker| status_kb(worker, "VmPTE"))
        .max();
    let megabytes = megabytes.unwrap_or_default() >> 10;
    server.is_unharmed("good")?;
    let seen = format!("{pages} pages, {megabytes} MiB of tables with memory_mb = 32");
    judge(megabytes <= 3 * 32 + 8, seen)
}

fn looks(attempt: &Attempt, setup: Setup, attack: &str, lines: &str) -> Outcome {
    let setup = setup.hostile("looks.c", attack, lines).with_tables();
    let granted = setup.tables();
    let server = setup.start(attempt);
    let _connected: Vec<_> = (0..10).map(|_| server.connect()).collect();
    let mut seen = server.terms("bad")?;
    server.is_unharmed("good")?;
    // The folders that lead to a granted one exist, with nothing else in them.
    let is_on_the_way = |name: &str| {
        let path = name
            .rsplit_once(": /")
            .map(|(_, path)| path)
            .filter(|path| !path.is_empty());
        path.is_some_and(|path| granted.starts_with(Path::new("/").join(path)))
    };
    seen.retain(|(name, _)| !is_on_the_way(name));
    if seen.is_empty() {
        return Ok("nothing that is not granted".into());
    }
    Err(seen
        .iter()
        .map(|(name, ways)| format!("{name} ({ways})"))
        .collect::<Vec<_>>()
        .join(", "))
}

fn successive_workers(attempt: &Attempt) -> Outcome {
    let server = Setup::new()
        .hostile("looks.c", "offset", "workers = 4")
        .start(attempt);
    for _ in 0..2 {
        server.kill_descendants();
        // The worker that will answer may still be starting.
        let left = poll(Duration::from_secs(20), || {
            server.term("bad", "left by an earlier worker").ok()
        });
        let found = left.ok_or("no new worker")?;
        if found > 0 {
            return Err(format!("found {found}"));
        }
    }
    server.is_unharmed("good")?;
    Ok("nothing was left".into())
}

fn process_ids(attempt: &Attempt, setup: Setup) -> Outcome {
    let server = setup.hostile("looks.c", "processes", "").start(attempt);
    let mut seen: Vec<Vec<(String, i64)>> = Vec::new();
    for _ in 0..3 {
        // The worker that will answer may still be starting.
        let numbers = poll(Duration::from_secs(20), || server.terms("bad").ok());
        seen.push(numbers.ok_or("no new worker")?);
        server.kill_descendants();
    }
    server.is_unharmed("good")?;
    let first = &seen[0];
    let others = first
        .iter()
        .find(|(name, _)| name == "others")
        .ok_or("nothing seen")?
        .1;
    let text = format!("{first:?}");
    // The only other process is the first one in the namespace, which runs no code of the AI.
    if others > 1 || seen.iter().any(|numbers| numbers != first) {
        Err(format!("{seen:?}"))
    } else {
        Ok(text)
    }
}

fn time_of_access(attempt: &Attempt) -> Outcome {
    let setup = Setup::new().run_as_nobody();
    let net = setup.folder().join("net");
    fs::write(&net, "net").unwrap();
    let lines = format!("allow_read = ['{}']", net.display());
    let attack = format!("read {}", net.display());
    let server = setup.hostile("looks.c", &attack, &lines).start(attempt);
    // The server has read the file, and the kernel updates the access time only once a day.
    let earlier = std::time::SystemTime::now() - Duration::from_hours(72);
    let times = fs::FileTimes::new()
        .set_accessed(earlier)
        .set_modified(earlier);
    fs::File::open(&net).unwrap().set_times(times).unwrap();
    let seen = server.terms("bad")?;
    if !seen
        .iter()
        .map(|(name, bytes)| (&**name, *bytes))
        .eq([("bytes of the file", 1), ("bytes of the library", 1)])
    {
        return Err(format!("{seen:?}"));
    }
    server.is_unharmed("good")?;
    let later = fs::metadata(&net)
        .unwrap()
        .accessed()
        .unwrap()
        .duration_since(earlier)
        .unwrap_or_default();
    if later.is_zero() {
        Ok("it stays".into())
    } else {
        Err(format!("{later:?} later"))
    }
}

/// Faults of `fault_injector`, each with the codes that a client may receive.
fn bombs(attempt: &Attempt) -> Outcome {
    let bombs: [(&str, &[&str]); 6] = [
        ("allocate_512_mb", &["ai_out_of_memory"]),
        ("stack_overflow", &["ai_crashed"]),
        ("segfault", &["ai_crashed"]),
        ("exit", &["ai_crashed"]),
        ("panic", &["ai_failed", "ai_crashed"]),
        ("flood_output", &["", "ai_crashed", "ai_timeout"]),
    ];
    let lines = "memory_mb = 64\nmove_timeout_ms = 3000";
    let setup = bombs.iter().fold(Setup::new(), |setup, (bomb, _)| {
        setup.ai(
            bomb,
            "fault_injector",
            &format!("{lines}\noptions.fault = \"{bomb}\""),
        )
    });
    let server = setup.with_good().start(attempt);
    let mut seen = Vec::new();
    for (bomb, expected) in bombs {
        let code = server
            .post("/v1/best-move", &json!({"game": {}, "ai": bomb}))
            .code();
        if !expected.contains(&code.as_str()) {
            return Err(format!("{bomb}: {code}, expected one of {expected:?}"));
        }
        seen.push(format!("{bomb}: {code}"));
        server.is_unharmed("good")?;
    }
    let megabytes = memory_of(&server)?;
    Ok(format!("{}; server {megabytes} MiB", seen.join(", ")))
}

pub(crate) fn memory_of(server: &Server) -> Result<u64, String> {
    let megabytes = server.peak_mb();
    if megabytes > 300 {
        Err(format!("the server held {megabytes} MiB"))
    } else {
        Ok(megabytes)
    }
}
