//! Suggestions for a project without faults, and with single faults.

mod effects;
mod figures;
mod laws;
mod life;
mod mutations;
mod project;
mod subjects;

use super::*;
