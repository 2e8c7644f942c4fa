//! Values as columns of the tables.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ai_api::Color;
use rusqlite::{
    ToSql,
    types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef},
};
use tournament::GameResult;

use crate::player::PlayerId;

/// The number of a game in the arena's file; later games have greater numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(pub i64);

impl ToSql for GameId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl FromSql for GameId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        i64::column_result(value).map(Self)
    }
}

impl ToSql for PlayerId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl FromSql for PlayerId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        i64::column_result(value).map(Self)
    }
}

/// A time in milliseconds since 1970.
pub(super) struct Time(pub(super) SystemTime);

impl ToSql for Time {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let since = self.0.duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok((since.as_millis() as i64).into())
    }
}

impl FromSql for Time {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let ms = u32_or_more(value)?;
        UNIX_EPOCH.checked_add(Duration::from_millis(ms)).map(Self).ok_or(FromSqlError::OutOfRange(ms as i64))
    }
}

/// A count.
pub(super) struct Count(pub(super) u64);

impl ToSql for Count {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok((self.0 as i64).into())
    }
}

impl FromSql for Count {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        u32_or_more(value).map(Self)
    }
}

fn u32_or_more(value: ValueRef<'_>) -> FromSqlResult<u64> {
    let number = i64::column_result(value)?;
    u64::try_from(number).map_err(|_| FromSqlError::OutOfRange(number))
}

/// White's half points.
pub(super) struct Points(pub(super) GameResult);

impl Points {
    pub(super) const fn number(&self) -> u8 {
        match self.0 {
            GameResult::Loss => 0,
            GameResult::Draw => 1,
            GameResult::Win => 2,
        }
    }
}

impl ToSql for Points {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.number().into())
    }
}

impl FromSql for Points {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match i64::column_result(value)? {
            0 => Ok(Self(GameResult::Loss)),
            1 => Ok(Self(GameResult::Draw)),
            2 => Ok(Self(GameResult::Win)),
            other => Err(FromSqlError::OutOfRange(other)),
        }
    }
}

/// 0 for White, 1 for Black.
pub(super) struct Side(pub(super) Color);

impl ToSql for Side {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok((self.0.index() as i64).into())
    }
}

impl FromSql for Side {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let number = i64::column_result(value)?;
        let color = Color::ALL.into_iter().find(|color| color.index() as i64 == number);
        color.map(Self).ok_or(FromSqlError::OutOfRange(number))
    }
}
