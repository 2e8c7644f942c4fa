//! The commands of `docs/tutorial.md` work with an installed package, one after the other, and
//! print what the page shows.

use std::{env, fs, process::Command};

use test_kit::Server;

use crate::cli::without_file::{AIS, Unpacked, unpacked};

const PAGE: &str = include_str!("../../../../docs/tutorial.md");

/// The blocks of the page, by the text after the opening backticks.
fn blocks() -> impl Iterator<Item = (&'static str, &'static str)> {
    let fenced = PAGE.split("\n```").skip(1).step_by(2);
    fenced.map(|block| block.split_once('\n').unwrap())
}

/// A command and the lines that it prints. `…` matches any text.
struct Typed {
    command: &'static str,
    printed: Vec<&'static str>,
}

fn commands(console: &'static str) -> Vec<Typed> {
    let mut typed: Vec<Typed> = Vec::new();
    for line in console.lines() {
        match line.strip_prefix("$ ") {
            Some(command) => typed.push(Typed {
                command,
                printed: Vec::new(),
            }),
            None => typed.last_mut().unwrap().printed.push(line),
        }
    }
    typed
}

fn is_printed(shown: &str, output: &str) -> bool {
    output.lines().any(|line| {
        let mut rest = Some(line);
        for part in shown.split('…') {
            rest = rest.and_then(|rest| Some(rest.split_once(part)?.1));
        }
        rest.is_some()
    })
}

/// Runs a command in a shell that finds the package and Rust, and returns its output.
fn run(package: &Unpacked, command: &str) -> String {
    let home = env::var("HOME").unwrap();
    let of_rust =
        |name: &str, folder: &str| env::var(name).unwrap_or_else(|_| format!("{home}/{folder}"));
    let path = format!(
        "{}:{}",
        package.path("bin").display(),
        env::var("PATH").unwrap()
    );
    let ran = Command::new("bash")
        .args(["-e", "-c", command])
        .current_dir(package.path("work"))
        .env_clear()
        .env("PATH", path)
        .env("HOME", package.path("home"))
        .env("XDG_RUNTIME_DIR", package.path("home"))
        .env("CARGO_HOME", of_rust("CARGO_HOME", ".cargo"))
        .env("RUSTUP_HOME", of_rust("RUSTUP_HOME", ".rustup"))
        .env("CARGO_NET_OFFLINE", "true")
        .output()
        .unwrap();
    let [output, errors] = [&ran.stdout, &ran.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(ran.status.success(), "{command}: {output}{errors}");
    output.into_owned()
}

#[test]
fn every_command_of_the_tutorial_works() {
    let package = unpacked(&AIS);
    let mut server: Option<Server> = None;
    for (language, text) in blocks() {
        if let Some(file) = language.strip_prefix("rust,") {
            fs::write(package.path("work").join(file), text).unwrap();
        }
        for Typed { command, printed } in commands(if language == "console" { text } else { "" }) {
            if command == "rookery serve" {
                server = Some(package.serve());
                continue;
            }
            let output = run(&package, command);
            for shown in printed {
                assert!(is_printed(shown, &output), "{command}: {shown} in {output}");
            }
        }
    }
    let ais = server.unwrap().connect().get("/v1/ais").unwrap();
    let ais = String::from_utf8(ais.body).unwrap();
    assert!(ais.contains("\"id\":\"mine\""), "{ais}");
}

/// The file that `new-ai` writes contains the part of the template that the page shows.
#[test]
fn the_tutorial_shows_the_template() {
    const TEMPLATE: &str = include_str!("../../../templates/rust/evaluator.rs.in");
    let (_, shown) = blocks().find(|(language, _)| *language == "rust").unwrap();
    let without_indent =
        |text: &str| -> Vec<_> { text.lines().map(|l| l.trim().to_owned()).collect() };
    let template = without_indent(TEMPLATE);
    for line in without_indent(shown) {
        assert!(template.contains(&line), "{line}");
    }
}
