//! The calls of the 2014 project, with its field names and board arrays.

use std::borrow::Cow;

use crate::{
    calls::{
        call::{AI, BODY, CLIENT, Call, GAME, list, respond_to},
        choice::choose,
        forms::game::check_length,
        schemas::schema_of,
    },
    error::{GameError, Issue, Malformed, RequestError},
    http::{
        client::client_of,
        query,
        strict_json::{Caseless, name, objects},
    },
    problem::Problem,
    words::BoardWord,
};
use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Payload},
};
use ai_api::{Color, Limits, Score, ScoreKind};
use config::DEPTHS;
use game::{Client, GameService, RequestedOptions, RequestedSearch};
use rules::{Board, Game, IssueCode, Place, Status};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use strum::VariantArray;
use text::printable;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, OneOfBuilder, Ref, RefOr, Schema, Type},
};

pub(crate) const BEST_MOVE: Call = Call {
    tag: "BlogChess",
    summary: "The best move, as in 2014",
    description: "A game is a status and all positions; the reply has one more position.",
    parameters: choice_parameters,
    errors: &[CLIENT, BODY, GAME, AI],
    example: include_str!("blogchess/best_move.json"),
    ..Call::post::<ChessGameForm>(
        "blogChessBestMove",
        "/api/BlogChess/BestMove",
        || web::to(handle_best_move),
        schema_of::<ChessGameReply>,
    )
};
pub(crate) const VALID_MOVES: Call = Call {
    tag: "BlogChess",
    summary: "The boards that can follow, as in 2014",
    description: "Each is the position after one legal move.",
    example: include_str!("blogchess/valid_moves.json"),
    ..Call::post::<ChessGameForm>(
        "blogChessValidMoves",
        "/api/BlogChess/ValidMoves",
        || web::to(handle_valid_moves),
        list::<ChessPositionReply>,
    )
};

/// The score of a mate in pawns; a mate in N is N less.
const MATE_IN_PAWNS: i32 = 1000;

/// A game in a request.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
pub struct ChessGameForm {
    /// The side to move, or the result.
    pub game_status: Option<GameStatusForm>,
    /// Every position of the game, oldest first.
    #[serde(deserialize_with = "objects")]
    #[schema(value_type = Vec<ChessPositionForm>, min_items = 1)]
    pub positions: Vec<Caseless<ChessPositionForm>>,
    /// The evaluation of the last reply; ignored.
    pub current_evaluation: Option<f64>,
}

/// A position of a game.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
pub struct ChessPositionForm {
    /// Eight rows of eight, rank 8 first.
    #[schema(value_type = BoardWord)]
    pub board: Vec<Vec<i64>>,
}

/// A status, as a name or as a number.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "a GameStatus is one of WhitesTurn, BlacksTurn, WhiteWin, BlackWin, Draw, or its number, 0 to 4"
)]
pub enum GameStatusForm {
    /// The name.
    Name(#[serde(deserialize_with = "name")] GameStatus),
    /// The index of the name.
    Number(u8),
}

/// The side to move, or the result. Its number is its index.
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
    /// The side to move or the result, as a name or a number like in the request.
    #[schema(value_type = GameStatusForm)]
    pub game_status: GameStatusReply,
    /// Every position, the new one last.
    pub positions: Vec<ChessPositionReply>,
    /// The AI's score in pawns, for White.
    pub current_evaluation: f64,
}

impl PartialSchema for GameStatusForm {
    fn schema() -> RefOr<Schema> {
        let last = GameStatus::VARIANTS.len() as i32 - 1;
        let number = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0)).maximum(Some(last));
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

/// A status, as a name or a number like in the request.
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
    /// Eight rows of eight, rank 8 first.
    #[schema(value_type = BoardWord)]
    pub board: Board,
}

async fn handle_best_move(request: HttpRequest, payload: Payload) -> HttpResponse {
    let client = client_of(&request);
    let choice = query::read::<ChoiceForm>(&request);
    respond_to(request, payload, async |generation, Caseless(form)| {
        let choice = choice?;
        best_move(generation.service(), &client?, &form, &choice).await.map_err(problem)
    })
    .await
}

async fn handle_valid_moves(request: HttpRequest, payload: Payload) -> HttpResponse {
    respond_to(request, payload, async |generation, Caseless(form)| {
        valid_moves(generation.service(), &form).map_err(problem)
    })
    .await
}

fn problem(error: RequestError) -> Problem {
    Problem::from(error).with_legacy_status()
}

/// The query of a best move.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChoiceForm {
    ai: Option<String>,
    depth: Option<String>,
}

impl ChoiceForm {
    /// Returns the same choice with the AI of the client.
    pub(crate) fn of_default_ai(self) -> Self {
        Self { ai: None, ..self }
    }

    fn search(&self) -> Result<RequestedSearch<'_>, Malformed> {
        let Some(text) = &self.depth else { return Ok(RequestedSearch::BEST_MOVE) };
        let depth = text.parse().ok().filter(|depth| DEPTHS.contains(depth)).ok_or_else(|| {
            let (least, most) = DEPTHS.into_inner();
            let text = printable(text);
            Malformed::new(
                "/depth",
                format!("depth is '{text}'; it is a whole number from {least} to {most}"),
            )
        })?;
        let limit = Limits { depth: Some(depth as u32), ..Limits::NONE };
        Ok(RequestedSearch { limit: Some(limit), ..RequestedSearch::BEST_MOVE })
    }
}

fn choice_parameters() -> Vec<Value> {
    let parameter = |name: &str, schema: Value, description: &str| json!({"name": name, "in": "query", "required": false, "schema": schema, "description": description});
    let (least, most) = DEPTHS.into_inner();
    vec![
        parameter("ai", json!({"type": "string"}), "The id of the AI; by default the client's."),
        parameter(
            "depth",
            json!({"type": "integer", "minimum": least, "maximum": most}),
            "The depth in plies; by default the AI's limit.",
        ),
    ]
}

/// Plays the move of the chosen AI, unless the game is over. Dropping the future cancels the search.
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
    let (played, _) = service.play(client, ai, &game, search, &options, |_, _| None).await?;
    let status = GameStatus::of(&played.game.status());
    let position = |board| ChessPositionReply { board };
    Ok(ChessGameReply {
        game_status: match form.game_status {
            Some(GameStatusForm::Number(_)) => GameStatusReply::Number(status as u8),
            _ => GameStatusReply::Name(status),
        },
        positions: played.game.boards().map(position).collect(),
        current_evaluation: pawns(played.score),
    })
}

/// Returns the boards that can follow.
///
/// # Errors
/// The game is illegal.
pub fn valid_moves(
    service: &GameService,
    form: &ChessGameForm,
) -> Result<Vec<ChessPositionReply>, RequestError> {
    let game = form.read(service.config().server.max_plies)?;
    if game.status().outcome.is_some() {
        return Ok(Vec::new());
    }
    let position = game.position();
    let follow = |&chosen| ChessPositionReply { board: rules::board_of(&rules::play(position, chosen)) };
    Ok(rules::legal_moves(position).iter().map(follow).collect())
}

impl ChessGameForm {
    fn read(&self, max_plies: usize) -> Result<Game, RequestError> {
        check_length(self.positions.len().saturating_sub(1), max_plies, "/Positions")?;
        let status = self.game_status.as_ref().map(GameStatusForm::read).transpose()?;
        let turn = status.and_then(GameStatus::turn);
        if self.positions.len() == 1 && turn.is_none() {
            let detail = "a single board has no side to move; send GameStatus WhitesTurn or BlacksTurn";
            return Err(Malformed::new("/GameStatus", detail).into());
        }
        let boards: Vec<_> = self.positions.iter().map(|Caseless(position)| position.board.clone()).collect();
        let (game, _) = Game::from_boards(&boards, turn).map_err(|issues| GameError::new(issues, pointer))?;
        let actual = GameStatus::of(&game.status());
        match status {
            Some(claimed) if claimed.is_over() && claimed != actual => {
                let message = format!("GameStatus is {claimed:?}; the boards give {actual:?}");
                let pointer = "/GameStatus".to_owned();
                let issue = Issue { code: IssueCode::WrongTurn.into(), message, pointer, ..Issue::default() };
                Err(GameError { issues: vec![issue] }.into())
            }
            _ => Ok(game),
        }
    }
}

impl GameStatusForm {
    fn read(&self) -> Result<GameStatus, Malformed> {
        match *self {
            Self::Name(status) => Ok(status),
            Self::Number(number) => {
                let detail =
                    || format!("GameStatus is {number}; it is a number from 0 (WhitesTurn) to 4 (Draw)");
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

    /// Returns the side to move, or the mated side.
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

fn pointer(place: &Place) -> String {
    match place {
        Place::Board(board) => format!("/Positions/{board}/Board"),
        Place::Row { board, row } => format!("/Positions/{board}/Board/{row}"),
        Place::Cell { board, row, column } => format!("/Positions/{board}/Board/{row}/{column}"),
        Place::Turn => "/GameStatus".into(),
        Place::Boards | Place::Fen | Place::Move(_) | Place::San(_) => "/Positions".into(),
    }
}
