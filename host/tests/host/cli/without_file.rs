//! Commands without a configuration file, run by a program with its AIs next to it.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Stdio,
};

use serde_json::Value;
use tempfile::TempDir;
use test_kit::{Process, Server, copy_program};

use super::{Outcome, outcome};
use crate::support::{assert_has, built, rookery};

/// A package's folders, a user's home and an empty working directory.
pub(crate) struct Unpacked(TempDir);

pub(crate) fn unpacked(libraries: &[&str]) -> Unpacked {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for name in ["bin", "lib/rookery", "share", "home", "work"] {
        fs::create_dir_all(path(name)).unwrap();
    }
    // A symbolic link would lead to the libraries of the build.
    if fs::hard_link(rookery(), path("bin/rookery")).is_err() {
        copy_program(rookery(), &path("bin/rookery"));
    }
    for library in libraries {
        let file = path("lib/rookery").join(format!("lib{library}.so"));
        fs::copy(built(library), file).unwrap();
    }
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data");
    symlink(data.canonicalize().unwrap(), path("share/rookery")).unwrap();
    Unpacked(folder)
}

/// The AIs of a package.
pub(crate) const AIS: [&str; 4] = ["ai_basic1", "ai_huo1", "ai_nnue1", "ai_uci"];

impl Unpacked {
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = std::process::Command::new(self.path("bin/rookery"));
        command.env_clear();
        command.env("HOME", self.path("home"));
        // The folder of the control socket.
        command.env("XDG_RUNTIME_DIR", self.path("home"));
        command.args(arguments).current_dir(self.path("work"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Outcome {
        outcome(&mut self.command(arguments).into())
    }

    /// The file that a command creates.
    fn file(&self) -> PathBuf {
        self.path("home/.config/rookery/rookery.toml")
    }

    pub(crate) fn serve(&self) -> Server {
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0"]);
        Server::start(command.stderr(Stdio::null()))
    }
}

fn get(server: &Server, path: &str) -> Value {
    let reply = server.connect().get(path).unwrap();
    serde_json::from_slice(&reply.body).unwrap()
}

#[test]
fn every_command_works_in_an_empty_folder() {
    let package = unpacked(&AIS);
    let ais = package.run(&["ais", "--json"]);
    let ais: Value = serde_json::from_str(&ais.stdout).unwrap();
    let ids = ais.as_array().unwrap().iter().map(|ai| &ai["id"]);
    let ids: Vec<_> = ids.collect();
    assert_eq!(ids[..4], ["basic1", "huo1", "nnue1", "quick"], "{ais:#}");
    let moved = package.run(&["best-move", "--depth", "2", "--json"]).json();
    assert_eq!(moved["ai"]["id"], "basic1");
    // nnue1 reads its book from the package.
    let nnue1 = package.run(&["best-move", "--ai", "nnue1", "--depth", "1"]);
    nnue1.data();
    package.run(&["bench", "--depth", "1"]).data();
    package.run(&["perft", "--depth", "2"]).data();
    package.run(&["client", "list"]).data();
    fs::write(package.path("work/game.pgn"), "1. e4 e5 2. Nf3 *").unwrap();
    package.run(&["report", "game.pgn", "--depth", "1"]).data();
    let converted = package
        .run(&["convert", "game.pgn", "--from", "pgn", "--to", "uci"])
        .data();
    assert_eq!(converted, "e2e4 e7e5 g1f3\n");
    let pins = package.run(&["ais", "pin", "basic1"]).data();
    assert!(pins.contains("[ai.basic1]\nsha256 = "), "{pins}");
    let library = package.path("lib/rookery/libai_basic1.so");
    let library = library.to_str().unwrap();
    let checks = ["check-ai", library, "--only", "load.starts"];
    package.run(&checks).data();
    let rules = "--games 2 --nodes 50 --max-moves 4";
    let played = [
        &["match", "basic1", "quick"][..],
        &rules.split(' ').collect::<Vec<_>>(),
    ];
    let played = package.run(&played.concat());
    assert!(
        played.last_line().starts_with("basic1 - quick: "),
        "{played:?}"
    );
    let mut uci: assert_cmd::Command = package.command(&["uci"]).into();
    let said = outcome(uci.write_stdin("uci\nquit\n")).data();
    assert!(said.ends_with("uciok\n"), "{said}");
    // The messages name the places that were searched.
    let places = [
        package.path("work/rookery.toml"),
        package.path("work/config/rookery.toml"),
        package.file(),
        "/etc/rookery/rookery.toml".into(),
    ];
    let places: Vec<_> = places.iter().map(|path| path.to_str().unwrap()).collect();
    let name = format!(
        "the default configuration (there is no {})",
        places.join(", ")
    );
    let checked = package.run(&["config", "check"]).data();
    assert_eq!(checked, format!("{name}: ok, 4 AIs\n"));
    let shown = package.run(&["config", "show"]).data();
    assert!(shown.starts_with(&format!("# {name}\n")), "{shown}");
    assert_eq!(
        package.run(&["config", "show", "--json"]).json()["config"],
        Value::Null
    );
    package.run(&["reload"]).fails_with(1, &[&name]);
    assert_eq!(fs::read_dir(package.path("home")).unwrap().count(), 0);
}

#[test]
fn a_server_without_a_file_adopts_the_file_that_add_creates() {
    let package = unpacked(&AIS);
    let server = package.serve();
    assert_eq!(
        get(&server, "/v1/levels")["levels"]
            .as_array()
            .unwrap()
            .len(),
        23
    );
    let own = built("counts_pawns");
    let added = package.run(&["add", own.to_str().unwrap(), "--id", "own"]);
    added.assert_success();
    let file = package.file();
    let created = format!(
        "note: there was no configuration, so {} was created from the default one\n",
        file.display()
    );
    assert_has(&added.stderr, &[created]);
    let page = format!("play     http://{}/\n", server.address);
    assert_has(&added.stdout, &[&page]);
    let ids = |server: &Server| {
        let ais = get(server, "/v1/ais").as_array().unwrap().clone();
        let ids = ais.iter().map(|ai| ai["id"].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    assert_eq!(ids(&server), ["basic1", "huo1", "nnue1", "own", "quick"]);
    // The file contains the AIs that were served before, and commands find it from now on.
    let text = fs::read_to_string(&file).unwrap();
    assert_has(
        &text,
        &[
            "[ai.own]\n",
            "[client.default]",
            "name = \"Strongest\"",
            "config show",
        ],
    );
    assert!(
        !text.contains("alice") && !text.contains("make run"),
        "{text}"
    );
    let checked = package.run(&["config", "check"]).data();
    assert_eq!(checked, format!("{}: ok, 5 AIs\n", file.display()));
    assert_eq!(ids(&package.serve()), ids(&server));
    // Removing the file does not bring back the default configuration.
    fs::remove_file(&file).unwrap();
    let reload = package.run(&["reload"]);
    assert_eq!(reload.status, Some(2), "{reload:?}");
    assert_has(&reload.stderr, &["there is no such file"]);
    assert_eq!(ids(&server).len(), 5);
}

#[test]
fn the_log_begins_with_the_configuration() {
    let package = unpacked(&["ai_basic1"]);
    let first_line = || {
        let mut serve = package.command(&["serve", "--listen", "127.0.0.1:0"]);
        let mut server = Process::start(serve.stderr(Stdio::piped()));
        let mut log = server.take_stderr();
        server.kill();
        let log = std::io::read_to_string(&mut log).unwrap();
        log.lines().next().unwrap_or_default().to_owned()
    };
    let file = package.file();
    let place = format!(
        "there is no {}",
        package.path("work/rookery.toml").display()
    );
    assert_has(
        &first_line(),
        &["configuration", &place, file.to_str().unwrap()],
    );
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = package.run(&["config", "show"]).data();
    fs::write(&file, text).unwrap();
    let named = format!("configuration file=\"{}\"", file.display());
    assert_has(&first_line(), &[named]);
}

#[test]
fn without_ais_the_error_lists_the_searched_places() {
    let package = unpacked(&[]);
    let places = [
        "found neither a configuration file nor an AI next to this program",
        "/work/config/rookery.toml, ",
        "/home/.config/rookery/rookery.toml, /etc/rookery/rookery.toml",
        "--config",
    ];
    for arguments in [&["serve"][..], &["best-move"], &["ais"], &["uci"]] {
        package.run(arguments).fails_with(2, &places);
    }
    package.run(&["perft", "--depth", "1"]).data();
}

#[test]
fn serves_only_ais_that_are_installed() {
    let package = unpacked(&["ai_huo1"]);
    let moved = package.run(&["best-move", "--depth", "1"]);
    moved.fails_with(2, &["no [client.default]", "--ai"]);
    let shown = package.run(&["config", "show", "--json"]).json();
    let ids = shown["ai"].as_object().unwrap().keys();
    assert_eq!(ids.collect::<Vec<_>>(), ["huo1"]);
    assert_eq!(shown["level"], Value::Null);
}
