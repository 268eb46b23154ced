use std::{fmt, str::FromStr};
use thiserror::Error;

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    // Order of scopes in listings.
    pub enum Scope {
        /// List and read projects, read results and health.
        ProjectsRead = "projects:read",
        ProjectsWrite = "projects:write",
        KeywordsRead = "keywords:read",
        KeywordsWrite = "keywords:write",
        /// Start analyses and read queue status.
        AnalysisRun = "analysis:run",
        /// Read active AI model settings.
        ModelsRead = "models:read",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not a scope; there are: projects:read, projects:write, keywords:read, keywords:write, analysis:run, models:read"
)]
pub struct UnknownScope(pub String);

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(name: &str) -> Result<Self, UnknownScope> {
        Self::named(name).ok_or_else(|| UnknownScope(name.to_owned()))
    }
}

/// The scopes of one token, in the order of [`Scope`]. An empty set permits nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scopes(u8);

impl Scopes {
    pub fn all() -> Self {
        Scope::ALL.into_iter().collect()
    }

    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & Self::bit(scope) != 0
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL
            .into_iter()
            .filter(move |scope| self.contains(*scope))
    }

    /// Parses `all`, or names separated by commas or white space.
    pub fn parse(text: &str) -> Result<Self, UnknownScope> {
        if text.trim() == "all" {
            return Ok(Self::all());
        }
        let names = text
            .split(|c: char| c == ',' || c.is_whitespace())
            .filter(|name| !name.is_empty());
        names.map(str::parse).collect()
    }

    const fn bit(scope: Scope) -> u8 {
        1 << scope as u8
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(
            scopes
                .into_iter()
                .fold(0, |set, scope| set | Self::bit(scope)),
        )
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Scope::name).collect();
        f.write_str(&names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_written_and_read_back() {
        let scopes = Scopes::parse("keywords:write, projects:read").unwrap();
        assert_eq!(scopes.to_string(), "projects:read,keywords:write");
        assert_eq!(Scopes::parse(&scopes.to_string()), Ok(scopes));
        assert_eq!(Scopes::parse("all").unwrap().iter().count(), 6);
        assert_eq!(
            Scopes::parse("projects:reed"),
            Err(UnknownScope("projects:reed".into()))
        );
    }

    #[test]
    fn an_empty_set_permits_nothing() {
        assert!(Scopes::default().is_empty());
        assert!(
            Scope::ALL
                .into_iter()
                .all(|scope| !Scopes::default().contains(scope))
        );
    }

    #[test]
    fn scopes_have_the_names_of_the_specification() {
        let names = [
            "projects:read",
            "projects:write",
            "keywords:read",
            "keywords:write",
            "analysis:run",
            "models:read",
        ];
        assert_eq!(Scope::ALL.map(Scope::name), names);
        for (scope, name) in Scope::ALL.into_iter().zip(names) {
            assert_eq!(scope.to_string(), name);
            assert_eq!(name.parse(), Ok(scope));
            let unknown = UnknownScope(String::new()).to_string();
            assert!(unknown.contains(name), "the refusal lists {name}");
        }
    }

    /// Each of the 64 sets permits exactly its members.
    #[test]
    fn a_set_permits_only_its_scopes() {
        for chosen in 0_u8..64 {
            let is_chosen = |place: usize| chosen >> place & 1 == 1;
            let scopes: Vec<Scope> = { Scope::ALL.into_iter().enumerate() }
                .filter_map(|(place, scope)| is_chosen(place).then_some(scope))
                .collect();
            // Duplicates have no effect.
            let set: Scopes = scopes.iter().chain(&scopes).copied().collect();
            assert_eq!(set.iter().collect::<Vec<_>>(), scopes);
            assert_eq!(set.is_empty(), chosen == 0);
            for (place, scope) in Scope::ALL.into_iter().enumerate() {
                assert_eq!(
                    set.contains(scope),
                    is_chosen(place),
                    "{scope} of {chosen:06b}"
                );
            }
            assert_eq!(Scopes::parse(&set.to_string()), Ok(set));
        }
    }
}
