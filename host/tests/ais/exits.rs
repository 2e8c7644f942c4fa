//! An AI that ends its process as if all were well, or as if somebody else had ended it; in a search, or after its answer.

use std::{thread, time::Duration};

use ai_api::{Ai, AiError, Answer, Host, OptionSpec, Options, Question, Searcher, export_ai};

struct Exits {
    how: String,
}

fn kill() {
    // SAFETY: one call of libc, with a plain argument.
    unsafe { libc::raise(libc::SIGKILL) };
}

impl Ai for Exits {
    fn options() -> Vec<OptionSpec> {
        let ways = ["exit", "kill", "kill_after_answer"];
        vec![OptionSpec::choice("how", "exit", &ways, "by exit(0), or by SIGKILL to itself")]
    }

    fn create(options: &Options) -> Result<Self, AiError> {
        Ok(Self { how: options.text("how")?.to_owned() })
    }
}

impl Searcher for Exits {
    fn search(&mut self, question: &Question<'_>, host: &Host<'_>) -> Result<Answer, AiError> {
        match self.how.as_str() {
            "kill" => kill(),
            "kill_after_answer" => {
                thread::spawn(|| {
                    thread::sleep(Duration::from_millis(30));
                    kill();
                });
                return Ok(Answer::play(host.legal_moves(&question.position)[0]));
            }
            _ => {}
        }
        std::process::exit(0)
    }
}

export_ai!(Exits: Searcher);
