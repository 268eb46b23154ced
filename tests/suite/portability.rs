//! The schema is legal on Citus, `YugabyteDB` and `CockroachDB`: every statement of `PostgreSQL`'s migrations is
//! parsed, and whatever is not known to be legal everywhere is reported. None of the three can be installed here, so
//! this is checked and not run.

use sqlparser::{
    ast::{
        AlterTableOperation, ColumnDef, ColumnOption, CreateIndex, CreateTable, Expr, IndexColumn,
        Statement, TableConstraint,
    },
    dialect::PostgreSqlDialect,
    parser::Parser,
};
use std::{collections::BTreeSet, fs};
use storage::TENANT_TABLES;

/// Tables that are found without an account: small, keyed by what is looked up.
pub const DIRECTORIES: [&str; 12] = [
    "user_directory",
    "token_directory",
    "session_directory",
    "link_directory",
    "sign_in_throttles",
    "server_notes",
    "site_turns",
    "server_secrets",
    "server_keys",
    "sealed_secrets",
    "server_spending",
    "schema_breaks",
];
/// Market data of suppliers, shared by all accounts: rows without an account.
pub const SHARED: [&str; 2] = ["keyword_markets", "keyword_flights"];
/// The tables that workers search across accounts; one row per account.
pub const QUEUES: [&str; 4] = [
    "account_queues",
    "account_schedules",
    "account_console_fetches",
    "account_deliveries",
];
/// Tables partitioned by month, for which only `CockroachDB` has another syntax.
const BY_MONTHS: [&str; 1] = ["rank_history"];
/// Allowed types of columns.
const TYPES: [&str; 8] = [
    "BIGINT",
    "INTEGER",
    "TEXT",
    "BYTEA",
    "BOOLEAN",
    "DATE",
    "DOUBLE PRECISION",
    "TIMESTAMPTZ",
];

fn migrations() -> Vec<(String, String)> {
    let folder = format!("{}/../migrations/postgres", env!("CARGO_MANIFEST_DIR"));
    let steps = fs::read_dir(folder).unwrap();
    let mut files: Vec<(String, String)> = steps
        .map(|step| step.unwrap().path())
        .flat_map(|step| [step.join("up.sql"), step.join("down.sql")])
        .map(|file| {
            (
                file.display().to_string(),
                fs::read_to_string(&file).unwrap(),
            )
        })
        .collect();
    files.sort();
    files
}

fn parsed(text: &str) -> Vec<Statement> {
    Parser::parse_sql(&PostgreSqlDialect {}, text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn first(columns: &[IndexColumn]) -> String {
    columns
        .first()
        .map(|it| it.column.expr.to_string())
        .unwrap_or_default()
}

fn is_of_breaks(statement: &Statement) -> bool {
    let text = statement.to_string();
    let starts = ["INSERT INTO schema_breaks ", "DELETE FROM schema_breaks "];
    starts.iter().any(|it| text.starts_with(it))
}

/// What is wrong with a statement.
fn mistakes(statement: &Statement) -> Vec<String> {
    match statement {
        Statement::CreateTable(table) => of_table(table),
        Statement::CreateIndex(index) => of_index(index),
        Statement::AlterTable(alter) => alter.operations.iter().flat_map(of_change).collect(),
        Statement::Drop { .. } => vec![],
        // Plain rows, in a table without references.
        Statement::Insert(_) | Statement::Delete(_) if is_of_breaks(statement) => vec![],
        other => vec![format!("is not known to be legal everywhere: {other}")],
    }
}

fn of_table(table: &CreateTable) -> Vec<String> {
    let name = table.name.to_string();
    let mut wrong: Vec<String> = table.columns.iter().flat_map(of_column).collect();
    if table.inherits.is_some() || table.unlogged || table.temporary {
        wrong.push("is no plain table".to_owned());
    }
    if table.partition_by.is_some() && !BY_MONTHS.contains(&name.as_str()) {
        wrong.push("has parts".to_owned());
    }
    let mut key = inline_key(table);
    for constraint in &table.constraints {
        match constraint {
            TableConstraint::PrimaryKey(it) if it.characteristics.is_none() => {
                key = Some(first(&it.columns));
            }
            TableConstraint::ForeignKey(it) if it.characteristics.is_none() => {
                let pairs = it.columns.iter().zip(&it.referred_columns);
                let is_by_account = pairs.clone().next().is_some_and(|(from, to)| {
                    from.value == "account_id" && to.value == "account_id"
                });
                if !is_by_account {
                    wrong.push(format!(
                        "has a foreign key that does not begin with the account: {it}"
                    ));
                }
            }
            TableConstraint::Check(_) => {}
            other => wrong.push(format!("has a constraint that is not known: {other}")),
        }
    }
    let by_account = key.as_deref() == Some("account_id");
    if SHARED.contains(&name.as_str()) {
        let names_one = |it: &ColumnDef| it.name.value.contains("account");
        if table.columns.iter().any(names_one) {
            wrong.push("is shared and names an account".to_owned());
        }
    } else if !by_account && !DIRECTORIES.contains(&name.as_str()) {
        wrong.push(format!(
            "has a key that begins with {key:?}, not with the account"
        ));
    }
    wrong
}

/// The column that is declared as the key inline.
fn inline_key(table: &CreateTable) -> Option<String> {
    let is_key = |column: &&ColumnDef| {
        let mut options = column.options.iter();
        options.any(|it| matches!(it.option, ColumnOption::PrimaryKey(_)))
    };
    table
        .columns
        .iter()
        .find(is_key)
        .map(|it| it.name.value.clone())
}

fn of_column(column: &ColumnDef) -> Vec<String> {
    let mut wrong = vec![];
    let kind = column.data_type.to_string();
    if !TYPES.contains(&kind.as_str()) {
        wrong.push(format!("{} is a {kind}", column.name));
    }
    for option in &column.options {
        let is_known = matches!(
            option.option,
            ColumnOption::Null
                | ColumnOption::NotNull
                | ColumnOption::Collation(_)
                | ColumnOption::PrimaryKey(_)
                | ColumnOption::ForeignKey(_)
        );
        if !is_known {
            wrong.push(format!("{} has {}", column.name, option.option));
        }
    }
    wrong
}

fn of_index(index: &CreateIndex) -> Vec<String> {
    let (table, begins) = (index.table_name.to_string(), first(&index.columns));
    let mut wrong = vec![];
    let is_free = QUEUES.contains(&table.as_str()) || SHARED.contains(&table.as_str());
    if begins != "account_id" && !is_free {
        wrong.push(format!(
            "begins with {begins}, not with the account: {index}"
        ));
    }
    let is_plain = |it: &IndexColumn| matches!(it.column.expr, Expr::Identifier(_));
    if index.using.is_some() || !index.columns.iter().all(is_plain) {
        wrong.push(format!("is no plain index: {index}"));
    }
    wrong
}

fn of_change(change: &AlterTableOperation) -> Vec<String> {
    match change {
        AlterTableOperation::AddColumn { column_def, .. } => {
            let mut wrong = of_column(column_def);
            let mut options = column_def.options.iter();
            if options.any(|it| matches!(it.option, ColumnOption::NotNull)) {
                wrong.push(format!("rows that are there have no {}", column_def.name));
            }
            wrong
        }
        AlterTableOperation::DropColumn { .. } => vec![],
        other => vec![format!(
            "changes a table as not every database can: {other}"
        )],
    }
}

#[test]
fn migrations_are_legal_on_distributed_databases() {
    let (mut wrong, mut seen) = (vec![], 0);
    for (file, text) in migrations() {
        for statement in parsed(&text) {
            seen += 1;
            let faults = mistakes(&statement);
            wrong.extend(faults.iter().map(|it| format!("{file}: {it}")));
        }
    }
    assert!(seen > 40, "{seen}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn sql_rules_cover_every_tenant_table() {
    let mut tables = BTreeSet::new();
    for (_, text) in migrations()
        .into_iter()
        .filter(|it| it.0.ends_with("up.sql"))
    {
        for statement in parsed(&text) {
            match statement {
                Statement::CreateTable(table) => {
                    tables.insert(table.name.to_string());
                }
                Statement::Drop { names, .. } => names.iter().for_each(|it| {
                    tables.remove(&it.to_string());
                }),
                _ => {}
            }
        }
    }
    let watched: BTreeSet<String> = TENANT_TABLES.iter().map(ToString::to_string).collect();
    let of_no_tenant = DIRECTORIES.iter().filter(|it| !watched.contains(**it));
    for free in QUEUES.iter().chain(&SHARED).chain(of_no_tenant) {
        assert!(tables.remove(*free), "{free}");
    }
    assert_eq!(tables, watched);
}

#[test]
fn unportable_statements_are_rejected() {
    for statement in [
        "CREATE TABLE t (id BIGSERIAL PRIMARY KEY)",
        "CREATE TABLE t (id BIGINT NOT NULL, account_id BIGINT NOT NULL, PRIMARY KEY (id))",
        "CREATE TABLE t (account_id BIGINT PRIMARY KEY, n BIGINT GENERATED ALWAYS AS IDENTITY)",
        "CREATE TABLE t (account_id BIGINT PRIMARY KEY, n JSONB)",
        "CREATE TABLE t (account_id BIGINT PRIMARY KEY, n TIMESTAMPTZ DEFAULT now())",
        "CREATE TABLE t (account_id BIGINT PRIMARY KEY, FOREIGN KEY (id) REFERENCES u (id))",
        "CREATE TABLE t (account_id BIGINT, PRIMARY KEY (account_id) DEFERRABLE)",
        "CREATE INDEX i ON projects (domain)",
        "CREATE INDEX i ON projects USING gin (account_id, domain)",
        "CREATE INDEX i ON projects (account_id, lower(domain))",
        "ALTER TABLE projects ADD COLUMN n BIGINT NOT NULL",
        "ALTER TABLE projects RENAME COLUMN n TO m",
        "CREATE TYPE mood AS ENUM ('good')",
        "CREATE SEQUENCE s",
        "LISTEN jobs",
    ] {
        let found = parsed(statement).iter().flat_map(mistakes).count();
        assert!(found > 0, "{statement}");
    }
}
