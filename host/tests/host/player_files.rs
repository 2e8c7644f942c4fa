//! Players that another machine sends: their descriptions, and their files below a folder.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
};

use ai_api::{OptionSetting, OptionValue};
use fleet_match::{PlayerFilesError, PlayerManifest, ShippedFile};
use library::sha256::Sha256Sum;
use pool::WorkerProgram;
use rules::{Game, start_position};
use tempfile::TempDir;
use test_kit::{copy_program, write_program};
use tokio::runtime;
use tournament::{
    Adjudication, Disturbances, GameSettings, NoReferee, Openings, Player, PlayerError,
    TimeControl, Venue,
};

use crate::{
    plugins::uci_engines::faulty_engine,
    support::{ConfigFile, ai, basic1_and, rookery},
};

fn program() -> WorkerProgram {
    WorkerProgram::at(rookery())
}

fn load(file: &ConfigFile, text: &str) -> Player {
    Player::load(&file.load(), text, &program()).unwrap()
}

/// Reads a description the way another machine does.
fn received(manifest: &PlayerManifest) -> PlayerManifest {
    let text = serde_json::to_string(manifest).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Another machine, with a cache and a folder for the player.
struct Machine {
    folder: TempDir,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    /// Returns the copy of a file in the cache.
    fn cached(&self, file: &ShippedFile) -> PathBuf {
        let copy = self.folder.path().join(file.sha256.to_string());
        if !copy.exists() {
            copy_program(&file.path, &copy);
            fs::set_permissions(&copy, Permissions::from_mode(0o555)).unwrap();
        }
        copy
    }

    fn load(&self, manifest: &PlayerManifest) -> Result<Player, PlayerError> {
        let settings = manifest
            .place(|file| self.cached(file), &self.root())
            .unwrap();
        let config = config::empty();
        Player::of_settings(
            &config,
            settings,
            &manifest.name,
            manifest.limits,
            &program(),
        )
    }
}

/// Returns the first move of a player.
fn first_move(player: &Player) -> String {
    let settings = GameSettings {
        time_control: TimeControl::Clock("600".parse().unwrap()),
        margin_ms: 0,
        adjudication: Adjudication {
            draw: None,
            resign: None,
            max_moves: Some(1),
        },
        disturbances: Disturbances::Ignored,
    };
    let opponent = load(&basic1_and(""), "basic1,depth=1");
    let openings = Openings::of_games(vec![Game::new(start_position())]).unwrap();
    let opening = openings.for_round(0);
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut table = Venue::new(program(), runtime.handle().clone(), None);
    let playing = table.play([player, &opponent], [0, 0], &opening, &settings, &NoReferee);
    let finished = runtime.block_on(playing).unwrap();
    let first = finished.game.moves().first().copied().unwrap();
    first.to_string()
}

#[test]
fn a_library_is_the_same_player_on_another_machine() {
    let (file, machine) = (basic1_and(""), Machine::new());
    let player = load(&file, "basic1,quiescence=false,depth=2");
    let manifest = received(&PlayerManifest::of(&player).unwrap());
    let placed = machine.load(&manifest).unwrap();
    assert_eq!(placed.fingerprint(), player.fingerprint());
    assert_eq!(placed.ai_fingerprint(), manifest.fingerprint);
    assert!(placed.settings().library.starts_with(machine.root()));
    assert_eq!(first_move(&placed), first_move(&player));
    let other = PlayerManifest {
        options: Vec::new(),
        ..manifest
    };
    let placed = Machine::new().load(&other).unwrap();
    assert_ne!(placed.ai_fingerprint(), player.ai_fingerprint());
}

/// An engine that may read a script and plays the moves in it. Its book is a text file.
fn scripted() -> ConfigFile {
    let file = faulty_engine("plays SCRIPT", "book_file = \"NETS/a.bin\"", "");
    let (script, nets) = (file.folder().join("the script"), file.folder().join("nets"));
    fs::write(&script, "startpos g2g4\n").unwrap();
    fs::create_dir(&nets).unwrap();
    fs::write(nets.join("a.bin"), "a").unwrap();
    symlink("a.bin", nets.join("latest")).unwrap();
    let text = fs::read_to_string(file.path()).unwrap();
    let text = text
        .replace("SCRIPT\"", &format!("'{}'\"", script.display()))
        .replace("NETS", nets.to_str().unwrap());
    let grant = format!(
        "[ai.engine]\nallow_read = [\"{}\", \"{}\"]\n",
        script.display(),
        nets.display()
    );
    fs::write(file.path(), text.replacen("[ai.engine]\n", &grant, 1)).unwrap();
    file
}

#[test]
fn an_engine_finds_its_files_on_another_machine() {
    let (file, machine) = (scripted(), Machine::new());
    let player = load(&file, "engine");
    let manifest = received(&PlayerManifest::of(&player).unwrap());
    assert_eq!(manifest.files.len(), 4, "{:?}", manifest.files);
    // The other machine has only the cache.
    manifest
        .files
        .iter()
        .for_each(|file| _ = machine.cached(file));
    drop(file);
    let placed = machine.load(&manifest).unwrap();
    assert_eq!(placed.ai_fingerprint(), player.ai_fingerprint());
    assert_eq!(first_move(&placed), "g2g4");
    let root = machine.root();
    let command = placed.settings().command().unwrap();
    assert_eq!(
        command.matches(root.to_str().unwrap()).count(),
        2,
        "{command}"
    );
    let latest = manifest.links[0].path.strip_prefix("/").unwrap();
    assert_eq!(fs::read_to_string(root.join(latest)).unwrap(), "a");
}

#[test]
fn a_script_uses_the_other_machines_interpreter() {
    let (folder, machine) = (TempDir::new().unwrap(), Machine::new());
    let script = folder.path().join("engine.sh");
    let text = "#!/bin/sh\nwhile read -r line; do case $line in uci) echo uciok;; isready) echo \
                readyok;; go*) echo bestmove g2g4;; quit) exit;; esac; done\n";
    write_program(&script, text);
    let player = load(&basic1_and(""), script.to_str().unwrap());
    let manifest = received(&PlayerManifest::of(&player).unwrap());
    let mut names: Vec<_> = manifest
        .files
        .iter()
        .filter_map(|file| file.path.file_name()?.to_str())
        .collect();
    // The manifest is sorted by path, and the build folder can be anywhere.
    names.sort_unstable();
    assert_eq!(names, ["engine.sh", "libai_uci.so"]);
    manifest
        .files
        .iter()
        .for_each(|file| _ = machine.cached(file));
    drop(folder);
    let placed = machine.load(&manifest).unwrap();
    assert_eq!(placed.ai_fingerprint(), player.ai_fingerprint());
    assert_eq!(first_move(&placed), "g2g4");
    // The player keeps the name that the organizer gave it.
    assert_eq!(placed.name, script.to_str().unwrap());
}

/// A player whose options name a folder and files.
fn with_books(folder: &Path) -> ConfigFile {
    let books = folder.join("books");
    fs::create_dir(&books).unwrap();
    fs::write(books.join("b.bin"), "b").unwrap();
    fs::write(folder.join("t.rtbw"), "t").unwrap();
    let tables = folder.join("t.rtbw");
    let options = format!(
        "options = {{ books = \"{}\", tables = [\"{}\"] }}",
        books.display(),
        tables.display()
    );
    ai("lifecycle", "lifecycle", &options)
}

fn texts(path: &str) -> OptionValue {
    OptionValue::Text(path.into())
}

#[test]
fn options_name_only_files_that_come_with_the_player() {
    let folder = TempDir::new().unwrap();
    let player = load(&with_books(folder.path()), "lifecycle");
    let manifest = received(&PlayerManifest::of(&player).unwrap());
    let names: Vec<_> = manifest
        .files
        .iter()
        .filter_map(|file| file.path.file_name()?.to_str())
        .collect();
    assert_eq!(names.len(), 3, "{names:?}");
    let machine = Machine::new();
    let placed = machine.load(&manifest).unwrap();
    assert_eq!(placed.ai_fingerprint(), player.ai_fingerprint());
    let of = |manifest: &PlayerManifest, name: &str, value: OptionValue| {
        let mut manifest = manifest.clone();
        manifest.options.retain(|setting| setting.name != name);
        manifest.options.push(OptionSetting {
            name: name.into(),
            value,
        });
        Machine::new().load(&manifest).unwrap_err().to_string()
    };
    for (name, value, expected) in [
        (
            "books",
            texts("/etc"),
            "expected a file that belongs to the player",
        ),
        (
            "books",
            texts("../../../../etc"),
            "expected a file that belongs to the player",
        ),
        (
            "books",
            OptionValue::Flag(true),
            "expected the path of a folder",
        ),
        (
            "tables",
            OptionValue::List(vec!["/etc/passwd".into()]),
            "expected a file that belongs to",
        ),
        (
            "level",
            OptionValue::Integer(10),
            "expected a whole number from 1 to 9",
        ),
        ("levle", OptionValue::Integer(1), "has no option 'levle'"),
    ] {
        let error = of(&manifest, name, value);
        assert!(error.contains(expected), "{name}: {error}");
    }
}

#[test]
fn names_files_and_options_that_cannot_be_sent() {
    let folder = TempDir::new().unwrap();
    let file = with_books(folder.path());
    let error = || {
        let player = load(&file, "lifecycle");
        PlayerManifest::of(&player).unwrap_err()
    };
    let link = folder.path().join("books/passwd");
    symlink("/etc/passwd", &link).unwrap();
    let found = error();
    assert!(
        matches!(&found, PlayerFilesError::LinkOut { link: named, .. } if *named == link),
        "{found}"
    );
    fs::remove_file(&link).unwrap();
    for number in 0..1000 {
        fs::write(folder.path().join(format!("books/{number}")), "").unwrap();
    }
    let found = error();
    assert!(
        matches!(&found, PlayerFilesError::TooManyFiles(path) if path.ends_with("books")),
        "{found}"
    );
    let secret = ai("lifecycle", "lifecycle", "options = { token = \"t\" }");
    let found = PlayerManifest::of(&load(&secret, "lifecycle")).unwrap_err();
    assert!(
        matches!(&found, PlayerFilesError::Secret(name) if name == "token"),
        "{found}"
    );
}

#[test]
fn rejects_a_player_whose_file_has_another_hash() {
    let player = load(&basic1_and(""), "basic1");
    let mut manifest = PlayerManifest::of(&player).unwrap();
    manifest.files[0].sha256 = Sha256Sum::of(b"another");
    let error = Machine::new().load(&manifest).unwrap_err().to_string();
    assert!(error.contains("sha256"), "{error}");
}
