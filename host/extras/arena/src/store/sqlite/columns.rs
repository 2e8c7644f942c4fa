//! Conversions between values and table columns.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{
    ToSql,
    types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef},
};
use tournament::GameResult;

use crate::{finished::GameId, player::PlayerId};

/// A time, in milliseconds since 1970.
pub(super) struct TimeColumn(pub(super) SystemTime);

/// A result for White, in half points.
pub(super) struct PointsColumn(pub(super) GameResult);

macro_rules! columns {
    ($($column:ident: $to:expr, $from:expr;)*) => { $(
        impl ToSql for $column {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                let to: fn(&Self) -> i64 = $to;
                Ok(to(self).into())
            }
        }

        impl FromSql for $column {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                let number = i64::column_result(value)?;
                let from: fn(i64) -> Option<Self> = $from;
                from(number).ok_or(FromSqlError::OutOfRange(number))
            }
        }
    )* };
}

columns! {
    GameId: |id| id.0, |number| Some(Self(number));
    PlayerId: |id| id.0, |number| Some(Self(number));
    TimeColumn: |time| time.0.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as i64,
        |ms| UNIX_EPOCH.checked_add(Duration::from_millis(ms.try_into().ok()?)).map(Self);
    PointsColumn: |points| points.0 as i64,
        |number| {
            let results = [GameResult::Loss, GameResult::Draw, GameResult::Win];
            results.get(number as usize).copied().map(Self)
        };
}
