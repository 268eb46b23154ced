//! What a single statement may do.

use sqlparser::{
    ast::{
        AssignmentTarget, BinaryOperator, Delete, Expr, FromTable, Insert, JoinConstraint,
        JoinOperator, ObjectName, Select, Statement, TableFactor, TableObject, TableWithJoins,
        Update, UpdateTableFromKind, Visit, Visitor,
    },
    dialect::{Dialect, PostgreSqlDialect, SQLiteDialect},
    parser::Parser,
};
use std::{collections::BTreeMap, ops::ControlFlow};
use storage::TENANT_TABLES;

const ACCOUNT: &str = "account_id";

/// Queries without an account: the directories by their own keys, whether there is any account, the operator's list of
/// all accounts, count of those without a budget and figures of jobs, mail and limits, the sessions that work in an account which is disabled, the cost of comparing passwords, and the rows of a table that a
/// migration changes.
const EXCEPTIONS: [&str; 15] = [
    "WHERE (\"user_directory\".\"email\" = ",
    "WHERE (\"token_directory\".\"hash\" = ",
    "WHERE (\"session_directory\".\"hash\" = ",
    "WHERE (\"link_directory\".\"hash\" = ",
    "WHERE (\"sessions\".\"in_account_id\" = ",
    "EXISTS (SELECT \"user_directory\".\"email\" FROM \"user_directory\")",
    "ON (\"users\".\"account_id\" = \"accounts\".\"account_id\")) ORDER BY \"accounts\".\"created_at\"",
    "SELECT \"user_passwords\".\"hash\" FROM \"user_passwords\" ORDER BY ",
    "SELECT count(*) AS number FROM \"",
    "GROUP BY \"jobs\".\"lease_owner\"",
    "(jobs.state IN ('failed', 'expired') AND ",
    "FROM \"deliveries\" WHERE (\"deliveries\".\"next_at\" IS NOT NULL)",
    "(deliveries.state IN ('failed', 'unknown', 'expired') AND ",
    "COUNT(CASE WHEN accounts.projects_used >= accounts.projects_limit ",
    "AND (\"accounts\".\"monthly_budget\" IS NULL)) AND (\"accounts\".\"daily_budget\" IS NULL))",
];

/// What one of the distributed databases lacks, or does not answer for all of its nodes.
const NOT_EVERYWHERE: [&str; 6] = [
    "pg_advisory",
    "pg_notify",
    "pg_sleep",
    "ctid",
    "xmin",
    "nextval",
];

/// What is wrong with a statement, in words.
#[must_use]
pub fn wrong(statement: &str) -> Option<String> {
    let verb = statement.split_whitespace().next()?.to_uppercase();
    if !matches!(
        verb.as_str(),
        "SELECT" | "UPDATE" | "DELETE" | "INSERT" | "WITH"
    ) {
        return None;
    }
    if let Some(name) = NOT_EVERYWHERE.iter().find(|it| statement.contains(**it)) {
        return Some(format!("`{name}` is not there on every database"));
    }
    let plain = statement.replace('`', "\"");
    if EXCEPTIONS.iter().any(|it| plain.contains(it)) {
        return None;
    }
    let is_sqlite = statement.contains('`') || statement.contains('?');
    let dialect: &dyn Dialect = if is_sqlite {
        &SQLiteDialect {}
    } else {
        &PostgreSqlDialect {}
    };
    // The parser does not know the weaker lock, which all three databases have.
    let readable = statement.replace("FOR NO KEY UPDATE", "FOR UPDATE");
    let parsed = match Parser::parse_sql(dialect, &readable) {
        Ok(parsed) => parsed,
        Err(error) => return Some(format!("it cannot be read ({error})")),
    };
    let mut rules = Rules::default();
    let _ = parsed.visit(&mut rules);
    rules.wrong
}

/// Looks at every part of a statement that names tables.
#[derive(Default)]
struct Rules {
    wrong: Option<String>,
}

impl Visitor for Rules {
    type Break = ();

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        let mut scope = Scope::default();
        scope.tables(&select.from);
        scope.conditions(select.selection.as_ref());
        self.note(scope.unnamed())
    }

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        let found = match statement {
            Statement::Update(update) => of_update(update),
            Statement::Delete(delete) => of_delete(delete),
            Statement::Insert(insert) => of_insert(insert),
            _ => None,
        };
        self.note(found)
    }
}

impl Rules {
    fn note(&mut self, wrong: Option<String>) -> ControlFlow<()> {
        match wrong {
            Some(_) => {
                self.wrong = wrong;
                ControlFlow::Break(())
            }
            None => ControlFlow::Continue(()),
        }
    }
}

fn of_update(update: &Update) -> Option<String> {
    let moves = update.assignments.iter().any(|it| match &it.target {
        AssignmentTarget::ColumnName(name) => last(name) == ACCOUNT,
        AssignmentTarget::Tuple(names) => names.iter().any(|name| last(name) == ACCOUNT),
    });
    if moves {
        return Some("rows never move to another account".to_owned());
    }
    let mut scope = Scope::default();
    scope.tables(std::slice::from_ref(&update.table));
    if let Some(UpdateTableFromKind::BeforeSet(from) | UpdateTableFromKind::AfterSet(from)) =
        &update.from
    {
        scope.tables(from);
    }
    scope.conditions(update.selection.as_ref());
    scope.unnamed()
}

fn of_delete(delete: &Delete) -> Option<String> {
    let mut scope = Scope::default();
    let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
    scope.tables(from);
    scope.tables(delete.using.as_deref().unwrap_or_default());
    scope.conditions(delete.selection.as_ref());
    scope.unnamed()
}

fn of_insert(insert: &Insert) -> Option<String> {
    let TableObject::TableName(name) = &insert.table else {
        return Some("it inserts into no table".to_owned());
    };
    let table = last(name);
    let names_it = insert.columns.iter().any(|it| last(it) == ACCOUNT);
    (is_tenants(&table) && !names_it).then(|| unnamed(&table))
}

/// The tables of one `SELECT`, `UPDATE` or `DELETE`, and the conditions that all of its rows meet.
#[derive(Default)]
struct Scope {
    /// By alias.
    tables: BTreeMap<String, String>,
    /// Pairs of sides that are equal, of which one is an account.
    equal: Vec<(Side, Side)>,
}

#[derive(Clone, PartialEq)]
enum Side {
    /// The account of a table of this scope.
    AccountOf(String),
    /// A value, or a column of another scope.
    Given,
}

impl Scope {
    fn tables(&mut self, from: &[TableWithJoins]) {
        for each in from {
            self.table(&each.relation);
            for join in &each.joins {
                self.table(&join.relation);
                if let JoinOperator::Join(JoinConstraint::On(condition))
                | JoinOperator::Inner(JoinConstraint::On(condition))
                | JoinOperator::Left(JoinConstraint::On(condition))
                | JoinOperator::LeftOuter(JoinConstraint::On(condition)) = &join.join_operator
                {
                    self.conditions(Some(condition));
                }
            }
        }
    }

    fn table(&mut self, factor: &TableFactor) {
        match factor {
            TableFactor::Table { name, alias, .. } => {
                let table = last(name);
                let here = alias.as_ref().map(|it| it.name.value.clone());
                self.tables
                    .insert(here.unwrap_or_else(|| table.clone()), table);
            }
            TableFactor::NestedJoin {
                table_with_joins, ..
            } => {
                self.tables(std::slice::from_ref(table_with_joins));
            }
            // A subquery, which is visited separately.
            _ => {}
        }
    }

    /// Only what holds for every row counts: what is joined by `AND`, never one side of an `OR`.
    fn conditions(&mut self, condition: Option<&Expr>) {
        let mut open: Vec<&Expr> = condition.into_iter().collect();
        while let Some(condition) = open.pop() {
            match condition {
                Expr::Nested(inner) => open.push(inner),
                Expr::BinaryOp {
                    left,
                    op: BinaryOperator::And,
                    right,
                } => {
                    open.extend([left.as_ref(), right.as_ref()]);
                }
                Expr::BinaryOp {
                    left,
                    op: BinaryOperator::Eq,
                    right,
                } => {
                    self.equal.push((side(left), side(right)));
                }
                _ => {}
            }
        }
    }

    /// A tenant table with an account that is neither given nor equal to a given one.
    fn unnamed(&self) -> Option<String> {
        let mut named: Vec<&str> = Vec::new();
        loop {
            let is_named = |side: &Side| match side {
                Side::Given => true,
                Side::AccountOf(table) => {
                    named.contains(&table.as_str()) || !self.tables.contains_key(table)
                }
            };
            let pairs = self.equal.iter().flat_map(|(a, b)| [(a, b), (b, a)]);
            let next = pairs.into_iter().find_map(|pair| match pair {
                (Side::AccountOf(table), other)
                    if is_named(other) && !named.contains(&table.as_str()) =>
                {
                    Some(table.as_str())
                }
                _ => None,
            });
            match next {
                Some(table) => named.push(table),
                None => break,
            }
        }
        self.tables
            .iter()
            .find(|(here, table)| is_tenants(table) && !named.contains(&here.as_str()))
            .map(|(_, table)| unnamed(table))
    }
}

fn side(expression: &Expr) -> Side {
    match expression {
        Expr::CompoundIdentifier(parts) => match parts.as_slice() {
            [.., table, column] if column.value == ACCOUNT => Side::AccountOf(table.value.clone()),
            _ => Side::Given,
        },
        Expr::Nested(inner) => side(inner),
        _ => Side::Given,
    }
}

fn last(name: &ObjectName) -> String {
    let part = name.0.last().and_then(|it| it.as_ident());
    part.map(|it| it.value.clone()).unwrap_or_default()
}

fn is_tenants(table: &str) -> bool {
    TENANT_TABLES.contains(&table)
}

fn unnamed(table: &str) -> String {
    format!("`{table}` is touched without naming the account")
}

#[cfg(test)]
mod tests {
    use super::wrong;

    #[test]
    fn a_statement_without_the_account_is_rejected() {
        for (statement, table) in [
            (
                "SELECT projects.id FROM projects WHERE (projects.id = $1)",
                "projects",
            ),
            (
                "UPDATE `jobs` SET `state` = ? WHERE `jobs`.`id` = ?",
                "jobs",
            ),
            (
                "DELETE  FROM findings WHERE findings.job_id = $1",
                "findings",
            ),
            ("INSERT INTO spending (month) VALUES ($1)", "spending"),
            // One side of an OR, a negation and an inequality guard nothing.
            (
                "SELECT 1 FROM jobs WHERE jobs.account_id = $1 OR jobs.id = $2",
                "jobs",
            ),
            (
                "SELECT 1 FROM jobs WHERE NOT (jobs.account_id = $1)",
                "jobs",
            ),
            ("SELECT 1 FROM jobs WHERE jobs.account_id > $1", "jobs"),
            // Equal to each other, but to no given account.
            (
                "SELECT 1 FROM jobs INNER JOIN projects ON jobs.account_id = projects.account_id",
                "jobs",
            ),
            // The outer query names it, the inner one does not.
            (
                "SELECT 1 FROM jobs WHERE jobs.account_id = $1 AND EXISTS (SELECT 1 FROM findings WHERE findings.job_id = jobs.id)",
                "findings",
            ),
            (
                "SELECT 1 FROM keywords AS k WHERE keywords.account_id = $1",
                "keywords",
            ),
            (
                "INSERT INTO spending (account_id, month) SELECT $1, month FROM spending WHERE month = $2",
                "spending",
            ),
            (
                "WITH old AS (SELECT id FROM jobs WHERE id < $1) SELECT id FROM old",
                "jobs",
            ),
        ] {
            let found = wrong(statement).unwrap_or_default();
            assert_eq!(found, super::unnamed(table), "{statement}");
        }
    }

    #[test]
    fn a_statement_with_the_account_is_accepted() {
        for statement in [
            "SELECT 1 FROM \"projects\" WHERE (\"projects\".\"account_id\" = $1)",
            "INSERT INTO \"spending\" (\"account_id\", \"month\") VALUES ($1, $2)",
            "SELECT \"next_run_at\" FROM \"account_queues\"",
            "SELECT 1 FROM jobs INNER JOIN projects ON jobs.account_id = projects.account_id AND jobs.project_id = projects.id WHERE projects.account_id = $1",
            "SELECT 1 FROM jobs WHERE jobs.account_id = $1 AND EXISTS (SELECT 1 FROM findings WHERE findings.account_id = jobs.account_id)",
            "SELECT 1 FROM keywords AS k WHERE k.account_id = $1",
            "PRAGMA user_version",
        ] {
            assert_eq!(wrong(statement), None, "{statement}");
        }
    }

    #[test]
    fn features_missing_on_some_database_are_rejected() {
        for statement in [
            "SELECT pg_advisory_xact_lock($1)",
            "UPDATE jobs SET account_id = $1 WHERE jobs.account_id = $2",
            "SELECT 1 FROM jobs WHERE (",
        ] {
            assert!(wrong(statement).is_some(), "{statement}");
        }
    }
}
