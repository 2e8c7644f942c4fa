//! `rookery ais`.

mod pin;

use insta::assert_snapshot;
use serde_json::Value;

use super::{Outcome, command, outcome, run_with};
use crate::support::{Application, ConfigFile, ai, assert_has};

fn two_ais() -> ConfigFile {
    ConfigFile::new(
        "[ai.basic1]\nlibrary = \"ai_basic1\"\noverridable_options = [\"quiescence\"]\n\
         [ai.moody]\nlibrary = \"required_option\"\noptions = { mood = \"good\" }\n",
    )
}

/// Replaces folders and hashes, which differ between runs, with fixed words.
fn stable(text: &str) -> String {
    let line = |line: &str| {
        let (label, value) = line.split_at(line.len().min(11));
        match label.trim() {
            // The cgroup depends on the machine.
            "cgroup" => format!("{label}[cgroup]"),
            "library" => format!("{label}[folder]/{}", value.rsplit('/').next().unwrap()),
            "sha256" => {
                assert_eq!(value.len(), 64, "{value}");
                format!("{label}[sum]")
            }
            _ => line.to_owned(),
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn lists_each_ai_with_its_options() {
    assert_snapshot!(stable(&run_with(&two_ais(), &["ais"]).data()), @r#"
    basic1: Basic1 1.0.0 (searcher and evaluator), ready
      author   The Rookery developers
      option   hash_mb = 16  (1 to 1024)  megabytes of memory for positions already searched
      option   quiescence = true  (true or false; overridable)  follow captures beyond the last ply
      option   pvs = true  (true or false; advanced)  test moves after the first with a null window
      option   aspiration = true  (true or false; advanced)  start with a narrow window around the last score
      option   killers = false  (true or false; advanced)  try killer moves early
      option   history = true  (true or false; advanced)  order quiet moves by history
      option   null_move = true  (true or false; advanced)  prune where even a pass is good enough
      option   late_move_reductions = true  (true or false; advanced)  search late quiet moves less deeply at first
      library  [folder]/libai_basic1.so
      sha256   [sum]
      sandbox  required, 1024 MB, 64 threads; enforced: priority, pid_namespace, core_dumps, open_files, threads, memory, mount_namespace, working_directory, privileges, files, system_calls, computing_time
      cgroup   [cgroup]

    moody: test-ais 1.0.0 (searcher), ready
      author   The Rookery developers
      option   mood = "good"  (bad, good; default "bad")  the AI starts only with good
      option   strength = 3  (1 to 9)  playing strength
      library  [folder]/librequired_option.so
      sha256   [sum]
      sandbox  required, 1024 MB, 64 threads; enforced: priority, pid_namespace, core_dumps, open_files, threads, memory, mount_namespace, working_directory, privileges, files, system_calls, computing_time
      cgroup   [cgroup]
    "#);
}

#[actix_web::test]
async fn prints_the_json_of_the_server() {
    let file = two_ais();
    let mut reported = run_with(&file, &["ais", "--json"]).json();
    for entry in reported.as_array_mut().unwrap() {
        // The command prints the folder, which clients do not see.
        let path = entry["library"]["file"].as_str().unwrap().to_owned();
        assert!(path.starts_with('/'), "{path}");
        entry["library"]["file"] = path.rsplit('/').next().unwrap().into();
        // The tests' application does not use cgroups.
        let unused = "this command does not use cgroups";
        entry["sandbox"]["cgroup"] = serde_json::json!({"controllers": [], "reason": unused});
    }
    // A server needs a client.
    let clients =
        std::fs::read_to_string(file.path()).unwrap() + "[client.default]\nai = \"basic1\"\n";
    std::fs::write(file.path(), clients).unwrap();
    assert_eq!(reported, Application::of(&file).get("/v1/ais").await.body);
}

#[test]
fn lists_the_other_ais_when_one_fails() {
    let file = ConfigFile::new(
        "[ai.a_no_ai]\nlibrary = \"no_ai\"\n[ai.basic1]\nlibrary = \
         \"ai_basic1\"\n[ai.moody]\nlibrary = \"required_option\"\n[ai.zealous]\nlibrary = \
         \"required_option\"\noptions = { mood = \"good\", strength = 10 }\n",
    );
    let text = run_with(&file, &["ais"]);
    assert_eq!(text.status, Some(1), "{}", text.stdout);
    assert_eq!(text.stderr, "error: 3 of 4 AIs cannot be served\n");
    let parts = [
        "a_no_ai: failed\n",
        "the library is not an AI for Rookery",
        "basic1: Basic1 1.0.0 (searcher and evaluator), ready\n",
        "moody: failed\n",
        "not in a bad mood",
        "zealous: failed\n",
    ];
    assert_has(&text.stdout, &parts);

    let json = run_with(&file, &["ais", "--json"]);
    let (messages, failure) = json.messages_and_failure();
    assert_eq!((json.status, messages), (Some(1), ""));
    assert_eq!(
        format!("error: {}\n", failure["detail"].as_str().unwrap()),
        text.stderr
    );
    let entries: Value = serde_json::from_str(&json.stdout).unwrap();
    let states: Vec<_> = entries
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["state"])
        .collect();
    assert_eq!(states, ["failed", "ready", "failed", "failed"]);
    assert!(
        entries[2]["error"]
            .as_str()
            .unwrap()
            .contains("not in a bad mood")
    );
}

#[test]
fn never_prints_secret_options() {
    let with = |settings: &str| ai("lifecycle", "lifecycle", settings);
    let file = with("options = { level = 4, token = \"swordfish\" }");
    for arguments in [
        &["ais"][..],
        &["ais", "--json"],
        &["config", "show"],
        &["config", "check"],
        &["uci"],
    ] {
        let mut command = command(arguments);
        command
            .arg("--config")
            .arg(file.path())
            .write_stdin("uci\nquit\n");
        let Outcome {
            status,
            stdout,
            stderr,
        } = outcome(&mut command);
        assert_eq!(status, Some(0), "{arguments:?}: {stderr}");
        let shows = stdout.contains("swordfish") || stderr.contains("swordfish");
        assert!(!shows, "{arguments:?}: {stdout}{stderr}");
        // The AI's default is secret.
        assert!(!stdout.contains("a default"), "{arguments:?}: {stdout}");
    }
    assert_has(
        &run_with(&file, &["config", "show"]).data(),
        &["level = 4\n# token is secret\n"],
    );
    let secret = "option   token = (secret)  (text)  the key of a service\n";
    let advanced = "option   offset = 0.0  (-9 to 9; advanced)";
    assert_has(&run_with(&file, &["ais"]).data(), &[secret, advanced]);

    let wrong = with("options.token = 135791113");
    let not_a_text = "`ai.lifecycle.options.token` is not a string";
    let errors = run_with(&wrong, &["config", "check"]).fails_with(2, &[not_a_text]);
    assert!(!errors.contains("135791113"), "{errors}");
    let open = with("overridable_options = [\"token\"]");
    let secret = "lets requests set `token`, which is secret";
    run_with(&open, &["config", "check"]).fails_with(2, &[secret]);
}
