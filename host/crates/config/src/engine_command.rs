//! The command that starts a UCI engine: a program, or a script with its interpreter, and the files that they need.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
};

use crate::library_path::written;
use library::{
    executable::{ExecutableError, inspect, unreadable},
    file_access::{canonicalize, is_folder, metadata},
};
use protocol::Executable;

/// Keeps Python from collecting its output in a buffer, where a host waits for it in vain.
const UNBUFFERED: &str = "-u";
/// Where Debian installs chess engines; users seldom have it in PATH.
const GAMES: &str = "/usr/games";
/// The most arguments in the first line of a script.
const MAX_ARGUMENTS: usize = 8;

/// A command without a usable program.
#[derive(Debug, thiserror::Error)]
pub enum EngineCommandError {
    #[error("the command is empty; expected a program and its arguments")]
    Empty,
    #[error("{} {error}", shown(file))]
    Program { file: PathBuf, error: ExecutableError },
    #[error("no program '{0}' is in the folders of PATH or in {GAMES}; install it, or name its path")]
    NotInPath(String),
    #[error("the script {} needs the interpreter {interpreter}, which {error}", shown(script))]
    Interpreter { script: PathBuf, interpreter: PathBuf, error: ExecutableError },
    #[error(
        "the script {} needs the interpreter '{interpreter}', which is not in the folders of PATH; install it, or name it in \
         front of the script, as in -- /usr/bin/{interpreter} {}",
        shown(script),
        shown(script)
    )]
    NoInterpreter { script: PathBuf, interpreter: String },
    #[error("the path {0:?} is not UTF-8; rename it")]
    NotUtf8(PathBuf),
}

/// Where programs are looked up.
#[derive(Clone, Debug, Default)]
pub struct ProgramPlaces {
    /// The working directory.
    pub folder: PathBuf,
    /// The variable PATH.
    pub path: Option<OsString>,
    /// The active virtual environment of Python.
    pub virtual_env: Option<PathBuf>,
    pub home: Option<PathBuf>,
}

/// The command of an engine, with absolute paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineCommand {
    words: Vec<String>,
    program: Executable,
    /// The path of the program as it is written, if it contains symbolic links.
    link: Option<PathBuf>,
    /// The script, or the program.
    target: PathBuf,
    /// The files that its words name, and those of its interpreter, beyond the system's libraries.
    read: Vec<PathBuf>,
    /// The folder of the target, if it belongs to the engine alone.
    folder: Option<PathBuf>,
}

impl ProgramPlaces {
    /// Returns those of this process.
    pub fn of_this_process() -> Self {
        let folder_of = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Self {
            folder: env::current_dir().unwrap_or_else(|_| "/".into()),
            path: env::var_os("PATH"),
            virtual_env: folder_of("VIRTUAL_ENV"),
            home: folder_of("HOME"),
        }
    }

    /// Returns the file of a program: a path, a file in the working directory, or a name in PATH.
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
        self.in_path(word).ok_or_else(|| EngineCommandError::NotInPath(text::printable(word)))
    }

    /// Returns the first program of this name in PATH. Version managers put scripts before it, which choose a program by rules of
    /// their own.
    fn in_path(&self, name: &str) -> Option<PathBuf> {
        let path = self.path.clone().unwrap_or_default();
        let folders = env::split_paths(&path).chain([PathBuf::from(GAMES)]);
        let mut files = folders.filter(|folder| folder.is_absolute()).map(|folder| folder.join(name));
        files.find(|file| inspect(file).is_ok())
    }

    /// Returns the Python of the active virtual environment, or of a virtual environment in the script's folder.
    fn python(&self, folder: &Path) -> Option<PathBuf> {
        let environments = self.virtual_env.iter().cloned();
        let beside = [".venv", "venv"].into_iter().map(|name| folder.join(name));
        let mut pythons = environments.chain(beside).map(|environment| environment.join("bin/python"));
        pythons.find(|python| inspect(python).is_ok())
    }
}

impl EngineCommand {
    /// Finds the program, and the interpreter if it is a script. Runs neither.
    ///
    /// # Errors
    /// The program or the interpreter does not exist, or is none for this machine.
    pub fn find(words: &[String], places: &ProgramPlaces) -> Result<Self, EngineCommandError> {
        let (first, arguments) = words.split_first().ok_or(EngineCommandError::Empty)?;
        let file = places.program(first)?;
        let (interpreter, mut words) = match inspect(&file) {
            Ok(_) => (None, Vec::new()),
            // Some scripts in Python begin as one for a shell, which looks for Python.
            Err(ExecutableError::Script { interpreter, argument })
                if !is_python_file(&file)
                    || [&interpreter, &argument].iter().any(|text| text.contains("python")) =>
            {
                let (interpreter, arguments) = interpreter_of(&file, &interpreter, &argument, places)?;
                (Some(interpreter), arguments)
            }
            Err(_) if is_python_file(&file) => {
                let (interpreter, arguments) = interpreter_of(&file, "/usr/bin/env", "python3", places)?;
                (Some(interpreter), arguments)
            }
            Err(error) => return Err(EngineCommandError::Program { file, error }),
        };
        let program = interpreter.clone().unwrap_or_else(|| file.clone());
        words.insert(0, utf8(&program)?);
        if interpreter.is_some() {
            words.push(utf8(&file)?);
        }
        let mut named: Vec<_> = interpreter.is_some().then(|| file.clone()).into_iter().collect();
        for argument in arguments {
            let (argument, path) = with_absolute_path(argument, &places.folder);
            words.push(argument);
            named.extend(path);
        }
        let real = canonicalize(&program).unwrap_or_else(|_| program.clone());
        let executable = inspect(&real).map_err(|error| EngineCommandError::Program { file, error })?;
        let target = named.first().cloned().unwrap_or_else(|| program.clone());
        let folder = target.parent().filter(|folder| is_own(folder, places)).map(Path::to_owned);
        let mut needed = named;
        needed.extend(runtime_of(&program, &real));
        needed.dedup();
        let link = (real != program).then_some(program);
        Ok(Self { words, program: executable, link, target, read: needed, folder })
    }

    /// Returns the words, quoted as a shell needs it.
    pub fn text(&self) -> String {
        if let [program] = &self.words[..] {
            return program.clone();
        }
        let quoted = self.words.iter().map(|word| shlex::try_quote(word).unwrap_or(word.into()));
        quoted.collect::<Vec<_>>().join(" ")
    }

    pub const fn program(&self) -> &Executable {
        &self.program
    }

    /// Returns the path of the program as it is written.
    pub fn program_path(&self) -> &Path {
        self.link.as_deref().unwrap_or(&self.program.file)
    }

    /// Returns the script, or the program without one.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Returns the files and folders that the words name and that the interpreter needs.
    pub fn read(&self) -> &[PathBuf] {
        &self.read
    }

    /// Returns the folder of the target; none if it has other things than the engine, such as a home folder.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }
}

/// Returns the interpreter of a script and its arguments.
fn interpreter_of(
    script: &Path,
    interpreter: &str,
    argument: &str,
    places: &ProgramPlaces,
) -> Result<(PathBuf, Vec<String>), EngineCommandError> {
    let mut words = argument.split_whitespace().take(MAX_ARGUMENTS).map(str::to_owned);
    let (name, is_searched) = if Path::new(interpreter).file_name() == Some(OsStr::new("env")) {
        (words.find(|word| !word.starts_with('-')).unwrap_or_default(), true)
    } else {
        (interpreter.to_owned(), false)
    };
    let mut arguments: Vec<_> = words.collect();
    let is_of_python = is_python(Path::new(&name));
    if is_of_python && !arguments.iter().any(|argument| argument == UNBUFFERED) {
        arguments.push(UNBUFFERED.to_owned());
    }
    let folder = script.parent().unwrap_or(script);
    if let Some(python) = is_of_python.then(|| places.python(folder)).flatten() {
        return Ok((python, arguments));
    }
    let file = if is_searched {
        let found = places.in_path(&name);
        let missing =
            || EngineCommandError::NoInterpreter { script: script.to_owned(), interpreter: name.clone() };
        found.ok_or_else(missing)?
    } else {
        PathBuf::from(&name)
    };
    match metadata(&file).map_err(|error| unreadable(&file, error)).and_then(|_| inspect(&file)) {
        Ok(_) => Ok((file, arguments)),
        Err(error) => {
            Err(EngineCommandError::Interpreter { script: script.to_owned(), interpreter: file, error })
        }
    }
}

/// Makes an argument absolute if it is a path or ends in `=` and a path, and returns the path.
fn with_absolute_path(argument: &str, folder: &Path) -> (String, Option<PathBuf>) {
    let (before, path) =
        argument.rsplit_once('=').map_or(("", argument), |(name, path)| (&argument[..=name.len()], path));
    let file = written(folder, Path::new(path));
    let is_path = !path.is_empty() && !path.starts_with('-') && metadata(&file).is_ok();
    match file.to_str().filter(|_| is_path) {
        Some(absolute) => (format!("{before}{absolute}"), Some(file)),
        None => (argument.to_owned(), None),
    }
}

/// Returns what an interpreter reads beyond the system's libraries. A virtual environment is found by the written path.
fn runtime_of(program: &Path, real: &Path) -> Vec<PathBuf> {
    let prefix = |file: &Path| file.parent().and_then(Path::parent).map(Path::to_owned);
    let environment = prefix(program).filter(|folder| metadata(&folder.join("pyvenv.cfg")).is_ok());
    let base = prefix(real).filter(|prefix| prefix.components().count() > 1);
    let own = base.clone().filter(|prefix| *prefix != Path::new("/usr")).map(|prefix| prefix.join("lib"));
    let name = real.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let stem = name.trim_end_matches(|last: char| last.is_ascii_digit() || last == '.');
    let shared = base
        .map(|prefix| prefix.join("share"))
        .into_iter()
        .flat_map(|share| ["", "3", "5"].map(|version| share.join(format!("{stem}{version}"))));
    let is_interpreter = is_python(real) || ["perl", "ruby", "lua", "node", "php"].contains(&stem);
    let found = own.into_iter().chain(shared).filter(|folder| is_interpreter && is_folder(folder));
    environment.into_iter().chain(found).collect()
}

/// Returns whether a folder is the engine's own: no folder of the system, and none that holds a user's other things.
fn is_own(folder: &Path, places: &ProgramPlaces) -> bool {
    const OF_THE_SYSTEM: [&str; 7] = ["/usr", "/bin", "/sbin", "/lib", "/etc", "/proc", "/dev"];
    let real = canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let homes = places.home.iter().filter_map(|home| canonicalize(home).ok());
    let is_of_system = OF_THE_SYSTEM.iter().any(|system| real.starts_with(system));
    real.components().count() > 2 && !is_of_system && !homes.into_iter().any(|home| home.starts_with(&real))
}

fn is_python(program: &Path) -> bool {
    program.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with("python"))
}

fn is_python_file(file: &Path) -> bool {
    file.extension() == Some(OsStr::new("py")) && fs::metadata(file).is_ok_and(|found| found.is_file())
}

fn utf8(path: &Path) -> Result<String, EngineCommandError> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| EngineCommandError::NotUtf8(path.to_owned()))
}

fn shown(path: &Path) -> std::path::Display<'_> {
    path.display()
}
