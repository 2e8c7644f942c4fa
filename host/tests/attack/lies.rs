//! An AI's lies: wrong moves, scores and counts, forged frames, misuse of the contract.

use std::process::Command;

use serde_json::{Value, json};
use test_kit::{Reply, rookery};

use crate::{
    runner::{Attack, Attempt, Outcome},
    sandbox::memory_of,
    server::{Server, Setup},
};

const TRUST: &str =
    "the host trusts no result of an AI; a reply is legal, bounded and valid, or an error";
const HARM: &str = "an AI that misuses the contract harms only its own worker";

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::new(
        TRUST,
        "wrong moves, scores, lines, traces and texts",
        |attempt| request_each(attempt, "lies.c", LIES),
    ),
    Attack::new(
        HARM,
        "overwritten tables, smashed stacks and heaps, threads after the result, \
         closed descriptors",
        |attempt| request_each(attempt, "lies.c", MISUSES),
    )
    .within(120),
    Attack::new(
        "forged frames cost only the AI's worker",
        "random, endless, early and incomplete frames",
        |attempt| request_each(attempt, "speaks.c", FRAMES),
    )
    .within(120),
    Attack::new(
        "a library that never finishes loading is rejected in time",
        "a constructor that sends the frames of a worker and never returns",
        forging_constructor,
    ),
];

const LIES: &[&str] = &[
    "no move",
    "illegal move",
    "invalid move",
    "endless line",
    "invalid line",
    "too many lines",
    "trace without a tree",
    "unterminated error",
    "invalid reports",
    "invalid names",
    "too many terms",
];
const MISUSES: &[&str] = &[
    "array longer than memory",
    "dangling array",
    "dangling name",
    "reports from a thread",
    "reports after its result",
    "writes to the host's tables",
    "writes to the request",
    "smashes the stack",
    "smashes the heap",
    "frees foreign memory",
    "exits the thread",
    "jumps to an invalid address",
    "closes all descriptors",
    "swaps the socket",
    "makes descriptors non-blocking",
    "alarms",
    "floods",
    "recurses",
    "stops itself",
    "probes an invalid position",
];
const FRAMES: &[&str] = &[
    "random frames",
    "random frames between requests",
    "a frame of 4 GiB",
    "half a frame",
    "endless empty frames",
    "early results",
    "start frames",
    "reads the host's frames",
];

/// Starts a server with a good AI and an AI for each of these attacks.
fn server_with(attempt: &Attempt, library: &str, attacks: &[&str]) -> Server {
    let ai = |setup: Setup, (place, attack): (usize, &&str)| {
        let lines = format!(
            "move_timeout_ms = 700\nmemory_mb = 256\noptions = {{ attack = \"{attack}\" }}"
        );
        setup.ai(&format!("bad{place}"), library, &lines)
    };
    let setup = Setup::good();
    attacks.iter().enumerate().fold(setup, ai).start(attempt)
}

/// Sends several requests to each hostile AI, followed by one to the good AI.
fn request_each(attempt: &Attempt, library: &str, attacks: &[&str]) -> Outcome {
    let server = server_with(attempt, library, attacks);
    let mut seen = Vec::new();
    for (place, attack) in attacks.iter().enumerate() {
        let ai = format!("bad{place}");
        let requests = [
            json!({
                "game": {},
                "ai": ai,
                "lines": 8,
                "trace": {"nodes": 100},
                "limit": {"movetime_ms": 300},
            }),
            json!({"game": {"moves": ["e2e4"]}, "ai": ai, "limit": {"depth": 3}, "fresh": true}),
        ];
        for request in requests.iter().take(if Attempt::is_long() { 2 } else { 1 }) {
            let reply = server.post("/v1/best-move", request);
            check(attack, &reply)?;
            seen.push(reply.status);
        }
        check(
            attack,
            &server.post("/v1/evaluate", &json!({"game": {}, "ai": ai})),
        )?;
        server
            .is_unharmed("good")
            .map_err(|error| format!("after {attack}: {error}"))?;
    }
    let megabytes = memory_of(&server)?;
    let answered = seen.iter().filter(|&&status| status == 200).count();
    Ok(format!(
        "{} attacks, {answered} of {} replies with status 200; server {megabytes} MiB",
        attacks.len(),
        seen.len()
    ))
}

fn check(attack: &str, reply: &Reply) -> Result<(), String> {
    let (status, bytes, body) = (reply.status, &reply.body, reply.json());
    let text = String::from_utf8_lossy(bytes);
    if !matches!(status, 200 | 502..=504) || body.is_null() {
        return Err(format!("{attack}: {status} {text:.300}"));
    }
    if bytes.len() > 1 << 20 {
        return Err(format!("{attack}: a reply of {} bytes", bytes.len()));
    }
    let is_control = |c: char| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
    if text.contains("\\u001b") || text.contains(is_control) {
        return Err(format!("{attack}: control characters in {text:.300}"));
    }
    if let Some(uci) = body["move"]["uci"].as_str() {
        let moves: Option<Vec<&str>> = body["game"]["moves"]
            .as_array()
            .and_then(|moves| moves.iter().map(Value::as_str).collect());
        let is_legal = moves.as_deref().is_some_and(|moves| {
            moves.last() == Some(&uci) && rules::Game::from_moves(None, moves).is_ok()
        });
        if !is_legal {
            return Err(format!("{attack}: {uci} in {text:.300}"));
        }
    }
    Ok(())
}

fn forging_constructor(_: &Attempt) -> Outcome {
    for attack in [
        "start frames",
        "random frames",
        "a frame of 4 GiB",
        "endless empty frames",
    ] {
        let setup = Setup::new();
        let flag = format!("-DSPEAK_IN_CONSTRUCTOR=\"{attack}\"");
        crate::library::compile("speaks.c", setup.folder(), &[&flag]);
        let file = setup.folder().join("rookery.toml");
        let text = "[ai.bad]\nlibrary = \"./libspeaks.so\"\nstart_timeout_ms = \
            1000\n[client.default]\nai = \"bad\"\n";
        std::fs::write(&file, text).unwrap();
        let started = std::time::Instant::now();
        let output = Command::new(rookery())
            .arg("ais")
            .arg("--config")
            .arg(&file)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let took = started.elapsed();
        if output.status.success() || took.as_secs() > 20 {
            return Err(format!(
                "{attack}: {} after {took:.1?}: {text}",
                output.status
            ));
        }
        if text.contains('\x1b') {
            return Err(format!("{attack}: control characters in {text:?}"));
        }
    }
    Ok("rejected each time".into())
}
