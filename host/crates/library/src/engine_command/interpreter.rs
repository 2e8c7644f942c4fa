//! Interpreters: their names, the scripts in their arguments, and what they read.

use std::{
    ffi::OsStr,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use rustix::process::geteuid;

use super::own_folder::{has_a_home, is_of_system};
use crate::file_access::{canonicalize, metadata};

/// For each interpreter: its name without a version, the options that take a value, and the options
/// after which no script follows.
const INTERPRETERS: [(&str, &str, &str); 13] = [
    ("python", "WX", "cm"),
    ("pypy", "WX", "cm"),
    ("perl", "I", "eE"),
    ("ruby", "CIr", "e"),
    ("lua", "l", "e"),
    ("luajit", "l", "e"),
    ("node", "r", "ep"),
    ("nodejs", "r", "ep"),
    ("php", "cdz", "BFRr"),
    ("java", "", ""),
    ("sh", "Oo", "c"),
    ("bash", "Oo", "c"),
    ("dash", "o", "c"),
];

/// An interpreter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interpreter {
    name: &'static str,
    with_value: &'static str,
    without_script: &'static str,
}

impl Interpreter {
    /// Returns the interpreter with this program name, which may end in a version.
    pub(super) fn named(program: &Path) -> Option<Self> {
        let file = program.file_name().and_then(OsStr::to_str)?;
        let is_version = |rest: &str| {
            rest.chars()
                .all(|letter| letter.is_ascii_digit() || letter == '.')
        };
        let is_called = |name: &str| file.strip_prefix(name).is_some_and(is_version);
        let found = INTERPRETERS.into_iter().find(|(name, ..)| is_called(name));
        found.map(|(name, with_value, without_script)| Self {
            name,
            with_value,
            without_script,
        })
    }

    pub(super) fn is_python(self) -> bool {
        ["python", "pypy"].contains(&self.name)
    }

    /// Returns the index of the script in its arguments.
    pub(super) fn script_index(self, arguments: &[String]) -> Option<usize> {
        let mut is_value = false;
        for (index, argument) in arguments.iter().enumerate() {
            if std::mem::take(&mut is_value) {
                continue;
            }
            match argument.strip_prefix('-') {
                None => return Some(index),
                Some("") => return None,
                Some("-") => return Some(index + 1).filter(|&next| next < arguments.len()),
                Some(long) if long.starts_with('-') => {}
                Some(letters) => {
                    let end = letters.find(|letter| {
                        self.with_value.contains(letter) || self.without_script.contains(letter)
                    });
                    let Some(end) = end else { continue };
                    if self.without_script.contains(&letters[end..=end]) {
                        return None;
                    }
                    is_value = end + 1 == letters.len();
                }
            }
        }
        None
    }

    /// Returns the paths that it reads in addition to system libraries. They are under its prefix,
    /// or under the virtual environment that its path as written belongs to. Links out of these
    /// folders are left out.
    pub(super) fn runtime(self, program: &Path, real: &Path, homes: &[PathBuf]) -> Vec<PathBuf> {
        let is_trusted =
            metadata(real).is_ok_and(|found| [0, geteuid().as_raw()].contains(&found.uid()));
        if !is_trusted {
            return Vec::new();
        }
        let environment =
            prefix(program).filter(|folder| metadata(&folder.join("pyvenv.cfg")).is_ok());
        let base = prefix(real).filter(|prefix| prefix.components().count() > 1);
        let mut found = Vec::new();
        for prefix in environment.into_iter().chain(base) {
            let Ok(folder) = canonicalize(&prefix) else {
                continue;
            };
            if !is_of_system(&folder) && has_a_home(&folder, homes) {
                continue;
            }
            let own = ["pyvenv.cfg", "lib", "lib64"].map(str::to_owned);
            let own = own.into_iter().filter(|_| folder != Path::new("/usr"));
            let shared = ["", "3", "5"].map(|version| format!("share/{}{version}", self.name));
            let paths = own.chain(shared).map(|name| prefix.join(name));
            let stays = |path: &PathBuf| {
                canonicalize(path)
                    .is_ok_and(|target| target != folder && target.starts_with(&folder))
            };
            found.extend(paths.filter(stays));
        }
        found
    }
}

/// Returns the folder that contains a program's `bin`.
fn prefix(program: &Path) -> Option<PathBuf> {
    let bin = program
        .parent()
        .filter(|bin| bin.file_name() == Some(OsStr::new("bin")))?;
    bin.parent().map(Path::to_owned)
}
