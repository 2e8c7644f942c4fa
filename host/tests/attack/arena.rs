//! Attacks by clients, files and other users on the arena and clients' matches.

use std::{
    fs::{self, File},
    io::{Read as _, Write as _},
    os::unix::{fs::FileExt as _, process::CommandExt as _},
    path::Path,
    process::{Command, Output},
    thread,
    time::{Duration, Instant},
};

use config::api_key::KeyDigest;
use rustix::fs::{FlockOperation, fcntl_lock};
use serde_json::{Value, json};
use test_kit::{Reply, poll, rookery};

use crate::{
    operations::reload,
    runner::{Attack, Attempt, Outcome, judge},
    server::{NOBODY, Server, Setup},
};

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::new(
        "no client fills the disk or stops the arena and the matches of others",
        "large matches started and stopped from many addresses, beyond `max_mb`",
        fills_the_disk,
    ),
    Attack::new(
        "no match blocks others, and clients with keys find a place",
        "60 addresses with 100 games of 9999+9999 each",
        holds_the_place,
    ),
    Attack::new(
        "no client distorts the ladder",
        "matches like the arena's, finished or stopped during games",
        turns_the_ladder,
    ),
    Attack::new(
        "no reply about the arena or a match contains a path of the server",
        "a file that is damaged while the arena plays",
        damages_the_file,
    ),
    Attack::new(
        "locks held by others delay arena calls by seconds at most",
        "locks on the arena's folder and on its entire file",
        holds_locks,
    ),
    Attack::new(
        "other users can neither read nor lock the arena's files",
        "opening each arena file as another user",
        opens_files,
    )
    .as_root(),
    Attack::new(
        "a client that is removed plays no more games",
        "a long match of a client that a reload removes",
        plays_on_after_its_removal,
    ),
    Attack::new(
        "no stranger's PGN breaks an arena",
        "an import of times and depths whose sums overflow",
        imports_endless_times,
    ),
];

/// Prepares a server with an arena and an admin client with a key. `lines` extends the arena's
/// section.
fn setup(lines: &str) -> Setup {
    let arena = format!(
        "[arena]\nfile = \"arena.db\"\nplayers = [\"good,depth=1\", \"good,nodes=20\"]\n{lines}"
    );
    let key = KeyDigest::of(b"ann");
    let rights = format!("api_key_sha256 = \"{key}\"\nadmin = true\nmax_match_games = 100");
    Setup::good()
        .server("trusted_proxies = [\"127.0.0.1\"]")
        .server(&arena)
        .client("ann", "good", &rights)
}

const ANN: &str = "Authorization: Bearer ann\r\n";
/// With this line, the arena never plays by itself.
const NEVER_IDLE: &str = "idle_s = 86400\n";

/// Returns a header that gives a client without a key one of many addresses.
fn at(address: usize) -> String {
    format!(
        "X-Forwarded-For: 10.0.{}.{}\r\n",
        address / 250,
        address % 250 + 1
    )
}

fn send(server: &Server, line: &str, headers: &str) -> Reply {
    let request = format!("{line} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n");
    server
        .connect()
        .exchange(&request)
        .unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn quick(games: u32) -> Value {
    json!({"players": ["good", "good,nodes=20"], "games": games, "limit": {"nodes": 50}})
}

/// Waits until a match has ended. Returns it.
fn ended(server: &Server, headers: &str, id: &str) -> Result<Value, String> {
    let look = || {
        let found = send(server, &format!("GET /v1/matches/{id}"), headers).json();
        let has_ended = ["finished", "stopped", "failed"]
            .iter()
            .any(|state| found["state"] == *state);
        has_ended.then_some(found)
    };
    poll(Duration::from_secs(40), look).ok_or_else(|| format!("the match {id} does not end"))
}

/// Plays a match of two games for a client with a key.
fn plays_a_match(server: &Server) -> Result<Duration, String> {
    let started = Instant::now();
    let reply = server.post_with("/v1/matches", ANN, &quick(2));
    let id = reply.json()["id"].as_str().map(str::to_owned);
    let id = id.ok_or_else(|| format!("a match of ann: {} {}", reply.status, reply.text()))?;
    let found = ended(server, ANN, &id)?;
    let games = send(server, &format!("GET /v1/matches/{id}/games"), ANN).body;
    let games = String::from_utf8_lossy(&games).matches("[Event ").count();
    if found["state"] == "finished" && games == 2 {
        Ok(started.elapsed())
    } else {
        Err(format!("{games} games of {found}"))
    }
}

fn fills_the_disk(attempt: &Attempt) -> Outcome {
    let server = setup(&format!("max_mb = 1\n{NEVER_IDLE}")).start(attempt);
    plays_a_match(&server)?;
    let moves = [
        "g1f3", "g8f6", "f3g1", "f6g8", "b1c3", "b8c6", "c3b1", "c6b8", "e2e4", "e7e5",
    ];
    let (mut sent, mut accepted) = (0, 0);
    for number in 0..if Attempt::is_long() { 400 } else { 60 } {
        let mut body = quick(100);
        let openings = if number % 3 == 0 { 450 } else { 150 };
        body["openings"] = vec![json!({"moves": moves}); openings].into();
        sent += body.to_string().len();
        let reply = server.post_with("/v1/matches", &at(number % 9), &body);
        if let Some(id) = reply.json()["id"].as_str() {
            accepted += 1;
            let stopped = send(
                &server,
                &format!("DELETE /v1/matches/{id}"),
                &at(number % 9),
            );
            if stopped.status != 200 {
                return Err(format!(
                    "a match is not stopped: {} {}",
                    stopped.status,
                    stopped.text()
                ));
            }
        }
    }
    let files = fs::read_dir(server.folder()).unwrap().flatten();
    let files = files.filter(|file| file.file_name().to_string_lossy().starts_with("arena.db"));
    let kilobytes = files
        .map(|file| file.metadata().unwrap().len())
        .sum::<u64>()
        >> 10;
    let time = plays_a_match(&server)?;
    let state = server.get("/v1/arena").json()["state"].clone();
    let seen = format!(
        "{} kB in {accepted} matches leave {kilobytes} kB; another match took {time:.1?}; arena \
         {state}",
        sent >> 10
    );
    judge(kilobytes <= 1100 && accepted > 0 && state != "paused", seen)
}

fn holds_the_place(attempt: &Attempt) -> Outcome {
    let server = setup(NEVER_IDLE).start(attempt);
    let long = json!({
        "players": ["good,depth=64", "good,depth=63"],
        "games": 100,
        "time_control": "9999+9999",
    });
    let replies: Vec<_> = (0..60)
        .map(|address| server.post_with("/v1/matches", &at(address), &long).status)
        .collect();
    let accepted = replies.iter().filter(|status| **status == 201).count();
    let time = plays_a_match(&server)?;
    let seen = format!("{accepted} matches wait; ann's took {time:.1?}");
    judge(time < Duration::from_secs(30), seen)
}

fn turns_the_ladder(attempt: &Attempt) -> Outcome {
    let server = setup(&format!("time_control = \"60\"\n{NEVER_IDLE}")).start(attempt);
    let like_the_arenas =
        json!({"players": ["good,depth=1", "good,nodes=20"], "games": 2, "time_control": "60"});
    for headers in [at(1).as_str(), ANN] {
        let reply = server.post_with("/v1/matches", headers, &like_the_arenas);
        let id = reply.json()["id"]
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| reply.text())?;
        ended(&server, headers, &id)?;
    }
    let ladder = server.get("/v1/arena").json();
    let listed = server.get("/v1/arena/games").json()["games"].clone();
    let ratings: Vec<_> = ladder["players"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["elo"].clone())
        .collect();
    let seen = format!("{} rated games, ratings {ratings:?}", ladder["games"]);
    judge(ladder["games"] == 0 && listed == json!([]), seen)
}

fn damages_the_file(attempt: &Attempt) -> Outcome {
    let server = setup("idle_s = 1\ntime_control = \"600\"\n").start(attempt);
    let pairs = || {
        server.get("/v1/arena").json()["pairs"]
            .as_u64()
            .filter(|pairs| *pairs > 0)
    };
    poll(Duration::from_secs(40), pairs).ok_or("the arena does not play")?;
    let id = server.post("/v1/matches", &quick(100)).json()["id"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let mut stream = server.socket();
    let head =
        "GET /v1/arena/live HTTP/1.1\r\nHost: localhost\r\nAccept: application/x-ndjson\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let path = server.folder().join("arena.db");
    let file = File::options().write(true).open(&path).unwrap();
    // Overwrites everything from the change counter on, so that `SQLite` does not use a cached
    // page. A transaction that is open at that moment replaces the counter.
    let damage = || {
        let length = file.metadata().unwrap().len();
        file.write_all_at(&vec![0xaa; (length - 24) as usize], 24)
            .unwrap();
    };
    damage();
    send(&server, &format!("DELETE /v1/matches/{id}"), "");
    let is_paused = || {
        damage();
        (server.get("/v1/arena").json()["state"] == "paused").then_some(())
    };
    poll(Duration::from_secs(30), is_paused).ok_or("the arena continues with a damaged file")?;
    let mut texts: Vec<_> = [
        send(&server, "GET /v1/arena", ""),
        send(&server, "GET /v1/arena/live", ""),
        send(&server, "GET /v1/arena/games", ""),
        send(&server, "GET /v1/arena/games/1", ""),
        send(&server, "GET /v1/arena/players/1", ""),
        send(&server, &format!("GET /v1/matches/{id}"), ""),
        send(&server, &format!("GET /v1/matches/{id}/games"), ""),
        send(
            &server,
            &format!("GET /v1/matches/{}-0", id.split('-').next().unwrap()),
            "",
        ),
        server.post("/v1/matches", &quick(2)),
    ]
    .into_iter()
    .map(|reply| {
        (
            reply.status,
            String::from_utf8_lossy(&reply.body).into_owned(),
        )
    })
    .collect();
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    let mut live = Vec::new();
    while !String::from_utf8_lossy(&live).contains("paused") {
        let mut some = [0; 4096];
        match stream.read(&mut some) {
            Ok(count @ 1..) => live.extend(&some[..count]),
            _ => return Err("the stream of the arena shows no pause".into()),
        }
    }
    texts.push((200, String::from_utf8_lossy(&live).into_owned()));
    let secrets = [
        server.folder().to_string_lossy().into_owned(),
        "arena.db".to_owned(),
    ];
    for (status, text) in &texts {
        if let Some(secret) = secrets.iter().find(|secret| text.contains(&***secret)) {
            return Err(format!("{secret} in {status} {text:.300}"));
        }
    }
    let is_logged = server.log().contains(&*path.to_string_lossy());
    let reason = server.get("/v1/arena").json()["reason"].clone();
    if is_logged {
        Ok(format!("the reason is {reason}"))
    } else {
        Err("the log has no path".into())
    }
}

fn holds_locks(attempt: &Attempt) -> Outcome {
    let server = setup(NEVER_IDLE).start(attempt);
    plays_a_match(&server)?;
    let folder = File::open(server.folder()).unwrap();
    folder.lock().unwrap();
    let with_folder = plays_a_match(&server)?;
    let file = File::options()
        .read(true)
        .write(true)
        .open(server.folder().join("arena.db"))
        .unwrap();
    fcntl_lock(&file, FlockOperation::LockExclusive).unwrap();
    let mut other = Command::new(rookery());
    other
        .args(["arena", "--config"])
        .arg(server.configuration());
    let times = thread::scope(|scope| {
        let calls = [
            scope.spawn(|| server.post("/v1/matches", &quick(2)).time),
            scope.spawn(|| server.post_with("/v1/matches", ANN, &quick(2)).time),
            scope.spawn(|| send(&server, "GET /v1/arena/games", "").time),
            scope.spawn(|| send(&server, "GET /v1/arena", "").time),
            scope.spawn(move || {
                let started = Instant::now();
                let _ = other.output();
                started.elapsed()
            }),
        ];
        calls.map(|call| call.join().unwrap_or(Duration::MAX))
    });
    drop(file);
    let after = plays_a_match(&server)?;
    let seen = format!(
        "a match took {with_folder:.1?} with a locked folder; calls took {times:.1?} with a locked \
         file; a match after it {after:.1?}"
    );
    judge(times.iter().max() < Some(&Duration::from_secs(14)), seen)
}

fn opens_files(attempt: &Attempt) -> Outcome {
    let server = setup(NEVER_IDLE).start(attempt);
    plays_a_match(&server)?;
    let files: Vec<_> = fs::read_dir(server.folder())
        .unwrap()
        .flatten()
        .map(|file| file.path())
        .filter(|path| {
            path.file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with("arena.db")
        })
        .collect();
    for file in &files {
        let mut other = Command::new("head");
        let read = other
            .arg("-c1")
            .arg(file)
            .uid(NOBODY)
            .gid(NOBODY)
            .output()
            .unwrap();
        if read.status.success() {
            return Err(format!("another user reads {}", file.display()));
        }
    }
    if files.len() < 2 {
        Err(format!("{files:?}"))
    } else {
        Ok(format!("{} files", files.len()))
    }
}

fn plays_on_after_its_removal(attempt: &Attempt) -> Outcome {
    let server = setup(NEVER_IDLE)
        .client("bob", "good", "max_match_games = 100")
        .start(attempt);
    let bob = "X-Client-Id: bob\r\n";
    let long = json!({"players": ["good", "good,depth=1"], "games": 100, "time_control": "9999"});
    let reply = server.post_with("/v1/matches", bob, &long);
    let id = reply.json()["id"]
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| reply.text())?;
    let text = fs::read_to_string(server.configuration()).unwrap();
    let without = text.split_once("[client.bob]").unwrap().0;
    fs::write(server.configuration(), without).unwrap();
    let output = reload(&server, Duration::from_secs(30)).ok_or("the reload does not end")?;
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let found = ended(&server, ANN, &id)?;
    let seen = format!("{}: {}", found["state"], found["reason"]);
    if found["state"] == "failed" && said.contains("clients may no longer play them: 1") {
        Ok(seen)
    } else {
        Err(format!("{seen}; the reload said {said:.300}"))
    }
}

fn imports_endless_times(_: &Attempt) -> Outcome {
    let setup = setup("time_control = \"600\"\nidle_s = 1\n");
    let file = setup.folder().join("rookery.toml");
    fs::write(&file, setup.text()).unwrap();
    let run = |arguments: &[&str]| -> Result<Output, String> {
        let mut command = Command::new(rookery());
        let output = command
            .arg("arena")
            .args(arguments)
            .arg("--config")
            .arg(&file)
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            Ok(output)
        } else {
            Err(format!("{arguments:?}: {error}"))
        }
    };
    run(&["run", "--pairs", "1", "--concurrency", "1"])?;
    let games = String::from_utf8(run(&["export"])?.stdout).unwrap();
    let (from, to) = (games.find("[%emt ").unwrap(), games.find("[%clk ").unwrap());
    let depth = games[..from].rfind(',').unwrap();
    let times = [
        "inf",
        "NaN",
        "2562047788015:12:55.807",
        "9000000000000000",
        "-1",
        "1e308:1e308",
    ];
    let mut broken = times
        .map(|time| format!("{}[%emt {time}] {}", &games[..from], &games[to..]))
        .to_vec();
    broken.push(format!(
        "{},9223372036854775807] {}",
        &games[..depth],
        &games[from..]
    ));
    for (number, broken) in broken.iter().enumerate() {
        // The arena contains none of these games yet. The first pair is valid.
        let text = (games.clone() + broken).replace("rookery arena", &format!("arena {number}"));
        import(&run, &file, &text)?;
    }
    run(&["run", "--pairs", "1", "--concurrency", "1"])?;
    Ok(format!(
        "{} imports added one of two pairs, and the arena plays on",
        broken.len()
    ))
}

/// Imports two pairs. One of them is refused.
fn import(
    run: &impl Fn(&[&str]) -> Result<Output, String>,
    configuration: &Path,
    games: &str,
) -> Result<(), String> {
    let file = configuration.with_file_name("games.pgn");
    fs::write(&file, games).unwrap();
    let output = run(&["import", &file.to_string_lossy()])?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let expected = "2 games added, 0 already known, 2 refused";
    if said == expected {
        Ok(())
    } else {
        Err(format!("an import of two pairs said {said}"))
    }
}
