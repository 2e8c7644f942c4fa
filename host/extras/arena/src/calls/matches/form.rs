//! The body of `POST /v1/matches`.

use std::collections::BTreeMap;

use ai_api::{Limits, OptionKind, OptionSpec};
use serde::Deserialize;
use serde_json::{Value, json};
use text::printable;
use utoipa::ToSchema;

use crate::{MatchOpening, MatchRequest, Pace};
use api::{
    choice::choose,
    error::{Malformed, RequestError},
    forms::{
        game::{GameForm, ReadGame},
        options::OptionsForm,
        search::LimitForm,
    },
};
use config::{ClientSettings, PlayerText, SearchMaxima};
use game::{GameService, Limit, SearchLimits};
use pool::Ai;
use tournament::is_path;

/// The limit of each move if neither `limit` nor `time_control` is set.
const DEFAULT_LIMIT: Limits = Limits::movetime_ms(100);
/// The longest match, 1,000 games, plays this many openings, with two games each.
const MAX_OPENINGS: usize = 500;
const MAX_PLAYER_CHARS: usize = 500;

/// The body of `POST /v1/matches`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MatchForm {
    /// The two players. Each is the id of an AI, followed by options and the limits `depth`,
    /// `nodes` and `movetime_ms`, such as `basic1,quiescence=false,depth=3`. The client must be
    /// allowed to use the AI, and requests must be allowed to set the options. If a player plays
    /// against itself, the PGN calls the second one `basic1 (2)`.
    #[schema(min_items = 2, max_items = 2)]
    players: Vec<String>,
    /// The number of games, up to the client's `max_match_games`. The first player has White in odd
    /// games.
    #[schema(minimum = 1, maximum = 1000)]
    games: u64,
    /// The limits of each move, by default 100 milliseconds. The client's maxima may lower them.
    limit: Option<LimitForm>,
    /// A time control instead of `limit`: `[MOVES/]SECONDS[+SECONDS]`, such as `10+0.1`. The
    /// client's maxima limit each move.
    #[schema(pattern = "^([1-9][0-9]{0,5}/)?\
                   ([1-9][0-9]{0,3}(\\.[0-9]{1,3})?|0\\.[0-9]{0,2}[1-9]0*)\
                   (\\+[0-9]{1,4}(\\.[0-9]{1,3})?)?$")]
    time_control: Option<String>,
    /// Up to 500 openings. By default, the server uses built-in ones. Each opening is played in two
    /// games in a row. After the last opening, the match continues with the first.
    #[schema(min_items = 1, max_items = 500)]
    openings: Option<Vec<GameForm>>,
}

impl MatchForm {
    /// Checks the form, and returns the match that the client asks for.
    ///
    /// # Errors
    /// All problems with the numbers and the clock, all problems with a player's options, or the
    /// first problem with a player or an opening.
    pub(super) fn read(
        &self,
        service: &GameService,
        client: &ClientSettings,
    ) -> Result<MatchRequest, RequestError> {
        let (players, ais) = self.read_players(service, client)?;
        let (games, pace, count) = (
            self.read_games(client),
            self.read_pace(client),
            self.check_openings(),
        );
        let (games, pace) = match (games, pace, count) {
            (Ok(games), Ok(pace), Ok(())) => (games, pace),
            (games, pace, count) => {
                return Err(together([games.err(), pace.err(), count.err()]).into());
            }
        };
        let forms = self.openings.iter().flatten().enumerate();
        let openings =
            forms.map(|(index, form)| opening(form, index, ais, service.config().server.max_plies));
        let SearchMaxima {
            depth,
            nodes,
            movetime_ms,
        } = client.max_search;
        let maxima = Limit {
            depth,
            nodes,
            movetime_ms,
            ..Limit::default()
        };
        Ok(MatchRequest {
            players,
            games,
            pace,
            maxima,
            openings: openings.collect::<Result<_, _>>()?,
        })
    }

    fn read_players<'s>(
        &self,
        service: &'s GameService,
        client: &ClientSettings,
    ) -> Result<([String; 2], [&'s Ai; 2]), RequestError> {
        let [first, second] = &self.players[..] else {
            let detail = format!("found {} players, expected 2", self.players.len());
            return Err(Malformed::new("/players", detail).into());
        };
        let read =
            [(first, 0), (second, 1)].map(|(text, index)| player(text, index, service, client));
        match read {
            [Ok((name, ai)), Ok((other_name, other_ai))] => {
                Ok(([name, other_name], [ai, other_ai]))
            }
            [
                Err(RequestError::WrongOptions(mut wrong)),
                Err(RequestError::WrongOptions(also_wrong)),
            ] => {
                wrong.issues.extend(also_wrong.issues);
                wrong.count += also_wrong.count;
                Err(wrong.into())
            }
            [Err(error), _] | [_, Err(error)] => Err(error),
        }
    }

    fn read_games(&self, client: &ClientSettings) -> Result<u32, Malformed> {
        let Some(most) = client.max_match_games.filter(|most| *most > 0) else {
            let detail = "this client may not start matches; the operator can allow them with \
                `max_match_games` in [client.ID]";
            return Err(Malformed::new("/games", detail));
        };
        let games = u32::try_from(self.games)
            .ok()
            .filter(|games| (1..=most).contains(games));
        games.ok_or_else(|| {
            let detail = format!(
                "games is {}; it must be at least 1 and at most {most} (max_match_games)",
                self.games
            );
            Malformed::new("/games", detail)
        })
    }

    fn read_pace(&self, client: &ClientSettings) -> Result<Pace, Malformed> {
        match (&self.limit, &self.time_control) {
            (Some(_), Some(_)) => {
                let detail = "'limit' and 'time_control' cannot be combined; send one of them, or \
                    neither for 100 ms a move";
                Err(Malformed::new("/time_control", detail))
            }
            (None, Some(text)) => text.parse().map(Pace::TimeControl).map_err(|error| {
                let found = printable(&text.chars().take(40).collect::<String>());
                Malformed::new(
                    "/time_control",
                    format!("time_control is '{found}'; {error}"),
                )
            }),
            (limit, None) => {
                let limits = limit.as_ref().map_or(Ok(DEFAULT_LIMIT), LimitForm::read)?;
                Ok(Pace::Limit(
                    SearchLimits::new(limits, &client.max_search).effective(),
                ))
            }
        }
    }

    fn check_openings(&self) -> Result<(), Malformed> {
        match self.openings.as_ref().map(Vec::len) {
            None | Some(1..=MAX_OPENINGS) => Ok(()),
            Some(count) => {
                let detail = format!(
                    "found {count} openings, expected 1 to {MAX_OPENINGS}; omit openings to use \
                     the built-in ones"
                );
                Err(Malformed::new("/openings", detail))
            }
        }
    }
}

/// Checks a player as the client wrote it. Returns the player's text and its AI.
fn player<'s>(
    text: &str,
    index: usize,
    service: &'s GameService,
    client: &ClientSettings,
) -> Result<(String, &'s Ai), RequestError> {
    let pointer = format!("/players/{index}");
    let malformed = |detail: String| Malformed::new(&*pointer, detail);
    if text.chars().nth(MAX_PLAYER_CHARS).is_some() {
        return Err(malformed(format!(
            "the player's text has more than {MAX_PLAYER_CHARS} characters"
        ))
        .into());
    }
    let written = PlayerText::parse(text).map_err(|error| malformed(error.to_string()))?;
    let id = written.ai;
    if is_path(id) {
        let detail = format!(
            "found the path '{}', expected the id of an AI, as in GET /v1/ais",
            printable(id)
        );
        return Err(malformed(detail).into());
    }
    let ai = choose(service, client, Some(id))?;
    if ai.id != id || ai.is_remote() {
        let detail = format!(
            "'{}' is not an AI on this machine; choose an AI that no node runs",
            printable(id)
        );
        return Err(malformed(detail).into());
    }
    let spec = |name: &str| ai.about.options.iter().find(|spec| spec.name == name);
    let (options, _) = written
        .split(|name| spec(name).is_some())
        .map_err(|error| malformed(error.to_string()))?;
    let options = options
        .into_iter()
        .map(|(name, value)| (name.to_owned(), json_of(value, spec(name))));
    OptionsForm::read(Some(&options.collect::<BTreeMap<_, _>>().into()), ai)
        .map_err(|wrong| RequestError::from(wrong).placed(|_| pointer.clone()))?;
    Ok((written.to_string(), ai))
}

/// Converts an option's text to the JSON value that other requests contain.
fn json_of(text: &str, spec: Option<&OptionSpec>) -> Value {
    let read = match spec.map(|spec| &spec.kind) {
        Some(OptionKind::Flag) => text.parse::<bool>().ok().map(Value::from),
        Some(OptionKind::Integer { .. }) => text.parse::<i64>().ok().map(Value::from),
        Some(OptionKind::Decimal { .. }) => text.parse::<f64>().ok().map(Value::from),
        _ => None,
    };
    read.unwrap_or_else(|| json!(text))
}

fn opening(
    form: &GameForm,
    index: usize,
    ais: [&Ai; 2],
    max_plies: usize,
) -> Result<MatchOpening, RequestError> {
    let pointer = format!("/openings/{index}");
    let ReadGame { game, .. } = form
        .read(max_plies)
        .map_err(|error| error.placed(|found| found.replacen("/game", &pointer, 1)))?;
    if game.outcome().is_some() {
        let detail = "the game is over; expected a position where play can continue";
        return Err(Malformed::new(pointer, detail).into());
    }
    let is_unable = |ai: &&Ai| game.position().is_chess960() && !ai.about.capabilities.chess960;
    if let Some(ai) = ais.into_iter().find(is_unable) {
        let detail = format!(
            "the AI '{}' does not play Chess960; choose another opening or AI",
            ai.id
        );
        return Err(Malformed::new(pointer, detail).into());
    }
    Ok((&game).into())
}

/// Joins the errors into one, which points to the place of the first.
fn together(errors: [Option<Malformed>; 3]) -> Malformed {
    let all = errors.into_iter().flatten();
    let joined = all.reduce(|first, next| Malformed {
        pointer: first.pointer,
        detail: format!("{}; and {}", first.detail, next.detail),
    });
    joined.expect("there is an error")
}
