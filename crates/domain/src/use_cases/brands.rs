//! The brands to look for in answers about a project: its own and its competitors'.

use super::{Core, impl_as_storage_error};
use crate::ids::{AccountId, ProjectId};
use crate::ports::storage::{Repositories, StorageError, Transaction};
use crate::project::Project;
use crate::project_overrides::{BrandNames, SiteAnnotation, SiteRole};
use crate::results::{CarriedKind, FindingQuery};
use crate::text::Label;
use analysis::ai_answers::brands::{BrandBook, BrandSpec};
use analysis::document::Document;
use analysis::findings::competitors::CompetitorRecord;
use analysis::result_type::ResultType;
use analysis::site_class::SiteClass;
use analysis::url_rules::{OwnSites, SiteScope, registrable_domain};
use thiserror::Error;

/// Maximum competitors chosen from search pages if the owner names none.
const MAX_AUTO_COMPETITORS: usize = 10;
/// Maximum competitors considered for that.
const MAX_CANDIDATES: u32 = 50;
/// Maximum brands per project.
pub const MAX_BRANDS: usize = 200;
/// Maximum names per brand.
pub const MAX_NAMES: usize = 20;

#[derive(Debug, Error)]
pub enum SetBrandNamesError {
    #[error("there is no such active project")]
    NoSuchProject,
    #[error("a project names at most {MAX_BRANDS} brands")]
    TooManyBrands,
    #[error("a brand has at most {MAX_NAMES} names")]
    TooManyNames,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(SetBrandNamesError);

#[derive(Debug, Clone)]
pub struct ProjectBrands {
    pub book: BrandBook,
    pub own: OwnSites,
    pub name: String,
    pub category: Option<String>,
    /// Domains of automatically chosen competitors; the next run uses the same ones.
    pub auto_competitors: Vec<String>,
}

impl ProjectBrands {
    /// Data for the next run.
    pub fn carried_over(&self) -> Document {
        Document::of(&self.auto_competitors)
    }
}

impl Core {
    /// Uses the competitors that the owner named. If there are none, chooses those that rank for most
    /// of the same keywords; they stay, so that shares of different weeks count the same brands.
    pub async fn project_brands(&self, project: &Project) -> Result<ProjectBrands, StorageError> {
        let (account, id) = (project.account, project.id);
        let mut read = self.storage.read().await?;
        let named = read
            .project_overrides()
            .site_annotations(account, id)
            .await?;
        let called = read.project_overrides().brand_names(account, id).await?;
        let is_competitor = |it: &SiteAnnotation| it.role == SiteRole::Competitor;
        let followed = if named.iter().any(is_competitor) {
            Vec::new()
        } else {
            auto_competitors(read.as_mut(), account, id).await?
        };
        drop(read);
        Ok(build_brands(project, &named, &called, followed))
    }

    /// Sets the brand names of the project or a competitor; `host` is already validated. Without
    /// names, the entry is deleted.
    pub async fn set_brand_names(
        &self,
        account: AccountId,
        project: ProjectId,
        host: &str,
        names: &[Label],
        is_word: Option<bool>,
    ) -> Result<BrandNames, SetBrandNamesError> {
        if names.len() > MAX_NAMES {
            return Err(SetBrandNamesError::TooManyNames);
        }
        let brand = &BrandNames {
            domain: registrable_domain(host).unwrap_or(host).to_owned(),
            names: names.to_vec(),
            is_word,
        };
        let name = |mut work: Box<dyn Transaction>| async move {
            let found = work.projects().lock(account, project).await?;
            if !found.as_ref().is_some_and(Project::is_active) {
                return Err(SetBrandNamesError::NoSuchProject);
            }
            let words = work.project_overrides();
            let known = words.brand_names(account, project).await?;
            let is_new = known.iter().all(|it| it.domain != brand.domain);
            if is_new && known.len() >= MAX_BRANDS {
                return Err(SetBrandNamesError::TooManyBrands);
            }
            words.set_brand_names(account, project, brand).await?;
            work.commit().await?;
            Ok(brand.clone())
        };
        self.storage.transaction(name).await
    }
}

async fn auto_competitors(
    read: &mut dyn Repositories,
    account: AccountId,
    project: ProjectId,
) -> Result<Vec<String>, StorageError> {
    let carried = read
        .results()
        .carried_over(account, project, CarriedKind::ChosenCompetitors)
        .await?;
    let carried: Option<Vec<String>> = carried.and_then(|it| it.parse().ok());
    if let Some(carried) = carried.filter(|it| !it.is_empty()) {
        return Ok(carried);
    }
    let of = ResultType::Competitors;
    let Some(head) = read.results().head(account, project, of).await? else {
        return Ok(Vec::new());
    };
    let query = FindingQuery::by_ordinal(of, head.job, None, MAX_CANDIDATES);
    let page = read.results().findings(account, project, &query).await?;
    let mut domains = Vec::new();
    for finding in page.items {
        let record: CompetitorRecord =
            { finding.record.parse() }.map_err(|_| StorageError::Corrupt {
                subject: "a record",
            })?;
        if record.class == SiteClass::Direct && domains.len() < MAX_AUTO_COMPETITORS {
            domains.push(record.domain);
        }
    }
    Ok(domains)
}

fn build_brands(
    project: &Project,
    named: &[SiteAnnotation],
    called: &[BrandNames],
    followed: Vec<String>,
) -> ProjectBrands {
    let site = project.domain.ascii();
    let own_domain = registrable_domain(site).unwrap_or(site);
    let mut own = spec(own_domain, called);
    if !called.iter().any(|it| it.domain == own_domain) {
        let name = project.name.as_str();
        // A project without a name is named by its domain.
        let is_domain = [site, own_domain, project.domain.unicode()].contains(&name);
        if !is_domain {
            own.aliases
                .push(std::mem::replace(&mut own.name, name.to_owned()));
        }
    }
    let host = site.split('/').next().unwrap_or(site);
    host.clone_into(&mut own.domains[0]);
    let others = { named.iter() }.filter(|it| it.role == SiteRole::Own);
    own.domains
        .extend(others.clone().map(|it| it.domain.clone()));
    let aliases = others.map(|it| SiteScope::of(&it.domain)).collect();
    let competitors: Vec<BrandSpec> = { named.iter() }
        .filter(|it| it.role == SiteRole::Competitor)
        .map(|it| &it.domain)
        .chain(&followed)
        .map(|it| spec(it, called))
        .collect();
    let category = project.meta.category.as_ref().map(ToString::to_string);
    let words: Vec<String> = category.iter().cloned().collect();
    let book = BrandBook::of(&own, &competitors, &words);
    let own_sites = OwnSites::with_aliases(SiteScope::of(site), aliases);
    ProjectBrands {
        book: book.with_own_sites(own_sites.clone()),
        own: own_sites,
        name: own.name,
        category,
        auto_competitors: followed,
    }
}

/// The brand of a domain: with the owner's names, or named by the domain.
fn spec(domain: &str, called: &[BrandNames]) -> BrandSpec {
    let found = called.iter().find(|it| it.domain == domain);
    let mut names = found.into_iter().flat_map(|it| &it.names);
    let name = names.next().map(ToString::to_string);
    BrandSpec {
        name: name.unwrap_or_else(|| label(domain)),
        domains: vec![domain.to_owned()],
        aliases: names.map(ToString::to_string).collect(),
        is_ambiguous: found.and_then(|it| it.is_word),
    }
}

/// `Rival` of `rival.com`, capitalized.
fn label(domain: &str) -> String {
    let label = domain.split('.').next().unwrap_or(domain);
    let mut letters = label.chars();
    let first = letters.next().map(|it| it.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain_name::SiteDomain;
    use crate::ports::clock::Clock;
    use crate::test_support::{FrozenClock, a_project};
    use crate::text::Label;

    fn project(name: &str) -> Project {
        Project {
            name: Label::parse(name).unwrap(),
            domain: SiteDomain::accepted(
                "shop.acme-desks.com".into(),
                "shop.acme-desks.com".into(),
            ),
            ..a_project()
        }
    }

    fn competitor(domain: &str) -> SiteAnnotation {
        SiteAnnotation {
            domain: domain.to_owned(),
            role: SiteRole::Competitor,
            class: None,
            annotated_at: FrozenClock::default().now(),
        }
    }

    #[test]
    fn brands_have_the_owners_names_or_those_of_their_domains() {
        let called = [BrandNames {
            domain: "kappel.de".to_owned(),
            names: vec![Label::parse("Kappel & Söhne").unwrap()],
            is_word: None,
        }];
        let named = [competitor("kappel.de"), competitor("nordika.com")];
        let known = build_brands(&project("Zyxwor"), &named, &called, vec![]);
        assert_eq!(known.name, "Zyxwor");
        let named = |text: &str| known.book.named_in(text, "en");
        assert_eq!(named("Zyxwor or Kappel and Söhne?").len(), 2);
        assert_eq!(named("Nordika").len(), 1);
        assert_eq!(
            known.book.owner_of_url("https://shop.acme-desks.com/a"),
            Some(0)
        );
    }

    #[test]
    fn an_unnamed_project_gets_its_brand_from_the_domain() {
        let known = build_brands(&project("shop.acme-desks.com"), &[], &[], vec![]);
        assert_eq!(known.name, "Acme-desks");
    }
}
