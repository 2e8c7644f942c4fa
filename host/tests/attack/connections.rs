//! Clients that hold connections: slow, incomplete, unread, ambiguous and too many.

use std::{
    io::{self, Write as _},
    net::{Ipv4Addr, Shutdown, TcpStream},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use test_kit::{Connection, is_closed, json_head, poll, processes::status_kb};

use crate::{
    runner::{Attack, Attempt, Outcome, judge},
    server::{Server, Setup},
};

const DRIPS: &str = "a head is complete within five seconds, and a body within `body_timeout_ms` \
    plus two seconds, or the connection is closed";
const HEAD_ALLOWED: Duration = Duration::from_secs(5);
const MEMORY: &str = "bodies in flight hold at most `max_body_bytes_total` plus 192 kB for each \
    connection, and are freed";

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::new(
        "an unread reply is held for `send_timeout_ms`",
        "pipelined calls for the largest replies, none read",
        unread_replies,
    ),
    Attack::new(
        DRIPS,
        "one byte at a time: heads, bodies, chunks, their sizes, extensions and trailers, at every \
         kind of URL",
        drips,
    ),
    Attack::new(
        "`/healthz` replies within 100 ms",
        "420 dripping connections, 512 descriptors",
        |attempt| four_hundred_drips(attempt, 1),
    )
    .alone(),
    Attack::new(
        "`/healthz` replies again within `body_timeout_ms` plus two seconds",
        "420 dripping connections from 16 addresses, 512 descriptors",
        |attempt| four_hundred_drips(attempt, 16),
    )
    .long()
    .alone(),
    Attack::new(
        MEMORY,
        "half-sent bodies of 900 kB from 16 addresses",
        half_sent_bodies,
    )
    .alone()
    .within(120),
    Attack::new(
        "a disconnected client leaves no open descriptor",
        "half-closed, reset and abandoned connections",
        abandoned,
    ),
    Attack::new(
        "one address cannot take all connections",
        "600 idle connections from one address, 512 descriptors",
        idle_connections,
    )
    .alone(),
];

/// Opens a nonblocking connection from another address of this machine.
fn connect_from(source: Ipv4Addr, server: &Server) -> io::Result<TcpStream> {
    let stream = test_kit::connect_from(source, server.address)?;
    stream.set_nonblocking(true)?;
    Ok(stream)
}

/// Returns the n-th loopback address. Ordinary clients do not use any of these.
fn source(number: usize) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 0, 2 + (number % 16) as u8)
}

fn allow_many_files() {
    let limits = getrlimit(Resource::Nofile);
    // Raising the soft limit to the hard limit is always allowed.
    let _ = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: limits.maximum,
            maximum: limits.maximum,
        },
    );
}

struct Drip {
    name: String,
    stream: TcpStream,
    /// The input to send repeatedly, byte by byte.
    rest: Vec<u8>,
    sent: usize,
    /// The time after which the server must have closed the connection.
    allowed: Duration,
    closed: Option<Duration>,
}

fn send_slowly(server: &Server, allowed: Duration, name: &str, head: &str, rest: &[u8]) -> Drip {
    let mut stream = connect_from(source(0), server).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    Drip {
        name: name.into(),
        stream,
        rest: rest.to_vec(),
        sent: 0,
        allowed,
        closed: None,
    }
}

impl Drip {
    fn send_one_byte(&mut self, since: Instant) {
        if self.closed.is_some() {
            return;
        }
        let byte = [self.rest[self.sent % self.rest.len()]];
        self.sent += 1;
        let wrote = self.stream.write(&byte);
        let failed = wrote.is_err_and(|error| error.kind() != io::ErrorKind::WouldBlock);
        if failed || is_closed(&mut self.stream) {
            self.closed = Some(since.elapsed());
        }
    }
}

fn drips(attempt: &Attempt) -> Outcome {
    let timeout = Duration::from_secs(if Attempt::is_long() { 10 } else { 1 });
    let body_allowed = timeout + Duration::from_secs(2);
    let server = Setup::good()
        .server(&format!("body_timeout_ms = {}", timeout.as_millis()))
        .start(attempt);
    let chunked = |line: &str| json_head(line, "Transfer-Encoding: chunked");
    let sized = |line: &str| json_head(line, "Content-Length: 100000");
    let mut drips = Vec::new();
    for line in [
        "POST /v1/best-move",
        "POST /v1/validate",
        "POST /nothing",
        "POST /v1/nothing",
        "POST /healthz",
        "POST /v1/ais",
        "PUT /v1/validate",
        "GET /v1/ais",
        "GET /healthz",
        "GET /readyz",
        "GET /",
        "GET /docs",
        "GET /metrics",
        "GET /openapi.json",
        "DELETE /v1/best-move",
        "OPTIONS /v1/best-move",
        "POST /api/BlogChess/BestMove",
        "HEAD /healthz",
    ] {
        for (kind, rest) in [
            ("chunks", &b"1\r\n{\r\n"[..]),
            ("size digits", b"0"),
            ("extension", b"x"),
            ("trailers", b"a: b\r\n"),
            ("one trailer", b"a"),
        ] {
            let start = match kind {
                "extension" => "1;",
                "trailers" | "one trailer" => "0\r\n",
                _ => "",
            };
            drips.push(send_slowly(
                &server,
                body_allowed,
                &format!("{line} {kind}"),
                &(chunked(line) + start),
                rest,
            ));
        }
        drips.push(send_slowly(
            &server,
            body_allowed,
            &format!("{line} body"),
            &sized(line),
            b" ",
        ));
    }
    let get = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for (name, head, rest) in [
        ("head", "GET / HTTP/1.1\r\nX: ", &b"x"[..]),
        ("headers", "GET / HTTP/1.1\r\n", b"A: b\r\n"),
        ("target", "GET /", b"x"),
        ("empty lines", "\r\n", b"\r\n"),
        ("nothing of a head", "G", b"E"),
    ] {
        drips.push(send_slowly(&server, HEAD_ALLOWED, name, head, rest));
        let (name, head) = (format!("{name} of a second request"), get.to_owned() + head);
        drips.push(send_slowly(&server, HEAD_ALLOWED, &name, &head, rest));
    }
    let body = sized("POST /v1/validate");
    let second = get.to_owned() + &body;
    drips.push(send_slowly(
        &server,
        body_allowed,
        "second body",
        &second,
        b" ",
    ));
    for (name, change) in [
        ("expects 100", "Expect: 100-continue\r\nContent-Type"),
        ("unknown client", "X-Client-Id: stranger\r\nContent-Type"),
        ("no media type", "X-Type"),
    ] {
        let [sized, chunked] =
            [&body, &chunked("POST /v1/validate")].map(|head| head.replace("Content-Type", change));
        drips.push(send_slowly(&server, body_allowed, name, &sized, b" "));
        drips.push(send_slowly(
            &server,
            body_allowed,
            name,
            &chunked,
            b"1\r\n{\r\n",
        ));
    }
    // The time limit for a slow head does not apply between two requests.
    let mut idle = server.connect();
    idle.get("/healthz")?;

    // The machine may be loaded.
    let grace = Duration::from_secs(3);
    let (most, started) = (body_allowed.max(HEAD_ALLOWED) + grace, Instant::now());
    while started.elapsed() < most && drips.iter().any(|drip| drip.closed.is_none()) {
        for drip in &mut drips {
            drip.send_one_byte(started);
        }
        thread::sleep(Duration::from_millis(100));
    }
    let count = drips.len();
    let late: Vec<_> = drips
        .iter()
        .filter(|drip| {
            drip.closed
                .is_none_or(|closed| closed > drip.allowed + grace)
        })
        .map(|drip| format!("{} ({:.1?})", drip.name, drip.closed))
        .collect();
    if !late.is_empty() {
        return Err(format!(
            "{} of {count} closed late or never: {}",
            late.len(),
            late.join(", ")
        ));
    }
    let last = drips
        .iter()
        .filter_map(|drip| drip.closed)
        .max()
        .unwrap_or_default();
    idle.get("/healthz")?;
    server.is_unharmed("good")?;
    Ok(format!("{count} drips, the last closed after {last:.1?}"))
}

/// If all slow connections come from one address, health checks always work. If they come from
/// several, health checks work once the first of the connections are closed.
fn four_hundred_drips(attempt: &Attempt, addresses: usize) -> Outcome {
    allow_many_files();
    let body_timeout = Duration::from_secs(3);
    let lines = format!("body_timeout_ms = {}", body_timeout.as_millis());
    let server = Setup::good().server(&lines).files(512).start(attempt);
    let head = json_head("POST /v1/validate", "Transfer-Encoding: chunked");
    let mut streams = Vec::new();
    let begin = |address: usize| {
        let mut stream = connect_from(source(address), &server)?;
        let _ = stream.write_all(head.as_bytes());
        io::Result::Ok(stream)
    };
    for number in 0..420 {
        streams.push(begin(number % addresses).map_err(|error| error.to_string())?);
    }
    let (mut times, mut failed) = (Vec::new(), 0);
    let started = Instant::now();
    let excused = if addresses == 1 {
        Duration::ZERO
    } else {
        body_timeout + Duration::from_secs(3)
    };
    let time = excused + Duration::from_secs(if Attempt::is_long() { 20 } else { 4 });
    let mut round = 0;
    while started.elapsed() < time {
        round += 1;
        for stream in &mut streams {
            let wrote = stream.write(if round % 2 == 0 { b"1\r\n{" } else { b"\r\n" });
            let is_closed = wrote.is_err_and(|error| error.kind() != io::ErrorKind::WouldBlock);
            // One address reopens its closed connections.
            if is_closed && addresses == 1 {
                *stream = begin(0).map_err(|error| error.to_string())?;
            }
        }
        let sent = Instant::now();
        let answer = Connection::open(server.address)
            .map_err(|error| error.to_string())
            .and_then(|mut health| {
                health
                    .stream
                    .set_read_timeout(Some(Duration::from_secs(2)))
                    .unwrap();
                health.get("/healthz")
            });
        match answer {
            Ok(reply) if reply.status == 200 => times.push(sent.elapsed()),
            _ => failed += usize::from(sent > started + excused),
        }
        thread::sleep(Duration::from_millis(250));
    }
    times.sort();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    let seen = format!(
        "{} of {round} answered, {failed} too late, median {median:.1?}",
        times.len()
    );
    judge(
        !times.is_empty() && failed == 0 && median <= Duration::from_millis(100),
        seen,
    )
}

fn half_sent_bodies(attempt: &Attempt) -> Outcome {
    allow_many_files();
    let count = if Attempt::is_long() { 1500 } else { 300 };
    let server = Setup::good().start(attempt);
    server.is_unharmed("good")?;
    let base = server.resident_mb();
    let head = json_head("POST /v1/validate", "Content-Length: 1000000");
    let body = [head.as_bytes(), &vec![b' '; 900_000]].concat();
    let mut sending: Vec<_> = (0..count)
        .filter_map(|number| Some((connect_from(source(number), &server).ok()?, 0)))
        .collect();
    let started = Instant::now();
    let mut last_progress = Instant::now();
    while started.elapsed() < Duration::from_secs(20)
        && last_progress.elapsed() < Duration::from_secs(1)
    {
        for (stream, sent) in &mut sending {
            // Sends the bodies in parts, so that the server holds all of them at once.
            match stream.write(&body[*sent..body.len().min(*sent + (1 << 17))]) {
                Ok(0) => {}
                Ok(wrote) => (*sent, last_progress) = (*sent + wrote, Instant::now()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => *sent = body.len(),
            }
        }
    }
    let most = server.peak_mb();
    let health = server.health();
    drop(sending);
    let allocated_mb = || status_kb(server.id(), "RssAnon") >> 10;
    let after = poll(Duration::from_secs(15), || {
        Some(allocated_mb()).filter(|&now| now < 60)
    });
    let rest = after.unwrap_or_else(allocated_mb);
    let seen = format!(
        "{count} bodies: {base} MiB before, at most {most}, {rest} allocated after; \
         health {health:.1?}"
    );
    server.is_unharmed("good")?;
    let buffers = count as u64 * 192 / 1024;
    judge(most <= base + 64 + 32 + buffers && after.is_some(), seen)
}

fn unread_replies(attempt: &Attempt) -> Outcome {
    let server = Setup::good().server("send_timeout_ms = 500").start(attempt);
    let mut greedy = Vec::new();
    for number in 0..8 {
        greedy.push(connect_from(source(number), &server).unwrap());
    }
    let requests = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1000);
    let closed = poll(Duration::from_secs(25), || {
        greedy.retain_mut(|stream| {
            let wrote = stream.write(requests.as_bytes());
            !wrote.is_err_and(|error| error.kind() != io::ErrorKind::WouldBlock)
        });
        greedy.is_empty().then_some(())
    });
    let megabytes = server.peak_mb();
    server.is_unharmed("good")?;
    let seen = format!("{} of 8 still open; server {megabytes} MiB", greedy.len());
    judge(closed.is_some() && megabytes <= 300, seen)
}

fn abandoned(attempt: &Attempt) -> Outcome {
    let server = Setup::good().start(attempt);
    server.is_unharmed("good")?;
    let before = server.open_files();
    let body = r#"{"game":{},"limit":{"movetime_ms":3000}}"#;
    let request = test_kit::post("/v1/best-move", "", body.as_bytes());
    for number in 0..if Attempt::is_long() { 3000 } else { 300 } {
        let mut socket = server.socket();
        let _ = match number % 5 {
            0 => socket
                .write_all(&request)
                .and_then(|()| socket.shutdown(Shutdown::Write)),
            1 => socket
                .write_all(&request[..request.len() / 2])
                .and_then(|()| socket.shutdown(Shutdown::Write)),
            // Stops partway through the body.
            3 => socket.write_all(&request[..request.len() - 5]),
            2 => {
                // Closing with unread bytes resets the connection.
                socket.write_all(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
            }
            _ => socket.write_all(&request),
        };
    }
    let was_freed = poll(Duration::from_secs(20), || {
        (server.open_files() <= before + 4).then_some(())
    });
    server.is_unharmed("good")?;
    let seen = format!("{before} descriptors before, {} after", server.open_files());
    judge(was_freed.is_some(), seen)
}

fn idle_connections(attempt: &Attempt) -> Outcome {
    allow_many_files();
    let server = Setup::good().files(512).start(attempt);
    let _idle: Vec<_> = (0..600)
        .filter_map(|_| connect_from(source(0), &server).ok())
        .collect();
    let mut times = Vec::new();
    for _ in 0..10 {
        let started = Instant::now();
        let mut connection = server.connect();
        connection
            .stream
            .set_read_timeout(Some(Duration::from_secs(2)))
            .unwrap();
        match connection.get("/healthz") {
            Ok(reply) if reply.status == 200 => times.push(started.elapsed()),
            Ok(reply) => return Err(format!("health: {}", reply.status)),
            Err(error) => return Err(format!("health: {error}")),
        }
    }
    times.sort();
    Ok(format!(
        "health of another address: median {:.1?}",
        times[times.len() / 2]
    ))
}
