//! Projects and their purge.

use super::paging::{BY_ID, Place, moment, page};
use super::state::{State, add};
use super::{Session, Stored, conflict};
use crate::ids::{AccountId, ProjectId};
use crate::page::{Page, PageRequest, SortValue};
use crate::ports::projects::{ProjectFilter, ProjectRepository, ProjectSort};
use crate::project::{Project, Status};
use crate::text::{Label, Tag};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

impl State {
    /// Domains are unique among an account's active projects.
    fn is_free_domain(&self, project: &Project) -> Stored<()> {
        let domain = project.domain.ascii();
        let taken = self.active_project(project.account, domain);
        match taken.filter(|_| project.status == Status::Active) {
            Some(other) if other != project.id => conflict("projects_active_domain"),
            _ => Ok(()),
        }
    }

    fn active_project(&self, account: AccountId, domain: &str) -> Option<ProjectId> {
        let mut projects = self.projects.values();
        let found = projects.find(|it| {
            it.account == account && it.status == Status::Active && it.domain.ascii() == domain
        });
        found.map(|it| it.id)
    }
}

fn matches(project: &Project, filter: &ProjectFilter) -> bool {
    let meta = &project.meta;
    let holds = |text: &str| {
        let client = meta.client_name.as_ref().map_or("", Label::as_str);
        let domain = &project.domain;
        let texts = [
            project.name.as_str(),
            domain.ascii(),
            domain.unicode(),
            client,
        ];
        let text = text.to_lowercase();
        texts.iter().any(|it| it.to_lowercase().contains(&text))
    };
    let category = meta.category.as_ref().map(Label::as_str);
    filter.status.is_none_or(|it| it == project.status)
        && { filter.only.as_ref() }.is_none_or(|it| it.contains(&project.id))
        && { filter.tag.as_ref() }.is_none_or(|it| meta.tags.iter().any(|tag| tag.as_str() == it))
        && (filter.category.is_none() || filter.category.as_deref() == category)
        && filter.priority.is_none_or(|it| it == meta.priority)
        && { filter.workflow_status }.is_none_or(|it| it == meta.workflow_status)
        && filter.favorite.is_none_or(|it| it == meta.favorite)
        && filter.search.as_ref().is_none_or(|it| holds(it))
}

fn place(project: &Project, sort: ProjectSort) -> Place<i64> {
    let value = match sort {
        ProjectSort::CreatedAt => moment(project.created_at),
        ProjectSort::Name => SortValue::Text(project.name.as_str().to_lowercase()),
        ProjectSort::Domain => SortValue::Text(project.domain.ascii().to_owned()),
        ProjectSort::LastAnalysisAt => project.last_analysis_at.map_or(SortValue::Missing, moment),
        ProjectSort::Priority => SortValue::Number(project.meta.priority as i64),
    };
    let id = project.id.0;
    Place { value, id }
}

fn bytes(project: &Project) -> usize {
    let tags = project.meta.tags.iter().map(|it| Tag::as_str(it).len());
    project.name.as_str().len() + tags.sum::<usize>()
}

#[async_trait]
impl ProjectRepository for Session {
    async fn add(&mut self, project: &Project) -> Stored<()> {
        let key = (project.account, project.id);
        self.change(|state| {
            state.is_free_domain(project)?;
            add(&mut state.projects, key, project.clone())
        })
    }

    async fn find(&mut self, account: AccountId, project: ProjectId) -> Stored<Option<Project>> {
        self.query(|state| state.projects.get(&(account, project)).cloned())
    }

    async fn lock(&mut self, account: AccountId, project: ProjectId) -> Stored<Option<Project>> {
        self.change(|state| Ok(state.projects.get(&(account, project)).cloned()))
    }

    async fn active_with_domain(
        &mut self,
        account: AccountId,
        domain: &str,
    ) -> Stored<Option<ProjectId>> {
        self.query(|state| state.active_project(account, domain))
    }

    async fn save(&mut self, project: &Project) -> Stored<()> {
        self.change(|state| {
            state.is_free_domain(project)?;
            if let Some(known) = state.projects.get_mut(&(project.account, project.id)) {
                *known = project.clone();
            }
            Ok(())
        })
    }

    async fn note_analysis(
        &mut self,
        account: AccountId,
        project: ProjectId,
        at: DateTime<Utc>,
    ) -> Stored<()> {
        self.change(|state| {
            if let Some(known) = state.projects.get_mut(&(account, project)) {
                known.last_analysis_at = Some(at);
            }
            Ok(())
        })
    }

    async fn count_all(&mut self, account: AccountId) -> Stored<u32> {
        self.query(|state| {
            let own = state.projects.values().filter(|it| it.account == account);
            u32::try_from(own.count()).unwrap_or(u32::MAX)
        })
    }

    async fn deactivated_until(
        &mut self,
        account: AccountId,
        until: DateTime<Utc>,
        limit: u32,
    ) -> Stored<Vec<ProjectId>> {
        self.query(|state| {
            let own = state.projects.values().filter(|it| it.account == account);
            let old = own.filter_map(|it| Some((it.deactivated_at?, it.status, it.id)));
            let mut old: Vec<_> = old
                .filter(|(at, status, _)| *status == Status::Deactivated && *at <= until)
                .collect();
            old.sort_by_key(|(at, _, id)| (*at, *id));
            old.truncate(limit as usize);
            old.into_iter().map(|(_, _, id)| id).collect()
        })
    }

    /// All at once: a test's project is small.
    async fn purge_batch(&mut self, account: AccountId, project: ProjectId) -> Stored<bool> {
        self.change(|state| {
            state.purge(account, project);
            Ok(false)
        })
    }

    async fn list(
        &mut self,
        account: AccountId,
        filter: &ProjectFilter,
        request: &PageRequest<ProjectSort>,
    ) -> Stored<Page<Project>> {
        self.try_query(|state| {
            let own = state.projects.values().filter(|it| it.account == account);
            let wanted = own.filter(|it| matches(it, filter));
            let place = |it: &Project| place(it, request.sort);
            page(wanted, request, &BY_ID, place, bytes)
        })
    }
}

impl State {
    fn purge(&mut self, account: AccountId, project: ProjectId) {
        self.grants
            .retain(|(owner, _, of)| (*owner, *of) != (account, project));
        macro_rules! of_project {
            ($($table:ident),+) => {
                $(self.$table.retain(|(owner, of, _), _| (*owner, *of) != (account, project));)+
            };
        }
        of_project!(
            named_sites,
            brands,
            ignored,
            schedules,
            measurements,
            latest_pages,
            pages,
            findings,
            heads,
            carries,
            tallies
        );
        self.keywords
            .retain(|_, it| (it.account, it.project) != (account, project));
        self.plans
            .retain(|_, it| (it.account, it.project) != (account, project));
        self.imports
            .retain(|key, it| (key.0, it.project) != (account, project));
        self.answers
            .retain(|key, it| (key.0, it.0) != (account, project));
        let jobs = self.jobs.values();
        let ended: Vec<_> = jobs
            .filter(|it| (it.account, it.project) == (account, project))
            .map(|it| (account, it.id))
            .collect();
        macro_rules! of_jobs {
            ($($table:ident),+) => {
                $(self.$table.retain(|(owner, job, _), _| !ended.contains(&(*owner, *job)));)+
            };
        }
        of_jobs!(staged, staged_pages, journal, paid_calls);
        self.jobs.retain(|key, _| !ended.contains(key));
        self.bindings.remove(&(account, project));
        self.projects.remove(&(account, project));
    }
}
