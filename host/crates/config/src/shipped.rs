//! The shipped libraries and data, and the default configuration that uses them.

use std::{
    env,
    path::{Path, PathBuf},
};

use library::file_access::{canonicalize, metadata};
use toml_edit::{Array, DocumentMut, Item, TableLike, Value};

use crate::{client::DEFAULT_CLIENT, kinds::shown_path};

/// The first lines of the default configuration.
const HEADER: &str = "\
# Rookery's default configuration, which serves the AIs next to the program.
# `rookery config show` prints every key with its value; `rookery config check` reports all errors.

";
/// The folders of libraries, relative to the binary's folder: in a build and in a package.
const LIBRARIES: [&str; 2] = [".", "../lib/rookery"];
/// The folders of data, relative to the binary's folder: in a package and in the repository.
const DATA: [&str; 2] = ["../share/rookery", "../../data"];

/// Returns the folders near this program that may contain its libraries.
pub(crate) fn library_folders() -> Vec<PathBuf> {
    existing(&LIBRARIES)
}

/// Returns the shipped file or folder of this name.
pub fn shipped_data(name: &str) -> Option<PathBuf> {
    existing(&DATA.map(|folder| format!("{folder}/{name}")))
        .into_iter()
        .next()
}

/// Resolves paths relative to the binary's folder and returns the existing ones.
fn existing(places: &[impl AsRef<Path>]) -> Vec<PathBuf> {
    let program = env::current_exe().ok();
    let Some(folder) = program.as_deref().and_then(Path::parent) else {
        return Vec::new();
    };
    let paths = places.iter().map(|place| folder.join(place));
    paths.filter_map(|path| canonicalize(&path).ok()).collect()
}

/// Returns the configuration for a user without a file: the template's AIs whose libraries are near
/// this program, with their levels, and a default client. All paths are absolute. Without
/// libraries, it has no AIs.
///
/// # Panics
/// The template is not TOML.
pub fn default_configuration(template: &str) -> String {
    let (folders, book) = (library_folders(), shipped_data("book/rookery.bin"));
    let mut document: DocumentMut = template.parse().expect("the template is TOML");
    let mut directories = Array::new();
    let mut served: Vec<String> = Vec::new();
    for folder in &folders {
        let is_in_folder = |ai: &Item| {
            let library = ai.get("library").and_then(Item::as_str);
            library.is_some_and(|name| metadata(&folder.join(format!("lib{name}.so"))).is_ok())
        };
        let ais = document["ai"].as_table_like().into_iter();
        let found = ais.flat_map(TableLike::iter);
        let found = found.filter(|(_, ai)| is_in_folder(ai));
        let found: Vec<_> = found.map(|(id, _)| id.to_owned()).collect();
        if !found.is_empty() {
            directories.push(shown_path(folder));
        }
        served.extend(found);
    }
    let is_served = |ai: &str| served.iter().any(|id| id == ai);

    set(&mut document["plugins"]["directories"], directories.into());
    if let Some(plugins) = document["plugins"].as_table_mut() {
        plugins.decor_mut().set_prefix(HEADER);
    }
    retain(&mut document["ai"], |id, _| is_served(id));
    let plays_served = |_: &str, section: &Item| {
        let ai = section.get("ai").and_then(Item::as_str);
        ai.is_some_and(is_served)
    };
    retain(&mut document["level"], plays_served);
    // The other clients are examples.
    retain(&mut document["client"], |id, client| {
        id == DEFAULT_CLIENT && plays_served(id, client)
    });
    let ais = document["ai"].as_table_like_mut().into_iter();
    for (_, ai) in ais.flat_map(TableLike::iter_mut) {
        let Some(options) = ai.get_mut("options").and_then(Item::as_table_like_mut) else {
            continue;
        };
        match (options.get_mut("book"), &book) {
            (Some(old), Some(book)) => set(old, shown_path(book).into()),
            _ => _ = options.remove("book"),
        }
    }
    document.to_string()
}

/// Removes the entries of a table that `keeps` rejects.
fn retain(table: &mut Item, keeps: impl Fn(&str, &Item) -> bool) {
    let Some(table) = table.as_table_like_mut() else {
        return;
    };
    let gone = table.iter().filter(|(id, item)| !keeps(id, item));
    let gone: Vec<_> = gone.map(|(id, _)| id.to_owned()).collect();
    for id in gone {
        table.remove(&id);
    }
}

/// Replaces a value and keeps the comment after it.
fn set(item: &mut Item, mut value: Value) {
    if let Some(old) = item.as_value() {
        *value.decor_mut() = old.decor().clone();
    }
    *item = value.into();
}
