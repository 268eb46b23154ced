pub mod suggestions;

pub use search::findings::*;
pub use site::findings::*;
pub use texts::findings::*;

texts::finding_types! {
    Suggestions: suggestions[SuggestionRecord, SuggestionsSummary];
}

/// All result types, in the order of the public document.
pub fn all_types() -> impl Iterator<Item = &'static FindingType> {
    let (search, site) = (search::findings::TYPES, site::findings::TYPES);
    search.iter().chain(TYPES).chain(site)
}
