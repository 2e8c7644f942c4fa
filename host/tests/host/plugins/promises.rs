//! What the header promises an AI, as an AI in C sees it.

mod instances;

use serde_json::{Value, json};

use super::c_abi::{WHOLE, ai_with, evaluator_with};

use crate::support::{Application, ConfigFile, assert_has, start_error};

/// A searcher that runs `body`, which may return early, and then plays the first legal move.
pub(crate) fn searcher(body: &str) -> String {
    format!(
        "static rookery_status search(void *ai, const rookery_search_request *q,
                                     const rookery_host *h, rookery_search_result *r,
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
    Application::of(&ai_with(
        &searcher(body),
        &format!("{WHOLE}, .search = search"),
        "",
    ))
}

/// Like [`searching`], with one capability set.
fn declaring(capability: &str, body: &str) -> Application {
    let code = format!(
        "{}
        static rookery_status declares(const rookery_host *h, const rookery_setting *s, size_t n,
                                       rookery_manifest *m, rookery_error *e) {{
            m->capabilities->{capability};
            return manifest(h, s, n, m, e);
        }}",
        searcher(body)
    );
    let entry = WHOLE.replace("= manifest", "= declares");
    Application::of(&ai_with(&code, &format!("{entry}, .search = search"), ""))
}

/// An AI `c` whose score in pawns is the number of searches since the last new game and whose depth
/// is the number of new games.
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
        searcher("r->score = 100 * searches++; r->depth = (uint32_t)games; r->nodes = 2;")
    );
    ai_with(
        &code,
        &format!("{WHOLE}, .search = search, .new_game = begin"),
        "",
    )
}

#[actix_web::test]
async fn a_repeatable_request_gets_a_new_game_and_others_continue_theirs() {
    let app = Application::of(&counting());
    let searched = async |moves: &[&str], limit: Value| {
        let body = json!({"game": {"moves": moves}, "limit": limit, "fresh": true});
        let reply = app.post("/v1/best-move", &body).await.ok();
        [&reply["score"]["cp"], &reply["search"]["depth"]].map(|number| number.as_i64().unwrap())
    };
    let timed = || json!({"movetime_ms": 1000});
    // A new instance is ready for a game.
    assert_eq!(searched(&[], json!({"depth": 1})).await, [0, 0]);
    for (number, limit) in [
        json!({"depth": 1}),
        json!({"nodes": 9}),
        json!({"depth": 1, "movetime_ms": 1000}),
    ]
    .iter()
    .enumerate()
    {
        assert_eq!(
            searched(&[], limit.clone()).await,
            [0, number as i64 + 1],
            "{limit}"
        );
    }
    assert_eq!(searched(&["e2e4", "e7e5"], timed()).await, [100, 3]);
    assert_eq!(
        searched(&["e2e4", "e7e5", "g1f3", "g8f6"], timed()).await,
        [200, 3]
    );
    assert_eq!(
        searched(&["d2d4", "d7d5"], timed()).await,
        [0, 4],
        "another game"
    );
}

#[actix_web::test]
async fn empty_arrays_are_null() {
    let body = "if (q->history_length || q->move_count || q->root_move_count
                    || q->history || q->moves || q->root_moves
                    || h->grants->path_count || h->grants->paths) return ROOKERY_FAILED;";
    let code = format!(
        "{}
        static rookery_status begins(const rookery_host *h, const rookery_setting *s, size_t n,
                                     void **made, rookery_error *e) {{
            return n || s ? ROOKERY_FAILED : create(h, s, n, made, e);
        }}",
        searcher(body)
    );
    let entry = WHOLE.replace("= create", "= begins");
    let app = Application::of(&ai_with(&code, &format!("{entry}, .search = search"), ""));
    app.post("/v1/best-move", &json!({"game": {}})).await.ok();
}

#[actix_web::test]
async fn the_host_states_its_version() {
    let body = "r->score = h->minor == ROOKERY_MINOR && strcmp(h->version, ROOKERY_API) == 0;";
    let code = format!("#include <string.h>\n{}", searcher(body));
    let app = Application::of(&ai_with(&code, &format!("{WHOLE}, .search = search"), ""));
    let reply = app.post("/v1/best-move", &json!({"game": {}})).await.ok();
    assert_eq!(reply["score"], json!({"cp": 1}), "{reply}");
}

#[actix_web::test]
async fn reports_and_comparisons_are_analyses_but_a_best_move_only_on_request() {
    let app = searching("r->score = 100 * q->analysis; r->depth = 1; r->nodes = 2;");
    let score = json!({"cp": 100});
    for (analysis, expected) in [(Value::Null, 0), (json!(false), 0), (json!(true), 100)] {
        let expected = json!({"cp": expected});
        let played = app
            .post("/v1/best-move", &json!({"game": {}, "analysis": analysis}))
            .await
            .ok();
        assert_eq!(played["score"], expected, "{played}");
        let batch = json!({"games": [{}], "analysis": analysis});
        let played = app.post("/v1/batch/best-move", &batch).await.ok();
        assert_eq!(played["games"][0]["reply"]["score"], expected, "{played}");
    }
    let compared = app
        .post("/v1/compare", &json!({"game": {}, "ais": ["c"]}))
        .await
        .ok();
    assert_eq!(compared["answers"][0]["score"], score, "{compared}");
    let report = app
        .post("/v1/report", &json!({"game": {"moves": ["e2e4"]}}))
        .await
        .ok();
    assert_eq!(report["moves"][0]["score"], score, "{report}");
}

#[actix_web::test]
async fn a_result_without_a_search_judges_no_move() {
    for (depth, nodes, limit, score) in [
        (0, 0, json!({"depth": 5}), Value::Null),
        (0, 1, json!({"nodes": 1}), Value::Null),
        (1, 0, json!({"depth": 5}), Value::Null),
        (1, 1, json!({"movetime_ms": 5000}), Value::Null),
        (0, 2, json!({"depth": 5}), json!({"cp": 40})),
        (1, 2, json!({"depth": 5}), json!({"cp": 40})),
        (2, 0, json!({"depth": 5}), json!({"cp": 40})),
        // The limit ended the search.
        (1, 1, json!({"nodes": 1}), json!({"cp": 40})),
        (1, 0, json!({"depth": 1}), json!({"cp": 40})),
    ] {
        let app = searching(&format!(
            "r->score = 40; r->depth = {depth}; r->nodes = {nodes};"
        ));
        let report = app
            .post(
                "/v1/report",
                &json!({"game": {"moves": ["e2e4"]}, "limit": limit}),
            )
            .await
            .ok();
        let judged = &report["moves"][0];
        assert_eq!(
            [&judged["score"], &judged["score_after"]],
            [&score; 2],
            "{judged}"
        );
        assert_eq!(
            judged["best"].is_null() && judged["accuracy"].is_null(),
            score.is_null(),
            "{judged}"
        );
    }
}

#[actix_web::test]
async fn replies_say_that_the_results_of_an_ai_vary() {
    let varies = declaring("varies = true", "");
    let apps = [(varies, json!(true)), (searching(""), Value::Null)];
    for (app, expected) in apps {
        let played = app.post("/v1/best-move", &json!({"game": {}})).await.ok();
        let compared = app
            .post("/v1/compare", &json!({"game": {}, "ais": ["c"]}))
            .await
            .ok();
        let report = app
            .post("/v1/report", &json!({"game": {"moves": ["e2e4"]}}))
            .await
            .ok();
        for ai in [&played["ai"], &compared["answers"][0]["ai"], &report["ai"]] {
            assert_eq!(ai["varies"], expected, "{ai}");
        }
        let listed = app.get("/v1/ais/c").await.body;
        assert_eq!(
            listed["capabilities"]["varies"],
            expected == json!(true),
            "{listed}"
        );
    }
}

#[actix_web::test]
async fn an_info_without_a_line_is_not_an_iteration() {
    let app = searching(
        "rookery_search_info news = {.size = sizeof news, .text = \"hello\", .pv_number = 1,
                                     .depth = 9, .current_move = list.moves[3],
                                     .current_number = 4};
        h->report(h->context, &news);
        rookery_search_info line = {.size = sizeof line, .pv = list.moves, .pv_length = 1,
                                    .pv_number = 1, .depth = 1};
        h->report(h->context, &line);
        h->report(h->context, &news);",
    );
    let records = app
        .stream("/v1/best-move", &json!({"game": {}, "limit": {"depth": 5}}))
        .await;
    let depths: Vec<&Value> = records
        .iter()
        .filter(|record| record["type"] == "info")
        .map(|record| &record["depth"])
        .collect();
    assert!(
        depths.iter().all(|&depth| depth == &json!(1)),
        "{records:?}"
    );
}

#[actix_web::test]
async fn an_info_of_a_wrong_size_ends_the_process_with_the_reason() {
    for size in [0, 79] {
        let app = searching(&format!(
            "rookery_search_info info = {{.size = {size}, .pv = list.moves, .pv_length = 1,
                                          .pv_number = 1}};
            h->report(h->context, &info);"
        ));
        app.post("/v1/best-move", &json!({"game": {}}))
            .await
            .check_error(502, "ai_crashed");
        let output = app.last_output("c");
        let expected =
            format!("the size {size} of rookery_search_info is too small; expected 80 or more");
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
            "returned 5000 moves of a line; at most 4096 are allowed",
        ),
        (
            "static rookery_trace_node nodes[4097];
            r->trace = nodes;
            r->trace_length = 4097;
            r->trace_stride = sizeof *nodes;",
            "returned 4097 nodes of a trace; at most 4096 are allowed",
        ),
    ] {
        let app = searching(body);
        app.post("/v1/best-move", &json!({"game": {}}))
            .await
            .check_error(502, "ai_failed");
        let fault = app.last_fault("c");
        assert!(fault.contains(expected), "{fault}");
    }
    let code = "static rookery_status terms(void *ai, const rookery_position *p,
                                    const rookery_host *h, rookery_eval_terms *t,
                                    rookery_error *e) {
            UNUSED(ai), UNUSED(p), UNUSED(h), UNUSED(e);
            static rookery_eval_term parts[65];
            t->terms = parts;
            t->count = 65;
            t->stride = sizeof *parts;
            return ROOKERY_OK;
        }";
    let app = Application::of(&ai_with(
        code,
        &format!("{WHOLE}, .evaluate = zero, .terms = terms"),
        "",
    ));
    app.post("/v1/evaluate", &json!({"game": {}}))
        .await
        .check_error(502, "ai_failed");
    let fault = app.last_fault("c");
    assert_has(&fault, &["returned 65 terms; at most 64 are allowed"]);
    let code = "static rookery_status declares(const rookery_host *h, const rookery_setting *s,
                                       size_t n, rookery_manifest *m, rookery_error *e) {
            static const char *choices[4097];
            static rookery_option option;
            for (int i = 0; i < 4097; i++) choices[i] = \"a\";
            option = (rookery_option){
                .name = \"c\", .help = \"\", .kind = ROOKERY_OPTION_CHOICE,
                .choices = choices, .choice_count = 4097,
                .value = {.kind = ROOKERY_VALUE_TEXT, .text = \"a\"},
            };
            manifest(h, s, n, m, e);
            m->options = &option;
            m->option_count = 1;
            m->option_stride = sizeof option;
            return ROOKERY_OK;
        }";
    let message = start_error(&evaluator_with(code, "manifest", "declares"));
    assert_has(
        &message,
        &["returned 4097 choices; at most 4096 are allowed"],
    );
}

#[actix_web::test]
async fn requests_no_more_lines_and_nodes_than_are_declared() {
    // The score and the nodes report the largest numbers of lines and trace nodes requested so far.
    let body = "static uint32_t lines, nodes;
        lines = q->lines > lines ? q->lines : lines;
        nodes = q->trace_nodes > nodes ? q->trace_nodes : nodes;
        r->score = (int)(100 * lines);
        r->nodes = nodes + 1;";
    let game = json!({"moves": ["e2e4", "e7e5"]});
    for (capability, lines, nodes) in [
        ("max_lines = 3", 3, 0),
        ("max_lines = 0", 1, 0),
        ("max_trace_nodes = 7", 1, 7),
    ] {
        let app = declaring(capability, body);
        let mut wanted = json!({"game": game, "lines": 64, "trace": {"nodes": 200}});
        if nodes == 0 {
            app.post("/v1/best-move", &wanted)
                .await
                .check_error(400, "malformed_request");
            wanted["trace"] = Value::Null;
        }
        let compared = json!({"game": game, "lines": 64, "ais": ["c"]});
        app.post("/v1/compare", &compared).await.ok();
        app.post("/v1/report", &json!({"game": game})).await.ok();
        let records = app.stream("/v1/best-move", &wanted).await;
        assert_eq!(records.last().unwrap()["type"], "result", "{records:?}");
        let reply = app.post("/v1/best-move", &wanted).await.ok();
        let most = [&reply["score"]["cp"], &reply["search"]["nodes"]];
        assert_eq!(
            most,
            [&json!(100 * lines), &json!(nodes + 1)],
            "{capability}: {reply}"
        );
        assert_eq!(reply["search"]["limit"]["lines"], json!(lines), "{reply}");
    }
}

#[actix_web::test]
async fn castling_has_the_same_encoding_in_chess960() {
    // The AI castles kingside. Its score shows whether the flag `chess960` is set.
    let app = declaring(
        "chess960 = true",
        "r->score = 100 * q->position->chess960;
        if (!h->rules->is_legal(q->position, ROOKERY_MOVE(4, 7))) return ROOKERY_FAILED;
        list.moves[0] = ROOKERY_MOVE(4, 7);",
    );
    for (fen, is_chess960, uci) in [
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", 0, "e1g1"),
        // The rook's file shows that the game is Chess960.
        ("4k3/8/8/8/8/8/8/4K2R w H - 0 1", 1, "e1h1"),
    ] {
        let reply = app
            .post("/v1/best-move", &json!({"game": {"fen": fen}}))
            .await
            .ok();
        let found = (
            &reply["score"]["cp"],
            &reply["move"]["san"],
            &reply["move"]["uci"],
        );
        assert_eq!(
            found,
            (&json!(100 * is_chess960), &json!("O-O"), &json!(uci)),
            "{reply}"
        );
    }
}

#[actix_web::test]
async fn the_host_keeps_extensions_under_their_full_names() {
    let app = searching(
        "static const rookery_extension *before;
        const char *others[] = {\"rookery.log\", \"rookery.log/2\", \"rookery.log/1 \",
                                \"org.example.tables/1\", \"\"};
        const rookery_extension *log = h->extension(ROOKERY_LOG);
        if (!log || log->size < sizeof(rookery_log) || !h->extension(ROOKERY_TABLEBASE))
            return ROOKERY_FAILED;
        for (int i = 0; i < 5; i++) if (h->extension(others[i])) return ROOKERY_FAILED;
        if (before && before != log) return ROOKERY_FAILED;
        before = log;",
    );
    for _ in 0..2 {
        app.post("/v1/best-move", &json!({"game": {}})).await.ok();
    }
}

#[actix_web::test]
async fn missing_parts_of_a_result_are_zero() {
    // The strides are 0, which is wrong only for a non-empty array.
    let reply = searching("")
        .post("/v1/best-move", &json!({"game": {}}))
        .await
        .ok();
    let search = &reply["search"];
    assert_eq!(
        (&reply["score"], &search["depth"], &search["nodes"]),
        (&json!({"cp": 0}), &json!(0), &json!(0)),
        "{reply}"
    );
    assert_eq!(
        (&search["bound"], &search["wdl"]),
        (&Value::Null, &Value::Null),
        "{reply}"
    );
    assert_eq!(search["pv"].as_array().map(Vec::len), Some(1), "{reply}");
}

#[actix_web::test]
async fn an_ai_is_asked_where_a_draw_can_be_claimed() {
    // The moves end with a threefold repetition.
    let moves: Vec<_> = ["g1f3", "g8f6", "f3g1", "f6g8"]
        .iter()
        .cycle()
        .take(8)
        .collect();
    let app = searching("if (q->history_length != 8) return ROOKERY_FAILED;");
    app.post("/v1/best-move", &json!({"game": {"moves": moves}}))
        .await
        .ok();
    let fifty = "4k3/8/8/8/8/8/8/4K2R w - - 100 90";
    searching("")
        .post("/v1/best-move", &json!({"game": {"fen": fifty}}))
        .await
        .ok();
}
