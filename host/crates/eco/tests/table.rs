//! The table of named positions is what the list of openings gives; `UPDATE_TABLE=1 cargo test -p eco` rewrites it.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::{collections::BTreeMap, env, fmt::Write as _, fs, path::Path};

const VOLUMES: [&str; 5] = ["a", "b", "c", "d", "e"];
/// A bucket has the hashes with the same highest bits, about one.
const BUCKET_BITS: u32 = 12;

#[test]
fn the_table_is_that_of_the_list() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/table.rs");
    let table = table();
    if env::var_os("UPDATE_TABLE").is_some() {
        fs::write(&path, &table).unwrap();
    }
    let stored = fs::read_to_string(&path).unwrap();
    assert!(
        stored == table,
        "host/crates/eco/src/table.rs is out of date; `UPDATE_TABLE=1 cargo test -p eco` rewrites it"
    );
}

/// The hashes of the named positions in order, and for each the place of its name in one text.
fn table() -> String {
    let mut names = String::new();
    let mut offsets = BTreeMap::new();
    let mut positions = BTreeMap::new();
    for volume in VOLUMES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("openings/{volume}.tsv"));
        let lines = fs::read_to_string(&path).unwrap();
        for line in lines.lines().skip(1) {
            let [eco, name, moves] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("{volume}: expected code, name and moves in {line:?}");
            };
            let offset = *offsets.entry(format!("{eco}{name}")).or_insert_with_key(|text| {
                let offset = names.len();
                names.push_str(text);
                names.push('\n');
                offset
            });
            let games = rules::parse_pgn(moves).unwrap_or_else(|error| panic!("{volume}: {line:?}: {error}"));
            let [game] = &games[..] else { panic!("{volume}: expected one game in {line:?}") };
            let other = positions.insert(game.game.position().hash(), offset);
            assert!(other.is_none(), "{volume}: the position of {line:?} has two names");
        }
    }
    let mut source = String::from("// Generated from the folder `openings` by `tests/table.rs`.\n\n");
    let _ = writeln!(source, "pub(crate) const BUCKET_BITS: u32 = {BUCKET_BITS};");
    let buckets: Vec<_> = positions.keys().map(|hash| hash >> (64 - BUCKET_BITS)).collect();
    let starts = (0..=1_u64 << BUCKET_BITS).map(|bucket| buckets.partition_point(|&other| other < bucket));
    write_static(&mut source, "BUCKETS", "u16", starts.map(|start| start.to_string()));
    write_static(&mut source, "HASHES", "u64", positions.keys().map(|hash| format!("0x{hash:016x}")));
    write_static(&mut source, "OFFSETS", "u32", positions.values().map(usize::to_string));
    let _ = writeln!(
        source,
        "\n/// The names, each after its code.\npub(crate) static NAMES: &str = \"\\\n{names}\";"
    );
    source
}

/// Writes an array, eight elements a line.
fn write_static(source: &mut String, name: &str, element: &str, values: impl Iterator<Item = String>) {
    let values: Vec<_> = values.collect();
    let _ = writeln!(source, "\npub(crate) static {name}: [{element}; {}] = [", values.len());
    for row in values.chunks(8) {
        let _ = writeln!(source, "    {},", row.join(", "));
    }
    source.push_str("];\n");
}
