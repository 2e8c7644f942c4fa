//! The TLS listener.

use std::{
    fs::{self, Permissions},
    io::{Read as _, Write as _},
    os::unix::fs::PermissionsExt as _,
    process::Output,
};

use rcgen::KeyPair;
use rustix::process::Signal;
use rustls::pki_types::CertificateDer;
use serde_json::json;
use test_kit::tls::{connect, write_certificate};

use super::{HEALTH, Server, exchange, last_get, listening, logging, post_text, reload_command};
use crate::support::{ConfigFile, assert_has, rookery, with_ais};

fn with_tls(server: &str) -> (ConfigFile, CertificateDer<'static>) {
    let file = with_ais(
        &[("basic1", "ai_basic1", "move_timeout_ms = 600000")],
        &format!(
            "[server]\ndrain_delay_ms = 0\n{server}\n[server.tls]\ncertificate = \"cert.pem\"\nkey \
             = \"key.pem\""
        ),
    );
    let certificate = write_certificate(file.folder());
    (file, certificate)
}

fn get(server: &Server, trusted: &CertificateDer<'static>) -> std::io::Result<String> {
    Ok(exchange(
        connect(server.socket(), trusted, &[b"http/1.1"])?,
        last_get("/healthz").as_bytes(),
    ))
}

/// Panics unless a client that trusts this certificate gets a reply.
#[track_caller]
fn check_serves(server: &Server, trusted: &CertificateDer<'static>) {
    let reply = get(server, trusted).unwrap();
    assert!(reply.starts_with("HTTP/1.1 200 OK"), "{reply}");
}

#[test]
fn serves_the_page_calls_and_streams_over_tls() {
    let (file, certificate) = with_tls("");
    let mut server = Server::start(&file);
    for protocols in [&[][..], &[&b"http/1.1"[..]], &[b"h2", b"http/1.1"]] {
        let stream = connect(server.socket(), &certificate, protocols).unwrap();
        let agreed = (!protocols.is_empty()).then_some(&b"http/1.1"[..]);
        assert_eq!(stream.conn.alpn_protocol(), agreed);
        let page = exchange(stream, last_get("/").as_bytes());
        assert!(
            page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("<!doctype html>"),
            "{page}"
        );
        assert_has(&page, &["strict-transport-security: max-age="]);
    }
    let metrics = exchange(
        connect(server.socket(), &certificate, &[]).unwrap(),
        last_get("/metrics").as_bytes(),
    );
    // The certificate expires on the first day of 4096.
    assert_has(
        &metrics,
        &["rookery_tls_certificate_expiry_timestamp_seconds 67090118400\n"],
    );
    let limited = json!({"game": {}, "limit": {"depth": 3}});
    for (accept, part) in [
        ("*/*", r#""stopped_by":"depth""#),
        ("application/x-ndjson", r#"{"type":"result","#),
        ("text/event-stream", "event: result"),
    ] {
        let stream = connect(server.socket(), &certificate, &[b"http/1.1"]).unwrap();
        let headers = ["Connection: close", &*format!("Accept: {accept}")];
        let request = post_text("/v1/best-move", &headers, &limited.to_string());
        let reply = exchange(stream, request.as_bytes());
        assert!(
            reply.starts_with("HTTP/1.1 200 OK\r\n") && reply.contains(part),
            "{reply}"
        );
    }
    // The server rejects a client that speaks only HTTP/2, and a client without TLS.
    assert!(connect(server.socket(), &certificate, &[b"h2"]).is_err());
    assert_eq!(server.exchange(""), "");
    server.stop(Signal::TERM);
}

fn reload(file: &ConfigFile) -> (Option<i32>, String) {
    let mut command = reload_command(file, &[]);
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    (
        status.code(),
        String::from_utf8([stdout, stderr].concat()).unwrap(),
    )
}

#[test]
fn reload_swaps_the_certificate() {
    let (file, first) = with_tls("");
    let server = Server::start(&file);
    let mut kept = connect(server.socket(), &first, &[]).unwrap();
    check_serves(&server, &first);

    let second = write_certificate(file.folder());
    let (code, reported) = reload(&file);
    assert_eq!(code, Some(0), "{reported}");
    assert_has(
        &reported,
        &["  settings  server.tls, whose files have changed\n"],
    );
    assert!(
        get(&server, &first).is_err(),
        "the server still uses the old certificate"
    );
    check_serves(&server, &second);
    kept.write_all(HEALTH.as_bytes()).unwrap();
    let mut status = [0; 15];
    kept.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 200 OK");

    let check_rejected = |part: &str| {
        let (code, error_output) = reload(&file);
        assert_eq!(code, Some(2), "{error_output}");
        assert!(error_output.contains(part), "no {part} in {error_output}");
        check_serves(&server, &second);
    };
    fs::write(
        file.folder().join("key.pem"),
        KeyPair::generate().unwrap().serialize_pem(),
    )
    .unwrap();
    check_rejected("key.pem, which does not match the certificate");
    fs::remove_file(file.folder().join("cert.pem")).unwrap();
    check_rejected("cert.pem, which cannot be read");
}

#[test]
fn reload_cannot_disable_tls() {
    let (file, certificate) = with_tls("");
    let server = Server::start(&file);
    file.write("[ai.basic1]\nlibrary = \"ai_basic1\"\n[client.default]\nai = \"basic1\"\n");
    let (code, reported) = reload(&file);
    assert_eq!(code, Some(0), "{reported}");
    assert!(reported.contains("server.tls"), "{reported}");
    check_serves(&server, &certificate);
}

#[test]
fn reads_tls_files_with_a_byte_order_mark() {
    let (file, certificate) = with_tls("");
    for name in ["cert.pem", "key.pem"] {
        let text = fs::read_to_string(file.folder().join(name)).unwrap();
        fs::write(file.folder().join(name), format!("\u{feff}{text}")).unwrap();
    }
    check_serves(&Server::start(&file), &certificate);
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
        (
            "",
            &*key,
            "cert.pem, which contains no PEM certificate",
            "openssl x509",
        ),
        (
            &key,
            &key,
            "cert.pem, which contains no PEM certificate",
            "BEGIN CERTIFICATE",
        ),
        (
            &damaged,
            &key,
            "cert.pem, which contains a damaged section",
            "BEGIN CERTIFICATE",
        ),
        (
            &certificate,
            "",
            "key.pem, which contains no PEM private key",
            "BEGIN PRIVATE KEY",
        ),
        (
            &certificate,
            &certificate,
            "key.pem, which contains no PEM private key",
            "BEGIN PRIVATE KEY",
        ),
        (
            &certificate,
            &encrypted,
            "key.pem, which contains an encrypted private key",
            "openssl pkey -in",
        ),
        (
            &certificate,
            &other_key,
            "key.pem, which does not match the certificate",
            "put the server's own certificate first",
        ),
    ] {
        fs::write(file.folder().join("cert.pem"), certificate).unwrap();
        fs::write(file.folder().join("key.pem"), key).unwrap();
        check_refusal(&file, part, remedy);
    }
    fs::remove_file(file.folder().join("key.pem")).unwrap();
    fs::write(file.folder().join("cert.pem"), &certificate).unwrap();
    check_refusal(
        &file,
        "key.pem, which cannot be read: No such file",
        "may read",
    );
    fs::create_dir(file.folder().join("key.pem")).unwrap();
    check_refusal(
        &file,
        "key.pem, which cannot be read: this is a folder",
        "may read",
    );
}

fn check_refusal(file: &ConfigFile, part: &str, remedy: &str) {
    let mut check = std::process::Command::new(rookery());
    check.args(["config", "check", "--config"]).arg(file.path());
    for command in [&mut check, &mut listening(file)] {
        let Output {
            status,
            stdout,
            stderr,
        } = command.output().unwrap();
        let error_output = String::from_utf8(stderr).unwrap();
        assert_eq!(
            (status.code(), &*stdout),
            (Some(2), &b""[..]),
            "{error_output}"
        );
        assert_has(&error_output, &[part, remedy, "server.tls."]);
        assert!(
            !error_output.contains("MIG"),
            "the message shows the key: {error_output}"
        );
    }
}

#[test]
fn warns_of_a_private_key_that_others_can_read() {
    let (file, certificate) = with_tls("");
    let key = file.folder().join("key.pem");
    fs::set_permissions(&key, Permissions::from_mode(0o644)).unwrap();
    let (mut server, reading) = logging(&file, "warn", &[]);
    check_serves(&server, &certificate);
    let (code, reported) = reload(&file);
    assert_eq!(code, Some(0), "{reported}");
    server.stop(Signal::TERM);
    let log = reading.join().unwrap();
    for text in [reported, log] {
        assert!(text.contains("key.pem (mode 644)"), "{text}");
    }
}
