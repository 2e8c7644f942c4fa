//! The fingerprint of an AI: a hash of all that determines its moves.

use std::{io, path::Path};

use ai_api::OptionValue;
use library::{content_sha256, file_access::is_folder, sha256::Sha256Sum};
use pool::Ai;

/// Returns the hash of an AI's library, its options, the files that it may read and the tablebases. Paths don't count, since they differ between
/// machines, and secrets don't. Of a folder, which may have terabytes, the names and sizes count.
///
/// # Errors
/// A file can't be read.
pub fn fingerprint(ai: &Ai) -> io::Result<Sha256Sum> {
    let mut lines = vec![format!("library {}", ai.library_sha256)];
    for spec in ai.about.options.iter().filter(|spec| !spec.secret) {
        let Some(setting) = ai.options().iter().find(|setting| setting.name == spec.name) else { continue };
        match &setting.value {
            OptionValue::List(paths) => lines.extend(named("option", &spec.name, paths)?),
            OptionValue::Text(path) if spec.names_files() => {
                let paths = Some(path).filter(|path| !path.is_empty());
                lines.extend(named("option", &spec.name, paths)?);
            }
            value => lines.push(format!("option {} {value:?}", spec.name)),
        }
    }
    let sandbox = &ai.settings.sandbox;
    lines.extend(named("grant", "read", &sandbox.read)?);
    let tablebases = sandbox.tablebases.iter().filter(|directory| is_folder(directory));
    lines.extend(named("grant", "tablebases", tablebases)?);
    lines.extend(named("grant", "exec", sandbox.exec.iter().map(|program| &program.file))?);
    Ok(Sha256Sum::of(lines.join("\n").as_bytes()))
}

/// Returns a line with the hash of each path's content.
fn named(kind: &str, name: &str, paths: impl IntoIterator<Item: AsRef<Path>>) -> io::Result<Vec<String>> {
    let line = |path: &Path| Ok(format!("{kind} {name} {}", content_sha256(path)?));
    paths.into_iter().map(|path| line(path.as_ref())).collect()
}
