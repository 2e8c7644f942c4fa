//! An AI that reports a deeper iteration every `interval_ms`. Its option `end` selects how a search
//! ends.

use std::time::{Duration, Instant};

use ai_api::{
    Ai, AiError, Capabilities, Host, Limits, Move, OptionSpec, Options, PvLine, Score, SearchInfo,
    SearchRequest, SearchResult, Searcher, export_ai,
};

/// The number of iterations before the end.
const ITERATIONS: u32 = 300;
const LINES: u32 = 3;

struct Deepening {
    end: String,
    interval: Duration,
}

impl Ai for Deepening {
    fn options() -> Vec<OptionSpec> {
        let ends = ["stops", "answers", "crashes", "hangs", "fails", "cheats"];
        vec![
            OptionSpec::choice("end", "stops", &ends, "the end of a search"),
            OptionSpec::integer("interval_ms", 1, 1..=1000, "the time of an iteration"),
        ]
    }

    fn capabilities(_: &Options, _: &Host<'_>) -> Capabilities {
        Capabilities {
            max_lines: LINES,
            ..Capabilities::SIMPLEST
        }
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        let interval = Duration::from_millis(options.integer("interval_ms")? as u64);
        Ok(Self {
            end: options.text("end")?.to_owned(),
            interval,
        })
    }
}

impl Searcher for Deepening {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        let moves = host.legal_moves(&request.position);
        let lines: Vec<&[Move]> = moves.chunks(1).take(request.lines as usize).collect();
        let most = if self.end == "stops" {
            u32::MAX
        } else {
            ITERATIONS
        };
        let began = Instant::now();
        let Limits {
            depth: max_depth,
            soft_ms,
            ..
        } = request.limits;
        let is_done = |depth| {
            max_depth.is_some_and(|most| depth >= most)
                || soft_ms.is_some_and(|ms| began.elapsed() >= Duration::from_millis(ms))
        };
        let mut depth = 0;
        while !host.should_stop() && !is_done(depth) && depth < most {
            std::thread::sleep(self.interval);
            depth += 1;
            for (pv_number, line) in (1..).zip(&lines) {
                let score = Score::centipawns(depth as i32);
                host.report(&SearchInfo {
                    pv_number,
                    ..SearchInfo::new(depth, score, u64::from(depth), line)
                });
            }
        }
        match self.end.as_str() {
            "crashes" => std::process::abort(),
            "hangs" => loop {
                std::thread::park();
            },
            "fails" => return Err(AiError::new("the search failed")),
            "cheats" => return Ok(SearchResult::play(Move::from_bits(u16::MAX))),
            _ => {}
        }
        let line = |moves: &&[Move]| PvLine::new(depth, Score::DRAW, moves.to_vec());
        Ok(SearchResult {
            depth,
            nodes: u64::from(depth),
            score: Score::centipawns(depth as i32),
            multipv: lines.iter().skip(1).map(line).collect(),
            ..SearchResult::play(moves[0])
        })
    }
}

export_ai!(Deepening: Searcher);
