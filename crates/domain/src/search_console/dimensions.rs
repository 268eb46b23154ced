analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum RowSubject {
        /// The whole property: a total, anonymized queries included.
        Site = "site",
        /// A page, anonymized queries included.
        Page = "page",
        /// A query; several own pages on one results page count once.
        Query = "query",
        /// A page for a query; each own page on a results page counts.
        QueryAndPage = "queryPage",
    }
}

/// Dimensions of rows. Rows of one set of dimensions and one day add up without double counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DimensionSet {
    pub subject: RowSubject,
    pub by_country: bool,
    pub by_device: bool,
}

impl RowSubject {
    pub const fn has_query(self) -> bool {
        matches!(self, Self::Query | Self::QueryAndPage)
    }

    pub const fn has_page(self) -> bool {
        matches!(self, Self::Page | Self::QueryAndPage)
    }

    pub const fn of(query: bool, page: bool) -> Self {
        match (query, page) {
            (false, false) => Self::Site,
            (false, true) => Self::Page,
            (true, false) => Self::Query,
            (true, true) => Self::QueryAndPage,
        }
    }
}

impl DimensionSet {
    /// Dimensions fetched of each day.
    pub const FETCHED: [Self; 4] = [
        Self::aggregated(RowSubject::Site),
        Self::aggregated(RowSubject::Page),
        Self::by_market(RowSubject::Query),
        Self::by_market(RowSubject::QueryAndPage),
    ];

    /// Countries and devices aggregated.
    pub const fn aggregated(about: RowSubject) -> Self {
        Self {
            subject: about,
            by_country: false,
            by_device: false,
        }
    }

    /// By country and device.
    pub const fn by_market(about: RowSubject) -> Self {
        Self {
            subject: about,
            by_country: true,
            by_device: true,
        }
    }

    /// Name in storage and messages, for example `query-country-device`.
    pub fn name(self) -> String {
        let country = if self.by_country { "-country" } else { "" };
        let device = if self.by_device { "-device" } else { "" };
        format!("{}{country}{device}", self.subject.name())
    }

    pub fn named(name: &str) -> Option<Self> {
        let flags = [(false, false), (true, false), (false, true), (true, true)];
        let all = RowSubject::ALL.into_iter().flat_map(|about| {
            flags.map(|(by_country, by_device)| Self {
                subject: about,
                by_country,
                by_device,
            })
        });
        all.into_iter().find(|it| it.name() == name)
    }

    /// Whether rows can be filtered by market.
    pub const fn is_by_market(self) -> bool {
        self.by_country && self.by_device
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dimension_set_is_found_by_its_name() {
        for cut in DimensionSet::FETCHED {
            assert_eq!(DimensionSet::named(&cut.name()), Some(cut));
        }
        assert_eq!(
            DimensionSet::by_market(RowSubject::QueryAndPage).name(),
            "queryPage-country-device"
        );
        assert_eq!(DimensionSet::named("query-device-country"), None);
    }
}
