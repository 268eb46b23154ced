//! Properties that must hold for any input.
//!
//! One module per property. `tests/fuzz` searches for inputs that break them, guided by coverage; the program `replay`
//! and the tests here run the seeds of `tests/fuzz/seeds` and mutations of them.

mod addresses;
mod cursor;
mod domain_name;
mod html;
mod json_guard;
mod mcp;
mod merge_patch;
mod mutation;
mod owners_texts;
mod retry_after;
mod robots;
mod search_console;
mod seeded_random;
pub mod seeds;
mod sitemap;
mod structured_data;
mod token;
mod urls;

pub use mutation::Mutator;
pub use seeded_random::SeededRandom;

#[derive(Debug, Clone, Copy)]
pub struct Property {
    /// The name of the fuzz target and of its folder of seeds.
    pub name: &'static str,
    /// Panics if the property does not hold.
    check: fn(&[u8]),
}

impl Property {
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        ALL.into_iter().find(|it| it.name == name)
    }

    /// Checks the property for these bytes.
    ///
    /// # Panics
    /// If it does not hold.
    pub fn check(&self, bytes: &[u8]) {
        (self.check)(bytes);
    }
}

macro_rules! properties {
    ($($name:ident),+ $(,)?) => {
        pub const ALL: [Property; [$(stringify!($name)),+].len()] = [
            $(Property { name: stringify!($name), check: $name::check }),+
        ];
    };
}

properties![
    addresses,
    cursor,
    domain_name,
    html,
    json_guard,
    mcp,
    merge_patch,
    owners_texts,
    retry_after,
    robots,
    search_console,
    sitemap,
    structured_data,
    token,
    urls,
];

/// Checks the named property, for fuzz targets.
///
/// # Panics
/// If it does not hold, or does not exist.
pub fn check_named(name: &str, bytes: &[u8]) {
    let property = Property::named(name).expect("targets name properties that are there");
    property.check(bytes);
}
