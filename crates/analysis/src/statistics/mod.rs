//! Statistics that several findings share.
