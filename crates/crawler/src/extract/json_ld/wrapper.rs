use analysis::observation::structured_data::SyntaxNoteKind;

/// The text without legacy comment or CDATA wrappers, and its byte offset; kinds of wrappers are added to `wrappers`.
pub fn strip_wrappers<'a>(text: &'a str, wrappers: &mut Vec<SyntaxNoteKind>) -> (&'a str, usize) {
    const WRAPPERS: [(&[&str], &[&str], SyntaxNoteKind); 2] = [
        (&["<!--"], &["//-->", "-->"], SyntaxNoteKind::CommentWrapper),
        (
            &["/*<![CDATA[*/", "//<![CDATA[", "<![CDATA["],
            &["/*]]>*/", "//]]>", "]]>"],
            SyntaxNoteKind::CdataWrapper,
        ),
    ];
    let mut body = blank_trimmed(text);
    for (starts, ends, kind) in WRAPPERS {
        if let Some(rest) = starts.iter().find_map(|it| body.strip_prefix(it)) {
            let rest = blank_trimmed(rest);
            let inner = ends.iter().find_map(|it| rest.strip_suffix(it));
            body = blank_trimmed(inner.unwrap_or(rest));
            wrappers.push(kind);
        }
    }
    let from = body.as_ptr() as usize - text.as_ptr() as usize;
    (body, from)
}

fn blank_trimmed(text: &str) -> &str {
    text.trim_matches(|it: char| it.is_whitespace() || it == '\u{feff}')
}
