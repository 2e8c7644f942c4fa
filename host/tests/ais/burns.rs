//! An AI that computes on when it has answered: in a thread, in a process that it leaves behind, or in many short-lived processes
//! that nobody waits for.

use std::{
    hint::black_box,
    sync::Once,
    time::{Duration, Instant},
};

use ai_api::{Ai, AiError, Host, OptionSpec, Options, SearchRequest, SearchResult, Searcher, export_ai};

unsafe extern "C" {
    fn fork() -> i32;
}

/// One thread, however often it is asked.
static BURNING: Once = Once::new();
/// How long each of the short-lived processes computes.
const SHORT_LIFE: Duration = Duration::from_millis(300);

struct Burns {
    elsewhere: bool,
    unreaped: bool,
}

fn burn() -> ! {
    let mut number = 1_u64;
    loop {
        number = black_box(number).wrapping_mul(3);
    }
}

/// Lets one child after another compute. The kernel discards their times, since their parent ignores their ends.
fn burn_in_children() -> ! {
    // SAFETY: the process has one thread, and calls nothing but libc.
    unsafe {
        libc::signal(libc::SIGCHLD, libc::SIG_IGN);
        loop {
            if fork() == 0 {
                let began = Instant::now();
                while began.elapsed() < SHORT_LIFE {
                    black_box(began);
                }
                libc::_exit(0);
            }
            // Returns when no child is left.
            libc::waitpid(-1, std::ptr::null_mut(), 0);
        }
    }
}

impl Ai for Burns {
    fn options() -> Vec<OptionSpec> {
        vec![
            OptionSpec::flag("elsewhere", false, "whether another process computes"),
            OptionSpec::flag("unreaped", false, "whether many short-lived processes compute"),
        ]
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self { elsewhere: options.flag("elsewhere")?, unreaped: options.flag("unreaped")? })
    }
}

impl Searcher for Burns {
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        let (elsewhere, unreaped) = (self.elsewhere, self.unreaped);
        BURNING.call_once(|| {
            if !elsewhere && !unreaped {
                std::thread::spawn(|| burn());
            // SAFETY: the child only computes, and starts others that do.
            } else if unsafe { fork() } == 0 {
                if unreaped { burn_in_children() } else { burn() }
            }
        });
        Ok(SearchResult::play(host.legal_moves(&question.position)[0]))
    }
}

export_ai!(Burns: Searcher);
