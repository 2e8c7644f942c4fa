//! Where an engine starts, what it finds there, and what it needs beyond that.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::json;
use tempfile::TempDir;

use super::{ENGINE, MOVES, add, added, script, text};
use crate::{
    cli::{command, outcome, run_with},
    support::{assert_has, basic1_and},
};

/// An engine whose name reports what it found: itself, its net by a relative path, and files in
/// `/proc`.
const LOOKS: &str = r#"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
const char *part_move(const char *position);
static int opens(const char *path) { return open(path, O_RDONLY) >= 0; }
int main(void) {
    char line[9999], position[9999] = "", self[999] = "", folder[999] = "";
    readlink("/proc/self/exe", self, sizeof self - 1);
    getcwd(folder, sizeof folder);
    const char *name = strrchr(self, '/');
    setvbuf(stdout, NULL, _IONBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "uci\n", 4)) {
            int opened = opens("/proc/self/maps") + opens("/proc/self/net/tcp")
                + opens("/proc/1/status") + opens("/proc");
            printf("id name self=%s,net=%d,lost=%d,proc=%d,in=%s\nuciok\n",
                   name ? name : "?", opens("net.bin"), opens("lost.bin"), opened, folder);
        } else if (!strncmp(line, "isready", 7)) puts("readyok");
        else if (!strncmp(line, "position", 8)) strcpy(position, line);
        else if (!strncmp(line, "go", 2)) printf("bestmove %s\n", part_move(position));
        else if (!strncmp(line, "quit", 4)) return 0;
    }
}
"#;
const PART: &str = r#"
#include <string.h>
const char *part_move(const char *p) {
    return strstr(p, "r3k2r/p1ppqpb1") ? "e2a6"
         : strstr(p, "5p2/6p1") ? "f7f6"
         : strstr(p, "6k1/5ppp") ? "e1e8"
         : strstr(p, "5KQ1") ? "g6g7"
         : strstr(p, "r1bqkbnr") ? "g8f6"
         : "e2e4";
}
"#;

/// A Python engine. `{begin}` runs first, and `{go}` runs before each reply with the position in
/// `p`.
const PYTHON: &str = r#"#!/usr/bin/env python3
import os, sys, threading, time
{begin}
MOVES = {
    "r3k2r/p1ppqpb1": "e2a6",
    "5p2/6p1": "f7f6",
    "6k1/5ppp": "e1e8",
    "5KQ1": "g6g7",
    "r1bqkbnr": "g8f6",
}
p = ""
for line in sys.stdin:
    word = line.split()[0]
    if word == "uci": print("id name Py\nuciok")
    elif word == "isready": print("readyok")
    elif word == "position": p = line
    elif word == "go":
        {go}
        move = next((MOVES[key] for key in MOVES if key in p), "e2e4")
        print("info depth 1 score cp 12 nodes 1 pv", move, "\nbestmove", move)
    elif word == "quit": break
    sys.stdout.flush()
"#;

fn python(folder: &Path, begin: &str, go: &str) -> PathBuf {
    script(
        folder,
        "eng.py",
        &PYTHON.replace("{begin}", begin).replace("{go}", go),
    )
}

fn cc(folder: &Path, arguments: &[&str]) {
    assert!(
        Command::new("cc")
            .args(arguments)
            .current_dir(folder)
            .status()
            .unwrap()
            .success()
    );
}

/// An engine in `bin`, with its library in `lib` and its net next to it.
fn in_parts() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().canonicalize().unwrap().join("engine");
    for part in ["", "bin", "lib"] {
        fs::create_dir(own.join(part)).unwrap();
    }
    script(&own, "part.c", PART);
    script(&own, "engine.c", LOOKS);
    script(&own.join("bin"), "net.bin", "weights");
    cc(
        &own,
        &["-shared", "-fPIC", "-o", "lib/libpart.so", "part.c"],
    );
    cc(
        &own,
        &[
            "-o",
            "bin/engine",
            "engine.c",
            "-Llib",
            "-lpart",
            "-Wl,-rpath,$ORIGIN/../lib",
        ],
    );
    script(folder.path(), "open", "");
    (folder, own)
}

#[test]
fn an_engine_finds_itself_and_its_files() {
    let (_folder, own) = in_parts();
    let file = basic1_and("");
    let engine = own.join("bin/engine");
    let printed = added(&file, &[engine.to_str().unwrap()]);
    let bin = own.join("bin");
    let name = format!("self=/engine,net=1,lost=0,proc=0,in={}", bin.display());
    assert_eq!(printed["name"], name, "{printed:#}");
    let granted = [bin.join("net.bin"), own.join("lib")];
    assert_eq!(printed["allow_read"], json!(granted), "{printed:#}");
    // The engine plays without the file, perhaps badly.
    assert_eq!(
        printed["trial"]["not_found"],
        json!([bin.join("lost.bin")]),
        "{printed:#}"
    );
    assert!(
        !text(&file).contains("working_directory"),
        "{}",
        text(&file)
    );
    let shown = outcome(
        command(&[
            "add",
            "--config",
            file.path().to_str().unwrap(),
            engine.to_str().unwrap(),
        ])
        .env("XDG_RUNTIME_DIR", file.folder()),
    );
    assert_has(
        &shown.stdout,
        &[format!(
            "looked for, but not found       {}",
            bin.join("lost.bin").display()
        )],
    );
    // A server starts the engine the same way.
    let ais = run_with(&file, &["ais", "--json"]).json();
    assert!(ais.to_string().contains(&name), "{ais:#}");
}

#[test]
fn a_player_given_by_its_path_finds_its_net() {
    let (_folder, own) = in_parts();
    let engine = own.join("bin/engine");
    let file = basic1_and("");
    let played = run_with(
        &file,
        &[
            "match",
            engine.to_str().unwrap(),
            "basic1",
            "--games",
            "2",
            "--movetime-ms",
            "10",
            "--json",
        ],
    );
    assert_has(
        &played.stderr,
        &[format!("it reads {}", own.join("bin/net.bin").display())],
    );
}

#[test]
fn a_module_starts_in_the_folder_of_its_command() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("tiny");
    fs::create_dir(&package).unwrap();
    script(
        &package,
        "__main__.py",
        &PYTHON
            .replace("{begin}", "from . import part")
            .replace("{go}", "pass"),
    );
    script(&package, "part.py", "");
    script(folder.path(), "open", "");
    let file = basic1_and("");
    let mut adding = command(&["add", "--json", "--config", file.path().to_str().unwrap()]);
    adding
        .args(["--id", "tiny", "--", "python3", "-u", "-m", "tiny"])
        .current_dir(folder.path());
    let added = outcome(adding.env("XDG_RUNTIME_DIR", file.folder()));
    assert_eq!(added.status, Some(0), "{}", added.stderr);
    let own = folder.path().canonicalize().unwrap();
    assert_has(
        &text(&file),
        &[format!("working_directory = \"{}\"", own.display())],
    );
    let game = run_with(&file, &["best-move", "--ai", "tiny", "--json"]).json();
    assert_eq!(game["move"]["uci"], "e2e4", "{game:#}");
}

#[test]
fn a_script_can_change_to_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("moves.sh"), MOVES).unwrap();
    let start = "set -e\ncd \"${0%/*}\"\n. ./moves.sh\n";
    let engine = script(
        folder.path(),
        "cd.sh",
        &ENGINE.replace(". \"${0%/*}/moves.sh\"\n", start),
    );
    let printed = added(&basic1_and(""), &[engine.to_str().unwrap()]);
    assert_eq!(printed["name"], "Shell", "{printed:#}");
}

#[test]
fn a_script_starts_the_engine_next_to_it() {
    let (_folder, own) = in_parts();
    script(
        &own,
        "start.sh",
        "#!/bin/sh\ncd \"$(dirname \"$0\")/bin\" && exec ./engine \"$@\"\n",
    );
    let file = basic1_and("");
    let printed = added(&file, &[own.join("start.sh").to_str().unwrap()]);
    assert!(
        printed["name"].as_str().unwrap().contains("engine,net=1"),
        "{printed:#}"
    );
    let game = run_with(&file, &["best-move", "--ai", "start", "--json"]).json();
    assert_eq!(game["move"]["uci"], "e2e4", "{game:#}");
}

#[test]
fn a_script_finds_the_engines_of_debian() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("moves.sh"), MOVES).unwrap();
    let start = "#!/bin/sh\ncase :$PATH: in *:/usr/games:*) ;; *) exit 3 ;; esac\n";
    assert!(ENGINE.starts_with("#!/bin/sh\n"));
    let engine = ENGINE.replacen("#!/bin/sh\n", start, 1);
    let engine = script(folder.path(), "path.sh", &engine);
    let printed = added(&basic1_and(""), &[engine.to_str().unwrap()]);
    assert_eq!(printed["name"], "Shell", "{printed:#}");
}

#[test]
fn an_engine_that_keeps_time_limits_but_ignores_stop_is_added_with_a_note() {
    let folder = tempfile::tempdir().unwrap();
    let go = "words = line.split(); time.sleep(int(words[words.index('movetime') + 1]) / 1000 if \
              'movetime' in words else 60 if 'infinite' in words else 0.01)";
    let engine = python(folder.path(), "", go);
    let file = basic1_and("");
    let mut adding = command(&["add", "--config"]);
    adding
        .arg(file.path())
        .arg(engine)
        .env("XDG_RUNTIME_DIR", file.folder());
    let shown = outcome(&mut adding);
    assert_has(
        &shown.stdout,
        &["it ignores 'stop'               every search gets a time limit (untimed_search_ms)"],
    );
    assert_has(&text(&file), &["untimed_search_ms = 500"]);
    for limit in [&[][..], &["--depth", "3"], &["--nodes", "1000"]] {
        let asked = run_with(&file, &[&["best-move", "--ai", "eng"], limit].concat());
        assert_eq!(asked.status, Some(0), "{limit:?}: {}", asked.stderr);
    }
}

#[test]
fn only_memory_that_a_program_uses_counts() {
    let folder = tempfile::tempdir().unwrap();
    let begin = "import mmap\nreserved = [mmap.mmap(-1, 1 << 33) for _ in range(4)]";
    let engine = python(folder.path(), begin, "pass");
    let file = basic1_and("");
    let printed = added(&file, &["--memory-mb", "512", engine.to_str().unwrap()]);
    assert_eq!(printed["memory_mb"], 1024, "{printed:#}");
    assert!(
        printed["trial"]["peak_mb"].as_u64().unwrap() < 100,
        "{printed:#}"
    );
    assert_has(&text(&file), &["memory_mb = 512"]);
    let ask = || run_with(&file, &["best-move", "--ai", "eng"]);
    assert_eq!(ask().status, Some(0));

    let slow = "used = b'1' * (700 << 20); time.sleep(20)";
    python(folder.path(), begin, slow);
    let failed = ask().error_output(1);
    assert_has(
        &failed,
        &[
            "ran out of memory",
            "its limit is 512 MB (memory_mb in its [ai.ID]); try memory_mb = 1024",
        ],
    );
}

#[test]
fn reports_a_search_that_never_starts_for_lack_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let start =
        "for _ in range(12): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()";
    let engine = python(folder.path(), "", start);
    let file = basic1_and("");
    let refused = add(&file, &["--threads", "4", engine.to_str().unwrap()]);
    assert_eq!(refused.status, Some(1), "{}", refused.stdout);
    assert_has(
        &refused.stderr,
        &["its limit is 4 threads (threads in its [ai.ID]); try threads = 8"],
    );
}

#[test]
fn shows_the_last_output_of_an_engine_that_does_not_move() {
    let folder = tempfile::tempdir().unwrap();
    let silent = python(
        folder.path(),
        "print('no licence', file=sys.stderr, flush=True)",
        "continue",
    );
    let refused = add(&basic1_and(""), &[silent.to_str().unwrap()]).stderr;
    assert_has(
        &refused,
        &[
            "it does not play: a move from the start position",
            "no licence",
        ],
    );
}
