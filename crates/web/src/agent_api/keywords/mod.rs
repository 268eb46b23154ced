mod add;
mod change;
mod deactivate;
mod list;
mod view;

pub(crate) use add::AddKeywords;
pub use add::add;
pub use change::change;
pub(crate) use change::{ChangeKeyword, target_url};
pub use deactivate::deactivate;
pub(crate) use list::ListKeywords;
pub use list::{LIST_LIMITS, SORTS, list};
pub use view::{AddedKeywordsView, AllowanceView, KeywordView, LatestView, MarketView};

use crate::contract::{body, nested_body};
use analysis::observation::search_page::Device;
use domain::market::{Country, Language, Location, Market};
use domain::patch::Change;

body! {
    pub(crate) MarketMembers {
        country: Country = optional "country";
        language: Language = optional "language";
        device: Device = optional "device";
        location: Location = nullable "location";
    }
}
nested_body!(MarketMembers => MarketChange: market);

/// OpenAPI description of [`MarketMembers`].
pub(crate) const MARKET: &str =
    "Where and how it is searched; in the United States, in English, on a desktop when left out.";

pub(crate) struct MarketChange {
    country: Option<Country>,
    language: Option<Language>,
    device: Option<Device>,
    location: Change<Option<Location>>,
}

fn market(given: &MarketMembers) -> MarketChange {
    MarketChange {
        country: given.country(),
        language: given.language(),
        device: given.device(),
        location: given.location().clearable(),
    }
}

impl MarketChange {
    /// Absent members are taken from `base`.
    pub(crate) fn of(self, base: &Market) -> Market {
        let mut location = base.location.clone();
        self.location.apply_to(&mut location);
        Market {
            country: self.country.unwrap_or(base.country),
            language: self.language.unwrap_or(base.language),
            device: self.device.unwrap_or(base.device),
            location,
        }
    }
}
