use super::scopes::Members;
use crate::search_panel::{OWN, Panel, PanelKeyword};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Expected clicks by keyword of an earlier run, unweighted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EarlierPages {
    /// When the newest page was fetched.
    pub measured_at: DateTime<Utc>,
    /// Click curve; runs with another one are not compared.
    pub ctr_model: String,
    /// Simulated runs are compared with simulated ones only.
    pub simulated: bool,
    /// By keyword id: shares of searches expected to click own results and any result, in millionths.
    pages: Vec<(i64, u32, u32)>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Compared {
    pub change: f64,
    pub since: DateTime<Utc>,
    pub keywords: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Clicks {
    own: f64,
    all: f64,
}

const MILLION: f64 = 1e6;

impl EarlierPages {
    pub fn of(panel: &Panel<'_>) -> Self {
        let mut pages: Vec<(i64, u32, u32)> = { panel.keywords().iter() }
            .map(|keyword| {
                let clicks = clicks(panel, keyword);
                (
                    keyword.topic.keyword_id,
                    millionths(clicks.own),
                    millionths(clicks.all),
                )
            })
            .collect();
        pages.sort_unstable();
        Self {
            measured_at: panel.measured_at(),
            ctr_model: panel.curve().to_owned(),
            simulated: panel.provenance().is_simulated(),
            pages,
        }
    }

    fn clicks(&self, keyword: i64) -> Option<Clicks> {
        let found = { &self.pages }
            .binary_search_by_key(&keyword, |it| it.0)
            .ok()?;
        let (_, own, all) = self.pages[found];
        Some(Clicks {
            own: f64::from(own) / MILLION,
            all: f64::from(all) / MILLION,
        })
    }

    /// Change of the own share over members with a page in both runs, with the same weights.
    pub(super) fn compare(
        &self,
        panel: &Panel<'_>,
        members: &Members,
        weight: impl Fn(&PanelKeyword) -> f64,
    ) -> Option<Compared> {
        let is_alike =
            self.ctr_model == panel.curve() && self.simulated == panel.provenance().is_simulated();
        if !is_alike {
            return None;
        }
        let (mut before, mut now, mut keywords) = (Clicks::default(), Clicks::default(), 0);
        for place in &members.present {
            let keyword = &panel.keywords()[*place];
            if let Some(earlier) = self.clicks(keyword.topic.keyword_id) {
                let weight = weight(keyword);
                before.add(weight, earlier);
                now.add(weight, clicks(panel, keyword));
                keywords += 1;
            }
        }
        Some(Compared {
            change: now.share()? - before.share()?,
            since: self.measured_at,
            keywords,
        })
    }
}

impl Clicks {
    fn add(&mut self, weight: f64, more: Self) {
        self.own += weight * more.own;
        self.all += weight * more.all;
    }

    fn share(self) -> Option<f64> {
        (self.all > 0.0).then(|| self.own / self.all)
    }
}

fn clicks(panel: &Panel<'_>, keyword: &PanelKeyword) -> Clicks {
    let mut clicks = Clicks::default();
    for standing in panel.standings(keyword) {
        clicks.all += standing.share;
        if standing.domain == OWN {
            clicks.own += standing.share;
        }
    }
    clicks
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "shares of searches are small and not negative"
)]
fn millionths(share: f64) -> u32 {
    (share * MILLION).round() as u32
}
