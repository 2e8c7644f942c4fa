//! Lists of games.

use std::{collections::BTreeSet, time::SystemTime};

use rusqlite::{OptionalExtension as _, Row, named_params};
use tournament::GameResult;

use super::{
    StoreReader,
    columns::{GameId, Points, Side, Time},
    error::StoreError,
};
use crate::{finished::GameFault, player::PlayerId};

/// The most games that one page looks at.
const MAX_SCANNED: usize = 5000;
const COLUMNS: &str = "id, white, black, points, opening, match_id, fault_code, pair, termination, plies, ended_ms, \
                       fault_color, fault_ply, fault_details";

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
        self.read(|transaction| {
            let mut select = transaction.prepare(&filter.sql())?;
            if let Some(name) = select.parameter_index(":match_id")? {
                select.raw_bind_parameter(name, &filter.match_id)?;
            }
            if let Some(name) = select.parameter_index(":before")? {
                select.raw_bind_parameter(name, filter.before.unwrap_or(GameId(i64::MAX)))?;
            }
            let mut page = GamePage { games: Vec::new(), next: None };
            let mut rows = select.raw_query();
            for scanned in 1.. {
                let Some(row) = rows.next()? else { return Ok(page) };
                if filter.includes(row)? {
                    page.games.push(game_row(row)?);
                }
                if scanned == MAX_SCANNED || page.games.len() >= limit {
                    page.next = row.get(0)?;
                    break;
                }
            }
            Ok(page)
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
            _ if self.match_id.is_some() => vec!["games_of_match WHERE match_id = :match_id".to_owned()],
            (PlayerFilter::Pairing(PlayerId(one), PlayerId(other)), _) => [(one, other), (other, one)]
                .map(|(white, black)| format!("games_of_pairing WHERE white = {white} AND black = {black}"))
                .to_vec(),
            _ if let Some(opening) = self.opening => {
                vec![format!("games_of_opening WHERE opening = {opening}")]
            }
            _ if self.with_fault => vec!["games_with_fault WHERE faulty_player IS NOT NULL".to_owned()],
            (PlayerFilter::Player(PlayerId(id)), None) => {
                vec![
                    format!("games_of_white WHERE white = {id}"),
                    format!("games_of_black WHERE black = {id}"),
                ]
            }
            (PlayerFilter::Player(PlayerId(id)), Some(result)) => {
                let [white, black] = [result, result.reversed()].map(|result| Points(result).number());
                vec![
                    format!("games_of_white_by_points WHERE white = {id} AND points = {white}"),
                    format!("games_of_black_by_points WHERE black = {id} AND points = {black}"),
                ]
            }
            (PlayerFilter::Any, _) => Vec::new(),
        };
        if sources.is_empty() {
            return format!("SELECT {COLUMNS} FROM games WHERE id < :before ORDER BY id DESC");
        }
        let arms: Vec<_> = sources
            .iter()
            .map(|source| format!("SELECT {COLUMNS} FROM games INDEXED BY {source} AND id < :before"))
            .collect();
        format!("{} ORDER BY id DESC", arms.join(" UNION ALL "))
    }

    fn includes(&self, row: &Row<'_>) -> rusqlite::Result<bool> {
        let (white, black) = (row.get(1)?, row.get(2)?);
        let Points(points) = row.get(3)?;
        let (is_of_players, result) = match self.players {
            PlayerFilter::Any => (true, points),
            PlayerFilter::Player(player) | PlayerFilter::Pairing(player, _) => {
                let opponent = if white == player { black } else { white };
                let is_of_player = white == player || black == player;
                let is_pairing =
                    !matches!(self.players, PlayerFilter::Pairing(_, other) if other != opponent);
                (is_of_player && is_pairing, if white == player { points } else { points.reversed() })
            }
        };
        let is_visible = |player| self.visible.as_ref().is_none_or(|visible| visible.contains(player));
        Ok(is_of_players
            && self.result.is_none_or(|wanted| wanted == result)
            && (self.opening.is_none() || self.opening == row.get(4)?)
            && (self.match_id.is_none() || self.match_id == row.get(5)?)
            && (!self.with_fault || row.get::<_, Option<String>>(6)?.is_some())
            && is_visible(&white)
            && is_visible(&black))
    }
}

fn game_row(row: &Row<'_>) -> rusqlite::Result<GameRow> {
    let code: Option<String> = row.get(6)?;
    let fault = code.map(|code| -> rusqlite::Result<_> {
        let Side(color) = row.get(11)?;
        Ok(GameFault { code, color, ply: row.get(12)?, details: row.get(13)? })
    });
    Ok(GameRow {
        id: row.get(0)?,
        white: row.get(1)?,
        black: row.get(2)?,
        result: row.get::<_, Points>(3)?.0,
        opening: row.get(4)?,
        match_id: row.get(5)?,
        fault: fault.transpose()?,
        pair: row.get(7)?,
        termination: row.get(8)?,
        plies: row.get(9)?,
        ended: row.get::<_, Time>(10)?.0,
    })
}
