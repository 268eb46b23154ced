//! The single checks of a request, in whichever order the pipeline, the tools and the pages ask for them, and how an
//! answer is written.

pub(crate) mod accept;
pub(crate) mod admit;
pub(crate) mod authenticate;
pub(crate) mod body;
pub mod once;
pub mod place;
pub(crate) mod preconditions;
pub(crate) mod respond;
pub(crate) mod routing;
pub(crate) mod transport;
mod visitor;
