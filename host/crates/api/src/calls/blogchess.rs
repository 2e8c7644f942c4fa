//! The calls of the 2014 project, with its field names and board arrays. Like its JSON library,
//! they match names in any case and ignore unknown names.

use std::borrow::Cow;

use crate::{
    call::{AI, BODY, CLIENT, Call, GAME, list},
    choice::choose,
    error::{IllegalGameError, Issue, Malformed, RequestError},
    forms::game::{check_length, check_playable},
    json::{Caseless, name},
    schemas::schema_of,
    words::BoardWord,
};
use ai_api::{Color, Limits, Score, ScoreKind};
use config::DEPTHS;
use game::{Client, GameService, RequestedOptions, RequestedSearch};
use rules::{Board, Game, GameIssue, IssueCode, Place, Status};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use strum::VariantArray;
use text::printable;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, OneOfBuilder, Ref, RefOr, Schema, Type},
};

pub const BEST_MOVE: Call = Call {
    tag: "BlogChess",
    summary: "Find the best move (2014)",
    description: "A game is a status and all its positions. The reply has one more position. \
                  Unknown fields are ignored, and the body may also be `text/json`.",
    parameters: choice_parameters,
    errors: &[CLIENT, BODY, GAME, AI],
    excluded: Some(one_board_without_turn),
    example: include_str!("blogchess/best_move.json"),
    ..Call::post::<ChessGameForm>(
        "blogChessBestMove",
        "/api/BlogChess/BestMove",
        schema_of::<ChessGameReply>,
    )
};
pub const VALID_MOVES: Call = Call {
    tag: "BlogChess",
    summary: "List the next boards (2014)",
    description: "Returns the position after each legal move, even if the game is drawn. Unknown \
                  fields are ignored, and the body may also be `text/json`.",
    parameters: || {
        vec![legacy_parameter(
            "No effect, because the reply has no evaluation.",
        )]
    },
    excluded: Some(one_board_without_turn),
    example: include_str!("blogchess/valid_moves.json"),
    ..Call::post::<ChessGameForm>(
        "blogChessValidMoves",
        "/api/BlogChess/ValidMoves",
        list::<ChessPositionReply>,
    )
};

/// Matches a single board with a status that does not name the side to move.
fn one_board_without_turn() -> Value {
    json!({"properties": {
        "Positions": {"maxItems": 1},
        "GameStatus": {"enum": [null, "Draw", 4]}
    }})
}

/// The value of a mate, in pawns, before one pawn is subtracted for each move until mate.
const MATE_IN_PAWNS: i32 = 1000;
/// The value of any mate in 2014.
const LEGACY_MATE: i32 = 100_000;
/// At this depth, the AI evaluates the position instead of searching.
const NO_SEARCH: u64 = 0;

/// A game in a request.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ChessGameForm {
    /// The side to move, or the result.
    pub game_status: Option<GameStatusForm>,
    /// Every position of the game, oldest first.
    #[schema(value_type = Vec<ChessPositionForm>, min_items = 1)]
    pub positions: Vec<Caseless<ChessPositionForm>>,
    /// The evaluation from the previous reply. It is ignored.
    pub current_evaluation: Option<f64>,
}

/// A position of a game.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ChessPositionForm {
    /// Eight rows of eight numbers, rank 8 first.
    #[schema(value_type = BoardWord)]
    pub board: Vec<Vec<i64>>,
}

/// A status, as a name or as a number.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "GameStatus must be WhitesTurn, BlacksTurn, WhiteWin, BlackWin or Draw, or its \
        number from 0 to 4"
)]
pub enum GameStatusForm {
    /// The name.
    Name(#[serde(deserialize_with = "name")] GameStatus),
    /// The index of the name in [`GameStatus`].
    Number(u8),
}

/// The side to move, or the result. The numbers 0 to 4 are these names in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, VariantArray)]
pub enum GameStatus {
    WhitesTurn,
    BlacksTurn,
    WhiteWin,
    BlackWin,
    Draw,
}

/// A game in a reply.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ChessGameReply {
    /// The side to move or the result, as a name or a number, whichever the request used.
    #[schema(value_type = GameStatusForm)]
    pub game_status: GameStatusReply,
    /// Every position, the new one last.
    pub positions: Vec<ChessPositionReply>,
    /// The score in pawns, from White's point of view. With `legacy`, it is from the point of view
    /// of the side to move in the request.
    pub current_evaluation: f64,
}

impl PartialSchema for GameStatusForm {
    fn schema() -> RefOr<Schema> {
        let last = GameStatus::VARIANTS.len() as i32 - 1;
        let number = ObjectBuilder::new()
            .schema_type(Type::Integer)
            .minimum(Some(0))
            .maximum(Some(last));
        OneOfBuilder::new()
            .description(Some("A status, as a name or as its number."))
            .item(Ref::from_schema_name(GameStatus::name()))
            .item(number)
            .into()
    }
}

impl ToSchema for GameStatusForm {
    fn name() -> Cow<'static, str> {
        "GameStatusOrNumber".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((GameStatus::name().into_owned(), GameStatus::schema()));
    }
}

/// A status as a name or a number, whichever the request used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum GameStatusReply {
    /// The name.
    Name(GameStatus),
    /// The number.
    Number(u8),
}

/// A position in a reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct ChessPositionReply {
    /// Eight rows of eight numbers, rank 8 first.
    #[schema(value_type = BoardWord)]
    pub board: Board,
}

/// The query of the best-move call.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChoiceForm {
    ai: Option<String>,
    depth: Option<String>,
    legacy: Option<String>,
}

/// The query of the valid-moves call.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LegacyForm {
    legacy: Option<String>,
}

impl LegacyForm {
    /// Returns whether the client wants evaluations as in 2014.
    ///
    /// # Errors
    /// `legacy` is neither true nor false.
    pub fn read(&self) -> Result<bool, Malformed> {
        is_legacy(self.legacy.as_deref())
    }
}

/// Returns whether the client wants evaluations as in 2014.
fn is_legacy(text: Option<&str>) -> Result<bool, Malformed> {
    match text {
        None => Ok(false),
        Some(text) if text.eq_ignore_ascii_case("true") => Ok(true),
        Some(text) if text.eq_ignore_ascii_case("false") => Ok(false),
        Some(text) => {
            let detail = format!("legacy is '{}'; it must be true or false", printable(text));
            Err(Malformed::new("/legacy", detail))
        }
    }
}

impl ChoiceForm {
    /// Returns the same choice, but with the client's AI.
    pub(crate) fn of_default_ai(self) -> Self {
        Self { ai: None, ..self }
    }

    /// Returns the requested search; `None` if the client wants only the evaluation.
    fn search(&self) -> Result<Option<RequestedSearch<'_>>, Malformed> {
        let Some(text) = &self.depth else {
            return Ok(Some(RequestedSearch::BEST_MOVE));
        };
        let most = *DEPTHS.end();
        let depth = text
            .parse()
            .ok()
            .filter(|depth| (NO_SEARCH..=most).contains(depth));
        match depth {
            None => {
                let text = printable(text);
                let detail = format!(
                    "depth is '{text}'; it must be a whole number from 1 to {most}, or 0 for the \
                     evaluation without a move"
                );
                Err(Malformed::new("/depth", detail))
            }
            Some(NO_SEARCH) => Ok(None),
            Some(depth) => {
                let limit = Limits {
                    depth: Some(depth as u32),
                    ..Limits::NONE
                };
                Ok(Some(RequestedSearch {
                    limit: Some(limit),
                    ..RequestedSearch::BEST_MOVE
                }))
            }
        }
    }
}

fn choice_parameters() -> Vec<Value> {
    let depths = json!({"type": "integer", "minimum": NO_SEARCH, "maximum": DEPTHS.end()});
    vec![
        parameter(
            "ai",
            &json!({"type": "string"}),
            "The id of the AI. Defaults to the client's AI.",
        ),
        parameter(
            "depth",
            &depths,
            "The depth in plies. Defaults to the AI's limit. With 0 the reply has the evaluation \
                and no new position.",
        ),
        legacy_parameter(
            "Whether `CurrentEvaluation` is as in 2014: for the side to move in the request, \
                with ±100000 for any mate.",
        ),
    ]
}

fn legacy_parameter(description: &str) -> Value {
    parameter(
        "legacy",
        &json!({"type": "boolean", "default": false}),
        description,
    )
}

fn parameter(name: &str, schema: &Value, description: &str) -> Value {
    json!({
        "name": name,
        "in": "query",
        "required": false,
        "schema": schema,
        "description": description
    })
}

/// Plays the chosen AI's move, unless the game is over or the client wants only the evaluation.
/// Dropping the future cancels the search.
///
/// # Errors
/// The game is illegal, or the AI fails.
pub async fn best_move(
    service: &GameService,
    client: &Client,
    form: &ChessGameForm,
    choice: &ChoiceForm,
) -> Result<ChessGameReply, RequestError> {
    let game = form.read(service.config().server.max_plies)?;
    let ai = choose(service, client, choice.ai.as_deref())?;
    let (search, options) = (choice.search()?, RequestedOptions::default());
    let is_legacy = is_legacy(choice.legacy.as_deref())?;
    let mover = game.position().turn();
    let (game, score) = if let Some(search) = search {
        check_playable(&game, "/Positions")?;
        let (played, _) = service
            .play(client, ai, &game, search, &options, &|_, _| None)
            .await?;
        (played.game, played.score)
    } else {
        let (score, ..) = service.evaluate(client, ai, &game, &options).await?;
        (game, score)
    };
    let status = GameStatus::of(&game.status());
    let position = |board| ChessPositionReply { board };
    Ok(ChessGameReply {
        game_status: match form.game_status {
            Some(GameStatusForm::Number(_)) => GameStatusReply::Number(status as u8),
            _ => GameStatusReply::Name(status),
        },
        positions: game.boards().map(position).collect(),
        current_evaluation: if is_legacy {
            legacy_pawns(score, mover)
        } else {
            pawns(score)
        },
    })
}

/// Returns the board after each legal move, whether or not the game is drawn.
///
/// # Errors
/// The game is illegal.
pub fn valid_moves(
    service: &GameService,
    form: &ChessGameForm,
) -> Result<Vec<ChessPositionReply>, RequestError> {
    let game = form.read(service.config().server.max_plies)?;
    let position = game.position();
    let follow = |&chosen| ChessPositionReply {
        board: rules::board_of(&rules::play(position, chosen)),
    };
    Ok(rules::legal_moves(position).iter().map(follow).collect())
}

impl ChessGameForm {
    fn read(&self, max_plies: usize) -> Result<Game, RequestError> {
        check_length(
            self.positions.len().saturating_sub(1),
            max_plies,
            "/Positions",
        )?;
        let status = self
            .game_status
            .as_ref()
            .map(GameStatusForm::read)
            .transpose()?;
        let turn = status.and_then(GameStatus::turn);
        if self.positions.len() == 1 && turn.is_none() {
            let detail =
                "a single board has no side to move; send GameStatus WhitesTurn or BlacksTurn";
            return Err(Malformed::new("/GameStatus", detail).into());
        }
        let boards: Vec<_> = self
            .positions
            .iter()
            .map(|Caseless(position)| position.board.clone())
            .collect();
        let game = match Game::from_boards(&boards, turn) {
            Ok((game, _)) => game,
            Err(issues) => {
                let is_of_status = |issue: &GameIssue| issue.place == Place::Turn;
                // If the wrong status is ignored, the boards may be legal and show the right one.
                let alone = if issues.iter().all(is_of_status) {
                    Game::from_boards(&boards, None).ok()
                } else {
                    None
                };
                return Err(match alone {
                    Some((game, _)) => self.contradiction(GameStatus::of(&game.status())),
                    None => IllegalGameError::new(
                        issues
                            .into_iter()
                            .map(|issue| self.in_own_words(issue))
                            .collect(),
                        pointer,
                    ),
                }
                .into());
            }
        };
        let actual = GameStatus::of(&game.status());
        match status {
            Some(claimed) if claimed.is_over() && claimed != actual => {
                Err(self.contradiction(actual).into())
            }
            _ => Ok(game),
        }
    }

    /// Returns the error for a status that contradicts the boards.
    fn contradiction(&self, actual: GameStatus) -> IllegalGameError {
        let message = format!(
            "GameStatus is {}; the boards show {}",
            self.shown_status(),
            self.shown(actual)
        );
        let pointer = "/GameStatus".to_owned();
        let issue = Issue {
            code: IssueCode::WrongTurn.into(),
            message,
            pointer,
            ..Issue::default()
        };
        IllegalGameError {
            issues: vec![issue],
        }
    }

    /// Rewrites an issue about the side to move, because this call takes it from `GameStatus`.
    fn in_own_words(&self, issue: GameIssue) -> GameIssue {
        if issue.place != Place::Turn {
            return issue;
        }
        let message = format!(
            "GameStatus is {}; the boards show that it is the other side's turn",
            self.shown_status()
        );
        GameIssue { message, ..issue }
    }

    /// Returns the request's status as it was sent.
    fn shown_status(&self) -> String {
        let status = self
            .game_status
            .as_ref()
            .and_then(|status| status.read().ok());
        status.map_or("missing".to_owned(), |status| self.shown(status))
    }

    /// Returns a status in the form that the request used.
    fn shown(&self, status: GameStatus) -> String {
        match self.game_status {
            Some(GameStatusForm::Number(_)) => format!("{} ({status:?})", status as u8),
            _ => format!("{status:?}"),
        }
    }
}

impl GameStatusForm {
    fn read(&self) -> Result<GameStatus, Malformed> {
        match *self {
            Self::Name(status) => Ok(status),
            Self::Number(number) => {
                let detail = || {
                    format!(
                        "GameStatus is {number}; it must be a number from 0 (WhitesTurn) to 4 \
                         (Draw)"
                    )
                };
                let status = GameStatus::VARIANTS.get(usize::from(number)).copied();
                status.ok_or_else(|| Malformed::new("/GameStatus", detail()))
            }
        }
    }
}

impl GameStatus {
    fn of(status: &Status) -> Self {
        match (status.outcome, status.turn) {
            (None, Color::White) => Self::WhitesTurn,
            (None, Color::Black) => Self::BlacksTurn,
            (Some(outcome), _) => match outcome.winner() {
                Some(Color::White) => Self::WhiteWin,
                Some(Color::Black) => Self::BlackWin,
                None => Self::Draw,
            },
        }
    }

    const fn is_over(self) -> bool {
        matches!(self, Self::WhiteWin | Self::BlackWin | Self::Draw)
    }

    /// Returns the side to move, which is the mated side after a win; `None` for a draw.
    const fn turn(self) -> Option<Color> {
        match self {
            Self::WhitesTurn | Self::BlackWin => Some(Color::White),
            Self::BlacksTurn | Self::WhiteWin => Some(Color::Black),
            Self::Draw => None,
        }
    }
}

fn pawns(score: Score) -> f64 {
    match score.kind() {
        ScoreKind::Centipawns(value) => f64::from(value) / 100.0,
        ScoreKind::Mate(moves) => f64::from(score.value().signum() * (MATE_IN_PAWNS - moves.abs())),
    }
}

/// Returns a score as it would have been in 2014: from the mover's point of view, with the same
/// value for any mate.
fn legacy_pawns(score: Score, mover: Color) -> f64 {
    let for_white = match score.kind() {
        ScoreKind::Centipawns(value) => f64::from(value) / 100.0,
        ScoreKind::Mate(_) => f64::from(score.value().signum() * LEGACY_MATE),
    };
    match mover {
        Color::White => for_white,
        // Avoids -0.0.
        Color::Black => 0.0 - for_white,
    }
}

fn pointer(place: &Place) -> String {
    match place {
        Place::Board(board) => format!("/Positions/{board}/Board"),
        Place::Row { board, row } => format!("/Positions/{board}/Board/{row}"),
        Place::Cell { board, row, column } => format!("/Positions/{board}/Board/{row}/{column}"),
        Place::Turn => "/GameStatus".into(),
        Place::Boards | Place::Fen | Place::Move(_) | Place::San(_) => "/Positions".into(),
    }
}
