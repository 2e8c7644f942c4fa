//! Changed programs and scripts of engines.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::reloaded;
use crate::{
    plugins::uci_engines::faulty_engine,
    server::Server,
    support::{ConfigFile, processes::wait_until},
};

/// Writes a script that plays this move first, and those of the smoke tests.
fn write(script: &Path, chosen: &str) {
    fs::write(script, format!("RNBQKBNR {chosen}\n4R2K e1e8\n5KQ1 g6g7\n")).unwrap();
}

/// An engine that plays the moves in its script.
fn scripted(plugins: &str) -> (ConfigFile, PathBuf) {
    let file = faulty_engine("plays SCRIPT", "", "");
    let script = file.folder().join("script");
    write(&script, "e2e4");
    let text = fs::read_to_string(file.path()).unwrap().replace("SCRIPT", script.to_str().unwrap());
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
fn an_engine_with_another_script_or_program_is_started_again() {
    let (file, script) = scripted("");
    let server = Server::start(&file);
    assert_eq!(played(&server), "e2e4");
    assert_eq!(reloaded(&file)["ais"]["unchanged"], json!(["engine"]));
    // As long as before.
    write(&script, "d2d4");
    assert_eq!(played(&server), "e2e4", "the script was read before");
    assert_eq!(reloaded(&file)["ais"]["changed"], json!(["engine"]));
    assert_eq!(played(&server), "d2d4");
    // Not named by the command, such as a module that a script imports.
    let module = file.folder().join("module");
    fs::write(&module, "1").unwrap();
    let text = fs::read_to_string(file.path()).unwrap();
    let granted = text.replacen("allow_read = [", &format!("allow_read = [{module:?}, "), 1);
    fs::write(file.path(), granted).unwrap();
    assert_eq!(reloaded(&file)["ais"]["changed"], json!(["engine"]));
    fs::write(&module, "2").unwrap();
    assert_eq!(reloaded(&file)["ais"]["changed"], json!(["engine"]));
    // The same content in another file.
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
fn watch_notices_a_changed_script() {
    let (file, script) = scripted("watch = true\n");
    let server = Server::start(&file);
    assert_eq!(played(&server), "e2e4");
    write(&script, "d2d4");
    wait_until("the new script plays", || played(&server) == "d2d4");
}
