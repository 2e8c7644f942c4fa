//! Bad configurations and what is said about them.

use super::*;

/// `expected` is what is printed without the last line, which counts.
#[track_caller]
fn check(text: &str, expected: &str) {
    check_with(text, &Overrides::none(), expected);
}

#[track_caller]
fn check_with(text: &str, overrides: &Overrides, expected: &str) {
    let printed = errors_with(text, overrides);
    let expected = expected.replace("{keys of server}", &keys::keys_of("server").join(", "));
    let (issues, count) = printed.rsplit_once("\n\n").unwrap();
    assert_eq!(issues.trim_end(), expected.trim(), "\n{issues}");
    let number = expected.matches("error: ").count();
    let plural = if number == 1 { "" } else { "s" };
    assert_eq!(count, format!("{number} error{plural} in the configuration"));
}

#[test]
fn unknown_keys_are_named_with_the_right_ones() {
    check(
        "listen = 3\n[server]\nlistn = 'x'\nworkers = 3\nzzz = 1\n[servr]\n[plugins]\nobserve = true\n",
        r"
error: /config/rookery.toml:1:1: unknown key `listen`
    1 | listen = 3
      | ^^^^^^
      = allowed: server, plugins, ai, client
      = `listen` belongs in [server]

error: /config/rookery.toml:3:1: unknown key `listn` in [server]
    3 | listn = 'x'
      | ^^^^^
      = allowed: {keys of server}
      = did you mean `listen`?

error: /config/rookery.toml:4:1: unknown key `workers` in [server]
    4 | workers = 3
      | ^^^^^^^
      = allowed: {keys of server}
      = `workers` belongs in [ai.ID]

error: /config/rookery.toml:5:1: unknown key `zzz` in [server]
    5 | zzz = 1
      | ^^^
      = allowed: {keys of server}

error: /config/rookery.toml:6:2: unknown key `servr`
    6 | [servr]
      |  ^^^^^
      = allowed: server, plugins, ai, client
      = did you mean `server`?

error: /config/rookery.toml:8:1: unknown key `observe` in [plugins]
    8 | observe = true
      | ^^^^^^^
      = allowed: directories, policy, watch
",
    );
}

#[test]
fn a_policy_is_one_of_three_and_a_pin_is_a_sum() {
    check(
        "[plugins]\npolicy = 'pined'\n[ai.a]\nlibrary = '../lib/libai_uci.so'\nsha256 = 'b1946ac9'\n",
        r#"
error: /config/rookery.toml:2:10: `plugins.policy` is the text "pined"
    2 | policy = 'pined'
      |          ^^^^^^^
      = allowed: "any", "configured" or "pinned"; "any" where it is left out

error: /config/rookery.toml:5:10: `ai.a.sha256` is the text "b1946ac9"
    5 | sha256 = 'b1946ac9'
      |          ^^^^^^^^^^
      = allowed: the SHA-256 of the library that may be loaded, 64 hexadecimal digits; `rookery ais pin` prints it
"#,
    );
}

#[test]
fn values_of_a_wrong_type_are_told_with_the_right_type() {
    check(
        "client = 'x'\n[server]\nlisten = 8080\nmax_body_bytes = '1M'\nshutdown_grace_ms = 1.5\n\
         [plugins]\ndirectories = ['../lib', 3, '']\nwatch = 'yes'\n[[ai]]\nlibrary = 1979-05-27\n",
        r#"
error: /config/rookery.toml:1:10: `client` is the text "x"
    1 | client = 'x'
      |          ^^^
      = allowed: a table, as in [client.ID]

error: /config/rookery.toml:3:10: `server.listen` is 8080
    3 | listen = 8080
      |          ^^^^
      = allowed: an IP address and a port, such as "127.0.0.1:8080" or "[::1]:8080"; port 0 picks a free one

error: /config/rookery.toml:4:18: `server.max_body_bytes` is the text "1M"
    4 | max_body_bytes = '1M'
      |                  ^^^^
      = allowed: a whole number from 1024 to 67108864; 1048576 where it is left out

error: /config/rookery.toml:5:21: `server.shutdown_grace_ms` is 1.5
    5 | shutdown_grace_ms = 1.5
      |                     ^^^
      = allowed: a whole number from 0 to 600000; 10000 where it is left out

error: /config/rookery.toml:7:26: `plugins.directories` holds 3
    7 | directories = ['../lib', 3, '']
      |                          ^
      = allowed: a list of folders, relative to this file, such as ["../target/release"]

error: /config/rookery.toml:7:29: `plugins.directories` holds an empty text
    7 | directories = ['../lib', 3, '']
      |                             ^^
      = allowed: a list of folders, relative to this file, such as ["../target/release"]

error: /config/rookery.toml:8:9: `plugins.watch` is the text "yes"
    8 | watch = 'yes'
      |         ^^^^^
      = allowed: true or false; false where it is left out

error: /config/rookery.toml:9:1: `ai` is a list
    9 | [[ai]]
      | ^^^^^^
      = allowed: a table, as in [ai.ID]
"#,
    );
}

/// A line of an `[ai.ID]`, the column of its value, what is found there and what is allowed.
const OUT_OF_BOUNDS: &[(&str, usize, &str, &str)] = &[
    ("workers = 0", 11, "`ai.a.workers` is 0", "a whole number from 1 to 256; 1 where it is left out"),
    ("workers = 257", 11, "`ai.a.workers` is 257", "a whole number from 1 to 256; 1 where it is left out"),
    ("workers = -1", 11, "`ai.a.workers` is -1", "a whole number from 1 to 256; 1 where it is left out"),
    (
        "move_timeout_ms = 99999999999999999999",
        19,
        "`ai.a.move_timeout_ms` is 99999999999999999999",
        "a whole number from 1 to 3600000; 10000 where it is left out",
    ),
    (
        "start_timeout_ms = 0",
        20,
        "`ai.a.start_timeout_ms` is 0",
        "a whole number from 1 to 3600000; 30000 where it is left out",
    ),
    (
        "new_game_timeout_ms = 3600001",
        23,
        "`ai.a.new_game_timeout_ms` is 3600001",
        "a whole number from 1 to 3600000; 5000 where it is left out",
    ),
    (
        "queue_capacity = 0",
        18,
        "`ai.a.queue_capacity` is 0",
        "a whole number from 1 to 100000; 64 where it is left out",
    ),
    (
        "queue_capacity = 100001",
        18,
        "`ai.a.queue_capacity` is 100001",
        "a whole number from 1 to 100000; 64 where it is left out",
    ),
    (
        "fallback = ''",
        12,
        "`ai.a.fallback` is an empty text",
        "the ID of another AI that has no `fallback` itself; left out: none",
    ),
    (
        "memory_mb = 15",
        13,
        "`ai.a.memory_mb` is 15",
        "a whole number from 16 to 1048576; 1024 where it is left out",
    ),
    (
        "threads = 4097",
        11,
        "`ai.a.threads` is 4097",
        "a whole number from 0 to 4096; 64 where it is left out",
    ),
    (
        "sandbox = 'none'",
        11,
        "`ai.a.sandbox` is the text \"none\"",
        "\"required\", \"best-effort\" or \"off\"; \"required\" where it is left out",
    ),
    ("isolate = true", 11, "`ai.a.isolate` is true", "\"none\" or \"client\"; \"none\" where it is left out"),
    (
        "allow_read = 'nets'",
        14,
        "`ai.a.allow_read` is the text \"nets\"",
        "a list of files and folders that exist, relative to this file, such as [\"nets/\"]",
    ),
    (
        "allow_exec = '/bin/true'",
        14,
        "`ai.a.allow_exec` is the text \"/bin/true\"",
        "a list of programs, by their paths, such as [\"/usr/games/stockfish\"]",
    ),
    ("limit = { depth = 0 }", 19, "`ai.a.limit.depth` is 0", "a whole number from 1 to 1000"),
    ("limit = { depth = 1001 }", 19, "`ai.a.limit.depth` is 1001", "a whole number from 1 to 1000"),
    ("limit = { nodes = 0x0 }", 19, "`ai.a.limit.nodes` is 0x0", "a whole number from 1 to 1000000000000"),
    ("limit.movetime_ms = 0", 21, "`ai.a.limit.movetime_ms` is 0", "a whole number from 1 to 3600000"),
    (
        "limit.movetime_ms = 10000",
        21,
        "`ai.a.limit.movetime_ms` is 10000, but `ai.a.move_timeout_ms` is 10000",
        "less than `move_timeout_ms`, after which the answer is given up",
    ),
    (
        "options.x = 9223372036854775808",
        13,
        "`ai.a.options.x` is 9223372036854775808",
        "true, false, a whole number of 64 bits, a decimal number, a text in quotes or a list of such texts",
    ),
];

#[test]
fn values_out_of_their_bounds_are_told_with_the_bounds() {
    let head = "[ai.a]\nlibrary = '../lib/libai_uci.so'\n";
    for &(line, column, found, allowed) in OUT_OF_BOUNDS {
        let folder = folder(format!("{head}{line}\n"));
        let errors = load_in(&folder, &Overrides::none()).unwrap_err();
        let [issue] = errors.issues() else { panic!("{errors}") };
        assert_eq!((issue.line, issue.column), (Some(3), Some(column)), "{line}");
        assert_eq!((issue.message.as_str(), issue.allowed.as_deref()), (found, Some(allowed)));
    }
}

#[test]
fn the_bounds_themselves_are_allowed() {
    let head = "[ai.a]\nlibrary = '../lib/libai_uci.so'\n";
    for lines in [
        "workers = 1\nlimit.depth = 1",
        "workers = 256\nlimit.depth = 100",
        "move_timeout_ms = 2\nlimit.movetime_ms = 1",
        "move_timeout_ms = 3600000\nlimit.nodes = 1000000000000",
        "start_timeout_ms = 3600000\nnew_game_timeout_ms = 1\nqueue_capacity = 100000",
        "start_timeout_ms = 1\nnew_game_timeout_ms = 3600000\nqueue_capacity = 1",
        "options.x = 9223372036854775807\noptions.y = -9223372036854775808",
    ] {
        loaded(&format!("{head}{lines}"));
    }
    let errors = errors_with("[server]\nmax_body_bytes = 1023", &Overrides::none());
    assert!(errors.contains("`server.max_body_bytes` is 1023"), "{errors}");
    loaded("[server]\nmax_body_bytes = 1024\nshutdown_grace_ms = 600000\nlisten = '0.0.0.0:0'");
}

#[test]
fn rejects_a_body_budget_too_small_for_one_body() {
    check(
        "[server]\nmax_body_bytes = 2000\nmax_body_bytes_total = 15999\n",
        r"
error: /config/rookery.toml:3:24: `server.max_body_bytes_total` is 15999, but `max_body_bytes` is 2000
    3 | max_body_bytes_total = 15999
      |                        ^^^^^
      = allowed: at least 8 times `max_body_bytes`, here 16000, since one address may hold an eighth of it
",
    );
    let (_folder, config) = loaded("[server]\nmax_body_bytes = 2000\n");
    assert_eq!(config.server.max_body_bytes_total, 128_000);
    let variable = |name: &str| (name == "ROOKERY_MAX_BODY_BYTES_TOTAL").then(|| "16001".into());
    let above = load_in(&folder("[server]\nmax_body_bytes = 2000\n"), &Overrides::from_environment(variable));
    assert_eq!(above.unwrap().server.max_body_bytes_total, 16_001);
}

#[test]
fn a_fallback_is_another_ai_and_the_last_to_be_asked() {
    check(
        "[ai.a]\nlibrary = '../lib/libai_uci.so'\nfallback = 'b'\n\
         [ai.b]\nlibrary = '../lib/libai_uci.so'\nfallback = 'a'\n\
         [ai.itself]\nlibrary = '../lib/libai_uci.so'\nfallback = 'itself'\n\
         [ai.chain]\nlibrary = '../lib/libai_uci.so'\nfallback = 'b'\n\
         [ai.lost]\nlibrary = '../lib/libai_uci.so'\nfallback = 'itsel'\n\
         [ai.good]\nlibrary = '../lib/libai_uci.so'\nfallback = 'plain'\n\
         [ai.plain]\nlibrary = '../lib/libai_uci.so'\n",
        r"
error: /config/rookery.toml:3:12: `ai.a.fallback` names the AI `b`, which has a fallback itself
    3 | fallback = 'b'
      |            ^^^
      = allowed: the ID of another AI that has no `fallback` itself; left out: none

error: /config/rookery.toml:6:12: `ai.b.fallback` names the AI `a`, which has a fallback itself
    6 | fallback = 'a'
      |            ^^^
      = allowed: the ID of another AI that has no `fallback` itself; left out: none

error: /config/rookery.toml:9:12: `ai.itself.fallback` names the AI itself
    9 | fallback = 'itself'
      |            ^^^^^^^^
      = allowed: the ID of another AI that has no `fallback` itself; left out: none

error: /config/rookery.toml:12:12: `ai.chain.fallback` names the AI `b`, which has a fallback itself
   12 | fallback = 'b'
      |            ^^^
      = allowed: the ID of another AI that has no `fallback` itself; left out: none

error: /config/rookery.toml:15:12: `ai.lost.fallback` names the AI `itsel`, which is not configured
   15 | fallback = 'itsel'
      |            ^^^^^^^
      = allowed: the ID of another AI that has no `fallback` itself; left out: none
      = did you mean `itself`?
",
    );
}

#[test]
fn what_is_granted_must_exist() {
    check(
        "[ai.a]\nlibrary = '../lib/libai_uci.so'\nallow_read = ['../lib/notes.txt', 'nets/']\n",
        r#"
error: /config/rookery.toml:3:35: `ai.a.allow_read` grants /config/nets, which can't be found: No such file or directory (os error 2)
    3 | allow_read = ['../lib/notes.txt', 'nets/']
      |                                   ^^^^^^^
      = allowed: a list of files and folders that exist, relative to this file, such as ["nets/"]
"#,
    );
}

#[test]
fn what_is_granted_to_be_executed_must_be_a_program() {
    check(
        "[ai.a]\nlibrary = '../lib/libai_uci.so'\n\
         allow_exec = ['stockfish', '/', '../lib/notes.txt', '/bin/true', '../lib/engine.sh', '../lib/engine']\n",
        r#"
error: /config/rookery.toml:3:15: `ai.a.allow_exec` grants /config/stockfish, which can't be read: there is no such file; install the program, or correct the path
    3 | allow_exec = ['stockfish', '/', '../lib/notes.txt', '/bin/true', '../lib/engine.sh', '../lib/engine']
      |               ^^^^^^^^^^^
      = allowed: a list of programs, by their paths, such as ["/usr/games/stockfish"]

error: /config/rookery.toml:3:28: `ai.a.allow_exec` grants /, which is not a plain file
    3 | allow_exec = ['stockfish', '/', '../lib/notes.txt', '/bin/true', '../lib/engine.sh', '../lib/engine']
      |                            ^^^
      = allowed: a list of programs, by their paths, such as ["/usr/games/stockfish"]

error: /config/rookery.toml:3:33: `ai.a.allow_exec` grants /lib/notes.txt, which is not executable (mode 644); chmod a+rx it
    3 | allow_exec = ['stockfish', '/', '../lib/notes.txt', '/bin/true', '../lib/engine.sh', '../lib/engine']
      |                                 ^^^^^^^^^^^^^^^^^^
      = allowed: a list of programs, by their paths, such as ["/usr/games/stockfish"]

error: /config/rookery.toml:3:66: `ai.a.allow_exec` grants /lib/engine.sh, which is a script for /bin/sh; grant the program that it starts
    3 | _exec = ['stockfish', '/', '../lib/notes.txt', '/bin/true', '../lib/engine.sh', '../lib/engine']
      |                                                             ^^^^^^^^^^^^^^^^^^
      = allowed: a list of programs, by their paths, such as ["/usr/games/stockfish"]

error: /config/rookery.toml:3:86: `ai.a.allow_exec` grants /lib/engine, which is no program in ELF: it has no ELF header
    3 | , '/', '../lib/notes.txt', '/bin/true', '../lib/engine.sh', '../lib/engine']
      |                                                             ^^^^^^^^^^^^^^^
      = allowed: a list of programs, by their paths, such as ["/usr/games/stockfish"]
"#,
    );
}

#[test]
fn a_misspelt_program_is_told_with_the_one_beside_it() {
    check(
        "[ai.a]\nlibrary = '../lib/libai_uci.so'\nallow_exec = ['../lib/engin']\n",
        r#"
error: /config/rookery.toml:3:15: `ai.a.allow_exec` grants /lib/engin, which can't be read: there is no such file; did you mean /lib/engine?
    3 | allow_exec = ['../lib/engin']
      |               ^^^^^^^^^^^^^^
      = allowed: a list of programs, by their paths, such as ["/usr/games/stockfish"]
"#,
    );
}

#[test]
fn rejects_a_limit_without_any() {
    check(
        "[plugins]\ndirectories = ['../lib']\n[ai.a]\nlibrary = 'ai_uci'\nlimit = { depth = 3, nodes = 5, movetime_ms = 50, mate = 2 }\n\
         [ai.b]\nlibrary = 'ai_uci'\nlimit = {}\n[ai.c]\nlibrary = 'ai_uci'\nlimit = 5\n\
         [ai.d]\nlibrary = 'ai_uci'\n[ai.d.limit]\ndept = 3\n",
        r"
error: /config/rookery.toml:8:1: `ai.b.limit` sets no limit
    8 | limit = {}
      | ^^^^^
      = allowed: one or more of depth, nodes, movetime_ms, mate; { depth = 5 } where it is left out

error: /config/rookery.toml:11:9: `ai.c.limit` is 5
   11 | limit = 5
      |         ^
      = allowed: one or more of depth, nodes, movetime_ms, mate; { depth = 5 } where it is left out

error: /config/rookery.toml:15:1: unknown key `dept` in [ai.d.limit]
   15 | dept = 3
      | ^^^^
      = allowed: depth, nodes, movetime_ms, mate
      = did you mean `depth`?
",
    );
}

const LIBRARY_ALLOWED: &str = "a NAME, looked up as libNAME.so in plugins.directories, \
                               or a path relative to this file, with a `/` or ending in `.so`";

#[test]
fn a_library_that_is_not_found_is_told_with_where_it_was_looked_for() {
    let expected = r#"
error: /config/rookery.toml:4:11: the library "ai_basic" of the AI `a` is not found
    4 | library = "ai_basic"
      |           ^^^^^^^^^^
      = allowed: LIBRARY
      = looked for /nowhere/libai_basic.so: no such folder
      = looked for /lib/libai_basic.so: no such file
      = did you mean `ai_basic1`?

error: /config/rookery.toml:6:11: the library "folder" of the AI `b` is not found
    6 | library = "folder"
      |           ^^^^^^^^
      = allowed: LIBRARY
      = looked for /nowhere/libfolder.so: no such folder
      = looked for /lib/libfolder.so: is a folder
      = found there: ai_basic1, ai_huo1, ai_uci

error: /config/rookery.toml:8:11: the library "libai_uci.so" of the AI `c` is not found
    8 | library = "libai_uci.so"
      |           ^^^^^^^^^^^^^^
      = allowed: LIBRARY
      = looked for /config/libai_uci.so: no such file
      = did you mean `ai_uci`?

error: /config/rookery.toml:10:11: the library "../lib/libai_usi.so" of the AI `d` is not found
   10 | library = "../lib/libai_usi.so"
      |           ^^^^^^^^^^^^^^^^^^^^^
      = allowed: LIBRARY
      = looked for /lib/libai_usi.so: no such file
      = did you mean `../lib/libai_uci.so`?

error: /config/rookery.toml:11:5: [ai.e] has no `library`
   11 | [ai.e.options]
      |     ^
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
fn a_library_name_without_directories_is_looked_for_nowhere() {
    let expected = r#"
error: /config/rookery.toml:2:11: the library "ai_uci" of the AI `a` is not found
    2 | library = "ai_uci"
      |           ^^^^^^^^
      = allowed: LIBRARY
      = plugins.directories is empty, so a name is looked for nowhere
"#;
    check("[ai.a]\nlibrary = \"ai_uci\"\n", &expected.replace("LIBRARY", LIBRARY_ALLOWED));
}

#[test]
fn a_library_that_can_be_no_file_is_refused() {
    let errors = errors_with("[ai.a]\nlibrary = \"./a\\u0000b\"\n", &Overrides::none());
    assert!(errors.contains("looked for /config/a\u{fffd}b: "), "{errors}");
}

#[test]
fn ids_are_short_and_plain() {
    let allowed = "1 to 64 of a-z, 0-9, `_` and `-`";
    for (id, shown) in [("Bad", "Bad"), ("''", ""), ("'a b'", "a b"), ("\"ä\\n\"", "ä\u{fffd}")] {
        let folder = folder(format!("[ai.{id}]\nlibrary = '../lib/libai_uci.so'\n"));
        let errors = load_in(&folder, &Overrides::none()).unwrap_err();
        let [issue] = errors.issues() else { panic!("{errors}") };
        assert_eq!(issue.message, format!("`{shown}` cannot be the id of an AI"));
        assert_eq!((issue.column, issue.allowed.as_deref()), (Some(5), Some(allowed)));
    }
    let id = "x".repeat(64);
    let client = format!("[ai.a-_0]\nlibrary = '../lib/libai_uci.so'\n[client.{id}]\nai = 'a-_0'\n");
    loaded(&client);
    let errors = errors_with(&client.replace(&id, &"x".repeat(65)), &Overrides::none());
    assert!(errors.contains("cannot be the id of a client"), "{errors}");
}

#[test]
fn clients_are_mapped_to_ais_that_there_are() {
    check(
        "[ai.basic1]\nlibrary = '../lib/libai_uci.so'\n[client.default]\nai = 'basic'\n[client.b]\n\
         [client.c]\nai = 'basic1'\nallowed_ais = ['stockfish', 'basic2']\n",
        r#"
error: /config/rookery.toml:4:6: `client.default.ai` names the AI `basic`, which is not configured
    4 | ai = 'basic'
      |      ^^^^^^^
      = allowed: basic1
      = did you mean `basic1`?

error: /config/rookery.toml:5:9: [client.b] has no `ai`
    5 | [client.b]
      |         ^
      = allowed: the ID of an [ai.ID] of this file, or of a library in plugins.directories

error: /config/rookery.toml:8:15: `client.c.allowed_ais` does not hold `basic1`, the AI that the client is given
    8 | allowed_ais = ['stockfish', 'basic2']
      |               ^^^^^^^^^^^^^^^^^^^^^^^
      = allowed: a list that holds "basic1"; left out: every AI

error: /config/rookery.toml:8:16: `client.c.allowed_ais` names the AI `stockfish`, which is not configured
    8 | allowed_ais = ['stockfish', 'basic2']
      |                ^^^^^^^^^^^
      = allowed: basic1

error: /config/rookery.toml:8:29: `client.c.allowed_ais` names the AI `basic2`, which is not configured
    8 | allowed_ais = ['stockfish', 'basic2']
      |                             ^^^^^^^^
      = allowed: basic1
      = did you mean `basic1`?
"#,
    );
    check(
        "client.a.ai = 'x'",
        r"
error: /config/rookery.toml:1:15: `client.a.ai` names the AI `x`, which is not configured
    1 | client.a.ai = 'x'
      |               ^^^
      = allowed: none: there is no [ai.ID]
",
    );
}

#[test]
fn an_ai_with_another_fault_is_still_there_for_its_clients() {
    let errors = errors_with("[ai.a]\nlibrary = 'none'\n[client.default]\nai = 'a'\n", &Overrides::none());
    assert!(errors.ends_with("\n1 error in the configuration"), "{errors}");
}

#[test]
fn syntax_errors_are_told_together_with_what_is_wrong_elsewhere() {
    check(
        "[server\nlisten = 5\n[ai.x]\nlimit = { dept = 3 }\nworkers = \n[client.a]\nai = b\nai = 'c'\n",
        r"
error: /config/rookery.toml:1:8: unclosed table
    1 | [server
      |        ^
      = allowed: `]`

error: /config/rookery.toml:4:11: unknown key `dept` in [ai.x.limit]
    4 | limit = { dept = 3 }
      |           ^^^^
      = allowed: depth, nodes, movetime_ms, mate
      = did you mean `depth`?

error: /config/rookery.toml:5:11: the value is missing
    5 | workers =
      |           ^

error: /config/rookery.toml:7:6: string values must be quoted
    7 | ai = b
      |      ^
      = allowed: a text in quotes

error: /config/rookery.toml:8:1: duplicate key
    8 | ai = 'c'
      | ^^
",
    );
}

#[test]
fn a_bad_value_from_above_the_file_says_where_it_comes_from() {
    let environment =
        Overrides::from_environment(|name| (name == "ROOKERY_MAX_BODY_BYTES").then(|| "1M".into()));
    check_with(
        "[server]\nlisten = 'x'\n",
        &environment.with_listen(Some("localhost".into())),
        r#"
error: --listen: `server.listen` is the text "localhost"
      | --listen localhost
      |          ^^^^^^^^^
      = allowed: an IP address and a port, such as "127.0.0.1:8080" or "[::1]:8080"; port 0 picks a free one

error: ROOKERY_MAX_BODY_BYTES: `server.max_body_bytes` is the text "1M"
      | ROOKERY_MAX_BODY_BYTES=1M
      |                        ^^
      = allowed: a whole number from 1024 to 67108864; 1048576 where it is left out

error: /config/rookery.toml:2:10: `server.listen` is the text "x"
    2 | listen = 'x'
      |          ^^^
      = allowed: an IP address and a port, such as "127.0.0.1:8080" or "[::1]:8080"; port 0 picks a free one
"#,
    );
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = folder("");
    let message = |name: &str| {
        let errors = load(&folder.path().join(name), &Overrides::none()).unwrap_err();
        let [issue] = errors.issues() else { panic!("{errors}") };
        assert_eq!(issue.origin, folder.path().join(name).to_string_lossy());
        assert!(issue.allowed.is_some());
        issue.message.clone()
    };
    assert_eq!(message("config/other.toml"), "there is no such file");
    assert_eq!(message("config"), "this is a folder");
    fs::write(folder.path().join("large"), "#".repeat(MAX_FILE_BYTES + 1)).unwrap();
    assert_eq!(message("large"), "the file is too large");
    assert!(message("config/rookery.toml/x").starts_with("cannot be read: "));

    fs::write(folder.path().join("large"), "#".repeat(MAX_FILE_BYTES)).unwrap();
    assert!(load(&folder.path().join("large"), &Overrides::none()).is_ok());
}

#[test]
fn a_byte_that_is_not_utf8_is_pointed_at() {
    let folder = folder(b"[server]\nlisten = '\xff'\n");
    let errors = load_in(&folder, &Overrides::none()).unwrap_err();
    let [issue] = errors.issues() else { panic!("{errors}") };
    assert_eq!((issue.line, issue.column), (Some(2), Some(11)));
    assert_eq!(issue.message, "this byte is not UTF-8");
}

#[test]
fn a_file_full_of_errors_is_cut_short() {
    let text: String = (0..60).fold(String::new(), |text, number| format!("{text}key{number} = 1\n"));
    let errors = errors_with(&text, &Overrides::none());
    assert_eq!(errors.matches("error: ").count(), 50);
    assert!(errors.ends_with("\n60 errors in the configuration, the first 50 shown"), "{errors}");

    let text = format!("[plugins]\ndirectories = [{}]", "1,".repeat(400_000));
    let errors = errors_with(&text, &Overrides::none());
    assert!(errors.ends_with("\n1000 errors or more in the configuration, the first 50 shown"), "{errors}");
}

#[test]
fn control_characters_of_the_file_do_not_reach_the_terminal() {
    let errors =
        errors_with("\"\\u001b[2J\" = 1 # \u{202e}\n[server]\nlisten = \"\\u0007\"", &Overrides::none());
    assert!(errors.contains("unknown key `\u{fffd}[2J`"), "{errors}");
    assert!(!errors.contains(|character: char| character != '\n' && character.is_control()), "{errors:?}");
    assert!(!errors.contains('\u{202e}'));
}

#[test]
fn an_issue_has_its_parts_as_json() {
    let folder = folder("[server]\nlistn = 1\n");
    let errors = load_in(&folder, &Overrides::none()).unwrap_err();
    let expected = serde_json::json!([{
        "origin": folder.path().join("config/rookery.toml"),
        "line": 2,
        "column": 1,
        "message": "unknown key `listn` in [server]",
        "allowed": keys::keys_of("server").join(", "),
        "notes": ["did you mean `listen`?"],
    }]);
    assert_eq!(serde_json::to_value(errors.issues()).unwrap(), expected);
}

#[test]
fn rejects_a_key_of_an_earlier_version_with_its_new_name() {
    let of_ai = "[ai.a]\nlibrary = '../lib/libai_uci.so'\n";
    let of_client =
        "[client.default]\nai = 'a'\n[ai.a]\nlibrary = '../lib/libai_uci.so'\n[client.c]\nai = 'a'\n";
    for (before, key, value, new) in [
        (of_ai, "queue", "3", "queue_capacity"),
        (of_ai, "read", "['.']", "allow_read"),
        (of_ai, "exec", "['/bin/true']", "allow_exec"),
        (of_ai, "request_options", "[]", "overridable_options"),
        (of_client, "may_use", "['a']", "allowed_ais"),
    ] {
        let errors = errors_with(&format!("{before}{key} = {value}\n"), &Overrides::none());
        assert!(errors.contains(&format!("unknown key `{key}`")), "{errors}");
        assert!(errors.contains(&format!("= `{key}` is now `{new}`")), "{errors}");
    }
}
