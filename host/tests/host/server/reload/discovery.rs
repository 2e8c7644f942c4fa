//! Discovery: libraries in a plugin directory without a section.

use std::{fs, path::PathBuf, process::Command, time::Duration};

use config::{LoadOptions, load};
use rustix::process::Signal;
use serde_json::{Value, json};
use server::reload::{FileStamps, Reloader, reload_when_triggered};
use test_kit::wait_until;
use tokio::{
    signal::unix::{SignalKind, signal},
    time::{sleep, timeout},
};

use super::{reload, reloaded};
use crate::{
    server::{Server, listening, logging},
    support::{Application, ConfigFile, assert_has, built, replace_library, rookery},
};

/// A configuration with an AI and a plugin directory.
fn with_directory(plugins: &str) -> (ConfigFile, PathBuf) {
    let file = ConfigFile::verbatim("");
    let directory = file.folder().join("ais");
    fs::create_dir(&directory).unwrap();
    replace_library(&directory.join("libown.so"), "ai_basic1");
    fs::write(file.path(), text(plugins)).unwrap();
    (file, directory)
}

fn text(plugins: &str) -> String {
    format!(
        "[plugins]\ndirectories = [\"ais\"]\n{plugins}[ai.own]\nlibrary = \
         \"own\"\n[client.default]\nai = \"own\"\n"
    )
}

fn ids(server: &Server) -> Vec<String> {
    let ais = server.get("/v1/ais").1;
    ais.as_array()
        .unwrap()
        .iter()
        .map(|ai| ai["id"].as_str().unwrap().to_owned())
        .collect()
}

fn best_move(server: &Server, ai: &str) -> (u16, Value) {
    server.post(
        "/v1/best-move",
        &json!({"game": {}, "ai": ai, "limit": {"depth": 1}}),
    )
}

#[test]
fn serves_a_discovered_library_until_it_is_removed() {
    let (file, directory) = with_directory("watch = true\n");
    let server = Server::start(&file);
    assert_eq!(ids(&server), ["own"]);
    assert_eq!(best_move(&server, "counts_pawns").0, 404);

    replace_library(&directory.join("any_name.so"), "counts_pawns");
    wait_until("the AI is served", || {
        best_move(&server, "counts_pawns").0 == 200
    });
    assert_eq!(ids(&server), ["counts_pawns", "own"]);
    assert_eq!(server.get("/readyz").0, 200);

    fs::remove_file(directory.join("any_name.so")).unwrap();
    wait_until("the AI is removed", || {
        best_move(&server, "counts_pawns").0 == 404
    });
    wait_until("the AI's worker exits", || server.children().len() == 1);
}

#[actix_web::test]
async fn stops_serving_a_library_that_vanished_after_startup() {
    let (file, directory) = with_directory("watch = true\n");
    let (path, overrides) = (file.path(), LoadOptions::default());
    let seen = FileStamps::of_file(&path).extended_to(&load(&path, &overrides).unwrap());
    let app = Application::of(&file);
    replace_library(&directory.join("any_name.so"), "counts_pawns");
    let reloader = Reloader::new(path, overrides, app.state().clone(), seen);
    let reloading = reload_when_triggered(reloader, signal(SignalKind::hangup()).unwrap(), None);
    let serves = |is_served: bool| {
        let app = &app;
        async move {
            while app
                .state()
                .service()
                .every_ai()
                .iter()
                .any(|ai| ai.id == "counts_pawns")
                != is_served
            {
                sleep(Duration::from_millis(1)).await;
            }
        }
    };
    let test = timeout(Duration::from_secs(20), async {
        serves(true).await;
        fs::remove_file(directory.join("any_name.so")).unwrap();
        serves(false).await;
    });
    tokio::select! {
        outcome = test => outcome.expect("within 20 s"),
        () = reloading => unreachable!("the reload loop never returns"),
    }
}

#[test]
fn discovers_libraries_at_startup_and_reload() {
    let (file, directory) = with_directory("");
    replace_library(&directory.join("libpawns.so"), "counts_pawns");
    let server = Server::start(&file);
    wait_until("both AIs are served", || {
        ids(&server) == ["counts_pawns", "own"]
    });

    // Without `watch`, the server finds a library at the next reload.
    replace_library(&directory.join("libinjector.so"), "fault_injector");
    assert_eq!(
        reloaded(&file)["ais"],
        json!({
            "added": ["fault_injector"],
            "changed": [],
            "removed": [],
            "unchanged": ["counts_pawns", "own"],
        })
    );
    replace_library(&directory.join("libpawns.so"), "ai_basic1");
    let ais = reloaded(&file)["ais"].clone();
    assert_eq!(
        (&ais["added"], &ais["removed"]),
        (&json!(["basic1"]), &json!(["counts_pawns"]))
    );
}

#[test]
fn the_configured_policy_disables_discovery() {
    let (file, directory) = with_directory("policy = \"configured\"\n");
    replace_library(&directory.join("libpawns.so"), "counts_pawns");
    let server = Server::start(&file);
    assert_eq!(ids(&server), ["own"]);
    fs::write(file.path(), text("policy = \"any\"\n")).unwrap();
    assert_eq!(reloaded(&file)["ais"]["added"], json!(["counts_pawns"]));
    fs::write(file.path(), text("policy = \"configured\"\n")).unwrap();
    assert_eq!(reloaded(&file)["ais"]["removed"], json!(["counts_pawns"]));
}

#[test]
fn broken_libraries_cause_warnings() {
    let (file, directory) = with_directory("");
    replace_library(&directory.join("libpawns.so"), "counts_pawns");
    // The libraries fail in `create`, crash, play illegal moves, are truncated, or are not
    // libraries or AIs.
    for library in [
        "required_option",
        "segfaults",
        "abort_on_load",
        "plays_illegal_move",
        "no_ai",
    ] {
        replace_library(&directory.join(format!("lib{library}.so")), library);
    }
    let part = fs::read(built("fault_injector")).unwrap();
    fs::write(directory.join("libpart.so"), &part[..part.len() / 2]).unwrap();
    fs::write(directory.join("libtext.so"), "no library").unwrap();
    let server = Server::start(&file);
    wait_until("the good libraries are served", || {
        ids(&server) == ["counts_pawns", "own"]
    });
    assert_eq!(best_move(&server, "counts_pawns").0, 200);

    let printed = reloaded(&file);
    assert_eq!(printed["ais"]["unchanged"], json!(["counts_pawns", "own"]));
    let warnings = printed["warnings"].as_array().unwrap();
    for (library, part) in [
        (
            "libsegfaults.so",
            "in its smoke test, the start position: the AI crashed",
        ),
        ("libabort_on_load.so", "while starting: the AI crashed"),
        ("libplays_illegal_move.so", "in its smoke test"),
        ("libpart.so", "bytes"),
        ("libtext.so", "not a shared library"),
        ("libno_ai.so", "add the macro"),
    ] {
        let reported = |warning: &&Value| {
            let warning = warning.as_str().unwrap();
            warning.contains(library) && warning.contains(part)
        };
        assert_eq!(
            warnings.iter().filter(reported).count(),
            1,
            "{library}: {part}: {warnings:#?}"
        );
    }
    assert_eq!(warnings.len(), 6, "{warnings:#?}");
    // A library that lacks only settings causes a warning when it is new.
    replace_library(&directory.join("libmoody.so"), "required_option");
    fs::remove_file(directory.join("librequired_option.so")).unwrap();
    let moody = |warning: &Value| warning.as_str().unwrap().contains("not in a bad mood");
    for expected in [1, 0] {
        let warnings = reloaded(&file)["warnings"].as_array().unwrap().clone();
        let found = warnings.iter().filter(|warning| moody(warning)).count();
        assert_eq!(found, expected, "{warnings:#?}");
    }
    fs::rename(
        directory.join("libmoody.so"),
        directory.join("librequired_option.so"),
    )
    .unwrap();

    let listed = Command::new(rookery())
        .args(["ais", "--config"])
        .arg(file.path())
        .output()
        .unwrap();
    let (stdout, stderr) = (
        String::from_utf8(listed.stdout).unwrap(),
        String::from_utf8(listed.stderr).unwrap(),
    );
    assert_eq!(listed.status.code(), Some(0), "{stderr}");
    let states = [
        "counts_pawns: ",
        "segfaults: failed",
        "plays_illegal_move: failed",
    ];
    assert_has(&stdout, &states);
    let notes = [
        "libtext.so is not served: ",
        "librequired_option.so is not served until an [ai.ID] names it",
    ];
    assert_has(&stderr, &notes);
}

#[test]
fn a_broken_library_does_not_replace_the_running_one() {
    let (file, directory) = with_directory("");
    let library = directory.join("libpawns.so");
    replace_library(&library, "counts_pawns");
    let server = Server::start(&file);
    wait_until("the AI is served", || {
        ids(&server) == ["counts_pawns", "own"]
    });
    for (broken, reason) in [
        ("segfaults", "segmentation fault"),
        ("no_ai", "export_ai!"),
        ("text", "the file is text"),
    ] {
        if broken == "text" {
            fs::remove_file(&library).unwrap();
            fs::write(&library, "no library").unwrap();
        } else {
            replace_library(&library, broken);
        }
        for _ in 0..2 {
            let printed = reloaded(&file);
            assert_eq!(
                printed["ais"]["unchanged"],
                json!(["counts_pawns", "own"]),
                "{printed}"
            );
            let warning = printed["warnings"][0].as_str().unwrap();
            let expected = "libpawns.so is not served; the AI 'counts_pawns' keeps running its \
                            earlier version: ";
            assert_has(warning, &[expected, reason]);
        }
        assert_eq!(best_move(&server, "counts_pawns").0, 200);
    }
    fs::remove_file(&library).unwrap();
    assert_eq!(reloaded(&file)["ais"]["removed"], json!(["counts_pawns"]));
}

#[test]
fn a_removed_ai_stops_even_if_its_library_needs_options() {
    let (file, directory) = with_directory("");
    replace_library(&directory.join("libmoody.so"), "required_option");
    let without = fs::read_to_string(file.path()).unwrap();
    let with = format!("{without}[ai.moody]\nlibrary = \"moody\"\noptions.mood = \"good\"\n");
    fs::write(file.path(), with).unwrap();
    let server = Server::start(&file);
    assert_eq!(ids(&server), ["moody", "own"]);
    fs::write(file.path(), without).unwrap();
    let reloaded = reloaded(&file);
    assert_eq!(reloaded["ais"]["removed"], json!(["moody"]));
    assert_eq!(reloaded["warnings"], json!([]));
    assert_eq!(ids(&server), ["own"]);
}

#[test]
fn skips_ais_that_need_options_without_a_warning() {
    let (file, directory) = with_directory("");
    replace_library(&directory.join("libuci.so"), "ai_uci");
    replace_library(&directory.join("libillegal.so"), "plays_illegal_move");
    replace_library(&directory.join("libforgotten.so"), "no_ai");
    replace_library(&directory.join("libpawns.so"), "counts_pawns");
    let (mut server, log) = logging(&file, "info", &[]);
    wait_until("all libraries are tested", || {
        ids(&server) == ["counts_pawns", "own"]
    });
    server.stop(Signal::TERM);
    let log = log.join().unwrap();
    for (library, level, said) in [
        (
            "libuci.so",
            " INFO ",
            "is not served until an [ai.ID] names it and sets its [ai.ID.options]: ",
        ),
        ("libillegal.so", " WARN ", "is not served: "),
        (
            "libforgotten.so",
            " WARN ",
            "is not served: the library is not an AI for Rookery: it has no note from \
             ai_api::export_ai!",
        ),
    ] {
        let reported: Vec<_> = log.lines().filter(|line| line.contains(library)).collect();
        assert!(
            reported.len() == 1 && reported[0].contains(level),
            "{library}: {reported:?}"
        );
        assert!(
            reported[0].contains(&format!("{library} {said}")),
            "{reported:?}"
        );
        assert!(!reported[0].contains("error: "), "{reported:?}");
    }
}

#[test]
fn configured_ais_win_over_discovered_ids() {
    let (file, directory) = with_directory("");
    let configured = text("")
        .replace("[ai.own]", "[ai.counts_pawns]")
        .replace("ai = \"own\"", "ai = \"counts_pawns\"");
    fs::write(file.path(), configured).unwrap();
    replace_library(&directory.join("libpawns.so"), "counts_pawns");
    replace_library(&directory.join("liba.so"), "fault_injector");
    replace_library(&directory.join("libb.so"), "fault_injector");
    // A second name for the configured library does not add an AI.
    std::os::unix::fs::symlink(directory.join("libown.so"), directory.join("liblink.so")).unwrap();
    let server = Server::start(&file);
    wait_until("both AIs are served", || {
        ids(&server) == ["counts_pawns", "fault_injector"]
    });
    let configured = server.get("/v1/ais/counts_pawns").1;
    assert_eq!(configured["library"]["file"], "libown.so", "{configured}");
    assert_eq!(
        server.get("/v1/ais/fault_injector").1["library"]["file"],
        "liba.so"
    );
    let warnings = reloaded(&file)["warnings"].clone();
    assert_eq!(warnings.as_array().unwrap().len(), 2, "{warnings}");
    assert!(
        warnings
            .to_string()
            .contains("already used by [ai.counts_pawns]"),
        "{warnings}"
    );
    assert!(
        warnings
            .to_string()
            .contains("liba.so, which was found first"),
        "{warnings}"
    );
}

#[test]
fn retries_a_failed_library_after_it_changes() {
    let (file, directory) = with_directory("watch = true\n");
    replace_library(&directory.join("libhangs.so"), "hangs");
    let log = file.folder().join("log");
    let server = Server::spawn(listening(&file).stderr(fs::File::create(&log).unwrap()));
    let tried = || {
        fs::read_to_string(&log)
            .unwrap()
            .matches("did not answer within")
            .count()
    };
    wait_until("the hanging library is tested", || tried() == 1);
    assert_eq!(ids(&server), ["own"]);

    // Another library does not wait for the hanging library.
    replace_library(&directory.join("libpawns.so"), "counts_pawns");
    wait_until("the AI is served", || {
        best_move(&server, "counts_pawns").0 == 200
    });
    replace_library(&directory.join("libhangs.so"), "fault_injector");
    wait_until("the new library is served", || {
        best_move(&server, "fault_injector").0 == 200
    });
}

#[test]
fn keeps_a_referenced_ai_whose_library_is_gone() {
    let (file, directory) = with_directory("");
    replace_library(&directory.join("libpawns.so"), "counts_pawns");
    fs::write(
        file.path(),
        text("").replace("ai = \"own\"", "ai = \"counts_pawns\""),
    )
    .unwrap();
    let server = Server::start(&file);
    let answered = || {
        let (status, body) =
            server.post("/v1/best-move", &json!({"game": {}, "limit": {"depth": 1}}));
        (status, body["ai"]["id"].as_str().map(str::to_owned))
    };
    assert_eq!(answered(), (200, Some("counts_pawns".to_owned())));

    fs::remove_file(directory.join("libpawns.so")).unwrap();
    let output = reload(&file);
    assert_eq!(output.status.code(), Some(2));
    let reported = String::from_utf8(output.stdout).unwrap();
    assert!(
        reported
            .contains("`client.default.ai` names the AI `counts_pawns`, which is not configured"),
        "{reported}"
    );
    assert_eq!(answered(), (200, Some("counts_pawns".to_owned())));
}
