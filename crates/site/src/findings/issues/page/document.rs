use super::{IssueCollector, Subject};
use crate::findings::issues::code::IssueCode;
use crate::observation::page_content::{CharsetSource, PageContent};
use crate::observation::page_url::is_loopback;
use crate::observation::web_site::LinkTarget;
use url::Url;

/// Elements (`SEOnaut`, old Lighthouse).
const MANY_ELEMENTS: u32 = 1_500;
/// Bytes of a document that Google reads (Screaming Frog counts decimally).
const LARGE: u64 = 2_000_000;

pub fn find(subject: &Subject<'_>, found: &mut IssueCollector) {
    let (page, document) = (subject.page, &subject.page.document);
    found.add_if(!document.has_doctype, IssueCode::DoctypeMissing);
    found.add_if(!has_viewport(page), IssueCode::ViewportMissing);
    if document.duplicate_id_count > 0 {
        found.add_each(IssueCode::DuplicateId, document.duplicate_ids.iter());
    }
    if document.elements > MANY_ELEMENTS {
        found.add(
            IssueCode::DomSize,
            format!("{} elements", document.elements),
        );
    }
    if page.response.body_bytes > LARGE {
        found.add(
            IssueCode::HtmlOver2MB,
            format!("{} bytes", page.response.body_bytes),
        );
    }
    if let Some(ender) = &document.early_head_end {
        found.add(IssueCode::HeadInvalidElement, ender.element.clone());
    }
    found.add_if(
        document.charset_source == CharsetSource::Default,
        IssueCode::CharsetMissing,
    );
    headers(subject, found);
    forms(subject, found);
}

fn has_viewport(page: &PageContent) -> bool {
    page.metas_named("viewport").any(|it| {
        let content = it.content.to_ascii_lowercase();
        content.contains("width") || content.contains("initial-scale")
    })
}

fn headers(subject: &Subject<'_>, found: &mut IssueCollector) {
    let page = subject.page;
    let headers = &page.response.headers;
    let hsts = headers.strict_transport_security.as_deref();
    let insists = hsts.is_some_and(|it| {
        !it.replace(' ', "")
            .to_ascii_lowercase()
            .contains("max-age=0;")
            && !it.trim().eq_ignore_ascii_case("max-age=0")
    });
    found.add_if(page.is_https() && !insists, IssueCode::HstsMissing);
    let policy = headers
        .content_security_policy
        .as_deref()
        .or_else(|| page.http_equiv("content-security-policy"));
    found.add_if(policy.is_none(), IssueCode::CspMissing);
    let nosniff = headers.content_type_options.as_deref();
    found.add_if(
        !nosniff.is_some_and(|it| it.to_ascii_lowercase().contains("nosniff")),
        IssueCode::ContentTypeOptionsMissing,
    );
    // A policy in a meta element cannot forbid frames.
    let of_frames = headers.content_security_policy.as_deref();
    let frames = headers.frame_options.is_some()
        || of_frames.is_some_and(|it| it.to_ascii_lowercase().contains("frame-ancestors"));
    found.add_if(!frames, IssueCode::XFrameOptionsMissing);
    let referrer =
        headers.referrer_policy.is_some() || page.metas_named("referrer").next().is_some();
    found.add_if(!referrer, IssueCode::ReferrerPolicyMissing);
}

fn forms(subject: &Subject<'_>, found: &mut IssueCollector) {
    let page = subject.page;
    if subject.is_insecure() && !page.forms.is_empty() {
        let lines = page.forms.iter().map(|it| format!("line {}", it.line));
        found.add_each(IssueCode::FormOnHttp, lines);
    }
    let open = page.forms.iter().filter_map(|it| match &it.target {
        LinkTarget::Web { url, .. } if page.is_https() && is_insecure(url) => Some(url),
        _ => None,
    });
    found.add_each(IssueCode::FormActionHttp, open);
}

fn is_insecure(url: &str) -> bool {
    Url::parse(url).is_ok_and(|it| it.scheme() == "http" && !is_loopback(&it))
}
