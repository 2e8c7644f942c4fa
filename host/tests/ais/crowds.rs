//! An AI that computes in as many threads and for as long as it is told.

use std::{
    hint::black_box,
    thread,
    time::{Duration, Instant},
};

use ai_api::{
    Ai, AiError, Flag, Host, OptionSpec, Options, SearchRequest, SearchResult, Searcher, export_ai,
};

struct Crowds {
    threads: i64,
    time: Duration,
}

impl Ai for Crowds {
    fn options() -> Vec<OptionSpec> {
        vec![
            OptionSpec::integer("threads", 64, 1..=1000, "how many"),
            OptionSpec::integer("time_ms", 1000, 1..=60_000, "how long"),
        ]
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        let time = Duration::from_millis(options.integer("time_ms")?.unsigned_abs());
        Ok(Self { threads: options.integer("threads")?, time })
    }
}

impl Searcher for Crowds {
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        let (stop, end) = (host.stop_flag(), Instant::now() + self.time);
        thread::scope(|scope| {
            for _ in 0..self.threads {
                scope.spawn(|| burn(stop, end));
            }
        });
        Ok(SearchResult::play(host.legal_moves(&question.position)[0]))
    }
}

fn burn(stop: &Flag, end: Instant) {
    let mut number = 1_u64;
    while !stop.get() && Instant::now() < end {
        for _ in 0..10_000 {
            number = black_box(number).wrapping_mul(3);
        }
    }
}

export_ai!(Crowds: Searcher);
