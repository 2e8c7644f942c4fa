use std::os::unix::fs::{PermissionsExt as _, symlink};

use tempfile::TempDir;

use super::*;

/// A folder with a stranger's engine, an installed Python and a user's own files.
struct Machine(TempDir);

impl Machine {
    fn new() -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        machine.write("user/secret.txt", "private");
        machine.write("repo/eng.py", "");
        machine.write("python/lib/os.py", "");
        machine.program("python/bin/python3.11");
        machine.program("path/python3");
        machine
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), text).unwrap();
        fs::set_permissions(self.at(path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn program(&self, path: &str) {
        self.write(path, "");
        fs::copy("/bin/sh", self.at(path)).unwrap();
    }

    fn link(&self, link: &str, to: &str) {
        fs::create_dir_all(self.at(link).parent().unwrap()).unwrap();
        symlink(self.at(to), self.at(link)).unwrap();
    }

    fn places(&self) -> ProgramPlaces {
        ProgramPlaces {
            folder: self.at(""),
            path: Some(self.at("path").into()),
            virtual_env: None,
            homes: vec![self.at("user")],
        }
    }

    #[track_caller]
    fn find(&self, words: &[&str]) -> EngineCommand {
        let words: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
        EngineCommand::find(&words, &self.places()).unwrap()
    }

    fn error(&self, words: &[&str]) -> String {
        let words: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
        EngineCommand::find(&words, &self.places())
            .unwrap_err()
            .to_string()
    }

    #[track_caller]
    fn assert_reads(&self, command: &EngineCommand, expected: &[&str]) {
        let expected: Vec<_> = expected.iter().map(|path| self.at(path)).collect();
        assert_eq!(command.read(), expected, "{command:#?}");
    }

    #[track_caller]
    fn assert_folder(&self, words: &[&str], expected: Option<&str>) {
        let command = self.find(words);
        assert_eq!(
            command.folder(),
            expected.map(|path| self.at(path)).as_deref(),
            "{command:#?}"
        );
    }
}

#[test]
fn grants_nothing_for_an_engines_own_interpreter() {
    let own_venv = || {
        let machine = Machine::new();
        machine.program("repo/.venv/bin/python");
        machine.write("repo/.venv/pyvenv.cfg", "");
        machine
    };
    for (link, to) in [
        ("repo/.venv/lib", "user"),
        ("repo/.venv/lib", "/"),
        ("repo/.venv/share/python3", "user"),
        ("repo/.venv/lib64", "repo"),
    ] {
        let machine = own_venv();
        machine.link(link, to);
        machine.assert_reads(&machine.find(&["repo/eng.py"]), &["repo/eng.py"]);
        machine.assert_reads(
            &machine.find(&["repo/.venv/bin/python", "repo/eng.py"]),
            &["repo/eng.py"],
        );
        let interpreter = machine.at("repo/.venv/bin/python");
        machine.write("repo/eng", &format!("#!{}\n", interpreter.display()));
        machine.assert_reads(&machine.find(&["repo/eng"]), &["repo/eng"]);
        // An interpreter next to the script's folder may read its own files.
        machine.write("repo/src/eng", &format!("#!{}\n", interpreter.display()));
        let own = ["repo/src/eng", "repo/.venv/pyvenv.cfg"];
        machine.assert_reads(&machine.find(&["repo/src/eng"]), &own);
    }
}

#[test]
fn grants_no_files_outside_a_virtual_environment() {
    let machine = Machine::new();
    machine.write("repo/.venv/pyvenv.cfg", "");
    machine.link("repo/.venv/bin/python", "python/bin/python3.11");
    machine.link("repo/.venv/lib", "user");
    machine.link("python/share/python3", "user");
    let expected = ["repo/eng.py", "repo/.venv/pyvenv.cfg", "python/lib"];
    machine.assert_reads(&machine.find(&["repo/eng.py"]), &expected);
    let machine = Machine::new();
    machine.program("user/project/bin/python");
    machine.write("user/project/lib/secret", "");
    machine.link("repo/.venv", "user/project");
    let command = machine.find(&["repo/eng.py"]);
    machine.assert_reads(&command, &["repo/eng.py"]);
    assert_eq!(command.program().file, machine.at("path/python3"));
    let machine = Machine::new();
    machine.program("user/.pyenv/bin/python3.12");
    machine.write("user/.pyenv/lib/os.py", "");
    machine.write("user/eng.py", "");
    let command = machine.find(&["user/.pyenv/bin/python3.12", "user/eng.py"]);
    machine.assert_reads(&command, &["user/eng.py", "user/.pyenv/lib"]);
    // This prefix would be a home folder.
    let machine = Machine::new();
    machine.program("user/bin/python");
    machine.write("user/lib/secret", "");
    machine.link("repo/.venv/bin/python", "user/bin/python");
    machine.assert_reads(&machine.find(&["repo/eng.py"]), &["repo/eng.py"]);
}

#[test]
fn grants_a_virtual_environment_of_an_installed_python() {
    let machine = Machine::new();
    for folder in ["repo/.venv", "envs/active"] {
        machine.write(&format!("{folder}/pyvenv.cfg"), "");
        machine.write(&format!("{folder}/lib/module.py"), "");
        machine.link(&format!("{folder}/lib64"), &format!("{folder}/lib"));
        machine.link(&format!("{folder}/bin/python"), "python/bin/python3.11");
    }
    let command = machine.find(&["repo/eng.py"]);
    let expected = [
        "repo/eng.py",
        "repo/.venv/pyvenv.cfg",
        "repo/.venv/lib",
        "python/lib",
    ];
    machine.assert_reads(&command, &expected);
    assert_eq!(command.links(), [machine.at("repo/.venv/bin/python")]);
    // The bare name refers to the same interpreter.
    let named = machine.find(&["python3", "repo/eng.py"]);
    assert_eq!(named.links(), command.links());
    let active = ProgramPlaces {
        virtual_env: Some(machine.at("envs/active")),
        ..machine.places()
    };
    machine.write("other/eng.py", "#!/usr/bin/env python3\n");
    for (words, venv) in [
        (&["repo/eng.py"][..], "repo/.venv"),
        (&["other/eng.py"], "envs/active"),
        (&["python3", "other/eng.py"], "envs/active"),
    ] {
        let command = EngineCommand::find(
            &words
                .iter()
                .map(|word| (*word).to_owned())
                .collect::<Vec<_>>(),
            &active,
        )
        .unwrap();
        let script = words.last().unwrap();
        let expected = [
            *script,
            &format!("{venv}/pyvenv.cfg"),
            &format!("{venv}/lib"),
            "python/lib",
        ];
        machine.assert_reads(&command, &expected);
    }
}

#[test]
fn resolves_a_pyenv_shim_to_the_selected_version() {
    let machine = Machine::new();
    for version in ["3.11.9", "3.12.4"] {
        machine.program(&format!("pyenv/versions/{version}/bin/python3"));
        machine.write(&format!("pyenv/versions/{version}/lib/os.py"), "");
    }
    machine.write("pyenv/shims/python3", "#!/usr/bin/env bash\n");
    machine.write("pyenv/version", "3.11.9\n");
    let path = env::join_paths([machine.at("pyenv/shims"), machine.at("path")]).unwrap();
    let places = ProgramPlaces {
        path: Some(path),
        ..machine.places()
    };
    let program = |chosen: &str| {
        let command =
            EngineCommand::find(&["python3", "-m", "x"].map(str::to_owned), &places).unwrap();
        assert_eq!(command.program().file, machine.at(chosen));
        command
    };
    let command = program("pyenv/versions/3.11.9/bin/python3");
    assert!(
        command
            .read()
            .contains(&machine.at("pyenv/versions/3.11.9/lib")),
        "{command:?}"
    );
    machine.write(".python-version", "3.13.0 3.12.4\n");
    program("pyenv/versions/3.12.4/bin/python3");
    machine.write(".python-version", "system\n");
    program("path/python3");
}

#[test]
fn grants_a_system_interpreter_its_modules() {
    // Debian has home folders below /usr.
    let places = ProgramPlaces {
        homes: vec!["/usr/games".into()],
        ..Machine::new().places()
    };
    let command =
        EngineCommand::find(&["/usr/bin/perl", "-e", "1"].map(str::to_owned), &places).unwrap();
    assert!(
        command
            .read()
            .contains(&canonicalize(Path::new("/usr/share/perl5")).unwrap()),
        "{command:?}"
    );
    assert!(!command.read().contains(&"/usr/lib".into()), "{command:?}");
}

#[test]
fn does_not_follow_a_link_out_of_its_folder() {
    let machine = Machine::new();
    machine.link("repo/link.py", "user/secret.txt");
    machine.link("repo/inside.py", "repo/eng.py");
    machine.link("repo/sh", "/bin/sh");
    for words in [
        &["repo/link.py"][..],
        &["python3", "repo/link.py"],
        &["python3", "repo/eng.py", "--net=repo/link.py"],
        &["python3", "repo/eng.py", "repo/link.py"],
    ] {
        let real = machine.at("user/secret.txt");
        let message = machine.error(words);
        assert!(
            message.contains(&format!("repo/link.py is a link to {}", real.display())),
            "{message}"
        );
    }
    machine.assert_reads(&machine.find(&["repo/inside.py"]), &["repo/eng.py"]);
    machine.assert_folder(&["repo/inside.py"], Some("repo"));
    machine.assert_folder(&["repo/sh"], None);
}

#[test]
fn starts_in_the_folder_of_the_program_or_script() {
    let machine = Machine::new();
    machine.program("prog/eng");
    machine.write("logs/x.log", "");
    machine.assert_folder(
        &["prog/eng", "--log=logs/x.log", "logs/x.log", "--dir=./"],
        Some("prog"),
    );
    let words = [
        "python3",
        "-X",
        "pycache_prefix=logs/x.log",
        "-u",
        "repo/eng.py",
        "logs/x.log",
    ];
    let command = machine.find(&words);
    assert_eq!(command.target(), machine.at("repo/eng.py"));
    machine.assert_folder(&words, Some("repo"));
    machine.assert_reads(&command, &["repo/eng.py", "logs/x.log"]);
    machine.assert_folder(&["python3", "-m", "repo/eng.py"], None);
    machine.assert_folder(&["python3", "-uc", "print(1)", "repo/eng.py"], None);
    machine.assert_folder(&["python3", "-"], None);
    machine.assert_folder(&["python3", "repo"], Some("repo"));
    machine.assert_folder(&["python3", "--", "repo/eng.py"], Some("repo"));
}

#[test]
fn grants_interpreter_files_only_to_interpreters() {
    for (name, is_interpreter) in [
        ("python", true),
        ("python3", true),
        ("python3.12", true),
        ("pypy3", true),
        ("luajit", true),
        ("python-chess-engine", false),
        ("python3x", false),
        ("nodebug", false),
        ("perlchess", false),
    ] {
        let machine = Machine::new();
        machine.program(&format!("other/bin/{name}"));
        machine.write("other/lib/file", "");
        let expected: &[&str] = if is_interpreter { &["other/lib"] } else { &[] };
        machine.assert_reads(
            &machine.find(&[&format!("other/bin/{name}"), "-c", "1"]),
            expected,
        );
    }
}

#[test]
fn a_folder_with_other_contents_is_not_the_engines() {
    let machine = Machine::new();
    for (path, is_own) in [
        ("user/engines/eng.py", true),
        ("user/eng.py", false),
        ("eng.py", false),
        ("user/.ssh/eng.py", false),
        ("user/.local/bin/eng.py", false),
        ("repo/.tools/eng.py", true),
        ("shared/eng.py", false),
    ] {
        machine.write(path, "");
        if path.starts_with("shared") {
            fs::set_permissions(machine.at("shared"), fs::Permissions::from_mode(0o1777)).unwrap();
        }
        let folder = Path::new(path)
            .parent()
            .and_then(Path::to_str)
            .filter(|_| is_own);
        machine.assert_folder(&[path], folder);
    }
    for folder in [
        "/var/tmp",
        "/var/lib",
        "/home/nobody",
        "/tmp",
        "/etc/cron.d",
        "/root",
        "/",
    ] {
        assert_eq!(own_folder(Path::new(folder), &homes()), None, "{folder}");
    }
}

#[test]
fn turns_only_words_with_a_slash_into_paths() {
    let machine = Machine::new();
    fs::create_dir(machine.at("fast")).unwrap();
    machine.program("eng");
    let command = machine.find(&[
        "eng",
        "--mode",
        "fast",
        "--mode=fast",
        "./fast",
        "--dir=./fast",
    ]);
    let [program, fast] = ["eng", "fast"].map(|name| machine.at(name).to_str().unwrap().to_owned());
    assert_eq!(
        command.text(),
        format!("{program} --mode fast '--mode=fast' {fast} '--dir={fast}'")
    );
    machine.assert_reads(&command, &["fast"]);
    let command = machine.find(&["python3", "-m", "fast"]);
    assert!(command.text().ends_with("-m fast"), "{}", command.text());
}

#[test]
fn a_command_without_a_script_matches_no_other() {
    let machine = Machine::new();
    let script = machine.find(&["python3", "repo/eng.py"]);
    let same = machine.find(&["python3", "-u", "repo/eng.py", "--fast"]);
    let code = machine.find(&["python3", "-c", "print(1)"]);
    machine.write("other/eng.py", "");
    let other = machine.find(&["python3", "other/eng.py", "repo/eng.py"]);
    assert!(script.has_target_of(&same.text()) && same.has_target_of(&script.text()));
    assert!(code.has_target_of(&code.text()));
    for (one, another) in [
        (&script, &code),
        (&code, &script),
        (&script, &other),
        (&other, &script),
    ] {
        assert!(!one.has_target_of(&another.text()), "{one:?} {another:?}");
    }
    machine.program("a b/eng");
    let program = machine.find(&["a b/eng"]);
    assert!(program.has_target_of(&program.text()));
    assert!(
        machine
            .find(&["a b/eng", "--uci"])
            .has_target_of(&machine.find(&["a b/eng", "x"]).text())
    );
}

#[test]
fn reports_a_missing_script_and_an_empty_first_line() {
    let machine = Machine::new();
    machine.write("repo/empty", "#!\n");
    assert!(
        machine
            .error(&["python3", "nothere.py"])
            .contains("nothere.py can't be read: there is no such file")
    );
    assert!(
        machine
            .error(&["repo/empty"])
            .contains("names no interpreter after '#!'")
    );
    machine.write("repo/escape", "#!/nowhere/\u{1b}[31m\n");
    assert!(!machine.error(&["repo/escape"]).contains('\u{1b}'));
}
