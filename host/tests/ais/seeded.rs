//! An AI with a strength and seeds, which it returns: `elo` as the score, `seed` as the nodes and
//! the choice of the move, and `book_seed` as the depth.

use ai_api::{
    Ai, AiError, Host, OptionSetting, OptionSpec, OptionValue, Options, Score, SearchRequest,
    SearchResult, Searcher, export_ai,
};

struct Seeded(Options);

impl Ai for Seeded {
    fn options() -> Vec<OptionSpec> {
        vec![
            OptionSpec::integer("elo", 0, 0..=2800, "strength; 0 is full strength").live(),
            OptionSpec::integer("seed", 1, 0..=i64::from(u32::MAX), "varies games").live(),
            OptionSpec::integer("book_seed", 1, 0..=1000, "varies openings").live(),
        ]
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        Ok(Self(options.clone()))
    }

    fn set_option(&mut self, setting: &OptionSetting, _: &Host<'_>) -> Result<(), AiError> {
        self.0.set(setting);
        Ok(())
    }
}

impl Seeded {
    fn number(&self, name: &str) -> u64 {
        let Some(OptionValue::Integer(number)) = self.0.get(name) else {
            return 0;
        };
        number.cast_unsigned()
    }
}

impl Searcher for Seeded {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        let moves = host.legal_moves(&request.position);
        let chosen = moves[self.number("seed") as usize % moves.len()];
        Ok(SearchResult {
            score: Score::centipawns(self.number("elo") as i32),
            depth: self.number("book_seed") as u32,
            nodes: self.number("seed"),
            pv: vec![chosen],
            ..SearchResult::play(chosen)
        })
    }
}

export_ai!(Seeded: Searcher);
