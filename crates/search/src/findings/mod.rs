pub mod ai_trends;
pub mod ai_visibility;
pub mod cannibalization;
pub mod competitors;
pub mod forecast;
pub mod keyword_market;
pub mod keyword_research;
pub mod rankings;
pub mod serp;
pub mod sov;

pub(crate) use texts::findings::envelope;
