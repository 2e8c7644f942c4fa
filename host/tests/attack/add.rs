//! Hostile engines for `rookery add`: their folder, `/proc`, memory and threads.

use std::{
    fs,
    os::unix::{
        fs::{PermissionsExt as _, chown, symlink},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;
use test_kit::{poll, processes, rookery};

use crate::{
    library::compile_program,
    runner::{Attack, Attempt, Outcome},
    server::NOBODY,
};

const CONFINED: &str = "an added engine reads its own files and does nothing else";
const BOUNDED: &str = "an added engine is stopped when it exceeds its limits";

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::new(
        CONFINED,
        "files, processes, mounts and signals, as root",
        |attempt| confined(attempt, &Home::new(), "home/eng/engine"),
    )
    .as_root(),
    Attack::new(CONFINED, "the same as the user `nobody`", |attempt| {
        confined(attempt, &Home::new().owned_by_nobody(), "home/eng/engine")
    })
    .as_root(),
    Attack::new(
        CONFINED,
        "an engine in `bin`, next to a link `lib` to a folder with a secret",
        |attempt| {
            let home = Home::new();
            home.link("home/eng/lib", "home/user");
            confined(attempt, &home, "home/eng/bin/engine")
        },
    )
    .as_root(),
    Attack::new(
        CONFINED,
        "links in its folder to files and folders elsewhere",
        |attempt| {
            let home = Home::new();
            home.link("home/eng/link", "home/user/secret");
            home.link("home/eng/folder", "home/user");
            confined(attempt, &home, "home/eng/engine")
        },
    )
    .as_root(),
    Attack::new(CONFINED, "an engine directly in a home folder", |attempt| {
        confined(attempt, &Home::new(), "home/engine")
    })
    .as_root(),
    Attack::new(
        CONFINED,
        "an engine in a hidden folder of a home",
        |attempt| confined(attempt, &Home::new(), "home/.ssh/engine"),
    )
    .as_root(),
    Attack::new(
        CONFINED,
        "a module whose command is run in a home folder",
        module_at_home,
    )
    .as_root(),
    Attack::new(
        CONFINED,
        "a configured working directory that belongs to other users",
        working_directory,
    )
    .as_root(),
    Attack::new(BOUNDED, "memory in one process and in many", memory).within(120),
    Attack::new(BOUNDED, "endless processes and threads", threads).within(120),
];

/// A home folder with secrets.
struct Home {
    folder: TempDir,
    user: Option<u32>,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("attacked-home-")
            .tempdir()
            .unwrap();
        let home = Self { folder, user: None };
        for inner in ["home/user", "home/.ssh", "home/eng/bin", "config"] {
            fs::create_dir_all(home.at(inner)).unwrap();
        }
        for secret in ["home/user/secret", "home/.ssh/secret"] {
            fs::write(home.at(secret), "secret").unwrap();
        }
        for folder in [
            "",
            "home",
            "home/user",
            "home/.ssh",
            "home/eng",
            "home/eng/bin",
            "config",
        ] {
            fs::set_permissions(home.at(folder), fs::Permissions::from_mode(0o755)).unwrap();
        }
        home
    }

    fn owned_by_nobody(mut self) -> Self {
        self.user = Some(NOBODY);
        chown(self.at("config"), self.user, self.user).unwrap();
        self
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn link(&self, link: &str, to: &str) {
        symlink(self.at(to), self.at(link)).unwrap();
    }

    /// Runs `rookery add` with these arguments in a folder, and returns what it printed.
    fn add(&self, attempt: &Attempt, folder: &Path, words: &[&str]) -> (Option<Value>, String) {
        let mut command = Command::new(rookery());
        let libraries = test_kit::built("ai_uci");
        let config = self.at("config/rookery.toml");
        if !config.exists() {
            let directory = libraries.parent().unwrap().display();
            fs::write(
                &config,
                format!("[plugins]\ndirectories = [\"{directory}\"]\n"),
            )
            .unwrap();
            chown(&config, self.user, self.user).unwrap();
        }
        command
            .args(["add", "--json", "--id", "bad", "--config"])
            .arg(config)
            .args(words)
            .current_dir(folder);
        command
            .env("HOME", self.at("home"))
            .env("XDG_RUNTIME_DIR", self.at("config"));
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        attempt.adopt(&child);
        let output = child.wait_with_output().unwrap();
        (
            serde_json::from_slice(&output.stdout).ok(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    }
}

/// Compiles the hostile engine to a path.
fn engine(home: &Home, place: &str) -> String {
    let engine = home.at(place);
    let root = format!("-DROOT=\"{}\"", home.at("home").display());
    assert_eq!(
        compile_program("engine.c", engine.parent().unwrap(), &[&root]),
        engine
    );
    engine.to_str().unwrap().to_owned()
}

/// Adds the hostile engine at this path, and checks what it could do.
fn confined(attempt: &Attempt, home: &Home, place: &str) -> Outcome {
    let engine = engine(home, place);
    let (printed, errors) = home.add(attempt, &home.at("home"), &["--", &engine]);
    let printed = printed.ok_or(errors)?;
    match printed["allow_read"]
        .as_array()
        .unwrap()
        .iter()
        .find(|path| path.to_string().contains("user"))
    {
        Some(wrong) => Err(format!("granted {wrong}")),
        None => found(&printed),
    }
}

/// Returns the number of attempts, unless one succeeded.
fn found(about: &Value) -> Outcome {
    let name = about["name"].as_str().unwrap_or_default();
    match name
        .strip_prefix("tried:")
        .and_then(|rest| rest.parse::<u32>().ok())
    {
        Some(tried) => Ok(format!("{tried} tries failed")),
        None => Err(format!("{name:?} of {about:.2000}")),
    }
}

fn module_at_home(attempt: &Attempt) -> Outcome {
    let home = Home::new();
    fs::write(
        home.at("home/module.py"),
        "print(open('user/secret').read())",
    )
    .unwrap();
    let (printed, errors) = home.add(
        attempt,
        &home.at("home"),
        &["--", "python3", "-m", "module"],
    );
    match printed {
        Some(printed) => Err(format!("it was added: {printed}")),
        None if errors.contains("No module named module") => Ok("the folder is not granted".into()),
        None => Err(errors),
    }
}

fn working_directory(attempt: &Attempt) -> Outcome {
    let home = Home::new();
    let engine = engine(&home, "home/eng/engine");
    home.add(attempt, &home.at(""), &["--", &engine])
        .0
        .ok_or("it is not added")?;
    let config = home.at("config/rookery.toml");
    let text = fs::read_to_string(&config).unwrap();
    let elsewhere = format!(
        "[ai.bad]\nworking_directory = '{}'",
        home.at("home/user").display()
    );
    fs::write(&config, text.replace("[ai.bad]", &elsewhere)).unwrap();
    let output = Command::new(rookery())
        .args(["ais", "--json", "--config"])
        .arg(&config)
        .output()
        .unwrap();
    let ais: Value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    found(
        ais.as_array()
            .and_then(|ais| ais.iter().find(|ai| ai["id"] == "bad"))
            .unwrap_or(&ais),
    )
}

/// Asks an engine that exhausts a resource for a move, and returns the outcome.
fn ended(attempt: &Attempt, takes: &str, expected: &[&str]) -> Outcome {
    let home = Home::new();
    let engine = engine(&home, "home/eng/engine");
    let directory = test_kit::built("ai_uci");
    let config = home.at("config/rookery.toml");
    let text = format!(
        "[plugins]\ndirectories = [\"{}\"]\n[ai.bad]\nlibrary = \"ai_uci\"\nallow_exec = \
         [{engine:?}]\nmemory_mb = 256\nthreads = 12\nmove_timeout_ms = 4000\noptions = {{ command \
         = \"{engine} '{takes}'\" }}\n",
        directory.parent().unwrap().display()
    );
    fs::write(&config, text).unwrap();
    let mut command = Command::new(rookery());
    command
        .args(["best-move", "--ai", "bad", "--config"])
        .arg(&config)
        .stdout(Stdio::null());
    let child = command.stderr(Stdio::piped()).spawn().unwrap();
    attempt.adopt(&child);
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() || !expected.iter().any(|text| errors.contains(text)) {
        return Err(errors);
    }
    let is_left = || {
        processes::all().any(|process| {
            fs::read_link(format!("/proc/{process}/exe"))
                .is_ok_and(|program| program == Path::new(&engine))
        })
    };
    let gone = poll(Duration::from_secs(10), || (!is_left()).then_some(()));
    gone.map(|()| errors.lines().next().unwrap_or_default().to_owned())
        .ok_or("processes are left".into())
}

fn memory(attempt: &Attempt) -> Outcome {
    let alone = ended(attempt, "memory", &["the AI ran out of memory"])?;
    let many = ended(attempt, "memory of many", &["the AI ran out of memory"])?;
    Ok(format!("{alone}; {many}"))
}

fn threads(attempt: &Attempt) -> Outcome {
    ended(
        attempt,
        "processes",
        &["did not answer within", "ran out of memory"],
    )
}
