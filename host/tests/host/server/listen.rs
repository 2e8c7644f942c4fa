//! The server's address, and conditions under which it does not start.

use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    os::unix::{fs::PermissionsExt, net::UnixStream},
    path::{Path, PathBuf},
    process::{Output, Stdio},
    thread::park_timeout,
    time::Duration,
};

use rustix::process::Signal;
use serde_json::{Value, json};
use test_kit::wait_until;

use super::{Server, command, exchange, last_get, logging, one_ai, post_text, reload_command};
use crate::support::{ConfigFile, ai, ais_text, assert_has, basic1_and, keyed_client};

fn start_error(command: &mut std::process::Command) -> (Option<i32>, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    assert_eq!(String::from_utf8(stdout).unwrap(), "");
    (status.code(), String::from_utf8(stderr).unwrap())
}

#[test]
fn the_flag_overrides_the_environment_which_overrides_the_file() {
    // Each source names a different loopback address.
    let file = basic1_and("[server]\nlisten = \"127.0.0.2:0\"");
    let listening = |flag: Option<&str>, variable: Option<&str>| {
        let mut command = command(&file);
        command.args(flag.map(|flag| format!("--listen={flag}")));
        command.envs(variable.map(|value| ("ROOKERY_LISTEN", value)));
        let server = Server::spawn(command.stderr(Stdio::null()));
        assert_eq!(server.get("/healthz").0, 200);
        assert_ne!(server.address.port(), 0);
        server.address.ip().to_string()
    };
    assert_eq!(listening(None, None), "127.0.0.2");
    assert_eq!(listening(None, Some("127.0.0.3:0")), "127.0.0.3");
    assert_eq!(
        listening(Some("127.0.0.4:0"), Some("127.0.0.3:0")),
        "127.0.0.4"
    );
    assert_eq!(listening(Some("127.0.0.4:0"), None), "127.0.0.4");
}

#[test]
fn listens_on_all_ipv4_and_ipv6_addresses_in_either_order() {
    let file = one_ai();
    // The kernel assigns only higher ports.
    let port = 20_000 + u16::try_from(std::process::id() % 10_000).unwrap();
    for order in [["0.0.0.0", "[::]"], ["[::]", "0.0.0.0"]] {
        let addresses = order.map(|address| format!("{address}:{port}")).join(",");
        let server = Server::spawn(
            command(&file)
                .args(["--listen", &addresses])
                .stderr(Stdio::null()),
        );
        for address in ["127.0.0.1", "[::1]"] {
            let stream = TcpStream::connect(format!("{address}:{port}")).unwrap();
            let reply = exchange(stream, last_get("/healthz").as_bytes());
            assert!(
                reply.starts_with("HTTP/1.1 200 "),
                "{addresses}, {address}: {reply}"
            );
        }
        drop(server);
    }
    let both = Server::spawn(
        command(&file)
            .args(["--listen", &format!("[::]:{port}")])
            .stderr(Stdio::null()),
    );
    assert!(
        TcpStream::connect(("127.0.0.1", port)).is_ok(),
        "[::] alone accepts both kinds"
    );
    drop(both);
}

#[test]
fn reports_a_port_in_use() {
    let file = one_ai();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let (code, error_output) = start_error(command(&file).args(["--listen", &address.to_string()]));
    assert_eq!(code, Some(1), "{error_output}");
    assert_has(
        &error_output,
        &[format!("error: cannot listen on {address}: ")],
    );
    assert!(
        error_output.ends_with("choose another address with --listen\n"),
        "{error_output}"
    );
}

#[test]
fn rejects_a_bad_configuration_before_listening() {
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let bad = ConfigFile::new(
        "[ai.basic1]\nlibrary = \"ai_basic1\"\n[client.default]\nai = \"basic2\"\n",
    );
    let moody = ai("moody", "required_option", "");
    for (file, part) in [
        (&bad, "did you mean `basic1`?"),
        (&moody, "not in a bad mood"),
    ] {
        let (code, error_output) = start_error(command(file).args(["--listen", &free.to_string()]));
        assert_eq!(code, Some(2), "{error_output}");
        assert!(error_output.contains(part), "{error_output}");
        // The server never used the port.
        TcpListener::bind(free).unwrap();
    }
    let good = one_ai();
    for (flag, part) in [
        ("nowhere", "--listen nowhere"),
        ("127.0.0.1", "--listen 127.0.0.1"),
        ("", "--listen"),
    ] {
        let (code, error_output) = start_error(command(&good).args(["--listen", flag]));
        assert_eq!(code, Some(2), "{error_output}");
        assert!(
            error_output.contains(part) && error_output.contains("an IP address and a port"),
            "{error_output}"
        );
    }
    let (code, error_output) = start_error(command(&good).env("ROOKERY_LISTEN", "8080"));
    assert_eq!(code, Some(2), "{error_output}");
    assert!(error_output.contains("ROOKERY_LISTEN"), "{error_output}");
}

/// A configuration that listens on the addresses in `listen` and on a Unix socket next to the file.
fn with_socket(listen: &str, settings: &str) -> (ConfigFile, PathBuf) {
    let file = one_ai();
    let socket = file.folder().join("rookery.sock");
    let text = format!(
        "[server]\nlisten = [{listen}\"unix:{}\"]\n{settings}\n",
        socket.display()
    );
    file.write(&(ais_text(&[("basic1", "ai_basic1", "")]) + "rate = \"1/h\"\n" + &text));
    (file, socket)
}

fn connect(socket: &Path) -> UnixStream {
    let stream = UnixStream::connect(socket).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    stream
}

const VALIDATE: &str = r#"{"game": {}}"#;

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("none")
}

#[test]
fn listens_on_several_addresses() {
    let (file, socket) = with_socket(
        "\"127.0.0.1:0\", \"127.0.0.2:0\", ",
        "allowed_hosts = [\"chess.example\"]",
    );
    let mut server = Server::spawn(command(&file).stderr(Stdio::null()));
    let lines = [server.next_line(), server.next_line()];
    let second = lines[0]
        .strip_prefix("listening on http://127.0.0.2:")
        .unwrap();
    let second = SocketAddr::from(([127, 0, 0, 2], second.parse().unwrap()));
    assert_eq!(lines[1], format!("listening on unix:{}", socket.display()));
    for host in ["localhost", "chess.example", "evil.example"] {
        let request = last_get("/healthz").replace("localhost", host);
        let answers = [
            server.exchange(&request),
            exchange(TcpStream::connect(second).unwrap(), request.as_bytes()),
            exchange(connect(&socket), request.as_bytes()),
        ];
        let expected = if host == "evil.example" { "421" } else { "200" };
        assert_eq!(
            answers.each_ref().map(|answer| status(answer)),
            [expected; 3],
            "{host}"
        );
    }
    server.stop(Signal::TERM);
}

#[test]
fn gives_a_unix_socket_its_mode_and_removes_its_file() {
    for (settings, mode) in [("", 0o660), ("socket_mode = \"0606\"", 0o606)] {
        let (file, socket) = with_socket("\"127.0.0.1:0\", ", settings);
        let mut server = Server::spawn(command(&file).stderr(Stdio::null()));
        assert_eq!(
            fs::metadata(&socket).unwrap().permissions().mode() & 0o777,
            mode
        );
        server.stop(Signal::TERM);
        assert!(!socket.exists());
    }
}

#[test]
fn replaces_the_file_of_a_unix_socket_only_if_no_process_listens() {
    let (file, socket) = with_socket("\"127.0.0.1:0\", ", "");
    let start = || Server::spawn(command(&file).stderr(Stdio::null()));
    let is_answered =
        || status(&exchange(connect(&socket), last_get("/healthz").as_bytes())) == "200";
    let mut killed = start();
    killed.signal(Signal::KILL);
    killed.wait();
    assert!(socket.exists());
    let mut server = start();
    assert!(is_answered());
    let (code, error_output) = start_error(&mut command(&file));
    assert_eq!(code, Some(1), "{error_output}");
    let reason = format!(
        "cannot listen on unix:{}: another process listens on this socket",
        socket.display()
    );
    assert!(error_output.contains(&reason), "{error_output}");
    assert!(is_answered());
    // A file that replaced the socket stays.
    fs::remove_file(&socket).unwrap();
    fs::write(&socket, "mine").unwrap();
    server.stop(Signal::TERM);
    assert_eq!(fs::read_to_string(&socket).unwrap(), "mine");
    let (code, error_output) = start_error(&mut command(&file));
    assert_eq!(code, Some(1), "{error_output}");
    assert_has(&error_output, &["the file exists and is not a socket"]);
    assert_eq!(fs::read_to_string(&socket).unwrap(), "mine");
}

#[test]
fn reads_the_client_address_from_headers_on_a_unix_socket() {
    let (file, socket) = with_socket("\"127.0.0.1:0\", ", "");
    let mut command = command(&file);
    let mut server = Server::spawn(
        command
            .args(["--log-format", "json"])
            .stderr(Stdio::piped()),
    );
    let mut log = server.take_stderr();
    // Each address has its own rate.
    for (header, expected) in [
        ("X-Forwarded-For: 192.0.2.1", "200"),
        ("X-Forwarded-For: 192.0.2.1", "429"),
        ("Forwarded: for=192.0.2.2", "200"),
        ("X-Other: 1", "200"),
        ("X-Other: 1", "429"),
    ] {
        let request = post_text("/v1/validate", &[header, "Connection: close"], VALIDATE);
        assert_eq!(
            status(&exchange(connect(&socket), request.as_bytes())),
            expected,
            "{header}"
        );
    }
    // Headers from any other peer are ignored.
    let request = post_text(
        "/v1/validate",
        &["X-Forwarded-For: 192.0.2.9", "Connection: close"],
        VALIDATE,
    );
    assert_eq!(status(&server.exchange(&request)), "200");
    server.stop(Signal::INT);
    let mut text = String::new();
    log.read_to_string(&mut text).unwrap();
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let addresses: Vec<_> = lines
        .filter(|line| line["target"] == "access")
        .map(|mut line| line["address"].take())
        .collect();
    let expected = json!([
        "192.0.2.1",
        "192.0.2.1",
        "192.0.2.2",
        "unix",
        "unix",
        "127.0.0.1"
    ]);
    assert_eq!(json!(addresses), expected);
}

#[test]
fn closes_a_unix_connection_whose_reply_is_never_read() {
    let (file, socket) = with_socket("\"127.0.0.1:0\", ", "send_timeout_ms = 1000");
    let server = Server::spawn(command(&file).stderr(Stdio::null()));
    let mut unread = connect(&socket);
    unread
        .set_write_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let request = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n";
    // Once replies wait to be read, the server stops reading, and then closes the connection.
    let error = loop {
        if let Err(error) = unread.write_all(request.as_bytes()) {
            break error;
        }
    };
    assert!(
        matches!(
            error.kind(),
            std::io::ErrorKind::BrokenPipe | std::io::ErrorKind::ConnectionReset
        ),
        "{error}"
    );
    // Replies that are read slowly are complete.
    let mut slow = connect(&socket);
    let last = last_get("/openapi.json");
    slow.write_all((request.repeat(4) + &last).as_bytes())
        .unwrap();
    let (mut part, mut replies) = (vec![0; 60_000], Vec::new());
    loop {
        // In total, reading takes longer than the timeout.
        park_timeout(Duration::from_millis(50));
        match slow.read(&mut part).unwrap() {
            0 => break,
            read => replies.extend_from_slice(&part[..read]),
        }
    }
    let reply = server.exchange(&last);
    let body = reply.split_once("\r\n\r\n").unwrap().1;
    assert_eq!(String::from_utf8(replies).unwrap().matches(body).count(), 5);
}

fn with_admin_listen() -> ConfigFile {
    let admin = keyed_client("boss", "basic1") + "admin = true\n";
    basic1_and(&format!(
        "{admin}[server]\nreplay_kb = 100\nadmin_listen = \"127.0.0.2:0\""
    ))
}

#[test]
fn answers_operators_only_at_the_admin_listener() {
    let (server, _log) = logging(&with_admin_listen(), "info", &[]);
    let line = server.next_line();
    let admin = line
        .strip_prefix("listening on http://")
        .and_then(|line| line.strip_suffix(" for admins"));
    let admin: SocketAddr = admin.unwrap_or_else(|| panic!("{line}")).parse().unwrap();
    assert_eq!(admin.ip().to_string(), "127.0.0.2");
    let get = |path: &str| {
        let request =
            last_get(path).replace("Connection:", "Authorization: Bearer boss\r\nConnection:");
        [
            server.exchange(&request),
            exchange(TcpStream::connect(admin).unwrap(), request.as_bytes()),
        ]
    };
    for path in ["/metrics", "/v1/clients", "/v1/requests/none"] {
        let [public, of_admins] = get(path);
        assert_eq!(status(&public), "404", "{path}");
        assert_has(&public, &["only at the addresses of `admin_listen`"]);
        assert!(!of_admins.contains("admin_listen"), "{of_admins}");
        assert_eq!(
            status(&of_admins),
            if path == "/v1/requests/none" {
                "404"
            } else {
                "200"
            },
            "{of_admins}"
        );
    }
    for path in ["/healthz", "/readyz", "/v1/ais", "/"] {
        assert_eq!(
            get(path).each_ref().map(|answer| status(answer)),
            ["200"; 2],
            "{path}"
        );
    }
}

#[test]
fn a_reload_names_changed_listener_settings() {
    let file = one_ai();
    let server = Server::spawn(
        command(&file)
            .env("ROOKERY_LISTEN", "127.0.0.1:0")
            .stderr(Stdio::null()),
    );
    let changed = "[server]\nadmin_listen = \"127.0.0.1:1\"\nsocket_mode = \"0600\"\n";
    file.write(&(ais_text(&[("basic1", "ai_basic1", "")]) + changed));
    let output = reload_command(&file, &["--json"]).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    for key in ["admin_listen", "socket_mode"] {
        let warning = format!(
            "server.{key} has changed; the old value stays in force until the server restarts"
        );
        assert!(printed.contains(&warning), "{printed}");
    }
    wait_until("the server is ready", || server.get("/readyz").0 == 200);
}
