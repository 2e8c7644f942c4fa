//! The programs that an AI drives.

use std::{
    io, iter,
    path::{Path, PathBuf},
};

use ai_api::OptionValue;

use crate::{ai::AiSettings, engine::COMMAND};
use library::{EngineCommand, file_access::metadata, file_sha256, sha256::Sha256Sum};
use protocol::SandboxSettings;

impl AiSettings {
    /// Returns the paths of the files whose content is part of the AI: the programs that it may
    /// start, and the files that its `command` names, including those after a `=`. Some of the
    /// files might not exist. Returns nothing for an AI without programs.
    pub fn program_files(&self) -> Vec<PathBuf> {
        if self.sandbox.exec.is_empty() {
            return Vec::new();
        }
        let mut files: Vec<_> = self
            .sandbox
            .exec
            .iter()
            .map(|program| program.file.clone())
            .collect();
        if let Some(command) = self.command() {
            let words = shlex::split(command).unwrap_or_default();
            let values: Vec<_> = words
                .iter()
                .filter_map(|word| word.split_once('='))
                .map(|(_, value)| value)
                .collect();
            // A path may contain spaces.
            let named = [command.trim()]
                .into_iter()
                .chain(words.iter().map(String::as_str))
                .chain(values);
            let named = named.map(Path::new).filter(|path| path.is_absolute());
            for file in named {
                if files.iter().all(|other| other != file) {
                    files.push(file.to_path_buf());
                }
            }
        }
        files
    }

    /// Returns the command of the UCI engine that the AI drives.
    pub fn command(&self) -> Option<&str> {
        match &self
            .options
            .iter()
            .find(|setting| setting.name == COMMAND)?
            .value
        {
            OptionValue::Text(command) => Some(command),
            _ => None,
        }
    }

    /// Returns the folder of the engine or script in its `command`, if the AI may start programs.
    pub fn engine_folder(&self) -> Option<PathBuf> {
        let command = self.command().filter(|_| !self.sandbox.exec.is_empty())?;
        EngineCommand::folder_of(command)
    }

    /// Returns the files whose content identifies the AI in addition to its library:
    /// [`program_files`](Self::program_files) and the files in `allow_read`, such as a network or a
    /// script's modules. Ignores folders.
    pub fn own_files(&self) -> Vec<PathBuf> {
        let mut files = self.program_files();
        files.extend(
            self.sandbox
                .read
                .iter()
                .filter(|path| path.is_file())
                .cloned(),
        );
        files.sort();
        files.dedup();
        files
    }

    /// Returns the paths of the library and the grants that no longer exist. If a folder is
    /// missing, its contents are not listed.
    pub fn gone_grants(&self) -> Vec<PathBuf> {
        let SandboxSettings {
            exec,
            read,
            working_directory,
            ..
        } = &self.sandbox;
        let granted = exec
            .iter()
            .map(|program| &program.file)
            .chain(read)
            .chain(working_directory);
        let mut gone: Vec<_> = iter::once(&self.library)
            .chain(granted)
            .filter(|path| is_gone(path))
            .cloned()
            .collect();
        gone.sort();
        // A folder is sorted before its contents.
        gone.dedup_by(|next, folder| next.starts_with(folder));
        gone
    }

    /// Returns the missing files that its command names. The engine might not need them.
    pub fn missing_in_command(&self) -> Vec<PathBuf> {
        let whole = self.command().map(str::trim).unwrap_or_default();
        let named = self
            .program_files()
            .into_iter()
            .filter(|path| path != Path::new(whole));
        named.filter(|path| is_gone(path)).collect()
    }

    /// Returns the hash of [`own_files`](Self::own_files), or `None` if there are none. An
    /// unreadable file is hashed as unreadable.
    pub(crate) fn own_files_sha256(&self) -> Option<Sha256Sum> {
        let line = |file: &PathBuf| format!("{} {:?}", file.display(), file_sha256(file));
        let lines: Vec<_> = self.own_files().iter().map(line).collect();
        (!lines.is_empty()).then(|| Sha256Sum::of(lines.join("\n").as_bytes()))
    }
}

fn is_gone(path: &Path) -> bool {
    metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use ai_api::OptionSetting;
    use protocol::{Executable, SandboxSettings};

    use super::*;

    fn settings(exec: &[&str], command: &str) -> AiSettings {
        let exec = exec
            .iter()
            .map(|file| Executable {
                file: file.into(),
                loader: None,
            })
            .collect();
        let value = OptionValue::Text(command.into());
        AiSettings {
            sandbox: SandboxSettings {
                exec,
                ..SandboxSettings::default()
            },
            options: vec![OptionSetting {
                name: COMMAND.into(),
                value,
            }],
            ..AiSettings::of_library("engine", PathBuf::new())
        }
    }

    #[test]
    fn finds_every_path_in_the_command() {
        for (exec, command, files) in [
            (&[][..], "/bin/engine /x", &[][..]),
            (&["/bin/engine"], "", &["/bin/engine"]),
            (
                &["/bin/python3"],
                "/bin/python3 -u '/a b/engine.py' --net=/n relative",
                &[
                    "/bin/python3",
                    "/bin/python3 -u '/a b/engine.py' --net=/n relative",
                    "/a b/engine.py",
                    "/n",
                ],
            ),
            (&["/a b/engine"], "/a b/engine", &["/a b/engine", "/a"]),
            (
                &["/bin/engine"],
                "/bin/engine 'unended",
                &["/bin/engine", "/bin/engine 'unended"],
            ),
        ] {
            let found = settings(exec, command).program_files();
            assert_eq!(
                found,
                files.iter().map(PathBuf::from).collect::<Vec<_>>(),
                "{command}"
            );
        }
    }

    #[test]
    fn the_hash_depends_on_the_content_of_a_script() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("engine.py");
        let settings = settings(
            &["/bin/python3"],
            &format!("/bin/python3 {}", script.display()),
        );
        let mut sums = vec![settings.own_files_sha256().unwrap()];
        for text in ["e2e4", "d2d4"] {
            fs::write(&script, text).unwrap();
            sums.push(settings.own_files_sha256().unwrap());
        }
        assert!(sums[0] != sums[1] && sums[1] != sums[2]);
        fs::write(&script, "e2e4").unwrap();
        assert_eq!(settings.own_files_sha256().unwrap(), sums[1]);
        let without = AiSettings {
            sandbox: SandboxSettings::default(),
            ..settings
        };
        assert_eq!(without.own_files_sha256(), None);
    }
}
