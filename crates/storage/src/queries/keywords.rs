use super::paging::{PageRows, Sortable, decode_position, one_more, page};
use super::{Backend, Db, dialect, locked, stored_data};
use crate::executor::session::{Session, TenantScope};
use crate::instant::{At, Instant};
use crate::rows::ai_models::ModelRow;
use crate::rows::keywords::{KeywordRow, LatestChange, location};
use crate::rows::stored::excluded_of;
use crate::rows::{counted, tag_line};
use crate::schema::{accounts, ai_models, keywords};
use analysis::observation::search_page::Device;
use async_trait::async_trait;
use diesel::connection::DefaultLoadingMode;
use diesel::dsl::count_star;
use diesel::helper_types::IntoBoxed;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};
use diesel::{insert_into, sql_query};
use domain::ai_models::ModelSettings;
use domain::ids::{AccountId, KeywordId, ProjectId};
use domain::keyword::{Keyword, KeywordChoice, LatestRank};
use domain::keyword_metrics::KeywordMetrics;
use domain::market::{Country, Language, Market};
use domain::page::{Page, PageCursor, PageRequest};
use domain::ports::keywords::{KeywordCounts, KeywordFilter, KeywordRepository, KeywordSort};
use domain::ports::storage::StorageError;
use domain::project::Status;
use std::collections::{BTreeMap, BTreeSet};

type Query<'a> = IntoBoxed<'a, keywords::table, Backend>;

/// Rows of 23 columns in one statement.
const MAX_ROWS: usize = dialect::MAX_BINDS / 23;

/// Values of an `IN` list, with room for the other conditions.
const MAX_ALTERNATIVES: usize = dialect::MAX_BINDS - 100;

/// Newest ranks, of 5 values each, in one statement. SQLite looks every `$1` up by its name, in a time that grows with
/// the square of their number: 6,500 ranks in one statement took 4 s, in statements of 250 they take 0.2 s.
const MAX_LATEST: usize = 250;

#[async_trait]
impl KeywordRepository for Session {
    async fn add(&mut self, keywords: &[Keyword]) -> Result<(), StorageError> {
        let rows: Vec<KeywordRow> = keywords.iter().map(KeywordRow::from).collect();
        self.change(
            TenantScope::common(keywords.iter().map(|it| it.account)),
            move |db| {
                for part in rows.chunks(MAX_ROWS) {
                    insert_into(keywords::table).values(part).execute(db)?;
                }
                let mut added: BTreeMap<(i64, i64), i64> = BTreeMap::new();
                for row in &rows {
                    *added.entry((row.account_id, row.project_id)).or_default() += 1;
                }
                for ((account, project), keyword_rows) in added {
                    let change = stored_data::Change {
                        keyword_rows,
                        ..stored_data::Change::default()
                    };
                    stored_data::note(db, account, project, change)?;
                }
                Ok(())
            },
        )
        .await
    }

    async fn find(
        &mut self,
        account: AccountId,
        keyword: KeywordId,
    ) -> Result<Option<Keyword>, StorageError> {
        self.fetch_optional(account, Keyword::try_from, move |db| {
            rows_of!(keywords, account)
                .filter(keywords::id.eq(keyword.0))
                .select(KeywordRow::as_select())
                .first(db)
                .optional()
        })
        .await
    }

    async fn with_texts(
        &mut self,
        account: AccountId,
        project: ProjectId,
        market: &Market,
        normalized: &[String],
    ) -> Result<Vec<Keyword>, StorageError> {
        let (market, normalized) = (market.clone(), normalized.to_vec());
        self.fetch_all(account, Keyword::try_from, move |db| {
            let mut rows = Vec::new();
            for part in normalized.chunks(MAX_ALTERNATIVES) {
                let found = rows_of!(keywords, account, project)
                    .filter(keywords::country.eq(market.country.to_string()))
                    .filter(keywords::language.eq(market.language.to_string()))
                    .filter(keywords::device.eq(market.device.name()))
                    .filter(keywords::location.eq(location(&market)))
                    .filter(keywords::normalized.eq_any(part))
                    .order(keywords::id)
                    .select(KeywordRow::as_select())
                    .load(db)?;
                rows.extend(found);
            }
            Ok(rows)
        })
        .await
    }

    async fn active_texts(
        &mut self,
        account: AccountId,
        project: ProjectId,
        country: Country,
        language: Language,
        normalized: &[String],
    ) -> Result<BTreeSet<String>, StorageError> {
        let normalized = normalized.to_vec();
        let texts: Vec<String> = self
            .fetch(account, move |db| {
                rows_of!(keywords, account, project)
                    .filter(keywords::status.eq(Status::Active.name()))
                    .filter(keywords::country.eq(country.to_string()))
                    .filter(keywords::language.eq(language.to_string()))
                    .filter(keywords::normalized.eq_any(&normalized))
                    .select(keywords::normalized)
                    .load(db)
            })
            .await?;
        Ok(texts.into_iter().collect())
    }

    async fn usual_market(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<Market>, StorageError> {
        let found: Option<(String, String, String)> = self
            .fetch(account, move |db| {
                rows_of!(keywords, account, project)
                    .filter(keywords::status.eq(Status::Active.name()))
                    .group_by((keywords::country, keywords::language, keywords::device))
                    .order((
                        count_star().desc(),
                        keywords::country,
                        keywords::language,
                        keywords::device,
                    ))
                    .select((keywords::country, keywords::language, keywords::device))
                    .first(db)
                    .optional()
            })
            .await?;
        let market = found.map(|(country, language, device)| {
            Some(Market {
                country: Country::parse(&country).ok()?,
                language: Language::parse(&language).ok()?,
                device: Device::named(&device)?,
                location: None,
            })
        });
        match market {
            Some(None) => Err(StorageError::Corrupt {
                subject: "the market of a keyword",
            }),
            found => Ok(found.flatten()),
        }
    }

    async fn note_metrics(
        &mut self,
        account: AccountId,
        country: Country,
        language: Language,
        metrics: &BTreeMap<String, KeywordMetrics>,
    ) -> Result<(), StorageError> {
        let texts: Vec<String> = metrics.keys().cloned().collect();
        let rows = self.change(account, move |db| {
            let mut rows = Vec::new();
            for part in texts.chunks(MAX_ALTERNATIVES) {
                let known = rows_of!(keywords, account)
                    .filter(keywords::country.eq(country.to_string()))
                    .filter(keywords::language.eq(language.to_string()))
                    .filter(keywords::normalized.eq_any(part))
                    .order(keywords::id)
                    .select(KeywordRow::as_select());
                let found: Vec<KeywordRow> = locked(known).load(db)?;
                rows.extend(found);
            }
            Ok(rows)
        });
        let known: Vec<Keyword> = { rows.await?.into_iter() }
            .map(Keyword::try_from)
            .collect::<Result<_, _>>()?;
        let news = known.into_iter().filter_map(|keyword| {
            let found = metrics.get(keyword.text.normalized())?;
            let is_news = found.replaces(keyword.metrics.as_ref());
            is_news.then(|| KeywordRow::from(&keyword.with_metrics(found.clone())))
        });
        let news: Vec<KeywordRow> = news.collect();
        if news.is_empty() {
            return Ok(());
        }
        self.change(account, move |db| {
            for part in news.chunks(MAX_ROWS) {
                // One statement for many rows: an insert that conflicts with each of them.
                insert_into(keywords::table)
                    .values(part)
                    .on_conflict((keywords::account_id, keywords::id))
                    .do_update()
                    .set(excluded_of!(keywords: search_volume, metrics))
                    .execute(db)?;
            }
            Ok(())
        })
        .await
    }

    async fn save(&mut self, keyword: &Keyword) -> Result<(), StorageError> {
        self.save_all(std::slice::from_ref(keyword)).await
    }

    async fn save_all(&mut self, keywords: &[Keyword]) -> Result<(), StorageError> {
        // One statement cannot change a row twice: of equal ids the last one counts.
        let last = keywords.iter().map(|it| ((it.account, it.id), it));
        let last: BTreeMap<_, &Keyword> = last.collect();
        let rows: Vec<KeywordRow> = last.into_values().map(KeywordRow::from).collect();
        self.change(
            TenantScope::common(keywords.iter().map(|it| it.account)),
            move |db| {
                for part in rows.chunks(MAX_ROWS) {
                    overwrite(db, part)?;
                }
                Ok(())
            },
        )
        .await
    }

    async fn save_latest(
        &mut self,
        account: AccountId,
        latest: &[(KeywordId, LatestRank)],
    ) -> Result<(), StorageError> {
        let changes = latest.iter();
        let changes: Vec<(i64, LatestChange)> =
            changes.map(|(id, rank)| (id.0, rank.into())).collect();
        self.change(account, move |db| {
            let mut parts = changes.chunks(MAX_LATEST);
            parts.try_for_each(|it| set_latest(db, account, it))
        })
        .await
    }

    async fn counts(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<KeywordCounts, StorageError> {
        let rows: Vec<(bool, i64)> = self
            .fetch(account, move |db| {
                rows_of!(keywords, account, project)
                    .filter(keywords::status.eq(Status::Active.name()))
                    .group_by(keywords::ai_tracked)
                    .select((keywords::ai_tracked, count_star()))
                    .load(db)
            })
            .await?;
        let all = rows.iter().map(|(_, number)| number).sum();
        let ai = rows
            .iter()
            .filter(|(is_ai, _)| *is_ai)
            .map(|(_, number)| number)
            .sum();
        Ok(KeywordCounts {
            active: counted(all, "keyword count")?,
            ai_tracked: counted(ai, "keyword count")?,
        })
    }

    async fn list(
        &mut self,
        account: AccountId,
        project: ProjectId,
        filter: &KeywordFilter,
        request: &PageRequest<KeywordSort>,
    ) -> Result<Page<Keyword>, StorageError> {
        let sort = request.sort;
        let (filter, request) = (filter.clone(), request.clone());
        // Rows are parsed on the blocking thread: texts of 10 KB are too much for an async thread.
        self.fetch(account, move |db| {
            let query = sorted(filtered(account, project, &filter), &request)?;
            let rows = query
                .limit(one_more(request.limit))
                .select(KeywordRow::as_select())
                .load_iter::<KeywordRow, DefaultLoadingMode>(db)?;
            let rows = PageRows::read(rows, &request, KeywordRow::bytes)?;
            let total = counted!(
                request,
                db,
                filtered(account, project, &filter),
                keywords::id
            );
            Ok(page(
                (rows, total),
                |row| position(sort, row),
                Keyword::try_from,
            ))
        })
        .await?
    }

    async fn active_batch(
        &mut self,
        account: AccountId,
        project: ProjectId,
        choice: &KeywordChoice,
        after: Option<KeywordId>,
        limit: u32,
    ) -> Result<Vec<Keyword>, StorageError> {
        let choice = choice.clone();
        self.fetch_all(account, Keyword::try_from, move |db| {
            batch(db, &|| active(account, project), &choice, after, limit)
        })
        .await
    }

    async fn ai_tracked_batch(
        &mut self,
        account: AccountId,
        project: ProjectId,
        choice: &KeywordChoice,
        after: Option<KeywordId>,
        limit: u32,
    ) -> Result<Vec<Keyword>, StorageError> {
        let choice = choice.clone();
        self.fetch_all(account, Keyword::try_from, move |db| {
            batch(db, &|| ai_tracked(account, project), &choice, after, limit)
        })
        .await
    }

    async fn count_ai_tracked_and_models(
        &mut self,
        account: AccountId,
        project: ProjectId,
        named: &[KeywordId],
    ) -> Result<(u32, Vec<ModelSettings>), StorageError> {
        let named = named.to_vec();
        let found = self.fetch(account, move |db| {
            let (first, more) = named.split_at(named.len().min(MAX_ALTERNATIVES));
            let first = first.iter().map(|it| it.0);
            let number = ai_tracked(account, project)
                .filter(keywords::id.eq_any(first))
                .select(count_star());
            // Selected from the account, so that there is a row even without a model.
            let rows: Vec<(Option<i64>, Option<ModelRow>)> = accounts::table
                .left_join(ai_models::table.on(ai_models::account_id.eq(accounts::account_id)))
                .filter(accounts::account_id.eq(account.0))
                .order(ai_models::engine)
                .select((number.single_value(), Option::<ModelRow>::as_select()))
                .load(db)?;
            let more = count_named(db, &|| ai_tracked(account, project), more)?;
            let number = rows.first().and_then(|it| it.0).unwrap_or_default() + more;
            let models: Vec<ModelRow> = rows.into_iter().filter_map(|it| it.1).collect();
            Ok((number, models))
        });
        let (number, models) = found.await?;
        let models = models.into_iter().map(ModelSettings::try_from);
        Ok((
            counted(number, "keyword count")?,
            models.collect::<Result<_, _>>()?,
        ))
    }

    async fn count_active_named(
        &mut self,
        account: AccountId,
        project: ProjectId,
        named: &[KeywordId],
    ) -> Result<u32, StorageError> {
        let named = named.to_vec();
        let number = self.fetch(account, move |db| {
            count_named(db, &|| active(account, project), &named)
        });
        counted(number.await?, "keyword count")
    }
}

fn batch(
    db: &mut Db,
    keywords_of: &dyn Fn() -> Query<'static>,
    choice: &KeywordChoice,
    after: Option<KeywordId>,
    limit: u32,
) -> QueryResult<Vec<KeywordRow>> {
    let after = after.map_or(i64::MIN, |it| it.0);
    match choice {
        KeywordChoice::All => keywords_of()
            .filter(keywords::id.gt(after))
            .order(keywords::id)
            .limit(limit.into())
            .select(KeywordRow::as_select())
            .load(db),
        KeywordChoice::Named(named) => {
            // Only ids after `after` can be in the batch.
            let named: BTreeSet<i64> = named.iter().map(|it| it.0).collect();
            let behind = named.range(after.saturating_add(1)..).copied();
            named_batch(db, keywords_of, &behind.collect::<Vec<_>>(), limit)
        }
    }
}

fn count_named(
    db: &mut Db,
    keywords_of: &dyn Fn() -> Query<'static>,
    named: &[KeywordId],
) -> QueryResult<i64> {
    let named: BTreeSet<i64> = named.iter().map(|it| it.0).collect();
    let named: Vec<i64> = named.into_iter().collect();
    let mut number: i64 = 0;
    for part in named.chunks(MAX_ALTERNATIVES) {
        let query = keywords_of().filter(keywords::id.eq_any(part.to_vec()));
        number += query.count().get_result::<i64>(db)?;
    }
    Ok(number)
}

/// Writes what `save` writes, for those rows that exist.
fn overwrite(db: &mut Db, rows: &[KeywordRow]) -> QueryResult<()> {
    let Some(account) = rows.first().map(|row| row.account_id) else {
        return Ok(());
    };
    let ids = rows.iter().map(|row| row.id);
    let there: Vec<i64> = keywords::table
        .filter(keywords::account_id.eq(account))
        .filter(keywords::id.eq_any(ids))
        .select(keywords::id)
        .load(db)?;
    let there: BTreeSet<i64> = there.into_iter().collect();
    let rows = rows.iter();
    let rows: Vec<&KeywordRow> = rows
        .filter(|row| row.account_id == account && there.contains(&row.id))
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    // One statement for many rows: an insert that conflicts with each of them.
    insert_into(keywords::table)
        .values(rows)
        .on_conflict((keywords::account_id, keywords::id))
        .do_update()
        .set(excluded_of!(
            keywords: text, normalized, country, language, device, location, ai_tracked, status,
            target_url, tags, row_version, updated_at, deactivated_at
        ))
        .execute(db)
        .map(drop)
}

fn active<'a>(account: AccountId, project: ProjectId) -> Query<'a> {
    let query = rows_of!(keywords, account, project);
    query
        .filter(keywords::status.eq(Status::Active.name()))
        .into_boxed()
}

fn ai_tracked<'a>(account: AccountId, project: ProjectId) -> Query<'a> {
    active(account, project).filter(keywords::ai_tracked.eq(true))
}

/// The first of the named keywords, ordered by id.
fn named_batch(
    db: &mut Db,
    keywords_of: &dyn Fn() -> Query<'static>,
    named: &[i64],
    limit: u32,
) -> QueryResult<Vec<KeywordRow>> {
    let mut rows: Vec<KeywordRow> = Vec::new();
    for part in named.chunks(MAX_ALTERNATIVES) {
        let missing = i64::from(limit) - i64::try_from(rows.len()).unwrap_or(i64::MAX);
        if missing <= 0 {
            break;
        }
        let found = keywords_of()
            .filter(keywords::id.eq_any(part.to_vec()))
            .order(keywords::id)
            .limit(missing)
            .select(KeywordRow::as_select())
            .load(db)?;
        rows.extend(found);
    }
    Ok(rows)
}

fn filtered<'a>(account: AccountId, project: ProjectId, filter: &KeywordFilter) -> Query<'a> {
    let mut query = keywords::table.into_boxed();
    query = query
        .filter(keywords::account_id.eq(account.0))
        .filter(keywords::project_id.eq(project.0));
    if let Some(status) = filter.status {
        query = query.filter(keywords::status.eq(status.name()));
    }
    if let Some(ai_tracked) = filter.ai_tracked {
        query = query.filter(keywords::ai_tracked.eq(ai_tracked));
    }
    if let Some(tag) = &filter.tag {
        let found = dialect::position_of(keywords::tags, tag_line(tag));
        query = query.filter(found.gt(0));
    }
    if let Some(text) = &filter.search {
        let found = dialect::position_of(keywords::normalized, text.clone());
        query = query.filter(found.gt(0));
    }
    query
}

fn sorted<'a>(mut query: Query<'a>, request: &PageRequest<KeywordSort>) -> QueryResult<Query<'a>> {
    let (direction, after) = (request.direction, request.after.as_ref());
    match request.sort {
        KeywordSort::CreatedAt => {
            let after = decode_position::<At>(after)?;
            sort_by!(query, direction, keywords::created_at, keywords::id, after);
        }
        KeywordSort::Text => {
            let after = decode_position::<String>(after)?;
            sort_by!(query, direction, keywords::normalized, keywords::id, after);
        }
        KeywordSort::Position => {
            let after = decode_position::<Option<i64>>(after)?;
            let column = keywords::latest_position;
            sort_by_with_missing_last!(query, direction, column, keywords::id, after);
        }
    }
    Ok(query)
}

fn position(sort: KeywordSort, row: &KeywordRow) -> PageCursor {
    let value = match sort {
        KeywordSort::CreatedAt => row.created_at.into_sort_value(),
        KeywordSort::Text => row.normalized.clone().into_sort_value(),
        KeywordSort::Position => row.latest_position.into_sort_value(),
    };
    PageCursor { value, id: row.id }
}

fn set_latest(db: &mut Db, account: AccountId, changes: &[(i64, LatestChange)]) -> QueryResult<()> {
    let place = |at: usize| {
        let places: Vec<String> = (1..=5)
            .map(|value| format!("${}", 5 * at + value))
            .collect();
        format!("({})", places.join(", "))
    };
    let places: Vec<String> = (0..changes.len()).map(place).collect();
    let text = format!(
        "WITH newest (id, position, url, measured_at, state) AS (VALUES {}) \
         UPDATE keywords SET latest_position = newest.position, latest_url = newest.url, \
         latest_measured_at = newest.measured_at, latest_state = newest.state \
         FROM newest WHERE keywords.account_id = ${} AND keywords.id = newest.id",
        places.join(", "),
        5 * changes.len() + 1
    );
    let mut query = sql_query(text).into_boxed::<Backend>();
    for (id, change) in changes {
        query = query
            .bind::<BigInt, _>(id)
            .bind::<Nullable<BigInt>, _>(change.latest_position)
            .bind::<Nullable<Text>, _>(&change.latest_url)
            .bind::<Nullable<Instant>, _>(change.latest_measured_at)
            .bind::<Nullable<Text>, _>(&change.latest_state);
    }
    query.bind::<BigInt, _>(account.0).execute(db).map(drop)
}
