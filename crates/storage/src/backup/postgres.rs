//! A backup of `PostgreSQL` is an archive of `pg_dump` (custom format), taken in the snapshot in which the rows were
//! counted. `pg_dump` and `pg_restore` support every version of `PostgreSQL`; own code would not.

use super::{BackupError, Contents, Manifest, as_owner, ensure_no_open_transfer, unusable};
use crate::database_url::{DatabaseUrl, Target};
use crate::errors::unavailable;
use crate::files::open_private;
use crate::postgres::other_connections;
use crate::postgres_endpoint::{APPLICATION, PostgresEndpoint};
use crate::queries::{secrets, versions};
use crate::sql::Db;
use diesel::connection::SimpleConnection;
use diesel::sql_types::{BigInt, Text};
use diesel::{Connection, QueryResult, QueryableByName, RunQueryDsl, sql_query};
use std::collections::BTreeMap;
use std::fs;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where Debian and its derivatives install the programs of each version.
const VERSIONS: &str = "/usr/lib/postgresql";
/// Schema that keeps tables which a restore replaced; numbered from the second time on.
const REPLACED_SCHEMA: &str = "sightline_replaced";

#[derive(QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

pub fn connect(url: &str) -> Result<Db, BackupError> {
    let connected = PostgresEndpoint::new(url)?.connect_for_migration();
    Ok(connected.map_err(unavailable)?)
}

/// Copies committed data while servers run.
pub fn take(url: &str, to: &Path, programs: Option<&Path>) -> Result<Contents, BackupError> {
    let dump = Program::find("pg_dump", programs)?;
    let archive = as_owner(to, || open_private(to).map_err(unusable(to)))?;
    let endpoint = PostgresEndpoint::new(url)?;
    let mut database = endpoint.connect_for_migration().map_err(unavailable)?;
    let (contents, snapshot) = count_in_snapshot(&mut database).map_err(unavailable)?;
    ensure_no_open_transfer(&contents.applied)?;
    let (url, password) = endpoint.url_and_password();
    let outcome = dump.run(
        &[
            "--format=custom",
            "--no-owner",
            "--no-privileges",
            &format!("--snapshot={snapshot}"),
            &format!("--exclude-schema={REPLACED_SCHEMA}*"),
            &format!("--dbname={url}"),
        ],
        password.as_deref(),
        (Stdio::null(), archive.into()),
    );
    // The snapshot lives as long as the transaction that exported it.
    let _ = database.batch_execute("ROLLBACK");
    outcome.map(|()| contents)
}

fn count_in_snapshot(database: &mut Db) -> QueryResult<(Contents, String)> {
    database.batch_execute(
        "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; \
         BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    )?;
    let snapshot: Name = sql_query("SELECT pg_export_snapshot() AS name").get_result(database)?;
    Ok((count_rows(database)?, snapshot.name))
}

fn count_rows(database: &mut Db) -> QueryResult<Contents> {
    let mut rows = BTreeMap::new();
    for name in tables(database)? {
        let count = format!("SELECT count(*) AS number FROM \"{name}\"");
        let counted: Number = sql_query(count).get_result(database)?;
        rows.insert(name, counted.number.unsigned_abs());
    }
    Ok(Contents {
        applied: versions::applied_migrations(database)?,
        key_ids: secrets::wrapping_keys(database, &rows)?,
        rows,
    })
}

/// Tables in the current schema, without partitions.
fn tables(database: &mut Db) -> QueryResult<Vec<String>> {
    let found = sql_query(
        "SELECT c.relname::TEXT AS name FROM pg_catalog.pg_class c \
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition",
    );
    let found: Vec<Name> = found.load(database)?;
    Ok(found.into_iter().map(|it| it.name).collect())
}

/// Reads the whole archive, without a database.
pub fn check_archive(from: &Path, programs: Option<&Path>) -> Result<(), BackupError> {
    let restore = Program::find("pg_restore", programs)?;
    let streams = (archive(from)?, Stdio::piped());
    restore.run(&["--file=/dev/null"], None, streams)
}

fn archive(from: &Path) -> Result<Stdio, BackupError> {
    as_owner(from, || {
        File::open(from).map(Stdio::from).map_err(unusable(from))
    })
}

/// Restores the archive in one transaction. Moves existing tables to another schema first, and returns its name.
pub fn restore(
    url: &str,
    from: &Path,
    manifest: &Manifest,
    force: bool,
    programs: Option<&Path>,
) -> Result<Option<String>, BackupError> {
    let restore = Program::find("pg_restore", programs)?;
    let streams = (archive(from)?, Stdio::piped());
    let endpoint = PostgresEndpoint::new(url)?;
    let mut database = endpoint.connect_for_migration().map_err(unavailable)?;
    let (plain, password) = endpoint.url_and_password();
    let place = || DatabaseUrl(Target::Postgres(url.to_owned())).to_string();
    let others = other_connections::count_after_wait(&mut database).map_err(unavailable)?;
    if others > 0 {
        let place = place();
        let message = format!("{place} (connections by `{APPLICATION}`: {others})");
        return Err(BackupError::InUse(message));
    }
    let there = tables(&mut database).map_err(unavailable)?;
    if there.iter().any(|it| it == "accounts") {
        let accounts = sql_query("SELECT count(*) AS number FROM accounts");
        let accounts: Number = accounts.get_result(&mut database).map_err(unavailable)?;
        if accounts.number > 0 && !force {
            return Err(BackupError::NotEmpty(place()));
        }
    }
    let kept = if there.is_empty() {
        None
    } else {
        let kept =
            set_aside(&mut database).map_err(|it| BackupError::CannotSetAside(it.to_string()))?;
        Some(kept)
    };
    let arguments = [
        "--no-owner",
        "--no-privileges",
        "--exit-on-error",
        "--single-transaction",
        &format!("--dbname={plain}"),
    ];
    if let Err(error) = restore.run(&arguments, password.as_deref(), streams) {
        if let Some(kept) = &kept {
            kept.move_back(&mut database).map_err(unavailable)?;
        }
        return Err(error);
    }
    // Reconnects: the archive may enable row-level security, which would hide all rows from the old connection.
    let mut database = endpoint.connect_for_migration().map_err(unavailable)?;
    let contents = count_rows(&mut database).map_err(unavailable)?;
    manifest.verify_rows(&contents.rows, from)?;
    Ok(kept.map(|it| it.schema))
}

/// Tables that were moved to another schema, with their indexes, keys and policies.
struct SetAsideTables {
    schema: String,
    moved_from: String,
    tables: Vec<String>,
}

/// Moves all tables, with partitions, to a new schema.
fn set_aside(database: &mut Db) -> QueryResult<SetAsideTables> {
    database.transaction(|database| {
        let place = sql_query("SELECT current_schema()::TEXT AS name");
        let place: Name = place.get_result(database)?;
        let tables = sql_query(
            "SELECT tablename::TEXT AS name FROM pg_catalog.pg_tables WHERE schemaname = $1",
        );
        let tables = tables.bind::<Text, _>(&place.name).load(database)?;
        let kept = SetAsideTables {
            schema: free_schema(database)?,
            moved_from: place.name,
            tables: tables.into_iter().map(|it: Name| it.name).collect(),
        };
        database.batch_execute(&format!("CREATE SCHEMA {}", kept.schema))?;
        kept.move_all(database, &kept.moved_from, &kept.schema)?;
        Ok(kept)
    })
}

/// The first name that no schema has: earlier copies stay.
fn free_schema(database: &mut Db) -> QueryResult<String> {
    let taken = sql_query("SELECT nspname::TEXT AS name FROM pg_catalog.pg_namespace");
    let taken: Vec<Name> = taken.load(database)?;
    let names = (2..).map(|number: u32| format!("{REPLACED_SCHEMA}_{number}"));
    let mut names = std::iter::once(REPLACED_SCHEMA.to_owned()).chain(names);
    let free = names.find(|name| taken.iter().all(|it| it.name != *name));
    Ok(free.unwrap_or_default())
}

impl SetAsideTables {
    /// Undoes `set_aside`.
    fn move_back(&self, database: &mut Db) -> QueryResult<()> {
        database.transaction(|database| {
            self.move_all(database, &self.schema, &self.moved_from)?;
            database.batch_execute(&format!("DROP SCHEMA {}", self.schema))
        })
    }

    fn move_all(&self, database: &mut Db, from: &str, to: &str) -> QueryResult<()> {
        let moves = self.tables.iter();
        let moves = moves.map(|it| format!("ALTER TABLE \"{from}\".\"{it}\" SET SCHEMA \"{to}\""));
        database.batch_execute(&moves.collect::<Vec<_>>().join("; "))
    }
}

struct Program {
    name: &'static str,
    path: PathBuf,
}

impl Program {
    /// In `folder`; without one, the newest installed version, else the one on the path.
    fn find(name: &'static str, folder: Option<&Path>) -> Result<Self, BackupError> {
        let path = match folder {
            Some(folder) => Some(folder.join(name)).filter(|it| it.is_file()),
            None => newest(name).or_else(|| on_the_path(name)),
        };
        let path = path.ok_or(BackupError::NoProgram(name))?;
        Ok(Self { name, path })
    }

    /// The password is passed in the environment, because other users can read command lines.
    fn run(
        &self,
        arguments: &[&str],
        password: Option<&str>,
        (input, output): (Stdio, Stdio),
    ) -> Result<(), BackupError> {
        let failed = |message: String| BackupError::Failed {
            program: self.name,
            reason: message,
        };
        let mut command = Command::new(&self.path);
        command.args(arguments).stdin(input).stdout(output);
        if let Some(password) = password {
            command.env("PGPASSWORD", password);
        }
        let ran = command
            .output()
            .map_err(|error| failed(error.to_string()))?;
        if ran.status.success() {
            return Ok(());
        }
        let message = String::from_utf8_lossy(&ran.stderr);
        let remedy = if message.contains("row-level security") {
            "\nBack up with a role that has BYPASSRLS (docs/operate/postgresql.md)."
        } else {
            ""
        };
        Err(failed(format!("{}{remedy}", message.trim())))
    }
}

fn newest(name: &str) -> Option<PathBuf> {
    let versions = fs::read_dir(VERSIONS).ok()?;
    let programs = versions.flatten().filter_map(|version| {
        let number: u32 = version.file_name().to_str()?.parse().ok()?;
        let program = version.path().join("bin").join(name);
        program.is_file().then_some((number, program))
    });
    programs.max().map(|(_, program)| program)
}

fn on_the_path(name: &str) -> Option<PathBuf> {
    let found = Command::new(name).arg("--version").output();
    found.is_ok().then(|| name.into())
}
