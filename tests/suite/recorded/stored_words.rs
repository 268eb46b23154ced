//! Words stored in databases, cursors, journals and responses: data of every version.

use analysis::{
    findings::{broken_links::Severity, forecast::RefusalReason, rankings::RankState},
    observation::search_page::{Device, Feature},
    provenance::Provenance,
    result_type::ResultType,
    site_class::SiteClass,
    text::language::Language,
};
use domain::{
    account::AccountStatus,
    allowance::AllowanceName,
    audit::{Actor, AuditAction},
    content_plan::{Clustering, Effort, ItemStatus, PlanAction},
    job::{JobPriority, JobState, JobStatus, Trigger, kind::AnalysisKind, progress::StageStatus},
    ports::site_reader::CrawlPhase,
    project::{Priority, Status, WorkflowStatus},
    project_overrides::SiteRole,
    report_settings::{Frequency, Section},
    scope::Scope,
    search_console::{ConsoleDevice, Origin, RowField, RowSubject},
    shared_key::KeyPurpose,
    stored_data::StorageQuota,
    token::RevokeReason,
    use_cases::budgets::Budget,
};
use harness::assert_recorded;
use std::fmt::Write;
use web::problem::Code;

#[test]
fn stored_words_match_the_recording() {
    let mut listing = String::new();
    let mut list =
        |kind: &str, words: &[&str]| writeln!(listing, "{kind}: {}", words.join(" ")).unwrap();
    of_rules(&mut list);
    of_measurements(&mut list);
    assert_recorded!("words.txt", &listing);
}

fn of_rules(list: &mut dyn FnMut(&str, &[&str])) {
    list(
        "account status",
        &[AccountStatus::Active, AccountStatus::Disabled].map(AccountStatus::name),
    );
    list("actor", &Actor::ALL.map(Actor::name));
    list("allowance", &AllowanceName::ALL.map(AllowanceName::name));
    list("audit action", &AuditAction::ALL.map(AuditAction::name));
    list("budget", &Budget::ALL.map(Budget::name));
    list("clustering", &Clustering::ALL.map(Clustering::name));
    list("crawl phase", &CrawlPhase::ALL.map(CrawlPhase::name));
    list("effort", &Effort::ALL.map(Effort::name));
    list("frequency", &Frequency::ALL.map(Frequency::name));
    list("key purpose", &KeyPurpose::ALL.map(KeyPurpose::name));
    list("item status", &ItemStatus::ALL.map(ItemStatus::name));
    list("job priority", &JobPriority::ALL.map(JobPriority::name));
    list("job state", &JobState::ALL.map(JobState::name));
    list("job status", &JobStatus::ALL.map(JobStatus::name));
    list("plan action", &PlanAction::ALL.map(PlanAction::name));
    list("priority", &Priority::ALL.map(Priority::name));
    list(
        "problem",
        &Code::ALL.iter().map(|it| it.name()).collect::<Vec<_>>(),
    );
    list("revoke reason", &RevokeReason::ALL.map(RevokeReason::name));
    list("scope", &Scope::ALL.map(Scope::name));
    list("section", &Section::ALL.map(Section::name));
    list("site role", &SiteRole::ALL.map(SiteRole::name));
    list(
        "stage status",
        &[
            StageStatus::Waiting,
            StageStatus::Running,
            StageStatus::Done,
        ]
        .map(StageStatus::name),
    );
    list("status", &Status::ALL.map(Status::name));
    list("storage quota", &StorageQuota::ALL.map(StorageQuota::name));
    list(
        "trigger",
        &[
            Trigger::Api,
            Trigger::Session,
            Trigger::Mcp,
            Trigger::Schedule,
        ]
        .map(Trigger::name),
    );
    list(
        "workflow status",
        &WorkflowStatus::ALL.map(WorkflowStatus::name),
    );
}

fn of_measurements(list: &mut dyn FnMut(&str, &[&str])) {
    list("analysis", &AnalysisKind::ALL.map(AnalysisKind::name));
    list(
        "device",
        &[Device::Desktop, Device::Mobile].map(Device::name),
    );
    list(
        "device in Search Console",
        &[
            ConsoleDevice::Desktop,
            ConsoleDevice::Mobile,
            ConsoleDevice::Tablet,
        ]
        .map(ConsoleDevice::name),
    );
    list(
        "forecast refusal",
        &[
            RefusalReason::NoHistory,
            RefusalReason::HistoryTooShort,
            RefusalReason::MeasuredTooRarely,
            RefusalReason::MostlyNotRanked,
        ]
        .map(RefusalReason::code),
    );
    list("language", &Language::ALL.map(Language::code));
    list(
        "link severity",
        &[Severity::Error, Severity::Warning, Severity::Notice].map(Severity::name),
    );
    list(
        "origin of Search Console rows",
        &[Origin::Export, Origin::Api].map(Origin::name),
    );
    list(
        "provenance",
        &[
            Provenance::Measured,
            Provenance::Imported,
            Provenance::Estimated,
            Provenance::Simulated,
        ]
        .map(Provenance::name),
    );
    list(
        "rank state",
        &[RankState::Ranked, RankState::NotRanked, RankState::Error].map(RankState::name),
    );
    list("result", &ResultType::ALL.map(ResultType::name));
    list(
        "row field of Search Console",
        &[
            RowField::Query,
            RowField::Page,
            RowField::Country,
            RowField::Device,
            RowField::Clicks,
            RowField::Impressions,
            RowField::Position,
        ]
        .map(RowField::name),
    );
    list(
        "rows of Search Console",
        &RowSubject::ALL.map(RowSubject::name),
    );
    list(
        "search feature",
        &Feature::ALL.iter().map(|it| it.name()).collect::<Vec<_>>(),
    );
    list("site class", &SiteClass::ALL.map(SiteClass::name));
}
