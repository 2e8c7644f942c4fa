//! A game with all that a format may tell of it.

use ai_api::Position;
use rules::{Assumed, Game, Operation, PgnGame, format_fen};

/// A game on its way from one format to another.
#[derive(Clone, Debug)]
pub struct GameRecord {
    /// The game, its tags and what is said of its moves.
    pub game: PgnGame,
    /// What is said of its position.
    pub operations: Vec<Operation>,
    /// What the text did not tell and was therefore assumed.
    pub assumed: Option<Assumed>,
}

impl GameRecord {
    /// A game of which nothing else is known.
    pub fn of(game: Game) -> Self {
        PgnGame::new(game).into()
    }

    /// A position.
    pub fn at(position: Position) -> Self {
        Self::of(Game::new(position))
    }

    /// Whether there is something of this part.
    pub fn has(&self, part: Part) -> bool {
        let (game, notes) = (&self.game.game, &self.game.notes);
        match part {
            Part::RightsAndClocks => {
                let start = game.start();
                let bare = board_rows(start);
                Game::from_boards(&[bare], Some(start.turn()))
                    .map_or(true, |(assumed, _)| format_fen(assumed.start()) != format_fen(start))
            }
            Part::Moves => !game.moves().is_empty(),
            Part::Tags => !self.game.tags.is_empty(),
            Part::Comments => notes.comments.iter().any(|comment| !comment.is_empty()),
            Part::Glyphs => notes.glyphs.iter().any(|glyphs| !glyphs.is_empty()),
            Part::Variations => !notes.variations.is_empty(),
            Part::Result => self.game.result != PgnGame::new(game.clone()).result,
            Part::Operations => !self.operations.is_empty(),
        }
    }
}

impl From<PgnGame> for GameRecord {
    fn from(game: PgnGame) -> Self {
        Self { game, operations: Vec::new(), assumed: None }
    }
}

/// A board as the rules read it.
pub(super) fn board_rows(position: &Position) -> Vec<Vec<i64>> {
    rules::board_of(position).iter().map(|row| row.iter().map(|&code| code.into()).collect()).collect()
}

/// What a format may hold of a game, beside the pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Castling rights, en passant square and clocks of the first position.
    RightsAndClocks,
    /// The moves, and so how it came about.
    Moves,
    /// What is told of the game.
    Tags,
    /// What is said of the moves.
    Comments,
    /// What is thought of the moves.
    Glyphs,
    /// What might have been played.
    Variations,
    /// A result that does not follow from the board.
    Result,
    /// What is said of the position.
    Operations,
}

impl Part {
    /// Every part.
    pub const ALL: [Self; 8] = [
        Self::RightsAndClocks,
        Self::Moves,
        Self::Tags,
        Self::Comments,
        Self::Glyphs,
        Self::Variations,
        Self::Result,
        Self::Operations,
    ];

    /// Its stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RightsAndClocks => "rights_and_clocks",
            Self::Moves => "moves",
            Self::Tags => "tags",
            Self::Comments => "comments",
            Self::Glyphs => "glyphs",
            Self::Variations => "variations",
            Self::Result => "result",
            Self::Operations => "operations",
        }
    }
}
