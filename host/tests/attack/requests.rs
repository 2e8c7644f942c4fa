//! Bodies within the size limit that would cost a lot of time or memory.

use std::time::Duration;

use serde_json::json;

use crate::{
    runner::{Attack, Attempt, Outcome, judge},
    server::{Server, Setup},
};

const BOUNDED: &str =
    "a body within `max_body_bytes` costs bounded time and memory, and its rejection is short";

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::new(
        BOUNDED,
        "JSON: depth, digits, repeated and unknown keys, broken text, at every call",
        json_bombs,
    )
    .within(90),
    Attack::new(
        BOUNDED,
        "a mebibyte of invalid data in each form of a game",
        form_bombs,
    )
    .within(90),
    Attack::new(
        "control characters of a client reach neither a reply nor the log",
        "control characters in every field",
        control_characters,
    ),
    Attack::new(
        "an image costs bounded time and bytes",
        "positions, arrows and marks that fill the request head",
        pictures,
    ),
];

/// Returns the paths of the calls with a body in the server's `OpenAPI` document, or only `some` in
/// a short run.
fn calls(server: &Server, some: &[&str]) -> Vec<String> {
    if !Attempt::is_long() {
        return some.iter().map(|&path| path.to_owned()).collect();
    }
    let document = server.get("/openapi.json").json();
    let paths = document["paths"].as_object().unwrap();
    paths
        .iter()
        .filter(|(_, item)| item.get("post").is_some())
        .map(|(path, _)| path.clone())
        .collect()
}

/// The maximum size of a rejection, which may contain a long list of issues.
const LONGEST_REPLY: usize = 512 << 10;
const SLOWEST: Duration = Duration::from_secs(4);

struct Worst {
    time: Duration,
    bytes: usize,
    count: usize,
}

impl Worst {
    const NONE: Self = Self {
        time: Duration::ZERO,
        bytes: 0,
        count: 0,
    };

    /// Sends a body and records its cost.
    fn send(&mut self, server: &Server, call: &str, name: &str, body: &[u8]) -> Result<(), String> {
        let reply = server
            .connect()
            .post(call, "", body)
            .map_err(|error| format!("{name} at {call}: {error}"))?;
        // Some inputs parse as a game without moves.
        if reply.status >= 500 {
            return Err(format!(
                "{name} at {call}: {} {}",
                reply.status,
                reply.text()
            ));
        }
        if reply.time > SLOWEST || reply.body.len() > LONGEST_REPLY {
            return Err(format!(
                "{name} at {call}: {} bytes after {:.1?}",
                reply.body.len(),
                reply.time
            ));
        }
        self.time = self.time.max(reply.time);
        self.bytes = self.bytes.max(reply.body.len());
        self.count += 1;
        Ok(())
    }

    fn seen(&self, server: &Server) -> Outcome {
        server.is_unharmed("good")?;
        let megabytes = server.peak_mb();
        let Self { time, bytes, count } = self;
        let seen = format!(
            "{count} bodies, each in at most {time:.1?} and {bytes} bytes; server {megabytes} MiB"
        );
        judge(megabytes <= 400, seen)
    }
}

fn json_bombs(attempt: &Attempt) -> Outcome {
    let server = Setup::good().start(attempt);
    let mut worst = Worst::NONE;
    let keys = |key: &dyn Fn(usize) -> String| {
        let keys: Vec<_> = (0..40_000)
            .map(|number| format!("\"{}\":1", key(number)))
            .collect();
        format!("{{\"game\":{{}},{}}}", keys.join(","))
    };
    let bombs: Vec<(&str, Vec<u8>)> = vec![
        ("depth of arrays", "[".repeat(1_000_000).into_bytes()),
        (
            "depth of objects",
            "{\"game\":".repeat(120_000).into_bytes(),
        ),
        (
            "depth within a key",
            format!("{{\"game\":{}", "[".repeat(900_000)).into_bytes(),
        ),
        (
            "digits",
            format!("{{\"game\":{{}},\"lines\":{}}}", "9".repeat(900_000)).into_bytes(),
        ),
        ("exponent", b"{\"game\":{},\"lines\":1e999999999}".to_vec()),
        (
            "fraction",
            format!("{{\"game\":{{}},\"lines\":0.{}1}}", "0".repeat(900_000)).into_bytes(),
        ),
        ("a repeated key", keys(&|_| "game".into()).into_bytes()),
        (
            "unknown keys",
            keys(&|number| format!("unknown{number}")).into_bytes(),
        ),
        (
            "escapes",
            format!("{{\"game\":{{\"fen\":\"{}\"}}}}", "\\u0000".repeat(150_000)).into_bytes(),
        ),
        (
            "half of a surrogate",
            b"{\"game\":{\"fen\":\"\\ud800\"}}".to_vec(),
        ),
        ("no UTF-8", b"{\"game\":{\"fen\":\"\xff\xfe\"}}".to_vec()),
        (
            "a byte order mark",
            b"\xef\xbb\xbf{\"game\":{\"fen\":1}}".to_vec(),
        ),
        (
            "UTF-16",
            "{\"game\":{}}"
                .encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect(),
        ),
        ("spaces", vec![b' '; 1 << 20]),
        ("nothing", Vec::new()),
        ("two values", b"{\"game\":{}}{\"game\":{}}".to_vec()),
        (
            "options",
            format!(
                "{{\"game\":{{}},\"options\":{{{}}}}}",
                "\"a\":1,".repeat(100_000) + "\"b\":1"
            )
            .into_bytes(),
        ),
        (
            "limit",
            b"{\"game\":{},\"limit\":{\"depth\":18446744073709551616}}".to_vec(),
        ),
        ("too large", vec![b' '; (1 << 20) + 1]),
    ];
    for call in calls(
        &server,
        &["/v1/best-move", "/v1/legal-moves", "/v1/validate"],
    ) {
        for (name, body) in &bombs {
            worst.send(&server, &call, name, body)?;
        }
    }
    worst.seen(&server)
}

fn form_bombs(attempt: &Attempt) -> Outcome {
    let server = Setup::good().start(attempt);
    let mut worst = Worst::NONE;
    let mebibyte = |text: &str| text.repeat(1_000_000 / text.len());
    let row = json!([0, 0, 0, 0, 0, 0, 0, 0]);
    let board = json!([row, row, row, row, row, row, row, row]);
    let mut bombs: Vec<(String, serde_json::Value)> = Vec::new();
    for (form, texts) in [
        (
            "fen",
            &["x", "8/", " ", "rnbqkbnr/", "9", "K", "\u{2654}"][..],
        ),
        (
            "pgn",
            &[
                "(",
                "(e4",
                "{",
                ";\n",
                "[",
                "[A \"b\"]\n",
                "1. e4 ",
                "$1 ",
                "e4 ",
                "O-O ",
                "1",
                "\\",
                "* ",
                "{(",
                "1...",
                "\u{feff}",
            ],
        ),
        (
            "html",
            &[
                "<",
                "<b>",
                "<div",
                "<!--",
                "<table><tr>",
                "<svg>",
                "&#x41;",
                "&amp",
                "<a b=c ",
                "</",
                "<script>",
                "<template>",
            ],
        ),
        (
            "svg",
            &[
                "<",
                "<g>",
                "<!ENTITY a 'b'>",
                "data-fen=\"",
                "<use href='#a'/>",
                "<![CDATA[",
            ],
        ),
        ("text", &["p", "pppppppp\n", ". ", "\n", "|", "\u{265f}"]),
        ("epd", &["x ", "8/", "bm e4;", "id \"", ";"]),
    ] {
        for text in texts {
            let text = if Attempt::is_long() {
                mebibyte(text)
            } else {
                text.repeat(300_000 / text.len())
            };
            for form in [form, "any"] {
                bombs.push((
                    format!("{form} of {:?}", &text[..text.floor_char_boundary(12)]),
                    json!({"game": {form: text}}),
                ));
            }
        }
    }
    let many = 60_000;
    for (name, game) in [
        ("moves", json!({"moves": vec!["e2e4"; many]})),
        ("moves of nonsense", json!({"moves": vec!["\u{0}"; many]})),
        ("san", json!({"san": vec!["Qxh8=Q#"; many]})),
        (
            "boards",
            json!({"boards": vec![board; 5000], "turn": "white"}),
        ),
        (
            "boards without rows",
            json!({"boards": vec![json!([]); many], "turn": "white"}),
        ),
        (
            "boards of numbers",
            json!({"boards": [[[9_000_000_000_000_i64, 1.5, -1e308, null, "x", [], {}, true]]]}),
        ),
    ] {
        bombs.push((name.into(), json!({"game": game})));
    }
    let calls = calls(&server, &["/v1/validate"]);
    for (name, body) in bombs {
        let body = body.to_string();
        calls
            .iter()
            .try_for_each(|call| worst.send(&server, call, &name, body.as_bytes()))?;
    }
    worst.seen(&server)
}

fn control_characters(attempt: &Attempt) -> Outcome {
    let server = Setup::good()
        .environment("ROOKERY_LOG", "trace")
        .start(attempt);
    let evil = "\u{1b}]0;owned\u{7}\u{202e}\u{9b}2J";
    let escaped = evil
        .chars()
        .map(|c| format!("\\u{:04x}", u32::from(c)))
        .collect::<Vec<_>>()
        .concat();
    for body in [
        format!("{{\"game\":{{\"fen\":\"{escaped}\"}}}}"),
        format!("{{\"game\":{{\"pgn\":\"[A \\\"{escaped}\\\"] {{{escaped}}} e5\"}}}}"),
        format!("{{\"{escaped}\":1}}"),
        format!("{{\"game\":{{}},\"ai\":\"{escaped}\"}}"),
        format!("{{\"game\":{{}},\"options\":{{\"{escaped}\":\"{escaped}\"}}}}"),
    ] {
        let reply = server
            .connect()
            .post("/v1/best-move", "", body.as_bytes())?;
        let text = String::from_utf8_lossy(&reply.body).into_owned();
        if text.contains("\\u001b") || text.chars().any(|c| c.is_control() || c == '\u{202e}') {
            return Err(format!("{body} is repeated in {text}"));
        }
    }
    for header in [
        "X-Client-Id",
        "X-Request-Id",
        "Authorization",
        "User-Agent",
        "Traceparent",
        "X-Forwarded-For",
        "Forwarded",
    ] {
        let request = format!(
            "GET /v1/ais HTTP/1.1\r\nHost: localhost\r\n{header}: a\u{9b}2Jb\u{202e}\r\n\r\n"
        );
        let reply = server.connect().exchange(&request);
        if reply.is_ok_and(|reply| String::from_utf8_lossy(&reply.body).contains('\u{9b}')) {
            return Err(format!("{header} is repeated"));
        }
    }
    let _ = server.connect().exchange(
        "GET /v1/%1b%5d0%3bowned%07%e2%80%ae HTTP/1.1\r\nHost: localhost\r\n\r\n".as_bytes(),
    );
    let log = server.log();
    let in_log = log
        .chars()
        .find(|c| c.is_control() && *c != '\n' || ('\u{202a}'..='\u{202e}').contains(c));
    match in_log {
        Some(found) => Err(format!("{found:?} is in the log")),
        None => Ok(format!(
            "none in replies and {} lines of the log",
            log.lines().count()
        )),
    }
}

fn pictures(attempt: &Attempt) -> Outcome {
    let server = Setup::good().start(attempt);
    let (mut slowest, mut largest) = (Duration::ZERO, 0);
    for query in [
        format!("arrows={}", "e2e4,".repeat(6000)),
        format!("marks={}", "e4,".repeat(9000)),
        format!("fen={}", "8/".repeat(15_000)),
        format!("fen={}", "%00".repeat(9000)),
        format!("size={}", "9".repeat(9000)),
        "&fen=8".repeat(5000),
        "%".repeat(9000),
    ] {
        let reply = server.connect().get(&format!("/v1/board.svg?{query}"))?;
        if reply.status >= 500 {
            return Err(format!("{query:.40}: {} {}", reply.status, reply.text()));
        }
        slowest = slowest.max(reply.time);
        largest = largest.max(reply.body.len());
    }
    server.is_unharmed("good")?;
    let seen = format!("at most {slowest:.1?} and {largest} bytes");
    judge(slowest <= SLOWEST && largest <= 4 << 20, seen)
}
