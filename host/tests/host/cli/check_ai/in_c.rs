//! AIs in C and C++ that ponder, print, crash and write where they may not.

use std::{fs, process::Command};

use serde_json::json;

use super::{examine, library_of};
use crate::{
    cli::{outcome, run},
    plugins::c_abi::{WHOLE, contract},
    support::assert_has,
};

/// An AI that ponders and leaves its time limit to the host.
const PONDERER: &str = "
    static rookery_status declares(const rookery_host *h, const rookery_setting *s, size_t n,
                                   rookery_manifest *m, rookery_error *e) {
        manifest(h, s, n, m, e);
        m->capabilities->ponder = true;
        return ROOKERY_OK;
    }
    static rookery_status until_stop(void *ai, const rookery_search_request *request,
                                     const rookery_host *host, rookery_search_result *result,
                                     rookery_error *error) {
        rookery_move_list list;
        UNUSED(ai), UNUSED(error);
        host->rules->legal_moves(request->position, &list);
        while (!rookery_should_stop(host)) {}
        result->best_move = list.moves[0];
        return ROOKERY_OK;
    }";

#[test]
fn stops_a_search_at_its_hard_limit_after_the_ponder_hit() {
    let folder = tempfile::tempdir().unwrap();
    let entry = format!(
        "{}, .search = until_stop",
        WHOLE.replace("= manifest", "= declares")
    );
    let library = library_of(folder.path(), PONDERER, &entry, &[]);
    let library = library.to_str().unwrap();
    let outcome = run(&["check-ai", library, "--only", "ponder"]);
    assert_eq!(outcome.status, Some(0), "{}", outcome.stdout);
    let request = folder.path().join("request.json");
    // An immediate ponder hit may arrive before the search starts.
    for hit_ms in [0, 60] {
        let content = json!({"limits": {"soft_ms": 40}, "ponder_hit_ms": hit_ms});
        fs::write(&request, content.to_string()).unwrap();
        let result = run(&["check-ai", library, "--request", request.to_str().unwrap()]).json();
        let elapsed_ms = result["elapsed_ms"].as_u64().unwrap();
        assert!(
            (hit_ms + 30..hit_ms + 5000).contains(&elapsed_ms),
            "{result}"
        );
    }
}

#[test]
fn shows_what_an_ai_printed_before_it_failed() {
    let folder = tempfile::tempdir().unwrap();
    let code = "#include <stdlib.h>
        static rookery_status begins(const rookery_host *h, const rookery_setting *s, size_t n,
                                     void **made, rookery_error *e) {
            if (FAULT != 1) return create(h, s, n, made, e);
            puts(\"begins\");
            fflush(stdout);
            return ROOKERY_FAILED;
        }
        static rookery_status search(void *ai, const rookery_search_request *request,
                                     const rookery_host *host, rookery_search_result *result,
                                     rookery_error *error) {
            UNUSED(ai), UNUSED(request), UNUSED(host), UNUSED(result), UNUSED(error);
            fprintf(stderr, \"no %300s\\n\", \"luck\");
            if (FAULT == 3) abort();
            return FAULT == 4 ? ROOKERY_FAILED : ROOKERY_OK;
        }";
    let entry = format!(
        "{}, .search = search",
        WHOLE.replace("= create", "= begins")
    );
    let library = folder.path().join("libc_ai.so");
    for (fault, parts) in [
        (
            1,
            ["the AI failed without a message; it printed: begins\n", ""],
        ),
        (2, ["played no move; the legal moves are ", " luck\n"]),
        (3, ["signal 6 (abort); its last words: no ", " luck\n"]),
        (
            4,
            [
                "the AI failed without a message; it printed: no ",
                " luck\n",
            ],
        ),
    ] {
        let code = code.replace("FAULT", &fault.to_string());
        library_of(folder.path(), &code, &entry, &[]);
        let outcome = run(&["check-ai", library.to_str().unwrap(), "--only", "moves.one"]);
        assert_eq!(outcome.status, Some(1), "{}", outcome.stdout);
        assert_has(&outcome.stdout, &parts);
    }
    let request = folder.path().join("request.json");
    fs::write(&request, "{}").unwrap();
    let failed = run(&[
        "check-ai",
        library.to_str().unwrap(),
        "--request",
        request.to_str().unwrap(),
    ]);
    failed.fails_with(1, &["without a message; it printed: no ", " luck"]);
}

#[test]
fn prints_the_command_that_repeats_a_crash_in_the_debugger() {
    let crash = [
        "--only",
        "options.wrong_type",
        "--option",
        "fault=crashes_on_wrong_types",
    ];
    let crashed = examine("faulty", &crash);
    assert_eq!(crashed.status, Some(1), "{}", crashed.stdout);
    let line = crashed
        .stdout
        .lines()
        .find_map(|line| line.split_once(" debug: "))
        .unwrap()
        .1;
    let words = shlex::split(line).unwrap();
    let at = words.iter().position(|word| word == "--args").unwrap();
    let settings = [
        "gdb",
        "-ex",
        "set pagination off",
        "-ex",
        "set detach-on-fork off",
        "-ex",
        "set schedule-multiple on",
    ];
    assert_eq!(words[..settings.len()], settings, "{line}");
    // The command for gdb has the same result, although it runs without a sandbox.
    let mut again = Command::new(&words[at + 1]);
    again.args(&words[at + 2..]);
    let again = outcome(&mut again.into());
    assert_eq!(words[words.len() - 2..], ["--sandbox", "off"], "{line}");
    assert!(
        again.stdout.starts_with("CRASHED  options.wrong_type"),
        "{}",
        again.stdout
    );
    let failed = examine(
        "faulty",
        &[
            "--only",
            "moves.one",
            "--option",
            "fault=plays_illegal_moves",
        ],
    );
    assert!(!failed.stdout.contains("gdb"), "{}", failed.stdout);
}

#[test]
fn names_what_an_ai_writes_outside_its_structs() {
    let folder = tempfile::tempdir().unwrap();
    let code = |write: &str| {
        format!(
            "#include <string.h>
            static rookery_status search(void *ai, const rookery_search_request *request,
                                         const rookery_host *host, rookery_search_result *result,
                                         rookery_error *error) {{
                rookery_move_list list;
                UNUSED(ai), UNUSED(error);
                host->rules->legal_moves(request->position, &list);
                result->best_move = list.moves[0];
                {write}
                return ROOKERY_OK;
            }}
            static rookery_status declares(const rookery_host *h, const rookery_setting *s,
                                           size_t n, rookery_manifest *m, rookery_error *e) {{
                manifest(h, s, n, m, e);
                rookery_capabilities *c = m->capabilities;
                if (sizeof \"{write}\" == 1) memset(c + 1, 7, 9);
                return ROOKERY_OK;
            }}
            static rookery_score overwrites(void *ai, const rookery_position *p,
                                            const rookery_host *h, rookery_error *error) {{
                UNUSED(error);
                ((rookery_position *)(uintptr_t)p)->halfmove_clock++;
                return zero(ai, p, h, error);
            }}"
        )
    };
    let whole = WHOLE.replace("= manifest", "= declares");
    let searcher = format!("{whole}, .search = search, .evaluate = overwrites");
    let request = "((rookery_search_request *)(uintptr_t)request)";
    for (check, write, part) in [
        (
            "moves.one",
            "memset(result + 1, 0, 64);",
            "search wrote 64 bytes past its rookery_search_result of ",
        ),
        (
            "moves.one",
            "memset(error + 1, 1, 1);",
            "search wrote 1 bytes past its rookery_error of ",
        ),
        (
            "moves.one",
            &format!("{request}->lines++;"),
            "search wrote to the rookery_search_request, which is const",
        ),
        (
            "moves.one",
            "((rookery_position *)(uintptr_t)request->position)->hash++;",
            "search wrote to the rookery_position, which is const",
        ),
        (
            "moves.repetition",
            "if (request->move_count) ((rookery_move *)(uintptr_t)request->moves)[0] = 0;",
            "search wrote to the moves, which is const",
        ),
        (
            "evaluate.terms",
            "UNUSED(0);",
            "evaluate wrote to the rookery_position, which is const",
        ),
        (
            "load.starts",
            "",
            "manifest wrote 9 bytes past its rookery_capabilities of ",
        ),
    ] {
        let library = library_of(folder.path(), &code(write), &searcher, &[]);
        let outcome = run(&["check-ai", library.to_str().unwrap(), "--only", check]);
        assert_eq!(outcome.status, Some(1), "{write}: {}", outcome.stdout);
        assert_has(&outcome.stdout, &[part]);
    }
}

#[test]
fn explains_a_cpp_exception_that_escapes() {
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (
        folder.path().join("ai.cpp"),
        folder.path().join("libthrows.so"),
    );
    let thrower = "
        #include \"rookery_ai.h\"
        #include <stdexcept>
        static char it;
        static rookery_status manifest(const rookery_host *, const rookery_setting *, size_t,
                                       rookery_manifest *reported, rookery_error *) {
            reported->name = \"C++\";
            reported->version = \"1\";
            return ROOKERY_OK;
        }
        static rookery_status create(const rookery_host *, const rookery_setting *, size_t,
                                     void **made, rookery_error *) {
            *made = &it;
            return ROOKERY_OK;
        }
        static void destroy(void *) {}
        static rookery_status search(void *, const rookery_search_request *, const rookery_host *,
                                     rookery_search_result *, rookery_error *) {
            throw std::runtime_error(\"lost\");
        }
        ROOKERY_NOTE(\"throws\", \"1\");
        const rookery_ai rookery_ai_entry = {sizeof(rookery_ai), ROOKERY_ABI, 0,
                                             manifest, create, destroy,
                                             nullptr, search, nullptr, nullptr, nullptr};";
    fs::write(&source, thrower).unwrap();
    let mut compiler = Command::new("c++");
    compiler
        .args(["-std=c++17", "-fPIC", "-shared", "-I"])
        .arg(contract().join("include"));
    assert!(
        compiler
            .arg(&source)
            .arg("-o")
            .arg(&library)
            .status()
            .unwrap()
            .success()
    );
    let outcome = run(&["check-ai", library.to_str().unwrap(), "--only", "moves.one"]);
    assert_eq!(outcome.status, Some(1), "{}", outcome.stdout);
    let advice =
        "-> catch all C++ exceptions (catch (...)) in each function and each thread of the AI";
    assert!(outcome.stdout.contains(advice), "{}", outcome.stdout);
}

#[test]
fn rejects_a_musl_library_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let musl = folder.path().join("libc.musl-x86_64.so.1");
    let empty = [
        "-shared",
        "-nostdlib",
        "-x",
        "c",
        "/dev/null",
        "-Wl,-soname,libc.musl-x86_64.so.1",
        "-o",
    ];
    assert!(
        Command::new("cc")
            .args(empty)
            .arg(&musl)
            .status()
            .unwrap()
            .success()
    );
    let link = ["-Wl,--no-as-needed", musl.to_str().unwrap()];
    let library = library_of(
        folder.path(),
        "",
        &format!("{WHOLE}, .evaluate = zero"),
        &link,
    );
    let part = "the library needs libc.musl-x86_64.so.1 from musl, but this host has glibc";
    run(&["check-ai", library.to_str().unwrap()]).fails_with(1, &[part, "-unknown-linux-gnu"]);
}
