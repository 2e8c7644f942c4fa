//! `rookery config`.

use serde_json::json;

use super::{command, outcome, run, run_quietly, run_with};
use crate::support::{ConfigFile, ai, assert_has, built, configuration};

#[test]
fn check_accepts_a_good_configuration() {
    let file = configuration(&["ai_basic1", "counts_pawns"]);
    let text = run_with(&file, &["config", "check"]).data();
    assert_eq!(text, format!("{}: ok, 2 AIs\n", file.path().display()));
    let one = configuration(&["ai_basic1"]);
    assert!(
        run_with(&one, &["config", "check"])
            .data()
            .ends_with(": ok, 1 AI\n")
    );
}

#[test]
fn prints_json() {
    let file = configuration(&["ai_basic1"]);
    let checked = run_with(&file, &["config", "check", "--json"]).json();
    assert_eq!(
        checked,
        json!({"config": file.path(), "ais": ["ai_basic1"], "warnings": [], "notes": []})
    );
    let shown = run_with(&file, &["config", "show", "--json"]).json();
    assert_eq!(
        shown["ai"]["ai_basic1"]["library"],
        json!(built("ai_basic1"))
    );
    assert_eq!(shown["config"], json!(file.path()));
    assert_eq!(shown["ai"]["ai_basic1"]["options"], json!({}));
    assert_eq!(
        (&shown["server"]["listen"], &shown["plugins"]["watch"]),
        (&json!("127.0.0.1:8080"), &json!(false))
    );
    assert!(shown["plugins"]["directories"].is_array(), "{shown}");
}

#[test]
fn check_reports_ai_errors_together_with_file_errors() {
    let file = ConfigFile::new(
        "[ai.one]\nlibrary = \"ai_basic1\"\noptions = { hash_mb = 4096 }\n\
         [ai.two]\nlibrary = \"ai_basic1\"\nworkers = 0\noptions = { hash_mb = 4096 }\n\
         [level.club]\nname = \"Club\"\nelo = 1500\nai = \"one\"\noptions = { quiescense = true }\n\
         [client.default]\nai = \"tree\"\n",
    );
    let output = run_with(&file, &["config", "check", "--json"]).failure(2);
    assert_eq!(
        (&output["code"], &output["exit_status"]),
        (&json!("wrong_configuration"), &json!(2)),
        "{output:#}"
    );
    assert_eq!(output["detail"], "4 errors in the configuration");
    let issues: Vec<_> = output["issues"].as_array().unwrap().iter().collect();
    // If an AI has an error in the file, its other errors are not reported.
    let expected = [
        ("`ai.one.options.hash_mb` is 4096", "4096 }\n[ai.two]"),
        ("`ai.two.workers` is 0", "0\noptions"),
        ("the AI `one` declares no option `quiescense`", "quiescense"),
        (
            "`client.default.ai` names the AI `tree`, which is not configured",
            "\"tree\"",
        ),
    ];
    for (issue, (message, part)) in issues.iter().zip(expected) {
        let place = format!(
            "--> {}:{}:{}\n",
            file.path().display(),
            issue["line"],
            issue["column"]
        );
        assert_eq!(
            (issue["message"].as_str(), place),
            (Some(message), self::place(&file, part)),
            "{issue:#}"
        );
    }
    assert_eq!(issues.len(), 4, "{output:#}");
    // The text output contains the same errors.
    let text =
        run_with(&file, &["config", "check"]).fails_with(2, &expected.map(|(message, _)| message));
    assert!(text.ends_with("4 errors in the configuration\n"), "{text}");
    // A section that a syntax error leaves incomplete is not checked further.
    let broken = ConfigFile::new(
        "[ai.one]\nlibrary = \"ai_basic1\"\noptions = { hash_mb = 4096 }\nworkers = \n",
    );
    assert!(
        !run_with(&broken, &["config", "check"])
            .error_output(2)
            .contains("hash_mb` is")
    );
}

/// Returns the line and column of a part of a file, counted from 1.
fn place(file: &ConfigFile, part: &str) -> String {
    let text = std::fs::read_to_string(file.path()).unwrap();
    let at = text.find(part).unwrap();
    let line = text[..at].matches('\n').count() + 1;
    let column = at - text[..at].rfind('\n').map_or(0, |end| end + 1) + 1;
    format!("--> {}:{line}:{column}\n", file.path().display())
}

#[test]
fn suggests_only_libraries_that_can_be_loaded() {
    let file =
        ConfigFile::verbatim("[plugins]\ndirectories = [\".\"]\n[ai.mine]\nlibrary = \"mine1\"\n");
    std::fs::write(file.folder().join("libmine2.so"), "no library").unwrap();
    std::fs::copy(built("no_ai"), file.folder().join("libmine3.so")).unwrap();
    let broken = run_with(&file, &["config", "check"]).error_output(2);
    assert!(
        !broken.contains("did you mean") && broken.contains("found there: mine2, mine3"),
        "{broken}"
    );
    std::fs::copy(built("ai_basic1"), file.folder().join("libmine44.so")).unwrap();
    run_with(&file, &["config", "check"]).fails_with(2, &["did you mean `mine44`?"]);
}

#[test]
fn check_reports_every_error_in_the_file() {
    let file = ConfigFile::new(
        "[server]\nlistn = \"127.0.0.1:1\"\n[ai.basic1]\nlibrary = \"ai_basik1\"\nworkers = 0\n\
         [client.default]\nai = \"stockfish\"\n",
    );
    for arguments in [
        &["config", "check"][..],
        &["config", "show"],
        &["serve"],
        &["ais"],
        &["best-move"],
    ] {
        let error_output = run_with(&file, arguments).error_output(2);
        for (part, message) in [
            ("listn", "unknown key `listn` in [server]"),
            (
                "\"ai_basik1\"",
                "the library \"ai_basik1\" of the AI `basic1` was not found",
            ),
            ("0\n[client", "`ai.basic1.workers` is 0"),
            (
                "\"stockfish\"",
                "`client.default.ai` names the AI `stockfish`, which is not configured",
            ),
        ] {
            assert_has(
                &error_output,
                &[format!("error: {message}\n"), place(&file, part)],
            );
        }
        assert_has(&error_output, &["did you mean `ai_basic1`?"]);
        assert!(
            error_output.ends_with("4 errors in the configuration\n"),
            "{error_output}"
        );
    }
}

#[test]
fn check_reports_every_error_of_the_ais() {
    let file = ConfigFile::new(
        "[ai.basic1]\nlibrary = \"ai_basic1\"\noptions = { hash_mb = 4096, quiescense = true \
         }\n[ai.moody]\nlibrary = \"required_option\"\n[ai.no_ai]\nlibrary = \
         \"no_ai\"\n[ai.zealous]\nlibrary = \"required_option\"\noptions = { mood = \"splendid\", \
         strength = 10 }\n[client.default]\nai = \"basic1\"\n",
    );
    for arguments in [
        &["config", "check"][..],
        &["serve", "--listen", "127.0.0.1:0"],
    ] {
        let parts = [
            place(&file, "4096"),
            place(&file, "quiescense"),
            place(&file, "\"splendid\""),
            place(&file, "10 }"),
            "error: AI 'moody': the AI failed to start: not in a bad mood".into(),
            place(&file, "\"required_option\""),
            "error: AI 'no_ai': the library is not an AI".into(),
            place(&file, "\"no_ai\""),
            "library = \"no_ai\"\n   |           ^^^^^^^\n".into(),
            "its library is /".into(),
            "the library is not an AI for Rookery: it has no note from ai_api::export_ai!".into(),
            "did you mean `quiescence`?".into(),
            "from 1 to 1024".into(),
            "from 1 to 9".into(),
            "bad".into(),
        ];
        let error_output = run_quietly(&file, arguments).fails_with(2, &parts);
        assert_eq!(error_output.matches("error: ").count(), 6, "{error_output}");
    }
}

#[test]
fn check_starts_ais_with_their_options() {
    let moody = |options: &str| {
        ai(
            "moody",
            "required_option",
            &format!("options = {{ {options} }}"),
        )
    };
    run_with(&moody("mood = \"good\""), &["config", "check"]).data();
    run_with(
        &moody("mood = \"good\", strength = 9"),
        &["config", "check"],
    )
    .data();
    for options in [
        "",
        "mood = \"bad\"",
        "mood = \"good\", strength = 0",
        "mood = true",
        "strength = \"3\"",
    ] {
        run_with(&moody(options), &["config", "check"]).error_output(2);
    }
}

#[test]
fn show_prints_a_valid_configuration() {
    let file = ConfigFile::new(
        "[server]\nmax_body_bytes = 4096\n[ai.basic1]\nlibrary = \"ai_basic1\"\nlimit = { nodes = \
         1000 }\noptions = { hash_mb = 2, quiescence = false }\n[ai.\"p-1\"]\nlibrary = \
         \"counts_pawns\"\nworkers = 3\n[client.default]\nai = \"basic1\"\nallowed_ais = \
         [\"basic1\", \"p-1\"]\n",
    );
    let shown = run_with(&file, &["config", "show"]).data();
    assert_has(
        &shown,
        &[
            "max_body_bytes = 4096",
            "shutdown_grace_ms = 10000",
            "{ nodes = 1000 }",
        ],
    );
    assert_has(&shown, &["hash_mb = 2", "workers = 3"]);
    // The output is valid in any folder, because every path is absolute.
    let elsewhere = tempfile::tempdir().unwrap();
    let copy = elsewhere.path().join("copy.toml");
    std::fs::write(&copy, &shown).unwrap();
    let copy = copy.to_str().unwrap();
    let again = run(&["config", "show", "--config", copy]).data();
    let [(first, rest), (copied_first, copied_rest)] =
        [&shown, &again].map(|text| text.split_once('\n').unwrap());
    assert_eq!(first, format!("# {}", file.path().display()));
    assert_eq!((copied_first, copied_rest), (&*format!("# {copy}"), rest));
    run(&["config", "check", "--config", copy]).data();
}

#[test]
fn environment_variables_override_the_file() {
    let file = configuration(&["ai_basic1"]);
    let show = |name: &str, value: &str| {
        let mut command = command(&["config", "show", "--config", file.path().to_str().unwrap()]);
        outcome(command.env(name, value))
    };
    assert_has(
        &show("ROOKERY_LISTEN", "127.0.0.1:9000").data(),
        &["listen = \"127.0.0.1:9000\""],
    );
    let error_output = show("ROOKERY_LISTEN", "here").error_output(2);
    let beginning = "error: ROOKERY_LISTEN: `server.listen` is \"here\"";
    assert!(error_output.starts_with(beginning), "{error_output}");
    assert_has(
        &show("ROOKERY_SHUTDOWN_GRACE_MS", "250").data(),
        &["shutdown_grace_ms = 250"],
    );
    show("ROOKERY_MAX_BODY_BYTES", "1").error_output(2);
}

#[test]
fn uses_the_first_file_that_exists() {
    let file = configuration(&["ai_basic1"]);
    let folder = file.folder();
    let text = std::fs::read_to_string(file.path()).unwrap();
    std::fs::remove_file(file.path()).unwrap();
    let write = |name: &str| {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
        path
    };
    let named = || {
        let mut show = command(&["config", "show"]);
        show.current_dir(folder);
        show.env("XDG_CONFIG_HOME", folder.join("home"));
        show
    };
    let check = |show: &mut assert_cmd::Command, expected: &std::path::Path| {
        let shown = outcome(show).data();
        let first = format!("# {}\n", expected.display());
        assert!(shown.starts_with(&first), "{first}{shown}");
    };
    // Each file takes precedence over the files before it.
    for name in [
        "home/rookery/rookery.toml",
        "config/rookery.toml",
        "rookery.toml",
    ] {
        let path = write(name);
        check(&mut named(), &path);
    }
    let by_variable = write("by-variable.toml");
    check(named().env("ROOKERY_CONFIG", &by_variable), &by_variable);
    let by_flag = write("by-flag.toml");
    let mut both = named();
    both.env("ROOKERY_CONFIG", &by_variable);
    check(both.arg("--config").arg(&by_flag), &by_flag);

    let missing = run(&["config", "check", "--config", "nowhere.toml"]).error_output(2);
    assert_has(
        &missing,
        &[
            "error: nowhere.toml: there is no such file",
            "use `--config FILE` for a different file",
        ],
    );
    run(&["config", "check", "--config", "/"]).error_output(2);
}

#[test]
fn a_directory_without_libraries_causes_a_note() {
    let file = ConfigFile::verbatim("[plugins]\ndirectories = [\"ais\"]\n");
    std::fs::create_dir(file.folder().join("ais")).unwrap();
    let note = format!(
        "{} in `plugins.directories` contains no library",
        file.folder().join("ais").display()
    );
    let checked = run_with(&file, &["config", "check"]);
    assert_eq!(checked.status, Some(0), "{}", checked.stderr);
    assert_has(&checked.stderr, &[format!("note: {note}")]);
    let checked = run_with(&file, &["config", "check", "--json"]).json();
    assert_has(checked["notes"][0].as_str().unwrap(), &[note]);
}

#[test]
fn a_missing_directory_is_an_error_without_a_note() {
    let file = ConfigFile::verbatim("[plugins]\ndirectories = [\"ais\"]\n");
    let printed = run_with(&file, &["config", "check"]).error_output(2);
    assert_has(&printed, &["error: `plugins.directories` names "]);
    assert!(!printed.contains("note"), "{printed}");
}
