//! An AI whose line of play is legal only at its start, and whose reports are many.

use ai_api::{Ai, AiError, Answer, Host, Move, Options, Question, Report, Score, Searcher, export_ai};

struct Boasts;

impl Ai for Boasts {
    fn create(_: &Options) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Searcher for Boasts {
    fn search(&mut self, question: &Question<'_>, host: &Host<'_>) -> Result<Answer, AiError> {
        let first = host.legal_moves(&question.position)[0];
        let next = host.legal_moves(&host.play(&question.position, first))[0];
        let nonsense = Move::from_bits(u16::MAX);
        let line = [first, next, nonsense, first];
        for depth in 0..10_000 {
            host.report(&Report::new(depth, Score::MAX, u64::MAX, &line));
        }
        Ok(Answer { depth: u32::MAX, nodes: u64::MAX, line: line.to_vec(), ..Answer::play(first) })
    }
}

export_ai!(Boasts: Searcher, id = "boasts");
