//! Places the files of a player from another machine on this one.

use std::{
    fs::{self, DirBuilder, Permissions},
    io,
    os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, symlink},
    path::{Path, PathBuf},
};

use ai_api::{OptionSetting, OptionValue};
use config::AiSettings;
use library::{executable::inspect, file_access::canonicalize};
use protocol::{Executable, SandboxMode, SandboxSettings};

use super::{
    PlayerFilesError, PlayerManifest, ShippedFile, is_of_system, is_system_data,
    is_system_interpreter,
};

/// Workers may run as a different user, and they never write.
const FILE_MODE: u32 = 0o555;
const FOLDER_MODE: u32 = 0o755;

impl PlayerManifest {
    /// Checks the description, places each file in the empty folder `root` at its path on the
    /// organizer's machine, and returns the settings of the AI. They require the sandbox. Blocks.
    ///
    /// # Errors
    /// The description is invalid, a system file is missing here, a program is not for this
    /// machine, or a file cannot be written. Nothing is written outside `root`.
    pub fn place(
        &self,
        cached: impl Fn(&ShippedFile) -> PathBuf,
        root: &Path,
    ) -> Result<AiSettings, PlayerFilesError> {
        self.check()?;
        let placed = Placed {
            root: prepare(root)?,
            moved: self.moved(),
        };
        for file in &self.files {
            let (from, to) = (cached(file), placed.below(&file.path));
            make_folders(&placed.root, to.parent())?;
            place_file(&from, &to, file.bytes)?;
        }
        for folder in self.made_folders() {
            let to = placed.below(folder);
            if !to.is_file() {
                make_folders(&placed.root, Some(&to))?;
            }
        }
        for link in self.made_links() {
            let to = placed.below(&link.path);
            make_folders(&placed.root, to.parent())?;
            let is_moved = link.target.is_absolute() && !is_of_system(&link.target);
            let target = if is_moved {
                placed.below(&link.target)
            } else {
                link.target.clone()
            };
            symlink(target, &to).map_err(|error| unwritable(&to, error))?;
        }
        self.settings(&placed)
    }

    fn settings(&self, placed: &Placed) -> Result<AiSettings, PlayerFilesError> {
        let library = self.files.iter().find(|file| file.path == self.library);
        let granted = |path: &PathBuf| {
            if is_system_data(path) {
                of_this_machine(path, is_system_data)
            } else {
                Ok(placed.below(path))
            }
        };
        let program = |path: &PathBuf| {
            let file = if self.is_sent(path) {
                placed.below(path)
            } else {
                of_this_machine(path, is_system_interpreter)?
            };
            inspect(&file).map_err(|error| PlayerFilesError::Program { path: file, error })
        };
        let links = self.links.iter().map(|link| {
            if is_of_system(&link.path) {
                link.path.clone()
            } else {
                placed.below(&link.path)
            }
        });
        let sandbox = SandboxSettings {
            mode: SandboxMode::Required,
            memory_mb: self.memory_mb,
            threads: self.threads,
            read: self.read.iter().map(granted).collect::<Result<_, _>>()?,
            exec: self
                .exec
                .iter()
                .map(program)
                .collect::<Result<Vec<Executable>, _>>()?,
            working_directory: self.working_directory.as_ref().map(granted).transpose()?,
            links: links.collect(),
            placed_in: Some(placed.root.clone()),
            tablebases: Vec::new(),
        };
        let options = self.options.iter().map(|setting| OptionSetting {
            name: setting.name.clone(),
            value: placed.value(&setting.value),
        });
        Ok(AiSettings {
            sha256: library.map(|file| file.sha256),
            workers: Some(1),
            move_timeout_ms: self.move_timeout_ms,
            stop_grace_ms: self.stop_grace_ms,
            start_timeout_ms: self.start_timeout_ms,
            new_game_timeout_ms: self.new_game_timeout_ms,
            sandbox,
            options: options.collect(),
            ..AiSettings::of_library(&self.id, placed.below(&self.library))
        })
    }

    fn is_sent(&self, path: &Path) -> bool {
        self.files.iter().any(|file| file.path == path)
    }

    /// Returns the paths that are different here, the longest first.
    fn moved(&self) -> Vec<String> {
        let files = self.files.iter().map(|file| &*file.path);
        let links = self.made_links().map(|link| &*link.path);
        let all = files.chain(links).chain(self.made_folders());
        let texts = all.filter(|path| *path != Path::new("/") && !is_system_interpreter(path));
        let mut moved: Vec<_> = texts
            .filter_map(|path| path.to_str().map(str::to_owned))
            .collect();
        moved.sort_by_key(|path| std::cmp::Reverse(path.len()));
        moved
    }
}

/// The location of another machine's files on this machine.
struct Placed {
    /// The real path of the folder.
    root: PathBuf,
    /// The paths that are different here, the longest first.
    moved: Vec<String>,
}

impl Placed {
    /// Returns the path on this machine for an absolute path of the organizer.
    fn below(&self, path: &Path) -> PathBuf {
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }

    fn value(&self, value: &OptionValue) -> OptionValue {
        match value {
            OptionValue::Text(text) => OptionValue::Text(self.text(text)),
            OptionValue::List(texts) => {
                OptionValue::List(texts.iter().map(|text| self.text(text)).collect())
            }
            value => value.clone(),
        }
    }

    /// Replaces the organizer's paths in a path or a command. The root needs no quotes, so each
    /// word keeps its quotes.
    fn text(&self, text: &str) -> String {
        let root = self.root.to_string_lossy();
        let mut placed = String::with_capacity(text.len());
        let mut before = None;
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            let starts = next == '/' && before.is_none_or(is_boundary);
            let found = self.moved.iter().find(|path| {
                let Some(after) = rest.strip_prefix(path.as_str()) else {
                    return false;
                };
                let following = after.chars().next();
                starts && following.is_none_or(|c| c == '/' || is_boundary(c))
            });
            if found.is_some() {
                placed.push_str(&root);
            }
            let taken = found.map_or(next.len_utf8(), String::len);
            placed.push_str(&rest[..taken]);
            before = placed.chars().next_back();
            rest = &rest[taken..];
        }
        placed
    }
}

/// Returns the real path of something that every machine has. Rejects a link that leads elsewhere.
fn of_this_machine(
    path: &Path,
    is_allowed: impl Fn(&Path) -> bool,
) -> Result<PathBuf, PlayerFilesError> {
    let real = canonicalize(path).ok().filter(|real| is_allowed(real));
    real.ok_or_else(|| PlayerFilesError::Missing(path.to_owned()))
}

/// Returns whether a path in text can begin after this character or end before it.
fn is_boundary(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\'' | '"' | '=' | ':' | ',' | ';')
}

/// Returns the real path of an empty folder, and creates it if it does not exist.
fn prepare(root: &Path) -> Result<PathBuf, PlayerFilesError> {
    let unusable = |reason| PlayerFilesError::Root {
        root: root.to_owned(),
        reason,
    };
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(FOLDER_MODE);
    let made = builder.create(root).and_then(|()| root.canonicalize());
    let real = made.map_err(|error| unwritable(root, error))?;
    let is_plain = |text: &str| {
        text.chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-'))
    };
    if !real.to_str().is_some_and(is_plain) {
        return Err(unusable(
            "in a command it would need quotes; use a folder with plain letters, digits, '.', '_' \
             and '-'",
        ));
    }
    let mut entries = fs::read_dir(&real).map_err(|error| unwritable(root, error))?;
    if entries.next().is_some() {
        return Err(unusable("it is not empty; delete it"));
    }
    Ok(real)
}

/// Creates a folder in the root, with its parents.
fn make_folders(root: &Path, folder: Option<&Path>) -> Result<(), PlayerFilesError> {
    let folder = folder.unwrap_or(root);
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(FOLDER_MODE);
    builder
        .create(folder)
        .map_err(|error| unwritable(folder, error))
}

fn place_file(from: &Path, to: &Path, bytes: u64) -> Result<(), PlayerFilesError> {
    let unreadable = |error| PlayerFilesError::Read {
        path: from.to_owned(),
        error,
    };
    let found = fs::metadata(from).map_err(unreadable)?;
    if found.len() != bytes {
        let message = format!("it has {} bytes; expected {bytes}", found.len());
        return Err(unreadable(io::Error::other(message)));
    }
    let has_mode = found.permissions().mode() & 0o777 == FILE_MODE;
    if has_mode && fs::hard_link(from, to).is_ok() {
        return Ok(());
    }
    fs::copy(from, to)
        .and_then(|_| fs::set_permissions(to, Permissions::from_mode(FILE_MODE)))
        .map_err(|error| unwritable(to, error))
}

fn unwritable(path: &Path, error: io::Error) -> PlayerFilesError {
    PlayerFilesError::Write {
        path: path.to_owned(),
        error,
    }
}
