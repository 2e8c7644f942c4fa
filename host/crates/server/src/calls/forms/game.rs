//! Games in request bodies.

use ai_api::Color;
use rules::{Game, IssueCode, NullMoves, ReadVariations, Setup};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    calls::replies::game::Assumptions,
    error::{GameError, Issue, Malformed, RequestError},
    http::strict_json::optional_name,
};
use formats::{self, FormatIssue, FormatName, Import};

/// A game: a first position and its moves, all its boards, or a text in some format.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GameForm {
    /// The first position in FEN; by default the standard start.
    pub fen: Option<String>,
    /// The moves in UCI; by default none.
    pub moves: Option<Vec<String>>,
    /// The moves in SAN.
    pub san: Option<Vec<String>>,
    /// Every position of the game, oldest first: eight rows of eight, rank 8 first; ±1 pawn, 2 knight, 3 bishop,
    /// 4 rook, 5 queen, 6 king, Black negative.
    pub boards: Option<Vec<Vec<Vec<i64>>>>,
    /// The side to move, for `boards`, `html` and `text`.
    #[serde(default, deserialize_with = "optional_name")]
    pub turn: Option<TurnForm>,
    /// One game in PGN.
    pub pgn: Option<String>,
    /// A position in EPD.
    pub epd: Option<String>,
    /// An HTML page with an element for each square that has `data-row` and `data-col`.
    pub html: Option<String>,
    /// A diagram in letters.
    pub text: Option<String>,
    /// A picture drawn by this server.
    pub svg: Option<String>,
}

/// The side to move.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TurnForm {
    /// White.
    White,
    /// Black.
    Black,
}

impl From<TurnForm> for Color {
    fn from(turn: TurnForm) -> Self {
        match turn {
            TurnForm::White => Self::White,
            TurnForm::Black => Self::Black,
        }
    }
}

/// A validated game and its assumed properties.
pub(crate) struct ReadGame {
    pub(crate) game: Game,
    pub(crate) assumptions: Option<Assumptions>,
}

impl GameForm {
    /// Validates the game.
    ///
    /// # Errors
    /// The game is illegal or longer than `max_plies`, or the form is malformed.
    pub(crate) fn read(&self, max_plies: usize) -> Result<ReadGame, RequestError> {
        let read = self.read_whole(max_plies, ReadVariations::Skip)?;
        Ok(ReadGame { game: read.game.game, assumptions: read.assumed.map(Assumptions::from) })
    }

    /// Reads the last position of the game, or a single position that needn't be legal. Returns its pieces and whether the game is over.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(crate) fn read_setup(&self, max_plies: usize) -> Result<(Setup, bool), RequestError> {
        let error = match self.read(max_plies) {
            Ok(ReadGame { game, .. }) => {
                return Ok((game.position().into(), game.status().outcome.is_some()));
            }
            Err(error @ RequestError::IllegalGame(_)) => error,
            Err(error) => return Err(error),
        };
        let setup = match self {
            Self { fen: Some(fen), moves: None, san: None, .. } => rules::parse_setup(fen).ok(),
            Self { boards: Some(boards), turn: Some(turn), .. } => match boards.as_slice() {
                [board] => Setup::from_board(board, (*turn).into()).ok(),
                _ => None,
            },
            _ => None,
        };
        setup.map(|setup| (setup, false)).ok_or(error)
    }

    /// Validates the game and keeps its comments, tags and variations.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(crate) fn read_whole(
        &self,
        max_plies: usize,
        variations: ReadVariations,
    ) -> Result<formats::GameRecord, RequestError> {
        self.check_keys()?;
        let turn = self.turn.map(Color::from);
        let text = self.texts().into_iter().find_map(|(_, name, text)| Some((name, text.as_ref()?)));
        if let Some((name, text)) = text {
            let null_moves = NullMoves::Reject;
            return read_text(name, text, Import { turn, variations, null_moves, max_plies });
        }
        let placed = |issues| GameError::new(issues, |place| format!("/game{place}"));
        if let Some(boards) = &self.boards {
            check_length(boards.len().saturating_sub(1), max_plies, "/game/boards")?;
            let (game, assumed) = Game::from_boards(boards, turn).map_err(placed)?;
            return Ok(formats::GameRecord { assumed: Some(assumed), ..formats::GameRecord::of(game) });
        }
        let fen = self.fen.as_deref();
        let game = if let Some(moves) = &self.san {
            check_length(moves.len(), max_plies, "/game/san")?;
            Game::from_san(fen, moves)
        } else {
            let moves = self.moves.as_deref().unwrap_or_default();
            check_length(moves.len(), max_plies, "/game/moves")?;
            Game::from_moves(fen, moves)
        };
        Ok(formats::GameRecord::of(game.map_err(placed)?))
    }

    /// Returns the formats that are texts, with their keys.
    fn texts(&self) -> [(&'static str, FormatName, &Option<String>); 5] {
        [
            ("pgn", FormatName::Pgn, &self.pgn),
            ("epd", FormatName::Epd, &self.epd),
            ("html", FormatName::Html, &self.html),
            ("text", FormatName::Text, &self.text),
            ("svg", FormatName::Svg, &self.svg),
        ]
    }

    /// Rejects keys that exclude each other.
    fn check_keys(&self) -> Result<(), Malformed> {
        let moves =
            [("san", self.san.is_some()), ("moves", self.moves.is_some()), ("fen", self.fen.is_some())];
        let texts = self.texts().map(|(key, _, text)| (key, text.is_some()));
        let keys = [("boards", self.boards.is_some())].into_iter().chain(texts).chain(moves);
        let given: Vec<_> = keys.filter(|(_, is_given)| *is_given).map(|(key, _)| key).collect();
        match given.as_slice() {
            [] | [_] | ["moves" | "san", "fen"] => {}
            [key, other, ..] => {
                let detail = format!(
                    "'{key}' and '{other}' cannot be combined; send one of them ('fen' can be combined with 'moves' or 'san')"
                );
                return Err(Malformed::new("/game", detail));
            }
        }
        if self.turn.is_some() && self.boards.is_none() && self.html.is_none() && self.text.is_none() {
            let detail = "'turn' is only for 'boards', 'html' and 'text'; a FEN contains the side to move";
            return Err(Malformed::new("/game/turn", detail));
        }
        if self.boards.as_ref().is_some_and(|boards| boards.len() == 1) && self.turn.is_none() {
            let detail = "a single board has no side to move; add \"turn\": \"white\" or \"black\"";
            return Err(Malformed::new("/game/turn", detail));
        }
        Ok(())
    }
}

/// Reads the only game of a text.
fn read_text(name: FormatName, text: &str, how: Import) -> Result<formats::GameRecord, RequestError> {
    let issue = |issue: FormatIssue| {
        let pointer = if issue.code == IssueCode::WrongTurn.into_str() {
            "/game/turn".to_owned()
        } else {
            format!("/game/{name}")
        };
        let (line, column, ply) = (issue.place.line, issue.place.column, issue.place.ply);
        Issue { code: issue.code, message: issue.message, pointer, ply, line, column }
    };
    let mut games = name.format().import(text, how);
    let found = match (games.next(), games.next()) {
        (Some(game), None) => {
            return game
                .map_err(|issues| GameError { issues: issues.into_iter().map(issue).collect() }.into());
        }
        (None, _) => "no game",
        (Some(_), Some(_)) => "more than one game",
    };
    let detail = format!("the text contains {found}; send exactly one");
    Err(Malformed::new(format!("/game/{name}"), detail).into())
}

/// Rejects a game that is too long, before it is parsed.
pub(crate) fn check_length(plies: usize, max_plies: usize, pointer: &str) -> Result<(), Malformed> {
    if plies <= max_plies {
        return Ok(());
    }
    let detail = format!(
        "the game has {plies} half-moves; at most {max_plies} are allowed (max_plies); start the game at a later position"
    );
    Err(Malformed::new(pointer, detail))
}
