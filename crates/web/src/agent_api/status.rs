use crate::contract::StringEnum;
use domain::project::Status;

/// Status filter of lists; `None` means all.
pub struct StatusFilter(pub Option<Status>);

impl Default for StatusFilter {
    fn default() -> Self {
        Self(Some(Status::Active))
    }
}

impl StringEnum for StatusFilter {
    fn words() -> Vec<&'static str> {
        [Status::NAMES.as_slice(), &["all"]].concat()
    }

    fn from_word(word: &str) -> Option<Self> {
        match word {
            "all" => Some(Self(None)),
            word => Status::named(word).map(|it| Self(Some(it))),
        }
    }
}
