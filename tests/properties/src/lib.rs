//! What has to hold for whatever bytes come in from outside.
//!
//! One file a property. `tests/fuzz` looks for bytes that break them, guided by coverage; the program
//! `replay` and the tests here run the seeds of `tests/fuzz/seeds` and mutations of them without that.

mod addresses;
mod chance;
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
pub mod seeds;
mod sitemap;
mod structured_data;
mod token;
mod urls;

pub use chance::Chance;
pub use mutation::Mutator;

/// Bytes from outside, and what has to hold for them.
#[derive(Debug, Clone, Copy)]
pub struct Property {
    /// The name of the target and of its folder of seeds.
    pub name: &'static str,
    /// Panics when it does not hold.
    check: fn(&[u8]),
}

impl Property {
    /// The property of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        ALL.into_iter().find(|it| it.name == name)
    }

    /// Holds it against these bytes.
    ///
    /// # Panics
    /// When it does not hold for them.
    pub fn hold(&self, bytes: &[u8]) {
        (self.check)(bytes);
    }
}

macro_rules! properties {
    ($($name:ident),+ $(,)?) => {
        /// All of them.
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

/// Holds the property of that name against these bytes, for targets of fuzzing.
///
/// # Panics
/// When it does not hold for them, or there is none of that name.
pub fn hold(name: &str, bytes: &[u8]) {
    let property = Property::named(name).expect("targets name properties that are there");
    property.hold(bytes);
}
