//! An xboard engine with the features in its first argument, such as `san=1`, and the behaviour
//! that its second argument names. When it first searches a position without castling rights, it
//! prints the received commands and aborts.

use std::io::{self, BufRead, Write};

/// Returns whether the last game has ended.
fn is_over(commands: &[String]) -> bool {
    let mut last = commands
        .iter()
        .rev()
        .take_while(|command| *command != "new");
    last.any(|command| command == "usermove e7e6")
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let features = arguments.next().unwrap_or_default();
    let behaviour = arguments.next().unwrap_or_default();
    let is_san = features.contains("san=1");
    let mut commands = Vec::new();
    let mut depth = u32::MAX;
    for line in io::stdin().lock().lines() {
        let line = line.expect("lines of text");
        let words: Vec<_> = line.split(' ').collect();
        match words[..] {
            ["uci"] if behaviour == "exits" => return,
            ["protover", "2"] => {
                println!("White (1) : feature done=0\nfeature myname=\"Winged 1.2\" {features}");
                println!("tellics say hello\nfeature done=1");
            }
            ["sd", limit] => depth = limit.parse().expect("a number"),
            ["new"] => depth = u32::MAX,
            ["ping", number] => println!("pong {number}"),
            ["usermove", "e7e6"] => println!("1/2-1/2 {{Draw by repetition}}"),
            // Does not move in a game that has ended.
            ["go"] if is_over(&commands) => {}
            ["usermove", "d7d5"] => println!("Illegal move: d7d5"),
            ["go"]
                if commands
                    .iter()
                    .any(|command: &String| command.contains(" - - ")) =>
            {
                commands.push(line);
                commands.retain(|command| {
                    !["ping", "accepted"].contains(&command.split(' ').next().unwrap_or(""))
                });
                eprintln!("{}", commands.join(" / "));
                std::process::abort();
            }
            ["go"] if behaviour == "resigns" => println!("resign"),
            // Thinks until it has to move.
            ["go"] if behaviour == "thinks" => println!("1 5 0 10 e2e4"),
            ["?"] => println!("My move is : e2e4"),
            ["go"] => {
                let is_first = !commands.iter().any(|command| command == "go");
                let (uci, san, score) = if is_first {
                    ("g1f3", "Nf3", 34)
                } else {
                    ("b1c3", "Nc3", -100_002)
                };
                for number in 5..=depth.min(6) {
                    println!(" {number}. {score} 12 1234 1. {san} Ng8f6 2.{uci} (+)");
                }
                println!("offer draw\nmove {}", if is_san { san } else { uci });
            }
            [
                "setboard" | "level" | "usermove" | "accepted" | "st" | "time" | "otim" | "quit"
                | "xboard" | "force" | "easy" | "post",
                ..,
            ] => {}
            _ if ["bare", "silent"].contains(&behaviour.as_str()) => {}
            _ => println!("Error (unknown command): {line}"),
        }
        commands.push(line);
        io::stdout().flush().expect("a reader");
    }
}
