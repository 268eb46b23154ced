//! All findings on a site's pages in two passes, so that page contents need not stay in memory:
//! [`site_collector::SiteCollector`] collects site-level facts, then [`evaluate`] evaluates each page with the complete [`Site`].

pub mod broken_links;
pub mod content;
pub mod content_changes;
pub mod eeat;
pub mod geo_score;
pub mod issues;
pub mod llms_txt;
pub mod schema;
pub mod site_changes;
pub mod site_collector;
pub mod vitals;

pub(crate) use texts::findings::envelope;

use crate::document::Document;
use crate::observation::page_content::PageContent;
use crate::page_kind::{PageKind, page_kind};
use crate::result_type::ResultType;
use crate::site_graph::TargetState;
use broken_links::LinkRecords;
use content::{ContentContext, ContentSummary, SiteIndex, SitemapLine, UnreadPage, content_record};
use content_changes::SiteFacts;
use eeat::{EeatInput, EeatRecord, EeatSummary, PageAverages, PageType};
use geo_score::{GeoInput, GeoSummary};
use issues::{Issue, PageContext, page_issues};
use schema::{PageInput, PageTemplate, SchemaRecord, SchemaTally};
use site_collector::{AuditContext, PageRecord, RobotsVerdicts, Site, TypeSummary};

#[cfg(test)]
mod sample_pages;

texts::finding_types! {
    BrokenLinks: broken_links[BrokenLink, BrokenLinksSummary];
    Content: content[ContentRecord, ContentSummary];
    ContentChanges: content_changes[ChangeRecord, ContentChangesSummary];
    Schema: schema[SchemaRecord, SchemaSummary];
    GeoScore: geo_score[GeoRecord, GeoSummary];
    Eeat: eeat[EeatRecord, EeatSummary];
    Vitals: vitals[VitalsRecord, VitalsSummary];
}

/// Evaluates pages one by one, hands out their records and returns the summaries.
pub fn evaluate(
    site: &Site,
    context: &AuditContext,
    robots: &RobotsVerdicts,
    pages: impl Iterator<Item = PageContent>,
    mut hand_out: impl FnMut(PageRecord),
) -> Vec<TypeSummary> {
    let mut audit = SiteAudit::of(site, context, robots);
    for page in pages {
        audit.evaluate(&page, &mut hand_out);
    }
    audit.finish(hand_out)
}

pub struct SiteAudit<'a> {
    site: &'a Site,
    context: &'a AuditContext,
    robots: &'a RobotsVerdicts,
    index: SiteIndex<'a>,
    links: LinkRecords<'a>,
    evaluated: u64,
    schema: SchemaTally,
    content: ContentSummary,
    geo: GeoSummary,
    eeat: PageAverages,
}

impl<'a> SiteAudit<'a> {
    pub fn of(site: &'a Site, context: &'a AuditContext, robots: &'a RobotsVerdicts) -> Self {
        Self {
            site,
            context,
            robots,
            index: SiteIndex::new(&site.graph, &site.links, &site.duplicates, &site.issues),
            links: LinkRecords::new(&site.targets, &context.finding),
            evaluated: 0,
            schema: SchemaTally::default(),
            content: ContentSummary::default(),
            geo: GeoSummary::default(),
            eeat: PageAverages::default(),
        }
    }

    pub fn site_facts(&self, url: &str) -> SiteFacts {
        let graph = &self.site.graph;
        let known = graph.urls.known(url).and_then(|it| graph.page(it));
        known.map_or_else(SiteFacts::default, |(number, _)| SiteFacts {
            inlinks: Some(self.site.links.inlinks[number].count),
            pages_with_same_text: Some(self.index.pages_with_same_text(number)),
        })
    }

    /// Call after the last page.
    pub fn finish(self, mut hand_out: impl FnMut(PageRecord)) -> Vec<TypeSummary> {
        let site = self.site_eeat(&mut hand_out);
        self.summaries(&site)
    }

    pub fn evaluate(&mut self, page: &PageContent, hand_out: &mut impl FnMut(PageRecord)) {
        let Some(ordinal) = self.site.targets.position_of(page) else {
            return;
        };
        self.evaluated += 1;
        for (ordinal, record) in self.links.page_records(page) {
            hand_out(PageRecord {
                result_type: ResultType::BrokenLinks,
                ordinal,
                url: page.url.clone(),
                sort_value: None,
                record: Document::of(&record),
            });
        }
        let mut add = |result_type, sort_value, record| {
            hand_out(PageRecord {
                result_type,
                ordinal,
                url: page.url.clone(),
                sort_value,
                record,
            });
        };
        let kind = page_kind(page);
        let schema = self.schema(page, kind);
        let content = self.content(page, kind, &schema);
        let geo = self.geo(page, &schema);
        let eeat = self.eeat(page, kind);
        add(
            ResultType::Content,
            content.content_score,
            Document::of(&content),
        );
        add(
            ResultType::Schema,
            schema.schema_score,
            Document::of(&schema),
        );
        add(ResultType::GeoScore, geo.geo_score, Document::of(&geo));
        add(ResultType::Eeat, eeat.eeat_score, Document::of(&eeat));
    }

    fn geo(&mut self, page: &PageContent, schema: &SchemaRecord) -> geo_score::GeoRecord {
        let input = GeoInput {
            page,
            agents: &(self.robots)(&page.url),
            rendered_words: page.rendered_words(),
            schema: Some(schema),
            keywords: self.keywords(page),
            site: self.site.signals.identity(),
            llms_txt: self.site.llms_txt.as_ref(),
        };
        let record = geo_score::evaluate(&input, &self.context.finding);
        self.geo.add(&record, None);
        record
    }

    fn eeat(&mut self, page: &PageContent, kind: PageKind) -> EeatRecord {
        let input = EeatInput {
            page,
            page_type: page_type(kind),
            site: &self.site.signals,
            third_party_mentions: None,
        };
        let record = eeat::evaluate_page(&input, &self.context.finding);
        self.eeat.add(&record);
        record
    }

    /// The site's own record comes after those of its pages.
    fn site_eeat(&self, hand_out: &mut impl FnMut(PageRecord)) -> EeatRecord {
        let record =
            eeat::evaluate_site(&self.site.signals, &self.eeat, None, &self.context.finding);
        let graph = &self.site.graph;
        hand_out(PageRecord {
            result_type: ResultType::Eeat,
            ordinal: graph.nodes.len(),
            url: graph.urls.text(graph.start).to_owned(),
            sort_value: record.eeat_score,
            record: Document::of(&record),
        });
        record
    }

    fn keywords(&self, page: &PageContent) -> &[String] {
        let keywords = self.context.keywords.get(&page.url);
        keywords.map(Vec::as_slice).unwrap_or_default()
    }

    fn schema(&mut self, page: &PageContent, kind: PageKind) -> SchemaRecord {
        let input = PageInput {
            url: &page.url,
            data: &page.structured_data,
            visible_text: page
                .text
                .visible
                .as_deref()
                .filter(|_| !page.is_truncated()),
            days: &page.metadata.days_of_time_elements(),
            template: template(kind),
            rendered_only: page.has_data_only_when_rendered(),
        };
        let mut record = schema::evaluate_page(&input, &self.context.finding);
        if page.is_truncated() {
            record = record.for_truncated_page(page.truncation_warnings());
        }
        self.schema.add(&record, page.is_indexable());
        record
    }

    fn content(
        &mut self,
        page: &PageContent,
        kind: PageKind,
        schema: &SchemaRecord,
    ) -> content::ContentRecord {
        let keywords = self.keywords(page);
        let scope = self.site.graph.urls.scope();
        let own = page_issues(
            page,
            &PageContext {
                kind,
                scope,
                schema: Some(schema),
                vitals: self
                    .context
                    .vitals
                    .get(&page.url)
                    .map_or(&[], Vec::as_slice),
                keywords,
                // Pages with ranked keywords have traffic; the others are unknown.
                has_traffic: (!keywords.is_empty()).then_some(true),
            },
        );
        let number = self.site.graph.urls.known(&page.url);
        let known = number.and_then(|it| self.site.graph.page(it));
        let facts = known.map(|(number, _)| self.index.page_facts(number));
        let issues: Vec<Issue> = match number {
            Some(url) => self.site.issues.with_page(url, own),
            None => own,
        };
        let context = ContentContext {
            finding: self.context.finding,
            kind,
            scope,
            keywords,
        };
        let record = content_record(page, facts.unwrap_or_default(), issues, &context);
        self.content.add(&record);
        record
    }

    /// Includes the issues of URLs other than pages: files, sitemaps, failures.
    fn summaries(mut self, site: &EeatRecord) -> Vec<TypeSummary> {
        let graph = &self.site.graph;
        for (url, issues) in &self.site.issues.by_url {
            if graph.page(*url).is_none() {
                self.content.add_issues(graph.urls.text(*url), issues);
            }
        }
        let sitemaps = graph.sitemaps.iter();
        self.content.sitemaps = sitemaps
            .map(|it| SitemapLine::of(graph.urls.text(it.url), it))
            .collect();
        for (url, target) in graph.targets().filter(|it| graph.urls.is_internal(it.0)) {
            if let (Some(reason), TargetState::Answered(status)) = (&target.unread, target.state) {
                self.content.add_unread(UnreadPage {
                    url: graph.urls.text(url).to_owned(),
                    status,
                    reason: reason.to_string(),
                });
            }
        }
        let evaluated = self.evaluated;
        let summary = |result_type, method, summary| TypeSummary {
            result_type,
            method,
            records: evaluated,
            summary,
        };
        let eeat = EeatSummary::of(site, &self.eeat);
        let links = self.links.summary();
        vec![
            TypeSummary {
                records: links.listed.into(),
                ..summary(
                    ResultType::BrokenLinks,
                    broken_links::METHOD,
                    Document::of(&links),
                )
            },
            summary(
                ResultType::Content,
                content::METHOD,
                Document::of(&self.content.finished()),
            ),
            summary(
                ResultType::Schema,
                schema::METHOD,
                Document::of(&self.schema.summary()),
            ),
            summary(
                ResultType::GeoScore,
                geo_score::METHOD,
                Document::of(&self.geo),
            ),
            TypeSummary {
                records: evaluated + 1,
                ..summary(ResultType::Eeat, eeat::METHOD, Document::of(&eeat))
            },
        ]
    }
}

const fn page_type(kind: PageKind) -> PageType {
    match kind {
        PageKind::Article => PageType::Article,
        PageKind::Product => PageType::Product,
        PageKind::Category => PageType::Category,
        PageKind::Home => PageType::Home,
        PageKind::About => PageType::About,
        PageKind::Contact => PageType::Contact,
        PageKind::Login | PageKind::Other => PageType::Other,
    }
}

const fn template(kind: PageKind) -> Option<PageTemplate> {
    match kind {
        PageKind::Home => Some(PageTemplate::Home),
        PageKind::Article => Some(PageTemplate::Article),
        PageKind::Product => Some(PageTemplate::Product),
        PageKind::Category => Some(PageTemplate::Category),
        PageKind::About | PageKind::Contact => Some(PageTemplate::About),
        PageKind::Login | PageKind::Other => None,
    }
}
