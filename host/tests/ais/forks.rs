//! An AI that leaves a child behind, which holds on to all that it had: when it is made, or before it crashes. The child may
//! hide in a session of its own, without a parent.

use ai_api::{Ai, AiError, Host, OptionSpec, Options, SearchRequest, SearchResult, Searcher, export_ai};

unsafe extern "C" {
    fn fork() -> i32;
    fn setsid() -> i32;
    fn _exit(status: i32) -> !;
}

struct Forks {
    crashes: bool,
    hides: bool,
}

fn leave_a_child(hides: bool) {
    // SAFETY: none; that is the point.
    unsafe {
        if fork() == 0 {
            if hides && (setsid() == -1 || fork() != 0) {
                _exit(0);
            }
            loop {
                std::thread::park();
            }
        }
    }
}

impl Ai for Forks {
    fn options() -> Vec<OptionSpec> {
        vec![
            OptionSpec::flag("crashes", false, "whether it crashes instead of playing"),
            OptionSpec::flag("hides", false, "whether the child hides"),
        ]
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        let (crashes, hides) = (options.flag("crashes")?, options.flag("hides")?);
        if !crashes {
            leave_a_child(hides);
        }
        Ok(Self { crashes, hides })
    }
}

impl Searcher for Forks {
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        if self.crashes {
            leave_a_child(self.hides);
            std::process::abort();
        }
        Ok(SearchResult::play(host.legal_moves(&question.position)[0]))
    }
}

export_ai!(Forks: Searcher);
