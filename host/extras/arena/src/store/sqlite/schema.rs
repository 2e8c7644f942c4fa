//! The schema of the file and its versions.

use rusqlite::{Connection, TransactionBehavior};

use super::StoreFault;

/// The `application_id` of the file: "Rook".
const APPLICATION_ID: i64 = u32::from_be_bytes(*b"Rook") as i64;
/// The migration to each version of the schema, starting with an empty file.
const MIGRATIONS: &[&str] = &[
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
];

/// Creates the tables, or upgrades an earlier version.
///
/// # Errors
/// The file is not an arena file, has a later version, or cannot be read or written.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreFault> {
    migrate_with(connection, MIGRATIONS)
}

fn migrate_with(connection: &mut Connection, migrations: &[&str]) -> Result<(), StoreFault> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version = version(&transaction, migrations.len() as u32)?;
    for migration in &migrations[version as usize..] {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", migrations.len() as u32)?;
    Ok(transaction.commit()?)
}

/// Checks that the file has the tables of this version.
///
/// # Errors
/// The file is not an arena file, has a different version, or cannot be read.
pub(super) fn ensure_current(connection: &Connection) -> Result<(), StoreFault> {
    ensure_version(connection, MIGRATIONS.len() as u32)
}

fn ensure_version(connection: &Connection, latest: u32) -> Result<(), StoreFault> {
    match version(connection, latest)? {
        0 => Err(StoreFault::NotAnArena),
        found if found < latest => Err(StoreFault::EarlierVersion { found, latest }),
        _ => Ok(()),
    }
}

/// Returns the version of the schema, or 0 for an empty file.
fn version(connection: &Connection, latest: u32) -> Result<u32, StoreFault> {
    let number = |sql| connection.query_one(sql, [], |row| row.get::<_, i64>(0));
    let (application, found) = (
        number("PRAGMA application_id")?,
        number("PRAGMA user_version")?,
    );
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    match (application, u32::try_from(found)) {
        (0, Ok(0)) if tables == 0 => Ok(0),
        (APPLICATION_ID, Ok(found @ 1..)) if found > latest => {
            Err(StoreFault::LaterVersion { found, latest })
        }
        (APPLICATION_ID, Ok(found @ 1..)) => Ok(found),
        _ => Err(StoreFault::NotAnArena),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(connection: &Connection) -> Vec<String> {
        let mut select = connection
            .prepare("SELECT name FROM sqlite_schema ORDER BY name")
            .unwrap();
        select
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect()
    }

    #[test]
    fn migrations_run_once_in_order() {
        let mut connection = Connection::open_in_memory().unwrap();
        let migrations = [
            "CREATE TABLE one (x)",
            "CREATE TABLE two (x)",
            "ALTER TABLE two RENAME TO three",
        ];
        migrate_with(&mut connection, &migrations[..1]).unwrap();
        connection
            .execute("INSERT INTO one VALUES (7)", [])
            .unwrap();
        migrate_with(&mut connection, &migrations).unwrap();
        migrate_with(&mut connection, &migrations).unwrap();
        assert_eq!(names(&connection), ["one", "three"]);
        assert_eq!(
            connection.query_one("SELECT x FROM one", [], |row| row.get(0)),
            Ok(7)
        );
        let error = migrate_with(&mut connection, &migrations[..2]).unwrap_err();
        assert!(
            matches!(
                error,
                StoreFault::LaterVersion {
                    found: 3,
                    latest: 2,
                    ..
                }
            ),
            "{error}"
        );
        ensure_version(&connection, 3).unwrap();
        let error = ensure_version(&connection, 4).unwrap_err();
        assert!(
            matches!(
                error,
                StoreFault::EarlierVersion {
                    found: 3,
                    latest: 4,
                    ..
                }
            ),
            "{error}"
        );
    }

    #[test]
    fn match_games_from_the_first_version_are_not_rated() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate_with(&mut connection, &MIGRATIONS[..1]).unwrap();
        let games = "INSERT INTO players (entry, version, fingerprint, ai, name, since_ms)
                     VALUES ('a', 1, '', '', '', 0), ('b', 1, '', '', '', 0);
                     INSERT INTO matches VALUES ('m', 'c', NULL, '', '', 1, 0);
                     INSERT INTO games (pair, match_id, white, black, points, termination, plies,
                                        ended_ms, hash)
                     VALUES (1, NULL, 1, 2, 0, '', 0, 0, 1), (2, 'm', 1, 2, 0, '', 0, 0, 2)";
        connection.execute_batch(games).unwrap();
        migrate(&mut connection).unwrap();
        let rated = "SELECT group_concat(id) FROM games WHERE is_rated";
        assert_eq!(
            connection.query_one(rated, [], |row| row.get(0)),
            Ok("1".to_owned())
        );
        ensure_current(&connection).unwrap();
    }

    #[test]
    fn a_migration_that_fails_changes_nothing() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate_with(&mut connection, &["CREATE TABLE one (x)"]).unwrap();
        let migrations = ["", "CREATE TABLE two (x)", "nonsense"];
        migrate_with(&mut connection, &migrations).unwrap_err();
        assert_eq!(names(&connection), ["one"]);
        assert_eq!(version(&connection, 9).unwrap(), 1);
    }
}
