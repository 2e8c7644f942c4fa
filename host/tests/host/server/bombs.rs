//! Bodies that are no larger than allowed and mean to be more in memory.

use serde_json::json;

use super::{Server, one_ai};

/// Far more than the server needs, and far less than half a million refusals do.
const MOST_KB: u64 = 300 << 10;

/// The most memory that the server's process has held.
fn peak_kb(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn a_text_of_many_games_is_refused_without_holding_what_is_wrong_with_each() {
    let server = Server::start(&one_ai());
    for (form, text) in [
        ("epd", "x\n".repeat(330_000)),
        ("pgn", "*\n".repeat(330_000)),
        ("pgn", "a *\n".repeat(200_000)),
        ("svg", "data-fen=\"".repeat(94_000)),
        ("text", "pppppppp\n".repeat(100_000)),
    ] {
        let (status, body) = server.post("/v1/validate", &json!({"game": {form: text}}));
        assert_eq!((status, &body["code"]), (400, &json!("malformed_request")), "{form}: {body}");
        assert_eq!(body["pointer"], format!("/game/{form}"), "{body}");
        assert_eq!(body["detail"], "there is more than one game in it; send one in a request");
        let peak = peak_kb(&server);
        assert!(peak < MOST_KB, "{peak} kB after {form}");
    }
}

#[test]
fn a_page_whose_elements_would_multiply_its_attributes_is_refused() {
    let server = Server::start(&one_ai());
    let attributes = (0..26).map(|number| format!(" a{number}=1")).collect::<Vec<_>>().concat();
    let open: Vec<_> = (0..900).map(|number| format!("<b x={number}{attributes}>")).collect();
    let page = open.concat() + &"<p>".repeat(1000);
    assert!(page.len() < 256 << 10);
    let (status, body) = server.post("/v1/validate", &json!({"game": {"html": page}}));
    assert_eq!(status, 422, "{body}");
    let message = body["issues"][0]["message"].as_str().unwrap();
    assert!(message.contains("less of one where there is much of the other"), "{message}");
}
