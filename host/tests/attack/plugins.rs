//! Tampered library files, and programs granted to an AI.

use std::{
    collections::HashMap,
    fs,
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use ::library::{SealedLibrary, file_sha256};
use serde_json::json;
use test_kit::{
    poll,
    processes::{self, command_line, computed},
    rookery, run,
};

use crate::{
    library,
    operations::reload,
    runner::{Attack, Attempt, Outcome, judge},
    server::{Server, Setup},
};

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::new(
        "no plugin file harms the server",
        "libraries with changed, cut and repeated bytes",
        broken_libraries,
    )
    .within(120),
    Attack::new(
        "only bytes with the checked digest are loaded",
        "a pinned library that is constantly replaced",
        swapped_while_pinned,
    ),
    Attack::new(
        "an AI is not served after one of its pinned files is replaced",
        "a different script, program, granted file and option file, before a reload and before a \
         worker's start",
        exchanged_files,
    ),
    Attack::new(
        "processes of granted programs end with the worker",
        "programs that detach themselves and ignore every signal",
        left_programs,
    ),
    Attack::new(
        "granted programs compute only during a request",
        "a program that computes in short-lived children and ignores SIGCHLD",
        burning_programs,
    )
    .within(90),
    Attack::new(
        "the number of granted programs is bounded",
        "a program that forks again and again",
        multiplying_programs,
    ),
];

fn broken_libraries(attempt: &Attempt) -> Outcome {
    let setup = Setup::good().server("[plugins]\ndirectories = [\"plugins\"]");
    let plugins = setup.folder().join("plugins");
    fs::create_dir(&plugins).unwrap();
    let server = setup.start(attempt);
    let whole = library::compile("times.c", &plugins, &[]);
    let bytes = fs::read(&whole).unwrap();
    fs::remove_file(whole).unwrap();
    let mut random = fastrand::Rng::with_seed(7);
    let (rounds, started) = (if Attempt::is_long() { 12 } else { 2 }, Instant::now());
    for _ in 0..rounds {
        for number in 0..12 {
            let mut broken = bytes.clone();
            let end = broken.len();
            match number % 4 {
                // The headers of the file, its segments and its sections.
                0 => (0..8).for_each(|_| broken[random.usize(..64)] = random.u8(..)),
                1 => (0..16).for_each(|_| broken[64 + random.usize(..1024)] = random.u8(..)),
                2 => (0..16).for_each(|_| broken[end - 1 - random.usize(..2048)] = random.u8(..)),
                _ => broken.truncate(random.usize(..end)),
            }
            fs::write(plugins.join(format!("libbroken{number}.so")), broken).unwrap();
        }
        if reload(&server, Duration::from_mins(1)).is_none() {
            return Err("a reload did not finish within 60 s".into());
        }
        server.is_unharmed("good")?;
    }
    let megabytes = server.peak_mb();
    let seen = format!(
        "{} files in {:.1?}; server {megabytes} MiB",
        rounds * 12,
        started.elapsed()
    );
    judge(megabytes <= 400, seen)
}

fn swapped_while_pinned(_: &Attempt) -> Outcome {
    let setup = Setup::new();
    let good = setup.folder().join("libpinned.so");
    fs::copy(test_kit::built("counts_pawns"), &good).unwrap();
    let pinned = SealedLibrary::read(&good).unwrap().sha256().to_string();
    let file = setup.folder().join("rookery.toml");
    let text = format!(
        "[ai.pinned]\nlibrary = \"./libpinned.so\"\nsha256 = \"{pinned}\"\n[client.default]\nai = \
         \"pinned\"\n"
    );
    fs::write(&file, text).unwrap();
    let [counts_pawns, echo] =
        ["counts_pawns", "echo"].map(|name| fs::read(test_kit::built(name)).unwrap());
    let (is_running, new) = (AtomicBool::new(true), setup.folder().join("new"));
    let starts = if Attempt::is_long() { 60 } else { 15 };
    let (mut whole, mut other) = (0, None);
    thread::scope(|scope| {
        scope.spawn(|| {
            while is_running.load(Ordering::Relaxed) {
                // Replaces the library both by renaming and in place, so that it changes while it
                // is being read.
                for bytes in [&counts_pawns, &echo] {
                    let _ = fs::write(&new, bytes).and_then(|()| fs::rename(&new, &good));
                    thread::sleep(Duration::from_millis(7));
                }
                let _ = fs::write(&good, &counts_pawns);
            }
        });
        for _ in 0..starts {
            let mut command = Command::new(rookery());
            let output = command
                .args(["ais", "--json", "--config"])
                .arg(&file)
                .output()
                .unwrap();
            if output.status.success() {
                whole += 1;
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                if !text.contains(&pinned) {
                    other = Some(text);
                }
            }
        }
        is_running.store(false, Ordering::Relaxed);
    });
    let seen =
        format!("{starts} starts, {whole} of them with the pinned library, the others rejected");
    other.map_or(Ok(seen), |other| {
        Err(format!("a different library was loaded: {other:.300}"))
    })
}

/// Returns the lines of an `[ai.engine]` that pin its files, as `rookery ais pin` prints them.
fn pins(setup: &Setup, lines: &str) -> String {
    let file = setup.folder().join("unpinned.toml");
    fs::write(
        &file,
        format!("[ai.engine]\nlibrary = \"./libai_uci.so\"\n{lines}\n"),
    )
    .unwrap();
    let text = run(Command::new(rookery())
        .args(["ais", "pin", "--config"])
        .arg(&file));
    // The configuration already contains this section header.
    text.lines()
        .filter(|line| *line != "[ai.engine]")
        .collect::<Vec<_>>()
        .join("\n")
}

fn exchanged_files(attempt: &Attempt) -> Outcome {
    let mut setup = Setup::new().server("[plugins]\npolicy = \"pinned\"");
    let file = |name: &str| setup.folder().join(name);
    let [program, script, granted, named] = ["engine", "script", "granted", "named"].map(file);
    let example = test_kit::example("faulty_engine");
    assert!(
        Command::new("cp")
            .args([&example, &program])
            .status()
            .unwrap()
            .success()
    );
    let play = |first: &str| format!("startpos {first}\n4R2K e1e8\n5KQ1 g6g7\n");
    fs::write(&script, play("e2e4")).unwrap();
    for path in [&granted, &named] {
        fs::write(path, "1").unwrap();
    }
    fs::copy(test_kit::built("ai_uci"), file("libai_uci.so")).unwrap();
    let lines = format!(
        "allow_exec = ['{0}']\nallow_read = ['{1}', '{2}']\nmove_timeout_ms = 1000\n\
         options = {{ command = \"{0} plays {1}\", book_file = \"named\" }}",
        program.display(),
        script.display(),
        granted.display()
    );
    let pins = pins(&setup, &lines);
    setup = setup.ai("engine", "ai_uci", &format!("{lines}\n{pins}"));
    let server = setup.start(attempt);
    let move_of = || {
        let reply = server.best_move("engine");
        (reply.status == 200).then(|| reply.json()["move"]["uci"].clone())
    };
    if move_of() != Some(json!("e2e4")) {
        return Err(format!("the engine does not play: {}", server.log()));
    }
    let mut longer = fs::read(&program).unwrap();
    longer.push(0);
    let mut seen = Vec::new();
    for (path, forged) in [
        (&granted, b"2".to_vec()),
        (&named, b"2".to_vec()),
        (&program, longer),
        (&script, play("d2d4").into_bytes()),
    ] {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let (new, kept) = (path.with_extension("new"), path.with_extension("kept"));
        fs::write(&new, forged).unwrap();
        fs::set_permissions(&new, fs::metadata(path).unwrap().permissions()).unwrap();
        fs::rename(path, &kept).unwrap();
        fs::rename(&new, path).unwrap();
        let output =
            reload(&server, Duration::from_secs(20)).ok_or("`rookery reload` did not exit")?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let sums = [path, &kept].map(|path| file_sha256(path).unwrap().to_string());
        if output.status.code() != Some(2) || !sums.iter().all(|sum| said.contains(sum)) {
            return Err(format!(
                "a reload with another {name}: {:?} {said}",
                output.status
            ));
        }
        // After a failed start, the next attempt takes seconds, so a short run kills the workers
        // only once.
        let is_killed = Attempt::is_long() || *path == script;
        if is_killed {
            server.kill_descendants();
            if let Some(played) = move_of() {
                return Err(format!(
                    "with another {name} the next worker played {played}"
                ));
            }
        }
        fs::rename(&kept, path).unwrap();
        seen.push(name.clone());
        if is_killed && !Attempt::is_long() {
            break;
        }
        poll(Duration::from_secs(30), || {
            (move_of() == Some(json!("e2e4"))).then_some(())
        })
        .ok_or_else(|| format!("with its own {name} it does not play again"))?;
    }
    Ok(format!("refused with another {}", seen.join(", ")))
}

/// Starts a server whose AI may start a program with this behaviour.
fn granted(attempt: &Attempt, attack: &str) -> Server {
    let setup = Setup::new();
    let program = library::compile_program("program.c", setup.folder(), &[]);
    let program = program.display();
    let lines = format!(
        "allow_exec = [\"{program}\"]\nthreads = 16\nmove_timeout_ms = 3000\noptions = {{ attack = \
         \"{attack} {program}\" }}"
    );
    setup
        .ai("bad", "starts.c", &lines)
        .with_good()
        .start(attempt)
}

/// Returns all processes of the granted program, found by the folder in their arguments.
fn programs(server: &Server) -> Vec<u32> {
    let path = server.folder().join("program");
    let is_one = |process: &u32| command_line(*process)[0].starts_with(path.to_str().unwrap());
    processes::all().filter(is_one).collect()
}

fn left_programs(attempt: &Attempt) -> Outcome {
    let mut server = granted(attempt, "detach");
    let status = server.best_move("bad").status;
    let some = |server: &Server| Some(programs(server).len()).filter(|count| *count > 0);
    let started = poll(Duration::from_secs(5), || some(&server));
    let deadly = json!({"game": {"fen": "7k/8/8/8/8/8/R7/K7 w - - 50 80"}, "ai": "bad"});
    let crashed = server.post("/v1/best-move", &deadly).code();
    let ended = poll(Duration::from_secs(10), || {
        some(&server).is_none().then_some(())
    });
    server.is_unharmed("good")?;
    let _ = server.best_move("bad");
    let again = poll(Duration::from_secs(5), || some(&server));
    if server.stop(Duration::from_secs(15)).is_none() {
        return Err("the server did not exit".into());
    }
    let after = poll(Duration::from_secs(10), || {
        some(&server).is_none().then_some(())
    });
    let seen = format!(
        "{status}, {started:?} programs; {crashed}, none: {}; {again:?} programs; \
         the end, none: {}",
        ended.is_some(),
        after.is_some()
    );
    judge(
        started.is_some() && ended.is_some() && after.is_some(),
        seen,
    )
}

fn burning_programs(attempt: &Attempt) -> Outcome {
    let server = granted(attempt, "burn");
    let _ = server.best_move("bad");
    let mut computed_by: HashMap<u32, Duration> = HashMap::new();
    let started = Instant::now();
    loop {
        let running = programs(&server);
        for &program in &running {
            let time = computed_by.entry(program).or_default();
            *time = computed(program).max(*time);
        }
        let sum: Duration = computed_by.values().sum();
        let seen = format!("{} programs computed {sum:.1?}", computed_by.len());
        // Each process uses little processor time, so the test adds up all of it.
        if sum > Duration::from_secs(9) {
            return Err(format!("{seen} and were not killed"));
        }
        if running.is_empty() && started.elapsed() > Duration::from_secs(1) {
            return if sum.is_zero() {
                Err(seen)
            } else {
                Ok(format!("{seen} until they were killed"))
            };
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn multiplying_programs(attempt: &Attempt) -> Outcome {
    let server = granted(attempt, "multiply");
    let _ = server.best_move("bad");
    let (mut most, started) = (0, Instant::now());
    while started.elapsed() < Duration::from_secs(2) {
        most = most.max(programs(&server).len());
        thread::sleep(Duration::from_millis(20));
    }
    server.is_unharmed("good")?;
    let seen = format!("at most {most} with threads = 16");
    judge((1..=24).contains(&most), seen)
}
