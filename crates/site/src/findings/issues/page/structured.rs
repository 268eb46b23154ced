use super::{IssueCollector, Subject};
use crate::findings::issues::code::IssueCode;
use crate::findings::schema::{Issue as SchemaIssue, IssueCode as SchemaCode};

pub fn find(subject: &Subject<'_>, found: &mut IssueCollector) {
    let Some(record) = subject.context.schema else {
        return;
    };
    let errors = record.parse_errors.iter();
    found.add_each(
        IssueCode::SdParseError,
        errors.map(|it| format!("line {}: {}", it.location.line, it.message)),
    );
    let missing = |required: bool| {
        record.entities.iter().flat_map(move |it| {
            let all = if required {
                &it.missing_required
            } else {
                &it.missing_recommended
            };
            let kind = it.types.first().map_or("", String::as_str);
            all.iter().map(move |path| format!("{kind}: {path}"))
        })
    };
    found.add_each(IssueCode::SdRequiredMissing, missing(true));
    found.add_each(IssueCode::SdRecommendedMissing, missing(false));
    let issues = |codes: &'static [SchemaCode]| {
        let all = record.entities.iter().flat_map(|it| &it.issues);
        all.filter(move |it: &&SchemaIssue| codes.contains(&it.code))
            .map(|it| it.message.as_str())
    };
    let unknown = &[
        SchemaCode::UnknownType,
        SchemaCode::UnknownProperty,
        SchemaCode::PropertyNotInDomain,
    ];
    found.add_each(IssueCode::SdUnknownTerm, issues(unknown));
    found.add_each(IssueCode::SdNotVisible, issues(&[SchemaCode::NotVisible]));
    let outside = record.outside_items.iter().map(|it| {
        let kind = it
            .types
            .first()
            .map_or(String::new(), |it| format!(" ({it})"));
        format!(
            "line {}: {}{kind}",
            it.location.line,
            it.properties.join(" ")
        )
    });
    found.add_each(IssueCode::SdOutsideItem, outside);
    found.add_each(IssueCode::SdRetired, issues(&[SchemaCode::Retired]));
}
