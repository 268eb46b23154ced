use super::{ItemType, SerpRecord};
use crate::ctr::Placement;
use crate::observation::search_page::FeatureCoverage;
use crate::search_panel::{Cited, PanelPage};
use std::collections::BTreeMap;

impl<'p> PanelPage<'p> {
    /// `None` when its measurement failed.
    pub fn of_record(record: &'p SerpRecord) -> Option<Self> {
        if record.envelope.error.is_some() {
            return None;
        }
        let features = record
            .features
            .iter()
            .map(|it| (it.feature, it.own_present));
        let features = if record.feature_coverage == FeatureCoverage::Absent {
            BTreeMap::new()
        } else {
            features.collect()
        };
        Some(Self {
            fetched_at: record.fetched_at,
            provenance: record.envelope.provenance,
            intent: record.intent,
            depth_checked: record.organic_count,
            features,
            overview: record.ai_overview.as_ref().map(|overview| Cited {
                present: overview.present,
                urls: overview
                    .citations
                    .iter()
                    .map(|it| it.url.as_str())
                    .collect(),
            }),
            layout: record.layout(),
            results: record
                .items
                .iter()
                .filter(|it| matches!(it.item_type, ItemType::Organic(_)))
                .filter_map(|it| {
                    let place = Placement {
                        position: it.organic_position?,
                        has_sitelinks: !it.sitelinks.is_empty(),
                    };
                    Some((it.url.as_deref()?, place))
                })
                .collect(),
        })
    }
}
