//! What a stranger's engine is granted, and what it is denied.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
    process::Command,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{ENGINE, MOVES, add, added, engine, refused, script, text};
use crate::{
    cli::{command, installed, outcome},
    sandbox::hide,
    support::{ConfigFile, assert_has, basic1_and, rookery},
};

/// A folder with a secret, and a stranger's engine whose name tells whether it could read the
/// secret.
struct Strange {
    folder: TempDir,
    file: ConfigFile,
}

impl Strange {
    fn new() -> Self {
        let strange = Self {
            folder: tempfile::tempdir().unwrap(),
            file: basic1_and(""),
        };
        fs::set_permissions(strange.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        for folder in ["user", "repo/.venv/bin", "repo/.venv/share", "logs"] {
            fs::create_dir_all(strange.folder.path().join(folder)).unwrap();
        }
        fs::write(strange.folder.path().join("user/secret.txt"), "private\n").unwrap();
        let moves = format!(
            "secret=denied\n{{ read -r secret < {}; }} 2>/dev/null\n{MOVES}",
            strange.path("user/secret.txt")
        );
        fs::write(strange.folder.path().join("repo/moves.sh"), moves).unwrap();
        let engine = ENGINE.replace("Shell 1.5", "'\"$secret\"'");
        script(
            &strange.folder.path().join("repo"),
            "eng.py",
            engine.trim_start_matches("#!/bin/sh\n"),
        );
        fs::copy(
            "/bin/sh",
            strange.folder.path().join("repo/.venv/bin/python"),
        )
        .unwrap();
        fs::write(strange.folder.path().join("repo/.venv/pyvenv.cfg"), "").unwrap();
        strange
    }

    fn path(&self, path: &str) -> String {
        self.folder
            .path()
            .canonicalize()
            .unwrap()
            .join(path)
            .to_str()
            .unwrap()
            .to_owned()
    }

    fn link(&self, link: &str, to: &str) {
        symlink(self.path(to), self.path(link)).unwrap();
    }
}

/// The engine in a single file.
fn in_one_file() -> String {
    ENGINE.replace(". \"${0%/*}/moves.sh\"", MOVES)
}

#[test]
fn links_of_a_virtual_environment_reveal_no_secret() {
    let rookery = installed();
    for (link, to) in [
        ("repo/.venv/lib", "user"),
        ("repo/.venv/lib", "/"),
        ("repo/.venv/share/python3", "user"),
    ] {
        let strange = Strange::new();
        strange.link(link, to);
        let printed = added(&strange.file, &[&strange.path("repo/eng.py")]);
        assert_eq!(printed["name"], "denied", "{printed:#}");
        let expected = [strange.path("repo/eng.py"), strange.path("repo/moves.sh")];
        assert_eq!(printed["allow_read"], json!(expected), "{printed:#}");
        let checked = outcome(rookery.command().args([
            "check-ai",
            "--only",
            "load.starts",
            &strange.path("repo/eng.py"),
        ]));
        assert_has(&checked.stdout, &["denied, searcher"]);
    }
}

#[test]
fn grants_the_whole_folder_if_the_kernel_forbids_tracing() {
    let (folder, engine) = engine();
    let file = basic1_and("");
    let untraced = |arguments: &[&str]| {
        let mut command = Command::new(rookery());
        command
            .args(["add", "--json", "--config"])
            .arg(file.path())
            .args(arguments);
        hide(
            &[libc::SYS_ptrace],
            command.env("XDG_RUNTIME_DIR", file.folder()),
        );
        outcome(&mut command.into())
    };
    let printed: Value =
        serde_json::from_str(&untraced(&[engine.to_str().unwrap()]).stdout).unwrap();
    let own = fs::canonicalize(folder.path()).unwrap();
    assert_eq!(
        (&printed["trial"]["is_traced"], &printed["allow_read"]),
        (&json!(false), &json!([own]))
    );

    fs::remove_file(folder.path().join("moves.sh")).unwrap();
    let refused = untraced(&[engine.to_str().unwrap(), "--id", "other"]);
    let hint = "the kernel does not allow tracing it: grant what it needs with --allow-read PATH \
        and --allow-exec PATH";
    assert_eq!(refused.status, Some(1), "{}", refused.stdout);
    assert_has(&refused.stderr, &["it does not play", hint]);
}

#[test]
fn a_target_that_is_a_link_to_another_folder_is_refused() {
    let strange = Strange::new();
    strange.link("repo/link.py", "user/secret.txt");
    let before = text(&strange.file);
    let message = refused(&strange.file, &[&strange.path("repo/link.py")]).error_output(1);
    assert_has(
        &message,
        &[format!(
            "link.py is a link to {}",
            strange.path("user/secret.txt")
        )],
    );
    assert_eq!(text(&strange.file), before);
}

#[test]
fn a_path_in_an_argument_grants_only_itself() {
    let strange = Strange::new();
    let engine = script(&strange.folder.path().join("repo"), "eng", ENGINE);
    fs::write(strange.path("logs/x.log"), "").unwrap();
    let log = format!("--log={}", strange.path("logs/x.log"));
    let printed = added(&strange.file, &["--", engine.to_str().unwrap(), &log]);
    assert_eq!(printed["id"], "eng", "{printed:#}");
    let expected = ["logs/x.log", "repo/eng", "repo/moves.sh"].map(|path| strange.path(path));
    assert_eq!(printed["allow_read"], json!(expected), "{printed:#}");
    // The program is not named like an interpreter, so the script is an argument like any other.
    let program = strange.path("repo/program");
    fs::copy("/bin/sh", &program).unwrap();
    let argument = script(&strange.folder.path().join("logs"), "eng", ENGINE);
    fs::write(strange.path("logs/moves.sh"), MOVES).unwrap();
    let refused = add(&strange.file, &["--", &program, argument.to_str().unwrap()]);
    assert_eq!(refused.status, Some(1), "{}", refused.stdout);
    assert_has(
        &refused.stderr,
        &[format!(
            "--allow-read {} grants it",
            strange.path("logs/moves.sh")
        )],
    );
}

#[test]
fn other_code_for_the_same_interpreter_inherits_nothing() {
    let strange = Strange::new();
    let engine = script(&strange.folder.path().join("repo"), "eng", ENGINE);
    let secret = strange.path("user/secret.txt");
    let words = [
        "--id",
        "mine",
        "--allow-read",
        &secret,
        "--",
        "/bin/sh",
        engine.to_str().unwrap(),
    ];
    added(&strange.file, &words);
    let code = in_one_file();
    let printed = added(
        &strange.file,
        &["--id", "mine", "--", "/bin/sh", "-c", &code],
    );
    assert_eq!(printed["allow_read"], json!([]), "{printed:#}");
    assert!(
        !text(&strange.file).contains(&secret),
        "{}",
        text(&strange.file)
    );
}

#[test]
fn concurrent_adds_are_all_kept() {
    let (_folder, engine) = super::engine();
    let file = basic1_and("");
    let (path, ids) = (file.path(), ["a", "b", "c", "d"]);
    let start = |id: &&str| {
        let words = [
            "add",
            "--json",
            "--config",
            path.to_str().unwrap(),
            "--id",
            id,
            engine.to_str().unwrap(),
        ];
        std::process::Command::new(crate::support::rookery())
            .args(words)
            .env("XDG_RUNTIME_DIR", file.folder())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap()
    };
    for mut adding in ids.iter().map(start).collect::<Vec<_>>() {
        assert!(adding.wait().unwrap().success());
    }
    let text = text(&file);
    assert_has(&text, &ids.map(|id| format!("[ai.{id}]")));
}

#[test]
fn escapes_control_characters_of_an_engine() {
    const BAD: &str = "a\u{1b}[31m\u{9b}31m\u{202e}\u{200b}";
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let own = folder.path().join(BAD);
    fs::create_dir(&own).unwrap();
    let engine = script(&own, "eng", &in_one_file());
    let lost = script(&own, "lost", &format!("#!/nowhere/{BAD}\n"));
    let silent = script(&own, "silent", "#!/bin/sh\n");
    let file = basic1_and("");
    let (config, runtime) = (file.path(), file.folder().to_owned());
    let check = |words: &[&str], engine: &Path| {
        let words = [words, &[engine.to_str().unwrap()]].concat();
        let outcome = outcome(command(&words).env("XDG_RUNTIME_DIR", &runtime));
        let printed = outcome.stdout + &outcome.stderr;
        let bad = printed
            .chars()
            .find(|&letter| letter != '\n' && text::is_control_or_bidi(letter));
        assert_eq!(bad, None, "{words:?}: {printed:?}");
        outcome.status
    };
    let flags = ["add", "--config", config.to_str().unwrap()];
    assert_eq!(check(&flags, &engine), Some(0));
    let forged = script(&own, "a\nrate     rm", &in_one_file());
    let shown = outcome(
        command(&[&flags[..], &[forged.to_str().unwrap()]].concat())
            .env("XDG_RUNTIME_DIR", &runtime),
    );
    assert!(!shown.stdout.contains("\nrate     rm"), "{}", shown.stdout);
    assert_eq!(check(&flags, &lost), Some(1));
    assert_eq!(check(&flags, &silent), Some(1));
    let checked = outcome(
        installed()
            .command()
            .args(["check-ai", "--only", "reports.few"])
            .arg(&silent),
    );
    assert_has(&checked.stdout, &["again: rookery check-ai "]);
    assert!(
        !checked
            .stdout
            .contains(|letter| letter != '\n' && text::is_control_or_bidi(letter)),
        "{checked:?}"
    );
}

#[test]
fn an_id_may_begin_with_a_dash_but_none_is_proposed() {
    let (folder, engine) = super::engine();
    let file = basic1_and("");
    let named = script(folder.path(), "ümlaut.sh", ENGINE);
    assert_eq!(added(&file, &[named.to_str().unwrap()])["id"], "mlaut");
    let hashed = script(folder.path(), "#--.sh", ENGINE);
    assert_eq!(added(&file, &[hashed.to_str().unwrap()])["id"], "engine");
    assert_eq!(
        added(&file, &["--id=-x", engine.to_str().unwrap()])["id"],
        "-x"
    );
}
