//! An AI that asks for what today's host does not have and offers what it does not know.

use std::ffi::{CStr, c_char};

use ai_api::{
    Abilities, Ai, AiError, Answer, Color, Evaluator, Extension, Host, OptionSpec, Options, Position,
    Question, Role, Score, Searcher, Term, c::CAi, export::Exported,
};
use ai_search::{Search, SearchOptions};

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

/// An extension that a later host may know: a table behind the head that all have.
#[repr(C)]
struct Winners {
    head: Extension,
    has_won: extern "C" fn(&Position) -> bool,
}

static WINNERS: Winners = Winners { head: Extension { size: size_of::<Winners>() }, has_won };

extern "C" fn has_won(position: &Position) -> bool {
    position.pieces(!position.turn(), Role::King).is_empty()
}

/// What the AI offers to a host that asks for it by name.
unsafe extern "C" fn offered(name: *const c_char) -> Option<&'static Extension> {
    // SAFETY: the host hands over a text that ends with a NUL.
    let name = unsafe { CStr::from_ptr(name) };
    (name == c"newer.winners/1").then_some(&WINNERS.head)
}

ai_api::rookery_note!(id = "newer", version = "1.1.0");

impl Exported for Newer {
    type Ai = Self;
    const NAME: &'static str = "Newer";
    const VERSION: &'static str = "1.1.0";
    const AUTHOR: &'static str = "";
}

// What `export_ai!` writes for an AI that offers nothing beside the contract.
#[unsafe(export_name = "rookery_ai_entry")]
static ENTRY: CAi = CAi {
    extension: Some(offered),
    ..CAi::exporting::<Newer>().with_searcher::<Newer>().with_evaluator::<Newer>()
};
