//! An index in PostgreSQL as the first schema left it: its tables, filled with the rows of the old SQLite file.

use sqlx::{AssertSqlSafe, Row as _, SqlitePool, TypeInfo as _, ValueRef as _};
use std::path::Path;

const FIRST: &str = include_str!("../../src/index/schema/1.sql");
const TABLES: [&str; 7] = ["classes", "runs", "standings", "distribution", "totals", "moderation", "tokens"];

pub async fn copy_first_schema(file: &Path, address: &str) {
    let old = SqlitePool::connect(&format!("sqlite://{}?mode=ro&immutable=true", file.display())).await.unwrap();
    let new = sqlx::PgPool::connect(address).await.unwrap();
    let versions = "CREATE TABLE benchwright_schema (version BIGINT NOT NULL PRIMARY KEY); INSERT INTO benchwright_schema VALUES (1);";
    sqlx::raw_sql(versions).execute(&new).await.unwrap();
    sqlx::raw_sql(FIRST).execute(&new).await.unwrap();
    for table in TABLES {
        let rows = sqlx::query(AssertSqlSafe(format!("SELECT * FROM {table}"))).fetch_all(&old).await.unwrap();
        for row in rows {
            let columns: Vec<&str> = row.columns().iter().map(sqlx::Column::name).collect();
            let values: Vec<String> = (0..columns.len()).map(|place| literal(&row, place)).collect();
            let sql = format!("INSERT INTO {table} ({}) VALUES ({})", columns.join(", "), values.join(", "));
            sqlx::query(AssertSqlSafe(sql)).execute(&new).await.unwrap();
        }
    }
    old.close().await;
    new.close().await;
}

fn literal(row: &sqlx::sqlite::SqliteRow, place: usize) -> String {
    let value = row.try_get_raw(place).unwrap();
    match value.type_info().name() {
        "NULL" => "NULL".to_owned(),
        "INTEGER" => row.get::<i64, _>(place).to_string(),
        "REAL" => row.get::<f64, _>(place).to_string(),
        _ => format!("'{}'", row.get::<String, _>(place).replace('\'', "''")),
    }
}
