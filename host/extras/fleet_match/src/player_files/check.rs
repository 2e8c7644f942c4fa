//! Checks the description of a player from another machine.

use std::{
    collections::BTreeSet,
    path::{Component, Path, PathBuf},
};

use ai_api::note::is_id;
use config::{MEMORY_SIZES_MB, THREAD_COUNTS};
use text::{is_control_or_bidi, printable};

use super::{
    MAX_BYTES, MAX_FILES, MAX_MANIFEST_BYTES, PlayerFilesError, PlayerManifest, ShippedLink,
    is_of_system, is_system_data, is_system_interpreter, shown,
};

/// The longest time that a configuration can set.
const MAX_TIMEOUT_MS: u64 = 3_600_000;
/// Linux's limits.
const MAX_PATH_BYTES: usize = 4095;
const MAX_NAME_BYTES: usize = 255;

impl PlayerManifest {
    /// Checks everything except the values of the options, which only the AI can check.
    ///
    /// # Errors
    /// A number, a count or a path is out of bounds.
    pub fn check(&self) -> Result<(), PlayerFilesError> {
        let length = serde_json::to_vec(self).map_or(usize::MAX, |text| text.len());
        require(length <= MAX_MANIFEST_BYTES, || {
            format!("it has {length} bytes; expected at most {MAX_MANIFEST_BYTES}")
        })?;
        require(is_id(&self.id), || {
            format!("{:?} is not a valid AI id", self.id)
        })?;
        require(!self.name.chars().any(is_control_or_bidi), || {
            format!(
                "the name {:?} has control characters",
                printable(&self.name)
            )
        })?;
        for (name, value, (least, most)) in [
            ("memory_mb", self.memory_mb, MEMORY_SIZES_MB.into_inner()),
            ("threads", self.threads, THREAD_COUNTS.into_inner()),
            ("move_timeout_ms", self.move_timeout_ms, (1, MAX_TIMEOUT_MS)),
            (
                "stop_grace_ms",
                self.stop_grace_ms.unwrap_or(1),
                (1, (self.move_timeout_ms / 2).max(1)),
            ),
            (
                "start_timeout_ms",
                self.start_timeout_ms,
                (1, MAX_TIMEOUT_MS),
            ),
            (
                "new_game_timeout_ms",
                self.new_game_timeout_ms,
                (1, MAX_TIMEOUT_MS),
            ),
        ] {
            require((least..=most).contains(&value), || {
                format!("{name} is {value}; expected {least} to {most}")
            })?;
        }
        let count = self.files.len() + self.links.len();
        require(count <= MAX_FILES, || {
            format!("it has {count} files and links; expected at most {MAX_FILES}")
        })?;
        let bytes = self
            .files
            .iter()
            .try_fold(0_u64, |sum, file| sum.checked_add(file.bytes));
        require(bytes.is_some_and(|bytes| bytes <= MAX_BYTES), || {
            format!("its files total more than {MAX_BYTES} bytes")
        })?;
        self.check_paths()
    }

    fn check_paths(&self) -> Result<(), PlayerFilesError> {
        let links = self.links.iter().map(|link| &link.path);
        let granted = self.read.iter().chain(&self.exec);
        let granted = granted.chain(&self.working_directory);
        let files = self.files.iter().map(|file| &file.path);
        for path in files.chain(links).chain(granted).chain(&self.folders) {
            require(is_normal(path), || {
                format!("{} is not a plain absolute path", shown(path))
            })?;
        }
        let mut leaves = BTreeSet::new();
        for path in self.leaves() {
            require(leaves.insert(path), || {
                format!("the path {} occurs twice", shown(path))
            })?;
        }
        for path in self.leaves().chain(self.made_folders()) {
            let file = path
                .ancestors()
                .skip(1)
                .find(|folder| leaves.contains(folder));
            require(file.is_none(), || {
                format!("{} is below a file or a link", shown(path))
            })?;
        }
        for program in &self.exec {
            let is_sent = self.files.iter().any(|file| file.path == *program);
            require(is_sent || is_system_interpreter(program), || {
                format!("the program {} is not among its files", shown(program))
            })?;
        }
        let has_library = self.files.iter().any(|file| file.path == self.library);
        require(has_library, || {
            format!(
                "the library {} is not among its files",
                shown(&self.library)
            )
        })?;
        for link in &self.links {
            require(link.target().is_some_and(|to| is_normal(&to)), || {
                format!(
                    "the link {} leads to {}, outside its files",
                    shown(&link.path),
                    shown(&link.target)
                )
            })?;
        }
        Ok(())
    }

    /// Returns the paths of the files and links to create.
    fn leaves(&self) -> impl Iterator<Item = &Path> {
        let files = self.files.iter().map(|file| &*file.path);
        files.chain(self.made_links().map(|link| &*link.path))
    }

    /// Returns the links to create. Every machine has the others.
    pub(super) fn made_links(&self) -> impl Iterator<Item = &ShippedLink> {
        self.links.iter().filter(|link| !is_of_system(&link.path))
    }

    /// Returns the folders to create even if they contain no files.
    pub(super) fn made_folders(&self) -> impl Iterator<Item = &Path> {
        let granted = self.read.iter().chain(&self.working_directory);
        granted
            .filter(|path| !is_system_data(path))
            .chain(&self.folders)
            .map(PathBuf::as_path)
    }
}

impl ShippedLink {
    /// Returns the absolute path of its target without resolving links, or `None` if it is above
    /// the root.
    fn target(&self) -> Option<PathBuf> {
        if self.target.is_absolute() {
            return Some(self.target.clone());
        }
        let mut path = self.path.parent()?.to_owned();
        let mut components = self.target.components().peekable();
        components.peek()?;
        let mut is_below = false;
        for component in components {
            match component {
                // An earlier component could be a link into a different folder.
                Component::ParentDir if is_below || !path.pop() => return None,
                Component::ParentDir | Component::CurDir => {}
                Component::Normal(name) => {
                    is_below = true;
                    path.push(name);
                }
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        Some(path)
    }
}

/// Returns whether a path is absolute and in its shortest form.
pub(super) fn is_normal(path: &Path) -> bool {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::RootDir => plain.push("/"),
            Component::Normal(name) if name.len() <= MAX_NAME_BYTES => plain.push(name),
            _ => return false,
        }
    }
    let bytes = path.as_os_str().as_encoded_bytes();
    path.is_absolute()
        && plain.as_os_str() == path.as_os_str()
        && bytes.len() <= MAX_PATH_BYTES
        && !bytes.contains(&0)
}

fn require(is_right: bool, wrong: impl FnOnce() -> String) -> Result<(), PlayerFilesError> {
    if is_right {
        Ok(())
    } else {
        Err(PlayerFilesError::Invalid(wrong()))
    }
}
