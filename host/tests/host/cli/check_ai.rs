//! `rookery check-ai`: good AIs pass, and each check can fail.

mod engines;
mod examples;
mod foreign;
mod requests;
mod resources;

use std::{
    fs, iter,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
    thread,
};

use serde_json::{Value, json};

use super::{Outcome, command, outcome, run};
use crate::{
    plugins::c_abi::{WHOLE, compile, contract, source_of},
    sandbox::{LANDLOCK_AND_USERS, hide},
    support::{assert_has, built, rookery},
};

fn examine(library: &str, arguments: &[&str]) -> Outcome {
    let file = built(library);
    run(&[
        &["check-ai", file.to_str().unwrap(), "--seed", "1"],
        arguments,
    ]
    .concat())
}

/// The checks by name, each with its verdict.
fn verdicts(outcome: &Outcome) -> Vec<(String, String)> {
    let reported: Value = serde_json::from_str(&outcome.stdout)
        .unwrap_or_else(|error| panic!("{error}: {outcome:?}"));
    let text = |check: &Value, key: &str| check[key].as_str().unwrap().to_owned();
    let checks = reported["checks"].as_array().unwrap().iter();
    checks
        .map(|check| (text(check, "name"), text(check, "verdict")))
        .collect()
}

fn every_check() -> Vec<String> {
    run(&["check-ai", "--list", "--json"])
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|check| check["name"].as_str().unwrap().to_owned())
        .collect()
}

/// Checks that each of these AIs fails no check, all at once: the checks mostly wait.
pub(crate) fn check_each_passes(files: &[PathBuf], most_skipped: usize) {
    thread::scope(|scope| {
        for file in files {
            scope.spawn(move || check_passes(file, &[], most_skipped));
        }
    });
}

/// Checks that a good AI fails no check. Warnings depend on the machine.
fn check_passes(file: &Path, settings: &[&str], most_skipped: usize) {
    let arguments = ["check-ai", file.to_str().unwrap(), "--seed", "1", "--json"];
    let outcome = run(&[&arguments, settings].concat());
    assert_eq!(outcome.status, Some(0), "{}", outcome.stdout);
    let verdicts = verdicts(&outcome);
    assert_eq!(verdicts.len(), every_check().len());
    let skipped = verdicts
        .iter()
        .filter(|(_, verdict)| verdict == "skipped")
        .count();
    assert!(skipped <= most_skipped, "{}", outcome.stdout);
}

/// The libraries that `make build` builds for the packages.
fn shipped() -> Vec<String> {
    let makefile = include_str!("../../../../Makefile");
    let (_, build) = makefile.split_once("\nbuild:").unwrap();
    let (recipe, _) = build.split_once("\n\n").unwrap();
    let packages = recipe.split(' ').filter(|word| word.starts_with("ai-"));
    packages.map(|package| package.replace('-', "_")).collect()
}

#[test]
fn every_shipped_library_passes_every_check() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let engine = folder.path().join("engine");
    let compiled = Command::new("cc")
        .args(["-O1", "-o"])
        .arg(&engine)
        .arg(contract().join("../tools/engines/own/peculiar.c"))
        .args(["-lpthread", "-lrt"])
        .status();
    assert!(compiled.unwrap().success());
    let engine = engine.to_str().unwrap();
    let command = format!("command={engine}");
    let with_engine = ["--option", &command, "--allow-exec", engine];
    let libraries = shipped();
    assert!(libraries.len() >= 4, "{libraries:?}");
    thread::scope(|scope| {
        for library in &libraries {
            // The engine evaluates nothing, traces nothing and does not ponder.
            let (settings, most_skipped) = match library.as_str() {
                "ai_uci" => (&with_engine[..], 15),
                _ => (&[][..], 5),
            };
            scope.spawn(move || check_passes(&built(library), settings, most_skipped));
        }
    });
}

#[test]
fn nnue1_searches_what_its_book_has() {
    let book = concat!(
        "book=",
        env!("CARGO_MANIFEST_DIR"),
        "/../data/book/rookery.bin"
    );
    let outcome = examine(
        "ai_nnue1",
        &["--only", "analysis.searches", "--option", book],
    );
    assert_eq!(outcome.status, Some(0), "{}", outcome.stdout);
    assert!(
        outcome
            .stdout
            .contains("it plays 19 of 19 openings from its book"),
        "{}",
        outcome.stdout
    );
    let without = examine("ai_nnue1", &["--only", "analysis.searches"]);
    assert!(
        without.stdout.contains("--option book=FILE"),
        "{}",
        without.stdout
    );
}

#[test]
fn the_faulty_ai_passes_without_a_fault() {
    check_passes(&built("faulty"), &[], 0);
}

#[test]
fn warns_of_ais_that_score_a_second_occurrence_as_a_draw() {
    let verdict = |library: PathBuf| {
        let examined = run(&[
            "check-ai",
            library.to_str().unwrap(),
            "--only",
            "scores.repetition",
            "--seed",
            "1",
            "--json",
        ]);
        verdicts(&examined)[0].1.clone()
    };
    for good in ["ai_basic1", "ai_huo1", "ai_nnue1", "faulty"] {
        assert_eq!(verdict(built(good)), "pass", "{good}");
    }
    // The example of that release has the fault.
    assert_eq!(
        verdict(contract().join("frozen/1.0.0/libminimax.so")),
        "warning"
    );
}

#[test]
fn an_evaluator_fails_only_for_its_control_character() {
    let outcome = examine("counts_pawns", &["--json"]);
    let wrong = verdicts(&outcome)
        .into_iter()
        .filter(|(_, verdict)| verdict == "fail" || verdict == "crashed");
    let wrong: Vec<_> = wrong.map(|(check, _)| check).collect();
    assert_eq!(wrong, ["manifest.name"], "{}", outcome.stdout);
}

#[test]
fn grants_the_file_of_an_option() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("my weights"), "100").unwrap();
    let file = built("dependent_options");
    let arguments = [
        "check-ai",
        file.to_str().unwrap(),
        "--only",
        "load.starts",
        "--option",
        "weights=my weights",
    ];
    let outcome = outcome(command(&arguments).current_dir(folder.path()));
    assert_eq!(outcome.status, Some(0), "{}", outcome.stdout);
    let missing = run(&arguments);
    assert_eq!(missing.status, Some(1), "{}", missing.stdout);
    assert!(
        missing.stdout.contains("--option 'weights=my weights'"),
        "{}",
        missing.stdout
    );
}

#[test]
fn an_ai_that_does_not_start_fails_one_check() {
    let broken = ["--option", "fault=does_not_start"];
    let outcome = examine("faulty", &[&broken[..], &["--json"]].concat());
    let mut checks = verdicts(&outcome).into_iter();
    assert_eq!(
        checks.next().unwrap(),
        ("load.starts".to_owned(), "fail".to_owned()),
        "{}",
        outcome.stdout
    );
    let others: Vec<_> = checks.collect();
    assert_eq!(others.len() + 1, every_check().len());
    assert!(
        others.iter().all(|(_, verdict)| verdict == "skipped"),
        "{}",
        outcome.stdout
    );
    let text = examine("faulty", &broken).stdout;
    assert_has(
        &text,
        &[format!(
            "skipped  {} other checks: the AI does not start",
            others.len()
        )],
    );
    assert!(text.lines().count() < 10, "{text}");
}

#[test]
fn requires_the_sandbox_of_the_server() {
    let file = built("ai_basic1");
    let in_sandbox = |mode: &[&str]| {
        let arguments = [
            "check-ai",
            file.to_str().unwrap(),
            "--only",
            "load.starts",
            "--seed",
            "1",
        ];
        let mut command = Command::new(rookery());
        command.args(arguments).args(mode);
        hide(&LANDLOCK_AND_USERS, &mut command);
        outcome(&mut command.into())
    };
    for required in [&[][..], &["--sandbox", "required"]] {
        let outcome = in_sandbox(required);
        assert_eq!(outcome.status, Some(1), "{}", outcome.stdout);
        assert_has(
            &outcome.stdout,
            &[
                "its sandbox is required",
                "threads (",
                "files (",
                "Landlock",
            ],
        );
    }
    for mode in ["best-effort", "off"] {
        let outcome = in_sandbox(&["--sandbox", mode]);
        assert_eq!(outcome.status, Some(0), "{}", outcome.stdout);
    }
    let failed = examine(
        "ai_uci",
        &[
            "--only",
            "load.starts",
            "--sandbox",
            "best-effort",
            "--threads",
            "9",
        ],
    );
    assert!(
        failed
            .stdout
            .contains(" --seed 1 --sandbox best-effort --threads 9\n"),
        "{}",
        failed.stdout
    );
    let help = run(&["check-ai", "--help"]).data();
    assert_has(
        &help,
        &["--sandbox best-effort --threads 100 --memory-mb 2048"],
    );
}

/// Compiles an AI in C with this code.
fn library_of(folder: &Path, code: &str, entry: &str, flags: &[&str]) -> PathBuf {
    let (source, library) = (folder.join("ai.c"), folder.join("libc_ai.so"));
    fs::write(&source, source_of(code, entry)).unwrap();
    let flags: Vec<_> = flags.iter().map(ToString::to_string).collect();
    compile(&contract(), &source, &library, &flags);
    library
}

/// Like the runtime of Go: starts threads in the constructor, and aborts if one cannot start.
const RUNTIME: &str = "
    #include <pthread.h>
    #include <stdlib.h>
    #include <unistd.h>
    static void *stay(void *unused) {
        for (;;) pause();
        return unused;
    }
    __attribute__((constructor)) static void begin(void) {
        for (int i = 0; i < 8; i++) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, stay, NULL)) abort();
        }
    }
    static rookery_status declares(const rookery_host *h, const rookery_setting *s, size_t n, rookery_manifest *m, rookery_error *e) {
        manifest(h, s, n, m, e);
        m->capabilities->threads = 8;
        return ROOKERY_OK;
    }";

/// Ponders, and leaves its time limit to the host.
const PONDERER: &str = "
    static rookery_status declares(const rookery_host *h, const rookery_setting *s, size_t n, rookery_manifest *m, rookery_error *e) {
        manifest(h, s, n, m, e);
        m->capabilities->ponder = true;
        return ROOKERY_OK;
    }
    static rookery_status until_stop(void *ai, const rookery_search_request *request, const rookery_host *host,
                                     rookery_search_result *result, rookery_error *error) {
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
    // A hit at once may come before the search.
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
        static rookery_status begins(const rookery_host *h, const rookery_setting *s, size_t n, void **made, rookery_error *e) {
            if (FAULT != 1) return create(h, s, n, made, e);
            puts(\"begins\");
            fflush(stdout);
            return ROOKERY_FAILED;
        }
        static rookery_status search(void *ai, const rookery_search_request *request, const rookery_host *host,
                                     rookery_search_result *result, rookery_error *error) {
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
    // What gdb runs has the same result, though it must not be in a sandbox.
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
            static rookery_status search(void *ai, const rookery_search_request *request, const rookery_host *host,
                                         rookery_search_result *result, rookery_error *error) {{
                rookery_move_list list;
                UNUSED(ai), UNUSED(error);
                host->rules->legal_moves(request->position, &list);
                result->best_move = list.moves[0];
                {write}
                return ROOKERY_OK;
            }}
            static rookery_status declares(const rookery_host *h, const rookery_setting *s, size_t n, rookery_manifest *m,
                                           rookery_error *e) {{
                manifest(h, s, n, m, e);
                rookery_capabilities *c = m->capabilities;
                if (sizeof \"{write}\" == 1) memset(c + 1, 7, 9);
                return ROOKERY_OK;
            }}
            static rookery_score overwrites(void *ai, const rookery_position *p, const rookery_host *h, rookery_error *error) {{
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
        static rookery_status manifest(const rookery_host *, const rookery_setting *, size_t, rookery_manifest *reported, rookery_error *) {
            reported->name = \"C++\";
            reported->version = \"1\";
            return ROOKERY_OK;
        }
        static rookery_status create(const rookery_host *, const rookery_setting *, size_t, void **made, rookery_error *) {
            *made = &it;
            return ROOKERY_OK;
        }
        static void destroy(void *) {}
        static rookery_status search(void *, const rookery_search_request *, const rookery_host *, rookery_search_result *,
                                     rookery_error *) {
            throw std::runtime_error(\"lost\");
        }
        ROOKERY_NOTE(\"throws\", \"1\");
        const rookery_ai rookery_ai_entry = {sizeof(rookery_ai), ROOKERY_ABI, 0, manifest, create, destroy,
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
    let part =
        "the library needs libc.musl-x86_64.so.1, the C library musl, and this host has glibc";
    run(&["check-ai", library.to_str().unwrap()]).fails_with(1, &[part, "-unknown-linux-gnu"]);
}

#[test]
fn prints_moves_in_uci() {
    let reason = |check: &str, fault: &str| {
        let option = format!("fault={fault}");
        let outcome = examine("faulty", &["--only", check, "--option", &option, "--json"]);
        let reported: Value = serde_json::from_str(&outcome.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", outcome.stderr));
        reported["checks"][0]["reason"].as_str().unwrap().to_owned()
    };
    let changed = reason("trace.changes_nothing", "trace_changes_the_result");
    let (first, again) = changed
        .split_once(": first ")
        .unwrap()
        .1
        .split_once(", with a trace ")
        .unwrap();
    let uci = |text: &str| text.split(',').next().unwrap().to_owned();
    assert_eq!((uci(first).len(), uci(first)), (4, uci(again)), "{changed}");
    let chosen = reason("moves.some_alone", "ignores_root_moves");
    let (played, some) = chosen
        .split_once(": played ")
        .unwrap()
        .1
        .split_once("; the requested root moves are ")
        .unwrap();
    assert!(
        some.split(' ').chain([played]).all(|uci| uci.len() == 4),
        "{chosen}"
    );
}

/// Each check, the fault that it detects, and its verdict.
const FAULTS: &[(&str, &str, &str)] = &[
    ("load.starts", "does_not_start", "fail"),
    ("load.soon", "starts_slowly", "warning"),
    ("load.same_again", "varies_its_options", "fail"),
    ("load.rests", "computes_while_idle", "fail"),
    ("options.declared", "default_out_of_range", "fail"),
    ("options.help", "omits_help", "warning"),
    ("options.least", "rejects_the_minimum", "fail"),
    ("options.greatest", "rejects_the_maximum", "warning"),
    ("options.wrong_type", "crashes_on_wrong_types", "crashed"),
    (
        "options.out_of_bounds",
        "crashes_on_values_out_of_range",
        "crashed",
    ),
    ("options.unknown", "crashes_on_unknown_options", "crashed"),
    ("options.live", "ignores_live_options", "fail"),
    ("moves.castling", "plays_illegal_moves", "fail"),
    ("moves.en_passant", "plays_illegal_moves", "fail"),
    ("moves.promotion", "plays_illegal_moves", "fail"),
    ("moves.in_check", "plays_illegal_moves", "fail"),
    ("moves.one", "plays_illegal_moves", "fail"),
    ("moves.mate_next", "plays_illegal_moves", "fail"),
    ("moves.stalemate_near", "plays_illegal_moves", "fail"),
    ("moves.218", "plays_illegal_moves", "fail"),
    ("moves.few_men", "plays_illegal_moves", "fail"),
    ("moves.near_a_draw", "plays_illegal_moves", "fail"),
    ("moves.chess960", "plays_illegal_moves", "fail"),
    ("moves.some_alone", "ignores_root_moves", "fail"),
    ("moves.openings", "plays_illegal_moves", "fail"),
    ("moves.middlegames", "plays_illegal_moves", "fail"),
    ("moves.late_games", "plays_illegal_moves", "fail"),
    ("moves.repetition", "plays_illegal_moves", "fail"),
    ("moves.against_itself", "plays_illegal_moves", "fail"),
    ("fuzz.games", "plays_illegal_moves", "fail"),
    ("limits.depth", "exceeds_depth", "fail"),
    ("limits.nodes", "exceeds_nodes", "fail"),
    ("limits.nodes", "checks_nodes_rarely", "warning"),
    ("limits.one_node", "needs_two_nodes", "fail"),
    ("limits.movetime", "exceeds_movetime", "fail"),
    ("limits.clocks", "exceeds_movetime", "fail"),
    ("limits.one_millisecond", "needs_two_milliseconds", "fail"),
    ("limits.extreme", "crashes_at_extremes", "crashed"),
    ("limits.first_ply", "slow_at_depth_1", "warning"),
    ("stop.answers", "ignores_stop", "fail"),
    ("stop.at_once", "no_result_after_stop", "fail"),
    ("stop.deep", "ignores_stop", "fail"),
    ("stop.many_nodes", "ignores_stop", "fail"),
    ("stop.goes_on", "stays_stopped", "fail"),
    ("repeat.nodes", "varies_its_result", "fail"),
    ("repeat.depth", "varies_its_result", "fail"),
    ("repeat.at_once", "depends_on_earlier_requests", "fail"),
    ("repeat.after_others", "depends_on_earlier_requests", "fail"),
    ("repeat.new_game", "depends_on_earlier_requests", "fail"),
    ("repeat.game", "depends_on_earlier_requests", "fail"),
    ("repeat.new_game_time", "forgets_slowly", "warning"),
    ("repeat.judgement", "depends_on_earlier_requests", "fail"),
    ("scores.for_white", "scores_for_the_side_to_move", "fail"),
    ("scores.mirror", "prefers_white", "warning"),
    ("scores.mate", "returns_false_mates", "fail"),
    (
        "scores.repetition",
        "draws_at_the_second_occurrence",
        "warning",
    ),
    ("evaluate.for_white", "scores_for_the_side_to_move", "fail"),
    ("evaluate.mirror", "prefers_white", "fail"),
    ("evaluate.terms", "wrong_sum_of_terms", "fail"),
    ("evaluate.bounds", "evaluates_mates", "fail"),
    (
        "analysis.searches",
        "plays_from_its_book_in_analysis",
        "warning",
    ),
    ("lines.legal", "returns_illegal_lines", "fail"),
    (
        "lines.begin_with_the_move",
        "returns_line_of_another_move",
        "fail",
    ),
    ("lines.several", "repeats_one_line", "fail"),
    ("trace.legal", "traces_illegal_moves", "fail"),
    ("trace.root", "traces_another_score", "fail"),
    ("trace.endings", "traces_false_mates", "fail"),
    ("trace.changes_nothing", "trace_changes_the_result", "fail"),
    ("ponder.thinks_on", "does_not_ponder", "fail"),
    ("ponder.hit", "ignores_ponderhit", "fail"),
    ("reports.legal", "reports_illegal_lines", "fail"),
    ("reports.rise", "reports_decreasing_nodes", "fail"),
    ("reports.few", "floods_reports", "warning"),
    ("memory.thousand_searches", "leaks", "fail"),
    ("memory.hundred_searches", "leaks_much", "warning"),
    ("memory.declared", "exceeds_memory", "fail"),
    ("threads.declared", "leaves_threads", "fail"),
    ("rest.after_a_search", "computes_after_its_result", "fail"),
    ("panics.are_errors", "aborts_without_limits", "crashed"),
];

/// Checks of the labels, which no option changes.
const LABEL_CHECKS: &[(&str, &str)] = &[
    ("manifest.name", "fail"),
    ("manifest.version", "fail"),
    ("manifest.author", "fail"),
    ("manifest.note", "fail"),
];

#[test]
fn every_check_can_fail() {
    let tried: Vec<_> = FAULTS
        .iter()
        .map(|(check, ..)| *check)
        .chain(LABEL_CHECKS.iter().map(|(check, _)| *check))
        .collect();
    let untried: Vec<_> = every_check()
        .into_iter()
        .filter(|check| !tried.contains(&check.as_str()))
        .collect();
    assert!(untried.is_empty(), "{untried:?}");

    let must_fail = |(check, fault, expected): &(&str, &str, &str)| {
        let option = format!("fault={fault}");
        let outcome = examine("faulty", &["--only", check, "--option", &option, "--json"]);
        let expected = [((*check).to_owned(), (*expected).to_owned())];
        assert_eq!(verdicts(&outcome), expected, "{fault}: {}", outcome.stdout);
        assert_eq!(
            outcome.status,
            Some(i32::from(expected[0].1 != "warning")),
            "{check}"
        );
        let reported: Value = serde_json::from_str(&outcome.stdout).unwrap();
        let remedy = reported["checks"][0]["remedy"].as_str().unwrap();
        let is_rust = ["::", "host.", "request.", "()"]
            .iter()
            .any(|part| remedy.contains(part));
        assert!(
            !is_rust,
            "an author in C does not know what to do: {remedy}"
        );
    };
    let faults = Mutex::new(FAULTS.iter());
    let next = || faults.lock().unwrap().next();
    // The checks mostly wait, and some for long.
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| iter::from_fn(next).for_each(must_fail));
        }
    });
    for (check, expected) in LABEL_CHECKS {
        let outcome = examine("mislabelled", &["--only", check, "--json"]);
        assert_eq!(
            verdicts(&outcome),
            [((*check).to_owned(), (*expected).to_owned())],
            "{}",
            outcome.stdout
        );
    }
    let author = examine("mislabelled", &["--only", "manifest.author"]).stdout;
    assert_has(
        &author,
        &["authors in Cargo.toml (Rust), author in the manifest (C, C++)"],
    );
}

#[test]
fn prints_the_reason_and_remedy_of_a_failure() {
    let outcome = examine(
        "faulty",
        &[
            "--only",
            "moves.one",
            "--only",
            "load.starts",
            "--option",
            "fault=plays_illegal_moves",
        ],
    );
    assert_eq!(outcome.status, Some(1));
    assert!(
        outcome.stderr.ends_with("error: 1 of 2 checks failed\n"),
        "{}",
        outcome.stderr
    );
    let parts = [
        "pass     load.starts                Faulty 0.1.0, searcher and evaluator\n",
        "FAIL     moves.one                  rnbqkbnr/ppppp1pp/8/5p1Q/8/4P3/PPPP1PPP/RNB1KBNR b \
         KQkq - 1 2: played a1h2; the legal moves are g7g6\n",
        "-> choose one of the legal_moves of the position\n",
        "again: rookery check-ai ",
        " --only moves.one --seed 1 --option 'fault=plays_illegal_moves'\n",
        "\n2 checks: 1 passed, 1 failed, 0 crashed, 0 warnings, 0 skipped; seed 1\n",
    ];
    assert_has(&outcome.stdout, &parts);
}

#[test]
fn counts_one_thing_in_the_singular() {
    let checked = |library: &str, check: &str, fault: &[&str]| {
        examine(library, &[&["--only", check], fault].concat()).stdout
    };
    let fault = ["--option", "fault=forgets_slowly"];
    let part = "\n1 check: 0 passed, 0 failed, 0 crashed, 1 warning, 0 skipped; seed 1\n";
    assert_has(&checked("faulty", "repeat.new_game_time", &fault), &[part]);
    assert_has(
        &checked("newer", "options.declared", &[]),
        &["1 option\n", "\n1 check: 1 passed, "],
    );
    assert_has(
        &checked("faulty", "options.declared", &[]),
        &["3 options\n"],
    );
}

#[test]
fn names_the_option_with_a_wrong_default_and_its_value() {
    let outcome = examine(
        "faulty",
        &[
            "--only",
            "load.starts",
            "--option",
            "fault=default_out_of_range",
        ],
    );
    let part = "the option 'strength': its default '10' is not one of the values that it allows: a \
        whole number from 1 to 9";
    assert_has(&outcome.stdout, &[part]);
}

#[test]
fn kills_a_hanging_ai_and_runs_the_next_check() {
    let outcome = examine(
        "hangs",
        &[
            "--only",
            "limits.one_node",
            "--only",
            "manifest.name",
            "--json",
        ],
    );
    assert_eq!(outcome.status, Some(1), "{}", outcome.stdout);
    let expected = [("manifest.name", "pass"), ("limits.one_node", "fail")];
    assert_eq!(
        verdicts(&outcome),
        expected.map(|(name, verdict)| (name.to_owned(), verdict.to_owned()))
    );
}

#[test]
fn the_printed_command_reproduces_a_fuzz_failure() {
    let file = built("faulty");
    let fuzz = |seed: &[&str]| {
        let fault = ["--option", "fault=plays_some_illegal_moves", "--json"];
        let outcome = run(&[
            &["check-ai", file.to_str().unwrap(), "--only", "fuzz"][..],
            seed,
            &fault,
        ]
        .concat());
        let reported: Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(
            (outcome.status, &reported["counts"]["failed"]),
            (Some(1), &json!(1)),
            "{reported:#}"
        );
        reported
    };
    let by_chance = fuzz(&[]);
    let reason = |reported: &Value| reported["checks"][0]["reason"].as_str().unwrap().to_owned();
    let again = by_chance["checks"][0]["again"].as_str().unwrap();
    assert!(
        reason(&by_chance).starts_with(&format!("seed {}, ", by_chance["seed"])),
        "{by_chance:#}"
    );

    let words = shlex::split(again).unwrap();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    assert_eq!(words[0], "rookery");
    let repeated = run(&[&words[1..], &["--json"]].concat());
    let repeated: Value = serde_json::from_str(&repeated.stdout).unwrap();
    assert_eq!(reason(&repeated), reason(&by_chance));
    assert_ne!(
        reason(&fuzz(&["--seed", "7"])),
        reason(&fuzz(&["--seed", "8"]))
    );
}

#[test]
fn list_describes_every_check() {
    let list = run(&["check-ai", "--list"]).data();
    assert!(list.lines().count() >= 40, "{list}");
    let parts = [
        "moves.castling             Plays a legal move where castling is possible",
        "trace.changes_nothing      Finds the same move, score and node count with a trace as \
         without, so the trace shows the search that is played.",
    ];
    assert_has(&list, &parts);
    let some = run(&["check-ai", "--list", "--only", "stop"]).data();
    assert!(some.lines().all(|line| line.starts_with("stop.")), "{some}");
}

#[test]
fn rejects_files_that_are_no_ai() {
    let missing = ["the folder /nowhere does not exist either; build the AI first"];
    let error_output = run(&["check-ai", "/nowhere/libmine.so"]).fails_with(1, &missing);
    let beginning = "error: /nowhere/libmine.so: the library can't be read";
    assert!(error_output.starts_with(beginning), "{error_output}");
    let no_ai = built("no_ai");
    run(&["check-ai", no_ai.to_str().unwrap()]).fails_with(
        1,
        &[
            "is no AI for Rookery",
            "export_ai! writes, in C ROOKERY_NOTE",
        ],
    );
    let misspelt = no_ai.with_file_name("libno_aii.so");
    let suggested = format!("did you mean {}?", no_ai.display());
    run(&["check-ai", misspelt.to_str().unwrap()]).fails_with(1, &[suggested]);
    run(&["check-ai", no_ai.parent().unwrap().to_str().unwrap()])
        .fails_with(1, &["this is a folder", "; found /"]);
    run(&[
        "check-ai",
        no_ai.to_str().unwrap(),
        "--only",
        "moves.castlin",
    ])
    .fails_with(
        2,
        &["there is no check 'moves.castlin'; did you mean 'moves.castling'?"],
    );
    run(&["check-ai", "/nowhere/engine"])
        .fails_with(1, &["/nowhere/engine can't be read: there is no such file"]);
    run(&["check-ai", "/etc/passwd"]).fails_with(1, &["is a text, not a program for Linux"]);
    run(&["check-ai"]).error_output(2);
    run(&["check-ai", "x.so", "--option", "fault"]).error_output(2);
}

#[test]
fn rejects_bad_options_with_the_allowed_ones() {
    for (option, part) in [
        (
            "strenght=3",
            "declares no option 'strenght'; did you mean 'strength'?",
        ),
        (
            "colour=3",
            "declares no option 'colour'; it declares fault, strength",
        ),
        (
            "strength=10",
            "does not allow this value of its option 'strength'; allowed: a whole number from 1 to \
             9",
        ),
    ] {
        let outcome = examine("faulty", &["--only", "load.starts", "--option", option]);
        assert_eq!(outcome.status, Some(1), "{}", outcome.stdout);
        assert_has(&outcome.stdout, &[part]);
    }
}

#[test]
fn the_guide_names_existing_checks() {
    let guide = include_str!("../../../../docs/ai-cookbook.md");
    let (_, table) = guide.split_once("| checks |\n").unwrap();
    let rows: Vec<_> = table
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .collect();
    assert!(rows.len() >= 20, "{rows:?}");
    let column = |row: &&str| {
        row.strip_suffix(" |")
            .unwrap()
            .rsplit_once('|')
            .unwrap()
            .1
            .to_owned()
    };
    let named: Vec<_> = rows.iter().map(column).collect();
    let named: Vec<_> = named
        .iter()
        .flat_map(|names| names.split('`').skip(1).step_by(2))
        .collect();
    assert!(named.len() >= 20, "{named:?}");
    let every = every_check();
    let belongs =
        |check: &String, name: &str| check == name || check.starts_with(&format!("{name}."));
    for name in &named {
        assert!(every.iter().any(|check| belongs(check, name)), "{name}");
    }
    for check in &every {
        assert!(
            named.iter().any(|name| belongs(check, name)),
            "no rule names {check}"
        );
    }
    let of_traces = rows
        .iter()
        .find(|row| row.contains("`trace.changes_nothing`"))
        .unwrap();
    assert_has(of_traces, &["with a trace the same as without"]);
}

#[test]
fn omits_secret_options_from_the_printed_command() {
    let secret = [
        "--option",
        "token=swordfish",
        "--option",
        "fault=fails",
        "--only",
        "load.starts",
    ];
    let outcome = examine("lifecycle", &secret);
    assert_eq!(outcome.status, Some(1), "{}", outcome.stdout);
    assert_has(&outcome.stdout, &["token=(secret)"]);
    assert!(!outcome.stdout.contains("swordfish"), "{}", outcome.stdout);
}
