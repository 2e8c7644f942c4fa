//! Lists of games.

use std::{collections::BTreeSet, time::SystemTime};

use ai_api::Color;
use rusqlite::{OptionalExtension as _, Row, named_params};
use tournament::GameResult;

use super::{
    StoreReader,
    columns::{GameId, Points, Time},
    error::StoreError,
};
use crate::{finished::GameFault, player::PlayerId};

/// The most work for one page, in games that lie together in the file. At a million games it takes less than 50 ms, also from the
/// disk.
const MAX_WORK: i64 = 10_000;
/// The work for a game that lies elsewhere than the one before: another page of the file.
const FAR_WORK: i64 = 40;
/// Games with ids nearer than this lie together.
const NEAR: i64 = 100;
const COLUMNS: &str = "id, white, black, points, opening, match_id, fault_code, pair, termination, plies, ended_ms, \
                       faulty_player, fault_ply, fault_details";

/// Which games to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameFilter {
    pub players: PlayerFilter,
    /// The result for the player of the filter, or for White without one.
    pub result: Option<GameResult>,
    /// Whether to list only games that ended with a fault.
    pub with_fault: bool,
    pub opening: Option<u32>,
    pub match_id: Option<String>,
    /// The players that the client may see; all without it.
    pub visible: Option<BTreeSet<PlayerId>>,
    /// Lists games before this one.
    pub before: Option<GameId>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlayerFilter {
    #[default]
    Any,
    Player(PlayerId),
    /// Games of a player against another.
    Pairing(PlayerId, PlayerId),
}

/// A part of a list of games, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GamePage {
    pub games: Vec<GameRow>,
    /// What the next page is [`before`](GameFilter::before), if there may be more games. A page can have fewer games than the
    /// limit and still have a next one.
    pub next: Option<GameId>,
}

/// A game without its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRow {
    pub id: GameId,
    pub pair: i64,
    pub match_id: Option<String>,
    pub white: PlayerId,
    pub black: PlayerId,
    /// The result for White.
    pub result: GameResult,
    pub termination: String,
    pub fault: Option<GameFault>,
    pub opening: Option<u32>,
    pub plies: u32,
    pub ended: SystemTime,
}

impl StoreReader {
    /// Returns the newest games of a filter, at most `limit`.
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
        let before = filter.before.unwrap_or(GameId(i64::MAX));
        self.read(|transaction| {
            let mut select = transaction.prepare(&filter.sql())?;
            if let Some(index) = select.parameter_index(":match_id")? {
                select.raw_bind_parameter(index, &filter.match_id)?;
            }
            if let Some(index) = select.parameter_index(":before")? {
                select.raw_bind_parameter(index, before)?;
            }
            let mut rows = select.raw_query();
            let (mut games, mut last, mut work) = (Vec::new(), before, 0);
            while games.len() < limit.max(1) && work < max_work {
                let Some(row) = rows.next()? else { return Ok(GamePage { games, next: None }) };
                let id: GameId = row.get(0)?;
                work += if last.0 - id.0 < NEAR { 1 } else { FAR_WORK };
                last = id;
                if filter.includes(row)? {
                    games.push(game_row(row)?);
                }
            }
            Ok(GamePage { games, next: Some(last) })
        })
    }

    /// Returns a game and its PGN.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn game(&self, id: GameId) -> Result<Option<(GameRow, String)>, StoreError> {
        let sql = format!("SELECT {COLUMNS}, pgn FROM games JOIN texts ON game = id WHERE id = :id");
        self.read(|transaction| {
            let found = transaction
                .query_one(&sql, named_params! {":id": id}, |row| Ok((game_row(row)?, row.get("pgn")?)));
            found.optional()
        })
    }

    /// Returns the last games that ended with a fault of this player, the newest first, at most `limit`.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn faults(&self, player: PlayerId, limit: u32) -> Result<Vec<GameRow>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM games WHERE faulty_player = :player ORDER BY id DESC LIMIT :limit"
        );
        self.read(|transaction| {
            let mut select = transaction.prepare(&sql)?;
            select.query_map(named_params! {":player": player, ":limit": limit}, game_row)?.collect()
        })
    }
}

impl GameFilter {
    /// Returns the query of the games that the most selective index has, newest first. [`includes`](Self::includes) does the
    /// rest, so that a page has a bound whatever the filter.
    pub(super) fn sql(&self) -> String {
        let sources = match (self.players, self.result) {
            _ if self.match_id.is_some() => {
                vec!["INDEXED BY games_of_match WHERE match_id = :match_id".to_owned()]
            }
            (PlayerFilter::Pairing(PlayerId(one), PlayerId(other)), _) => [(one, other), (other, one)]
                .map(|(white, black)| {
                    format!("INDEXED BY games_of_pairing WHERE white = {white} AND black = {black}")
                })
                .to_vec(),
            _ if let Some(opening) = self.opening => {
                vec![format!("INDEXED BY games_of_opening WHERE opening = {opening}")]
            }
            _ if self.with_fault => {
                vec!["INDEXED BY games_with_fault WHERE faulty_player IS NOT NULL".to_owned()]
            }
            (PlayerFilter::Player(PlayerId(id)), None) => ["white", "black"]
                .map(|side| format!("INDEXED BY games_of_{side} WHERE {side} = {id}"))
                .to_vec(),
            (PlayerFilter::Player(PlayerId(id)), Some(result)) => {
                [("white", result), ("black", result.reversed())]
                    .map(|(side, result)| {
                        let points = result as u8;
                        format!(
                            "INDEXED BY games_of_{side}_by_points WHERE {side} = {id} AND points = {points}"
                        )
                    })
                    .to_vec()
            }
            (PlayerFilter::Any, _) => vec!["NOT INDEXED WHERE TRUE".to_owned()],
        };
        let sources =
            sources.iter().map(|source| format!("SELECT {COLUMNS} FROM games {source} AND id < :before"));
        format!("{} ORDER BY id DESC", sources.collect::<Vec<_>>().join(" UNION ALL "))
    }

    fn includes(&self, row: &Row<'_>) -> rusqlite::Result<bool> {
        let (white, black, Points(points)): (PlayerId, PlayerId, Points) =
            (row.get(1)?, row.get(2)?, row.get(3)?);
        let sides = [(white, black, points), (black, white, points.reversed())];
        let wanted = sides.into_iter().find(|&(player, opponent, _)| match self.players {
            PlayerFilter::Any => true,
            PlayerFilter::Player(one) => one == player,
            PlayerFilter::Pairing(one, other) => (one, other) == (player, opponent),
        });
        let Some((.., result)) = wanted else { return Ok(false) };
        let is_visible = |player| self.visible.as_ref().is_none_or(|visible| visible.contains(player));
        Ok(self.result.is_none_or(|wanted| wanted == result)
            && (self.opening.is_none() || self.opening == row.get(4)?)
            && (self.match_id.is_none() || self.match_id == row.get(5)?)
            && (!self.with_fault || row.get::<_, Option<PlayerId>>(11)?.is_some())
            && is_visible(&white)
            && is_visible(&black))
    }
}

fn game_row(row: &Row<'_>) -> rusqlite::Result<GameRow> {
    let white = row.get(1)?;
    let fault = match row.get::<_, Option<PlayerId>>(11)? {
        Some(player) => {
            let color = if player == white { Color::White } else { Color::Black };
            Some(GameFault { code: row.get(6)?, color, ply: row.get(12)?, details: row.get(13)? })
        }
        None => None,
    };
    Ok(GameRow {
        id: row.get(0)?,
        white,
        black: row.get(2)?,
        result: row.get::<_, Points>(3)?.0,
        opening: row.get(4)?,
        match_id: row.get(5)?,
        fault,
        pair: row.get(7)?,
        termination: row.get(8)?,
        plies: row.get(9)?,
        ended: row.get::<_, Time>(10)?.0,
    })
}
