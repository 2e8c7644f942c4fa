//! An AI that ends its process as if somebody else had, or else as if all were well; in a search, or after its answer.

use std::{thread, time::Duration};

use ai_api::{Ai, AiError, Host, OptionSpec, Options, SearchRequest, SearchResult, Searcher, export_ai};

struct Exits {
    how: String,
}

/// Ends this process as others would, if it can.
fn kill() {
    // SAFETY: calls of libc, with plain arguments; the child does nothing but signal.
    unsafe {
        libc::raise(libc::SIGKILL);
        libc::syscall(libc::SYS_tkill, libc::gettid(), libc::SIGKILL);
        let process = libc::getpid();
        let kill_worker = || [process, 0, -process].map(|receiver| libc::kill(receiver, libc::SIGKILL));
        kill_worker();
        if libc::fork() == 0 {
            kill_worker();
            libc::_exit(0);
        }
        // Time for the child.
        thread::sleep(Duration::from_millis(30));
    }
}

impl Ai for Exits {
    fn options() -> Vec<OptionSpec> {
        let ways = ["exit", "kill", "kill_after_answer"];
        vec![OptionSpec::choice("how", "exit", &ways, "by exit(0), or by SIGKILL to itself where it can")]
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self { how: options.text("how")?.to_owned() })
    }
}

impl Searcher for Exits {
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        match self.how.as_str() {
            "kill" => kill(),
            "kill_after_answer" => {
                thread::spawn(|| {
                    thread::sleep(Duration::from_millis(30));
                    kill();
                    std::process::exit(0);
                });
                return Ok(SearchResult::play(host.legal_moves(&question.position)[0]));
            }
            _ => {}
        }
        std::process::exit(0)
    }
}

export_ai!(Exits: Searcher);
