//! `rookery mcp`.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Write as _},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use super::{command, outcome};
use crate::{
    mcp::{
        TEXTS, call, configuration, examples, initialize, message, mistakes, text_of, tool_error,
    },
    support::{ConfigFile, basic1_and, rookery},
};

/// Sends messages, one per line, and returns the first `count` answers by their ids.
#[track_caller]
fn answers(file: &ConfigFile, messages: &[Value], count: usize) -> BTreeMap<String, Value> {
    let lines: Vec<_> = messages.iter().map(Value::to_string).collect();
    let mut command = Command::new(rookery());
    command.args(["mcp", "--config"]).arg(file.path());
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut assistant = command.spawn().unwrap();
    let mut input = assistant.stdin.take().unwrap();
    input
        .write_all((lines.join("\n") + "\n").as_bytes())
        .unwrap();
    // After the end of input, the command answers for only a few seconds.
    let read = BufReader::new(assistant.stdout.take().unwrap())
        .lines()
        .take(count)
        .map(Result::unwrap);
    let answers = read.map(|line| {
        let answer: Value =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        (answer["id"].to_string(), answer)
    });
    let answers = answers.collect();
    drop(input);
    let ended = assistant.wait_with_output().unwrap();
    assert_eq!(
        (ended.status.code(), &*ended.stderr, &*ended.stdout),
        (Some(0), &b""[..], &b""[..])
    );
    answers
}

fn with_id(mut message: Value, id: usize) -> Value {
    message["id"] = id.into();
    message
}

#[test]
fn every_tool_answers_over_standard_input() {
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let mut messages = vec![
        initialize(),
        initialized,
        message(2, "tools/list", &json!({})),
    ];
    let tools = examples();
    messages.extend(
        tools
            .iter()
            .enumerate()
            .map(|(place, (tool, _, arguments))| with_id(call(tool, arguments), 10 + place)),
    );
    let wrong = mistakes();
    messages.extend(
        wrong
            .iter()
            .enumerate()
            .map(|(place, (tool, arguments, _))| with_id(call(tool, arguments), 50 + place)),
    );
    messages.push(with_id(call("play_go", &json!({})), 90));
    messages.push(message(
        91,
        "resources/read",
        &json!({"uri": "rookery://board.svg"}),
    ));
    let answers = answers(&configuration(), &messages, messages.len() - 1);
    assert_eq!(answers.len(), messages.len() - 1, "{:?}", answers.keys());
    assert_eq!(answers["1"]["result"]["serverInfo"]["name"], "rookery");
    assert_eq!(
        answers["2"]["result"]["tools"].as_array().unwrap().len(),
        tools.len()
    );
    for (place, (tool, parts)) in TEXTS.iter().enumerate() {
        let result = &answers[&(10 + place).to_string()]["result"];
        assert_eq!(result["isError"], false, "{tool}: {result}");
        for part in *parts {
            assert!(
                text_of(result).contains(part),
                "{tool}: no {part} in {}",
                text_of(result)
            );
        }
    }
    for (place, (tool, _, parts)) in wrong.iter().enumerate() {
        let error = tool_error(&answers[&(50 + place).to_string()]["result"]);
        for part in *parts {
            assert!(error.contains(part), "{tool}: no {part} in {error}");
        }
    }
    assert_eq!(answers["90"]["error"]["code"], -32602);
    let picture = answers["91"]["result"]["contents"][0]["text"]
        .as_str()
        .unwrap();
    assert!(picture.starts_with("<svg "), "{picture}");
}

#[test]
fn drops_a_line_that_is_too_long() {
    let file = basic1_and("[server]\nmax_body_bytes = 1024\n");
    let long = message(5, "tools/list", &json!({"padding": "x".repeat(4000)}));
    let answers = answers(
        &file,
        &[initialize(), long, message(6, "ping", &json!({}))],
        2,
    );
    assert!(!answers.contains_key("5"), "{answers:?}");
    assert_eq!(answers["6"]["result"], json!({}), "{answers:?}");
}

#[test]
fn the_command_needs_no_mcp_section_and_ignores_client_limits() {
    // [mcp] is for servers, and rates are for clients of a server.
    let file = basic1_and("rate = \"1/h\"\nmax_depth = 1\n");
    let search = call("best_move", &json!({"game": {}, "limit": {"depth": 2}}));
    let answers = answers(&file, &[initialize(), search], 2);
    assert_eq!(
        answers["7"]["result"]["structuredContent"]["search"]["depth"], 2,
        "{answers:?}"
    );
}

#[test]
fn reports_wrong_files_ais_and_messages() {
    let run = |arguments: &[&str]| outcome(&mut command(&[&["mcp"], arguments].concat()));
    run(&["--config", "/nowhere.toml"]).fails_with(2, &["/nowhere.toml"]);
    let file = basic1_and("");
    let config = file.path();
    run(&["--config", config.to_str().unwrap(), "--ai", "basic2"])
        .fails_with(2, &["basic2", "basic1"]);
    let mut greeted = command(&["mcp", "--config", config.to_str().unwrap()]);
    outcome(greeted.write_stdin("hello\n"))
        .fails_with(1, &["the assistant's first message is invalid"]);
}
