//! The description of a player on this machine, with the hashes of its files.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use config::{AiSettings, named_files};
use library::{
    content_sha256,
    file_access::{bounded, canonicalize, metadata},
};
use protocol::SandboxSettings;
use tournament::Player;

use super::{
    MAX_BYTES, MAX_FILES, PlayerFilesError, PlayerManifest, ShippedFile, ShippedLink, is_of_system,
    is_system_data, is_system_interpreter,
};

/// The folders that differ from machine to machine.
const OF_ONE_MACHINE: [&str; 5] = ["/dev", "/etc", "/proc", "/run", "/sys"];

impl PlayerManifest {
    /// Describes a player without its tablebases. Blocks while it hashes the files.
    ///
    /// # Errors
    /// A file cannot be read or sent.
    pub fn of(player: &Player) -> Result<Self, PlayerFilesError> {
        let settings = player.settings();
        let SandboxSettings {
            memory_mb,
            threads,
            read,
            exec,
            working_directory,
            links: written,
            mode: _,
            placed_in: _,
            tablebases: _,
        } = &settings.sandbox;
        let mut packed = Packed::default();
        let library = canonicalize(&settings.library);
        let library = library.map_err(|error| unreadable(&settings.library, error))?;
        packed.add(&library)?;
        for path in paths_of(settings) {
            packed.add(&path)?;
        }
        for setting in &settings.options {
            let mut specs = player.option_specs().iter();
            let Some(spec) = specs.find(|spec| spec.name == setting.name) else {
                continue;
            };
            if spec.secret {
                return Err(PlayerFilesError::Secret(setting.name.clone()));
            }
            for path in named_files(spec, &setting.value) {
                packed.add(Path::new(path))?;
            }
        }
        for link in written {
            let target = canonicalize(link).map_err(|error| unreadable(link, error))?;
            packed.links.entry(link.clone()).or_insert(target);
        }
        let Packed {
            paths,
            folders,
            mut links,
            bytes: _,
        } = packed;
        // A path below a link is reached through that link.
        let all: BTreeSet<_> = links.keys().cloned().collect();
        links.retain(|link, _| !link.ancestors().skip(1).any(|above| all.contains(above)));
        let links = links
            .into_iter()
            .filter(|(path, _)| !paths.contains_key(path))
            .map(|(path, target)| ShippedLink { path, target })
            .collect();
        let mut files = Vec::new();
        for (path, bytes) in paths {
            let sha256 = content_sha256(&path).map_err(|error| unreadable(&path, error))?;
            files.push(ShippedFile {
                path,
                sha256,
                bytes,
            });
        }
        let manifest = Self {
            name: player.name.clone(),
            id: settings.id.clone(),
            limits: *player.limits(),
            fingerprint: player.ai_fingerprint(),
            library,
            options: settings.options.clone(),
            memory_mb: *memory_mb,
            threads: *threads,
            read: read.clone(),
            exec: exec.iter().map(|program| program.file.clone()).collect(),
            working_directory: working_directory.clone(),
            move_timeout_ms: settings.move_timeout_ms,
            stop_grace_ms: settings.stop_grace_ms,
            start_timeout_ms: settings.start_timeout_ms,
            new_game_timeout_ms: settings.new_game_timeout_ms,
            files,
            folders: folders.into_iter().collect(),
            links,
        };
        manifest.check()?;
        Ok(manifest)
    }
}

/// Returns the grants to send, and the files in the command.
fn paths_of(settings: &AiSettings) -> Vec<PathBuf> {
    let SandboxSettings {
        read, exec, links, ..
    } = &settings.sandbox;
    let read = read.iter().filter(|path| !is_system_data(path)).cloned();
    let is_program = |file: &PathBuf| exec.iter().any(|program| program.file == *file);
    let named = settings.program_files().into_iter().filter(|file| {
        let stays = if is_program(file) {
            is_system_interpreter(file)
        } else {
            is_of_system(file) || links.contains(file)
        };
        !stays && metadata(file).is_ok_and(|found| found.is_file())
    });
    named.chain(read).collect()
}

#[derive(Default)]
struct Packed {
    /// The files with their sizes.
    paths: BTreeMap<PathBuf, u64>,
    bytes: u64,
    folders: BTreeSet<PathBuf>,
    /// The links with their targets.
    links: BTreeMap<PathBuf, PathBuf>,
}

impl Packed {
    /// Adds a file, or a folder with all its contents.
    fn add(&mut self, path: &Path) -> Result<(), PlayerFilesError> {
        if OF_ONE_MACHINE.iter().any(|folder| path.starts_with(folder)) || path == Path::new("/") {
            return Err(PlayerFilesError::OfOneMachine(path.to_owned()));
        }
        let found = metadata(path).map_err(|error| unreadable(path, error))?;
        if !found.is_dir() {
            return self.add_file(path, &found);
        }
        if path.to_str().is_none() {
            return Err(PlayerFilesError::NotUtf8(path.to_owned()));
        }
        self.folders.insert(path.to_owned());
        let mut unread = vec![path.to_owned()];
        while let Some(folder) = unread.pop() {
            for entry in list(&folder)? {
                let of_entry = bounded(&entry, |entry, _| entry.symlink_metadata())
                    .map_err(io::Error::from)
                    .flatten()
                    .map_err(|error| unreadable(&entry, error))?;
                if of_entry.is_symlink() {
                    self.add_link(&entry, path)?;
                } else if of_entry.is_dir() {
                    unread.push(entry);
                } else {
                    self.add_file(&entry, &of_entry)?;
                }
                let count = self.paths.len() + self.links.len() + unread.len();
                if count > MAX_FILES {
                    return Err(PlayerFilesError::TooManyFiles(path.to_owned()));
                }
            }
        }
        Ok(())
    }

    fn add_file(&mut self, path: &Path, found: &fs::Metadata) -> Result<(), PlayerFilesError> {
        if !found.is_file() {
            return Err(PlayerFilesError::NotAFile(path.to_owned()));
        }
        if path.to_str().is_none() {
            return Err(PlayerFilesError::NotUtf8(path.to_owned()));
        }
        if self.paths.insert(path.to_owned(), found.len()).is_none() {
            self.bytes = self.bytes.saturating_add(found.len());
        }
        if self.bytes > MAX_BYTES {
            return Err(PlayerFilesError::TooLarge {
                path: path.to_owned(),
                bytes: self.bytes,
            });
        }
        Ok(())
    }

    /// Adds a link in a granted folder. The link must not point outside the folder.
    fn add_link(&mut self, link: &Path, granted: &Path) -> Result<(), PlayerFilesError> {
        let target = fs::read_link(link).map_err(|error| unreadable(link, error))?;
        let leads_out = canonicalize(link).is_ok_and(|real| !real.starts_with(granted));
        if (leads_out || target.is_absolute()) && !is_of_system(&target) {
            return Err(PlayerFilesError::LinkOut {
                link: link.to_owned(),
                target,
            });
        }
        if link.to_str().is_none() || target.to_str().is_none() {
            return Err(PlayerFilesError::NotUtf8(link.to_owned()));
        }
        self.links.insert(link.to_owned(), target);
        Ok(())
    }
}

/// Returns the paths in a folder.
fn list(folder: &Path) -> Result<Vec<PathBuf>, PlayerFilesError> {
    let listed = bounded(folder, |folder, _| {
        let entries = fs::read_dir(folder)?.take(MAX_FILES + 1);
        entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect()
    });
    let listed = listed.map_err(io::Error::from).flatten();
    listed.map_err(|error| unreadable(folder, error))
}

fn unreadable(path: &Path, error: io::Error) -> PlayerFilesError {
    PlayerFilesError::Read {
        path: path.to_owned(),
        error,
    }
}
