//! TLS: endless handshakes, and the limits of plain HTTP behind TLS.

use std::{
    io::{self, Read as _, Write as _},
    thread,
    time::{Duration, Instant},
};

use rustls::pki_types::CertificateDer;
use test_kit::{
    is_closed, json_head,
    tls::{self, TlsStream, write_certificate},
};

use crate::{
    runner::{Attack, Attempt, Outcome, judge},
    server::{Server, Setup},
};

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::new(
        "a TLS handshake is bounded in time",
        "silent, dripping, broken and plain clients, 120 at a time",
        endless_handshakes,
    ),
    Attack::new(
        "the limits of plain HTTP apply behind TLS",
        "dripping bodies and heads, and unread replies, encrypted",
        behind_tls,
    ),
];

/// Starts a TLS server. Returns it with its certificate.
fn with_tls(attempt: &Attempt, lines: &str) -> (Server, CertificateDer<'static>) {
    let tls = "[server.tls]\ncertificate = \"cert.pem\"\nkey = \"key.pem\"";
    let setup = Setup::good().server(&format!("{lines}\n{tls}"));
    let certificate = write_certificate(setup.folder());
    (setup.start(attempt), certificate)
}

fn connect(server: &Server, trusted: &CertificateDer<'static>) -> io::Result<TlsStream> {
    let socket = server.socket();
    socket.set_read_timeout(Some(Duration::from_secs(10)))?;
    tls::connect(socket, trusted, &[])
}

/// Returns the time until a new client receives a reply.
fn health(server: &Server, trusted: &CertificateDer<'static>) -> Result<Duration, String> {
    let started = Instant::now();
    let mut stream = connect(server, trusted).map_err(|error| format!("handshake: {error}"))?;
    let request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut status = [0; 15];
    let exchanged = stream
        .write_all(request)
        .and_then(|()| stream.read_exact(&mut status));
    exchanged.map_err(|error| format!("health: {error}"))?;
    if &status == b"HTTP/1.1 200 OK" {
        Ok(started.elapsed())
    } else {
        Err("health failed".into())
    }
}

fn endless_handshakes(attempt: &Attempt) -> Outcome {
    let (server, trusted) = with_tls(attempt, "");
    // The header of an incomplete client hello.
    let hello = b"\x16\x03\x01\x40\x00\x01\x00\x3f\xfc\x03\x03";
    let kinds: [&[u8]; 7] = [
        b"",
        hello,
        &[0x16],
        b"GET / HTTP/1.1\r\n\r\n",
        &[0xff; 4096],
        b"\x16\x03\x01\x00\x00",
        // The header of a record whose body never arrives.
        b"\x16\x03\x01\x02\x00",
    ];
    let mut clients: Vec<_> = (0..120)
        .map(|number| {
            let mut socket = server.socket();
            let _ = socket.write_all(kinds[number % kinds.len()]);
            socket.set_nonblocking(true).unwrap();
            socket
        })
        .collect();
    let (started, mut slowest) = (Instant::now(), Duration::ZERO);
    let most = Duration::from_secs(12);
    while !clients.is_empty() && started.elapsed() < most {
        clients.retain_mut(|socket| {
            let wrote = socket.write(b"\0");
            let failed = wrote.is_err_and(|error| error.kind() != io::ErrorKind::WouldBlock);
            !failed && !is_closed(socket)
        });
        slowest = slowest.max(health(&server, &trusted)?);
        thread::sleep(Duration::from_millis(100));
    }
    let seen = format!(
        "{} of 120 open after {:.1?}, health {slowest:.1?}",
        clients.len(),
        started.elapsed()
    );
    judge(clients.is_empty(), seen)
}

fn behind_tls(attempt: &Attempt) -> Outcome {
    let (server, trusted) = with_tls(attempt, "body_timeout_ms = 1000\nsend_timeout_ms = 500");
    let chunked = json_head("POST /nowhere", "Transfer-Encoding: chunked");
    let second = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\nX: ".to_owned();
    let mut dripping = Vec::new();
    // The time limit is 1 s for a body and 5 s for a head.
    for (head, piece, seconds) in [
        (
            json_head("POST /v1/validate", "Transfer-Encoding: chunked"),
            "0",
            6,
        ),
        (chunked, "1\r\na\r\n", 6),
        (second, "a", 10),
    ] {
        let mut stream = connect(&server, &trusted).map_err(|error| error.to_string())?;
        stream
            .write_all(head.as_bytes())
            .map_err(|error| error.to_string())?;
        dripping.push((stream, piece, Duration::from_secs(seconds)));
    }
    let started = Instant::now();
    while !dripping.is_empty() {
        dripping.retain_mut(|(stream, piece, _)| {
            let sent = stream.write_all(piece.as_bytes());
            sent.and_then(|()| stream.flush()).is_ok()
        });
        let elapsed = started.elapsed();
        let late = dripping.iter().filter(|(.., most)| elapsed > *most).count();
        if late > 0 {
            return Err(format!("{late} are still accepted after {elapsed:?}"));
        }
        thread::sleep(Duration::from_millis(100));
    }
    let dripped = started.elapsed();
    let mut greedy = connect(&server, &trusted).map_err(|error| error.to_string())?;
    greedy
        .sock
        .set_write_timeout(Some(Duration::from_secs(15)))
        .unwrap();
    let requests = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1000);
    let started = Instant::now();
    let error = loop {
        if let Err(error) = greedy.write_all(requests.as_bytes()) {
            break error;
        }
    };
    if matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    ) {
        return Err("a client that reads nothing is kept for 15 s".into());
    }
    let unread = started.elapsed();
    health(&server, &trusted)?;
    let megabytes = server.peak_mb();
    let seen = format!("closed after {dripped:.1?} and {unread:.1?}; server {megabytes} MiB");
    judge(megabytes <= 300, seen)
}
