//! What forms are made of.

use maud::{Markup, Render, html};

/// Value, name, and whether it is chosen.
pub type Choice = (&'static str, String, bool);

pub fn options<V: Render, N: Render>(choices: impl IntoIterator<Item = (V, N, bool)>) -> Markup {
    html! { @for (value, name, on) in choices { option value=(value) selected[on] { (name) } } }
}

/// A field whose value is one of some.
pub fn select<V: Render, N: Render>(
    label: &str,
    name: &str,
    choices: impl IntoIterator<Item = (V, N, bool)>,
) -> Markup {
    html! { label .field { span { (label) } select name=(name) { (options(choices)) } } }
}

/// The main button of a form, and where scripts tell what became of it.
pub fn submit(text: impl Render) -> Markup {
    html! {
        div .row { button .main type="submit" { (text) } }
        p data-outcome {}
    }
}
