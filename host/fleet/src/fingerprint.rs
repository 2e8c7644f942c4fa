//! The fingerprint of an AI: a hash of all that determines its moves.

use std::{io, path::Path};

use ai_api::OptionValue;
use library::{content_sha256, sha256::Sha256Sum};
use pool::Ai;

/// Returns the hash of an AI's library, its options and the files that it may read. Paths don't count, since they differ between
/// machines, and secrets don't. Of a folder, which may have terabytes, the names and sizes count.
///
/// # Errors
/// A file can't be read.
pub(crate) fn fingerprint(ai: &Ai) -> io::Result<Sha256Sum> {
    let mut text = format!("library {}\n", ai.library_sha256);
    for spec in &ai.about.options {
        let Some(setting) = ai.options().iter().find(|setting| setting.name == spec.name) else { continue };
        if spec.secret {
            continue;
        }
        if spec.names_files() {
            let paths = match &setting.value {
                OptionValue::Text(path) if path.is_empty() => Vec::new(),
                OptionValue::Text(path) => vec![path.clone()],
                OptionValue::List(paths) => paths.clone(),
                _ => Vec::new(),
            };
            for path in paths {
                text += &format!("option {} {}\n", spec.name, content_sha256(Path::new(&path))?);
            }
        } else {
            text += &format!("option {} {:?}\n", spec.name, setting.value);
        }
    }
    for path in &ai.settings.sandbox.read {
        text += &format!("file {}\n", content_sha256(path)?);
    }
    for program in &ai.settings.sandbox.exec {
        text += &format!("program {}\n", content_sha256(&program.file)?);
    }
    Ok(Sha256Sum::of(text.as_bytes()))
}
