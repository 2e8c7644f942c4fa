//! An AI's fingerprint: a hash of everything that determines its moves.

use std::{io, path::Path};

use ai_api::OptionValue;

use crate::ai::Ai;
use library::{content_sha256, file_access::is_folder, file_sha256, sha256::Sha256Sum};

impl Ai {
    /// Returns the AI's fingerprint. The first call reads the AI's files and may block.
    pub fn read_fingerprint(&self) -> Option<Sha256Sum> {
        let read = || {
            let known = self.fingerprint.get().copied();
            known.or_else(|| fingerprint(self).ok())
        };
        *self.own_fingerprint.get_or_init(read)
    }
}

/// Returns the hash of an AI's library, its options, the files it may read, the programs it drives
/// and the tablebases. Secrets are left out, and so are paths, which differ between machines. A
/// folder may hold terabytes, so only the names and sizes of its files are hashed.
///
/// # Errors
/// A file can't be read.
pub fn fingerprint(ai: &Ai) -> io::Result<Sha256Sum> {
    let mut lines = vec![format!("library {}", ai.library_sha256)];
    for spec in ai.about.options.iter().filter(|spec| !spec.secret) {
        let Some(setting) = ai
            .options()
            .iter()
            .find(|setting| setting.name == spec.name)
        else {
            continue;
        };
        match &setting.value {
            OptionValue::List(paths) => lines.extend(named("option", &spec.name, paths)?),
            OptionValue::Text(path) if spec.names_files() => {
                let paths = Some(path).filter(|path| !path.is_empty());
                lines.extend(named("option", &spec.name, paths)?);
            }
            OptionValue::Text(text) => {
                let text = ai.settings.sandbox.as_sent(text);
                lines.push(format!(
                    "option {} {:?}",
                    spec.name,
                    OptionValue::Text(text)
                ));
            }
            value => lines.push(format!("option {} {value:?}", spec.name)),
        }
    }
    let sandbox = &ai.settings.sandbox;
    lines.extend(named("grant", "read", &sandbox.read)?);
    let tablebases = sandbox
        .tablebases
        .iter()
        .filter(|directory| is_folder(directory));
    lines.extend(named("grant", "tablebases", tablebases)?);
    let programs = ai
        .settings
        .program_files()
        .into_iter()
        .filter_map(|file| file_sha256(&file));
    lines.extend(programs.map(|sum| format!("grant exec {sum}")));
    Ok(Sha256Sum::of(lines.join("\n").as_bytes()))
}

/// Returns one line per path, with the hash of the path's content.
fn named(
    kind: &str,
    name: &str,
    paths: impl IntoIterator<Item: AsRef<Path>>,
) -> io::Result<Vec<String>> {
    let line = |path: &Path| Ok(format!("{kind} {name} {}", content_sha256(path)?));
    paths.into_iter().map(|path| line(path.as_ref())).collect()
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use ai_api::{Capabilities, OptionSetting, OptionSpec};
    use config::AiSettings;
    use protocol::{Confined, Executable, SandboxSettings};

    use super::*;
    use crate::{about::About, ai::RemoteAi};

    #[test]
    fn the_fingerprint_depends_on_the_programs_an_ai_drives() {
        let folder = tempfile::tempdir().unwrap();
        let [program, script] = ["engine", "script"].map(|name| folder.path().join(name));
        let command = OptionSetting {
            name: "command".into(),
            value: OptionValue::Text(format!("{} {}", program.display(), script.display())),
        };
        let exec = vec![Executable {
            file: program.clone(),
            loader: None,
        }];
        let settings = AiSettings {
            sandbox: SandboxSettings {
                exec,
                ..SandboxSettings::default()
            },
            options: vec![command.clone()],
            ..AiSettings::of_library("engine", PathBuf::new())
        };
        let about = About {
            name: "A".into(),
            version: "1".into(),
            author: String::new(),
            searcher: true,
            evaluator: false,
            options: vec![OptionSpec::text("command", "", "")],
            capabilities: Capabilities::SIMPLEST,
        };
        let ai = Ai::remote(RemoteAi {
            settings,
            about,
            options: vec![command],
            library_file: String::new(),
            library_sha256: Sha256Sum::of(&[]),
            confined: Confined::default(),
            fingerprint: Sha256Sum::of(&[]),
        });
        let of = |contents: [&str; 2]| {
            fs::write(&program, contents[0]).unwrap();
            fs::write(&script, contents[1]).unwrap();
            fingerprint(&ai).unwrap()
        };
        let first = of(["1", "e2e4"]);
        assert_ne!(of(["1", "d2d4"]), first);
        assert_ne!(of(["2", "e2e4"]), first);
        assert_eq!(of(["1", "e2e4"]), first);
    }
}
