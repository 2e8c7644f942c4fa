//! Writes the table of named positions: their hashes in order, and for each the place of its name in one text.
//!
//! A process that looks up no name never touches the table, and one that does needs no time to build it.

use std::{collections::BTreeMap, env, fmt::Write as _, fs, path::Path};

const VOLUMES: [&str; 5] = ["a", "b", "c", "d", "e"];
/// A bucket has the hashes with the same highest bits, about one.
const BUCKET_BITS: u32 = 12;

fn main() {
    println!("cargo::rerun-if-changed=openings");
    let mut names = String::new();
    let mut offsets = BTreeMap::new();
    let mut positions = BTreeMap::new();
    for volume in VOLUMES {
        let path = format!("openings/{volume}.tsv");
        let lines = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        for line in lines.lines().skip(1) {
            let mut fields = line.split('\t');
            let (Some(eco), Some(name), Some(moves)) = (fields.next(), fields.next(), fields.next()) else {
                panic!("{path}: expected code, name and moves in {line:?}");
            };
            let offset = *offsets.entry(format!("{eco}{name}")).or_insert_with_key(|text| {
                let offset = names.len();
                names.push_str(text);
                names.push('\n');
                offset
            });
            let games = rules::parse_pgn(moves).unwrap_or_else(|error| panic!("{path}: {line:?}: {error}"));
            let [game] = &games[..] else { panic!("{path}: expected one game in {line:?}") };
            let other = positions.insert(game.game.position().hash(), offset);
            assert!(other.is_none(), "{path}: the position of {line:?} has two names");
        }
    }
    let mut source = String::new();
    let _ = writeln!(source, "const BUCKET_BITS: u32 = {BUCKET_BITS};");
    let buckets: Vec<_> = positions.keys().map(|hash| hash >> (64 - BUCKET_BITS)).collect();
    let starts =
        (0..=1_u64 << BUCKET_BITS).map(|bucket| buckets.partition_point(|&other| other < bucket).to_string());
    write_static(&mut source, "BUCKETS: [u16", &starts.collect::<Vec<_>>());
    let hashes = positions.keys().map(|hash| format!("0x{hash:016x}"));
    write_static(&mut source, "HASHES: [u64", &hashes.collect::<Vec<_>>());
    let offsets = positions.values().map(usize::to_string);
    write_static(&mut source, "OFFSETS: [u32", &offsets.collect::<Vec<_>>());
    let _ = writeln!(source, "static NAMES: &str = {names:?};");
    let directory = env::var_os("OUT_DIR").expect("cargo names a directory for what build scripts write");
    fs::write(Path::new(&directory).join("table.rs"), source)
        .expect("cargo's own directory can be written to");
}

/// Writes an array. `start` is its name and the type of its elements.
fn write_static(source: &mut String, start: &str, elements: &[String]) {
    let _ = writeln!(source, "static {start}; {}] = [{}];", elements.len(), elements.join(", "));
}
