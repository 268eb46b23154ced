//! The article that a page's JSON-LD holds.

use super::MainText;
use crate::extract::dom::Dom;

/// The text of the JSON-LD where that is much more.
pub fn fuller(_dom: &Dom, from_elements: MainText) -> MainText {
    from_elements
}
