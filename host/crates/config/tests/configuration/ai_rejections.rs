//! Rejects invalid AI settings.

use crate::support::{AI, check, errors, issue, loaded};

/// Each row has a key of an `[ai.ID]`, a wrong value, its form in the message, and the allowed
/// values.
const OUT_OF_BOUNDS: &[(&str, &str, &str, &str)] = &[
    (
        "workers",
        "0",
        "0",
        "a whole number from 1 to 256 (default: as many as the processors and memory \
             allow)",
    ),
    (
        "workers",
        "257",
        "257",
        "a whole number from 1 to 256 (default: as many as the processors and memory \
             allow)",
    ),
    (
        "workers",
        "-1",
        "-1",
        "a whole number from 1 to 256 (default: as many as the processors and memory \
             allow)",
    ),
    (
        "move_timeout_ms",
        "99999999999999999999",
        "99999999999999999999",
        "a whole number from 1 to 3600000 (default: 10000)",
    ),
    (
        "start_timeout_ms",
        "0",
        "0",
        "a whole number from 1 to 3600000 (default: 30000)",
    ),
    (
        "new_game_timeout_ms",
        "3600001",
        "3600001",
        "a whole number from 1 to 3600000 (default: 5000)",
    ),
    (
        "queue_capacity",
        "0",
        "0",
        "a whole number from 1 to 100000 (default: 64)",
    ),
    (
        "queue_capacity",
        "100001",
        "100001",
        "a whole number from 1 to 100000 (default: 64)",
    ),
    (
        "fallback",
        "''",
        "an empty string",
        "the ID of another AI that has no `fallback` (default: none)",
    ),
    (
        "memory_mb",
        "15",
        "15",
        "a whole number from 16 to 1048576 (default: 1024)",
    ),
    (
        "threads",
        "4097",
        "4097",
        "a whole number from 0 to 4096 (default: 64)",
    ),
    (
        "sandbox",
        "'none'",
        "\"none\"",
        "\"required\", \"best-effort\" or \"off\" (default: \"required\")",
    ),
    (
        "isolate",
        "true",
        "true",
        "\"none\" or \"client\" (default: \"none\")",
    ),
    (
        "allow_read",
        "'nets'",
        "\"nets\"",
        "a list of files and directories that exist, relative to this file, such as [\"nets/\"] \
         (default: [])",
    ),
    (
        "allow_exec",
        "'/bin/true'",
        "\"/bin/true\"",
        "a list of program paths, such as [\"/usr/games/stockfish\"] (default: [])",
    ),
    (
        "limit.depth",
        "0",
        "0",
        "a whole number from 1 to 1000 (default: no limit)",
    ),
    (
        "limit.depth",
        "1001",
        "1001",
        "a whole number from 1 to 1000 (default: no limit)",
    ),
    (
        "limit.nodes",
        "0x0",
        "0x0",
        "a whole number from 1 to 1000000000000 (default: no limit)",
    ),
    (
        "limit.movetime_ms",
        "0",
        "0",
        "a whole number from 1 to 3600000 (default: no limit)",
    ),
    (
        "limit.movetime_ms",
        "10000",
        "10000, but `ai.a.move_timeout_ms` is 10000",
        "less than `move_timeout_ms`, after which the request fails",
    ),
    (
        "options.x",
        "9223372036854775808",
        "9223372036854775808",
        "true, false, a 64-bit whole number, a decimal number, a quoted string or a list of \
         strings",
    ),
];

#[test]
fn rejects_values_out_of_bounds() {
    for (key, value, found, allowed) in OUT_OF_BOUNDS {
        let issue = issue(format!("{AI}{key} = {value}\n"));
        assert_eq!(
            (issue.line, issue.column),
            (Some(3), Some(key.len() + 4)),
            "{key}"
        );
        assert_eq!(issue.message, format!("`ai.a.{key}` is {found}"));
        assert_eq!(issue.allowed.as_deref(), Some(*allowed));
    }
}

#[test]
fn accepts_the_bounds_themselves() {
    for lines in [
        "workers = 1\nlimit.depth = 1",
        "workers = 256\nlimit.depth = 100",
        "move_timeout_ms = 2\nlimit.movetime_ms = 1",
        "move_timeout_ms = 3600000\nlimit.nodes = 1000000000000",
        "start_timeout_ms = 3600000\nnew_game_timeout_ms = 1\nqueue_capacity = 100000",
        "start_timeout_ms = 1\nnew_game_timeout_ms = 3600000\nqueue_capacity = 1",
        "options.x = 9223372036854775807\noptions.y = -9223372036854775808",
    ] {
        loaded(&format!("{AI}{lines}"));
    }
    let errors = errors("[server]\nmax_body_bytes = 1023");
    assert!(
        errors.contains("`server.max_body_bytes` is 1023"),
        "{errors}"
    );
    loaded("[server]\nmax_body_bytes = 1024\nshutdown_grace_ms = 600000\nlisten = '0.0.0.0:0'");
}

#[test]
fn rejects_fallbacks_with_a_fallback() {
    check(
        "[ai.a]\nlibrary = '../lib/libai_uci.so'\nfallback = 'b'\n\
         [ai.b]\nlibrary = '../lib/libai_uci.so'\nfallback = 'a'\n\
         [ai.itself]\nlibrary = '../lib/libai_uci.so'\nfallback = 'itself'\n\
         [ai.chain]\nlibrary = '../lib/libai_uci.so'\nfallback = 'b'\n\
         [ai.lost]\nlibrary = '../lib/libai_uci.so'\nfallback = 'itsel'\n\
         [ai.good]\nlibrary = '../lib/libai_uci.so'\nfallback = 'plain'\n\
         [ai.plain]\nlibrary = '../lib/libai_uci.so'\n",
        r"
error: `ai.a.fallback` names the AI `b`, which has its own fallback
--> 3:12 'b'
= allowed: the ID of another AI that has no `fallback` (default: none)

error: `ai.b.fallback` names the AI `a`, which has its own fallback
--> 6:12 'a'
= allowed: the ID of another AI that has no `fallback` (default: none)

error: `ai.itself.fallback` names the AI itself
--> 9:12 'itself'
= allowed: the ID of another AI that has no `fallback` (default: none)

error: `ai.chain.fallback` names the AI `b`, which has its own fallback
--> 12:12 'b'
= allowed: the ID of another AI that has no `fallback` (default: none)

error: `ai.lost.fallback` names the AI `itsel`, which is not configured
--> 15:12 'itsel'
= allowed: the ID of another AI that has no `fallback` (default: none)
= did you mean `itself`?
",
    );
}

#[test]
fn rejects_missing_files_and_directories() {
    check(
        "[ai.a]\nlibrary = '../lib/libai_uci.so'\nallow_read = ['../lib/notes.txt', 'nets/']\n\
         working_directory = '../lib/notes.txt'\n",
        r#"
error: `ai.a.allow_read` grants /config/nets, which can't be found: No such file or directory (os error 2)
--> 3:35 'nets/'
= allowed: a list of files and directories that exist, relative to this file, such as ["nets/"] (default: [])

error: `ai.a.working_directory` names /lib/notes.txt, which is not a directory
--> 4:21 '../lib/notes.txt'
= allowed: a directory that exists (default: the folder of the engine or script in `command`)
"#,
    );
}

#[test]
fn rejects_files_in_allow_exec_that_are_not_programs() {
    check(
        "[ai.a]\nlibrary = '../lib/libai_uci.so'\nallow_exec = ['stockfish', '/', \
         '../lib/notes.txt', '/bin/true', '../lib/run.sh', '../lib/engine']\n",
        r#"
error: `ai.a.allow_exec` grants /config/stockfish, which can't be read: there is no such file; install the program, or correct the path
--> 3:15 'stockfish'
= allowed: a list of program paths, such as ["/usr/games/stockfish"] (default: [])

error: `ai.a.allow_exec` grants /, which is not a regular file
--> 3:28 '/'
= allowed: a list of program paths, such as ["/usr/games/stockfish"] (default: [])

error: `ai.a.allow_exec` grants /lib/notes.txt, which is not executable (mode 644); chmod a+rx it
--> 3:33 '../lib/notes.txt'
= allowed: a list of program paths, such as ["/usr/games/stockfish"] (default: [])

error: `ai.a.allow_exec` grants /lib/run.sh, which is a script for /bin/sh; list the program it runs
--> 3:66 '../lib/run.sh'
= allowed: a list of program paths, such as ["/usr/games/stockfish"] (default: [])

error: `ai.a.allow_exec` grants /lib/engine, which is a Windows program or DLL, not a program for Linux; get a build for Linux, or compile it from source
--> 3:83 '../lib/engine'
= allowed: a list of program paths, such as ["/usr/games/stockfish"] (default: [])
"#,
    );
}

#[test]
fn suggests_the_program_with_a_similar_name() {
    check(
        "[ai.a]\nlibrary = '../lib/libai_uci.so'\nallow_exec = ['../lib/engin']\n",
        r#"
error: `ai.a.allow_exec` grants /lib/engin, which can't be read: there is no such file; did you mean /lib/engine?
--> 3:15 '../lib/engin'
= allowed: a list of program paths, such as ["/usr/games/stockfish"] (default: [])
"#,
    );
}

#[test]
fn rejects_empty_and_invalid_limits() {
    check(
        "[plugins]\ndirectories = ['../lib']\n[ai.a]\nlibrary = 'ai_uci'\nlimit = { depth = 3, \
         nodes = 5, movetime_ms = 50, mate = 2 }\n[ai.b]\nlibrary = 'ai_uci'\nlimit = \
         {}\n[ai.c]\nlibrary = 'ai_uci'\nlimit = 5\n[ai.d]\nlibrary = 'ai_uci'\n[ai.d.limit]\ndept \
         = 3\n",
        r"
error: `ai.b.limit` sets no limit
--> 8:1 limit
= allowed: one or more of depth, nodes, movetime_ms, mate (default: { depth = 5 })

error: `ai.c.limit` is 5
--> 11:9 5
= allowed: one or more of depth, nodes, movetime_ms, mate (default: { depth = 5 })

error: unknown key `dept` in [ai.d.limit]
--> 15:1 dept
= allowed: depth, nodes, movetime_ms, mate, bind
= did you mean `depth`?
",
    );
}

const LIBRARY_ALLOWED: &str = "a NAME, looked up as libNAME.so in plugins.directories, \
                               or a path, relative to this file, that contains a `/` or ends in \
                               `.so`";

/// The files are empty, so none can be loaded and none is suggested.
#[test]
fn rejects_missing_libraries_and_lists_the_searched_paths() {
    let expected = r#"
error: `plugins.directories` names /nowhere, which does not exist
--> 2:16 '../nowhere'
= allowed: a folder that exists, relative to this file

error: the library "ai_basic" of the AI `a` was not found
--> 4:11 "ai_basic"
= allowed: LIBRARY
= looked for /nowhere/libai_basic.so: no such folder
= looked for /lib/libai_basic.so: no such file
= found there: ai_basic1, ai_huo1, ai_nnue1, ai_uci

error: the library "folder" of the AI `b` was not found
--> 6:11 "folder"
= allowed: LIBRARY
= looked for /nowhere/libfolder.so: no such folder
= looked for /lib/libfolder.so: is a folder
= found there: ai_basic1, ai_huo1, ai_nnue1, ai_uci

error: the library "libai_uci.so" of the AI `c` was not found
--> 8:11 "libai_uci.so"
= allowed: LIBRARY
= looked for /config/libai_uci.so: no such file
= found there: ai_basic1, ai_huo1, ai_nnue1, ai_uci

error: the library "../lib/libai_usi.so" of the AI `d` was not found
--> 10:11 "../lib/libai_usi.so"
= allowed: LIBRARY
= looked for /lib/libai_usi.so: no such file
= found there: ../lib/libai_basic1.so, ../lib/libai_huo1.so, ../lib/libai_nnue1.so, ../lib/libai_uci.so, ai_basic1, ai_huo1, ai_nnue1, ai_uci

error: [ai.e] has no `library`
--> 11:5 e
= allowed: LIBRARY
"#;
    check(
        "[plugins]\ndirectories = ['../nowhere', '../lib']\n[ai.a]\nlibrary = \"ai_basic\"\n\
         [ai.b]\nlibrary = \"folder\"\n[ai.c]\nlibrary = \"libai_uci.so\"\n\
         [ai.d]\nlibrary = \"../lib/libai_usi.so\"\n[ai.e.options]\nx = 1\n",
        &expected.replace("LIBRARY", LIBRARY_ALLOWED),
    );
}

#[test]
fn rejects_a_grace_that_leaves_no_time_to_think() {
    check(
        "[plugins]\ndirectories = ['../lib']\n[ai.a]\nlibrary = 'ai_uci'\nmove_timeout_ms = \
         400\nstop_grace_ms = 201\n[ai.b]\nlibrary = 'ai_uci'\nmove_timeout_ms = \
         400\nstop_grace_ms = 200\n",
        r"
error: `ai.a.stop_grace_ms` is 201, but `ai.a.move_timeout_ms` is 400
--> 6:17 201
= allowed: at most half of `move_timeout_ms`; the AI thinks for the rest of the time
",
    );
}

#[test]
fn rejects_a_library_name_without_directories() {
    let expected = r#"
error: the library "ai_uci" of the AI `a` was not found
--> 2:11 "ai_uci"
= allowed: LIBRARY
= plugins.directories is empty, so names are not looked up anywhere
"#;
    check(
        "[ai.a]\nlibrary = \"ai_uci\"\n",
        &expected.replace("LIBRARY", LIBRARY_ALLOWED),
    );
}

#[test]
fn rejects_a_library_with_a_nul_byte() {
    let errors = errors("[ai.a]\nlibrary = \"./a\\u0000b\"\n");
    assert!(
        errors.contains("looked for /config/a\u{fffd}b: "),
        "{errors}"
    );
}

#[test]
fn reports_an_invalid_ai_once_and_not_for_its_clients() {
    let errors = errors("[ai.a]\nlibrary = 'none'\n[client.default]\nai = 'a'\n");
    assert!(
        errors.ends_with("\n1 error in the configuration"),
        "{errors}"
    );
}
