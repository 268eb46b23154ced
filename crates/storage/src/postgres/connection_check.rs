//! Detects permanent connection errors and poolers.

use crate::{
    opening::OpenError, postgres_endpoint::PostgresEndpoint, postgres_url::Parts, sql::Db,
};
use diesel::sql_types::{Nullable, Text};
use diesel::{ConnectionError, QueryResult, QueryableByName, RunQueryDsl, sql_query};

/// A setting sent at startup. A pooler either refuses it or does not pass it on.
const PROBE_SETTING: &str = "sightline.direct";
/// Error of pgbouncer for settings that it does not pass on.
const UNSUPPORTED_PARAMETER: &str = "unsupported startup parameter";

#[derive(QueryableByName)]
struct Setting {
    #[diesel(sql_type = Nullable<Text>)]
    value: Option<String>,
}

impl PostgresEndpoint {
    /// Connects once: fails on permanent errors and behind an unconfigured pooler; the pool retries the others.
    pub fn check_connection(&self, place: &str, through_pooler: bool) -> Result<(), OpenError> {
        if through_pooler {
            return match self.connect("") {
                Err(ConnectionError::BadConnection(message)) => fail_if_permanent(&message, place),
                _ => Ok(()),
            };
        }
        let mut parts = Parts::of(&self.target);
        let options = parts.option("options").unwrap_or_default();
        parts.set("options", format!("{options} -c{PROBE_SETTING}=on").trim());
        match self.connect_to(&parts.to_string(), "") {
            Ok(mut connection) => match read_probe(&mut connection) {
                Ok(None) => Err(OpenError::Pooler(place.to_owned())),
                _ => Ok(()),
            },
            Err(ConnectionError::BadConnection(message))
                if message.contains(UNSUPPORTED_PARAMETER) =>
            {
                Err(OpenError::Pooler(place.to_owned()))
            }
            Err(ConnectionError::BadConnection(message)) => fail_if_permanent(&message, place),
            Err(_) => Ok(()),
        }
    }
}

fn read_probe(connection: &mut Db) -> QueryResult<Option<String>> {
    let query = sql_query(format!(
        "SELECT current_setting('{PROBE_SETTING}', true) AS value"
    ));
    let setting: Setting = query.get_result(connection)?;
    Ok(setting.value.filter(|it| !it.is_empty()))
}

fn fail_if_permanent(message: &str, place: &str) -> Result<(), OpenError> {
    match permanent_error(message) {
        Some((reason, remedy)) => Err(OpenError::Refused(format!("{reason} ({place}): {remedy}"))),
        None => Ok(()),
    }
}

/// The server's message and a remedy, by its text: Diesel hides SQLSTATE (28P01, 28000, 3D000). `None`: retry.
fn permanent_error(message: &str) -> Option<(&str, &'static str)> {
    const REMEDIES: [(&str, &str); 8] = [
        (
            "password authentication failed",
            "correct the user or the password in database_url",
        ),
        (
            "no password supplied",
            "write the password into database_url",
        ),
        (
            "no encryption",
            "the server takes no connection without TLS: add sslmode=verify-full to database_url (docs/operate/postgresql.md)",
        ),
        (
            "no pg_hba.conf entry",
            "allow this machine and user in the server's pg_hba.conf",
        ),
        (
            "certificate",
            "docs/operate/postgresql.md describes how certificates are named in database_url",
        ),
        (
            "does not offer TLS",
            "docs/operate/postgresql.md describes each sslmode",
        ),
        (
            "database \"",
            "create it with createdb, or correct its name in database_url",
        ),
        (
            "role \"",
            "create it with createuser, or correct its name in database_url",
        ),
    ];
    let reason = message
        .rsplit_once("FATAL:")
        .map_or(message, |(_, reason)| reason)
        .trim();
    // A server that is starting or full sends FATAL as well.
    let is_final = |words: &str| {
        reason.contains(words) && (!words.ends_with('"') || reason.ends_with("does not exist"))
    };
    let remedy = REMEDIES.iter().find(|(words, _)| is_final(words));
    remedy.map(|(_, remedy)| (reason, *remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages of PostgreSQL 15 and libpq 18.
    #[test]
    fn permanent_errors_come_with_a_remedy() {
        let at = "connection to server at \"db\" (10.0.0.1), port 5432 failed: FATAL:  ";
        for (reason, helps) in [
            (
                "password authentication failed for user \"ann\"",
                "password",
            ),
            ("database \"sightlin\" does not exist", "createdb"),
            ("role \"ann\" does not exist", "createuser"),
            (
                "no pg_hba.conf entry for host \"10.0.0.2\", user \"ann\", database \"d\", no encryption",
                "sslmode=verify-full",
            ),
            (
                "no pg_hba.conf entry for host \"10.0.0.2\", user \"ann\", database \"d\", SSL encryption",
                "pg_hba.conf",
            ),
            (
                "PostgreSQL at db:5432 over TLS: its certificate is refused: it has expired",
                "postgresql.md",
            ),
        ] {
            let message = format!("{at}{reason}");
            let (first, remedy) = permanent_error(&message).unwrap();
            assert_eq!(first, reason);
            assert!(remedy.contains(helps), "{remedy}");
        }
        for passing in [
            "FATAL:  the database system is starting up",
            "FATAL:  sorry, too many clients already",
            "connection to server at \"db\", port 5432 failed: Connection refused",
        ] {
            assert_eq!(permanent_error(passing), None, "{passing}");
        }
    }
}
