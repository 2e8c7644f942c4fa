//! A game with everything that formats can store.

use ai_api::{Color, Position};
use rules::{Assumed, Game, ImportNote, Operation, PgnGame, PgnResult, format_fen};
use strum::VariantArray as _;

use crate::FormatIssue;

/// A game between import and export.
#[derive(Clone, Debug)]
pub struct GameRecord {
    /// The game with tags, comments, glyphs and variations.
    pub game: PgnGame,
    /// The EPD operations of the position.
    pub operations: Vec<Operation>,
    /// What was assumed because the text does not state it.
    pub assumed: Option<Assumed>,
    /// Faults in the text that were accepted.
    pub notes: Vec<ImportNote>,
}

impl GameRecord {
    /// Creates a record of a game without notes.
    pub fn of(game: Game) -> Self {
        PgnGame::new(game).into()
    }

    /// Creates a record of a game with notes.
    pub(crate) fn noted((game, notes): (Game, Vec<ImportNote>)) -> Self {
        Self {
            notes,
            ..Self::of(game)
        }
    }

    /// Creates a record of just a position.
    pub fn at(position: Position) -> Self {
        Self::of(Game::new(position))
    }

    /// Reads a record from boards, oldest first, with assumed rights and clocks.
    pub(crate) fn of_boards(
        boards: &[Rows],
        turn: Option<Color>,
    ) -> Result<Self, Vec<FormatIssue>> {
        let (game, assumed) = Game::from_boards(boards, turn).map_err(|issues| {
            issues
                .into_iter()
                .map(FormatIssue::of_game)
                .collect::<Vec<_>>()
        })?;
        Ok(Self {
            assumed: Some(assumed),
            ..Self::of(game)
        })
    }

    /// Returns whether the record has this part.
    pub fn has(&self, part: Part) -> bool {
        let (game, notes) = (&self.game.game, &self.game.notes);
        match part {
            Part::RightsAndClocks => {
                let start = game.start();
                let bare = board_rows(start);
                Game::from_boards(&[bare], Some(start.turn())).map_or(true, |(assumed, _)| {
                    format_fen(assumed.start()) != format_fen(start)
                })
            }
            Part::Moves => !game.moves().is_empty(),
            Part::Tags => !self.game.tags.is_empty(),
            Part::Comments => notes.comments.iter().any(|comment| !comment.is_empty()),
            Part::Glyphs => notes.glyphs.iter().any(|glyphs| !glyphs.is_empty()),
            Part::Variations => !notes.variations.is_empty(),
            Part::Result => self.game.result != PgnResult::of_game(game),
            Part::Operations => !self.operations.is_empty(),
        }
    }
}

impl From<PgnGame> for GameRecord {
    fn from(mut game: PgnGame) -> Self {
        let notes = std::mem::take(&mut game.accepted);
        Self {
            game,
            operations: Vec::new(),
            assumed: None,
            notes,
        }
    }
}

/// A board in the form that [`Game::from_boards`] reads.
pub(crate) type Rows = Vec<Vec<i64>>;

pub(crate) fn board_rows(position: &Position) -> Rows {
    rules::board_of(position)
        .map(|row| row.map(i64::from).to_vec())
        .to_vec()
}

/// A part of a game, apart from the piece placement, that a format may store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Part {
    /// The castling rights, en passant square and clocks of the first position.
    RightsAndClocks,
    Moves,
    /// PGN tags.
    Tags,
    Comments,
    Glyphs,
    Variations,
    /// A result that does not follow from the board.
    Result,
    /// EPD operations.
    Operations,
}

impl Part {
    pub const ALL: &[Self] = Self::VARIANTS;
}
