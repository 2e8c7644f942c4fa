//! Rejects invalid files, keys and values.

use std::fs;

use config::{LoadOptions, load};

use crate::support::{
    AI, check, check_printed, errors, errors_with, folder, issue, keys, load_in, loaded,
};

const MAX_FILE_BYTES: usize = 1 << 20;

#[test]
fn rejects_unknown_keys_with_a_suggestion() {
    check(
        "listen = 3\n[server]\nlistn = 'x'\nworkers = 3\nzzz = 1\n[servr]\n[plugins]\nobserve = \
         true\n",
        r"
error: unknown key `listen`
--> 1:1 listen
= allowed: server, plugins, tablebases, ai, client, level
= `listen` belongs in [server]

error: unknown key `listn` in [server]
--> 3:1 listn
= allowed: {keys of server}
= did you mean `listen`?

error: unknown key `workers` in [server]
--> 4:1 workers
= allowed: {keys of server}
= `workers` belongs in [ai.ID]

error: unknown key `zzz` in [server]
--> 5:1 zzz
= allowed: {keys of server}

error: unknown key `servr`
--> 6:2 servr
= allowed: server, plugins, tablebases, ai, client, level
= did you mean `server`?

error: unknown key `observe` in [plugins]
--> 8:1 observe
= allowed: directories, policy, watch
",
    );
}

#[test]
fn rejects_unknown_policies_and_short_pins() {
    check(
        "[plugins]\npolicy = 'pined'\n[ai.a]\nlibrary = '../lib/libai_uci.so'\nsha256 = \
         'b1946ac9'\n",
        r#"
error: `plugins.policy` is "pined"
--> 2:10 'pined'
= allowed: "any", "configured" or "pinned" (default: "any")

error: `ai.a.sha256` is "b1946ac9"
--> 5:10 'b1946ac9'
= allowed: the SHA-256 of the library that may be loaded, 64 hexadecimal digits; `rookery ais pin` prints it (default: any library)
"#,
    );
}

#[test]
fn rejects_values_of_the_wrong_type() {
    check(
        "client = 'x'\n[server]\nlisten = 8080\nmax_body_bytes = '1M'\nshutdown_grace_ms = 1.5\n\
         [plugins]\ndirectories = ['../lib', 3, '']\nwatch = 'yes'\n[[ai]]\nlibrary = 1979-05-27\n",
        r#"
error: `client` is "x"
--> 1:10 'x'
= allowed: a table, as in [client.ID]

error: `server.listen` is 8080
--> 3:10 8080
= allowed: an IP address and a port, such as "127.0.0.1:8080" or "[::1]:8080", or a Unix socket, such as "unix:/run/rookery/rookery.sock"; or a list of them (default: "127.0.0.1:8080")

error: `server.max_body_bytes` is "1M"
--> 4:18 '1M'
= allowed: a whole number from 1024 to 67108864 (default: 1048576)

error: `server.shutdown_grace_ms` is 1.5
--> 5:21 1.5
= allowed: a whole number from 0 to 600000 (default: 10000)

error: `plugins.directories` contains 3
--> 7:26 3
= allowed: a list of directories, relative to this file, such as ["../target/release"] (default: [])

error: `plugins.directories` contains an empty string
--> 7:29 ''
= allowed: a list of directories, relative to this file, such as ["../target/release"] (default: [])

error: `plugins.watch` is "yes"
--> 8:9 'yes'
= allowed: true or false (default: false)

error: `ai` is a list
--> 9:1 [[ai]]
= allowed: a table, as in [ai.ID]
"#,
    );
}

#[test]
fn rejects_a_body_budget_too_small_for_one_body() {
    check(
        "[server]\nmax_body_bytes = 2000\nmax_body_bytes_total = 15999\n",
        r"
error: `server.max_body_bytes_total` is 15999, but `max_body_bytes` is 2000
--> 3:24 15999
= allowed: at least 8 times `max_body_bytes` (here 16000), because one address may hold an eighth of it
",
    );
    let (_folder, config) = loaded("[server]\nmax_body_bytes = 2000\n");
    assert_eq!(config.server.max_body_bytes_total, 128_000);
    let variable = |name: &str| (name == "ROOKERY_MAX_BODY_BYTES_TOTAL").then(|| "16001".into());
    let above = load_in(
        &folder("[server]\nmax_body_bytes = 2000\n"),
        &LoadOptions::from_environment(variable),
    );
    assert_eq!(above.unwrap().server.max_body_bytes_total, 16_001);
}

#[test]
fn rejects_long_and_unusual_ids() {
    let allowed = "1 to 64 of a-z, 0-9, `_` and `-`";
    for (id, shown) in [
        ("Bad", "Bad"),
        ("''", ""),
        ("'a b'", "a b"),
        ("\"ä\\n\"", "ä\u{fffd}"),
    ] {
        let issue = issue(format!("[ai.{id}]\nlibrary = '../lib/libai_uci.so'\n"));
        assert_eq!(
            issue.message,
            format!("`{shown}` is not a valid id for an AI")
        );
        assert_eq!(
            (issue.column, issue.allowed.as_deref()),
            (Some(5), Some(allowed))
        );
    }
    let id = "x".repeat(64);
    let client =
        format!("[ai.a-_0]\nlibrary = '../lib/libai_uci.so'\n[client.{id}]\nai = 'a-_0'\n");
    loaded(&client);
    let errors = errors(&client.replace(&id, &"x".repeat(65)));
    assert!(
        errors.contains("is not a valid id for a client"),
        "{errors}"
    );
}

#[test]
fn rejects_clients_with_unknown_ais() {
    check(
        "[ai.basic1]\nlibrary = '../lib/libai_uci.so'\n[client.default]\nai = 'basic'\n[client.b]\n\
         [client.c]\nai = 'basic1'\nallowed_ais = ['stockfish', 'basic2']\n",
        r#"
error: `client.default.ai` names the AI `basic`, which is not configured
--> 4:6 'basic'
= allowed: basic1
= did you mean `basic1`?

error: [client.b] has no `ai`
--> 5:9 b
= allowed: the ID of an AI: from an [ai.ID] in this file, a library in plugins.directories or, with a [fleet], a node

error: `client.c.allowed_ais` does not contain `basic1`, the client's AI
--> 8:15 ['stockfish', 'basic2']
= allowed: a list that contains "basic1" (default: every AI)

error: `client.c.allowed_ais` names the AI `stockfish`, which is not configured
--> 8:16 'stockfish'
= allowed: basic1

error: `client.c.allowed_ais` names the AI `basic2`, which is not configured
--> 8:29 'basic2'
= allowed: basic1
= did you mean `basic1`?
"#,
    );
    check(
        "client.a.ai = 'x'",
        r"
error: `client.a.ai` names the AI `x`, which is not configured
--> 1:15 'x'
= allowed: none: there is no [ai.ID]
",
    );
}

#[test]
fn reports_syntax_errors_together_with_other_errors() {
    check(
        "[server\nlisten = 5\n[ai.x]\nlimit = { dept = 3 }\nworkers =\n[client.a]\nai = b\nai = \
         'c'\n",
        r"
error: unclosed table
--> 1:8
= allowed: `]`

error: unknown key `dept` in [ai.x.limit]
--> 4:11 dept
= allowed: depth, nodes, movetime_ms, mate, bind
= did you mean `depth`?

error: the value is missing
--> 5:10

error: string values must be quoted
--> 7:6 b
= allowed: a quoted string

error: `ai` is set twice
--> 8:1 ai
= the first one is on line 7; remove one
",
    );
}

#[test]
fn names_both_places_of_a_duplicate_once() {
    check(
        "[ai.x]\nlibrary = '../lib/libai_uci.so'\n[client.a]\nai = 'x'\n[ ai . 'x' ] # again\n\
         library = '../lib/libai_basic1.so'\nworkers = 2\n[client]\n\
         a.ai = 'x'\n[level]\nb = { name = 'B', elo = 1, name = 'C', ai = 'x' }\n",
        r"
error: [ai.x] appears twice
--> 5:8 'x'
= the first one is on line 1; merge them

error: `a` is set twice
--> 9:1 a
= the first one is on line 3; remove one

error: `name` is set twice
--> 11:28 name
",
    );
}

#[test]
fn rejects_plugin_directories_that_are_not_folders() {
    check(
        "[plugins]\ndirectories = ['../lib', '../nowhere', '../lib/notes.txt']\n",
        r"
error: `plugins.directories` names /nowhere, which does not exist
--> 2:26 '../nowhere'
= allowed: a folder that exists, relative to this file

error: `plugins.directories` names /lib/notes.txt, which is not a folder
--> 2:40 '../lib/notes.txt'
= allowed: a folder that exists, relative to this file
",
    );
}

#[test]
fn points_to_each_invalid_address() {
    const ALLOWED: &str = "allowed: an IP address and a port, such as \"127.0.0.1:8080\" or \
        \"[::1]:8080\", or a Unix socket, such as \"unix:/run/rookery/rookery.sock\"; or a list of \
        them";
    let text = "[server]\nlisten = ['127.0.0.1:1', 'unix:x', 8080]\nadmin_listen = []\nsocket_mode \
        = '999'\n";
    check(
        text,
        &format!(
            r#"
error: `server.listen` contains "unix:x"
--> 2:26 'unix:x'
= {ALLOWED} (default: "127.0.0.1:8080")

error: `server.listen` contains 8080
--> 2:36 8080
= {ALLOWED} (default: "127.0.0.1:8080")

error: `server.admin_listen` is an empty list
--> 3:16 []
= {ALLOWED} (default: `listen` answers all calls)

error: `server.socket_mode` is "999"
--> 4:15 '999'
= allowed: a file mode in octal digits, such as "0660" (default: "0660")
"#
        ),
    );
}

#[test]
fn names_the_flag_or_variable_with_an_invalid_value() {
    let environment = LoadOptions::from_environment(|name| {
        (name == "ROOKERY_MAX_BODY_BYTES").then(|| "1M".into())
    });
    let overrides = environment.with_listen(Some("localhost".into()));
    check_printed(
        &errors_with("[server]\nlisten = 'x'\n", &overrides),
        r#"
error: --listen: `server.listen` is "localhost"
  |
1 | --listen localhost
  |          ^^^^^^^^^
  |
  = allowed: an IP address and a port, such as "127.0.0.1:8080" or "[::1]:8080", or a Unix socket, such as "unix:/run/rookery/rookery.sock"; or a list of them (default: "127.0.0.1:8080")

error: ROOKERY_MAX_BODY_BYTES: `server.max_body_bytes` is "1M"
  |
1 | ROOKERY_MAX_BODY_BYTES=1M
  |                        ^^
  |
  = allowed: a whole number from 1024 to 67108864 (default: 1048576)

error: `server.listen` is "x"
 --> /config/rookery.toml:2:10
  |
2 | listen = 'x'
  |          ^^^
  |
  = allowed: an IP address and a port, such as "127.0.0.1:8080" or "[::1]:8080", or a Unix socket, such as "unix:/run/rookery/rookery.sock"; or a list of them (default: "127.0.0.1:8080")
"#,
    );
}

#[test]
fn rejects_unreadable_files() {
    let folder = folder("");
    let message = |name: &str| {
        let errors = load(&folder.path().join(name), &LoadOptions::none()).unwrap_err();
        let [issue] = errors.issues() else {
            panic!("{errors}")
        };
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
    assert!(load(&folder.path().join("large"), &LoadOptions::none()).is_ok());
}

#[test]
fn rejects_bytes_that_are_not_utf8() {
    let issue = issue(b"[server]\nlisten = '\xff'\n");
    assert_eq!((issue.line, issue.column), (Some(2), Some(11)));
    assert_eq!(issue.message, "this byte is not UTF-8");
}

#[test]
fn limits_the_number_of_reported_errors() {
    let text: String = (0..60).fold(String::new(), |text, number| {
        format!("{text}key{number} = 1\n")
    });
    let printed = errors(&text);
    assert_eq!(printed.matches("error: ").count(), 50);
    assert!(
        printed.ends_with("\n60 errors in the configuration; showing the first 50"),
        "{printed}"
    );

    let errors = errors(&format!(
        "[plugins]\ndirectories = [{}]",
        "1,".repeat(20_000)
    ));
    assert!(
        errors.ends_with("\nat least 1000 errors in the configuration; showing the first 50"),
        "{errors}"
    );
}

#[test]
fn replaces_control_characters_in_the_file() {
    let errors = errors("\"\\u001b[2J\" = 1 # \u{202e}\n[server]\nlisten = \"\\u0007\"");
    assert!(errors.contains("unknown key `\u{fffd}[2J`"), "{errors}");
    assert!(
        !errors.contains(|character: char| character != '\n' && character.is_control()),
        "{errors:?}"
    );
    assert!(!errors.contains('\u{202e}'));
}

#[test]
fn serializes_issues() {
    let folder = folder("[server]\nlistn = 1\n");
    let errors = load_in(&folder, &LoadOptions::none()).unwrap_err();
    let expected = serde_json::json!([{
        "origin": folder.path().join("config/rookery.toml"),
        "line": 2,
        "column": 1,
        "message": "unknown key `listn` in [server]",
        "allowed": keys("[server]").join(", "),
        "notes": ["did you mean `listen`?"],
    }]);
    assert_eq!(serde_json::to_value(errors.issues()).unwrap(), expected);
}

#[test]
fn rejects_a_renamed_key_and_names_the_new_one() {
    let of_client = &format!("{AI}[client.c]\nai = 'a'\n");
    for (before, key, value, new) in [
        (AI, "queue", "3", "queue_capacity"),
        (AI, "read", "['.']", "allow_read"),
        (AI, "exec", "['/bin/true']", "allow_exec"),
        (AI, "request_options", "[]", "overridable_options"),
        (of_client, "may_use", "['a']", "allowed_ais"),
    ] {
        let errors = errors(&format!("{before}{key} = {value}\n"));
        assert!(errors.contains(&format!("unknown key `{key}`")), "{errors}");
        assert!(
            errors.contains(&format!("= `{key}` is now `{new}`")),
            "{errors}"
        );
    }
}

#[test]
fn puts_carets_below_wide_characters_and_tabs() {
    check_printed(
        &errors("[server]\r\nmetrics\t= '語語'\t# é\r\n"),
        r#"
error: `server.metrics` is "語語"
 --> /config/rookery.toml:2:11
  |
2 | metrics = '語語' # é
  |           ^^^^^^
  |
  = allowed: "open", "admin" or "off" (default: "open")
"#,
    );
}

#[test]
fn shows_the_end_of_a_very_long_line() {
    for (line, column, end) in [
        (format!("\"{}\" = 1", "k".repeat(100_000)), 1, "kkk\" = 1\n"),
        (
            format!("trusted_proxies = [{}7]\n", "\"127.0.0.1\", ".repeat(300)),
            3920,
            "\"127.0.0.1\", 7]\n",
        ),
    ] {
        let errors = errors(&format!("[server]\n{line}"));
        assert!(
            errors.contains(&format!(" --> /config/rookery.toml:2:{column}\n")),
            "{errors}"
        );
        assert!(errors.contains(end), "{errors}");
        assert!(
            errors.lines().all(|line| line.chars().count() < 500),
            "{errors}"
        );
    }
}
