//! An AI built with a later release of the contract, which asks for what today's host does not have.

use ai_api_newer::{
    Abilities, Ai, AiError, Answer, Color, Evaluator, Host, OptionSpec, Options, Position, Question, Role,
    Score, Searcher, Term, export_ai,
    search::{Search, SearchOptions},
};

struct Newer {
    search: Search,
    pawn: Pawns,
}

struct Pawns(i32);

impl Ai for Newer {
    fn options() -> Vec<OptionSpec> {
        vec![OptionSpec::integer("pawn", 100, 1..=200, "what a pawn is worth")]
    }

    fn abilities(_: &Options) -> Abilities {
        Search::ABILITIES
    }

    fn create(options: &Options) -> Result<Self, AiError> {
        let search = Search::new(SearchOptions { hash_mb: 1, ..SearchOptions::default() })?;
        Ok(Self { search, pawn: Pawns(options.integer("pawn")? as i32) })
    }
}

impl Evaluator for Pawns {
    fn evaluate(&mut self, position: &Position, _: &Host<'_>) -> Score {
        let [white, black] = Color::ALL.map(|color| position.pieces(color, Role::Pawn).count() as i32);
        Score::centipawns(self.0 * (white - black))
    }
}

impl Searcher for Newer {
    fn search(&mut self, question: &Question<'_>, host: &Host<'_>) -> Result<Answer, AiError> {
        // As an AI should that knows a later extension: it does without.
        if host.extension(c"rookery.tablebases/1").is_some() {
            return Err(AiError::new("nobody has written that extension yet"));
        }
        Ok(self.search.search(&mut self.pawn, question, host))
    }
}

impl Evaluator for Newer {
    fn evaluate(&mut self, position: &Position, host: &Host<'_>) -> Score {
        self.pawn.evaluate(position, host)
    }

    fn terms(&mut self, position: &Position, host: &Host<'_>) -> Vec<Term> {
        vec![Term::new("pawns", self.evaluate(position, host))]
    }
}

export_ai!(Newer: Searcher + Evaluator, id = "newer");
