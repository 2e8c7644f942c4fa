//! Checks that the header follows its own rules for growth: every release keeps the contents of
//! earlier ones, and structs get new fields only at their end.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{collections::BTreeMap, fs, path::Path};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// Structs that never grow, as the header says.
const NEVER_GROW: [&str; 5] = [
    "rookery_position",
    "rookery_move_list",
    "rookery_value",
    "rookery_setting",
    "rookery_wdl",
];
/// The version of the header itself.
const VERSIONS: [&str; 2] = ["ROOKERY_MINOR", "ROOKERY_API"];

/// Returns the declarations of a header by name: the fields of a struct, otherwise the
/// declaration's text.
fn declarations(header: &str) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    let code = without_comments(header).replace("\\\n", " ");
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let words: Vec<_> = line.split_whitespace().collect();
        if let ["typedef", "struct", name, "{"] = words[..] {
            let body: String = lines
                .by_ref()
                .take_while(|line| !line.starts_with('}'))
                .collect();
            let fields = body.split(';').map(plain).filter(|field| !field.is_empty());
            found.insert(name.to_owned(), fields.collect());
        } else if let ["#define", name, ..] = words[..] {
            let name = name.split('(').next().unwrap();
            found.insert(name.to_owned(), vec![plain(line)]);
        } else if line.starts_with("typedef") || line.starts_with("static inline") {
            let signature = plain(line.split('{').next().unwrap());
            found.insert(signature.clone(), vec![signature]);
        }
    }
    found
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        kept += before;
        rest = comment.split_once("*/").unwrap().1;
    }
    kept + rest
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the changes in a later header that break the rules.
fn changes(released: &str, later: &str) -> Vec<String> {
    let later = declarations(later);
    let changed = |(name, old): (String, Vec<String>)| {
        if VERSIONS.contains(&name.as_str()) {
            return None;
        }
        let Some(new) = later.get(&name) else {
            return Some(format!("{name} is gone"));
        };
        let may_grow = old.len() > 1 && !NEVER_GROW.contains(&name.as_str());
        let is_kept = if may_grow {
            new.starts_with(&old)
        } else {
            *new == old
        };
        (!is_kept).then(|| format!("{name} was {old:#?} and is {new:#?}"))
    };
    declarations(released)
        .into_iter()
        .filter_map(changed)
        .collect()
}

fn header(folder: &Path) -> String {
    fs::read_to_string(folder.join("include/rookery_ai.h")).unwrap()
}

#[test]
fn the_header_keeps_everything_from_each_release() {
    let current = header(Path::new(ROOT));
    let folders: Vec<_> = fs::read_dir(Path::new(ROOT).join("frozen"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert!(!folders.is_empty());
    for release in folders {
        let released = header(&release);
        assert!(declarations(&released).len() > 100, "{}", release.display());
        let changes = changes(&released, &current);
        assert!(
            changes.is_empty(),
            "{}: {}",
            release.display(),
            changes.join("\n")
        );
    }
}

#[test]
fn only_appended_fields_count_as_growth() {
    let current = header(Path::new(ROOT));
    let changed = |from: &str, to: &str| {
        assert_eq!(current.matches(from).count(), 1, "{from}");
        changes(&current, &current.replace(from, to))
    };
    assert!(
        changed(
            "} rookery_manifest;",
            "    uint64_t later;\n} rookery_manifest;"
        )
        .is_empty()
    );
    assert!(
        changed(
            "#define ROOKERY_MAX_PV 4096",
            "#define ROOKERY_NEW 1\n#define ROOKERY_MAX_PV 4096"
        )
        .is_empty()
    );
    for (from, to) in [
        ("} rookery_wdl;", "    uint16_t later;\n} rookery_wdl;"),
        (
            "typedef struct rookery_manifest {",
            "typedef struct rookery_manifest {\n    uint64_t first;",
        ),
        ("#define ROOKERY_MAX_PV 4096", "#define ROOKERY_MAX_PV 8192"),
        (
            "typedef uint16_t rookery_move;",
            "typedef uint32_t rookery_move;",
        ),
        ("#define ROOKERY_LOG \"rookery.log/1\"", ""),
    ] {
        assert_eq!(changed(from, to).len(), 1, "{from} -> {to}");
    }
}
