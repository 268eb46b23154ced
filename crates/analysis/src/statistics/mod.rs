//! Statistics that several findings share.

pub mod describe;
pub mod rbo;
pub mod wilson;
