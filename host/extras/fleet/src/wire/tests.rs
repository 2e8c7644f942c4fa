//! The messages as sent. Changing a line creates a new version of the protocol, unless it adds a
//! field that can be left out without changing the meaning.

use ai_api::{
    Bound, Capabilities, Clocks, EvalTerm, Limits, Move, NodeKind, OptionSetting, OptionSpec,
    OptionValue, PvLine, Score, SearchResult, TraceNode, Wdl,
};
use protocol::{Confined, Missing, Protection, SearchParams, Task};

use super::*;

fn id(digit: char) -> Id {
    Id::try_from(digit.to_string().repeat(32)).unwrap()
}

/// Checks that a message is sent and read as `json`, with its lines joined.
#[track_caller]
fn check<T: Serialize + DeserializeOwned + PartialEq + fmt::Debug>(message: &T, json: &str) {
    let golden: String = json.lines().map(str::trim).collect();
    assert_eq!(String::from_utf8(encode(message).unwrap()).unwrap(), golden);
    assert_eq!(decode::<T>(golden.as_bytes()).unwrap(), *message);
    let with_more = format!("{{\"from_later\":[1],{}", &golden[1..]);
    if golden.starts_with("{\"instance") || golden.starts_with("{\"gateway") {
        assert_eq!(
            decode::<T>(with_more.as_bytes()).unwrap(),
            *message,
            "unknown fields are ignored"
        );
    }
}

#[test]
fn announcements_keep_their_format() {
    let message = Announcement {
        instance: id('a'),
        number: 7,
        tick_ms: 6012,
        draining: true,
        ais: vec![OfferedAi {
            id: "basic1".into(),
            fingerprint: "f0".into(),
            slots: 2,
            free: 1,
        }],
        jobs: vec![RunningJob {
            gateway: Hashed(id('b')),
            job: Hashed(id('c')),
        }],
    };
    check(
        &message,
        r#"
            {
                "instance":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "number":7,
                "tick_ms":6012,
                "draining":true,
                "ais":[{"id":"basic1","fingerprint":"f0","slots":2,"free":1}],
                "jobs":[
                    {
                        "gateway":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
                        "job":"cccccccccccccccccccccccccccccccc"
                    }
                ]
            }
        "#,
    );
}

fn question() -> Job {
    Job {
        fresh: false,
        fen: "8/8/8/8/8/8/8/8 w - - 0 1".into(),
        moves: vec![Move::from_bits(12)],
        task: Task::Search(Limits {
            nodes: Some(7),
            mate_plies: Some(3),
            soft_ms: Some(4),
            ..Limits::depth(5)
        }),
        params: SearchParams {
            lines: 2,
            trace_nodes: 3,
            root_moves: vec![Move::from_bits(1)],
            clocks: Some(Clocks {
                remaining_ms: [1, 2],
                increment_ms: [3, 4],
                moves_to_go: 5,
                ..Clocks::default()
            }),
            ponder: true,
            analysis: true,
        },
        options: vec![
            OptionSetting {
                name: "flag".into(),
                value: OptionValue::Flag(true),
            },
            OptionSetting {
                name: "list".into(),
                value: OptionValue::List(vec!["a".into()]),
            },
        ],
    }
}

#[test]
fn orders_keep_their_format() {
    let order = |order| Order {
        gateway: id('b'),
        order,
    };
    let ask = Ask {
        job: id('c'),
        ai: "basic1".into(),
        fingerprint: "f0".into(),
        tick_ms: 6100,
        time: TimeLeft {
            left_ms: 9000,
            preparation_ms: 5000,
        },
        request_id: RequestId::given(b"r-1"),
        traceparent: TraceParent::parse(b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
        tenant: Some("t".into()),
        question: question(),
    };
    let prefix = r#"{"gateway":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","order":"#;
    let ids = "\"cccccccccccccccccccccccccccccccc\"";
    check(
        &order(OrderKind::Ask(Box::new(ask))),
        &format!(
            r#"
                {prefix}{{
                    "ask":{{
                        "job":{ids},
                        "ai":"basic1",
                        "fingerprint":"f0",
                        "tick_ms":6100,
                        "time":{{"left_ms":9000,"preparation_ms":5000}},
                        "request_id":"r-1",
                        "traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                        "tenant":"t",
                        "question":{{
                            "fresh":false,
                            "fen":"8/8/8/8/8/8/8/8 w - - 0 1",
                            "moves":[12],
                            "task":{{
                                "Search":{{
                                    "depth":5,
                                    "nodes":7,
                                    "mate_plies":3,
                                    "soft_ms":4,
                                    "hard_ms":null
                                }}
                            }},
                            "params":{{
                                "lines":2,
                                "trace_nodes":3,
                                "root_moves":[1],
                                "clocks":{{
                                    "remaining_ms":[1,2],
                                    "increment_ms":[3,4],
                                    "moves_to_go":5
                                }},
                                "ponder":true,
                                "analysis":true
                            }},
                            "options":[
                                {{"name":"flag","value":{{"Flag":true}}}},
                                {{"name":"list","value":{{"List":["a"]}}}}
                            ]
                        }}
                    }}
                }}}}
            "#
        ),
    );
    for (kind, name) in [
        (OrderKind::Stop(id('c')), "stop"),
        (OrderKind::PonderHit(id('c')), "ponder_hit"),
        (OrderKind::Cancel(Hashed(id('c'))), "cancel"),
        (OrderKind::Ack(id('c')), "ack"),
    ] {
        check(&order(kind), &format!(r#"{prefix}{{"{name}":{ids}}}}}"#));
    }
    check(
        &order(OrderKind::Describe("basic1".into())),
        &format!(r#"{prefix}{{"describe":"basic1"}}}}"#),
    );
}

#[test]
fn presence_keeps_its_format() {
    let presence = |joins| Presence {
        gateway: id('b'),
        joins,
    };
    check(
        &presence(false),
        r#"{"gateway":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}"#,
    );
    check(
        &presence(true),
        r#"{"gateway":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","joins":true}"#,
    );
}

#[test]
fn replies_keep_their_format() {
    let job = || id('c');
    let start = r#""job":"cccccccccccccccccccccccccccccccc""#;
    check(
        &JobReply::Accepted {
            job: job(),
            number: 8,
        },
        &format!(r#"{{"accepted":{{{start},"number":8}}}}"#),
    );
    check(
        &JobReply::Busy { job: job() },
        &format!(r#"{{"busy":{{{start}}}}}"#),
    );
    let iteration = Iteration {
        depth: 3,
        score: Score::centipawns(12),
        nodes: 100,
        pv: vec![Move::from_bits(12)],
        pv_number: 1,
        bound: Bound::Exact,
        wdl: Some(Wdl {
            win: 1,
            draw: 998,
            loss: 1,
        }),
        selective_depth: 4,
        tablebase_hits: 5,
        hashfull: 6,
        current: Some((Move::from_bits(13), 7)),
        text: Some("t".into()),
    };
    check(
        &JobReply::Info {
            job: job(),
            iteration,
        },
        &format!(
            r#"
                {{
                    "info":{{
                        {start},
                        "iteration":{{
                            "depth":3,
                            "score":12,
                            "nodes":100,
                            "pv":[12],
                            "pv_number":1,
                            "bound":"Exact",
                            "wdl":{{"win":1,"draw":998,"loss":1}},
                            "selective_depth":4,
                            "tablebase_hits":5,
                            "hashfull":6,
                            "current":[13,7],
                            "text":"t"
                        }}
                    }}
                }}
            "#
        ),
    );
    let evaluated = Response::Evaluated(
        Score::centipawns(5),
        vec![EvalTerm::new("material", Score::centipawns(5))],
    );
    check(
        &JobReply::Result {
            job: job(),
            response: Box::new(evaluated),
        },
        &format!(
            r#"
                {{
                    "result":{{
                        {start},
                        "response":{{"Evaluated":[5,[{{"name":"material","score":5}}]]}}
                    }}
                }}
            "#
        ),
    );
}

#[test]
fn replies_with_a_result_keep_their_format() {
    let job = || id('c');
    let start = r#""job":"cccccccccccccccccccccccccccccccc""#;
    let searched = SearchResult {
        score: Score::centipawns(-3),
        depth: 2,
        multipv: vec![PvLine::new(
            2,
            Score::centipawns(-3),
            vec![Move::from_bits(12)],
        )],
        trace: vec![TraceNode {
            parent: TraceNode::NO_PARENT,
            depth: 2,
            alpha: Score::centipawns(-9),
            beta: Score::centipawns(9),
            score: Score::centipawns(-3),
            chosen: Move::from_bits(12),
            bound: Bound::Lower,
            kind: NodeKind::Cutoff,
            ..TraceNode::ROOT
        }],
        ..SearchResult::play(Move::from_bits(12))
    };
    check(
        &JobReply::Result {
            job: job(),
            response: Box::new(Response::Searched(searched)),
        },
        &format!(
            r#"
                {{
                    "result":{{
                        {start},
                        "response":{{
                            "Searched":{{
                                "best_move":12,
                                "score":-3,
                                "bound":"Exact",
                                "wdl":null,
                                "depth":2,
                                "nodes":1,
                                "pv":[12],
                                "multipv":[
                                    {{
                                        "score":-3,
                                        "bound":"Exact",
                                        "wdl":null,
                                        "depth":2,
                                        "moves":[12]
                                    }}
                                ],
                                "trace":[
                                    {{
                                        "parent":4294967295,
                                        "depth":2,
                                        "alpha":-9,
                                        "beta":9,
                                        "score":-3,
                                        "chosen":12,
                                        "bound":"Lower",
                                        "kind":"Cutoff"
                                    }}
                                ]
                            }}
                        }}
                    }}
                }}
            "#
        ),
    );
    let fault = JobFault {
        kind: JobFaultKind::OutOfMemory,
        summary: "it needs more".into(),
        details: String::new(),
    };
    check(
        &JobReply::Fault { job: job(), fault },
        &format!(
            r#"
                {{
                    "fault":{{
                        {start},
                        "fault":{{"kind":"out_of_memory","summary":"it needs more"}}
                    }}
                }}
            "#
        ),
    );
}

#[test]
fn descriptions_keep_their_format() {
    let description = Description {
        id: "basic1".into(),
        fingerprint: "f0".into(),
        name: "Basic1".into(),
        version: "0.1.0".into(),
        author: "A".into(),
        searcher: true,
        evaluator: false,
        capabilities: Capabilities::SIMPLEST,
        options: vec![
            OptionSpec::flag("a", true, "h"),
            OptionSpec::integer("b", 1, 0..=2, "h"),
            OptionSpec::choice("c", "x", &["x", "y"], "h"),
        ],
        values: vec![OptionSetting {
            name: "b".into(),
            value: OptionValue::Integer(2),
        }],
        overridable_options: vec!["b".into()],
        limit: Limits::depth(5),
        move_timeout_ms: 10_000,
        new_game_timeout_ms: 5000,
        library: LibraryDescription {
            file: "liba.so".into(),
            sha256: "00".into(),
        },
        sandbox: SandboxDescription {
            mode: "required".into(),
            memory_mb: 512,
            threads: 0,
            confined: Confined {
                enforced: vec![Protection::Memory],
                missing: vec![Missing {
                    protection: Protection::Files,
                    reason: "r".into(),
                }],
            },
        },
    };
    check(
        &JobReply::Description(Box::new(description)),
        r#"
            {
                "description":{
                    "id":"basic1",
                    "fingerprint":"f0",
                    "name":"Basic1",
                    "version":"0.1.0",
                    "author":"A",
                    "searcher":true,
                    "evaluator":false,
                    "capabilities":{
                        "chess960":false,
                        "root_moves":false,
                        "ponder":false,
                        "manages_time":false,
                        "max_lines":1,
                        "max_trace_nodes":0,
                        "threads":0,
                        "memory_mb":0,
                        "varies":false
                    },
                    "options":[
                        {
                            "name":"a",
                            "help":"h",
                            "kind":"Flag",
                            "default":{"Flag":true},
                            "secret":false,
                            "advanced":false,
                            "live":false
                        },
                        {
                            "name":"b",
                            "help":"h",
                            "kind":{"Integer":{"min":0,"max":2}},
                            "default":{"Integer":1},
                            "secret":false,
                            "advanced":false,
                            "live":false
                        },
                        {
                            "name":"c",
                            "help":"h",
                            "kind":{"Choice":["x","y"]},
                            "default":{"Text":"x"},
                            "secret":false,
                            "advanced":false,
                            "live":false
                        }
                    ],
                    "values":[{"name":"b","value":{"Integer":2}}],
                    "overridable_options":["b"],
                    "limit":{
                        "depth":5,
                        "nodes":null,
                        "mate_plies":null,
                        "soft_ms":null,
                        "hard_ms":null
                    },
                    "move_timeout_ms":10000,
                    "new_game_timeout_ms":5000,
                    "library":{"file":"liba.so","sha256":"00"},
                    "sandbox":{
                        "mode":"required",
                        "memory_mb":512,
                        "threads":0,
                        "confined":{
                            "enforced":["Memory"],
                            "missing":[{"protection":"Files","reason":"r"}]
                        }
                    }
                }
            }
        "#,
    );
}

#[test]
fn a_hash_is_the_beginning_of_a_sha_256() {
    let hash = id('c').hashed();
    assert_eq!(hash.0.as_str(), "cd93782b7fb95559de14f738b65988af");
}

#[test]
fn errors_show_no_control_characters_and_little_text() {
    let message = format!(r#"{{"\u001b[2J\n{}":1}}"#, "x".repeat(900_000));
    let error = decode::<JobReply>(message.as_bytes())
        .unwrap_err()
        .to_string();
    assert!(
        error.len() < 600 && !error.contains(char::is_control),
        "{error:?}"
    );
    let found = decode::<JobReply>(b"{").unwrap_err().to_string();
    assert!(
        found.starts_with("the message is malformed or from another version: EOF"),
        "{found}"
    );
}
