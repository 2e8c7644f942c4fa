//! What the header promises to an AI, as an AI in C sees it.

use serde_json::{Value, json};

use super::c_abi::{WHOLE, ai_with, evaluator_with};
use crate::support::{Application, ConfigFile, start_error};

/// A searcher that plays the first legal move, after `body`, which may return early.
fn searcher(body: &str) -> String {
    format!(
        "static rookery_status search(void *ai, const rookery_search_request *q, const rookery_host *h, rookery_search_result *r,
                                      rookery_error *e) {{
            UNUSED(ai), UNUSED(e);
            static rookery_move_list list;
            h->rules->legal_moves(q->position, &list);
            {body}
            r->best_move = list.moves[0];
            return ROOKERY_OK;
        }}"
    )
}

fn searching(body: &str) -> Application {
    Application::of(&ai_with(&searcher(body), &format!("{WHOLE}, .search = search"), ""))
}

/// An AI, as `c`, whose score in pawns is the number of its searches since the last new game, and whose depth that of its new games.
pub(crate) fn counting() -> ConfigFile {
    let code = format!(
        "static int searches, games;
        static rookery_status begin(void *ai, const rookery_host *h, rookery_error *e) {{
            UNUSED(ai), UNUSED(h), UNUSED(e);
            searches = 0;
            games++;
            return ROOKERY_OK;
        }}
        {}",
        searcher("r->score = 100 * searches++; r->depth = (uint32_t)games;")
    );
    ai_with(&code, &format!("{WHOLE}, .search = search, .new_game = begin"), "")
}

#[actix_web::test]
async fn a_repeatable_request_gets_a_new_game_and_others_continue_theirs() {
    let app = Application::of(&counting());
    let searched = async |moves: &[&str], limit: Value| {
        let body = json!({"game": {"moves": moves}, "limit": limit});
        let reply = app.post("/v1/best-move", &body).await.ok();
        [&reply["score"]["cp"], &reply["search"]["depth"]].map(|number| number.as_i64().unwrap())
    };
    let timed = || json!({"movetime_ms": 1000});
    // A new instance is ready for a game.
    assert_eq!(searched(&[], json!({"depth": 1})).await, [0, 0]);
    for (number, limit) in
        [json!({"depth": 1}), json!({"nodes": 9}), json!({"depth": 1, "movetime_ms": 1000})]
            .iter()
            .enumerate()
    {
        assert_eq!(searched(&[], limit.clone()).await, [0, number as i64 + 1], "{limit}");
    }
    assert_eq!(searched(&["e2e4", "e7e5"], timed()).await, [100, 3]);
    assert_eq!(searched(&["e2e4", "e7e5", "g1f3", "g8f6"], timed()).await, [200, 3]);
    assert_eq!(searched(&["d2d4", "d7d5"], timed()).await, [0, 4], "another game");
}

#[actix_web::test]
async fn empty_arrays_are_null() {
    let body = "if (q->history_length || q->move_count || q->root_move_count || q->history || q->moves || q->root_moves
                    || h->grants->path_count || h->grants->paths) return ROOKERY_FAILED;";
    let code = format!(
        "{}
        static rookery_status begins(const rookery_host *h, const rookery_setting *s, size_t n, void **made, rookery_error *e) {{
            return n || s ? ROOKERY_FAILED : create(h, s, n, made, e);
        }}",
        searcher(body)
    );
    let entry = WHOLE.replace("= create", "= begins");
    let app = Application::of(&ai_with(&code, &format!("{entry}, .search = search"), ""));
    app.post("/v1/best-move", &json!({"game": {}})).await.ok();
}

#[actix_web::test]
async fn the_host_says_its_version() {
    let body = "r->score = h->minor == ROOKERY_MINOR && strcmp(h->version, ROOKERY_API) == 0;";
    let code = format!("#include <string.h>\n{}", searcher(body));
    let app = Application::of(&ai_with(&code, &format!("{WHOLE}, .search = search"), ""));
    let reply = app.post("/v1/best-move", &json!({"game": {}})).await.ok();
    assert_eq!(reply["score"], json!({"cp": 1}), "{reply}");
}

#[actix_web::test]
async fn a_report_and_a_comparison_are_analysis_and_a_best_move_is_not() {
    let app = searching("r->score = 100 * q->analysis;");
    let score = json!({"cp": 100});
    let played = app.post("/v1/best-move", &json!({"game": {}})).await.ok();
    assert_eq!(played["score"], json!({"cp": 0}), "{played}");
    let compared = app.post("/v1/compare", &json!({"game": {}, "ais": ["c"]})).await.ok();
    assert_eq!(compared["answers"][0]["score"], score, "{compared}");
    let report = app.post("/v1/report", &json!({"game": {"moves": ["e2e4"]}})).await.ok();
    assert_eq!(report["moves"][0]["score"], score, "{report}");
}

#[actix_web::test]
async fn replies_say_that_the_results_of_an_ai_vary() {
    let code = format!(
        "{}
        static rookery_status declares(const rookery_host *h, const rookery_setting *s, size_t n, rookery_manifest *m,
                                       rookery_error *e) {{
            m->capabilities->varies = true;
            return manifest(h, s, n, m, e);
        }}",
        searcher("")
    );
    let entry = WHOLE.replace("= manifest", "= declares");
    let varies = Application::of(&ai_with(&code, &format!("{entry}, .search = search"), ""));
    let apps = [(varies, json!(true)), (searching(""), Value::Null)];
    for (app, expected) in apps {
        let played = app.post("/v1/best-move", &json!({"game": {}})).await.ok();
        let compared = app.post("/v1/compare", &json!({"game": {}, "ais": ["c"]})).await.ok();
        let report = app.post("/v1/report", &json!({"game": {"moves": ["e2e4"]}})).await.ok();
        for ai in [&played["ai"], &compared["answers"][0]["ai"], &report["ai"]] {
            assert_eq!(ai["varies"], expected, "{ai}");
        }
        let listed = app.get("/v1/ais/c").await.body;
        assert_eq!(listed["capabilities"]["varies"], expected == json!(true), "{listed}");
    }
}

#[actix_web::test]
async fn an_info_without_a_line_is_no_iteration() {
    let app = searching(
        "rookery_search_info news = {.size = sizeof news, .text = \"hello\", .pv_number = 1, .depth = 9,
                                     .current_move = list.moves[3], .current_number = 4};
        h->report(h->context, &news);
        rookery_search_info line = {.size = sizeof line, .pv = list.moves, .pv_length = 1, .pv_number = 1, .depth = 1};
        h->report(h->context, &line);
        h->report(h->context, &news);",
    );
    let records = app.stream("/v1/best-move", &json!({"game": {}, "limit": {"depth": 5}})).await;
    let depths: Vec<&Value> =
        records.iter().filter(|record| record["type"] == "info").map(|record| &record["depth"]).collect();
    assert!(depths.iter().all(|&depth| depth == &json!(1)), "{records:?}");
}

#[actix_web::test]
async fn an_info_of_a_wrong_size_ends_the_process_with_the_reason() {
    for (size, reason) in [("0", "is too small"), ("57", "ends inside a field")] {
        let app = searching(&format!(
            "rookery_search_info info = {{.size = {size}, .pv = list.moves, .pv_length = 1, .pv_number = 1}};
            h->report(h->context, &info);"
        ));
        app.post("/v1/best-move", &json!({"game": {}})).await.check_error(502, "ai_crashed");
        let output = app.last_output("c");
        let expected = format!("the size {size} of rookery_search_info {reason}; expected 56 or more");
        assert!(output.contains(&expected), "{output}");
    }
}

#[actix_web::test]
async fn refuses_longer_arrays_than_the_header_allows() {
    for (body, expected) in [
        (
            "static rookery_move pv[5000];
            pv[0] = list.moves[0];
            r->pv = pv;
            r->pv_length = 5000;",
            "returned 5000 moves of a line, at most 4096 are allowed",
        ),
        (
            "static rookery_trace_node nodes[4097];
            r->trace = nodes;
            r->trace_length = 4097;
            r->trace_stride = sizeof *nodes;",
            "returned 4097 nodes of a trace, at most 4096 are allowed",
        ),
    ] {
        let app = searching(body);
        app.post("/v1/best-move", &json!({"game": {}})).await.check_error(502, "ai_failed");
        let fault = app.last_fault("c");
        assert!(fault.contains(expected), "{fault}");
    }
    let code = "static rookery_status terms(void *ai, const rookery_position *p, const rookery_host *h, rookery_eval_terms *t,
                                    rookery_error *e) {
            UNUSED(ai), UNUSED(p), UNUSED(h), UNUSED(e);
            static rookery_eval_term parts[65];
            t->terms = parts;
            t->count = 65;
            t->stride = sizeof *parts;
            return ROOKERY_OK;
        }";
    let app = Application::of(&ai_with(code, &format!("{WHOLE}, .evaluate = zero, .terms = terms"), ""));
    app.post("/v1/evaluate", &json!({"game": {}})).await.check_error(502, "ai_failed");
    let fault = app.last_fault("c");
    assert!(fault.contains("returned 65 terms, at most 64 are allowed"), "{fault}");
    let code = "static rookery_status declares(const rookery_host *h, const rookery_setting *s, size_t n, rookery_manifest *m,
                                       rookery_error *e) {
            static const char *choices[4097];
            static rookery_option option;
            for (int i = 0; i < 4097; i++) choices[i] = \"a\";
            option = (rookery_option){.name = \"c\", .help = \"\", .kind = ROOKERY_OPTION_CHOICE, .choices = choices,
                                      .choice_count = 4097, .value = {.kind = ROOKERY_VALUE_TEXT, .text = \"a\"}};
            manifest(h, s, n, m, e);
            m->options = &option;
            m->option_count = 1;
            m->option_stride = sizeof option;
            return ROOKERY_OK;
        }";
    let message = start_error(&evaluator_with(code, "manifest", "declares"));
    assert!(message.contains("returned 4097 choices, at most 4096 are allowed"), "{message}");
}

#[test]
fn what_a_failed_create_has_written_is_ignored() {
    let code = "static rookery_status fails(const rookery_host *h, const rookery_setting *s, size_t n, void **made, rookery_error *e) {
            UNUSED(h), UNUSED(s), UNUSED(n);
            *made = (void *)16;
            snprintf(e->message, sizeof e->message, \"no weights\");
            return ROOKERY_FAILED;
        }
        static inline void ends(void *ai) { *(volatile char *)ai = 1; }";
    let entry = WHOLE.replace("= create", "= fails").replace("= destroy", "= ends");
    let message = start_error(&ai_with(code, &format!("{entry}, .evaluate = zero"), ""));
    assert!(message.contains("no weights"), "{message}");
}

#[actix_web::test]
async fn a_new_instance_is_ready_and_one_that_panicked_is_destroyed() {
    // Its score counts the instances made, destroyed, and the games begun.
    let code = format!(
        "static int made_so_far, destroyed, games;
        static rookery_status begins(const rookery_host *h, const rookery_setting *s, size_t n, void **made, rookery_error *e) {{
            made_so_far++;
            return create(h, s, n, made, e);
        }}
        static void ends(void *ai) {{ destroyed++; destroy(ai); }}
        static rookery_status game(void *ai, const rookery_host *h, rookery_error *e) {{
            UNUSED(ai), UNUSED(h), UNUSED(e);
            games++;
            return ROOKERY_OK;
        }}
        {}",
        searcher("if (made_so_far == 1) return ROOKERY_PANICKED;
            r->score = 100 * made_so_far + 10 * destroyed + games;")
    );
    let entry = WHOLE.replace("= create", "= begins").replace("= destroy", "= ends");
    let app = Application::of(&ai_with(&code, &format!("{entry}, .search = search, .new_game = game"), ""));
    let timed = json!({"game": {}, "limit": {"movetime_ms": 1000}});
    app.post("/v1/best-move", &timed).await.check_error(502, "ai_failed");
    let reply = app.post("/v1/best-move", &timed).await.ok();
    assert_eq!(reply["score"], json!({"cp": 210}), "{reply}");
}
