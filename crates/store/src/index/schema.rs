//! Versioned changes of the schema. What was released is never edited: a change is a new file at the end of the list.

use super::database::{Row, Session};
use super::entry::{LONGEST_ADDRESS, address};
use super::error::IndexError;

const MIGRATIONS: [&str; 8] = [
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
    include_str!("schema/5.sql"),
    include_str!("schema/6.sql"),
    include_str!("schema/7.sql"),
    include_str!("schema/8.sql"),
];

/// The version this build writes.
pub const SCHEMA_VERSION: i64 = MIGRATIONS.len().cast_signed() as i64;
/// The version since which addresses are cut: they are part of a key.
const WITH_CUT_ADDRESSES: i64 = 8;

/// Brings an index to the present version, in the transaction it is given.
pub(super) async fn migrate(session: &mut dyn Session) -> Result<(), IndexError> {
    session.script("CREATE TABLE IF NOT EXISTS benchwright_schema (version BIGINT NOT NULL PRIMARY KEY)").await?;
    let mut rows = session.query("SELECT MAX(version) FROM benchwright_schema", Vec::new()).await?;
    let found = rows.first_mut().map_or(Ok(None), Row::optional_integer)?.unwrap_or(0);
    if found > SCHEMA_VERSION {
        return Err(IndexError::NewerSchema { found, known: SCHEMA_VERSION });
    }
    for (version, script) in (1..).zip(MIGRATIONS).filter(|(version, _)| *version > found) {
        session.script(script).await?;
        session.execute("INSERT INTO benchwright_schema (version) VALUES ($1)", vec![i64::into(version)]).await?;
    }
    if found < WITH_CUT_ADDRESSES { cut_addresses(session).await } else { Ok(()) }
}

/// Cuts the addresses of older runs to the byte where those of newer ones are cut, so that they are of the same app; SQL would count characters.
async fn cut_addresses(session: &mut dyn Session) -> Result<(), IndexError> {
    let most = i64::try_from(LONGEST_ADDRESS).unwrap_or(i64::MAX);
    let long = "SELECT run, url FROM runs WHERE octet_length(url) > $1";
    for mut row in session.query(long, vec![most.into()]).await? {
        let (run, url) = (row.text()?, row.text()?);
        session.execute("UPDATE runs SET url = $1 WHERE run = $2", vec![address(&url).into(), run.into()]).await?;
    }
    Ok(())
}
