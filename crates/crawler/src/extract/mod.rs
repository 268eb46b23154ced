mod charset;
mod content;
mod dom;
mod json;
mod json_ld;
mod links;
mod locator;
mod main_text;
mod metadata;
mod page_files;
mod parse;
mod srcset;
mod structured_data;
mod target;
mod text;
mod visible_text;

pub use content::{ReceivedPage, read_anchor_names, read_main_text, read_page};
pub use page_files::{LoadedFile, read_page_files};

use analysis::observation::structured_data::PageStructuredData;
use url::Url;

/// Version of the extraction. Increase it whenever the same bytes are read differently: pages are then fetched in
/// full despite a 304, and changes between versions are not reported (`ChangedField::depends_on_extraction` of the
/// crate `site`).
pub const EXTRACTION_VERSION: u32 = 6;

pub fn read_structured_data(
    bytes: &[u8],
    from_http: Option<&str>,
    url: &Url,
) -> (PageStructuredData, String) {
    let dom = parse::parse(&charset::decode(bytes, from_http).text).dom;
    let data = structured_data::structured_data(
        &dom,
        &json_ld::JsonLd::of(&dom),
        &links::base_url(&dom, url),
    );
    (data, visible_text::visible_text(&dom))
}
