//! Signals at awkward moments.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{ConfigFile, rookery};

/// A server, and where it listens.
fn serve(config: &ConfigFile) -> (Child, String) {
    let mut command = Command::new(rookery());
    command.args(["serve", "--listen", "127.0.0.1:0", "--config"]).arg(config.path());
    let mut server = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (server, line.trim().rsplit_once('/').unwrap().1.to_owned())
}

fn send(signal: Signal, server: &Child) {
    kill_process(Pid::from_raw(server.id().cast_signed()).unwrap(), signal).unwrap();
}

#[test]
fn a_signal_right_after_the_address_was_told_ends_the_server_in_order() {
    let config = ConfigFile::new("[ai.hasty]\nlibrary = \"ai_basic1\"\n");
    for signal in [Signal::TERM, Signal::INT] {
        let (mut server, _) = serve(&config);
        send(signal, &server);
        assert_eq!(server.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn a_second_signal_ends_running_answers_at_once() {
    let config = ConfigFile::new(
        "[ai.endless]\nlibrary = \"hangs\"\nmove_timeout_ms = 60000\n[client.default]\nai = \"endless\"\n\
         [server]\nshutdown_grace_ms = 60000\n",
    );
    let (mut server, address) = serve(&config);
    let mut question = TcpStream::connect(&address).unwrap();
    let body = "{\"game\": {}}";
    let head =
        "POST /v1/best-move HTTP/1.1\r\nHost: rookery\r\nContent-Type: application/json\r\nContent-Length";
    write!(question, "{head}: {}\r\n\r\n{body}", body.len()).unwrap();
    // Once the AI thinks, its only worker is busy.
    let about = format!("http://{address}/v1/ais/endless");
    while !ureq::get(&about).call().unwrap().body_mut().read_to_string().unwrap().contains("\"busy\"") {}
    let started = Instant::now();
    send(Signal::TERM, &server);
    // The first one has arrived when nobody is let in any more.
    while TcpStream::connect(&address).is_ok() {
        assert!(started.elapsed() < Duration::from_secs(10), "still listening");
    }
    send(Signal::INT, &server);
    assert_eq!(server.wait().unwrap().code(), Some(0));
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}
