//! Processes that end, or reach a limit, while they write.

use std::{
    env,
    io::{BufRead as _, BufReader, Lines},
    process::{Child, ChildStderr, Command, Stdio},
};

use super::{
    super::*,
    pairs_of,
    sample::{open, pair, players},
};
use crate::finished::GameId;

/// The environment variable that names the folder for [`adds_pairs_until_it_ends`].
const FOLDER: &str = "ARENA_TEST_FOLDER";

/// Runs in the other process. Adds pairs and reports the first game of each, then the error.
#[test]
fn adds_pairs_until_it_ends() {
    let Some(folder) = env::var_os(FOLDER) else {
        return;
    };
    let path = Path::new(&folder).join("arena.db");
    let store = Store::open(&path, super::TIME_CONTROL, super::MAX_BYTES).unwrap();
    let [one, two, _] = players(&store);
    // A long PGN takes many pages, so the process can end between two of these.
    let long = |number| {
        let mut pair = pair(one, two, number);
        pair.first
            .pgn
            .insert_str(0, &format!("{{{}}}\n", "x".repeat(100_000)));
        pair
    };
    let error = (0..).find_map(|number| match store.add_pair(&long(number)) {
        Ok(games) => {
            eprintln!("{}", games[0].0);
            None
        }
        Err(error) => Some(error),
    });
    eprintln!("{}", error.unwrap());
    // The file stays readable.
    store.reader().results().unwrap();
}

/// Starts the other process in a shell, after these commands.
fn start(folder: &Path, before: &str) -> (Child, Lines<BufReader<ChildStderr>>) {
    let mut child = Command::new("sh")
        .args([
            "-c",
            &format!(
                "{before} exec \"$0\" --exact \
                 store::sqlite::tests::killed::adds_pairs_until_it_ends --nocapture"
            ),
        ])
        .arg(env::current_exe().unwrap())
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    (child, lines)
}

#[test]
fn a_killed_process_leaves_every_reported_pair_and_no_partial_pair() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = fastrand::Rng::with_seed(4);
    let (mut reported, mut interrupted) = (Vec::new(), 0);
    for round in 0..100 {
        let (mut child, mut lines) = start(folder.path(), "");
        for _ in 0..random.u8(1..4) {
            reported.push(lines.next().unwrap().unwrap());
        }
        // Each time, the process dies at a different moment within the next pairs.
        for _ in 0..random.u32(..100_000) {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        reported.extend(lines.map(Result::unwrap));
        child.wait().unwrap();
        interrupted += u32::from(folder.path().join("arena.db-journal").exists());
        // The first to open the file, a reader or the next arena, undoes an incomplete pair.
        let reader = if round % 2 == 0 {
            StoreReader::open(&folder.path().join("arena.db")).unwrap()
        } else {
            open(&folder).reader().clone()
        };
        let (games, odd) = reader
            .read(|transaction| {
                transaction.query_one(
                    "SELECT (SELECT count(*) FROM games JOIN texts ON game = id),
                            (SELECT count(*)
                             FROM (SELECT 1 FROM games GROUP BY pair HAVING count(*) <> 2))",
                    [],
                    |row| Ok((row.get::<_, u32>(0)?, row.get::<_, u32>(1)?)),
                )
            })
            .unwrap();
        assert_eq!(
            (odd, games),
            (0, reader.results().unwrap().games()),
            "round {round}"
        );
        for id in &reported {
            let game = reader.game(GameId(id.parse().unwrap())).unwrap();
            assert!(game.is_some(), "round {round}: {id}");
        }
    }
    assert!(
        reported.len() >= 100 && interrupted > 0,
        "{interrupted} of {}",
        reported.len()
    );
    let pairs = pairs_of(&open(&folder));
    assert!(pairs.len() >= reported.len());
}

#[test]
fn a_file_size_limit_leaves_every_reported_pair_and_no_partial_pair() {
    let folder = tempfile::tempdir().unwrap();
    // The limit is in blocks of 512 or 1,024 bytes, depending on the shell.
    let (mut child, lines) = start(folder.path(), "trap '' XFSZ; ulimit -f 4000;");
    let mut lines: Vec<_> = lines.map(Result::unwrap).collect();
    assert!(child.wait().unwrap().success(), "{lines:?}");
    let error = lines.pop().unwrap();
    assert!(
        error.contains("arena.db cannot be read or written (disk I/O error)"),
        "{error}"
    );
    let store = open(&folder);
    let pairs = pairs_of(&store);
    assert!(lines.len() > 5 && pairs.len() == lines.len(), "{lines:?}");
    let [one, two, _] = players(&store);
    store.add_pair(&pair(one, two, 0)).unwrap();
}
