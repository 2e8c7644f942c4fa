//! Reload triggers: a signal, the command, a changed file.

use std::{fs, os::unix::fs::PermissionsExt, process::Stdio};

use rustix::process::Signal;
use serde_json::{Value, json};
use test_kit::wait_until;

use super::{basic1, depth, reload, reloaded};
use crate::{
    server::{Server, listening},
    support::{ConfigFile, ais_text, built, library, replace_library},
};

const WATCHED: &str = "watch = true\n";

#[test]
fn sighup_reloads() {
    let file = ConfigFile::new(&basic1(1));
    let server = Server::start(&file);
    assert_eq!(depth(&server), json!(1));
    for wanted in [2, 3] {
        file.write(&basic1(wanted));
        server.signal(Signal::HUP);
        wait_until("the new configuration applies", || {
            depth(&server) == json!(wanted)
        });
    }
}

#[test]
fn watch_reloads_a_changed_file() {
    let watched = |depth| format!("{WATCHED}{}", basic1(depth));
    let file = ConfigFile::new(&watched(1));
    let server = Server::start(&file);
    for wanted in [2, 3] {
        file.write(&watched(wanted));
        wait_until("the new configuration applies", || {
            depth(&server) == json!(wanted)
        });
    }
    // This configuration disables `watch`.
    file.write(&basic1(1));
    wait_until("the new configuration applies", || {
        depth(&server) == json!(1)
    });
    file.write(&basic1(2));
    assert_eq!(depth(&server), json!(1));
    assert_eq!(reloaded(&file)["ais"]["changed"], json!(["basic1"]));
}

#[test]
fn watch_reloads_a_library_once_it_is_complete() {
    let file = ConfigFile::new(&format!(
        "{WATCHED}{}",
        ais_text(&[("basic1", "./libown.so", "")])
    ));
    let library = file.folder().join("libown.so");
    let (one, other) = (
        fs::read(built("ai_basic1")).unwrap(),
        fs::read(built("counts_pawns")).unwrap(),
    );
    fs::write(&library, &one).unwrap();
    let server = Server::start(&file);
    let about = || server.get("/v1/ais/basic1").1;
    let first = about()["name"].clone();

    // A truncated library is never served, whenever the server looks at it.
    fs::write(&library, &other[..other.len() / 40]).unwrap();
    wait_until("the truncated library is rejected", || {
        about()["reload"] != Value::Null
    });
    assert_eq!(about()["name"], first);
    depth(&server);
    fs::write(&library, &other).unwrap();
    wait_until("the complete library is served without errors", || {
        let about = about();
        about["name"] != first && about["reload"] == Value::Null
    });

    replace_library(&library, "ai_basic1");
    wait_until("the first library is served again", || {
        about()["name"] == first
    });
}

#[test]
fn serializes_concurrent_reloads() {
    let file = ConfigFile::new(&basic1(1));
    let server = Server::start(&file);
    file.write(&basic1(2));
    std::thread::scope(|scope| {
        let reloading: Vec<_> = (0..6).map(|_| scope.spawn(|| reloaded(&file))).collect();
        for _ in 0..20 {
            server.signal(Signal::HUP);
        }
        for reloading in reloading {
            let ais = reloading.join().unwrap()["ais"].clone();
            let of = |kind: &str| ais[kind].as_array().unwrap().len();
            assert_eq!(
                (of("added"), of("removed"), of("changed") + of("unchanged")),
                (0, 0, 1),
                "{ais}"
            );
        }
    });
    assert_eq!(depth(&server), json!(2));
    wait_until("one worker remains", || server.children().len() == 1);
}

#[test]
fn the_command_reports_a_missing_server() {
    let file = ConfigFile::new(&basic1(1));
    let check = |part: &str| {
        let output = reload(&file);
        let error_output = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(1), 0),
            "{error_output}"
        );
        assert!(error_output.contains(part), "no {part} in {error_output}");
    };
    check("no server of this user runs with the configuration");
    fs::remove_file(file.path()).unwrap();
    check("cannot find the configuration");
}

#[test]
fn the_command_reloads_every_server() {
    let file = ConfigFile::new(&basic1(1));
    let servers = [Server::start(&file), Server::start(&file)];
    file.write(&basic1(2));
    let printed: Value = serde_json::from_slice(&reload(&file).stdout).unwrap();
    let mut reported: Vec<_> = printed["servers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["process"].clone())
        .collect();
    let mut running: Vec<_> = servers.iter().map(|server| json!(server.id())).collect();
    reported.sort_by_key(Value::as_u64);
    running.sort_by_key(Value::as_u64);
    assert_eq!(reported, running);
    for server in &servers {
        assert_eq!(depth(server), json!(2));
    }
}

/// Counts the control sockets.
fn sockets(file: &ConfigFile) -> usize {
    fs::read_dir(file.folder().join("rookery")).unwrap().count()
}

#[test]
fn the_socket_is_private_and_removed() {
    let file = ConfigFile::new(&basic1(1));
    let mut server = Server::start(&file);
    let folder = fs::metadata(file.folder().join("rookery")).unwrap();
    assert_eq!(
        (folder.permissions().mode() & 0o777, sockets(&file)),
        (0o700, 1)
    );
    server.stop(Signal::TERM);
    assert_eq!(sockets(&file), 0);

    // A killed server leaves its socket behind. The next command removes the socket.
    let mut server = Server::start(&file);
    server.signal(Signal::KILL);
    server.wait();
    assert_eq!(sockets(&file), 1);
    assert_eq!(reload(&file).status.code(), Some(1));
    assert_eq!(sockets(&file), 0);
}

#[test]
fn removes_stale_sockets() {
    let file = ConfigFile::new(&basic1(1));
    let mut killed = Server::start(&file);
    killed.signal(Signal::KILL);
    killed.wait();
    let running = Server::start(&file);
    // A server with a different configuration in the same folder.
    let other = ConfigFile::new(&basic1(1));
    let _other = Server::spawn(
        listening(&other)
            .env("XDG_RUNTIME_DIR", file.folder())
            .stderr(Stdio::null()),
    );
    assert_eq!(sockets(&file), 2);
    assert_eq!(reloaded(&file)["ais"]["unchanged"], json!(["basic1"]));
    assert_eq!(running.get("/readyz").0, 200);
}

#[test]
fn serves_without_a_control_socket() {
    let file = ConfigFile::new(&basic1(1));
    let folder = file.folder().join("rookery");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    let server = Server::start(&file);
    assert_eq!(sockets(&file), 0);
    file.write(&basic1(2));
    assert_eq!(reload(&file).status.code(), Some(1));
    server.signal(Signal::HUP);
    wait_until("the new configuration applies", || {
        depth(&server) == json!(2)
    });
}

#[test]
fn exits_during_a_reload() {
    let file = ConfigFile::new(&basic1(1));
    let mut server = Server::start(&file);
    // The AI's smoke test lasts until the move timeout.
    file.write(&format!(
        "{}[ai.hangs]\n{}move_timeout_ms = 600000\n",
        basic1(1),
        library("hang")
    ));
    let before = server.children();
    server.signal(Signal::HUP);
    wait_until("the AI is started", || {
        server.children().len() > before.len()
    });
    server.stop(Signal::TERM);
}
