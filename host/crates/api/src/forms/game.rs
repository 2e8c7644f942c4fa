//! Games in request bodies.

use ai_api::Color;
use rules::{Game, IssueCode, Language, NullMoves, Place, ReadVariations, Setup, SetupIssue};
use serde::{Deserialize, Deserializer, de::Error as _};
use utoipa::ToSchema;

use crate::{
    error::{IllegalGameError, Issue, Malformed, RequestError},
    json::some,
    openapi::shape::FormRow,
    query_form::{FieldKind, QueryField},
    replies::game::Inferred,
    words::{BoardWord, ColorWord, LanguageWord},
};
use formats::{self, FormatIssue, FormatName, GameRecord, Import, guess};

/// The maximum number of games in one request.
pub const MAX_GAMES: usize = 1000;

/// The query parameter for the first position.
pub const FEN: QueryField = QueryField {
    name: "fen",
    pointer: "/game/fen",
    kind: FieldKind::Text,
    description: "The starting position in FEN. Defaults to the standard one.",
    example: None,
};
/// The query parameter for the moves.
pub const MOVES: QueryField = QueryField {
    name: "moves",
    pointer: "/game/moves",
    kind: FieldKind::List,
    description: "The moves in UCI, separated by commas. Empty by default.",
    example: Some("e2e4,e7e5"),
};

macro_rules! define_form {
    ($(
        $name:ident $about:tt = $format:expr
        $(, $key:ident $description:tt [$($option:ident)?])?;
    )*) => {
        /// A game as a first position with moves, as boards, or as a text in one of the formats.
        #[derive(Clone, Debug, Default, Deserialize, ToSchema)]
        #[serde(deny_unknown_fields)]
        pub struct GameForm {
            /// The starting position in FEN. Defaults to the standard one.
            pub fen: Option<String>,
            /// The moves in UCI. Empty by default.
            pub moves: Option<Vec<String>>,
            /// The same as `moves`, named as in the reply of `/v1/convert`.
            #[serde(default, deserialize_with = "some")]
            pub uci: Option<Vec<String>>,
            /// The moves in SAN.
            #[serde(default, deserialize_with = "some")]
            pub san: Option<Vec<String>>,
            /// Every position of the game, the first one first. A board is eight rows of eight
            /// numbers, rank 8 first. 1 is a pawn, 2 a knight, 3 a bishop, 4 a rook, 5 a queen and
            /// 6 a king. Black's pieces are negative.
            #[serde(default, deserialize_with = "some")]
            #[schema(value_type = Option<Vec<BoardWord>>, min_items = 1)]
            pub boards: Option<Vec<Vec<Vec<i64>>>>,
            /// The side to move, if the boards or the text do not show it.
            #[serde(default, deserialize_with = "some")]
            #[schema(value_type = Option<ColorWord>)]
            pub turn: Option<TurnForm>,
            /// The language of the piece letters in `pgn` or in the moves of `any`. By default
            /// English.
            #[serde(default, deserialize_with = "some")]
            #[schema(value_type = Option<LanguageWord>)]
            pub language: Option<LanguageForm>,
            $($(
                #[doc = $description]
                #[serde(default, deserialize_with = "some")]
                pub $key: Option<String>,
            )?)*
            /// A text in any format, including UCI, SAN and boards in JSON. The reply names the
            /// detected `format`.
            #[serde(default, deserialize_with = "some")]
            pub any: Option<String>,
        }

        impl GameForm {
            /// The forms of a game in the `OpenAPI` document. Each key belongs to at least one of
            /// them.
            pub const FORMS: &[FormRow] = &[
                FormRow { name: "MovesGame", required: &[], optional: &["fen", "moves"] },
                FormRow { name: "UciGame", required: &["uci"], optional: &["fen"] },
                FormRow { name: "SanGame", required: &["san"], optional: &["fen"] },
                FormRow { name: "BoardsGame", required: &["boards"], optional: &["turn"] },
                $($(FormRow {
                    name: concat!(stringify!($name), "Game"),
                    required: &[stringify!($key)],
                    optional: &[$(stringify!($option))?],
                },)?)*
                FormRow { name: "AnyGame", required: &["any"], optional: ANY_OPTIONS },
            ];

            /// The keys whose values are text, and the options that each of them takes.
            const TEXTS: &[(&str, &[&str])] =
                &[$($((stringify!($key), &[$(stringify!($option))?]),)?)* ("any", ANY_OPTIONS)];

            /// Returns the text values in the request.
            fn texts(&self) -> Vec<GivenText<'_>> {
                let mut given = Vec::new();
                $($(if let Some(text) = &self.$key {
                    given.push(GivenText {
                        key: stringify!($key),
                        format: Some(FormatName::$name),
                        options: &[$(stringify!($option))?],
                        text,
                    });
                })?)*
                if let Some(text) = &self.any {
                    given.push(GivenText { key: "any", format: None, options: ANY_OPTIONS, text });
                }
                given
            }
        }
    };
}

formats::formats!(define_form);

const ANY_OPTIONS: &[&str] = &["turn", "language"];

/// The maximum number of issues reported for all games in the text.
const MAX_ISSUES: usize = 1000;

/// Text from a form.
struct GivenText<'f> {
    key: &'static str,
    /// `None` if the format must be guessed.
    format: Option<FormatName>,
    /// The options that the key takes.
    options: &'static [&'static str],
    text: &'f str,
}

/// The side to move.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TurnForm {
    White,
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

/// A language, by its code.
#[derive(Clone, Copy, Debug)]
pub struct LanguageForm(Language);

impl<'de> Deserialize<'de> for LanguageForm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code = String::deserialize(deserializer)?;
        let named = Language::ALL
            .iter()
            .find(|language| language.code() == code);
        named.map(|&language| Self(language)).ok_or_else(|| {
            let codes: Vec<_> = Language::ALL
                .iter()
                .map(|language| language.code())
                .collect();
            D::Error::custom(format_args!(
                "unknown language '{code}', expected one of {}",
                codes.join(", ")
            ))
        })
    }
}

/// Rejects a request to play on if the game continued after a draw under today's rules.
///
/// # Errors
/// The game continued after a draw. The issue names the move after the draw.
pub fn check_playable(game: &Game, pointer: &str) -> Result<(), IllegalGameError> {
    let Some(drawn_at) = game.drawn_at() else {
        return Ok(());
    };
    let message = format!(
        "the game was {drawn_at} but continued; to play on, send only its last position: {}",
        rules::format_fen(game.position())
    );
    let code = IssueCode::MovesAfterEnd.into_str();
    let ply = Some(drawn_at.ply + 1);
    Err(IllegalGameError {
        issues: vec![Issue {
            code,
            message,
            pointer: pointer.to_owned(),
            ply,
            ..Issue::default()
        }],
    })
}

/// Why a game is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// AIs search its positions or play on. A game must be able to reach its first position.
    Play,
    /// The game is only explained or converted. Its first position may be any that
    /// [`Setup::into_composed`] accepts.
    Look,
}

/// A validated game, and what was inferred about it.
pub struct ReadGame {
    pub game: Game,
    pub inferred: Inferred,
}

impl GameForm {
    /// Validates the game for [`Purpose::Play`].
    ///
    /// # Errors
    /// The game is illegal or longer than `max_plies`, or the form is malformed.
    pub fn read(&self, max_plies: usize) -> Result<ReadGame, RequestError> {
        self.read_for(Purpose::Play, max_plies)
    }

    /// Validates the game for [`Purpose::Look`].
    ///
    /// # Errors
    /// The same as for [`read`](Self::read).
    pub fn read_to_look(&self, max_plies: usize) -> Result<ReadGame, RequestError> {
        self.read_for(Purpose::Look, max_plies)
    }

    fn read_for(&self, purpose: Purpose, max_plies: usize) -> Result<ReadGame, RequestError> {
        let mut games = self.read_several(purpose, max_plies, ReadVariations::Skip, 1)?;
        let (record, inferred) = games.pop().expect("a form has a game");
        Ok(ReadGame {
            game: record.game.game,
            inferred,
        })
    }

    /// Reads the last position of the game, whose first position needn't be legal.
    ///
    /// # Errors
    /// The same as for [`read`](Self::read), or a move from an arrangement of pieces is illegal.
    pub fn read_setup(&self, max_plies: usize) -> Result<Setup, RequestError> {
        let of_positions = |issue: &Issue| {
            IssueCode::OF_POSITIONS
                .iter()
                .any(|code| code.into_str() == issue.code)
        };
        match self.read(max_plies) {
            Ok(ReadGame { game, .. }) => Ok(game.position().into()),
            Err(RequestError::IllegalGame(error)) if error.issues.iter().all(of_positions) => {
                Ok(self.read_arrangement().unwrap_or(Err(error))?)
            }
            Err(error) => Err(error),
        }
    }

    /// Reads the last position of a game from any arrangement of pieces; `None` if the form
    /// contains none.
    fn read_arrangement(&self) -> Option<Result<Setup, IllegalGameError>> {
        let turn = self.turn.map(Color::from);
        if let Some(GivenText { format, text, .. }) = self.texts().first() {
            return format
                .or_else(|| guess(text))?
                .format()
                .read_setup(text, turn)
                .map(Ok);
        }
        if let Some(boards) = &self.boards {
            let read = Setup::from_boards(boards, turn);
            return Some(
                read.map_err(|issues| {
                    IllegalGameError::new(issues, |place| format!("/game{place}"))
                }),
            );
        }
        if self.san.as_ref().is_some_and(|moves| !moves.is_empty()) {
            return None;
        }
        let mut setup = rules::parse_setup(self.fen.as_deref()?).ok()?;
        let (key, moves) = self.uci_moves();
        for (index, text) in moves.iter().enumerate() {
            if let Err(error) = setup.play_uci(text) {
                let issue = Issue {
                    code: IssueCode::IllegalMove.into_str(),
                    message: error.to_string(),
                    pointer: format!("{key}/{index}"),
                    ply: Some(index + 1),
                    ..Issue::default()
                };
                return Some(Err(IllegalGameError {
                    issues: vec![issue],
                }));
            }
        }
        Some(Ok(setup))
    }

    /// Returns the pointer to the list of moves in UCI, and the list.
    fn uci_moves(&self) -> (&'static str, &[String]) {
        match &self.uci {
            Some(moves) => ("/game/uci", moves),
            None => ("/game/moves", self.moves.as_deref().unwrap_or_default()),
        }
    }

    /// Validates every game in the text, which must contain 1 to `most` games.
    ///
    /// # Errors
    /// The same as for [`read`](Self::read), or the text contains more games.
    pub fn read_several(
        &self,
        purpose: Purpose,
        max_plies: usize,
        variations: ReadVariations,
        most: usize,
    ) -> Result<Vec<(GameRecord, Inferred)>, RequestError> {
        let texts = self.texts();
        self.check_keys(&texts)?;
        let turn = self.turn.map(Color::from);
        if let Some(text) = texts.first() {
            let import = Import {
                turn,
                variations,
                null_moves: NullMoves::Reject,
                language: self
                    .language
                    .map_or(Language::English, |LanguageForm(language)| language),
                max_plies,
            };
            return read_text(text, purpose, import, most);
        }
        let record = self.read_lists(purpose, turn, max_plies)?;
        let inferred = Inferred::of(&record, None);
        Ok(vec![(record, inferred)])
    }

    /// Validates a game that is not given as text.
    fn read_lists(
        &self,
        purpose: Purpose,
        turn: Option<Color>,
        max_plies: usize,
    ) -> Result<GameRecord, RequestError> {
        let (key, uci_moves) = self.uci_moves();
        let placed = |issues| {
            IllegalGameError::new(issues, |place| match place {
                Place::Move(index) => format!("{key}/{index}"),
                place => format!("/game{place}"),
            })
        };
        if let Some(boards) = &self.boards {
            check_length(boards.len().saturating_sub(1), max_plies, "/game/boards")?;
            let (game, assumed) = Game::from_boards(boards, turn).map_err(placed)?;
            return Ok(GameRecord {
                assumed: Some(assumed),
                ..GameRecord::of(game)
            });
        }
        let fen = self.fen.as_deref();
        let imported = if let Some(san_moves) = &self.san {
            check_length(san_moves.len(), max_plies, "/game/san")?;
            Game::import_san(fen, san_moves)
        } else {
            check_length(uci_moves.len(), max_plies, key)?;
            Game::import_moves(fen, uci_moves)
        };
        let (game, notes) = imported.map_err(placed)?;
        let record = GameRecord {
            notes,
            ..GameRecord::of(game)
        };
        check_purpose(purpose, &record, "/game/fen")
            .map_err(|issues| IllegalGameError { issues })?;
        Ok(record)
    }

    /// Rejects keys that exclude each other.
    fn check_keys(&self, texts: &[GivenText<'_>]) -> Result<(), Malformed> {
        let present = |key, is_given: bool| is_given.then_some(key);
        let moves = [
            present("san", self.san.is_some()),
            present("uci", self.uci.is_some()),
            present("moves", self.moves.is_some()),
            present("fen", self.fen.is_some()),
        ];
        let texts_given = texts.iter().map(|text| text.key);
        let given = present("boards", self.boards.is_some())
            .into_iter()
            .chain(texts_given);
        let given: Vec<_> = given.chain(moves.into_iter().flatten()).collect();
        match given.as_slice() {
            [] | [_] | ["moves" | "uci" | "san", "fen"] => {}
            [key, other, ..] => {
                let detail = format!(
                    "'{key}' and '{other}' cannot be combined; send one of them ('fen' can be \
                     combined with 'moves', 'uci' or 'san')"
                );
                return Err(Malformed::new("/game", detail));
            }
        }
        let allows = |option: &str| texts.iter().any(|text| text.options.contains(&option));
        let keys_with = |option: &str| {
            let keys = Self::TEXTS
                .iter()
                .filter(|(_, options)| options.contains(&option));
            keys.map(|(key, _)| format!("'{key}'"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        if self.turn.is_some() && self.boards.is_none() && !allows("turn") {
            let keys = keys_with("turn");
            let detail =
                format!("'turn' is only for 'boards', {keys}; a FEN contains the side to move");
            return Err(Malformed::new("/game/turn", detail));
        }
        if self.language.is_some() && !allows("language") {
            let detail = format!("'language' is only for {}", keys_with("language"));
            return Err(Malformed::new("/game/language", detail));
        }
        if self.boards.as_ref().is_some_and(|boards| boards.len() == 1) && self.turn.is_none() {
            let detail = "a single board has no side to move; add \"turn\": \"white\" or \"black\"";
            return Err(Malformed::new("/game/turn", detail));
        }
        Ok(())
    }
}

/// Reads the games in the text, using the given or guessed format.
fn read_text(
    given: &GivenText<'_>,
    purpose: Purpose,
    import: Import,
    most: usize,
) -> Result<Vec<(GameRecord, Inferred)>, RequestError> {
    let &GivenText {
        key, format, text, ..
    } = given;
    let pointer = format!("/game/{key}");
    let format_name = format
        .or_else(|| guess(text))
        .ok_or_else(|| Malformed::new(&*pointer, no_format(text)))?;
    let guessed = format.is_none().then_some(format_name);
    let placed = |issue: FormatIssue| {
        let is_of_turn = issue.code == IssueCode::WrongTurn.into_str();
        let pointer = if is_of_turn {
            "/game/turn".to_owned()
        } else {
            pointer.clone()
        };
        let (line, column, ply) = (issue.place.line, issue.place.column, issue.place.ply);
        let game = issue.place.game.filter(|_| most > 1);
        Issue {
            code: issue.code,
            message: issue.message,
            pointer,
            ply,
            line,
            column,
            game,
        }
    };
    let (mut records, mut issues) = (Vec::new(), Vec::new());
    let mut games = format_name.format().import(text, import);
    for (number, imported) in (1..).zip(games.by_ref().take(most)) {
        match imported {
            Ok(record) => {
                if let Err(found) = check_purpose(purpose, &record, &pointer) {
                    let game = Some(number).filter(|_| most > 1);
                    let found = found.into_iter().map(|issue| Issue { game, ..issue });
                    issues.extend(found.take(MAX_ISSUES - issues.len()));
                }
                let inferred = Inferred::of(&record, guessed);
                records.push((record, inferred));
            }
            Err(found) => {
                issues.extend(
                    found
                        .into_iter()
                        .map(placed)
                        .take(MAX_ISSUES - issues.len()),
                );
            }
        }
    }
    let (found, send) = match (
        records.is_empty() && issues.is_empty(),
        games.next().is_some(),
        most,
    ) {
        (true, ..) => ("no game".to_owned(), "exactly one".to_owned()),
        (false, true, 1) => ("more than one game".to_owned(), "exactly one".to_owned()),
        (false, true, most) => (format!("more than {most} games"), "fewer".to_owned()),
        (false, false, _) if issues.is_empty() => return Ok(records),
        (false, false, _) => return Err(IllegalGameError { issues }.into()),
    };
    let read_as = guessed.map_or_else(String::new, |name| format!(", read as {name},"));
    Err(Malformed::new(
        pointer,
        format!("the text{read_as} contains {found}; send {send}"),
    )
    .into())
}

/// Rejects a game that is read for [`Purpose::Play`] if no game can reach its first position.
fn check_purpose(purpose: Purpose, record: &GameRecord, pointer: &str) -> Result<(), Vec<Issue>> {
    if purpose == Purpose::Look || record.notes.is_empty() {
        return Ok(());
    }
    let issue = |issue: &SetupIssue| Issue {
        code: issue.code(),
        message: issue.to_string(),
        pointer: pointer.to_owned(),
        ..Issue::default()
    };
    let start = Setup::from(record.game.game.start()).into_position();
    start
        .map(|_| ())
        .map_err(|issues| issues.iter().map(issue).collect())
}

/// Returns the message for text whose format cannot be guessed.
fn no_format(text: &str) -> String {
    let start: String = text.trim().chars().take(20).collect();
    if start.is_empty() {
        return "the text contains no game; send exactly one".to_owned();
    }
    let names: Vec<_> = FormatName::ALL.iter().map(ToString::to_string).collect();
    format!(
        "found text that begins with '{}', expected one of the formats {}; send it with the key \
         of its format instead of 'any'",
        text::printable(&start),
        names.join(", ")
    )
}

/// Rejects a game that is too long, before it is parsed.
pub(crate) fn check_length(plies: usize, max_plies: usize, pointer: &str) -> Result<(), Malformed> {
    if plies <= max_plies {
        return Ok(());
    }
    let detail = format!(
        "the game has {plies} half-moves; at most {max_plies} are allowed (max_plies); start the \
         game at a later position"
    );
    Err(Malformed::new(pointer, detail))
}
