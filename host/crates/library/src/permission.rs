//! Explains why access to a file was denied.

use std::{os::unix::fs::MetadataExt, path::Path};

use crate::file_access::metadata;

/// Returns the mode and the owner of the file or folder that denies access, and the remedy.
pub(crate) fn explain_denied(path: &Path) -> String {
    let denied = path
        .ancestors()
        .find_map(|part| Some((part, metadata(part).ok()?)));
    let user = rustix::process::geteuid().as_raw();
    let Some((part, metadata)) = denied else {
        return format!("user {user} does not have permission");
    };
    let (kind, right) = if part == path {
        ("it", "a+r")
    } else {
        ("a folder on its path", "a+x")
    };
    let name = part
        .file_name()
        .unwrap_or(part.as_os_str())
        .to_string_lossy();
    format!(
        "{kind} has mode {:04o} and belongs to user {}, group {}; this process runs as user \
         {user}; 'chmod {right} {name}' gives every user access",
        metadata.mode() & 0o7777,
        metadata.uid(),
        metadata.gid()
    )
}
