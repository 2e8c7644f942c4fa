//! Every position of a game as 8×8 numbers, in JSON.

use ai_api::Color;
use rules::{Game, IssueCode, Setup};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    Format, FormatIssue, GameRecord, Games, Import, Likeness, Part, Sample, StrictJson, TextPlace,
    record::Rows,
};

/// Boards, oldest first, as an array or in `{"boards": …, "turn": …}`. Also reads a single board,
/// and games from the 2014 API.
pub(crate) struct Boards;

impl Format for Boards {
    fn holds(&self) -> &'static [Part] {
        &[Part::Moves]
    }

    fn likeness(&self, sample: &Sample<'_>) -> Likeness {
        let mut start = sample.text.chars().filter(|c| !c.is_whitespace());
        let is_json = matches!(
            (start.next(), start.next()),
            (Some('['), Some('[')) | (Some('{'), Some('"'))
        );
        Likeness::Certain.when(is_json)
    }

    fn schema(&self) -> Value {
        let list = |items: Value| json!({"type": "array", "items": items});
        list(list(list(json!({"type": "integer"}))))
    }

    fn import<'t>(&self, text: &'t str, options: Import) -> Games<'t> {
        Box::new((1..).zip(documents(text)).map(move |(game, document)| {
            let document = document.map_err(|error| {
                let place = TextPlace {
                    line: Some(error.line()),
                    column: Some(error.column()),
                    ..TextPlace::default()
                };
                let message = format!("invalid JSON: {error}");
                vec![FormatIssue {
                    place,
                    ..FormatIssue::new(IssueCode::BadBoard, message)
                }]
            });
            let read = document.and_then(|document| read(document, &options));
            read.map_err(|issues| {
                issues
                    .into_iter()
                    .map(|issue| in_game(issue, game))
                    .collect()
            })
        }))
    }

    fn read_setup(&self, text: &str, turn: Option<Color>) -> Option<Setup> {
        let mut documents = documents(text);
        let (boards, own_turn) = boards_of(documents.next()?.ok()?).ok()?;
        let is_only = documents.next().is_none();
        Setup::from_boards(&boards, own_turn.or(turn))
            .ok()
            .filter(|_| is_only)
    }

    fn export(&self, record: &GameRecord) -> String {
        Value::Object(self.export_fields("boards", record)).to_string()
    }

    fn export_fields(&self, name: &str, record: &GameRecord) -> Map<String, Value> {
        let game = &record.game.game;
        let boards: Vec<_> = game.boards().collect();
        with_turn(game, name, json!(boards))
    }
}

/// Returns the fields for the boards of a game and for the side to move, which boards do not show.
pub(crate) fn with_turn(game: &Game, name: &str, boards: Value) -> Map<String, Value> {
    let turn = game.position().turn().name();
    Map::from_iter([(name.to_owned(), boards), ("turn".to_owned(), turn.into())])
}

/// Any JSON value.
struct BoardsDocument(Value);

impl<'de> Deserialize<'de> for BoardsDocument {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(StrictJson(deserializer)).map(Self)
    }
}

/// Reads the JSON documents in the text.
fn documents(text: &str) -> impl Iterator<Item = serde_json::Result<Value>> {
    let text = text.trim_start_matches('\u{feff}');
    let documents = serde_json::Deserializer::from_str(text).into_iter::<BoardsDocument>();
    documents.map(|document| document.map(|BoardsDocument(value)| value))
}

fn in_game(issue: FormatIssue, game: usize) -> FormatIssue {
    FormatIssue {
        place: TextPlace {
            game: Some(game),
            ..issue.place
        },
        ..issue
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BoardsAndTurn {
    boards: Vec<Rows>,
    turn: Option<TurnName>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum TurnName {
    White,
    Black,
}

/// The fields that are read from a 2014 game.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Game2014 {
    positions: Vec<Position2014>,
    game_status: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Position2014 {
    board: Rows,
}

fn read(document: Value, options: &Import) -> Result<GameRecord, Vec<FormatIssue>> {
    let (boards, turn) = boards_of(document).map_err(|error| {
        vec![FormatIssue::new(
            IssueCode::BadBoard,
            format!("not a list of boards: {error}"),
        )]
    })?;
    options.check_length(boards.len().saturating_sub(1), IssueCode::BadBoard)?;
    GameRecord::of_boards(&boards, turn.or(options.turn))
}

/// Returns the boards of a document, and the side to move if the document names it.
fn boards_of(document: Value) -> serde_json::Result<(Vec<Rows>, Option<Color>)> {
    if document.get("Positions").is_some() {
        let game: Game2014 = serde_json::from_value(document)?;
        let turn = match &game.game_status {
            Some(status) if *status == "WhitesTurn" || *status == 0 => Some(Color::White),
            Some(status) if *status == "BlacksTurn" || *status == 1 => Some(Color::Black),
            _ => None,
        };
        return Ok((
            game.positions
                .into_iter()
                .map(|position| position.board)
                .collect(),
            turn,
        ));
    }
    if document.is_object() {
        let BoardsAndTurn { boards, turn } = serde_json::from_value(document)?;
        let color = |side| match side {
            TurnName::White => Color::White,
            TurnName::Black => Color::Black,
        };
        return Ok((boards, turn.map(color)));
    }
    let is_single = document.pointer("/0/0").is_some_and(Value::is_number);
    let boards = if is_single {
        vec![serde_json::from_value(document)?]
    } else {
        serde_json::from_value(document)?
    };
    Ok((boards, None))
}
