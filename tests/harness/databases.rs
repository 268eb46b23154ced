//! An empty, migrated database for each test, and macros that run a test on both kinds.

use crate::{
    postgres_server::{Lane, PostgresServer},
    sql_rules,
};
use diesel::{
    Connection, PgConnection, QueryableByName, RunQueryDsl, SqliteConnection,
    connection::{InstrumentationEvent, SimpleConnection},
    sql_query,
    sql_types::BigInt,
};
use domain::{
    ports::storage::{Storage, StorageError},
    test_support::MemoryStorage,
};
use std::{
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::PathBuf,
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};
use storage::{DatabaseKind, DatabaseUrl, DieselStorage, OpenError, OpenOptions};
use tempfile::TempDir;

/// The server that all tests of this process share, with a migrated template.
static SERVER: LazyLock<PostgresServer> = LazyLock::new(|| {
    let server = PostgresServer::start();
    server.execute("CREATE DATABASE template_suite OWNER sightline");
    migrate(server.direct_url("template_suite"), false);
    close_connections(&server, "template_suite");
    server
});

/// A template can be copied only while it has no connections.
fn close_connections(server: &PostgresServer, name: &str) {
    server.execute(&format!(
        "ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false"
    ));
    server.execute(&format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
    ));
}

/// A migrated `SQLite` file.
static FILE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = TempDir::with_prefix("sightline-template-").expect("a folder");
    let path = folder.path().join("data.db").display().to_string();
    migrate(format!("sqlite://{path}"), true);
    sqlite_bytes(&path)
});

/// A `SQLite` file including its write-ahead log.
fn sqlite_bytes(path: &str) -> Vec<u8> {
    let whole = format!("{path}.whole");
    let mut file = SqliteConnection::establish(path).expect("the file");
    file.set_instrumentation(|_: InstrumentationEvent<'_>| ());
    file.batch_execute(&format!("VACUUM INTO '{whole}'"))
        .expect("a copy");
    std::fs::read(whole).expect("the copy")
}

/// On its own thread: the caller is inside a runtime.
fn migrate(url: String, create: bool) {
    let migration = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.expect("a runtime").block_on(async {
            sql_rules::watch();
            let options = OpenOptions {
                create,
                ..OpenOptions::default()
            };
            let url = DatabaseUrl::parse(&url).expect("a database URL");
            let opened = DieselStorage::open(url, options).await;
            let storage = opened.expect("a database");
            storage.migrate().await.expect("the schema");
            if storage.kind() == DatabaseKind::Postgres && Lane::from_env() == Lane::Rls {
                storage.set_rls(true).await.expect("row-level security");
            }
        });
    });
    migration.join().expect("a migrated template");
}

/// A database that tests copy.
pub enum Template {
    /// Its name on the shared server.
    Postgres(String),
    /// The bytes of its file.
    Sqlite(Vec<u8>),
}

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A test's own database, dropped with it.
pub struct TestDatabase {
    pub storage: Arc<DieselStorage>,
    pub url: String,
    name: Option<String>,
    _folder: Option<TempDir>,
    /// A server that no other test uses.
    own_server: Option<PostgresServer>,
}

impl TestDatabase {
    pub async fn empty(kind: DatabaseKind) -> Self {
        Self::with_options(kind, OpenOptions::default()).await
    }

    pub async fn with_options(kind: DatabaseKind, options: OpenOptions) -> Self {
        let database = Self::create(kind, options).await;
        database.storage.migrate().await.expect("the schema");
        database
    }

    /// Turns the database into a template.
    #[must_use]
    pub fn into_template(mut self) -> Template {
        let Some(name) = self.name.take() else {
            return Template::Sqlite(sqlite_bytes(self.url.trim_start_matches("sqlite://")));
        };
        close_connections(&SERVER, &name);
        Template::Postgres(name)
    }

    pub async fn from_template(template: &Template, options: OpenOptions) -> Self {
        match template {
            Template::Postgres(name) => Self::create_on_server(name, options).await,
            Template::Sqlite(bytes) => Self::create_in_folder(bytes, options).await,
        }
    }

    /// A database without tables.
    pub async fn without_schema(kind: DatabaseKind) -> Self {
        match kind {
            DatabaseKind::Postgres => {
                Self::create_on_server("template1", OpenOptions::default()).await
            }
            DatabaseKind::Sqlite => Self::create_in_folder(&[], OpenOptions::default()).await,
        }
    }

    /// An empty database on a server that the test may stop.
    pub async fn on_own_server() -> Self {
        let start = || {
            let server = PostgresServer::start();
            server.execute("CREATE DATABASE alone OWNER sightline");
            // The shared server does not wait for the disk; a server that is killed must.
            server.execute("ALTER DATABASE alone SET synchronous_commit = on");
            server
        };
        let server = tokio::task::spawn_blocking(start).await.expect("a server");
        let url = server.url("alone");
        let storage = open(&server.direct_url("alone"), OpenOptions::default()).await;
        storage.migrate().await.expect("the schema");
        Self {
            storage: Arc::new(open(&url, OpenOptions::default()).await),
            url,
            name: Some("alone".to_owned()),
            _folder: None,
            own_server: Some(server),
        }
    }

    /// An existing empty database, on a server that the test owns.
    pub async fn at_url(url: String) -> Self {
        let storage = open(&url, OpenOptions::default()).await;
        storage.migrate().await.expect("the schema");
        Self {
            storage: Arc::new(storage),
            url,
            name: None,
            _folder: None,
            own_server: None,
        }
    }

    /// The data folder of the test's own server.
    #[must_use]
    pub fn server_folder(&self) -> PathBuf {
        self.own_server.as_ref().expect("its own server").folder()
    }

    /// The superuser's URL; `None` for `SQLite`.
    #[must_use]
    pub fn superuser_url(&self) -> Option<String> {
        let name = self.name.as_deref()?;
        let server = self.own_server.as_ref().unwrap_or_else(|| &*SERVER);
        Some(server.superuser_url(name))
    }

    #[must_use]
    pub fn kind(&self) -> DatabaseKind {
        self.storage.kind()
    }

    /// Ends this process's connections to `PostgreSQL`.
    pub fn end_connections(&self) {
        if self.kind() == DatabaseKind::Postgres {
            self.run_sql(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
                 WHERE datname = current_database() AND pid <> pg_backend_pid()",
            );
        }
    }

    /// Runs SQL as superuser, bypassing the storage.
    pub fn run_sql(&self, statements: &str) {
        self.raw_connection().run(statements);
    }

    /// Runs SQL at the URL; lost connections are ignored.
    pub fn run_sql_at(url: &str, statements: &str) {
        if let Ok(mut connection) = PgConnection::establish(url) {
            let _ = connection.batch_execute(statements);
        }
    }

    /// Its name on the server; `None` for `SQLite`.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn raw_connection(&self) -> RawConnection {
        let mut connection = if let Some(url) = self.superuser_url() {
            RawConnection::Postgres(PgConnection::establish(&url).expect("a superuser"))
        } else {
            let path = self.url.trim_start_matches("sqlite://");
            let mut file = SqliteConnection::establish(path).expect("the file");
            let patiently = file.batch_execute("PRAGMA busy_timeout = 5000");
            patiently.expect("a connection that waits");
            RawConnection::Sqlite(file)
        };
        // The statement rules apply only to the storage.
        let no_op = |_: InstrumentationEvent<'_>| ();
        match &mut connection {
            RawConnection::Postgres(it) => it.set_instrumentation(no_op),
            RawConnection::Sqlite(it) => it.set_instrumentation(no_op),
        }
        connection
    }

    /// The counts of the queries in a file, each with the text of the preceding comment.
    #[must_use]
    pub fn counts(&self, file: &str) -> Vec<(String, i64)> {
        self.raw_connection().counts(file)
    }

    /// The counts after these statements, without foreign keys; everything is rolled back.
    #[must_use]
    pub fn counts_after(&self, statements: &str, file: &str) -> Vec<(String, i64)> {
        let mut connection = self.raw_connection();
        connection.run("BEGIN");
        // SQLite checks foreign keys only if they are enabled.
        if self.kind() == DatabaseKind::Postgres {
            connection.run("SET LOCAL session_replication_role = replica");
        }
        connection.run(statements);
        let found = connection.counts(file);
        connection.run("ROLLBACK");
        found
    }

    #[must_use]
    pub fn port(&self) -> Arc<dyn Storage> {
        Arc::clone(&self.storage) as Arc<dyn Storage>
    }

    async fn create(kind: DatabaseKind, options: OpenOptions) -> Self {
        match kind {
            DatabaseKind::Postgres => Self::create_on_server("template_suite", options).await,
            DatabaseKind::Sqlite => {
                let file = tokio::task::spawn_blocking(|| &**FILE).await;
                Self::create_in_folder(file.expect("a template"), options).await
            }
        }
    }

    async fn create_on_server(template: &str, options: OpenOptions) -> Self {
        let name = format!("suite_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        // Copying files is cheaper than writing them to the log.
        let statement = format!(
            "CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy OWNER sightline"
        );
        // Starting the server and copying block for long.
        tokio::task::spawn_blocking(move || SERVER.execute(&statement))
            .await
            .expect("a separate database");
        let url = SERVER.url(&name);
        Self {
            storage: Arc::new(open(&url, options).await),
            url,
            name: Some(name),
            _folder: None,
            own_server: None,
        }
    }

    /// A file with these bytes, or none yet.
    async fn create_in_folder(bytes: &[u8], options: OpenOptions) -> Self {
        let folder = TempDir::with_prefix("sightline-db-").expect("a folder");
        let path = folder.path().join("data.db");
        if !bytes.is_empty() {
            let mut file = std::fs::OpenOptions::new();
            let file = file.write(true).create_new(true).mode(0o600).open(&path);
            file.and_then(|mut it| it.write_all(bytes)).expect("a file");
        }
        let url = format!("sqlite://{}", path.display());
        let options = OpenOptions {
            create: true,
            ..options
        };
        Self {
            storage: Arc::new(open(&url, options).await),
            url,
            name: None,
            _folder: Some(folder),
            own_server: None,
        }
    }
}

/// A connection that bypasses the storage.
enum RawConnection {
    Postgres(PgConnection),
    Sqlite(SqliteConnection),
}

#[derive(QueryableByName)]
struct Counted {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

impl RawConnection {
    fn run(&mut self, statements: &str) {
        let outcome = match self {
            Self::Postgres(it) => it.batch_execute(statements),
            Self::Sqlite(it) => it.batch_execute(statements),
        };
        outcome.unwrap_or_else(|error| panic!("{error}: {statements}"));
    }

    fn counts(&mut self, file: &str) -> Vec<(String, i64)> {
        let mut words = String::new();
        let mut found = Vec::new();
        for line in file.lines().filter(|it| !it.is_empty()) {
            match line.strip_prefix("-- ") {
                Some(comment) => comment.clone_into(&mut words),
                None => found.push((words.clone(), self.count(line))),
            }
        }
        found
    }

    fn count(&mut self, query: &str) -> i64 {
        let query = query.trim_end_matches(';');
        let query = format!("SELECT CAST(({query}) AS BIGINT) AS count");
        let counted: Counted = match self {
            Self::Postgres(it) => sql_query(&query).get_result(it),
            Self::Sqlite(it) => sql_query(&query).get_result(it),
        }
        .unwrap_or_else(|error| panic!("{error}: {query}"));
        counted.count
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        if let (Some(name), None) = (&self.name, &self.own_server) {
            SERVER.execute(&format!("DROP DATABASE {name} WITH (FORCE)"));
        }
    }
}

/// The storage of a port's test: in memory, or on its own database.
pub struct TestStorage {
    pub storage: Arc<dyn Storage>,
    database: Option<TestDatabase>,
}

impl TestStorage {
    #[must_use]
    pub fn in_memory() -> Self {
        Self {
            storage: Arc::new(MemoryStorage::default()),
            database: None,
        }
    }

    pub async fn on(kind: DatabaseKind) -> Self {
        let database = TestDatabase::empty(kind).await;
        Self {
            storage: database.port(),
            database: Some(database),
        }
    }

    /// Panics for the storage in memory.
    #[must_use]
    pub fn database(&self) -> &TestDatabase {
        self.database.as_ref().expect("a database")
    }

    #[must_use]
    pub fn port(&self) -> Arc<dyn Storage> {
        Arc::clone(&self.storage)
    }
}

/// Where examples are stored.
pub trait HasStorage: Sync {
    fn storage(&self) -> &dyn Storage;
}

impl HasStorage for TestStorage {
    fn storage(&self) -> &dyn Storage {
        &*self.storage
    }
}

impl HasStorage for TestDatabase {
    fn storage(&self) -> &dyn Storage {
        &*self.storage
    }
}

impl<T: HasStorage + ?Sized> HasStorage for &T {
    fn storage(&self) -> &dyn Storage {
        (**self).storage()
    }
}

/// Opens a database; [`sql_rules`] checks every statement.
pub async fn open(url: &str, options: OpenOptions) -> DieselStorage {
    sql_rules::watch();
    let url = DatabaseUrl::parse(url).expect("a database URL");
    // Many tests share the machine: no timeout expires unless a test is about it.
    let long = Duration::from_secs(20);
    let usual = OpenOptions::default();
    let lengthened = |given, usual| if given == usual { long } else { given };
    let options = OpenOptions {
        through_pooler: Lane::from_env() == Lane::Pgbouncer,
        connection_timeout: options.connection_timeout.or(Some(long)),
        statement_timeout: lengthened(options.statement_timeout, usual.statement_timeout),
        lock_timeout: lengthened(options.lock_timeout, usual.lock_timeout),
        ..options
    };
    let begun = Instant::now();
    loop {
        match DieselStorage::open(url.clone(), options.clone()).await {
            // The connection timeout of a test may be too short for a busy machine.
            Err(OpenError::Storage(StorageError::Unavailable(_))) if begun.elapsed() < long => {}
            opened => return opened.expect("a database"),
        }
    }
}

/// Runs each test (`async fn(TestDatabase)`) on an empty database of each kind.
#[macro_export]
macro_rules! on_every_database {
    ($($(#[$attribute:meta])* $claim:ident),+ $(,)?) => {
        mod sqlite {
            $($(#[$attribute])*
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $claim() {
                super::$claim($crate::databases::TestDatabase::empty(::storage::DatabaseKind::Sqlite).await).await;
            })+
        }
        mod postgres {
            $($(#[$attribute])*
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $claim() {
                super::$claim($crate::databases::TestDatabase::empty(::storage::DatabaseKind::Postgres).await).await;
            })+
        }
    };
}

/// Runs each test (`async fn(TestStorage)`) on an empty database of each kind and in memory, except those with a reason
/// not to.
#[macro_export]
macro_rules! on_every_storage {
    (@ $claim:ident, $($open:tt)+) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $claim() {
            super::$claim($crate::databases::TestStorage::$($open)+).await;
        }
    };
    ($($claim:ident),+ $(,)? $(; but not in memory: $($but:ident = $reason:literal),+ $(,)?)?) => {
        mod sqlite {
            $($crate::on_every_storage!(@ $claim, on(::storage::DatabaseKind::Sqlite).await);)+
            $($($crate::on_every_storage!(@ $but, on(::storage::DatabaseKind::Sqlite).await);)+)?
        }
        mod postgres {
            $($crate::on_every_storage!(@ $claim, on(::storage::DatabaseKind::Postgres).await);)+
            $($($crate::on_every_storage!(@ $but, on(::storage::DatabaseKind::Postgres).await);)+)?
        }
        mod memory {
            $($crate::on_every_storage!(@ $claim, in_memory());)+
        }
    };
}

/// Runs each test (`async fn(TestDatabase)`) on an empty `SQLite` database.
#[macro_export]
macro_rules! on_sqlite {
    ($($(#[$attribute:meta])* $claim:ident),+ $(,)?) => {
        mod sqlite_alone {
            $($(#[$attribute])*
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $claim() {
                let database = $crate::databases::TestDatabase::empty(::storage::DatabaseKind::Sqlite).await;
                super::$claim(database).await;
            })+
        }
    };
}
