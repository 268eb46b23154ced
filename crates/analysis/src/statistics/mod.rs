//! Statistics that several findings share.

pub mod benjamini_hochberg;
pub mod bootstrap;
pub mod concentration;
pub mod describe;
pub mod isotonic;
pub mod mann_kendall;
pub mod newcombe;
pub mod normal;
pub mod panel_rate;
pub mod rbo;
pub mod theil_sen;
pub mod welch;
pub mod wilson;
