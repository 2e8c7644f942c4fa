//! Huo1, an AI whose search can be watched, as in Huo Chess.
//!
//! It prunes moves to [dangerous](danger) squares, then searches by minimax to the depth of its
//! level and keeps the tree for a trace. Its [evaluation] is mostly material, with penalties and
//! rewards in the opening. A pawn always promotes to a queen.

mod clock;
pub mod danger;
pub mod evaluation;
mod minimax;
mod tree;

use ai_api::{
    Ai, AiError, Capabilities, EvalTerm, Evaluator, Host, OptionSetting, OptionSpec, OptionValue,
    Options, Position, Score, SearchRequest, SearchResult, Searcher,
};
use evaluation::{Evaluation, Phase};
use minimax::Replies;
pub use tree::MAX_TRACE_NODES;
use tree::Tree;

ai_api::export_ai!(Huo1: Searcher + Evaluator, name = "Huo1");

pub const MAX_LEVEL: u32 = 6;

#[derive(Debug)]
pub struct Huo1 {
    /// The depth of the search in plies.
    level: u32,
    replies: Replies,
    tree: Tree,
}

impl Ai for Huo1 {
    fn options() -> Vec<OptionSpec> {
        let help = "plies to search, unless the request has a depth";
        let replies = "search every reply of the opponent or, like Huo Chess 0.84, only the one \
            with the best static evaluation";
        vec![
            OptionSpec::integer("level", 3, 1..=i64::from(MAX_LEVEL), help).live(),
            OptionSpec::choice("search", "minimax", &["minimax", "best_reply"], replies).live(),
        ]
    }

    fn capabilities(_: &Options, _: &Host<'_>) -> Capabilities {
        Capabilities {
            chess960: true,
            root_moves: true,
            ponder: true,
            max_trace_nodes: MAX_TRACE_NODES,
            ..Capabilities::SIMPLEST
        }
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        let replies = Replies::named(options.text("search")?);
        Ok(Self {
            level: level(options.integer("level")?)?,
            replies,
            tree: Tree::default(),
        })
    }

    fn set_option(&mut self, setting: &OptionSetting, _: &Host<'_>) -> Result<(), AiError> {
        match &setting.value {
            OptionValue::Integer(number) => self.level = level(*number)?,
            OptionValue::Text(name) => self.replies = Replies::named(name),
            _ => {}
        }
        Ok(())
    }
}

fn level(number: i64) -> Result<u32, AiError> {
    let level = u32::try_from(number)
        .ok()
        .filter(|level| (1..=MAX_LEVEL).contains(level));
    level.ok_or_else(|| AiError::new(format!("level: expected 1 to {MAX_LEVEL}")))
}

impl Searcher for Huo1 {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        Ok(minimax::search(
            &mut self.tree,
            self.level,
            self.replies,
            request,
            host,
        ))
    }
}

impl Evaluator for Huo1 {
    fn evaluate(&mut self, position: &Position, _: &Host<'_>) -> Score {
        Evaluation::of(position, Phase::of(position)).score()
    }

    fn terms(&mut self, position: &Position, _: &Host<'_>) -> Vec<EvalTerm> {
        Evaluation::of(position, Phase::of(position)).terms()
    }
}
