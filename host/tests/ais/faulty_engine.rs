//! A UCI engine with the fault or behaviour that its argument names. It copies its input to
//! standard error.

use std::{
    fs,
    io::{self, BufRead, Write},
    os::unix::process::parent_id,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use rustix::event::{PollFd, PollFlags, poll};

fn main() {
    let fault = std::env::args().nth(1).unwrap_or_default();
    if fault == "late-output" {
        thread::sleep(Duration::from_millis(50));
        eprintln!("last words");
        return;
    }
    if let Some(parent) = fault.strip_prefix("orphan-of-") {
        while parent_id().to_string() == parent {
            thread::yield_now();
        }
        println!("bestmove e2e4");
        return;
    }
    // Reads a script once, like an interpreter. Each line contains part of a position and the move
    // to play there.
    let script = std::env::args().nth(2).filter(|_| fault == "plays");
    let script = script.map(|path| fs::read_to_string(path).expect("a granted script"));
    declare(&fault);
    let (mut is_limited, mut elo, mut analyses) = (false, String::from("1350"), false);
    let (mut set, mut is_silent, mut position) = (Vec::new(), false, String::new());
    let mut commands = Vec::new();
    loop {
        if fault == "polls" {
            // Overlooks a line that arrived with an earlier one and is waiting in the buffer.
            poll(&mut [PollFd::new(&io::stdin(), PollFlags::IN)], None).expect("an open input");
        }
        let mut line = String::new();
        if io::stdin()
            .lock()
            .read_line(&mut line)
            .expect("lines of text")
            == 0
        {
            return;
        }
        let line = line.trim_end().to_owned();
        eprintln!("{line}");
        commands.push(line.clone());
        match line.split(' ').next() {
            _ if is_silent => {}
            Some("setoption") if fault == "lacks-memory" && line.contains(" Hash ") => {
                eprintln!("no memory for the hash table");
                std::process::exit(1);
            }
            Some("setoption") if fault == "standard" => set.push(line),
            Some("go") if fault == "standard" => {
                for line in set.drain(..) {
                    println!("info string {line}");
                }
                println!("info depth 1 score cp 5 wdl 300 600 100 nodes 1 pv e2e4\nbestmove e2e4");
            }
            // Prints the commands it received, except `isready`, and aborts.
            Some("go") if fault == "tells" && position.contains("fen") => {
                commands.retain(|line| line != "isready");
                eprintln!("{}", commands.join(" / "));
                std::process::abort();
            }
            Some("go") if fault == "tells" => {
                println!(
                    "bestmove {}",
                    if position.contains("moves") {
                        "e2e4"
                    } else {
                        "d2d4"
                    }
                );
            }
            Some("go") if fault == "silent" => {
                println!("bestmove e2e4");
                is_silent = true;
            }
            Some("ucinewgame") if fault == "slow-game" => {
                thread::sleep(Duration::from_millis(1500));
            }
            Some("isready") => println!("readyok"),
            Some("setoption") if fault == "rated" => {
                match line.split(' ').collect::<Vec<_>>()[..] {
                    [_, _, "UCI_LimitStrength", _, limited] => is_limited = limited == "true",
                    [_, _, "UCI_Elo", _, number] => number.clone_into(&mut elo),
                    _ => {}
                }
            }
            // Returns its strength as the score.
            Some("go") if fault == "rated" => {
                let strength = if is_limited { &elo } else { "0" };
                println!("info depth 1 nodes 1 score cp {strength} pv e2e4\nbestmove e2e4");
            }
            Some("setoption") if line.contains("UCI_AnalyseMode") => {
                analyses = line.ends_with("true");
            }
            Some("go") if fault == "talks" => {
                println!(
                    "info string analysis string {analyses}\ninfo depth 1 currmove a2a3 \
                     currmovenumber 7"
                );
                println!(
                    "info depth 1 nodes 9 hashfull 500 tbhits 7 score cp 3 pv e2e4\nbestmove e2e4"
                );
            }
            Some("position") => position = line,
            // Acts like a net that plays its policy's move after one node, but another move after a
            // search.
            Some("go") if fault == "policy" => {
                let is_policy = line.contains(" nodes 1");
                let chosen = match (position.contains("moves"), is_policy) {
                    (false, true) => "e2e4",
                    (false, false) => "d2d4",
                    (true, true) => "e7e5",
                    (true, false) => "d7d5",
                };
                println!("info depth 1 nodes 1 score cp 5 pv {chosen}\nbestmove {chosen}");
            }
            Some("go") if fault == "plays" => {
                let mut lines = script
                    .iter()
                    .flat_map(|script| script.lines())
                    .map(|line| line.split_once(' '));
                let chosen =
                    lines.find_map(|line| line.filter(|(part, _)| position.contains(part)));
                println!("bestmove {}", chosen.expect("a line for the position").1);
            }
            Some("go") => search(&fault),
            // Overlooks the `stop` that precedes each search.
            Some("stop")
                if fault == "overlooks"
                    && commands.iter().filter(|line| *line == "stop").count() % 2 == 1 => {}
            Some("stop") if fault != "stalls" => println!("bestmove e2e4"),
            Some("quit") => return,
            _ => {}
        }
        io::stdout().flush().expect("a reader");
    }
}

/// Answers `uci` before the command arrives.
fn declare(fault: &str) {
    let max_hash = if fault == "lacks-memory" { 4096 } else { 64 };
    println!("id name False Engine 1.5\nid author Its Author");
    println!("option name Hash type spin default 16 min 1 max {max_hash}");
    println!(
        "option name NullMove Pruning type combo default Always var Always var Fail High var Never"
    );
    println!(
        "option name Clear Hash type button\noption name Book File type string default <empty>"
    );
    println!("option name Own Book type check default true");
    if fault == "standard" {
        println!("option name Threads type spin default 1 min 1 max 4");
        println!("option name SyzygyPath type string default <empty>");
        println!("option name Random Seed type spin default 0 min 0 max 1000000000");
        println!("option name MultiPV type spin default 1 min 1 max 4");
        println!("option name UCI_Chess960 type check default false");
        println!("option name UCI_ShowWDL type check default false");
    }
    if fault == "rated" || fault == "standard" {
        println!("option name UCI_LimitStrength type check default false");
        println!("option name UCI_Elo type spin default 1350 min 1320 max 2850");
    }
    println!("option name UCI_AnalyseMode type check default false");
    if fault == "slow-start" {
        thread::sleep(Duration::from_millis(2500));
    }
    println!("uciok");
}

fn search(fault: &str) {
    let child = |argument: &str| {
        let mut child = Command::new(std::env::args().next().expect("its path"));
        child.arg(argument).stdin(Stdio::piped());
        child
    };
    match fault {
        "aborts" => std::process::abort(),
        // The child writes to the same standard error later.
        "aborts-before-child" => {
            child("late-output")
                .stdout(Stdio::piped())
                .spawn()
                .expect("a child");
            std::process::abort()
        }
        // The child plays the move once this process is gone.
        "exits" => {
            child(&format!("orphan-of-{}", std::process::id()))
                .spawn()
                .expect("a child");
            eprintln!("last words");
            std::process::exit(3)
        }
        "ignores-searchmoves" => println!("info depth 1 score cp 9 nodes 9 pv e2e4\nbestmove e2e4"),
        "illegal-move" => println!("bestmove e2e5"),
        "san" => println!("bestmove Nf3"),
        "no-line" => println!("info depth 9 score cp 123 nodes 1000\nbestmove e2e4"),
        "polls" | "slow-game" => println!("bestmove e2e4"),
        "no-move" => println!("bestmove (none)"),
        "floods" => {
            for depth in 1..20_000 {
                println!(
                    "info depth {} score cp 3 nodes {depth} pv e2e4 e7e5 e1e8",
                    depth % 50
                );
            }
            println!("bestmove e2e4");
        }
        "replies-twice" => {
            println!("bestmove e2e4\nbestmove a1a8\ninfo depth 9 score cp 900 pv a2a3");
        }
        // Waits for `stop`.
        _ => {}
    }
}
