//! AIs in C: the examples of the contract, and faulty ones.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use crate::support::{Application, ConfigFile, ai, assert_has, start_error};

pub(crate) fn contract() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../ai-api")
}

/// Compiles a library against this contract without warnings, with these linker flags.
pub(crate) fn compile(contract: &Path, source: &Path, library: &Path, flags: &[String]) {
    let output = Command::new("cc")
        .args([
            "-std=c11",
            "-O2",
            "-Wall",
            "-Wextra",
            "-Wpedantic",
            "-Werror",
            "-fPIC",
            "-shared",
            "-I",
        ])
        .arg(contract.join("include"))
        .arg(source)
        .arg("-o")
        .arg(library)
        .args(flags)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Compiles an AI from this source against this contract, and returns a configuration with it.
fn ai_of(contract: &Path, source: &Path, settings: &str) -> ConfigFile {
    let file = ai("c", "./libc_ai.so", settings);
    compile(contract, source, &file.folder().join("libc_ai.so"), &[]);
    file
}

fn example(name: &str, settings: &str) -> ConfigFile {
    ai_of(
        &contract(),
        &contract().join("examples/c").join(name),
        settings,
    )
}

/// The configuration of an AI in C with these functions and settings.
pub(crate) fn ai_with(code: &str, entry: &str, settings: &str) -> ConfigFile {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("ai.c");
    std::fs::write(&source, source_of(code, entry)).unwrap();
    ai_of(&contract(), &source, settings)
}

/// Like [`ai_with`], with an evaluator whose score is 0, and with `replacement` in place of one of
/// the contract's functions.
pub(crate) fn evaluator_with(code: &str, function: &str, replacement: &str) -> ConfigFile {
    let entry = WHOLE.replace(&format!("= {function}"), &format!("= {replacement}"));
    ai_with(code, &format!("{entry}, .evaluate = zero"), "")
}

/// The source of an AI in C with these functions.
pub(crate) fn source_of(code: &str, entry: &str) -> String {
    format!(
        "#include \"rookery_ai.h\"
        #include <stdio.h>
        #define UNUSED(x) (void)(x)
        static char it;
        static inline rookery_status manifest(const rookery_host *h, const rookery_setting *s,
                                              size_t n, rookery_manifest *m, rookery_error *e) {{
            UNUSED(h), UNUSED(s), UNUSED(n), UNUSED(e);
            m->name = \"C\";
            m->version = \"1\";
            return ROOKERY_OK;
        }}
        static inline rookery_status create(const rookery_host *h, const rookery_setting *s,
                                            size_t n, void **made, rookery_error *e) {{
            UNUSED(h), UNUSED(s), UNUSED(n), UNUSED(e);
            *made = &it;
            return ROOKERY_OK;
        }}
        static inline void destroy(void *ai) {{ UNUSED(ai); }}
        static inline rookery_score zero(void *ai, const rookery_position *p, const rookery_host *h,
                                         rookery_error *error) {{
            UNUSED(ai), UNUSED(p), UNUSED(h), UNUSED(error);
            return 0;
        }}
        {code}
        ROOKERY_NOTE(\"c\", \"1\");
        ROOKERY_EXPORT const rookery_ai rookery_ai_entry = {{ {entry} }};"
    )
}

pub(crate) const WHOLE: &str = ".size = sizeof(rookery_ai), .abi = ROOKERY_ABI, .manifest = \
    manifest, .create = create, .destroy = destroy";

#[test]
fn suggests_more_memory_for_a_large_library() {
    // 1 GiB of zeros that are not in the file.
    let code = "char zeros[1 << 30];
        static rookery_score large(void *ai, const rookery_position *p, const rookery_host *h,
                                   rookery_error *error) {
            UNUSED(ai), UNUSED(p), UNUSED(h), UNUSED(error);
            return zeros[4096];
        }";
    let message = start_error(&ai_with(
        code,
        &format!("{WHOLE}, .evaluate = large"),
        "memory_mb = 512",
    ));
    assert!(
        message.contains("raise memory_mb in its [ai.ID]") && !message.contains("ldd"),
        "{message}"
    );
}

#[test]
fn rejects_a_file_option_with_a_default() {
    let code = "static const rookery_option options[] = {{
            .name = \"net\", .help = \"\", .kind = ROOKERY_OPTION_FILE,
            .value = {.kind = ROOKERY_VALUE_TEXT, .text = \"/etc\"},
        }};
        static rookery_status declares(const rookery_host *h, const rookery_setting *s, size_t n,
                                       rookery_manifest *m, rookery_error *e) {
            manifest(h, s, n, m, e);
            m->options = options;
            m->option_count = 1;
            m->option_stride = sizeof(rookery_option);
            return ROOKERY_OK;
        }";
    let message = start_error(&evaluator_with(code, "manifest", "declares"));
    assert_has(&message, &["the option 'net': it can't have a default"]);
}

#[actix_web::test]
async fn truncates_a_long_name_and_rejects_too_many_options() {
    let code = "static char name[200000];
        static rookery_option options[2000];
        static rookery_status large(const rookery_host *h, const rookery_setting *s, size_t n,
                                    rookery_manifest *m, rookery_error *e) {
            manifest(h, s, n, m, e);
            for (size_t i = 0; i < sizeof name - 1; i++) name[i] = 'x';
            m->name = name;
            return ROOKERY_OK;
        }
        static inline rookery_status many(const rookery_host *h, const rookery_setting *s, size_t n,
                                          rookery_manifest *m, rookery_error *e) {
            static char names[2000][8];
            manifest(h, s, n, m, e);
            for (int i = 0; i < 2000; i++) {
                snprintf(names[i], sizeof names[i], \"o%d\", i % 10000);
                options[i] = (rookery_option){
                    .name = names[i], .help = \"\", .kind = ROOKERY_OPTION_FLAG,
                    .value = {.kind = ROOKERY_VALUE_FLAG},
                };
            }
            m->options = options;
            m->option_count = 2000;
            m->option_stride = sizeof(rookery_option);
            return ROOKERY_OK;
        }
        static inline bool used(void) { return large != many; }";
    let app = Application::of(&evaluator_with(code, "manifest", "large"));
    let name = app.get("/v1/ais/c").await.body["name"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(name.chars().count(), 401, "{name}");
    let message = start_error(&evaluator_with(code, "manifest", "many"));
    assert_has(
        &message,
        &["returned 2000 options; at most 1000 are allowed"],
    );
}

async fn best_move(app: &Application, fen: &str, limit: Value) -> Value {
    app.post(
        "/v1/best-move",
        &json!({"game": {"fen": fen}, "limit": limit}),
    )
    .await
    .ok()
}

#[actix_web::test]
async fn serves_a_searcher_in_c() {
    let file = example("minimax.c", "options = { centre = 20 }");
    let app = Application::of(&file);
    let about = app.get("/v1/ais/c").await.body;
    assert_eq!(about["name"], "Minimax in C");
    assert_eq!(about["kinds"], json!(["searcher", "evaluator"]));
    assert_eq!(about["capabilities"]["chess960"], true);
    assert_eq!(about["options"]["properties"]["centre"]["maximum"], 100);
    let mate = best_move(
        &app,
        "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1",
        json!({"depth": 3}),
    )
    .await;
    assert_eq!(
        (&mate["move"]["san"], &mate["score"]),
        (&json!("Ra8#"), &json!({"mate": 1}))
    );
    let judged = app
        .post("/v1/evaluate", &json!({"game": {"moves": ["e2e4"]}}))
        .await
        .body;
    let terms =
        json!([{"name": "material", "score": {"cp": 0}}, {"name": "centre", "score": {"cp": 20}}]);
    assert_eq!(
        (&judged["score"], &judged["terms"]),
        (&json!({"cp": 20}), &terms)
    );
}

#[actix_web::test]
async fn request_options_replace_the_instance_in_c() {
    let settings = "overridable_options = [\"centre\"]\noptions = { centre = 20 }";
    let app = Application::of(&example("minimax.c", settings));
    for (options, centre) in [
        (json!({"centre": 30}), 30),
        (json!({}), 20),
        (json!({"centre": 0}), 0),
    ] {
        let body = json!({"game": {"moves": ["e2e4"]}, "options": options});
        let judged = app.post("/v1/evaluate", &body).await.body;
        assert_eq!(judged["score"], json!({"cp": centre}), "{judged}");
    }
    // The score is the number of live instances.
    let counts = "static int alive;
        static rookery_status declares(const rookery_host *h, const rookery_setting *s, size_t n,
                                       rookery_manifest *m, rookery_error *e) {
            static const rookery_option options[] = {{
                .name = \"level\", .help = \"\", .kind = ROOKERY_OPTION_INTEGER, .min = 0, .max = 9,
                .value = {.kind = ROOKERY_VALUE_INTEGER, .integer = 1},
            }};
            manifest(h, s, n, m, e);
            m->options = options;
            m->option_count = 1;
            m->option_stride = sizeof(rookery_option);
            return ROOKERY_OK;
        }
        static rookery_status begins(const rookery_host *h, const rookery_setting *s, size_t n,
                                     void **made, rookery_error *e) {
            if (n == 1 && s[0].value.integer == 9) {
                snprintf(e->message, sizeof e->message, \"nine is too much\");
                return ROOKERY_FAILED;
            }
            alive++;
            return create(h, s, n, made, e);
        }
        static void ends(void *ai) { alive--; destroy(ai); }
        static rookery_score count(void *ai, const rookery_position *p, const rookery_host *h,
                                   rookery_error *error) {
            UNUSED(ai), UNUSED(p), UNUSED(h), UNUSED(error);
            return alive;
        }";
    let entry = "overridable_options = [\"level\"]";
    let functions = ".size = sizeof(rookery_ai), .abi = ROOKERY_ABI, .manifest = declares, .create \
                     = begins, .destroy = ends, .evaluate = count";
    let app = Application::of(&ai_with(counts, functions, entry));
    for level in [0, 1, 5, 9, 9, 2, 1] {
        let body = json!({"game": {}, "options": {"level": level}});
        let judged = app.post("/v1/evaluate", &body).await;
        if level == 9 {
            judged.check_error(502, "ai_failed");
            let reported = app.last_fault("c");
            assert!(reported.contains("nine is too much"), "{reported}");
        } else {
            assert_eq!(judged.body["score"], json!({"cp": 1}), "{}", judged.body);
        }
    }
}

#[actix_web::test]
async fn a_searcher_in_c_keeps_limits_and_is_deterministic() {
    let app = Application::of(&example("minimax.c", ""));
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let deep = best_move(&app, start, json!({"depth": 4})).await;
    assert_eq!(
        (&deep["search"]["depth"], &deep["search"]["stopped_by"]),
        (&json!(4), &json!("depth"))
    );
    assert_eq!(deep["search"]["pv"].as_array().unwrap().len(), 4);
    let counted = best_move(&app, start, json!({"nodes": 5000})).await;
    assert!(
        counted["search"]["nodes"].as_u64().unwrap() <= 5000,
        "{counted}"
    );
    let timed = best_move(&app, start, json!({"movetime_ms": 50})).await;
    assert_eq!(timed["search"]["stopped_by"], "movetime");
    for (first, limit) in [
        (&deep, json!({"depth": 4})),
        (&counted, json!({"nodes": 5000})),
    ] {
        let again = best_move(&app, start, limit).await;
        for part in ["/move", "/score", "/search/nodes", "/search/pv"] {
            assert_eq!(again.pointer(part), first.pointer(part), "{part}");
        }
    }
}

#[actix_web::test]
async fn an_evaluator_in_c_equals_its_rust_twin() {
    let in_c = Application::of(&example("pawns.c", ""));
    let in_rust = Application::of(&ai("pawns", "counts_pawns", ""));
    for (fen, depth) in [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            3,
        ),
        // An AI that counts only pawns follows every exchange in quiescence, so greater depths are
        // slow.
        (
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            1,
        ),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1", 3),
    ] {
        let [c, rust] = [&in_c, &in_rust].map(|app| best_move(app, fen, json!({"depth": depth})));
        let (c, rust) = (c.await, rust.await);
        for part in ["/move", "/score", "/search/nodes", "/search/pv"] {
            assert_eq!(c.pointer(part), rust.pointer(part), "{fen} {part}");
        }
    }
}

#[test]
fn rejects_another_abi_and_names_both_versions() {
    let message = start_error(&evaluator_with("", "ROOKERY_ABI", "ROOKERY_ABI + 1"));
    assert!(
        message.contains("ABI 2") && message.contains("has ABI 1"),
        "{message}"
    );
}

#[test]
fn names_missing_entry_functions() {
    let entry = WHOLE.replace(", .create = create", "");
    let message = start_error(&ai_with("", &format!("{entry}, .evaluate = zero"), ""));
    assert_has(&message, &["rookery_ai_entry lacks the function 'create'"]);
    let message = start_error(&ai_with("", WHOLE, ""));
    assert_has(&message, &["neither searches nor evaluates"]);
}

#[actix_web::test]
async fn serves_an_ai_with_a_larger_table() {
    let larger = WHOLE.replace("sizeof(rookery_ai)", "sizeof(rookery_ai) + 64");
    let app = Application::of(&ai_with("", &format!("{larger}, .evaluate = zero"), ""));
    let judged = app.post("/v1/evaluate", &json!({"game": {}})).await;
    assert_eq!(judged.ok()["score"], json!({"cp": 0}));
    app.post("/v1/best-move", &json!({"game": {}, "limit": {"depth": 2}}))
        .await
        .ok();
}

#[test]
fn rejects_a_table_that_is_too_small() {
    for size in [
        "0",
        "16",
        "offsetof(rookery_ai, set_option)",
        "sizeof(rookery_ai) - 4",
    ] {
        let entry = WHOLE.replace("sizeof(rookery_ai)", size);
        let message = start_error(&ai_with("", &format!("{entry}, .evaluate = zero"), ""));
        let expected = " of rookery_ai is too small; expected 88 or more, at the end of a field: \
            set it to sizeof(rookery_ai)";
        assert!(message.contains(expected), "{size}: {message}");
    }
}

/// A later minor version of the contract: every extensible struct has one more field.
fn later_contract() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let header = std::fs::read_to_string(contract().join("include/rookery_ai.h")).unwrap();
    let mut later = String::new();
    let mut grown = 0;
    for part in header.split_inclusive("typedef struct ") {
        let name = part.split([' ', '{']).next().unwrap();
        let fixed = [
            "move",
            "position",
            "move_list",
            "wdl",
            "value",
            "setting",
            "extension",
            "log",
            "table_move",
            "tablebase",
            "error",
        ];
        let may_grow = part.starts_with("rookery_") && !fixed.contains(&&name["rookery_".len()..]);
        let end = format!("\n}} {name};");
        grown += usize::from(may_grow && part.contains(&end));
        let field = if may_grow {
            "\n    uint64_t later;"
        } else {
            ""
        };
        later += &part.replace(&end, &format!("{field}{end}"));
    }
    assert_eq!(grown, 16, "{later}");
    std::fs::create_dir(folder.path().join("include")).unwrap();
    std::fs::write(folder.path().join("include/rookery_ai.h"), later).unwrap();
    folder
}

#[actix_web::test]
async fn serves_an_ai_of_a_later_contract() {
    let contract = later_contract();
    let code = "static const rookery_option options[] = {
            {.name = \"a\", .help = \"\", .kind = ROOKERY_OPTION_FLAG, .later = UINT64_MAX},
            {.name = \"b\", .help = \"\", .kind = ROOKERY_OPTION_INTEGER, .max = 9,
             .value = {.kind = ROOKERY_VALUE_INTEGER, .integer = 7}, .later = UINT64_MAX},
            {.name = \"c\", .help = \"\", .kind = 99, .later = UINT64_MAX}};
        static rookery_status declares(const rookery_host *h, const rookery_setting *s, size_t n,
                                       rookery_manifest *m, rookery_error *e) {
            manifest(h, s, n, m, e);
            if (ROOKERY_HAS(h, later) || ROOKERY_HAS(m, later)
                || ROOKERY_HAS(h->rules, later) || !ROOKERY_HAS(h, extension))
                return ROOKERY_FAILED;
            ROOKERY_SET(m, options, options);
            ROOKERY_SET(m, option_count, 3);
            ROOKERY_SET(m, option_stride, sizeof *options);
            ROOKERY_SET(m->capabilities, max_lines, 3);
            ROOKERY_SET(m->capabilities, max_trace_nodes, 9);
            ROOKERY_SET(m->capabilities, later, UINT64_MAX);
            ROOKERY_SET(m, later, UINT64_MAX);
            return ROOKERY_OK;
        }
        static rookery_status begins(const rookery_host *h, const rookery_setting *s, size_t n,
                                     void **made, rookery_error *e) {
            if (n != 2) return ROOKERY_FAILED;
            return create(h, s, n, made, e);
        }
        static rookery_status search(void *ai, const rookery_search_request *q,
                                     const rookery_host *h, rookery_search_result *r,
                                     rookery_error *e) {
            UNUSED(ai), UNUSED(e);
            static rookery_move_list list;
            static rookery_pv_line lines[2];
            static rookery_trace_node nodes[2];
            if (ROOKERY_HAS(q, later) || ROOKERY_HAS(q->limits, later) || q->limits->nodes != 50)
                return ROOKERY_FAILED;
            h->rules->legal_moves(q->position, &list);
            rookery_search_info info = {.size = sizeof info, .pv = list.moves, .pv_length = 1,
                                        .pv_number = 1, .later = 1};
            h->report(h->context, &info);
            for (int i = 0; i < 2; i++)
                lines[i] = (rookery_pv_line){
                    .moves = &list.moves[i + 1], .move_count = 1,
                    .score = i + 1, .bound = i ? ROOKERY_UPPER : 77,
                    .wdl = {500, 300, (uint16_t)(200 + i)}, .later = UINT64_MAX,
                };
            nodes[0] = (rookery_trace_node){.parent = UINT32_MAX, .kind = ROOKERY_NODE_COMPLETE,
                                            .later = UINT64_MAX};
            nodes[1] = (rookery_trace_node){.chosen = list.moves[2], .kind = 200,
                                            .bound = ROOKERY_LOWER, .later = UINT64_MAX};
            r->best_move = list.moves[0];
            r->pv = list.moves;
            r->pv_length = 1;
            r->multipv = lines;
            r->multipv_count = 2;
            r->multipv_stride = sizeof *lines;
            r->trace = nodes;
            r->trace_length = 2;
            r->trace_stride = sizeof *nodes;
            ROOKERY_SET(r, later, UINT64_MAX);
            return ROOKERY_OK;
        }
        static rookery_status terms(void *ai, const rookery_position *p, const rookery_host *h,
                                    rookery_eval_terms *t, rookery_error *e) {
            UNUSED(ai), UNUSED(p), UNUSED(h), UNUSED(e);
            static const rookery_eval_term parts[] = {
                {.name = \"one\", .score = 1, .later = 1},
                {.name = \"two\", .score = 2},
            };
            ROOKERY_SET(t, terms, parts);
            ROOKERY_SET(t, count, 2);
            ROOKERY_SET(t, stride, sizeof *parts);
            ROOKERY_SET(t, later, UINT64_MAX);
            return ROOKERY_OK;
        }";
    let entry = WHOLE
        .replace("= manifest", "= declares")
        .replace("= create", "= begins");
    let source = source_of(
        code,
        &format!("{entry}, .search = search, .evaluate = zero, .terms = terms, .later = 1"),
    );
    let file = contract.path().join("ai.c");
    std::fs::write(&file, source).unwrap();
    let app = Application::of(&ai_of(contract.path(), &file, "options = { b = 5 }"));
    let options = app.get("/v1/ais/c").await.body["options"]["properties"].clone();
    assert_eq!(
        (&options["b"]["default"], options.as_object().unwrap().len()),
        (&json!(5), 2),
        "{options}"
    );
    let body = json!({"game": {}, "limit": {"nodes": 50}, "lines": 3, "trace": {"nodes": 9}});
    let reply = app.post("/v1/best-move", &body).await.ok();
    let shown = |line: &Value| {
        (
            line["score"].clone(),
            line["bound"].clone(),
            line["wdl"].clone(),
        )
    };
    let lines: Vec<_> = reply["search"]["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(shown)
        .collect();
    let expected = [
        // The chances do not add up to 1000.
        (json!({"cp": 2}), json!("upper"), Value::Null),
        (json!({"cp": 1}), Value::Null, json!([500, 300, 200])),
        (json!({"cp": 0}), Value::Null, Value::Null),
    ];
    assert_eq!(lines, expected, "{reply}");
    let trace = reply["trace"]["nodes"].as_array().unwrap();
    assert_eq!(
        (&trace[1]["kind"], &trace[1]["bound"]),
        (&json!("other"), &json!("lower")),
        "{reply}"
    );
    let judged = app.post("/v1/evaluate", &json!({"game": {}})).await;
    let terms = json!([{"name": "one", "score": {"cp": 1}}, {"name": "two", "score": {"cp": 2}}]);
    assert_eq!(judged.body["terms"], terms, "{}", judged.body);
}

#[actix_web::test]
async fn rejects_elements_that_are_too_small_or_misaligned() {
    for stride in ["0", "8", "sizeof(rookery_option) + 1"] {
        let code = format!(
            "static const rookery_option options[] = {{{{.name = \"a\", .help = \"\"}}}};
            static rookery_status declares(const rookery_host *h, const rookery_setting *s,
                                           size_t n, rookery_manifest *m, rookery_error *e) {{
                manifest(h, s, n, m, e);
                m->options = options;
                m->option_count = 1;
                m->option_stride = {stride};
                return ROOKERY_OK;
            }}"
        );
        let message = start_error(&evaluator_with(&code, "manifest", "declares"));
        assert!(
            message.contains("returned options of") && message.contains("set the stride"),
            "{message}"
        );
    }
    let code = "static rookery_status search(void *ai, const rookery_search_request *q,
                                     const rookery_host *h, rookery_search_result *r,
                                     rookery_error *e) {
            UNUSED(ai), UNUSED(q), UNUSED(h), UNUSED(e);
            static rookery_trace_node node;
            r->trace = &node;
            r->trace_length = 1;
            return ROOKERY_OK;
        }";
    let app = Application::of(&ai_with(code, &format!("{WHOLE}, .search = search"), ""));
    app.post("/v1/best-move", &json!({"game": {}}))
        .await
        .check_error(502, "ai_failed");
    let fault = app.last_fault("c");
    assert_has(&fault, &["returned nodes of a trace of 0 bytes"]);
}

#[actix_web::test]
async fn reports_the_error_message_in_c() {
    let fails = "static rookery_status fails(void *ai, const rookery_search_request *q,
                                const rookery_host *h, rookery_search_result *a, rookery_error *e) {
        UNUSED(ai), UNUSED(q), UNUSED(h), UNUSED(a);
        snprintf(e->message, sizeof e->message, \"out of ideas\");
        return ROOKERY_FAILED;
    }";
    let app = Application::of(&ai_with(fails, &format!("{WHOLE}, .search = fails"), ""));
    app.post("/v1/best-move", &json!({"game": {}}))
        .await
        .check_error(502, "ai_failed");
    let reported = app.last_fault("c");
    assert!(reported.contains("out of ideas"), "{reported}");

    let create_fails =
        "static rookery_status create_fails(const rookery_host *h, const rookery_setting *s,
                                       size_t n, void **made, rookery_error *e) {
        UNUSED(h), UNUSED(s), UNUSED(n), UNUSED(made);
        snprintf(e->message, sizeof e->message, \"no weights\");
        return ROOKERY_FAILED;
    }";
    let message = start_error(&evaluator_with(create_fails, "create", "create_fails"));
    assert!(message.contains("no weights"), "{message}");
}

#[actix_web::test]
async fn reports_a_failed_evaluation_and_replaces_the_instance() {
    // The score is the number of instances so far.
    let code = "static int made_so_far;
        static rookery_status begins(const rookery_host *h, const rookery_setting *s, size_t n,
                                     void **made, rookery_error *e) {
            made_so_far++;
            return create(h, s, n, made, e);
        }
        static rookery_score fails_first(void *ai, const rookery_position *p, const rookery_host *h,
                                         rookery_error *e) {
            UNUSED(ai), UNUSED(p), UNUSED(h);
            if (made_so_far == 1) {
                snprintf(e->message, sizeof e->message, \"no net\");
                return ROOKERY_NO_SCORE;
            }
            return made_so_far;
        }";
    let entry = WHOLE.replace(".create = create", ".create = begins");
    let app = Application::of(&ai_with(
        code,
        &format!("{entry}, .evaluate = fails_first"),
        "",
    ));
    app.post("/v1/evaluate", &json!({"game": {}}))
        .await
        .check_error(502, "ai_failed");
    let reported = app.last_fault("c");
    assert!(reported.contains("no net"), "{reported}");
    let judged = app.post("/v1/evaluate", &json!({"game": {}})).await;
    assert_eq!(judged.body["score"], json!({"cp": 2}), "{}", judged.body);
}

#[actix_web::test]
async fn treats_an_unknown_status_as_a_failure() {
    let code = "static rookery_status odd(void *ai, const rookery_search_request *q,
                              const rookery_host *h, rookery_search_result *a, rookery_error *e) {
        UNUSED(ai), UNUSED(q), UNUSED(h), UNUSED(a), UNUSED(e);
        return 77;
    }";
    let app = Application::of(&ai_with(code, &format!("{WHOLE}, .search = odd"), ""));
    app.post("/v1/best-move", &json!({"game": {}}))
        .await
        .check_error(502, "ai_failed");
}

#[actix_web::test]
async fn rejects_invalid_results_in_c() {
    let lies = "static rookery_status lies(void *ai, const rookery_search_request *q,
                               const rookery_host *h, rookery_search_result *a, rookery_error *e) {
        UNUSED(ai), UNUSED(q), UNUSED(h), UNUSED(e);
        static rookery_trace_node node = {.bound = 77, .kind = 99};
        a->best_move = ROOKERY_MOVE(0, 63);
        a->trace = &node;
        a->trace_length = 1;
        a->trace_stride = sizeof node;
        return ROOKERY_OK;
    }";
    let app = Application::of(&ai_with(lies, &format!("{WHOLE}, .search = lies"), ""));
    app.post("/v1/best-move", &json!({"game": {}}))
        .await
        .check_error(502, "ai_illegal_move");
}
