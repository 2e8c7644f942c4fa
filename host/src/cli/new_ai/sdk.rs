//! The crates of the SDK, which a new AI in Rust depends on.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use config::{quoted, shipped_data};
use toml_edit::{DocumentMut, InlineTable, Item, TableLike, Value};

use super::error::NewAiError;

/// The crates, and their folders in a clone and in a package.
const CRATES: [(&str, &str); 6] = [
    ("rookery-ai-api", "ai-api"),
    ("rookery-ai-attacks", "sdk/attacks"),
    ("rookery-ai-search", "sdk/search"),
    ("rookery-rules", "host/crates/rules"),
    ("rookery-ai-book", "sdk/book"),
    ("rookery-ai-tablebase", "sdk/tablebase"),
];
/// The crates that no template uses. Cargo would warn about their patches.
const UNUSED: [&str; 2] = ["rookery-ai-book", "rookery-ai-tablebase"];

/// What a crate needs to use the SDK.
#[derive(Clone, Debug)]
pub(super) struct Sdk {
    /// Entries of `[patch.crates-io]`.
    pub(super) patches: String,
    /// The paths and contents of the sources that are copied into the crate. Empty if the crate
    /// links to a clone.
    pub(super) vendored: Vec<(String, String)>,
}

impl Sdk {
    /// Reads the sources next to this program, or where it was built. If `link` is set, refers to
    /// the sources in that clone instead.
    pub(super) fn find(link: Option<&Path>) -> Result<Self, NewAiError> {
        let built = || Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let root = match link {
            Some(clone) => clone.to_path_buf(),
            None => shipped_data("crates").unwrap_or_else(built),
        };
        let root = fs::canonicalize(&root).unwrap_or(root);
        let is_crate = |folder: &str| root.join(folder).join("Cargo.toml").is_file();
        if !CRATES.iter().all(|(_, folder)| is_crate(folder)) {
            return Err(NewAiError::MissingSources(root));
        }
        if link.is_some() {
            return Ok(Self::linked(&root));
        }
        Self::carried(&root)
    }

    fn linked(root: &Path) -> Self {
        let patches = CRATES.map(|(name, folder)| patch(name, &root.join(folder)));
        Self {
            patches: patches.concat(),
            vendored: Vec::new(),
        }
    }

    fn carried(root: &Path) -> Result<Self, NewAiError> {
        let workspace = read_manifest(&root.join("Cargo.toml"))?;
        let mut sdk = Self {
            patches: String::new(),
            vendored: Vec::new(),
        };
        for (name, folder) in CRATES {
            let vendored = Path::new("vendor").join(name);
            sdk.patches += &patch(name, &vendored);
            let files = packed_files(&root.join(folder), &workspace)?;
            let of_vendored = |(path, text)| (vendored.join(path).display().to_string(), text);
            sdk.vendored.extend(files.into_iter().map(of_vendored));
        }
        Ok(sdk)
    }
}

/// Returns the files of a crate that `cargo package` packs: their paths relative to its folder, and
/// their contents.
fn packed_files(
    folder: &Path,
    workspace: &DocumentMut,
) -> Result<Vec<(PathBuf, String)>, NewAiError> {
    let mut manifest = read_manifest(&folder.join("Cargo.toml"))?;
    leave_workspace(&mut manifest, workspace);
    let mut files = vec![("Cargo.toml".into(), manifest.to_string())];
    let include = manifest.get("package").and_then(|of| of.get("include"));
    let include = include.and_then(Item::as_array).into_iter().flatten();
    for path in include.filter_map(Value::as_str) {
        let path = Path::new(path.trim_start_matches('/'));
        read_all(folder, path, &mut files)?;
    }
    Ok(files)
}

pub(super) fn is_crate_of_sdk(name: &str) -> bool {
    CRATES.iter().any(|(known, _)| name == *known)
}

fn patch(name: &str, folder: &Path) -> String {
    let mark = if UNUSED.contains(&name) { "# " } else { "" };
    let folder = quoted(&folder.to_string_lossy());
    format!("{mark}{name} = {{ path = {folder} }}\n")
}

fn read_manifest(file: &Path) -> Result<DocumentMut, NewAiError> {
    let text = fs::read_to_string(file).map_err(cannot_read(file))?;
    let parsed = text.parse().map_err(io::Error::other);
    parsed.map_err(cannot_read(file))
}

/// Reads a file, or every file below a folder, by its path from `root`.
fn read_all(
    root: &Path,
    path: &Path,
    files: &mut Vec<(PathBuf, String)>,
) -> Result<(), NewAiError> {
    let place = root.join(path);
    if !place.is_dir() {
        let text = fs::read_to_string(&place).map_err(cannot_read(&place))?;
        files.push((path.to_path_buf(), text));
        return Ok(());
    }
    for entry in fs::read_dir(&place).map_err(cannot_read(&place))? {
        let name = entry.map_err(cannot_read(&place))?.file_name();
        read_all(root, &path.join(name), files)?;
    }
    Ok(())
}

fn cannot_read(file: &Path) -> impl FnOnce(io::Error) -> NewAiError {
    let file = file.to_path_buf();
    |source| NewAiError::Read { file, source }
}

/// Replaces what a manifest inherits with its workspace's values, and removes what only the
/// workspace uses, as `cargo package` does.
fn leave_workspace(manifest: &mut DocumentMut, workspace: &DocumentMut) {
    manifest.remove("dev-dependencies");
    manifest.remove("lints");
    for section in ["package", "dependencies"] {
        let Some(entries) = manifest.get_mut(section).and_then(Item::as_table_like_mut) else {
            continue;
        };
        for (key, entry) in entries.iter_mut() {
            let Some(own) = entry.as_table_like().filter(|own| is_inherited(*own)) else {
                continue;
            };
            let shared = workspace.get("workspace").and_then(|of| of.get(section));
            let shared = shared.and_then(|of| of.get(&*key)).and_then(Item::as_value);
            let value = match shared {
                Some(shared) if section == "dependencies" => dependency(shared, own).into(),
                Some(shared) => shared.clone(),
                None => continue,
            };
            *entry = Item::Value(value);
        }
    }
}

fn is_inherited(entry: &dyn TableLike) -> bool {
    entry.get("workspace").and_then(Item::as_bool) == Some(true)
}

/// Merges a dependency of the workspace, except its path, with what a crate adds to it.
fn dependency(shared: &Value, own: &dyn TableLike) -> InlineTable {
    let mut joined = match shared {
        Value::InlineTable(shared) => shared.clone(),
        version => InlineTable::from_iter([("version", version.clone())]),
    };
    joined.remove("path");
    for (key, item) in own.iter().filter(|(key, _)| *key != "workspace") {
        if let Some(value) = item.as_value() {
            joined.insert(key, value.clone());
        }
    }
    joined.fmt();
    joined
}
