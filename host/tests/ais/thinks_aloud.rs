//! An AI that tells each thought, a deeper one about every millisecond, and comes to the end that its option names.

use std::time::{Duration, Instant};

use ai_api::{
    Abilities, Ai, AiError, Answer, Host, Limit, Line, Move, OptionSpec, Options, Question, Report, Score,
    Searcher, export_ai,
};

const THOUGHT: Duration = Duration::from_millis(1);
/// After so many thoughts comes the end.
const THOUGHTS: u32 = 300;
const LINES: u32 = 3;

struct ThinksAloud {
    end: String,
}

impl Ai for ThinksAloud {
    fn options() -> Vec<OptionSpec> {
        let ends = ["is_asked", "answers", "crashes", "hangs", "fails", "cheats"];
        vec![OptionSpec::choice("end", "is_asked", &ends, "what it does in the end")]
    }

    fn abilities(_: &Options) -> Abilities {
        Abilities { max_lines: LINES, ..Abilities::SIMPLEST }
    }

    fn create(options: &Options) -> Result<Self, AiError> {
        Ok(Self { end: options.text("end")?.to_owned() })
    }
}

impl Searcher for ThinksAloud {
    fn search(&mut self, question: &Question<'_>, host: &Host<'_>) -> Result<Answer, AiError> {
        let moves = host.legal_moves(&question.position);
        let lines: Vec<&[Move]> = moves.chunks(1).take(question.lines as usize).collect();
        let most = if self.end == "is_asked" { u32::MAX } else { THOUGHTS };
        let began = Instant::now();
        let is_done = |depth| match question.limit {
            Limit::Depth(asked) => depth >= asked,
            Limit::Nodes(_) => false,
            Limit::MovetimeMs(asked) => began.elapsed() >= Duration::from_millis(asked),
        };
        let mut depth = 0;
        while !host.should_stop() && !is_done(depth) && depth < most {
            std::thread::sleep(THOUGHT);
            depth += 1;
            for (line_number, line) in (1..).zip(&lines) {
                let score = Score::centipawns(depth as i32);
                host.report(&Report { line_number, ..Report::new(depth, score, u64::from(depth), line) });
            }
        }
        match self.end.as_str() {
            "crashes" => std::process::abort(),
            "hangs" => loop {
                std::thread::park();
            },
            "fails" => return Err(AiError::new("it has lost the thread")),
            "cheats" => return Ok(Answer::play(Move::from_bits(u16::MAX))),
            _ => {}
        }
        let line = |moves: &&[Move]| Line { score: Score::DRAW, depth, moves: moves.to_vec() };
        Ok(Answer {
            depth,
            nodes: u64::from(depth),
            score: Score::centipawns(depth as i32),
            further_lines: lines.iter().skip(1).map(line).collect(),
            ..Answer::play(moves[0])
        })
    }
}

export_ai!(ThinksAloud: Searcher);
