use crate::url_rules::{self, OwnSites};
use std::collections::HashMap;

pub type DomainId = u32;

/// All own sites, including aliases.
pub const OWN: DomainId = 0;

#[derive(Debug, Clone)]
pub(super) struct Domains {
    names: Vec<String>,
    by_name: HashMap<String, DomainId>,
    by_host: HashMap<String, DomainId>,
}

impl Domains {
    pub fn with_own(name: &str) -> Self {
        Self {
            names: vec![name.to_owned()],
            by_name: HashMap::new(),
            by_host: HashMap::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn name(&self, domain: DomainId) -> &str {
        self.names.get(domain as usize).map_or("", String::as_str)
    }

    pub fn id_by_name(&self, name: &str) -> Option<DomainId> {
        self.by_name.get(name).copied()
    }

    /// Checks own URLs first, since a site below a path shares its host.
    pub fn id_of_url(&mut self, url: &str, own: &OwnSites) -> Option<DomainId> {
        let host = url_rules::host_of_url(url)?;
        if let Some(known) = self.by_host.get(host.as_ref()) {
            return Some(*known);
        }
        if own.owns_host(&host) {
            // Not cached: another path of this host may not be own.
            return Some(if own.owns(url) {
                OWN
            } else {
                self.intern(url_rules::domain_of_host(&host))
            });
        }
        let domain = self.intern(url_rules::domain_of_host(&host));
        self.by_host.insert(host.into_owned(), domain);
        Some(domain)
    }

    fn intern(&mut self, name: &str) -> DomainId {
        if let Some(known) = self.by_name.get(name) {
            return *known;
        }
        let number = DomainId::try_from(self.names.len()).unwrap_or(DomainId::MAX);
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), number);
        number
    }
}
