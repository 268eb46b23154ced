use crate::content::Content;
use crate::content::{Button, Stop};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const FONT: &str =
    "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
/// Contrast of at least 4.5:1 on the ground of each scheme; neither pure black nor pure white, which some programs invert.
const INK: &str = "#1f2933";
const MUTED: &str = "#52606d";
const GROUND: &str = "#f3f5f7";
const PAPER: &str = "#fdfdfe";
const ACCENT: &str = "#1d5fbf";

/// Every style is inline as well, since Gmail may drop this one, and Outlook ignores it.
const STYLE: &str = "\
@media (prefers-color-scheme:dark){\
.ground{background:#161b22!important}\
.paper{background:#1f252d!important}\
.ink{color:#e3e7ec!important}\
.muted{color:#a9b4c0!important}\
.line{border-color:#3a434e!important}\
.button{background:#4c8ce0!important;color:#0f141a!important}\
.link{color:#82b1f0!important}\
}";

/// One centered table with padding on its cells, as Outlook for Windows renders with Word. Nothing is loaded from elsewhere.
pub fn render(content: &Content) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="supported-color-schemes" content="light dark";
                title { (content.subject) }
                style { (PreEscaped(STYLE)) }
            }
            body.ground style={ "margin:0;padding:0;background:" (GROUND) } {
                (preview(content))
                table.ground role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style={ "background:" (GROUND) } {
                    tr {
                        td align="center" style="padding:24px 12px" {
                            (sheet(content))
                        }
                    }
                }
            }
        }
    };
    // Lines of a message are short (RFC 5322, 2.1.1). Text has no angle brackets left.
    page.into_string().replace("><", ">\n<")
}

/// Shown beside the subject in lists of messages.
fn preview(content: &Content) -> Markup {
    html! {
        @if let Some(first) = content.paragraphs.first() {
            div style="display:none;max-height:0;overflow:hidden;mso-hide:all" { (first) }
        }
    }
}

fn sheet(content: &Content) -> Markup {
    let paper = format!("width:100%;max-width:600px;background:{PAPER};border-radius:8px");
    html! {
        (PreEscaped("<!--[if mso]><table role=\"presentation\" width=\"600\"><tr><td><![endif]-->"))
        table.paper role="presentation" width="600" cellpadding="0" cellspacing="0" border="0" style=(paper) {
            tr {
                td style="padding:28px 28px 20px" {
                    h1.ink style={ "margin:0 0 16px;" (FONT) ";font-size:20px;line-height:28px;color:" (INK) } { (content.subject) }
                    @for text in &content.paragraphs { (paragraph(text)) }
                    (facts(content))
                    @if let Some(button) = &content.button { (action(button)) }
                    @for text in &content.advice { (paragraph(text)) }
                }
            }
            tr {
                td.line style="padding:16px 28px 24px;border-top:1px solid #d9dfe5" {
                    @for text in &content.reason { (small("8px", &html! { (text) })) }
                    @if let Some(stop) = &content.stop { (small("8px", &stop_link(stop))) }
                }
            }
        }
        (PreEscaped("<!--[if mso]></td></tr></table><![endif]-->"))
    }
}

fn paragraph(text: &str) -> Markup {
    html! {
        p.ink style={ "margin:0 0 16px;" (FONT) ";font-size:16px;line-height:24px;color:" (INK) } { (text) }
    }
}

fn small(margin: &str, content: &Markup) -> Markup {
    html! {
        p.muted style={ "margin:0 0 " (margin) ";" (FONT) ";font-size:13px;line-height:20px;color:" (MUTED) } { (content) }
    }
}

fn facts(content: &Content) -> Markup {
    let cell = format!(
        "padding:4px 16px 4px 0;{FONT};font-size:16px;line-height:24px;text-align:left;vertical-align:top"
    );
    let value = "word-break:break-word;overflow-wrap:anywhere";
    html! {
        @if !content.facts.is_empty() {
            table cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px" {
                @for (label, text) in &content.facts {
                    tr {
                        th.muted scope="row" style={ (cell) ";font-weight:400;white-space:nowrap;color:" (MUTED) } { (label) }
                        td.ink style={ (cell) ";" (value) ";color:" (INK) } { (text) }
                    }
                }
            }
        }
    }
}

fn action(button: &Button) -> Markup {
    let look = format!(
        "display:inline-block;padding:12px 20px;background:{ACCENT};border-radius:6px;{FONT};font-size:16px;line-height:20px;font-weight:600;color:#fdfdfe;text-decoration:none"
    );
    html! {
        p style="margin:8px 0 16px" {
            a.button href=(button.url) style=(look) { (button.label) }
        }
        @if let Some(note) = &button.note { (paragraph(note)) }
        (small("16px", &html! {
            "If the button does not work, open this address: "
            a.link href=(button.url) style={ "color:" (ACCENT) ";word-break:break-all" } { (button.url) }
        }))
    }
}

fn stop_link(stop: &Stop) -> Markup {
    html! {
        a.link href=(stop.url) style={ "color:" (ACCENT) } { (stop.label) }
    }
}
