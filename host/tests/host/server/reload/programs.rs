//! Changed programs and scripts of engines.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use test_kit::wait_until;

use super::{reload, reloaded};
use crate::{
    cli::add::engine,
    plugins::uci_engines::faulty_engine,
    server::Server,
    support::{ConfigFile, assert_has, with_ais},
};

/// Writes a script that opens with this move and gives mate in the smoke tests.
fn write(script: &Path, chosen: &str) {
    fs::write(script, format!("startpos {chosen}\n4R2K e1e8\n5KQ1 g6g7\n")).unwrap();
}

/// An engine that plays the moves in its script.
fn scripted(plugins: &str) -> (ConfigFile, PathBuf) {
    let file = faulty_engine("plays SCRIPT", "", "");
    let script = file.folder().join("script");
    write(&script, "e2e4");
    let text = fs::read_to_string(file.path())
        .unwrap()
        .replace("SCRIPT", script.to_str().unwrap());
    let text = text.replacen("[plugins]\n", &format!("[plugins]\n{plugins}"), 1);
    let grant = format!("[ai.engine]\nallow_read = [\"{}\"]\n", script.display());
    fs::write(file.path(), text.replacen("[ai.engine]\n", &grant, 1)).unwrap();
    (file, script)
}

fn played(server: &Server) -> Value {
    let (status, body) = server.post("/v1/best-move", &json!({"game": {}}));
    assert_eq!(status, 200, "{body}");
    body["move"]["uci"].clone()
}

#[test]
fn restarts_an_engine_whose_script_or_program_has_changed() {
    let (file, script) = scripted("");
    let server = Server::start(&file);
    assert_eq!(played(&server), "e2e4");
    assert_eq!(reloaded(&file)["ais"]["unchanged"], json!(["engine"]));
    // The file keeps its length.
    write(&script, "d2d4");
    assert_eq!(played(&server), "e2e4", "the script was read before");
    assert_eq!(reloaded(&file)["ais"]["changed"], json!(["engine"]));
    assert_eq!(played(&server), "d2d4");
    // A reload detects changes to files that the command does not name, such as modules that a
    // script imports.
    let module = file.folder().join("module");
    fs::write(&module, "1").unwrap();
    let text = fs::read_to_string(file.path()).unwrap();
    let granted = text.replacen("allow_read = [", &format!("allow_read = [{module:?}, "), 1);
    fs::write(file.path(), granted).unwrap();
    assert_eq!(reloaded(&file)["ais"]["changed"], json!(["engine"]));
    fs::write(&module, "2").unwrap();
    assert_eq!(reloaded(&file)["ais"]["changed"], json!(["engine"]));
    // An identical copy of the program does not restart anything.
    let (program, other) = (file.folder().join("engine"), file.folder().join("other"));
    fs::copy(&program, &other).unwrap();
    fs::rename(&other, &program).unwrap();
    assert_eq!(reloaded(&file)["ais"]["unchanged"], json!(["engine"]));
    let mut bytes = fs::read(&program).unwrap();
    bytes.push(0);
    fs::copy(&program, &other).unwrap();
    fs::write(&other, bytes).unwrap();
    fs::rename(&other, &program).unwrap();
    assert_eq!(reloaded(&file)["ais"]["changed"], json!(["engine"]));
}

#[test]
fn missing_engine_files_do_not_stop_a_reload_of_other_ais() {
    let (file, script) = scripted("");
    let with_basic1 = |depth: u32| {
        let text = fs::read_to_string(file.path()).unwrap();
        let text = text.split("[ai.basic1]").next().unwrap().to_owned();
        let basic1 = format!("[ai.basic1]\nlibrary = \"ai_basic1\"\nlimit.depth = {depth}\n");
        fs::write(file.path(), text + &basic1).unwrap();
    };
    with_basic1(1);
    let server = Server::start(&file);
    assert_eq!(played(&server), "e2e4");
    let gone = file.folder().join("gone");
    // The command names the script and `allow_read` grants it. `allow_exec` grants the program.
    for (path, depth) in [(&script, 2), (&file.folder().join("engine"), 3)] {
        fs::rename(path, &gone).unwrap();
        with_basic1(depth);
        let reported = reloaded(&file);
        assert_eq!(reported["ais"]["changed"], json!(["basic1"]), "{reported}");
        assert_eq!(
            reported["ais"]["unchanged"],
            json!(["engine"]),
            "{reported}"
        );
        let warning = format!(
            "the AI 'engine' keeps running, but it can't start another worker: {} is gone",
            path.display()
        );
        assert!(
            reported["warnings"].to_string().contains(&warning),
            "{reported}"
        );
        assert_eq!(played(&server), "e2e4");
        fs::rename(&gone, path).unwrap();
        let again = reloaded(&file);
        assert_eq!(
            (&again["ais"]["changed"], &again["warnings"]),
            (&json!([]), &json!([])),
            "{again}"
        );
    }
    // If the section has changed, a missing file is a configuration error.
    fs::rename(&script, &gone).unwrap();
    let text = fs::read_to_string(file.path()).unwrap();
    fs::write(
        file.path(),
        text.replace("[ai.engine]\n", "[ai.engine]\nthreads = 9\n"),
    )
    .unwrap();
    let failed = reload(&file);
    assert_eq!(failed.status.code(), Some(2));
    let printed = String::from_utf8(failed.stdout).unwrap();
    assert_has(&printed, &["`ai.engine.allow_read` grants"]);
}

#[test]
fn a_missing_script_in_a_granted_folder_only_causes_a_warning() {
    let (file, script) = scripted("");
    in_folder(&file, &script);
    let server = Server::start(&file);
    let moved = file.folder().join("elsewhere");
    let scripts = file.folder().join("scripts");
    for (from, to) in [(scripts.join("script"), moved.clone()), (scripts, moved)] {
        fs::rename(&from, &to).unwrap();
        let reported = reloaded(&file);
        assert_eq!(
            reported["ais"]["unchanged"],
            json!(["engine"]),
            "{reported}"
        );
        let warnings = reported["warnings"].to_string();
        assert!(
            warnings.contains(&format!("{} is gone", from.display())),
            "{reported}"
        );
        assert_eq!(played(&server), "e2e4");
        fs::rename(&to, &from).unwrap();
    }
}

#[test]
fn a_missing_interpreter_script_only_causes_a_warning() {
    let (folder, script) = engine();
    let script = script.canonicalize().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let settings = format!(
        "allow_exec = [\"/bin/sh\"]\nallow_read = [{:?}]\n",
        folder.to_str().unwrap()
    );
    let command = format!("options.command = \"/bin/sh {}\"", script.display());
    let file = with_ais(&[("engine", "ai_uci", &format!("{settings}{command}"))], "");
    let server = Server::start(&file);
    let away = folder.with_extension("away");
    for (from, to) in [(&script, script.with_extension("away")), (&folder, away)] {
        fs::rename(from, &to).unwrap();
        let reported = reloaded(&file);
        assert_eq!(
            reported["ais"]["unchanged"],
            json!(["engine"]),
            "{reported}"
        );
        let part = format!("another worker: {} is gone; restore", from.display());
        assert!(
            reported["warnings"].to_string().contains(&part),
            "{reported}"
        );
        assert_eq!(played(&server), "e2e4");
        fs::rename(&to, from).unwrap();
        assert_eq!(reloaded(&file)["ais"]["unchanged"], json!(["engine"]));
    }
}

#[test]
fn a_reload_says_that_a_folder_has_grown() {
    let (file, script) = scripted("");
    let script = in_folder(&file, &script);
    let server = Server::start(&file);
    assert_eq!(reloaded(&file)["warnings"], json!([]));
    let net = script.with_file_name("new.nnue");
    fs::write(&net, "").unwrap();
    let reported = reloaded(&file);
    assert_eq!(
        reported["ais"]["unchanged"],
        json!(["engine"]),
        "{reported}"
    );
    let warning = format!(
        "'engine' keeps running unchanged, although {} has changed in a folder",
        net.display()
    );
    assert!(
        reported["warnings"].to_string().contains(&warning),
        "{reported}"
    );
    // The changed script restarts the engine, so there is no warning.
    write(&script, "d2d4");
    let reported = reloaded(&file);
    assert_eq!(
        (&reported["ais"]["changed"], &reported["warnings"]),
        (&json!(["engine"]), &json!([])),
        "{reported}"
    );
    assert_eq!(played(&server), "d2d4");
}

/// Moves a script into a folder and grants the folder instead.
fn in_folder(file: &ConfigFile, script: &Path) -> PathBuf {
    let folder = file.folder().join("scripts");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    let moved = folder.join("script");
    fs::rename(script, &moved).unwrap();
    let text = fs::read_to_string(file.path()).unwrap();
    let text = text.replace(script.to_str().unwrap(), moved.to_str().unwrap());
    let grant = format!("allow_read = [{:?}]", moved.to_str().unwrap());
    fs::write(
        file.path(),
        text.replace(
            &grant,
            &format!("allow_read = [{:?}]", folder.to_str().unwrap()),
        ),
    )
    .unwrap();
    moved
}

#[test]
fn watch_notices_a_changed_script() {
    let (file, script) = scripted("watch = true\n");
    let server = Server::start(&file);
    assert_eq!(played(&server), "e2e4");
    write(&script, "d2d4");
    wait_until("the new script plays", || played(&server) == "d2d4");
}
