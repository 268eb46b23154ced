use super::rows::{DbRow, Either, Rows};
use super::values::{Bind, Binds, Kind};
use super::{DatabaseKind, Text};
use crate::tls::Tunnel;
use diesel::{
    Connection, ConnectionError, ConnectionResult, PgConnection, QueryResult, SqliteConnection,
    backend::Backend,
    connection::{
        AnsiTransactionManager, CacheSize, ConnectionSealed, DefaultLoadingMode, Instrumentation,
        LoadConnection, SimpleConnection,
    },
    expression::QueryMetadata,
    pg::{Pg, PgRowByRowLoadingMode},
    query_builder::{AstPass, Query, QueryBuilder, QueryFragment, QueryId},
    result::Error,
    row::{Field, Row},
    sql_types::Untyped,
    sqlite::Sqlite,
};
use std::{any::TypeId, cell::Cell, collections::HashMap, ops::ControlFlow, sync::Arc};

pub struct Db {
    link: Link,
    /// SQL of queries that have only one text, by type.
    texts: HashMap<TypeId, Arc<str>>,
    /// Keeps the tunnel open while a connection uses it.
    _tunnel: Option<Arc<Tunnel>>,
}

thread_local! {
    /// The type of the query that this thread sends, where that decides the text.
    static SENT: Cell<Option<TypeId>> = const { Cell::new(None) };
}

pub type Link = Either<PgConnection, SqliteConnection>;

impl From<Link> for Db {
    fn from(link: Link) -> Self {
        Self {
            link,
            texts: HashMap::new(),
            _tunnel: None,
        }
    }
}

impl Db {
    pub fn with_tunnel(self, tunnel: Option<Arc<Tunnel>>) -> Self {
        Self {
            _tunnel: tunnel,
            ..self
        }
    }

    pub fn link(&mut self) -> &mut Link {
        &mut self.link
    }

    pub fn kind(&self) -> DatabaseKind {
        *self.kind_for_long()
    }

    fn kind_for_long(&self) -> &'static DatabaseKind {
        match self.link {
            Link::Postgres(_) => &DatabaseKind::Postgres,
            Link::Sqlite(_) => &DatabaseKind::Sqlite,
        }
    }

    /// Collecting values is compiled for each query, so that the compiler leaves it out where a query carries none.
    fn statement<T: QueryFragment<DatabaseKind> + QueryId>(
        &mut self,
        query: &T,
    ) -> QueryResult<Statement> {
        let mut binds = Binds::default();
        query.collect_binds(&mut binds, &mut (), self.kind_for_long())?;
        SENT.set(T::query_id());
        let (text, stays_prepared) = self.text(query, T::query_id())?;
        Ok(Statement {
            text,
            binds: binds.0,
            stays_prepared,
        })
    }

    /// The text, and whether it is worth keeping prepared; `kind` is the query's type, where that decides the text.
    fn text(
        &mut self,
        query: &dyn QueryFragment<DatabaseKind>,
        kind: Option<TypeId>,
    ) -> QueryResult<(Arc<str>, bool)> {
        if let Some(text) = kind.and_then(|it| self.texts.get(&it)) {
            return Ok((Arc::clone(text), true));
        }
        let database = self.kind_for_long();
        let mut text = Text::new(*database);
        query.to_sql(&mut text, database)?;
        let text: Arc<str> = text.finish().into();
        let stays_prepared = query.is_safe_to_cache_prepared(database)?;
        if let Some(kind) = kind
            && stays_prepared
        {
            self.texts.insert(kind, Arc::clone(&text));
        }
        Ok((text, stays_prepared))
    }
}

impl SimpleConnection for Db {
    fn batch_execute(&mut self, query: &str) -> QueryResult<()> {
        match &mut self.link {
            Link::Postgres(link) => link.batch_execute(query),
            Link::Sqlite(link) => link.batch_execute(query),
        }
    }
}

impl ConnectionSealed for Db {}

impl Connection for Db {
    type Backend = DatabaseKind;
    type TransactionManager = AnsiTransactionManager;

    fn establish(_: &str) -> ConnectionResult<Self> {
        Err(ConnectionError::BadConnection(
            "a connection is made to a database of one kind".to_owned(),
        ))
    }

    fn execute_returning_count<T>(&mut self, source: &T) -> QueryResult<usize>
    where
        T: QueryFragment<DatabaseKind> + QueryId,
    {
        let statement = self.statement(source)?;
        match &mut self.link {
            Link::Postgres(link) => link.execute_returning_count(&statement),
            Link::Sqlite(link) => link.execute_returning_count(&statement),
        }
    }

    fn transaction_state(&mut self) -> &mut AnsiTransactionManager {
        match &mut self.link {
            Link::Postgres(link) => link.transaction_state(),
            Link::Sqlite(link) => link.transaction_state(),
        }
    }

    fn instrumentation(&mut self) -> &mut dyn Instrumentation {
        match &mut self.link {
            Link::Postgres(link) => link.instrumentation(),
            Link::Sqlite(link) => link.instrumentation(),
        }
    }

    fn set_instrumentation(&mut self, instrumentation: impl Instrumentation) {
        match &mut self.link {
            Link::Postgres(link) => link.set_instrumentation(instrumentation),
            Link::Sqlite(link) => link.set_instrumentation(instrumentation),
        }
    }

    fn set_prepared_statement_cache_size(&mut self, size: CacheSize) {
        match &mut self.link {
            Link::Postgres(link) => link.set_prepared_statement_cache_size(size),
            Link::Sqlite(link) => link.set_prepared_statement_cache_size(size),
        }
    }
}

impl LoadConnection for Db {
    type Cursor<'conn, 'query> = Rows<'conn, 'query>;
    type Row<'conn, 'query> = DbRow<'conn, 'query>;

    fn load<'conn, 'query, T>(&'conn mut self, source: T) -> QueryResult<Rows<'conn, 'query>>
    where
        T: Query + QueryFragment<DatabaseKind> + QueryId + 'query,
        DatabaseKind: QueryMetadata<T::SqlType>,
    {
        let statement = self.statement(&source)?;
        self.load_rows(statement)
    }
}

impl Db {
    fn load_rows<'query>(&mut self, statement: Statement) -> QueryResult<Rows<'_, 'query>> {
        Ok(Rows(match &mut self.link {
            Link::Postgres(link) => {
                Either::Postgres(LoadConnection::<DefaultLoadingMode>::load(link, statement)?)
            }
            Link::Sqlite(link) => {
                Either::Sqlite(LoadConnection::<DefaultLoadingMode>::load(link, statement)?)
            }
        }))
    }
}

/// For statements built at run time, on tables read from the catalog.
impl Db {
    /// Returns the number of rows changed. The text takes few forms, so it stays prepared.
    pub fn run_often(&mut self, text: Arc<str>, binds: Vec<Bind>) -> QueryResult<usize> {
        self.run(text, binds, true)
    }

    /// Returns the number of rows changed.
    pub fn run_once(&mut self, text: Arc<str>, binds: Vec<Bind>) -> QueryResult<usize> {
        self.run(text, binds, false)
    }

    fn run(
        &mut self,
        text: Arc<str>,
        binds: Vec<Bind>,
        stays_prepared: bool,
    ) -> QueryResult<usize> {
        let statement = Statement::from_text(text, binds, stays_prepared);
        match &mut self.link {
            Link::Postgres(link) => link.execute_returning_count(&statement),
            Link::Sqlite(link) => link.execute_returning_count(&statement),
        }
    }

    /// Reads typed rows one at a time until `act` breaks: neither this program nor libpq holds more than one.
    pub fn each_row(
        &mut self,
        text: Arc<str>,
        binds: Vec<Bind>,
        kinds: &[Kind],
        act: &mut dyn FnMut(Vec<Bind>) -> ControlFlow<()>,
    ) -> QueryResult<()> {
        let statement = Statement::from_text(text, binds, false);
        match &mut self.link {
            Link::Postgres(link) => {
                let rows = LoadConnection::<PgRowByRowLoadingMode>::load(link, statement)?;
                let mut rows = rows.map(|row| row.map(|it| DbRow(Either::Postgres(it))));
                each(&mut rows, kinds, act)
            }
            Link::Sqlite(link) => {
                let rows = LoadConnection::<DefaultLoadingMode>::load(link, statement)?;
                let mut rows = rows.map(|row| row.map(|it| DbRow(Either::Sqlite(it))));
                each(&mut rows, kinds, act)
            }
        }
    }
}

fn each<'conn, 'query: 'conn>(
    rows: &mut dyn Iterator<Item = QueryResult<DbRow<'conn, 'query>>>,
    kinds: &[Kind],
    act: &mut dyn FnMut(Vec<Bind>) -> ControlFlow<()>,
) -> QueryResult<()> {
    for row in rows {
        let row = row?;
        let read = |(at, kind): (usize, &Kind)| {
            let field = row.get(at).ok_or(Error::NotFound)?;
            let read = Bind::read(*kind, field.value());
            read.map_err(Error::DeserializationError)
        };
        let values = kinds.iter().enumerate().map(read);
        if act(values.collect::<QueryResult<_>>()?).is_break() {
            break;
        }
    }
    Ok(())
}

struct Statement {
    text: Arc<str>,
    binds: Vec<Bind>,
    /// Whether its text takes few forms, and is worth keeping prepared.
    stays_prepared: bool,
}

impl Query for Statement {
    type SqlType = Untyped;
}

impl QueryId for Statement {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;

    // Diesel looks a prepared statement up by this; where there is none, it copies and hashes the whole text each time.
    fn query_id() -> Option<TypeId> {
        SENT.get()
    }
}

impl Statement {
    /// Has no separate type: Diesel finds it by its text.
    fn from_text(text: Arc<str>, binds: Vec<Bind>, stays_prepared: bool) -> Self {
        SENT.set(None);
        Self {
            text,
            binds,
            stays_prepared,
        }
    }

    fn walk<'b, DB: Backend>(
        &'b self,
        mut pass: AstPass<'_, 'b, DB>,
        hand: impl Fn(&'b Bind, &mut AstPass<'_, 'b, DB>) -> QueryResult<()>,
    ) -> QueryResult<()> {
        pass.push_sql(&self.text);
        if !self.stays_prepared {
            pass.unsafe_to_cache_prepared();
        }
        let mut binds = self.binds.iter();
        binds.try_for_each(|it| hand(it, &mut pass))
    }
}

impl QueryFragment<Pg> for Statement {
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.walk(pass, Bind::to_postgres)
    }
}

impl QueryFragment<Sqlite> for Statement {
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        self.walk(pass, Bind::to_sqlite)
    }
}
