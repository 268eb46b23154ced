//! Components of forms.

use maud::{Markup, Render, html};

/// Value, name, and whether it is selected.
pub type Choice = (&'static str, String, bool);

pub fn options<V: Render, N: Render>(choices: impl IntoIterator<Item = (V, N, bool)>) -> Markup {
    html! { @for (value, name, on) in choices { option value=(value) selected[on] { (name) } } }
}

pub fn select<V: Render, N: Render>(
    label: &str,
    name: &str,
    choices: impl IntoIterator<Item = (V, N, bool)>,
) -> Markup {
    html! { label .field { span { (label) } select name=(name) { (options(choices)) } } }
}

/// The submit button, and the element where scripts show the outcome.
pub fn submit(text: impl Render) -> Markup {
    html! {
        div .row { button .main type="submit" { (text) } }
        p data-outcome {}
    }
}
