//! What an operator looks at: checks of the server, and its sources of data with their suppliers' names.

use crate::money::MicroUsd;
use crate::ports::search_results::PaidCallRefusal;
use crate::ports::{ai_answers, keyword_data, page_speed, search_console, search_results};

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum CheckState {
        Good = "good",
        /// Works, but may not be intended.
        Notice = "notice",
        /// Does not work until an operator acts.
        Bad = "bad",
    }
}

/// A message for operators. It may name a supplier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub subject: &'static str,
    pub state: CheckState,
    pub message: String,
    /// The next step; always given unless the state is good.
    pub todo: Option<String>,
}

impl Check {
    pub fn good(subject: &'static str, message: impl Into<String>) -> Self {
        Self::new(subject, CheckState::Good, message, None)
    }

    pub fn notice(
        subject: &'static str,
        message: impl Into<String>,
        todo: impl Into<String>,
    ) -> Self {
        Self::new(subject, CheckState::Notice, message, Some(todo.into()))
    }

    pub fn bad(subject: &'static str, message: impl Into<String>, todo: impl Into<String>) -> Self {
        Self::new(subject, CheckState::Bad, message, Some(todo.into()))
    }

    pub fn new(
        subject: &'static str,
        state: CheckState,
        message: impl Into<String>,
        todo: Option<String>,
    ) -> Self {
        Self {
            subject,
            state,
            message: message.into(),
            todo,
        }
    }
}

analysis::wire_enum! {
    /// What accounts see instead of suppliers.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SourceKind {
        SearchResults = "searchResults",
        AiEngines = "aiEngines",
        KeywordData = "keywordData",
        PageSpeed = "pageSpeed",
        SearchConsole = "searchConsole",
    }
}

impl SourceKind {
    pub const fn title(self) -> &'static str {
        match self {
            Self::SearchResults => "search results",
            Self::AiEngines => "AI engines",
            Self::KeywordData => "keyword research",
            Self::PageSpeed => "web vitals",
            Self::SearchConsole => "Search Console",
        }
    }

    /// What a price is for.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::SearchResults => "keyword",
            Self::AiEngines => "answer",
            Self::KeywordData => "search",
            Self::PageSpeed => "page",
            Self::SearchConsole => "day",
        }
    }

    /// By which server notes name its calls.
    pub const fn operations(self) -> &'static [&'static str] {
        match self {
            Self::SearchResults => &[search_results::OPERATION],
            Self::AiEngines => &[ai_answers::OPERATION],
            Self::KeywordData => &[keyword_data::OPERATION],
            Self::PageSpeed => &[page_speed::OPERATION],
            Self::SearchConsole => &search_console::OPERATIONS,
        }
    }
}

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SourceState {
        Working = "working",
        /// A supplier refuses the operator's account.
        Refused = "refused",
        /// Set up, but no calls are made: they are switched off, too expensive, or the key cannot be used.
        Off = "off",
        NotSetUp = "notSetUp",
    }
}

/// A supplier that is set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupplierTerms {
    /// For operators alone; an AI engine's name is public.
    pub name: String,
    /// Maximum for one unit of the source; zero if free, `None` if unknown.
    pub max_cost: Option<MicroUsd>,
    /// Why no calls are made.
    pub refusal: Option<PaidCallRefusal>,
}

/// A kind of source, as the settings of this process set it up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub kind: SourceKind,
    /// In the order of use; empty if simulated or not set up.
    pub suppliers: Vec<SupplierTerms>,
    pub is_simulated: bool,
    /// By the settings; refusals are in server notes.
    pub state: SourceState,
    pub check: Check,
}
