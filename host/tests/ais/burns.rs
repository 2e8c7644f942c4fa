//! An AI that computes on when it has answered: in a thread, or in a process that it leaves behind.

use std::hint::black_box;

use ai_api::{Ai, AiError, Answer, Host, OptionSpec, Options, Question, Searcher, export_ai};

unsafe extern "C" {
    fn fork() -> i32;
}

struct Burns {
    elsewhere: bool,
}

fn burn() -> ! {
    let mut number = 1_u64;
    loop {
        number = black_box(number).wrapping_mul(3);
    }
}

impl Ai for Burns {
    fn options() -> Vec<OptionSpec> {
        vec![OptionSpec::flag("elsewhere", false, "whether another process computes")]
    }

    fn create(options: &Options) -> Result<Self, AiError> {
        Ok(Self { elsewhere: options.flag("elsewhere")? })
    }
}

impl Searcher for Burns {
    fn search(&mut self, question: &Question<'_>, host: &Host<'_>) -> Result<Answer, AiError> {
        if !self.elsewhere {
            std::thread::spawn(|| burn());
        // SAFETY: the child only computes.
        } else if unsafe { fork() } == 0 {
            burn();
        }
        Ok(Answer::play(host.legal_moves(&question.position)[0]))
    }
}

export_ai!(Burns: Searcher);
