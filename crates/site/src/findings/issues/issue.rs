use super::{catalog::info, code::IssueCode};
use crate::{ToSchema, findings::broken_links::Severity, text::words::shortened};
use serde::{Deserialize, Serialize};

/// Characters of a detail.
const MAX_DETAIL: usize = 500;
/// Examples in a detail.
const MAX_EXAMPLES: usize = 5;

/// Something that is wrong with a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Issue {
    /// What.
    pub code: IssueCode,
    /// How much it matters here.
    pub severity: Severity,
    /// How often it occurs on the page. Once where the page as a whole has it: one that is like others
    /// counts once, however many these are.
    pub count: u32,
    /// What exactly: figures, or examples, one a line. At most 500 characters.
    pub detail: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IssueCollector {
    issues: Vec<Issue>,
}

#[derive(Default)]
struct Examples(Vec<String>);

impl Examples {
    fn add(&mut self, example: &impl AsRef<str>) {
        if self.0.len() < MAX_EXAMPLES {
            let example = shortened(example.as_ref(), MAX_DETAIL);
            self.0.push(example.to_owned());
        }
    }

    fn detail(self) -> Option<String> {
        Some(self.0.join("\n")).filter(|it| !it.trim().is_empty())
    }
}

impl IssueCollector {
    /// Adds an issue with the severity of the catalog.
    pub fn add(&mut self, code: IssueCode, detail: impl Into<Option<String>>) {
        self.add_with(code, info(code).severity, 1, detail.into());
    }

    pub fn add_if(&mut self, holds: bool, code: IssueCode) {
        if holds {
            self.add(code, None);
        }
    }

    /// Adds an issue with one occurrence per example; none without examples.
    pub fn add_each<T: AsRef<str>>(&mut self, code: IssueCode, examples: impl Iterator<Item = T>) {
        self.add_each_with(code, info(code).severity, examples);
    }

    pub fn add_each_with<T: AsRef<str>>(
        &mut self,
        code: IssueCode,
        severity: Severity,
        examples: impl Iterator<Item = T>,
    ) {
        let (mut count, mut named) = (0_u32, Examples::default());
        for example in examples {
            count = count.saturating_add(1);
            named.add(&example);
        }
        if count > 0 {
            self.add_with(code, severity, count, named.detail());
        }
    }

    /// Adds an issue that occurs once; its detail has the first explanations.
    pub fn add_once<T: AsRef<str>>(
        &mut self,
        code: IssueCode,
        explanations: impl Iterator<Item = T>,
    ) {
        let mut named = Examples::default();
        { explanations.take(MAX_EXAMPLES) }.for_each(|it| named.add(&it));
        self.add(code, named.detail());
    }

    pub fn add_with(
        &mut self,
        code: IssueCode,
        severity: Severity,
        count: u32,
        detail: Option<String>,
    ) {
        let detail = detail.map(|it| shortened(&it, MAX_DETAIL).to_owned());
        self.issues.push(Issue {
            code,
            severity,
            count,
            detail,
        });
    }

    /// The issues, in the order of the catalog.
    pub fn finished(mut self) -> Vec<Issue> {
        self.issues
            .sort_by(|one, other| (one.code, &one.detail).cmp(&(other.code, &other.detail)));
        self.issues.dedup();
        self.issues
    }
}
