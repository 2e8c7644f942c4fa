//! The configuration file while it changes: emptied, truncated, written slowly.

use std::{
    fs::{self, File},
    io::Write as _,
    process::Command,
    time::{Duration, Instant},
};

use rustix::process::Signal;
use serde_json::json;
use test_kit::{poll, rookery};

use crate::{
    operations::{reload, run_within},
    runner::{Attack, Attempt, Outcome},
    server::{Server, Setup},
};

const NO_LOSS: &str = "an empty or truncated file never replaces the configuration";
const COMMAND: Duration = Duration::from_secs(20);
/// `watch` reads a file that has not changed for this time.
const QUIET: Duration = Duration::from_secs(1);

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::new(
        NO_LOSS,
        "`rookery reload` and SIGHUP with an empty file, comments, and every prefix",
        cut_off,
    ),
    Attack::new(
        NO_LOSS,
        "`watch` with a file that stays half-written for a while",
        written_slowly,
    ),
];

/// Two AIs, a client with a key, and a client whose restrictions are the last keys of its section.
fn setup(plugins: &str) -> Setup {
    Setup::good()
        .server(plugins)
        .ai("second", "counts_pawns", "workers = 1")
        .keyed_client("ann", "good")
        .client(
            "bob",
            "second",
            "allowed_ais = [\"second\"]\nmax_depth = 12",
        )
}

/// # Errors
/// A client or an AI is missing, or a client may do more than before.
fn is_whole(server: &Server) -> Result<(), String> {
    let ask = |headers: &str, ai: &str| {
        let body = json!({"game": {}, "ai": ai, "limit": {"depth": 1}});
        let reply = server.post_with("/v1/best-move", headers, &body);
        (reply.status, reply.code())
    };
    for (headers, ai, expected) in [
        ("", "good", 200),
        ("", "second", 200),
        ("Authorization: Bearer ann\r\n", "good", 200),
        ("X-Client-Id: ann\r\n", "good", 401),
        ("X-Client-Id: bob\r\n", "second", 200),
        ("X-Client-Id: bob\r\n", "good", 403),
    ] {
        let (status, code) = ask(headers, ai);
        if status != expected {
            return Err(format!(
                "{headers:?} {ai}: {status} {code}, expected {expected}"
            ));
        }
    }
    if server.get("/readyz").status == 200 {
        Ok(())
    } else {
        Err("it is not ready".into())
    }
}

fn cut_off(attempt: &Attempt) -> Outcome {
    let server = setup("").start(attempt);
    let file = server.configuration();
    let whole = fs::read_to_string(&file).unwrap();
    let text_of = |section: &str| whole.find(section).unwrap();
    // A file that lacks a complete section is a valid change, so no cut is made just before one of
    // these headers.
    let ends: Vec<_> = [
        "[ai.good]",
        "[ai.second]",
        "[client.default]",
        "[client.ann]",
        "[client.bob]",
    ]
    .into_iter()
    .map(text_of)
    .collect();
    let sections_only = format!("{}# nothing\n", &whole[..ends[0]]);
    let without_ais: String = [&whole[..ends[0]], &whole[ends[2]..]].concat();
    let mut texts = vec![
        String::new(),
        "\n".into(),
        "# nothing".into(),
        sections_only,
        without_ais,
    ];
    texts.push(whole[..ends[2]].to_owned());
    let lines = whole
        .match_indices('\n')
        .map(|(at, _)| at + 1)
        .filter(|at| !ends.contains(at));
    let every = if Attempt::is_long() { 1 } else { 7 };
    let cuts = lines.chain(
        (1..whole.len())
            .step_by(every)
            .filter(|at| !ends.contains(&(at + 1))),
    );
    texts.extend(
        cuts.filter(|at| !ends.contains(at) && *at < whole.len() - 1)
            .map(|at| whole[..at].to_owned()),
    );
    for text in &texts {
        fs::write(&file, text).unwrap();
        let output = reload(&server, COMMAND).ok_or("`rookery reload` did not exit")?;
        if output.status.code() != Some(2) {
            return Err(format!("applied: {text:?}"));
        }
    }
    fs::write(&file, "").unwrap();
    server.signal(Signal::HUP);
    let output = reload(&server, COMMAND).ok_or("`rookery reload` did not exit")?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if !said.contains("rookery reload --allow-empty") {
        return Err(format!(
            "the error does not name the command that forces the reload: {said}"
        ));
    }
    is_whole(&server)?;
    // An operator may do this on purpose.
    let mut command = Command::new(rookery());
    let command = command
        .args(["reload", "--allow-empty", "--config"])
        .arg(&file);
    let output = run_within(command, COMMAND).ok_or("`rookery reload` did not exit")?;
    let status = server.best_move("good").status;
    if output.status.code() != Some(0) || status == 200 {
        return Err(format!("--allow-empty did not apply it: {status}"));
    }
    Ok(format!(
        "{} texts refused, the empty one applied with --allow-empty",
        texts.len()
    ))
}

fn written_slowly(attempt: &Attempt) -> Outcome {
    let server = setup("[plugins]\nwatch = true").start(attempt);
    let file = server.configuration();
    let whole = fs::read_to_string(&file).unwrap();
    let next = format!("{whole}[client.cleo]\nai = \"good\"\n");
    let mut writing = File::create(&file).unwrap();
    let half = next.find("[client.default]").unwrap();
    writing.write_all(&next.as_bytes()[..half]).unwrap();
    let written = Instant::now();
    let is_refused = || {
        let log = server.log();
        is_whole(&server)
            .err()
            .map(Err)
            .or_else(|| log.contains("reload failed").then_some(Ok(())))
    };
    poll(Duration::from_secs(20), is_refused).ok_or("half of the file is accepted")??;
    if written.elapsed() < QUIET {
        return Err(format!("the file is read after {:?}", written.elapsed()));
    }
    writing.write_all(&next.as_bytes()[half..]).unwrap();
    let cleo = || {
        let body = json!({"game": {}, "limit": {"depth": 1}});
        (server
            .post_with("/v1/best-move", "X-Client-Id: cleo\r\n", &body)
            .status
            == 200)
            .then_some(())
    };
    poll(Duration::from_secs(20), cleo).ok_or("the complete file is not applied")?;
    is_whole(&server)?;
    Ok("only the complete file is applied".into())
}
