//! If an AI lacks threads or memory, `check-ai` names the keys that grant more.

use pool::{Ais, WorkerProgram};

use super::{examine, library_of, run};
use crate::{
    plugins::c_abi::WHOLE,
    support::{ai, assert_has, rookery},
};

/// Starts threads in a constructor and aborts if one cannot start, like the Go runtime.
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
    static rookery_status declares(const rookery_host *h, const rookery_setting *s, size_t n,
                                   rookery_manifest *m, rookery_error *e) {
        manifest(h, s, n, m, e);
        m->capabilities->threads = 8;
        return ROOKERY_OK;
    }";

#[test]
fn names_the_keys_that_allow_more_threads() {
    let crowd = [
        "--only",
        "moves.one",
        "--option",
        "fault=many_threads",
        "--option",
        "threads=100",
    ];
    let rejected = examine("fault_injector", &crowd);
    assert_eq!(rejected.status, Some(1), "{}", rejected.stdout);
    let keys = [
        "threads and memory_mb in the capabilities of its manifest",
        "in its [ai.ID] (here --threads and",
    ];
    assert_has(&rejected.stdout, &keys);
    let allowed = examine(
        "fault_injector",
        &[&crowd[..], &["--threads", "200", "--memory-mb", "8192"]].concat(),
    );
    assert_eq!(allowed.status, Some(0), "{}", allowed.stdout);
    // A failure with a different cause gets a different remedy.
    let other = examine(
        "faulty",
        &["--only", "load.starts", "--option", "fault=does_not_start"],
    );
    assert!(!other.stdout.contains("--threads"), "{}", other.stdout);
}

#[test]
fn allows_as_many_constructor_threads_as_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let entry = format!(
        "{}, .evaluate = zero",
        WHOLE.replace("= manifest", "= declares")
    );
    let library = library_of(folder.path(), RUNTIME, &entry, &["-pthread"]);
    let file = library.to_str().unwrap();
    let only = [
        "--only",
        "load",
        "--only",
        "threads",
        "--only",
        "rest",
        "--only",
        "moves.one",
    ];
    for (threads, is_admitted) in [("8", true), ("6", false)] {
        let outcome = run(&[&["check-ai", file, "--threads", threads][..], &only].concat());
        assert_eq!(
            outcome.status,
            Some(i32::from(!is_admitted)),
            "{}",
            outcome.stdout
        );
        let config = ai("c", file, &format!("threads = {threads}"));
        let started = Ais::start(&config.load(), WorkerProgram::at(rookery()));
        assert_eq!(started.is_ok(), is_admitted, "{threads}");
        if !is_admitted {
            let advice = "declare what the AI needs as threads and memory_mb";
            assert!(outcome.stdout.contains(advice), "{}", outcome.stdout);
        }
    }
}

#[test]
fn names_the_keys_that_allow_more_memory() {
    let folder = tempfile::tempdir().unwrap();
    for (check, signal) in [
        ("if (!made) abort();", "was killed by signal 6 (abort)"),
        ("*made = 1;", "was killed by signal 11 (segmentation fault)"),
        (
            "if (!made) __builtin_trap();",
            "was killed by signal 4 (illegal instruction)",
        ),
        (
            "if (!made) { perror(\"table\"); exit(1); }",
            "called exit(1)",
        ),
    ] {
        let code = format!(
            "#include <stdlib.h>
            static rookery_status large(const rookery_host *h, const rookery_setting *s, size_t n,
                                        void **ai, rookery_error *e) {{
                volatile char *made = malloc(600u << 20);
                {check}
                return create(h, s, n, ai, e);
            }}"
        );
        let entry = format!("{}, .evaluate = zero", WHOLE.replace("= create", "= large"));
        let library = library_of(folder.path(), &code, &entry, &[]);
        let only = [
            "check-ai",
            library.to_str().unwrap(),
            "--only",
            "load.starts",
            "--memory-mb",
        ];
        let rejected = run(&[&only[..], &["500"]].concat());
        assert_eq!(rejected.status, Some(1), "{}", rejected.stdout);
        let fault = format!(
            "the AI ran out of memory: its process {signal} after an allocation failed; its \
             limit is 500 MB (memory_mb in its [ai.ID])"
        );
        assert_has(
            &rejected.stdout,
            &[
                &fault,
                "-> the check passes with more threads and memory",
                "-> --memory-mb N gives it more memory",
            ],
        );
        assert_eq!(run(&[&only[..], &["700"]].concat()).status, Some(0));
    }
}
