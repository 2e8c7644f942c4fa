//! Lists of games.

use std::collections::BTreeSet;

use ai_api::Color;
use rusqlite::{OptionalExtension as _, Row, params_from_iter};
use tournament::GameResult;

use super::{
    StoreError, StoreReader,
    columns::{PointsColumn, TimeColumn},
};
use crate::{
    finished::{GameFault, GameId, GameSummary, StoredGame},
    player::PlayerId,
    store::filter::{FaultFilter, GameFilter, GamePage, PlayerFilter},
};

/// The maximum work for one page, in games that are close together in the file. In a file with a
/// million games, this takes less than 50 ms, even from disk.
const MAX_WORK: i64 = 10_000;
/// The work for a game that is not close to the previous one, because it reads another page of the
/// file.
const FAR_WORK: i64 = 40;
/// Games are close together if their ids differ by less than this.
const NEAR: i64 = 100;
/// The maximum number of pairings that the query for a page selects one by one, since `SQLite`
/// prepares each of these selections. A client that sees more pairings finds enough games in the
/// list of all games.
pub(super) const MAX_PAIRINGS: usize = 100;
const COLUMNS: &str = "id, white, black, points, opening, match_id, faulty_player, pair, \
                       termination, plies, ended_ms, fault_code, fault_ply, fault_details, \
                       is_rated, (SELECT client FROM matches WHERE matches.id = match_id)";

impl StoreReader {
    /// Returns the newest games that match a filter, at most `limit`.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn games(&self, filter: &GameFilter, limit: usize) -> Result<GamePage, StoreError> {
        self.games_within(filter, limit, MAX_WORK)
    }

    pub(super) fn games_within(
        &self,
        filter: &GameFilter,
        limit: usize,
        max_work: i64,
    ) -> Result<GamePage, StoreError> {
        let Some(sql) = filter.sql() else {
            return Ok(GamePage::default());
        };
        self.read(|transaction| {
            let mut select = transaction.prepare(&sql)?;
            let mut rows = select.query(params_from_iter(
                filter.match_id.iter().chain(&filter.match_client),
            ))?;
            let (mut games, mut last, mut work) =
                (Vec::new(), filter.before.unwrap_or(GameId(i64::MAX)), 0);
            while games.len() < limit.max(1) && work < max_work {
                let Some(row) = rows.next()? else {
                    return Ok(GamePage { games, next: None });
                };
                let game = stored_game(row)?;
                work += if last.0 - game.id.0 < NEAR {
                    1
                } else {
                    FAR_WORK
                };
                last = game.id;
                if filter.includes(&game.record) {
                    games.push(game);
                }
            }
            Ok(GamePage {
                games,
                next: Some(last),
            })
        })
    }

    /// Returns a game and its PGN.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn game(&self, id: GameId) -> Result<Option<(StoredGame, String)>, StoreError> {
        let sql = format!("SELECT {COLUMNS}, pgn FROM games JOIN texts ON game = id WHERE id = ?1");
        self.read(|transaction| {
            transaction
                .query_one(&sql, [id], |row| Ok((stored_game(row)?, row.get("pgn")?)))
                .optional()
        })
    }

    /// Returns the PGN of these games, in this order.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn pgn_of(&self, games: &[StoredGame]) -> Result<String, StoreError> {
        self.read(|transaction| {
            let mut select = transaction.prepare("SELECT pgn FROM texts WHERE game = ?1")?;
            let mut pgn = String::new();
            for StoredGame { id, .. } in games {
                // The oldest match may have been removed since the games were listed.
                let text = select.query_one([id], |row| row.get::<_, String>(0));
                pgn += &text.optional()?.unwrap_or_default();
            }
            Ok(pgn)
        })
    }
}

impl GameFilter {
    /// Returns the query for the games in the most selective index, newest first, or `None` if no
    /// game can match. [`includes`](Self::includes) applies the rest of the filter, so the work for
    /// a page is bounded for every filter.
    pub(super) fn sql(&self) -> Option<String> {
        let before = self.before.map_or(i64::MAX, |GameId(id)| id);
        let select = |(index, condition): (&str, String)| {
            format!(
                "SELECT {COLUMNS} FROM games INDEXED BY {index} WHERE {condition} AND id < {before}"
            )
        };
        let selects: Vec<_> = self.sources().into_iter().map(select).collect();
        (!selects.is_empty()).then(|| format!("{} ORDER BY id DESC", selects.join(" UNION ALL ")))
    }

    /// Returns the indexes to use, each with the condition for its games.
    fn sources(&self) -> Vec<(&'static str, String)> {
        if self.match_id.is_some() {
            let is_of_client = match self.match_client {
                Some(_) => "EXISTS (SELECT 1 FROM matches WHERE matches.id = ?1 AND client = ?2)",
                None => "TRUE",
            };
            return vec![(
                "games_of_match",
                format!("match_id = ?1 AND {is_of_client}"),
            )];
        }
        let rated = |index, condition: String| (index, format!("is_rated AND {condition}"));
        let of_faulty = |PlayerId(player)| {
            rated(
                "games_of_faulty_player",
                format!("faulty_player = {player}"),
            )
        };
        match (self.fault, self.opening, self.players, self.pairings()) {
            (Some(FaultFilter::Player(player)), ..) => vec![of_faulty(player)],
            (_, Some(opening), PlayerFilter::Player(PlayerId(id)), _) => [
                ("games_of_white_by_opening", "white"),
                ("games_of_black_by_opening", "black"),
            ]
            .map(|(index, side)| rated(index, format!("{side} = {id} AND opening = {opening}")))
            .to_vec(),
            (_, Some(opening), _, Some(pairings)) => {
                let whites: BTreeSet<_> = pairings
                    .into_iter()
                    .map(|(PlayerId(white), _)| white)
                    .collect();
                let of_white = |white| format!("white = {white} AND opening = {opening}");
                whites
                    .into_iter()
                    .map(|white| rated("games_of_white_by_opening", of_white(white)))
                    .collect()
            }
            (_, Some(opening), ..) => {
                vec![rated("games_of_opening", format!("opening = {opening}"))]
            }
            (Some(FaultFilter::Any), .., Some(pairings)) => {
                let players: BTreeSet<_> = pairings.into_iter().flat_map(<[_; 2]>::from).collect();
                players.into_iter().map(of_faulty).collect()
            }
            (Some(FaultFilter::Any), ..) => {
                vec![rated(
                    "games_with_fault",
                    "faulty_player IS NOT NULL".to_owned(),
                )]
            }
            (.., Some(pairings)) => pairings
                .into_iter()
                .map(|(PlayerId(white), PlayerId(black))| {
                    rated(
                        "games_of_pairing",
                        format!("white = {white} AND black = {black}"),
                    )
                })
                .collect(),
            (_, _, PlayerFilter::Player(PlayerId(id)), _) => {
                let results = [GameResult::Loss, GameResult::Draw, GameResult::Win];
                let wanted = results
                    .into_iter()
                    .filter(|result| self.result.is_none_or(|one| one == *result));
                let by_points = |index, side, result| {
                    rated(
                        index,
                        format!("{side} = {id} AND points = {}", result as u8),
                    )
                };
                wanted
                    .flat_map(|result| {
                        [
                            by_points("games_of_white_by_points", "white", result),
                            by_points("games_of_black_by_points", "black", result.reversed()),
                        ]
                    })
                    .collect()
            }
            _ => vec![rated("rated_games", "TRUE".to_owned())],
        }
    }

    /// Returns the pairings of all games in the list, White first, if there are few. They are all
    /// pairings between two players, or only the visible ones.
    fn pairings(&self) -> Option<Vec<(PlayerId, PlayerId)>> {
        let pairings: Vec<_> = match (self.players, &self.visible) {
            (PlayerFilter::Pairing(one, other), _) => vec![(one, other), (other, one)],
            (_, None) => return None,
            (PlayerFilter::Any, Some(visible)) => visible.iter().copied().collect(),
            (PlayerFilter::Player(player), Some(visible)) => visible
                .iter()
                .copied()
                .filter(|(white, black)| [white, black].contains(&&player))
                .collect(),
        };
        (pairings.len() <= MAX_PAIRINGS).then_some(pairings)
    }

    fn includes(&self, game: &GameSummary) -> bool {
        let (white, black) = (game.white, game.black);
        let (has_players, is_reversed) = match self.players {
            PlayerFilter::Any => (true, false),
            PlayerFilter::Player(player) => ([white, black].contains(&player), black == player),
            PlayerFilter::Pairing(one, other) => (
                [(one, other), (other, one)].contains(&(white, black)),
                black == one,
            ),
        };
        let result = if is_reversed {
            game.result.reversed()
        } else {
            game.result
        };
        has_players
            && self.result.is_none_or(|wanted| wanted == result)
            && (self.opening.is_none() || self.opening == game.opening)
            && match self.fault {
                None => true,
                Some(FaultFilter::Any) => game.fault.is_some(),
                Some(FaultFilter::Player(player)) => game.faulty_player() == Some(player),
            }
            && self
                .visible
                .as_ref()
                .is_none_or(|visible| visible.contains(&(white, black)))
    }
}

fn stored_game(row: &Row<'_>) -> rusqlite::Result<StoredGame> {
    let white = row.get(1)?;
    let fault = match row.get::<_, Option<PlayerId>>(6)? {
        Some(player) => {
            let color = if player == white {
                Color::White
            } else {
                Color::Black
            };
            Some(GameFault {
                code: row.get(11)?,
                color,
                ply: row.get(12)?,
                details: row.get(13)?,
            })
        }
        None => None,
    };
    let record = GameSummary {
        white,
        black: row.get(2)?,
        result: row.get::<_, PointsColumn>(3)?.0,
        opening: row.get(4)?,
        fault,
        termination: row.get(8)?,
        plies: row.get(9)?,
        ended: row.get::<_, TimeColumn>(10)?.0,
    };
    Ok(StoredGame {
        id: row.get(0)?,
        pair: row.get(7)?,
        match_id: row.get(5)?,
        match_client: row.get(15)?,
        is_rated: row.get(14)?,
        record,
    })
}
