//! An AI that leaves a child behind, which holds on to all that it had: when it is made, or before it crashes.

use ai_api::{Ai, AiError, Answer, Host, OptionSpec, Options, Question, Searcher, export_ai};

unsafe extern "C" {
    fn fork() -> i32;
}

struct Forks {
    crashes: bool,
}

fn leave_a_child() {
    // SAFETY: none; that is the point.
    if unsafe { fork() } == 0 {
        loop {
            std::thread::park();
        }
    }
}

impl Ai for Forks {
    fn options() -> Vec<OptionSpec> {
        vec![OptionSpec::flag("crashes", false, "whether it crashes instead of playing")]
    }

    fn create(options: &Options) -> Result<Self, AiError> {
        let crashes = options.flag("crashes")?;
        if !crashes {
            leave_a_child();
        }
        Ok(Self { crashes })
    }
}

impl Searcher for Forks {
    fn search(&mut self, question: &Question<'_>, host: &Host<'_>) -> Result<Answer, AiError> {
        if self.crashes {
            leave_a_child();
            std::process::abort();
        }
        Ok(Answer::play(host.legal_moves(&question.position)[0]))
    }
}

export_ai!(Forks: Searcher);
