//! The brands to look for in answers about a project: its own and its competitors'.

use super::{Core, may_be_storage};
use crate::ids::{AccountId, ProjectId};
use crate::owners_words::{BrandNames, NamedSite, SiteRole};
use crate::ports::storage::{Repositories, StorageError, Transaction};
use crate::project::Project;
use crate::results::FindingQuery;
use crate::text::Label;
use analysis::ai_answers::brands::{BrandBook, BrandSpec};
use analysis::document::Document;
use analysis::findings::competitors::CompetitorRecord;
use analysis::result_type::ResultType;
use analysis::site_class::SiteClass;
use analysis::url_rules::{OwnSites, SiteScope, registrable_domain};
use thiserror::Error;

/// Maximum competitors chosen from search pages if the owner names none.
const FOLLOWED: usize = 10;
/// Maximum competitors considered for that.
const LOOKED_AT: u32 = 50;
/// Maximum brands per project.
pub const MOST_BRANDS: usize = 200;
/// Maximum names per brand.
pub const MOST_NAMES: usize = 20;

#[derive(Debug, Error)]
pub enum NameBrandError {
    #[error("there is no such active project")]
    NoSuchProject,
    #[error("a project names at most {MOST_BRANDS} brands")]
    TooManyBrands,
    #[error("a brand has at most {MOST_NAMES} names")]
    TooManyNames,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(NameBrandError);

#[derive(Debug, Clone)]
pub struct KnownBrands {
    pub book: BrandBook,
    pub name: String,
    pub category: Option<String>,
    /// Domains of automatically chosen competitors; the next run uses the same ones.
    pub followed: Vec<String>,
}

impl KnownBrands {
    /// Data for the next run.
    pub fn carried(&self) -> Document {
        Document::of(&self.followed)
    }
}

impl Core {
    /// Uses the competitors that the owner named. If there are none, chooses those that rank for most
    /// of the same keywords; they stay, so that shares of different weeks count the same brands.
    pub async fn known_brands(&self, project: &Project) -> Result<KnownBrands, StorageError> {
        let (account, id) = (project.account, project.id);
        let mut read = self.storage.read().await?;
        let named = read.owners_words().named_sites(account, id).await?;
        let called = read.owners_words().brands(account, id).await?;
        let is_rival = |it: &NamedSite| it.role == SiteRole::Competitor;
        let followed = if named.iter().any(is_rival) {
            Vec::new()
        } else {
            followed(read.as_mut(), account, id).await?
        };
        drop(read);
        Ok(known(project, &named, &called, followed))
    }

    /// Sets the brand names of the project or a competitor; `host` is already validated. Without
    /// names, the entry is deleted.
    pub async fn name_brand(
        &self,
        account: AccountId,
        project: ProjectId,
        host: &str,
        names: &[Label],
        is_word: Option<bool>,
    ) -> Result<BrandNames, NameBrandError> {
        if names.len() > MOST_NAMES {
            return Err(NameBrandError::TooManyNames);
        }
        let brand = &BrandNames {
            domain: registrable_domain(host).unwrap_or(host).to_owned(),
            names: names.to_vec(),
            is_word,
        };
        let name = |mut work: Box<dyn Transaction>| async move {
            let found = work.projects().lock(account, project).await?;
            if !found.as_ref().is_some_and(Project::is_active) {
                return Err(NameBrandError::NoSuchProject);
            }
            let words = work.owners_words();
            let known = words.brands(account, project).await?;
            let is_new = known.iter().all(|it| it.domain != brand.domain);
            if is_new && known.len() >= MOST_BRANDS {
                return Err(NameBrandError::TooManyBrands);
            }
            words.call_brand(account, project, brand).await?;
            work.commit().await?;
            Ok(brand.clone())
        };
        self.storage.transaction(name).await
    }
}

async fn followed(
    read: &mut dyn Repositories,
    account: AccountId,
    project: ProjectId,
) -> Result<Vec<String>, StorageError> {
    let carried = read
        .results()
        .carried(account, project, ResultType::AiVisibility)
        .await?;
    let carried: Option<Vec<String>> = carried.and_then(|it| it.parse().ok());
    if let Some(carried) = carried.filter(|it| !it.is_empty()) {
        return Ok(carried);
    }
    let of = ResultType::Competitors;
    let Some(head) = read.results().head(account, project, of).await? else {
        return Ok(Vec::new());
    };
    let query = FindingQuery::in_order(of, head.job, None, LOOKED_AT);
    let page = read.results().findings(account, project, &query).await?;
    let mut domains = Vec::new();
    for finding in page.items {
        let record: CompetitorRecord =
            { finding.record.parse() }.map_err(|_| StorageError::Corrupt { what: "a record" })?;
        if record.class == SiteClass::Direct && domains.len() < FOLLOWED {
            domains.push(record.domain);
        }
    }
    Ok(domains)
}

fn known(
    project: &Project,
    named: &[NamedSite],
    called: &[BrandNames],
    followed: Vec<String>,
) -> KnownBrands {
    let site = project.domain.ascii();
    let own_domain = registrable_domain(site).unwrap_or(site);
    let mut own = spec(own_domain, called);
    if !called.iter().any(|it| it.domain == own_domain) {
        let name = project.name.as_str();
        // A project without a name of its own is named by its domain.
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
    let rivals: Vec<BrandSpec> = { named.iter() }
        .filter(|it| it.role == SiteRole::Competitor)
        .map(|it| &it.domain)
        .chain(&followed)
        .map(|it| spec(it, called))
        .collect();
    let category = project.meta.category.as_ref().map(ToString::to_string);
    let words: Vec<String> = category.iter().cloned().collect();
    let book = BrandBook::of(&own, &rivals, &words);
    KnownBrands {
        book: book.with_own_sites(OwnSites::with_aliases(SiteScope::of(site), aliases)),
        name: own.name,
        category,
        followed,
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

    fn rival(domain: &str) -> NamedSite {
        NamedSite {
            domain: domain.to_owned(),
            role: SiteRole::Competitor,
            class: None,
            named_at: FrozenClock::default().now(),
        }
    }

    #[test]
    fn brands_are_called_as_their_owner_says_or_by_their_domains() {
        let called = [BrandNames {
            domain: "kappel.de".to_owned(),
            names: vec![Label::parse("Kappel & Söhne").unwrap()],
            is_word: None,
        }];
        let named = [rival("kappel.de"), rival("nordika.com")];
        let known = known(&project("Zyxwor"), &named, &called, vec![]);
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
    fn a_project_that_is_called_as_its_domain_has_the_domains_name() {
        let known = known(&project("shop.acme-desks.com"), &[], &[], vec![]);
        assert_eq!(known.name, "Acme-desks");
    }
}
