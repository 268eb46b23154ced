mod add;
mod change;
mod deactivate;
mod list;
mod view;

pub use add::{FIELDS as ADD_FIELDS, add};
pub(crate) use change::target_url;
pub use change::{FIELDS as CHANGE_FIELDS, change};
pub use deactivate::deactivate;
pub use list::{LIST_LIMITS, list};
pub use view::{AddedKeywordsView, AllowanceView, KeywordView, LatestView, MarketView};

use crate::fields::{Fields, Given};
use analysis::observation::search_page::Device;
use domain::market::{Country, Language, Market};

/// Members that are left out are as in `base`.
pub(crate) fn market(fields: &Fields, name: &str, base: &Market) -> Given<Market> {
    fields.object(name, |market| {
        market.only(&["country", "language", "device", "location"]);
        let country = market.or_left_out("country", market.text("country", Country::parse));
        let language = market.or_left_out("language", market.text("language", Language::parse));
        let device = market.or_left_out(
            "device",
            market.choice("device", &Device::NAMES, Device::named),
        );
        let mut location = base.location.clone();
        market
            .text("location", Market::location)
            .clearable()
            .apply_to(&mut location);
        Market {
            country: country.unwrap_or(base.country),
            language: language.unwrap_or(base.language),
            device: device.unwrap_or(base.device),
            location,
        }
    })
}
