use super::SiteScope;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnSites {
    site: SiteScope,
    aliases: Vec<SiteScope>,
}

impl OwnSites {
    pub const fn of(site: SiteScope) -> Self {
        Self {
            site,
            aliases: Vec::new(),
        }
    }

    pub fn with_aliases(site: SiteScope, aliases: Vec<SiteScope>) -> Self {
        Self { site, aliases }
    }

    pub const fn site(&self) -> &SiteScope {
        &self.site
    }

    pub fn owns(&self, url: &str) -> bool {
        self.all().any(|scope| scope.owns(url))
    }

    /// For a site below a path the whole host counts.
    pub fn owns_host(&self, host: &str) -> bool {
        self.all().any(|scope| scope.owns_host(host))
    }

    /// The root host of each site.
    pub fn roots(&self) -> impl Iterator<Item = &str> {
        self.all().map(SiteScope::root)
    }

    fn all(&self) -> impl Iterator<Item = &SiteScope> {
        std::iter::once(&self.site).chain(&self.aliases)
    }
}
