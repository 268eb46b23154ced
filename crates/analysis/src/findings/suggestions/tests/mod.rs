//! What is suggested of a project without a fault, and of the same with one.

mod effects;
mod figures;
mod laws;
mod life;
mod mutations;
mod project;
mod subjects;

use super::*;
