//! Why this user may not read a file.

use std::{os::unix::fs::MetadataExt, path::Path};

use crate::file_access::metadata;

/// The mode and the owner of what keeps this user out: the file, or a folder on the way to it.
pub(super) fn denied(path: &Path) -> String {
    let barrier = path.ancestors().find_map(|part| Some((part, metadata(part).ok()?)));
    let user = rustix::process::geteuid().as_raw();
    let Some((part, metadata)) = barrier else { return format!("this is user {user}, who may not") };
    let (kind, right) = if part == path { ("it", "a+r") } else { ("a folder on the way to it", "a+x") };
    let name = part.file_name().unwrap_or(part.as_os_str()).to_string_lossy();
    format!(
        "{kind} has mode {:04o} and belongs to user {}, group {}; this is user {user}: 'chmod {right} {name}' lets \
         everybody in",
        metadata.mode() & 0o7777,
        metadata.uid(),
        metadata.gid()
    )
}
