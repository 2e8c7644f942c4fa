//! An AI that counts the games that it hears of, and says so in place of the nodes.

use ai_api::{Ai, AiError, Host, OptionSpec, Options, SearchRequest, SearchResult, Searcher, export_ai};

struct Remembers {
    games: u64,
    waits: String,
}

fn wait_for_ever() -> ! {
    loop {
        std::thread::park();
    }
}

impl Ai for Remembers {
    fn options() -> Vec<OptionSpec> {
        let choices = ["never", "create", "new_game"];
        vec![OptionSpec::choice("waits", "never", &choices, "where it waits for ever")]
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        let waits = options.text("waits")?.to_owned();
        if waits == "create" {
            wait_for_ever();
        }
        Ok(Self { games: 1, waits })
    }

    fn new_game(&mut self, _: &Host<'_>) -> Result<(), AiError> {
        if self.waits == "new_game" {
            wait_for_ever();
        }
        self.games += 1;
        // Seven games are enough for anybody.
        if self.games == 7 { Err(AiError::new("tired of new games")) } else { Ok(()) }
    }
}

impl Searcher for Remembers {
    fn search(&mut self, question: &SearchRequest<'_>, host: &Host<'_>) -> Result<SearchResult, AiError> {
        let mut answer = SearchResult::play(host.legal_moves(&question.position)[0]);
        answer.nodes = self.games;
        Ok(answer)
    }
}

export_ai!(Remembers: Searcher);
