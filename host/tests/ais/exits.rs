//! An AI that ends its process as if all were well, or as if somebody else had ended it.

use ai_api::{Ai, AiError, Answer, Host, OptionSpec, Options, Question, Searcher, export_ai};

struct Exits {
    how: String,
}

impl Ai for Exits {
    fn options() -> Vec<OptionSpec> {
        vec![OptionSpec::choice("how", "exit", &["exit", "kill"], "by exit(0), or by SIGKILL to itself")]
    }

    fn create(options: &Options) -> Result<Self, AiError> {
        Ok(Self { how: options.text("how")?.to_owned() })
    }
}

impl Searcher for Exits {
    fn search(&mut self, _: &Question<'_>, _: &Host<'_>) -> Result<Answer, AiError> {
        if self.how == "kill" {
            // SAFETY: one call of libc, with a plain argument.
            unsafe { libc::raise(libc::SIGKILL) };
        }
        std::process::exit(0)
    }
}

export_ai!(Exits: Searcher);
