//! An AI that requests an extension that this host lacks and offers one that the host does not
//! know.

use std::ffi::CStr;

use ai_api::{
    Ai, AiError, Capabilities, Color, EvalTerm, Evaluator, Extension, Host, OptionSpec, Options,
    Position, Role, Score, SearchRequest, SearchResult, Searcher,
};
use ai_search::{Search, SearchOptions};

struct Newer {
    search: Search,
    pawn: Pawns,
}

struct Pawns(i32);

impl Ai for Newer {
    fn options() -> Vec<OptionSpec> {
        vec![OptionSpec::integer(
            "pawn",
            100,
            1..=200,
            "the value of a pawn",
        )]
    }

    fn capabilities(_: &Options, _: &Host<'_>) -> Capabilities {
        Search::CAPABILITIES
    }

    fn extension(name: &CStr) -> Option<&'static Extension> {
        (name == c"newer.winners/1").then_some(&WINNERS.head)
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        let search = Search::new(SearchOptions {
            hash_mb: 1,
            ..SearchOptions::default()
        })?;
        Ok(Self {
            search,
            pawn: Pawns(options.integer("pawn")? as i32),
        })
    }
}

impl Evaluator for Pawns {
    fn evaluate(&mut self, position: &Position, _: &Host<'_>) -> Score {
        let [white, black] =
            Color::ALL.map(|color| position.pieces(color, Role::Pawn).count() as i32);
        Score::centipawns(self.0 * (white - black))
    }
}

impl Searcher for Newer {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        // The AI works without the extension.
        if host.extension(c"rookery.tablebases/1").is_some() {
            return Err(AiError::new(
                "the host offers an extension that does not exist",
            ));
        }
        Ok(self.search.search(&mut self.pawn, request, host))
    }
}

impl Evaluator for Newer {
    fn evaluate(&mut self, position: &Position, host: &Host<'_>) -> Score {
        self.pawn.evaluate(position, host)
    }

    fn terms(&mut self, position: &Position, host: &Host<'_>) -> Vec<EvalTerm> {
        vec![EvalTerm::new("pawns", self.evaluate(position, host))]
    }
}

/// An extension of a later host: a table after the common header.
#[repr(C)]
struct Winners {
    head: Extension,
    has_won: extern "C" fn(&Position) -> bool,
}

static WINNERS: Winners = Winners {
    head: Extension {
        size: size_of::<Winners>(),
    },
    has_won,
};

extern "C" fn has_won(position: &Position) -> bool {
    position.pieces(!position.turn(), Role::King).is_empty()
}

ai_api::export_ai!(Newer: Searcher + Evaluator, name = "Newer", id = "newer", version = "1.1.0");
