//! Later versions keep the promises of each release, which `frozen` stores.

mod document;

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    fs::{self, File},
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use pool::Activity;
use serde_json::Value;
use test_kit::configuration::loaded;
use tournament::GameResult;

use self::document::{losses, without_texts};
use crate::{
    cli::{Outcome, run, run_with},
    docs::configuration::unmarked,
    openapi,
    support::{
        Application, ConfigFile,
        arena::{self as games, ArenaFile},
        assert_has, built, options, with_ais,
    },
};

/// Returns the frozen file of each release. With `FREEZE=1`, first writes the file of the current
/// version.
fn frozen(name: &str, current: impl AsRef<[u8]>) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/host/frozen");
    if env::var_os("FREEZE").is_some() {
        let release = folder.join(env!("CARGO_PKG_VERSION"));
        fs::create_dir_all(&release).unwrap();
        fs::write(release.join(name), current).unwrap();
    }
    let releases = fs::read_dir(folder).unwrap();
    let files: Vec<_> = releases
        .map(|release| release.unwrap().path().join(name))
        .collect();
    assert!(!files.is_empty());
    files
}

fn frozen_texts(name: &str, current: &str) -> Vec<String> {
    let files = frozen(name, current).into_iter();
    files
        .map(|file| fs::read_to_string(file).unwrap())
        .collect()
}

#[actix_web::test]
async fn clients_of_the_http_api_keep_working() {
    let current = openapi::document(&openapi::application().await).await;
    for old in frozen_texts("openapi.json", &without_texts(&current).to_string()) {
        let old: Value = serde_json::from_str(&old).unwrap();
        assert!(old["paths"].as_object().unwrap().len() >= 30);
        let losses = losses(&old, &current);
        assert!(losses.is_empty(), "{losses:#?}");
    }
}

#[test]
fn configurations_keep_loading() {
    let current = crate::docs::configuration::reference();
    let lines = current.lines().filter(|line| {
        let is_text = line.is_empty() || line.starts_with("# ") || *line == "#";
        !is_text
    });
    let current = lines.flat_map(|line| [line, "\n"]).collect::<String>();
    for reference in frozen_texts("reference.toml", &current) {
        assert!(reference.lines().count() >= 100);
        loaded(&unmarked(&reference), &options());
    }
}

const HELP: [&str; 2] = ["-h", "--help"];

/// Returns the flags of each command and their named values, from the script that completes them.
pub(crate) fn commands() -> BTreeMap<String, Vec<String>> {
    let script = run(&["completions", "bash"]).stdout;
    let mut commands = BTreeMap::<_, Vec<_>>::new();
    let (mut command, mut flag) = (String::new(), "");
    for line in script.lines().map(str::trim) {
        let mut add = |words: Vec<String>| {
            commands.entry(command.clone()).or_default().extend(words);
        };
        if let Some(words) = line.strip_prefix("opts=\"") {
            let words = words.trim_end_matches('"').split(' ');
            let flags = words.filter(|word| word.starts_with('-') && !HELP.contains(word));
            add(flags.map(str::to_owned).collect());
        } else if let Some(rest) = line.strip_prefix("COMPREPLY=($(compgen -W \"") {
            let values = rest.split('"').next().unwrap().split(' ');
            add(values.map(|value| format!("{flag}={value}")).collect());
        } else if let Some(name) = line.strip_suffix(')') {
            if name.starts_with('-') {
                flag = name;
            } else if name.starts_with("rookery") {
                command = name.replace("__subcmd__", " ");
            }
        }
    }
    commands
        .retain(|name, _| !name.is_empty() && !name.contains(" help") && name != "rookery worker");
    commands
}

#[test]
fn scripts_with_commands_keep_working() {
    let current = commands();
    let lines: Vec<_> = current
        .iter()
        .map(|(command, flags)| format!("{command}: {}", flags.join(" ")))
        .collect();
    let text = lines.join("\n") + "\n";
    let mut losses = Vec::new();
    for old in frozen_texts("commands.txt", &text) {
        assert!(old.lines().count() >= 35);
        for line in old.lines() {
            let (command, flags) = line.split_once(':').unwrap();
            let Some(known) = current.get(command) else {
                losses.push(command.to_owned());
                continue;
            };
            let lost = flags
                .split_whitespace()
                .filter(|flag| !known.iter().any(|known| known == flag));
            losses.extend(lost.map(|flag| format!("{command} {flag}")));
        }
    }
    assert!(losses.is_empty(), "{losses:?}");
}

/// The fields whose contents depend on the AI or the machine.
const FOREIGN: [&str; 3] = ["ais/limit", "ais/options", "ais/sandbox/cgroup"];

/// Adds the path of each field in a JSON value. The items of a list share one path.
fn add_fields(value: &Value, path: &str, fields: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) if !FOREIGN.contains(&path) => {
            for (name, value) in object {
                let path = format!("{path}/{name}");
                add_fields(value, &path, fields);
                fields.insert(path);
            }
        }
        Value::Array(items) => {
            for item in items {
                add_fields(item, path, fields);
            }
        }
        _ => {}
    }
}

#[test]
fn scripts_that_read_json_keep_working() {
    let file = with_ais(&[("one", "ai_basic1", ""), ("two", "ai_basic1", "")], "");
    let (game, library) = (file.folder().join("game.pgn"), built("ai_basic1"));
    fs::write(&game, "1. e4 e5 2. Qh5 *").unwrap();
    let (game, library) = (game.display(), library.display());
    let with_file = [
        "ais",
        "ais pin one",
        "best-move --depth 1",
        "bench --depth 1",
        "client add bob --write",
        "client list",
        "config check",
        "match one two --games 2 --nodes 50 --max-moves 2",
        &format!("report {game} --depth 1"),
    ];
    let without_file = [
        &format!("check-ai {library} --only load.starts"),
        &format!("convert --report {game}"),
        "perft --depth 1",
    ];
    let mut current = BTreeSet::new();
    let mut add = |command: &str, run: &dyn Fn(&[&str]) -> Outcome| {
        let words: Vec<_> = command.split(' ').chain(["--json"]).collect();
        let printed = run(&words);
        assert_eq!(printed.status, Some(0), "{command}: {}", printed.stderr);
        for value in serde_json::Deserializer::from_str(&printed.stdout).into_iter() {
            add_fields(&value.unwrap(), words[0], &mut current);
        }
    };
    for command in with_file {
        add(command, &|words| run_with(&file, words));
    }
    for command in without_file {
        add(command, &run);
    }
    let text = current
        .iter()
        .flat_map(|field| [field, "\n"])
        .collect::<String>();
    for old in frozen_texts("json_fields.txt", &text) {
        assert!(old.lines().count() >= 100);
        let losses = old.lines().filter(|field| !current.contains(*field));
        assert_eq!(losses.collect::<Vec<_>>(), [""; 0]);
    }
}

/// Returns the compressed file of an arena with two pairs and a match.
fn packed_arena(file: &ConfigFile) -> Vec<u8> {
    let written = ArenaFile::new(file);
    written.add_pair([0, 1], [GameResult::Win, GameResult::Loss], None);
    written.add_match("match", "alice");
    drop(written);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let bytes = fs::read(games::path(file)).unwrap();
    encoder.write_all(&bytes).unwrap();
    encoder.finish().unwrap()
}

#[actix_web::test]
async fn arenas_continue_with_their_games() {
    let ais = [("one", "ai_basic1", ""), ("two", "ai_basic1", "")];
    let file = with_ais(&ais, "[arena]\nplayers = [\"one\", \"two\"]\n");
    for packed in frozen("arena.db.gz", packed_arena(&file)) {
        let mut bytes = Vec::new();
        let mut decoder = GzDecoder::new(File::open(&packed).unwrap());
        decoder.read_to_end(&mut bytes).unwrap();
        fs::write(games::path(&file), bytes).unwrap();

        let kept = ArenaFile::new(&file);
        let reader = kept.store.reader();
        assert_eq!(reader.results().unwrap().pairs(), 2);
        assert_eq!(reader.match_results("match").unwrap().len(), 4);
        let mut exported = Vec::new();
        assert_eq!(reader.export(&mut exported).unwrap(), 6);
        assert_has(
            str::from_utf8(&exported).unwrap(),
            &[
                "[White \"one\"]",
                "[TimeControl \"10+0.1\"]",
                "1. e4 {[%eval 0.30,5]",
            ],
        );
        // Players whose libraries have changed since then become new versions.
        kept.add_pair([0, 1], [GameResult::Draw, GameResult::Win], None);
        drop(kept);
        let arena = games::start(&file, &Activity::default()).await;
        let app = Application::of(&file).with_arena(arena);
        let listed = app.get("/v1/arena/games").await.ok();
        assert_eq!(listed["games"].as_array().unwrap().len(), 6);
    }
}
