//! An AI built with the frozen sources of the contract.

use ai_api_frozen::{
    Abilities, Ai, AiError, Answer, Color, Evaluator, Host, OptionSpec, Options, Position, Question, Role,
    Score, Searcher, Term, export_ai,
    search::{Search, SearchOptions},
};

struct Frozen {
    search: Search,
    pawn: Pawns,
}

struct Pawns(i32);

impl Ai for Frozen {
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

impl Searcher for Frozen {
    fn search(&mut self, question: &Question<'_>, host: &Host<'_>) -> Result<Answer, AiError> {
        Ok(self.search.search(&mut self.pawn, question, host))
    }
}

impl Evaluator for Frozen {
    fn evaluate(&mut self, position: &Position, host: &Host<'_>) -> Score {
        self.pawn.evaluate(position, host)
    }

    fn terms(&mut self, position: &Position, host: &Host<'_>) -> Vec<Term> {
        vec![Term::new("pawns", self.evaluate(position, host))]
    }
}

export_ai!(Frozen: Searcher + Evaluator, id = "frozen");
