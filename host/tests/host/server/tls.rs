//! The TLS listener.

use std::{
    fs::{self, Permissions},
    io::{Read as _, Write as _},
    net::TcpStream,
    os::unix::fs::PermissionsExt as _,
    path::PathBuf,
    process::Output,
    sync::Arc,
};

use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustix::process::Signal;
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::ring::default_provider,
    pki_types::{CertificateDer, ServerName},
};
use serde_json::{Value, json};

use super::{
    Server, command, logging, post_head,
    slow_requests::{SEND_INTERVAL, send_slowly},
};
use crate::{
    support::processes::wait_until,
    support::{ConfigFile, rookery},
};

/// Writes a certificate for the loopback address, and its key.
fn write_certificate(file: &ConfigFile) -> CertificateDer<'static> {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    fs::write(file.folder().join("cert.pem"), cert.pem()).unwrap();
    let key = file.folder().join("key.pem");
    fs::write(&key, signing_key.serialize_pem()).unwrap();
    fs::set_permissions(key, Permissions::from_mode(0o600)).unwrap();
    cert.der().clone()
}

fn text(server: &str) -> String {
    format!(
        "[server]\ndrain_delay_ms = 0\n{server}\n[server.tls]\ncertificate = \"cert.pem\"\nkey = \"key.pem\"\n\
         [ai.basic1]\nlibrary = \"ai_basic1\"\nmove_timeout_ms = 600000\n[client.default]\nai = \"basic1\"\n"
    )
}

fn with_tls(server: &str) -> (ConfigFile, CertificateDer<'static>) {
    let file = ConfigFile::new(&text(server));
    let certificate = write_certificate(&file);
    (file, certificate)
}

type Stream = StreamOwned<ClientConnection, TcpStream>;

/// Connects as a client that trusts this certificate and offers these protocols.
fn connect(
    stream: TcpStream,
    trusted: &CertificateDer<'static>,
    protocols: &[&[u8]],
) -> std::io::Result<Stream> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let mut stream = StreamOwned::new(ClientConnection::new(Arc::new(config), name).unwrap(), stream);
    stream.conn.complete_io(&mut stream.sock)?;
    Ok(stream)
}

/// Sends the last request of a connection. Returns the whole reply.
fn exchange(mut stream: Stream, request: &str) -> String {
    stream.write_all(request.as_bytes()).unwrap();
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).unwrap();
    String::from_utf8(reply).unwrap()
}

fn get(server: &Server, trusted: &CertificateDer<'static>) -> std::io::Result<String> {
    let stream = connect(server.connect(), trusted, &[b"http/1.1"])?;
    Ok(exchange(stream, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
}

fn post(path: &str, accept: &str, body: &Value) -> String {
    let body = body.to_string();
    let length = format!("Content-Length: {}", body.len());
    post_head(path, &["Connection: close", &format!("Accept: {accept}"), &length]) + &body
}

#[test]
fn serves_the_page_calls_and_streams_over_tls() {
    let (file, certificate) = with_tls("");
    let mut server = Server::start(&file);
    for protocols in [&[][..], &[&b"http/1.1"[..]], &[b"h2", b"http/1.1"]] {
        let stream = connect(server.connect(), &certificate, protocols).unwrap();
        let agreed = (!protocols.is_empty()).then_some(&b"http/1.1"[..]);
        assert_eq!(stream.conn.alpn_protocol(), agreed);
        let page = exchange(stream, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("<!doctype html>"), "{page}");
        assert!(page.contains("strict-transport-security: max-age="), "{page}");
    }
    let limited = json!({"game": {}, "limit": {"depth": 3}});
    for (accept, part) in [
        ("*/*", r#""stopped_by":"depth""#),
        ("application/x-ndjson", r#"{"type":"result","#),
        ("text/event-stream", "event: result"),
    ] {
        let stream = connect(server.connect(), &certificate, &[b"http/1.1"]).unwrap();
        let reply = exchange(stream, &post("/v1/best-move", accept, &limited));
        assert!(reply.starts_with("HTTP/1.1 200 OK\r\n") && reply.contains(part), "{reply}");
    }
    // A client with HTTP/2 only, and one without TLS.
    assert!(connect(server.connect(), &certificate, &[b"h2"]).is_err());
    let plain = super::exchange(server.connect(), b"");
    assert_eq!(plain, "");
    server.signal(Signal::TERM);
    assert_eq!(server.wait().code(), Some(0));
}

fn reload(file: &ConfigFile) -> (Option<i32>, String) {
    let mut command = std::process::Command::new(rookery());
    command.env("XDG_RUNTIME_DIR", file.folder()).arg("reload").arg("--config").arg(file.path());
    let Output { status, stderr, .. } = command.output().unwrap();
    (status.code(), String::from_utf8(stderr).unwrap())
}

#[test]
fn reload_swaps_the_certificate() {
    let (file, first) = with_tls("");
    let server = Server::start(&file);
    let mut kept = connect(server.connect(), &first, &[]).unwrap();
    assert!(get(&server, &first).unwrap().starts_with("HTTP/1.1 200 OK"));

    let second = write_certificate(&file);
    assert_eq!(reload(&file).0, Some(0));
    assert!(get(&server, &first).is_err(), "the server still uses the old certificate");
    assert!(get(&server, &second).unwrap().starts_with("HTTP/1.1 200 OK"));
    kept.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut status = [0; 15];
    kept.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 200 OK");

    let key = file.folder().join("key.pem");
    fs::write(&key, KeyPair::generate().unwrap().serialize_pem()).unwrap();
    let (code, error_output) = reload(&file);
    assert_eq!(code, Some(2), "{error_output}");
    assert!(error_output.contains("key.pem, which does not belong to the certificate"), "{error_output}");
    assert!(get(&server, &second).unwrap().starts_with("HTTP/1.1 200 OK"));
    fs::remove_file(file.folder().join("cert.pem")).unwrap();
    let (code, error_output) = reload(&file);
    assert_eq!(code, Some(2), "{error_output}");
    assert!(error_output.contains("cert.pem, which cannot be read"), "{error_output}");
    assert!(get(&server, &second).unwrap().starts_with("HTTP/1.1 200 OK"));
}

#[test]
fn reload_cannot_disable_tls() {
    let (file, certificate) = with_tls("");
    let server = Server::start(&file);
    file.write("[ai.basic1]\nlibrary = \"ai_basic1\"\n[client.default]\nai = \"basic1\"\n");
    let (code, reported) = reload(&file);
    assert_eq!(code, Some(0), "{reported}");
    assert!(reported.contains("server.tls"), "{reported}");
    assert!(get(&server, &certificate).unwrap().starts_with("HTTP/1.1 200 OK"));
}

#[test]
fn rejects_tls_files_that_cannot_be_used() {
    let (file, _) = with_tls("");
    let read = |name: &str| fs::read_to_string(file.folder().join(name)).unwrap();
    let (certificate, key) = (read("cert.pem"), read("key.pem"));
    let other_key = KeyPair::generate().unwrap().serialize_pem();
    let encrypted = key.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
    let damaged = certificate.replace("-----END", "?-----END");
    for (certificate, key, part, remedy) in [
        ("", &*key, "cert.pem, which has no certificate in PEM form", "openssl x509"),
        (&key, &key, "cert.pem, which has no certificate in PEM form", "BEGIN CERTIFICATE"),
        (&damaged, &key, "cert.pem, which has a damaged section", "BEGIN CERTIFICATE"),
        (&certificate, "", "key.pem, which has no private key in PEM form", "BEGIN PRIVATE KEY"),
        (&certificate, &certificate, "key.pem, which has no private key in PEM form", "BEGIN PRIVATE KEY"),
        (&certificate, &encrypted, "key.pem, which has an encrypted private key", "openssl pkey -in"),
        (&certificate, &other_key, "key.pem, which does not belong to the certificate", "comes first"),
    ] {
        fs::write(file.folder().join("cert.pem"), certificate).unwrap();
        fs::write(file.folder().join("key.pem"), key).unwrap();
        check_refusal(&file, part, remedy);
    }
    fs::remove_file(file.folder().join("key.pem")).unwrap();
    fs::write(file.folder().join("cert.pem"), &certificate).unwrap();
    check_refusal(&file, "key.pem, which cannot be read: No such file", "may read");
    fs::create_dir(file.folder().join("key.pem")).unwrap();
    check_refusal(&file, "key.pem, which cannot be read: this is a folder", "may read");
}

fn check_refusal(file: &ConfigFile, part: &str, remedy: &str) {
    let mut check = std::process::Command::new(rookery());
    check.args(["config", "check", "--config"]).arg(file.path());
    for command in [&mut check, command(file).args(["--listen", "127.0.0.1:0"])] {
        let Output { status, stdout, stderr } = command.output().unwrap();
        let error_output = String::from_utf8(stderr).unwrap();
        assert_eq!((status.code(), &*stdout), (Some(2), &b""[..]), "{error_output}");
        assert!(error_output.contains(part) && error_output.contains(remedy), "{part}: {error_output}");
        assert!(error_output.contains("server.tls."), "{error_output}");
        assert!(!error_output.contains("MIG"), "it shows the key: {error_output}");
    }
}

#[test]
fn warns_of_a_private_key_that_others_can_read() {
    let (file, certificate) = with_tls("");
    let key: PathBuf = file.folder().join("key.pem");
    fs::set_permissions(&key, Permissions::from_mode(0o644)).unwrap();
    let (mut server, reading) = logging(&file, "warn", &[]);
    assert!(get(&server, &certificate).unwrap().starts_with("HTTP/1.1 200 OK"));
    let (code, reported) = reload(&file);
    assert_eq!(code, Some(0), "{reported}");
    server.signal(Signal::TERM);
    server.wait();
    let log = reading.join().unwrap();
    for text in [reported, log] {
        assert!(text.contains("key.pem (mode 644)"), "{text}");
    }
}

#[test]
fn closes_a_handshake_that_never_ends() {
    let (file, certificate) = with_tls("");
    let server = Server::start(&file);
    // A record header for a client hello, followed by nothing or by single bytes.
    let head = "\u{16}\u{3}\u{1}\u{2}\0";
    std::thread::scope(|scope| {
        for piece in ["", "\u{1}"] {
            let connection = server.connect();
            connection.set_read_timeout(Some(SEND_INTERVAL)).unwrap();
            scope.spawn(move || {
                let (closed, _) = send_slowly(connection, head, piece);
                assert!(closed.is_some(), "{piece:?}");
            });
        }
    });
    assert!(get(&server, &certificate).unwrap().starts_with("HTTP/1.1 200 OK"));
}

#[test]
fn closes_a_slow_request_over_tls() {
    let (file, certificate) = with_tls("body_timeout_ms = 500");
    let server = Server::start(&file);
    let chunked = post_head("/nowhere", &["Transfer-Encoding: chunked"]);
    let whole = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    std::thread::scope(|scope| {
        for (head, piece) in
            [(chunked, "1\r\na\r\n"), (format!("{whole}GET /healthz HTTP/1.1\r\nX-A: "), "a")]
        {
            let stream = connect(server.connect(), &certificate, &[]).unwrap();
            stream.sock.set_read_timeout(Some(SEND_INTERVAL)).unwrap();
            scope.spawn(move || {
                let (closed, reply) = send_slowly(stream, &head, piece);
                assert!(closed.is_some(), "{head:?}: {reply}");
            });
        }
    });
}

#[test]
fn closes_a_connection_that_never_reads_over_tls() {
    let (file, certificate) = with_tls("send_timeout_ms = 1000");
    let server = Server::start(&file);
    let mut greedy = connect(server.connect(), &certificate, &[]).unwrap();
    greedy.sock.set_nonblocking(true).unwrap();
    let request = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n";
    wait_until("the connection is closed", || match greedy.write(request) {
        Ok(_) => greedy.flush().is_err_and(|error| error.kind() != std::io::ErrorKind::WouldBlock),
        Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
    });
    assert!(get(&server, &certificate).unwrap().starts_with("HTTP/1.1 200 OK"));
}
