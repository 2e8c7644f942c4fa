//! The job in `docs/continuous-integration.md` compares two builds of an AI. The tests need git,
//! bash and jq. Stand-ins replace programs that act on GitHub's machine or on other computers.

use std::{collections::BTreeMap, env, fs, os::unix::fs::symlink, path::PathBuf, process::Command};

use serde_json::Value;
use tempfile::TempDir;
use test_kit::write_program;

use crate::support::{assert_has, built, rookery};

const PAGE: &str = include_str!("../../../../../docs/continuous-integration.md");

/// A stand-in for cargo that "builds" the library named in the file `ai` next to the manifest.
const CARGO: &str = r#"#!/bin/bash
set -eu
[ "$1 $2 $3 $5" = "build --release --manifest-path --target-dir" ]
mkdir -p "$6/release"
cp "$(cat "$(dirname "$4")/ai")" "$6/release/libmine.so"
"#;
const GH: &str = "#!/bin/bash\necho \"$@\" > gh.txt\n";
/// A stand-in that appends its name and arguments to a file.
const LOGGED: &str = "#!/bin/bash\necho \"${0##*/} $*\" >> installed.txt\n";

/// Returns the page's blocks in a language.
fn blocks(language: &str) -> Vec<&'static str> {
    PAGE.split(&format!("```{language}\n"))
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .collect()
}

/// A job's scripts, by the names of their steps.
fn scripts(job: &'static str) -> BTreeMap<&'static str, String> {
    let steps = job.split("- name: ").skip(1);
    let script = |step: &'static str| {
        let (name, rest) = step.split_once('\n').unwrap();
        let (_, script) = rest.split_once("run: |\n").unwrap();
        let indent = " ".repeat(script.len() - script.trim_start().len());
        let lines = script
            .lines()
            .map_while(|line| line.strip_prefix(&indent))
            .map(|line| format!("{line}\n"));
        (name, lines.collect())
    };
    steps.map(script).collect()
}

/// A clone of an author's repository on GitHub's machine, whose base is one commit behind.
struct Checkout {
    folder: TempDir,
    scripts: BTreeMap<&'static str, String>,
}

impl Checkout {
    /// Creates the repository with these libraries as the builds of the base and of the pull
    /// request.
    fn new(base: &str, pull_request: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let programs = folder.path().join("programs");
        fs::create_dir(&programs).unwrap();
        symlink(rookery(), programs.join("rookery")).unwrap();
        for (name, text) in [
            ("cargo", CARGO),
            ("gh", GH),
            ("curl", LOGGED),
            ("sudo", LOGGED),
        ] {
            write_program(&programs.join(name), text);
        }
        let clone = Self {
            folder,
            scripts: scripts(blocks("yaml")[0]),
        };
        fs::create_dir(clone.path()).unwrap();
        clone.run("git init -q && git config user.name author && git config user.email a@b.c");
        for (version, library) in [("base", base), ("pull request", pull_request)] {
            fs::write(clone.path().join("ai"), built(library).to_str().unwrap()).unwrap();
            clone.run(&format!("git add ai && git commit -q -m '{version}'"));
        }
        clone
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("clone")
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.path().join(file)).unwrap()
    }

    /// Runs a script as GitHub does, and returns its exit status and standard error.
    fn status(&self, script: &str) -> (Option<i32>, String) {
        let programs = self.folder.path().join("programs");
        let path = format!("{}:{}", programs.display(), env::var("PATH").unwrap());
        let ran = Command::new("bash")
            .args(["-e", "-c", script])
            .current_dir(self.path())
            .env("PATH", path)
            .env("PACKAGE", "https://example.org/rookery.deb")
            .env("PR", "7")
            .env("GITHUB_STEP_SUMMARY", "summary.md")
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&ran.stderr).into_owned();
        (ran.status.code(), errors)
    }

    /// Runs a script that succeeds.
    #[track_caller]
    fn run(&self, script: &str) {
        let (status, errors) = self.status(script);
        assert_eq!(status, Some(0), "{script}: {errors}");
    }

    /// Builds both versions and plays a short match. Returns the exit status and standard error.
    fn play(&self, games: u32) -> (Option<i32>, String) {
        self.run(&self.scripts["Build"]);
        let mut script = self.scripts["Play"].clone();
        for (shown, shorter) in [
            ("--sprt 0,5 ", "--sprt 0,200 "),
            ("--games 20000 ", &format!("--games {games} ")),
            ("--tc 1+0.01 ", "--depth 1 "),
        ] {
            assert_has(&script, &[shown]);
            script = script.replace(shown, shorter);
        }
        self.status(&script)
    }

    /// Comments on the pull request and returns the comment.
    fn comment(&self) -> String {
        self.run(&self.scripts["Comment"]);
        assert_eq!(self.text("gh.txt"), "pr comment 7 --body-file comment.md\n");
        let comment = self.text("comment.md");
        assert_eq!(self.text("summary.md"), comment);
        comment
    }
}

#[test]
fn the_job_says_whether_the_pull_request_is_stronger() {
    for (base, pull_request, status, verdict, result) in [
        ("ai_huo1", "ai_basic1", 0, "accepted", "- +"),
        ("ai_basic1", "ai_huo1", 3, "rejected", " =0 -"),
    ] {
        let clone = Checkout::new(base, pull_request);
        let (found, errors) = clone.play(60);
        assert_eq!(found, Some(status), "{errors}");
        let comment = clone.comment();
        assert!(
            comment.starts_with(&format!("**{verdict}** after ")),
            "{comment}"
        );
        assert_has(
            &comment,
            &[result, " games (depth 1)\n", " for 0 to 200 Elo\n"],
        );
        assert!(!comment.contains("faults"), "{comment}");
        assert!(clone.text("games.pgn").contains("[White \"new.so\"]"));
    }
}

#[test]
fn undecided_matches_pass_on_request() {
    let clone = Checkout::new("ai_huo1", "ai_basic1");
    let (status, errors) = clone.play(2);
    assert_eq!(status, Some(4), "{errors}");
    assert_has(&clone.comment(), &["**undecided** after 2 games"]);
    let shown = "|| [ $? -eq 4 ]";
    assert_has(PAGE, &[format!("`{shown}`")]);
    for (status, passes) in [(0, true), (1, false), (3, false), (4, true)] {
        let (ended, _) = clone.status(&format!("(exit {status}) {shown}"));
        assert_eq!(ended == Some(0), passes, "{status}");
    }
}

#[test]
fn the_job_fails_with_the_first_fault() {
    let clone = Checkout::new("ai_basic1", "segfaults");
    let (status, errors) = clone.play(2);
    assert_eq!(status, Some(1), "{errors}");
    let failure: Value = serde_json::from_str(errors.lines().last().unwrap()).unwrap();
    let detail = failure["detail"].as_str().unwrap();
    assert_has(detail, &["(new.so 2, old.so 0)", "the first is game 1"]);
    assert_has(
        &clone.comment(),
        &["- new.so lost 2 games by faults, the first is game 1: `the AI crashed: "],
    );
}

#[test]
fn a_version_that_does_not_start_fails_the_job_without_a_comment() {
    let clone = Checkout::new("ai_basic1", "abort_on_load");
    let (status, errors) = clone.play(2);
    assert_eq!(status, Some(2), "{errors}");
    assert_eq!(clone.status(&clone.scripts["Comment"]).0, Some(1));
    assert!(!clone.path().join("gh.txt").exists());
}

#[test]
fn the_job_installs_the_package() {
    let clone = Checkout::new("ai_basic1", "ai_huo1");
    clone.run(&clone.scripts["Install Rookery"]);
    let expected = "curl -fsSL https://example.org/rookery.deb -o /tmp/rookery.deb\n\
                    sudo apt-get install -y /tmp/rookery.deb\n\
                    sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0\n";
    assert_eq!(clone.text("installed.txt"), expected);
}

#[test]
fn the_configuration_of_the_fleet_is_correct() {
    let clone = Checkout::new("ai_basic1", "ai_huo1");
    fs::write(clone.path().join("fleet.toml"), blocks("toml")[0]).unwrap();
    clone.run(&format!("CREDENTIALS=secret\n{}", blocks("sh")[0]));
    assert_eq!(clone.text("fleet.creds"), "secret\n");
    clone.run("rookery config check --config fleet.toml");
    assert_has(&clone.scripts["Play"], &["--concurrency \"$(nproc)\""]);
}
