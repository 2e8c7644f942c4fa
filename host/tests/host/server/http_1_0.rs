//! HTTP/1.0 has no chunks: a reply has a length, or ends with its connection.

use super::{Server, one_ai, timed_search};

#[test]
fn sends_no_chunks_to_http_1_0_clients() {
    let server = Server::start(&one_ai());
    let game = r#"{"game": {}, "limit": {"depth": 2}}"#.to_owned();
    let report = r#"{"game": {"moves": ["e2e4", "e7e5"]}, "limit": {"depth": 2}}"#.to_owned();
    let compare = r#"{"game": {}, "ais": ["basic1"], "limit": {"depth": 2}}"#.to_owned();
    let mut requests = Vec::new();
    for path in [
        "/",
        "/docs",
        "/docs/docs.css",
        "/openapi.json",
        "/metrics",
        "/healthz",
        "/readyz",
        "/v1/ais",
        "/v1/ais/basic1",
        "/v1/board.svg",
        "/nowhere",
        "/v1/nowhere",
        "/v1/best-move",
    ] {
        requests.push(("GET", path, "*/*", String::new()));
    }
    for accept in ["*/*", "application/x-ndjson", "text/event-stream"] {
        requests.push((
            "POST",
            "/v1/best-move",
            accept,
            timed_search(300).to_string(),
        ));
        requests.push(("POST", "/v1/report", accept, report.clone()));
        requests.push(("POST", "/v1/compare", accept, compare.clone()));
        requests.push((
            "POST",
            "/v1/legal-moves",
            accept,
            r#"{"game": {}}"#.to_owned(),
        ));
        requests.push(("POST", "/v1/evaluate", accept, r#"{"game": {}}"#.to_owned()));
        requests.push(("POST", "/v1/best-move", accept, game.clone()));
        requests.push(("POST", "/v1/best-move", accept, "{".to_owned()));
    }
    for connection in ["", "Connection: close\r\n", "Connection: keep-alive\r\n"] {
        for (method, path, accept, body) in &requests {
            let is_stream = *accept != "*/*"
                && !["/v1/legal-moves", "/v1/evaluate"].contains(path)
                && body != "{";
            // With keep-alive, only streams end the connection.
            if connection.contains("keep-alive") && !is_stream {
                continue;
            }
            let request = format!(
                "{method} {path} HTTP/1.0\r\n{connection}Accept: {accept}\r\n\
                 Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            let reply = server.exchange(&request);
            let (head, rest) = reply
                .split_once("\r\n\r\n")
                .unwrap_or_else(|| panic!("{request}: {reply}"));
            let head = head.to_ascii_lowercase();
            assert!(head.starts_with("http/1."), "{head}");
            assert!(!head.contains("transfer-encoding"), "{request}: {head}");
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "));
            if let Some(length) = length {
                assert_eq!(
                    length.parse::<usize>().unwrap(),
                    rest.len(),
                    "{request}: {head}"
                );
            } else {
                // The reply ends with the connection, so it must not announce keep-alive.
                assert!(!head.contains("keep-alive"), "{request}: {head}");
            }
            if head.contains("application/x-ndjson") {
                assert!(
                    rest.starts_with('{') && rest.ends_with("}\n"),
                    "{request}: {rest}"
                );
            }
        }
    }
}
