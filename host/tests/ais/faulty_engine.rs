//! A UCI engine with the fault that its argument names. It copies its input to standard error.

use std::{
    io::{self, BufRead, Write},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

fn main() {
    let fault = std::env::args().nth(1).unwrap_or_default();
    if fault == "late-output" {
        thread::sleep(Duration::from_millis(50));
        eprintln!("last words");
        return;
    }
    println!("id name False Engine\noption name Hash type spin default 16 min 1 max 64");
    println!("option name NullMove Pruning type combo default Always var Always var Fail High var Never");
    println!("option name Clear Hash type button\noption name Book File type string default <empty>");
    println!("option name Own Book type check default true");
    if fault == "rated" {
        println!("option name UCI_LimitStrength type check default false");
        println!("option name UCI_Elo type spin default 1350 min 1320 max 2850");
    }
    println!("option name UCI_AnalyseMode type check default false");
    println!("uciok");
    let (mut is_limited, mut elo, mut analyses) = (false, String::from("1350"), false);
    for line in io::stdin().lock().lines() {
        let line = line.expect("lines of text");
        eprintln!("{line}");
        match line.split(' ').next() {
            Some("isready") => println!("readyok"),
            Some("setoption") if fault == "rated" => match line.split(' ').collect::<Vec<_>>()[..] {
                [_, _, "UCI_LimitStrength", _, limited] => is_limited = limited == "true",
                [_, _, "UCI_Elo", _, number] => number.clone_into(&mut elo),
                _ => {}
            },
            // Returns its strength as the score.
            Some("go") if fault == "rated" => {
                let strength = if is_limited { &elo } else { "0" };
                println!("info depth 1 nodes 1 score cp {strength} pv e2e4\nbestmove e2e4");
            }
            Some("setoption") if line.contains("UCI_AnalyseMode") => analyses = line.ends_with("true"),
            Some("go") if fault == "talks" => {
                println!(
                    "info string analysis string {analyses}\ninfo depth 1 currmove a2a3 currmovenumber 7"
                );
                println!("info depth 1 nodes 9 hashfull 500 tbhits 7 score cp 3 pv e2e4\nbestmove e2e4");
            }
            Some("go") => search(&fault),
            Some("stop") if fault != "stalls" => println!("bestmove e2e4"),
            Some("quit") => return,
            _ => {}
        }
        io::stdout().flush().expect("a reader");
    }
}

fn search(fault: &str) {
    match fault {
        "aborts" => std::process::abort(),
        // The child writes to the same standard error later.
        "aborts-before-child" => {
            let this = std::env::args().next().expect("its path");
            let mut child = Command::new(this);
            child.arg("late-output").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a child");
            std::process::abort()
        }
        "illegal-move" => println!("bestmove e2e5"),
        "no-move" => println!("bestmove (none)"),
        "floods" => {
            for depth in 1..20_000 {
                println!("info depth {} score cp 3 nodes {depth} pv e2e4 e7e5 e1e8", depth % 50);
            }
            println!("bestmove e2e4");
        }
        "replies-twice" => println!("bestmove e2e4\nbestmove a1a8\ninfo depth 9 score cp 900 pv a2a3"),
        // Waits for `stop`.
        _ => {}
    }
}
