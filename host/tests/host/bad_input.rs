//! A table of bad requests, each sent in process and over a socket.

mod table;

use std::{io::Write, net::Shutdown};

use actix_web::{
    http::{
        Method,
        header::{HeaderMap, HeaderName, HeaderValue},
    },
    test::TestRequest,
};
use api::words::issue_codes;
use serde_json::{Value, json};
use test_kit::Connection;

use crate::{
    errors::check_problem,
    server::Server,
    support::{Application, ConfigFile, Reply},
};
use table::{Row, bytes, rows};

const REQUESTS: &str = include_str!("bad_input/requests.txt");
const MALFORMED_HTTP: &str = include_str!("bad_input/malformed_http.txt");

/// The configuration described at the top of the table.
fn configuration() -> ConfigFile {
    ConfigFile::new(
        r#"[server]
max_body_bytes = 65536
max_plies = 400

[ai.basic1]
library = "ai_basic1"
overridable_options = ["quiescence"]

[ai.moody]
library = "required_option"
overridable_options = ["mood", "strength"]
options = { mood = "good" }

[ai.pawns]
library = "counts_pawns"

[ai.echo]
library = "echo"

[client.default]
ai = "basic1"

[client.alice]
ai = "pawns"
allowed_ais = ["pawns"]

[client.keyed]
ai = "basic1"
# Of "open sesame".
api_key_sha256 = "41ef4bb0b23661e66301aac36066912dac037827b4ae63a7b1165a5aa93ed4eb"

[client.spent]
ai = "basic1"
rate = "1/h"
"#,
    )
}

#[actix_web::test]
async fn rejects_every_request_in_the_table_in_process() {
    let app = Application::of(&configuration());
    assert_eq!(
        app.post_as("spent", "/v1/validate", &json!({"game": {}}))
            .await
            .status,
        200
    );
    let mut wrong = Vec::new();
    for row in rows(REQUESTS) {
        let mut request = TestRequest::with_uri(std::str::from_utf8(&row.path).unwrap())
            .method(Method::from_bytes(&row.method).unwrap())
            .set_payload(row.body.clone());
        for (name, value) in &row.headers {
            request =
                request.append_header((name.as_str(), HeaderValue::from_bytes(value).unwrap()));
        }
        wrong.extend(difference(&row, &app.send(request).await));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rejects_every_request_in_the_table_over_a_socket() {
    let server = Server::start(&configuration());
    let first = b"POST /v1/validate HTTP/1.1\r\nHost: localhost\r\nX-Client-Id: \
        spent\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"game\": {}}";
    assert_eq!(exchange(server.connect(), first).0, 200);
    let mut wrong = Vec::new();
    for row in rows(REQUESTS) {
        let mut head = [
            &row.method[..],
            b" ",
            &row.path,
            b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n",
        ]
        .concat();
        for (name, value) in &row.headers {
            head.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
        }
        if !row.body.is_empty() || row.method == b"POST" {
            head.extend(format!("Content-Length: {}\r\n", row.body.len()).into_bytes());
        }
        let (status, headers, body) =
            exchange(server.connect(), &[&head, &b"\r\n"[..], &row.body].concat());
        if row.method == b"HEAD" {
            assert_eq!(
                (status, body.as_slice()),
                (row.status, &b""[..]),
                "line {}",
                row.line
            );
            continue;
        }
        let body = serde_json::from_slice(&body).unwrap_or_else(|error| {
            panic!(
                "line {}: {error}: {}",
                row.line,
                String::from_utf8_lossy(&body)
            )
        });
        wrong.extend(difference(
            &row,
            &Reply {
                status,
                headers,
                body,
            },
        ));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(server.post("/v1/validate", &json!({"game": {}})).0, 200);
}

#[test]
fn rejects_malformed_http_without_affecting_others() {
    let server = Server::start(&configuration());
    let mut wrong = Vec::new();
    for (line, status, sent) in table::malformed_http(MALFORMED_HTTP) {
        let (found, headers, body) = last_exchange(server.connect(), &sent);
        let shown = String::from_utf8_lossy(&body);
        wrong.extend((found != status).then(|| format!("line {line}: found {found} {shown}")));
        if !body.is_empty() {
            let body = serde_json::from_slice(&body)
                .unwrap_or_else(|error| panic!("line {line}: {error}: {shown}"));
            let reply = Reply {
                status: found,
                headers,
                body,
            };
            check_problem(&format!("line {line}"), &reply, found, reply.code());
        }
        assert_eq!(
            server.post("/v1/validate", &json!({"game": {}})).0,
            200,
            "after line {line}"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_covers_every_request_error_code() {
    let readme = include_str!("../../../docs/http-api.md");
    let expected: Vec<Row> = rows(REQUESTS).collect();
    assert!(expected.len() >= 200, "only {}", expected.len());
    for row in &expected {
        assert!(
            readme.contains(&format!("`{}`", row.code)),
            "docs/http-api.md does not mention {}",
            row.code
        );
    }
    let shown = |code: &str| {
        expected
            .iter()
            .any(|row| row.code == code || row.issues.iter().any(|issue| issue.starts_with(code)))
    };
    // The table identifies issues with options by their pointers, not their codes.
    let others = [
        "unknown_option",
        "option_not_overridable",
        "bad_option_value",
    ];
    let of_games = issue_codes()
        .into_iter()
        .filter(|code| !others.contains(code));
    for code in [
        "malformed_request",
        "unknown_client",
        "ai_not_allowed",
        "unknown_ai",
        "not_found",
        "method_not_allowed",
        "body_too_large",
        "unsupported_media_type",
        "illegal_game",
        "rate_limited",
    ]
    .into_iter()
    .chain(of_games)
    {
        assert!(shown(code), "no row expects the code {code}");
    }
}

#[test]
fn brackets_expand_to_bytes_and_repetitions() {
    let names = [("A".to_owned(), b"x\xff".to_vec())].into();
    let read = |text| bytes(text, &names);
    assert_eq!(read("a⟨hex 00 ff⟩b⟨3 × [⟩⟨A⟩"), b"a\0\xffb[[[x\xff");
    assert_eq!(read("⟨2 × ⟨hex 20⟩⟨A⟩⟩"), b" x\xff x\xff");
}

/// Returns the difference between a reply and its row. Panics if the reply is not a problem.
fn difference(row: &Row, reply: &Reply) -> Option<String> {
    let body = &reply.body;
    let found = format!("line {}: found {} {body}", row.line, reply.status);
    if (reply.status, reply.code()) != (row.status, &row.code) {
        return Some(found);
    }
    check_problem(&format!("line {}", row.line), reply, row.status, &row.code);
    let issues = || body["issues"].as_array().into_iter().flatten();
    if row.code == "malformed_request" {
        let pointers: Vec<_> = issues().map(|issue| issue["pointer"].as_str()).collect();
        let reported = if pointers.is_empty() {
            vec![body["pointer"].as_str()]
        } else {
            pointers
        };
        let printed: Vec<_> = row
            .pointers
            .iter()
            .map(|pointer| Some(pointer.as_str()))
            .collect();
        return (reported != printed || !body["detail"].as_str()?.contains(&row.part))
            .then_some(found);
    }
    let issues: Vec<String> = issues().map(issue).collect();
    (!are_as_expected(&row.issues, &issues) || !body["detail"].as_str()?.contains(&row.part))
        .then_some(found)
}

fn are_as_expected(printed: &[String], found: &[String]) -> bool {
    let is_as_expected =
        |printed: &String, found: &String| format!("{found} ").starts_with(&format!("{printed} "));
    match printed {
        [printed @ .., last, more] if more == "…" => {
            let code = last.split(' ').next().unwrap().to_owned();
            found.len() > printed.len() + 1
                && printed
                    .iter()
                    .chain([last])
                    .zip(found)
                    .all(|(printed, found)| is_as_expected(printed, found))
                && found[printed.len() + 1..]
                    .iter()
                    .all(|found| is_as_expected(&code, found))
        }
        _ => {
            printed.len() == found.len()
                && printed
                    .iter()
                    .zip(found)
                    .all(|(printed, found)| is_as_expected(printed, found))
        }
    }
}

/// Formats an issue in the table's notation.
fn issue(issue: &Value) -> String {
    let text = |field: &str| issue[field].as_str().unwrap().to_owned();
    let ply = issue
        .get("ply")
        .map_or(String::new(), |ply| format!(" ply {ply}"));
    format!("{} {}{ply}", text("code"), text("pointer"))
}

/// Sends a request and reads its only reply: status, headers, body.
fn exchange(mut connection: Connection, request: &[u8]) -> (u16, HeaderMap, Vec<u8>) {
    let reply = connection.exchange(request).unwrap();
    assert!(reply.header("Content-Length").is_some(), "{reply:?}");
    let _ = connection.stream.shutdown(Shutdown::Write);
    let rest = connection.rest();
    assert!(
        rest.is_empty(),
        "{reply:?} {}",
        String::from_utf8_lossy(&rest)
    );
    let headers = reply.headers().map(|(name, value)| {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        (name, HeaderValue::from_str(value).unwrap())
    });
    (reply.status, headers.collect(), reply.body)
}

/// Like [`exchange`], but closes the sending half first, so the server sees an incomplete request.
fn last_exchange(mut connection: Connection, request: &[u8]) -> (u16, HeaderMap, Vec<u8>) {
    let _ = connection.stream.write_all(request);
    let _ = connection.stream.shutdown(Shutdown::Write);
    exchange(connection, b"")
}
