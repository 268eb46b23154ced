//! Keywords.

use super::paging::{BY_ID, Place, moment, page};
use super::state::{State, add};
use super::{Session, Stored, conflict};
use crate::ai_models::ModelSettings;
use crate::ids::{AccountId, KeywordId, ProjectId};
use crate::keyword::{Keyword, KeywordChoice, LatestRank};
use crate::keyword_metrics::KeywordMetrics;
use crate::market::{Country, Language, Market};
use crate::page::{Page, PageRequest, SortValue};
use crate::ports::keywords::{KeywordCounts, KeywordFilter, KeywordRepository, KeywordSort};
use crate::project::Status;
use crate::text::Tag;
use async_trait::async_trait;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

impl State {
    pub(super) fn keywords_of(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> impl Iterator<Item = &Keyword> {
        let keywords = self.keywords.values();
        keywords.filter(move |it| (it.account, it.project) == (account, project))
    }

    fn active_keywords(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> impl Iterator<Item = &Keyword> {
        let keywords = self.keywords_of(account, project);
        keywords.filter(|it| it.status == Status::Active)
    }

    /// Texts are unique within a project and market.
    fn is_free_text(&self, keyword: &Keyword) -> Stored<()> {
        let mut others = self.keywords_of(keyword.account, keyword.project);
        let is_taken = others.any(|it| {
            it.id != keyword.id
                && it.market == keyword.market
                && it.text.normalized() == keyword.text.normalized()
        });
        if is_taken {
            return conflict("keywords_text_in_market");
        }
        Ok(())
    }

    fn save_keyword(&mut self, keyword: &Keyword) -> Stored<()> {
        let key = (keyword.account, keyword.id);
        if !self.keywords.contains_key(&key) {
            return Ok(());
        }
        self.is_free_text(keyword)?;
        self.keywords.entry(key).and_modify(|known| {
            *known = Keyword {
                project: known.project,
                created_at: known.created_at,
                latest: known.latest.take(),
                search_volume: known.search_volume,
                metrics: known.metrics.take(),
                ..keyword.clone()
            };
        });
        Ok(())
    }
}

fn matches(keyword: &Keyword, filter: &KeywordFilter) -> bool {
    let has = |tag: &String| keyword.tags.iter().any(|it| it.as_str() == tag);
    filter.status.is_none_or(|it| it == keyword.status)
        && filter.ai_tracked.is_none_or(|it| it == keyword.ai_tracked)
        && filter.tag.as_ref().is_none_or(has)
        && { filter.search.as_ref() }.is_none_or(|it| keyword.text.normalized().contains(it))
}

fn place(keyword: &Keyword, sort: KeywordSort) -> Place<i64> {
    let position = || keyword.latest.as_ref()?.position;
    let value = match sort {
        KeywordSort::CreatedAt => moment(keyword.created_at),
        KeywordSort::Text => SortValue::Text(keyword.text.normalized().to_owned()),
        KeywordSort::Position => {
            position().map_or(SortValue::Missing, |it| SortValue::Number(it.into()))
        }
    };
    let id = keyword.id.0;
    Place { value, id }
}

fn bytes(keyword: &Keyword) -> usize {
    let tags = keyword.tags.iter().map(|it| Tag::as_str(it).len());
    keyword.text.as_str().len() + tags.sum::<usize>()
}

/// The chosen keywords, in id order.
fn batch<'k>(
    keywords: impl Iterator<Item = &'k Keyword>,
    choice: &KeywordChoice,
    after: Option<KeywordId>,
    limit: u32,
) -> Vec<Keyword> {
    let is_chosen = |it: &&Keyword| match choice {
        KeywordChoice::All => true,
        KeywordChoice::Named(named) => named.contains(&it.id),
    };
    let behind = keywords.filter(|it| Some(it.id) > after);
    let chosen = behind.filter(is_chosen).take(limit as usize);
    chosen.cloned().collect()
}

fn count<'k>(keywords: impl Iterator<Item = &'k Keyword>) -> u32 {
    u32::try_from(keywords.count()).unwrap_or(u32::MAX)
}

#[async_trait]
impl KeywordRepository for Session {
    async fn add(&mut self, keywords: &[Keyword]) -> Stored<()> {
        self.change(|state| {
            keywords.iter().try_for_each(|it| {
                state.is_free_text(it)?;
                add(&mut state.keywords, (it.account, it.id), it.clone())
            })
        })
    }

    async fn find(&mut self, account: AccountId, keyword: KeywordId) -> Stored<Option<Keyword>> {
        self.query(|state| state.keywords.get(&(account, keyword)).cloned())
    }

    async fn with_texts(
        &mut self,
        account: AccountId,
        project: ProjectId,
        market: &Market,
        normalized: &[String],
    ) -> Stored<Vec<Keyword>> {
        self.query(|state| {
            let there = state.keywords_of(account, project);
            let wanted = there.filter(|it| {
                it.market == *market && normalized.iter().any(|text| text == it.text.normalized())
            });
            wanted.cloned().collect()
        })
    }

    async fn active_texts(
        &mut self,
        account: AccountId,
        project: ProjectId,
        country: Country,
        language: Language,
        normalized: &[String],
    ) -> Stored<BTreeSet<String>> {
        self.query(|state| {
            let active = state.active_keywords(account, project);
            let there = active
                .filter(|it| (it.market.country, it.market.language) == (country, language))
                .map(|it| it.text.normalized().to_owned());
            there.filter(|it| normalized.contains(it)).collect()
        })
    }

    async fn usual_market(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Stored<Option<Market>> {
        self.query(|state| {
            let mut counts: BTreeMap<_, (u32, Market)> = BTreeMap::new();
            for keyword in state.active_keywords(account, project) {
                let market = Market {
                    location: None,
                    ..keyword.market.clone()
                };
                let (country, language) = (market.country.to_string(), market.language.to_string());
                let key = (country, language, market.device.name());
                counts.entry(key).or_insert((0, market)).0 += 1;
            }
            let most_common = counts
                .into_iter()
                .min_by_key(|(key, it)| (Reverse(it.0), key.clone()));
            most_common.map(|(_, (_, market))| market)
        })
    }

    async fn note_metrics(
        &mut self,
        account: AccountId,
        country: Country,
        language: Language,
        metrics: &BTreeMap<String, KeywordMetrics>,
    ) -> Stored<()> {
        self.change(|state| {
            let own = state
                .keywords
                .values_mut()
                .filter(|it| it.account == account);
            let known =
                own.filter(|it| (it.market.country, it.market.language) == (country, language));
            for keyword in known {
                let found = metrics.get(keyword.text.normalized());
                if let Some(found) = found.filter(|it| it.replaces(keyword.metrics.as_ref())) {
                    *keyword = keyword.clone().with_metrics(found.clone());
                }
            }
            Ok(())
        })
    }

    async fn save(&mut self, keyword: &Keyword) -> Stored<()> {
        self.change(|state| state.save_keyword(keyword))
    }

    async fn save_all(&mut self, keywords: &[Keyword]) -> Stored<()> {
        self.change(|state| keywords.iter().try_for_each(|it| state.save_keyword(it)))
    }

    async fn save_latest(
        &mut self,
        account: AccountId,
        latest: &[(KeywordId, LatestRank)],
    ) -> Stored<()> {
        self.change(|state| {
            for (id, rank) in latest {
                if let Some(keyword) = state.keywords.get_mut(&(account, *id)) {
                    keyword.latest = Some(rank.clone());
                }
            }
            Ok(())
        })
    }

    async fn counts(&mut self, account: AccountId, project: ProjectId) -> Stored<KeywordCounts> {
        self.query(|state| KeywordCounts {
            active: count(state.active_keywords(account, project)),
            ai_tracked: count(
                state
                    .active_keywords(account, project)
                    .filter(|it| it.ai_tracked),
            ),
        })
    }

    async fn list(
        &mut self,
        account: AccountId,
        project: ProjectId,
        filter: &KeywordFilter,
        request: &PageRequest<KeywordSort>,
    ) -> Stored<Page<Keyword>> {
        self.try_query(|state| {
            let wanted = state
                .keywords_of(account, project)
                .filter(|it| matches(it, filter));
            let place = |it: &Keyword| place(it, request.sort);
            page(wanted, request, &BY_ID, place, bytes)
        })
    }

    async fn active_batch(
        &mut self,
        account: AccountId,
        project: ProjectId,
        choice: &KeywordChoice,
        after: Option<KeywordId>,
        limit: u32,
    ) -> Stored<Vec<Keyword>> {
        self.query(|state| {
            batch(
                state.active_keywords(account, project),
                choice,
                after,
                limit,
            )
        })
    }

    async fn ai_tracked_batch(
        &mut self,
        account: AccountId,
        project: ProjectId,
        choice: &KeywordChoice,
        after: Option<KeywordId>,
        limit: u32,
    ) -> Stored<Vec<Keyword>> {
        self.query(|state| {
            let tracked = state
                .active_keywords(account, project)
                .filter(|it| it.ai_tracked);
            batch(tracked, choice, after, limit)
        })
    }

    async fn count_ai_tracked_and_models(
        &mut self,
        account: AccountId,
        project: ProjectId,
        named: &[KeywordId],
    ) -> Stored<(u32, Vec<ModelSettings>)> {
        self.query(|state| {
            let active = state.active_keywords(account, project);
            let found = count(active.filter(|it| it.ai_tracked && named.contains(&it.id)));
            (found, state.models_of(account))
        })
    }

    async fn count_active_named(
        &mut self,
        account: AccountId,
        project: ProjectId,
        named: &[KeywordId],
    ) -> Stored<u32> {
        self.query(|state| {
            let active = state.active_keywords(account, project);
            count(active.filter(|it| named.contains(&it.id)))
        })
    }
}
