//! A project's site and what else its owner has: all of it is own, none of it competes.

use super::SiteScope;

/// The site of a project and further sites of the same owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnSites {
    site: SiteScope,
    aliases: Vec<SiteScope>,
}

impl OwnSites {
    /// A project's site alone.
    #[must_use]
    pub const fn of(site: SiteScope) -> Self {
        Self {
            site,
            aliases: Vec::new(),
        }
    }

    /// With further sites of the same owner.
    #[must_use]
    pub fn with_aliases(site: SiteScope, aliases: Vec<SiteScope>) -> Self {
        Self { site, aliases }
    }

    /// The project's site.
    #[must_use]
    pub const fn site(&self) -> &SiteScope {
        &self.site
    }

    /// Whether a URL leads to any of them.
    #[must_use]
    pub fn owns(&self, url: &str) -> bool {
        self.all().any(|scope| scope.owns(url))
    }

    /// Whether a host is of any of them; of a site below a path, the whole host counts.
    #[must_use]
    pub fn owns_host(&self, host: &str) -> bool {
        self.all().any(|scope| scope.owns_host(host))
    }

    /// The hosts under which everything is own.
    pub fn roots(&self) -> impl Iterator<Item = &str> {
        self.all().map(SiteScope::root)
    }

    fn all(&self) -> impl Iterator<Item = &SiteScope> {
        std::iter::once(&self.site).chain(&self.aliases)
    }
}
