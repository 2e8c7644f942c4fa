//! The command that starts a UCI engine (a program, or a script with its interpreter) and the files
//! it needs.

mod interpreter;
mod own_folder;
#[cfg(test)]
mod tests;

use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
};

use self::{
    interpreter::Interpreter,
    own_folder::{homes, is_of_system, own_folder},
};
use crate::{
    executable::{ExecutableError, inspect, unreadable},
    file_access::{canonicalize, metadata, written},
};
use protocol::Executable;
use text::visible;

/// Keeps Python from buffering its output while a host waits for it.
const UNBUFFERED: &str = "-u";
/// Where Debian installs chess engines. Users rarely have it in PATH.
const GAMES: &str = "/usr/games";
/// The maximum number of arguments on the first line of a script.
const MAX_ARGUMENTS: usize = 8;

/// Why a command can't start an engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineCommandError {
    #[error("the command is empty; expected a program and its arguments")]
    Empty,
    #[error("{} {error}", shown(file))]
    Program {
        file: PathBuf,
        error: ExecutableError,
    },
    #[error("the program '{0}' is neither in PATH nor in {GAMES}; install it, or give its path")]
    NotInPath(String),
    #[error(
        "the script {} needs the interpreter {}, which {error}",
        shown(script),
        shown(interpreter)
    )]
    Interpreter {
        script: PathBuf,
        interpreter: PathBuf,
        error: ExecutableError,
    },
    #[error(
        "the script {} needs the interpreter '{interpreter}', which is not in PATH; \
         install it, or put it before the script, as in -- /usr/bin/{interpreter} {}",
        shown(script),
        shown(script)
    )]
    NoInterpreter {
        script: PathBuf,
        interpreter: String,
    },
    #[error("the script {} names no interpreter after '#!'; expected a line such as #!/usr/bin/env \
        python3", shown(.0))]
    EmptyFirstLine(PathBuf),
    #[error("{} is a folder, expected a file; name the program or the script in it", shown(.0))]
    Folder(PathBuf),
    #[error(
        "the script {} has no line such as #!/usr/bin/env {interpreter}; put its interpreter \
         before it, as in -- {interpreter} {}",
        shown(script),
        shown(script)
    )]
    NoFirstLine {
        script: PathBuf,
        interpreter: &'static str,
    },
    /// The link's name could be a decoy for any of the user's files.
    #[error(
        "{} is a link to {}; if you mean that file, name it directly",
        shown(link),
        shown(real)
    )]
    Link { link: PathBuf, real: PathBuf },
    #[error("the path {0:?} is not UTF-8; rename it")]
    NotUtf8(PathBuf),
}

/// Where to look up programs.
#[derive(Clone, Debug, Default)]
pub struct ProgramPlaces {
    /// The working directory.
    pub folder: PathBuf,
    /// The variable PATH.
    pub path: Option<OsString>,
    /// The active Python virtual environment.
    pub virtual_env: Option<PathBuf>,
    /// This machine's home folders.
    pub homes: Vec<PathBuf>,
}

/// An engine's command, with absolute paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineCommand {
    words: Vec<String>,
    program: Executable,
    /// The script, or the program; `None` for an interpreter without a script.
    target: Option<PathBuf>,
    /// The real paths that its words name, and those that its interpreter reads in addition to
    /// system libraries.
    read: Vec<PathBuf>,
    /// The paths of the program and its files, as given, if they contain symbolic links.
    links: Vec<PathBuf>,
    /// The target's folder, if it belongs only to the engine.
    folder: Option<PathBuf>,
    /// The folder in which the engine starts.
    working_directory: Option<PathBuf>,
}

impl ProgramPlaces {
    /// Returns the places where this process looks up programs.
    pub fn of_this_process() -> Self {
        let folder_of = |name| {
            env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        Self {
            folder: env::current_dir().unwrap_or_else(|_| "/".into()),
            path: env::var_os("PATH"),
            virtual_env: folder_of("VIRTUAL_ENV"),
            homes: homes().into_iter().chain(folder_of("HOME")).collect(),
        }
    }

    /// Returns a program's file, from a path, a file in the working directory, or a name in PATH.
    fn program(&self, word: &str) -> Result<PathBuf, EngineCommandError> {
        let here = written(&self.folder, Path::new(word));
        if word.contains('/') || metadata(&here).is_ok_and(|found| found.is_file()) {
            return match metadata(&here) {
                Ok(_) => Ok(here),
                Err(error) => {
                    let error = unreadable(&here, error);
                    Err(EngineCommandError::Program { file: here, error })
                }
            };
        }
        self.in_path(word)
            .ok_or_else(|| EngineCommandError::NotInPath(text::printable(word)))
    }

    /// Returns the first program with this name in PATH.
    fn in_path(&self, name: &str) -> Option<PathBuf> {
        let path = self.path.clone().unwrap_or_default();
        let folders = env::split_paths(&path).chain([PathBuf::from(GAMES)]);
        let files = folders
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(name));
        let mut programs = files.map(|file| self.behind_shim(&file).unwrap_or(file));
        programs.find(|file| inspect(file).is_ok())
    }

    /// Returns the program that a pyenv shim in PATH starts, using the version selected here.
    fn behind_shim(&self, shim: &Path) -> Option<PathBuf> {
        let shims = shim
            .parent()
            .filter(|folder| folder.file_name() == Some(OsStr::new("shims")))?;
        let (root, name) = (shims.parent()?, shim.file_name()?);
        let files = self
            .folder
            .ancestors()
            .map(|folder| folder.join(".python-version"));
        let chosen = files
            .chain([root.join("version")])
            .find_map(|file| fs::read_to_string(file).ok())?;
        let versions = chosen
            .split_whitespace()
            .filter(|version| !version.contains('/'));
        let mut programs =
            versions.map(|version| root.join("versions").join(version).join("bin").join(name));
        programs.find(|file| inspect(file).is_ok())
    }

    /// Returns the virtual environment's Python, if there is one, for a script whose command names
    /// Python without a path.
    fn python_for(&self, name: &str, arguments: &[String]) -> Option<PathBuf> {
        let is_name = !name.contains('/') && metadata(&self.folder.join(name)).is_err();
        let python =
            Interpreter::named(Path::new(name)).filter(|known| is_name && known.is_python())?;
        let script = python
            .script_index(arguments)
            .map(|index| self.folder.join(&arguments[index]));
        self.python(
            script
                .as_deref()
                .and_then(Path::parent)
                .unwrap_or(&self.folder),
        )
    }

    /// Returns the Python of a virtual environment in the script's folder, possibly behind links,
    /// or of the active environment.
    fn python(&self, folder: &Path) -> Option<PathBuf> {
        let active = self.virtual_env.iter().cloned();
        let real_folder = canonicalize(folder).ok();
        let is_inside = |path: &PathBuf| {
            real_folder
                .as_ref()
                .is_some_and(|real| canonicalize(path).is_ok_and(|target| target.starts_with(real)))
        };
        let beside = [".venv", "venv"]
            .into_iter()
            .map(|name| folder.join(name))
            .filter(is_inside);
        let mut pythons = beside
            .chain(active)
            .map(|environment| environment.join("bin/python"));
        pythons.find(|python| inspect(python).is_ok())
    }
}

impl EngineCommand {
    /// Finds the program, and the interpreter if it is a script. Runs neither.
    ///
    /// # Errors
    /// The program or the interpreter does not exist, or is not for this machine.
    pub fn find(command: &[String], places: &ProgramPlaces) -> Result<Self, EngineCommandError> {
        let (first, arguments) = command.split_first().ok_or(EngineCommandError::Empty)?;
        let file = match places.python_for(first, arguments) {
            Some(python) => python,
            None => places.program(first)?,
        };
        let (interpreter, mut words) = match inspect(&file) {
            Ok(_) => (None, Vec::new()),
            // Some Python scripts begin like a shell script that looks for Python.
            Err(ExecutableError::Script {
                interpreter,
                argument,
            }) if !is_python_file(&file)
                || [&interpreter, &argument]
                    .iter()
                    .any(|text| text.contains("python")) =>
            {
                let (interpreter, interpreter_arguments) =
                    interpreter_of(&file, &interpreter, &argument, places)?;
                (Some(interpreter), interpreter_arguments)
            }
            Err(_) if is_python_file(&file) => {
                let (interpreter, interpreter_arguments) =
                    interpreter_of(&file, "/usr/bin/env", "python3", places)?;
                (Some(interpreter), interpreter_arguments)
            }
            Err(_) if metadata(&file).is_ok_and(|found| found.is_dir()) => {
                return Err(EngineCommandError::Folder(file));
            }
            Err(error @ ExecutableError::OtherFormat(_)) => {
                return Err(match interpreter_by_name(&file) {
                    Some(interpreter) => EngineCommandError::NoFirstLine {
                        script: file,
                        interpreter,
                    },
                    None => EngineCommandError::Program { file, error },
                });
            }
            Err(error) => return Err(EngineCommandError::Program { file, error }),
        };
        let program = interpreter.clone().unwrap_or_else(|| file.clone());
        let real = canonicalize(&program).unwrap_or_else(|_| program.clone());
        let known = Interpreter::named(&real).or_else(|| Interpreter::named(&program));
        words.insert(0, utf8(&program)?);
        let mut named = Vec::new();
        let (script, script_index) = if interpreter.is_some() {
            words.push(utf8(&file)?);
            (Some(file.clone()), None)
        } else {
            let index = known.and_then(|known| known.script_index(arguments));
            (
                index
                    .map(|index| script_of(&arguments[index], places))
                    .transpose()?
                    .flatten(),
                index,
            )
        };
        named.extend(script.clone());
        for (index, argument) in arguments.iter().enumerate() {
            let script_here = script.as_ref().filter(|_| script_index == Some(index));
            let (word, path) = match script_here {
                Some(script_path) => (utf8(script_path)?, None),
                None => with_absolute_path(argument, &places.folder),
            };
            words.push(word);
            named.extend(path);
        }
        let executable =
            inspect(&real).map_err(|error| EngineCommandError::Program { file, error })?;
        let own_folder = |target: &Path| own_folder(target, &places.homes);
        let mut paths = CommandPaths::default();
        for path in named {
            let resolved = real_path(&path)?;
            paths.add(path, resolved);
        }
        let is_foreign = script
            .as_deref()
            .and_then(own_folder)
            .is_some_and(|folder| real.starts_with(folder));
        let is_active = places
            .virtual_env
            .as_ref()
            .is_some_and(|active| program.starts_with(active));
        if let Some(real_interpreter) =
            Interpreter::named(&real).filter(|_| is_active || !is_foreign)
        {
            for path in real_interpreter.runtime(&program, &real, &places.homes) {
                let resolved = canonicalize(&path).unwrap_or_else(|_| path.clone());
                // `lib64` is often a link to `lib`.
                if !paths.real.contains(&resolved) {
                    paths.add(path, resolved);
                }
            }
        }
        let CommandPaths {
            real: files,
            mut links,
        } = paths;
        links.extend(Some(&program).filter(|program| **program != real).cloned());
        let target = script.or_else(|| Some(program).filter(|_| known.is_none()));
        // An interpreter looks up a module or class name in the working directory.
        let folder = own_folder(target.as_deref().unwrap_or(&places.folder));
        let real_target = target
            .as_deref()
            .and_then(|target| canonicalize(target).ok());
        let working_directory = match &target {
            Some(_) => real_target
                .as_deref()
                .and_then(Path::parent)
                .map(Path::to_owned),
            None => folder.clone(),
        };
        Ok(Self {
            words,
            program: executable,
            target,
            read: files,
            links,
            folder,
            working_directory,
        })
    }

    pub fn is_interpreter(word: &OsStr) -> bool {
        Interpreter::named(Path::new(word)).is_some()
    }

    /// Returns the words, quoted for a shell.
    pub fn text(&self) -> String {
        if let [program] = &self.words[..] {
            return program.clone();
        }
        let quoted = self
            .words
            .iter()
            .map(|word| shlex::try_quote(word).unwrap_or(word.into()));
        quoted.collect::<Vec<_>>().join(" ")
    }

    pub const fn program(&self) -> &Executable {
        &self.program
    }

    /// Returns the script, or the program if there is no script.
    pub fn target(&self) -> &Path {
        self.target.as_deref().unwrap_or(Path::new(&self.words[0]))
    }

    /// Returns whether a command in the form of [`Self::text`] starts the same script, or the same
    /// program if there is no script.
    pub fn has_target_of(&self, text: &str) -> bool {
        let words = shlex::split(text).unwrap_or_default();
        let is_target = |word: &String| self.target.as_deref() == Some(Path::new(word));
        let Some((program, arguments)) = words.split_first() else {
            return false;
        };
        let script = match Interpreter::named(Path::new(program)) {
            Some(interpreter) => interpreter.script_index(arguments),
            None => arguments
                .iter()
                .position(|argument| !argument.starts_with('-')),
        };
        text == self.text()
            || is_target(program)
            || script.is_some_and(|index| is_target(&arguments[index]))
    }

    /// Returns the real folder of the script or program that a command in the form of
    /// [`Self::text`] starts.
    pub fn folder_of(text: &str) -> Option<PathBuf> {
        let words = if Path::new(text).is_file() {
            vec![text.to_owned()]
        } else {
            shlex::split(text)?
        };
        let (program, arguments) = words.split_first()?;
        let target = match Interpreter::named(Path::new(program)) {
            Some(interpreter) => arguments.get(interpreter.script_index(arguments)?)?,
            None => program,
        };
        let real = canonicalize(Path::new(target)).ok()?;
        real.is_file().then(|| real.parent().map(Path::to_owned))?
    }

    /// Returns the real paths of the files and folders that the words name and the interpreter
    /// needs.
    pub fn read(&self) -> &[PathBuf] {
        &self.read
    }

    /// Returns the paths of the program and its files, as given, if they contain symbolic links.
    pub fn links(&self) -> &[PathBuf] {
        &self.links
    }

    /// Returns the real path of the folder in which the engine starts: its script's or program's
    /// folder.
    pub fn working_directory(&self) -> Option<&Path> {
        self.working_directory.as_deref()
    }

    /// Returns the real path of the script's or program's folder. If the command has neither,
    /// returns the working directory of this process. Returns `None` for a folder with other
    /// contents, such as a home folder.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }
}

#[derive(Default)]
struct CommandPaths {
    real: Vec<PathBuf>,
    /// As given, if they contain symbolic links.
    links: Vec<PathBuf>,
}

impl CommandPaths {
    fn add(&mut self, written: PathBuf, real: PathBuf) {
        if written != real && !self.links.contains(&written) {
            self.links.push(written);
        }
        if !self.real.contains(&real) {
            self.real.push(real);
        }
    }
}

/// Returns a script's interpreter with its arguments.
fn interpreter_of(
    script: &Path,
    interpreter: &str,
    argument: &str,
    places: &ProgramPlaces,
) -> Result<(PathBuf, Vec<String>), EngineCommandError> {
    if interpreter.is_empty() {
        return Err(EngineCommandError::EmptyFirstLine(script.to_owned()));
    }
    let mut words = argument
        .split_whitespace()
        .take(MAX_ARGUMENTS)
        .map(str::to_owned);
    let (name, is_searched) = if Path::new(interpreter).file_name() == Some(OsStr::new("env")) {
        (
            words
                .find(|word| !word.starts_with('-'))
                .unwrap_or_default(),
            true,
        )
    } else {
        (interpreter.to_owned(), false)
    };
    let mut arguments: Vec<_> = words.collect();
    let is_of_python = Interpreter::named(Path::new(&name)).is_some_and(Interpreter::is_python);
    if is_of_python && !arguments.iter().any(|word| word == UNBUFFERED) {
        arguments.push(UNBUFFERED.to_owned());
    }
    let folder = script.parent().unwrap_or(script);
    if let Some(python) = is_of_python.then(|| places.python(folder)).flatten() {
        return Ok((python, arguments));
    }
    let file = if is_searched {
        let found = places.in_path(&name);
        let missing = || EngineCommandError::NoInterpreter {
            script: script.to_owned(),
            interpreter: name.clone(),
        };
        found.ok_or_else(missing)?
    } else {
        written(&places.folder, Path::new(&name))
    };
    match metadata(&file)
        .map_err(|error| unreadable(&file, error))
        .and_then(|_| inspect(&file))
    {
        Ok(_) => Ok((file, arguments)),
        Err(error) => Err(EngineCommandError::Interpreter {
            script: script.to_owned(),
            interpreter: file,
            error,
        }),
    }
}

/// Returns the path of the argument where an interpreter expects its script, or `None` if it is not
/// a file: it may be a class name.
fn script_of(
    argument: &str,
    places: &ProgramPlaces,
) -> Result<Option<PathBuf>, EngineCommandError> {
    let file = written(&places.folder, Path::new(argument));
    match metadata(&file) {
        Ok(_) => Ok(Some(file)),
        Err(error) if argument.contains('/') || interpreter_by_name(&file).is_some() => {
            let error = unreadable(&file, error);
            Err(EngineCommandError::Program { file, error })
        }
        Err(_) => Ok(None),
    }
}

/// Makes an argument absolute if it is a path with a slash, or ends in `=` followed by a path with
/// a slash. Returns the path.
fn with_absolute_path(argument: &str, folder: &Path) -> (String, Option<PathBuf>) {
    let (before, path) = argument
        .rsplit_once('=')
        .map_or(("", argument), |(name, path)| {
            (&argument[..=name.len()], path)
        });
    let file = written(folder, Path::new(path));
    let is_path = path.contains('/') && !path.starts_with('-') && metadata(&file).is_ok();
    match file.to_str().filter(|_| is_path) {
        Some(absolute) => (format!("{before}{absolute}"), Some(file)),
        None => (argument.to_owned(), None),
    }
}

/// Returns the real path of a file or folder. Rejects a link that leads out of its folder, unless
/// it is a system link or leads to a system program.
fn real_path(path: &Path) -> Result<PathBuf, EngineCommandError> {
    let Ok(real) = canonicalize(path) else {
        return Ok(path.to_owned());
    };
    let folder = path.parent().and_then(|folder| canonicalize(folder).ok());
    let is_allowed = folder.is_none_or(|folder| real.starts_with(&folder) || is_of_system(&folder));
    if is_allowed || is_of_system(&real) {
        return Ok(real);
    }
    Err(EngineCommandError::Link {
        link: path.to_owned(),
        real,
    })
}

/// Returns the interpreter for a script with this file name.
fn interpreter_by_name(file: &Path) -> Option<&'static str> {
    Some(match file.extension()?.to_str()? {
        "jar" => "java -jar",
        "js" | "mjs" => "node",
        "lua" => "lua",
        "php" => "php",
        "pl" => "perl",
        "py" => "python3",
        "rb" => "ruby",
        "sh" => "sh",
        _ => return None,
    })
}

fn is_python_file(file: &Path) -> bool {
    file.extension() == Some(OsStr::new("py"))
        && fs::metadata(file).is_ok_and(|found| found.is_file())
}

fn utf8(path: &Path) -> Result<String, EngineCommandError> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| EngineCommandError::NotUtf8(path.to_owned()))
}

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy()).replace('\n', " ")
}
