//! Names of types.

use std::collections::BTreeMap;

use super::{shipped, sources};

/// Returns the name of the struct, enum or trait that a line defines.
fn defined_type(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => line,
    };
    let (kind, rest) = line.split_once(' ')?;
    if !["struct", "enum", "trait"].contains(&kind) {
        return None;
    }
    rest.split(|character: char| !character.is_alphanumeric())
        .next()
        .filter(|name| name.starts_with(char::is_uppercase))
}

#[test]
fn no_two_types_of_the_host_share_a_name() {
    let mut places = BTreeMap::<String, Vec<String>>::new();
    let folders = shipped()
        .into_iter()
        .filter(|folder| folder.starts_with("host"));
    let files = folders.flat_map(|folder| sources(&folder));
    for (file, text) in files.filter(|(file, _)| !file.ends_with("tests.rs")) {
        let product = text.split("\n#[cfg(test)]\nmod tests").next().unwrap();
        for name in product.lines().filter_map(defined_type) {
            places
                .entry(name.to_owned())
                .or_default()
                .push(file.clone());
        }
    }
    assert!(places.len() > 1000, "found {} types", places.len());
    places.retain(|_, files| files.len() > 1);
    assert!(
        places.is_empty(),
        "each needs a name of its own: {places:#?}"
    );
}
