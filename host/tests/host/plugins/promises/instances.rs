//! Instances, threads and processes, as an AI in C sees them.

use serde_json::json;
use test_kit::run;

use super::{
    super::c_abi::{WHOLE, ai_with, compile, contract, source_of},
    searcher,
};
use crate::support::{Application, ai, start_error, with_ais};

#[test]
fn ignores_what_a_failed_create_wrote() {
    let code = "static rookery_status fails(const rookery_host *h, const rookery_setting *s,
                                    size_t n, void **made, rookery_error *e) {
            UNUSED(h), UNUSED(s), UNUSED(n);
            *made = (void *)16;
            snprintf(e->message, sizeof e->message, \"no weights\");
            return ROOKERY_FAILED;
        }
        static inline void ends(void *ai) { *(volatile char *)ai = 1; }";
    let entry = WHOLE
        .replace("= create", "= fails")
        .replace("= destroy", "= ends");
    let message = start_error(&ai_with(code, &format!("{entry}, .evaluate = zero"), ""));
    assert!(message.contains("no weights"), "{message}");
}

#[actix_web::test]
async fn a_new_instance_is_ready_and_one_that_panicked_is_destroyed() {
    // The score counts the instances created and destroyed, and the games started.
    let code = format!(
        "static int made_so_far, destroyed, games;
        static rookery_status begins(const rookery_host *h, const rookery_setting *s, size_t n,
                                     void **made, rookery_error *e) {{
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
        searcher(
            "if (made_so_far == 1) return ROOKERY_PANICKED;
            r->score = 100 * made_so_far + 10 * destroyed + games;"
        )
    );
    let entry = WHOLE
        .replace("= create", "= begins")
        .replace("= destroy", "= ends");
    let app = Application::of(&ai_with(
        &code,
        &format!("{entry}, .search = search, .new_game = game"),
        "",
    ));
    let timed = json!({"game": {}, "limit": {"movetime_ms": 1000}});
    app.post("/v1/best-move", &timed)
        .await
        .check_error(502, "ai_failed");
    let reply = app.post("/v1/best-move", &timed).await.ok();
    assert_eq!(reply["score"], json!({"cp": 210}), "{reply}");
}

/// Functions of an AI that abort if another function except `extension` is running, if the thread
/// is not `create`'s (except in `manifest`), if there is a second instance, or if the host differs.
const JEALOUS: &str = "
    #include <stdlib.h>
    #include <pthread.h>
    static int running, instances;
    static pthread_t made_on;
    static const rookery_rules_vtable *rules;
    static const char *version;
    static void enter(const rookery_host *h) {
        if (__atomic_fetch_add(&running, 1, __ATOMIC_SEQ_CST)) abort();
        if (rules && (rules != h->rules || version != h->version)) abort();
        rules = h->rules, version = h->version;
    }
    static void enter_instance(const rookery_host *h) {
        enter(h);
        if (instances != 1 || !pthread_equal(made_on, pthread_self())) abort();
    }
    static rookery_status leave(void) {
        __atomic_fetch_sub(&running, 1, __ATOMIC_SEQ_CST);
        return ROOKERY_OK;
    }
    static rookery_status declares(const rookery_host *h, const rookery_setting *s, size_t n,
                                   rookery_manifest *m, rookery_error *e) {
        static const rookery_option options[] = {
            {.name = \"whole\", .help = \"\", .kind = ROOKERY_OPTION_INTEGER, .max = 9,
             .value = {.kind = ROOKERY_VALUE_INTEGER}},
            {.name = \"live\", .help = \"\", .kind = ROOKERY_OPTION_INTEGER, .max = 9,
             .value = {.kind = ROOKERY_VALUE_INTEGER}, .live = true},
        };
        enter(h);
        manifest(h, s, n, m, e);
        m->options = options, m->option_count = 2, m->option_stride = sizeof *options;
        return leave();
    }
    static rookery_status begins(const rookery_host *h, const rookery_setting *s, size_t n,
                                 void **made, rookery_error *e) {
        enter(h);
        if (instances++) abort();
        made_on = pthread_self();
        create(h, s, n, made, e);
        return leave();
    }
    static void ends(void *ai) {
        if (ai != &it || __atomic_fetch_add(&running, 1, __ATOMIC_SEQ_CST)
            || !pthread_equal(made_on, pthread_self())) abort();
        instances--;
        leave();
    }
    static rookery_status game(void *ai, const rookery_host *h, rookery_error *e) {
        UNUSED(ai), UNUSED(e);
        enter_instance(h);
        return leave();
    }
    static rookery_status sets(void *ai, const rookery_setting *s, const rookery_host *h,
                               rookery_error *e) {
        UNUSED(ai), UNUSED(s), UNUSED(e);
        enter_instance(h);
        return leave();
    }
    static rookery_score judges(void *ai, const rookery_position *p, const rookery_host *h,
                                rookery_error *e) {
        UNUSED(ai), UNUSED(p), UNUSED(e);
        enter_instance(h);
        leave();
        return 1;
    }
    static rookery_status parts(void *ai, const rookery_position *p, const rookery_host *h,
                                rookery_eval_terms *t, rookery_error *e) {
        UNUSED(ai), UNUSED(p), UNUSED(t), UNUSED(e);
        enter_instance(h);
        return leave();
    }
    static rookery_status searches(void *ai, const rookery_search_request *q, const rookery_host *h,
                                   rookery_search_result *r, rookery_error *e) {
        UNUSED(ai), UNUSED(e);
        enter_instance(h);
        rookery_move_list list;
        h->rules->legal_moves(q->position, &list);
        r->best_move = list.moves[0];
        return leave();
    }";

#[actix_web::test]
async fn calls_one_function_at_a_time_with_one_host_and_one_instance_on_its_thread() {
    let entry = ".size = sizeof(rookery_ai), .abi = ROOKERY_ABI, .manifest = declares, .create = \
                 begins, .destroy = ends, .new_game = game, .search = searches, .evaluate = \
                 judges, .terms = parts, .set_option = sets";
    let app = Application::of(&ai_with(
        JEALOUS,
        entry,
        "overridable_options = [\"whole\", \"live\"]",
    ));
    let asked = async |number: usize| {
        let options = [
            json!({}),
            json!({"whole": number % 10}),
            json!({"live": number % 10}),
        ];
        let limit = if number.is_multiple_of(2) {
            json!({"depth": 1})
        } else {
            json!({"movetime_ms": 50})
        };
        let body = json!({"game": {}, "options": options[number % 3], "limit": limit});
        let played = app.post("/v1/best-move", &body).await.ok();
        assert_eq!(played["score"], json!({"cp": 0}), "{played}");
        let body = json!({"game": {}, "options": options[(number + 1) % 3]});
        assert_eq!(
            app.post("/v1/evaluate", &body).await.ok()["score"],
            json!({"cp": 1})
        );
        app.get("/v1/ais/c").await.ok();
    };
    futures_util::future::join_all((0..20).map(asked)).await;
}

#[actix_web::test]
async fn each_process_has_one_library_and_one_ai() {
    // The score is the number of instances that the process has created, and the depth is the
    // number of its searches.
    let code = format!(
        "static int made_so_far, searches;
        static rookery_status begins(const rookery_host *h, const rookery_setting *s, size_t n,
                                     void **made, rookery_error *e) {{
            made_so_far++;
            return create(h, s, n, made, e);
        }}
        {}",
        searcher("r->score = 100 * made_so_far; r->depth = (uint32_t)++searches;")
    );
    let entry = WHOLE.replace("= create", "= begins");
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("ai.c"), folder.path().join("libc_ai.so"));
    std::fs::write(
        &source,
        source_of(&code, &format!("{entry}, .search = search")),
    )
    .unwrap();
    compile(&contract(), &source, &library, &[]);
    let library = library.to_str().unwrap();
    let app = Application::of(&with_ais(&[("one", library, ""), ("two", library, "")], ""));
    for searches in 1..=2 {
        for name in ["one", "two"] {
            let body = json!({"game": {}, "ai": name, "limit": {"movetime_ms": 100}});
            let reply = app.post("/v1/best-move", &body).await.ok();
            assert_eq!(
                (&reply["score"]["cp"], &reply["search"]["depth"]),
                (&json!(100), &json!(searches)),
                "{reply}"
            );
        }
    }
}

#[actix_web::test]
async fn an_exception_that_crosses_a_function_is_a_crash() {
    let code = searcher("if (list.count) throw 1;");
    let file = ai("c", "./libc_ai.so", "");
    let source = file.folder().join("ai.cpp");
    std::fs::write(
        &source,
        source_of(&code, &format!("{WHOLE}, .search = search")),
    )
    .unwrap();
    let mut compiler = std::process::Command::new("c++");
    run(compiler
        .args(["-std=c++20", "-O2", "-fPIC", "-shared", "-I"])
        .arg(contract().join("include"))
        .arg(&source)
        .arg("-o")
        .arg(file.folder().join("libc_ai.so")));
    let app = Application::of(&file);
    app.post("/v1/best-move", &json!({"game": {}}))
        .await
        .check_error(502, "ai_crashed");
}

#[actix_web::test]
async fn one_new_game_follows_all_changes_of_live_options() {
    // The score in pawns is the number of new games, and the depth is the number of changes.
    let code = format!(
        "static int games, changes;
        static rookery_status declares(const rookery_host *h, const rookery_setting *s, size_t n,
                                       rookery_manifest *m, rookery_error *e) {{
            static const rookery_option options[] = {{
                {{.name = \"a\", .help = \"\", .kind = ROOKERY_OPTION_FLAG, .live = true}},
                {{.name = \"b\", .help = \"\", .kind = ROOKERY_OPTION_FLAG, .live = true}},
            }};
            manifest(h, s, n, m, e);
            m->options = options, m->option_count = 2, m->option_stride = sizeof *options;
            return ROOKERY_OK;
        }}
        static rookery_status game(void *ai, const rookery_host *h, rookery_error *e) {{
            UNUSED(ai), UNUSED(h), UNUSED(e);
            games++;
            return ROOKERY_OK;
        }}
        static rookery_status sets(void *ai, const rookery_setting *s, const rookery_host *h,
                                   rookery_error *e) {{
            UNUSED(ai), UNUSED(s), UNUSED(h), UNUSED(e);
            changes++;
            return ROOKERY_OK;
        }}
        {}",
        searcher("r->score = 100 * games; r->depth = (uint32_t)changes;")
    );
    let entry = WHOLE.replace("= manifest", "= declares");
    let entry = format!("{entry}, .new_game = game, .search = search, .set_option = sets");
    let app = Application::of(&ai_with(
        &code,
        &entry,
        "overridable_options = [\"a\", \"b\"]",
    ));
    for (options, games, changes) in [(json!({"a": true, "b": true}), 1, 2), (json!({}), 2, 4)] {
        let body = json!({"game": {}, "options": options, "limit": {"movetime_ms": 100}});
        let reply = app.post("/v1/best-move", &body).await.ok();
        let found = (&reply["score"]["cp"], &reply["search"]["depth"]);
        assert_eq!(found, (&json!(100 * games), &json!(changes)), "{reply}");
    }
}
