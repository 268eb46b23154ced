use super::code::{IssueCode, IssueGroup};
use crate::findings::broken_links::Severity;
use serde::Serialize;
use std::{collections::BTreeMap, sync::LazyLock};

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CodeInfo {
    pub code: IssueCode,
    pub group: IssueGroup,
    /// The default; a finding may set another one.
    pub severity: Severity,
    /// Effect of a fix: 3 massive, 2 high, 1 medium, 0.5 low, 0.25 minimal.
    pub impact: f64,
    /// From where it is an issue; empty without a threshold.
    pub threshold: &'static str,
    pub source: &'static str,
    pub title: &'static str,
    pub what_to_do: &'static str,
    /// The number of the constant in `SEOnaut` 2025-09-13.
    pub seonaut: Option<u8>,
    /// Name in Screaming Frog's exports.
    pub screaming_frog: Option<&'static str>,
    pub lighthouse: Option<&'static str>,
}

/// Columns: code, group, severity, impact, threshold, source, title, what to do, `SEOnaut`'s number,
/// Screaming Frog's name, Lighthouse's audit.
const TABLE: &str = include_str!("catalogue.tsv");

static CATALOG: LazyLock<BTreeMap<IssueCode, CodeInfo>> = LazyLock::new(|| {
    TABLE
        .lines()
        .filter_map(row)
        .map(|it| (it.code, it))
        .collect()
});

/// Fallback for a code without a row; a test checks that there is none.
static FALLBACK: CodeInfo = CodeInfo {
    code: IssueCode::Http4xx,
    group: IssueGroup::Availability,
    severity: Severity::Notice,
    impact: 0.0,
    threshold: "",
    source: "",
    title: "",
    what_to_do: "",
    seonaut: None,
    screaming_frog: None,
    lighthouse: None,
};

pub fn info(code: IssueCode) -> &'static CodeInfo {
    CATALOG.get(&code).unwrap_or(&FALLBACK)
}

fn row(line: &'static str) -> Option<CodeInfo> {
    let mut cells = line.split('\t');
    let code = IssueCode::named(cells.next()?)?;
    let group = cells.next()?;
    let severity = match cells.next()? {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => Severity::Notice,
    };
    let some = |text: &'static str| (!text.is_empty()).then_some(text);
    Some(CodeInfo {
        code,
        group: IssueGroup::named(group)?,
        severity,
        impact: cells.next()?.parse().ok()?,
        threshold: cells.next()?,
        source: cells.next()?,
        title: cells.next()?,
        what_to_do: cells.next()?,
        seonaut: cells.next()?.parse().ok(),
        screaming_frog: some(cells.next()?),
        lighthouse: some(cells.next()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_one_complete_row() {
        assert_eq!(TABLE.lines().count(), IssueCode::ALL.len());
        for code in IssueCode::ALL {
            let known = CATALOG.get(&code).unwrap_or_else(|| panic!("{code:?}"));
            assert!(
                !known.title.is_empty() && !known.what_to_do.is_empty(),
                "{code:?}"
            );
            assert!(
                [3.0, 2.0, 1.0, 0.5, 0.25].contains(&known.impact),
                "{code:?}"
            );
        }
    }

    /// `SEOnaut` has 79 constants; only 21, links to other sites without `nofollow`, is not an issue here.
    #[test]
    fn the_numbers_of_seonaut_are_each_used_once() {
        let mut numbers: Vec<u8> = CATALOG.values().filter_map(|it| it.seonaut).collect();
        numbers.sort_unstable();
        let missing: Vec<u8> = (1..=79).filter(|it| !numbers.contains(it)).collect();
        assert_eq!(missing, [21]);
        assert!(numbers.windows(2).all(|it| it[0] != it[1]));
    }
}
