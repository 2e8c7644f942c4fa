//! Third-party engines, and silent engines that the host waits for.

use std::thread;

use serde_json::json;

use super::{add, added, script};
use crate::support::{assert_has, basic1_and};

#[test]
fn debian_engines_are_added_with_one_command() {
    let file = basic1_and("");
    for (words, name) in [
        (&["/usr/games/stockfish"][..], "Stockfish"),
        (&["toga2"], "Toga II"),
        (&["glaurung"], "Glaurung"),
        (&["--", "gnuchess", "--uci"], "GNU Chess"),
        // An engine for xboard.
        (&["gnuchess"], "GNU Chess"),
        (&["phalanx"], "Phalanx XXV"),
    ] {
        let printed = added(&file, words);
        assert_eq!(
            (&printed["name"], &printed["allow_read"]),
            (&json!(name), &json!([])),
            "{printed:#}"
        );
    }
}

#[test]
fn names_what_a_silent_program_lacks() {
    const UNKNOWN: &str =
        "#!/bin/sh\nwhile read -r line; do echo \"Error (unknown command): $line\"; done\n";
    const BUFFERED: &str = concat!(
        "import sys\n",
        "for line in sys.stdin:\n",
        "    if line.strip() == 'uci':\n",
        "        print('uciok')\n",
    );
    let folder = tempfile::tempdir().unwrap();
    let silent = script(
        folder.path(),
        "silent.sh",
        "#!/bin/sh\nwhile read -r line; do :; done\n",
    );
    let buffered = script(folder.path(), "buffered.py", BUFFERED);
    let unknown = script(folder.path(), "unknown.sh", UNKNOWN);
    let [silent, buffered, unknown] =
        [&silent, &buffered, &unknown].map(|file| file.to_str().unwrap());
    let cases: [(&[&str], &str); 3] = [
        (
            &[unknown],
            "does not know the command 'uci', and declares no features for xboard",
        ),
        (
            &[silent],
            "has not answered 'uci' for 1s; a UCI engine answers 'uci' with 'uciok'",
        ),
        (
            &["--", "python3", buffered],
            "it buffers its output; make it flush after each line, or start Python with -u",
        ),
    ];
    thread::scope(|scope| {
        for (words, part) in cases {
            scope.spawn(move || {
                let outcome = add(&basic1_and(""), words);
                assert_eq!(outcome.status, Some(1), "{words:?}");
                assert_has(&outcome.stderr, &[part]);
            });
        }
    });
}
