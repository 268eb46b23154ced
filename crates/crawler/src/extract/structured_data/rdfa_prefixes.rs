use analysis::table::records;
use std::{collections::HashMap, sync::LazyLock};

/// The initial context of `RDFa` 1.1: predefined prefixes.
pub static INITIAL_PREFIXES: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let prefixes = records::<2>(include_str!("rdfa_prefixes.tsv"));
    prefixes.map(|[prefix, iri]| (prefix, iri)).collect()
});
