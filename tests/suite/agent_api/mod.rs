//! The Agent API, resource by resource.

mod analyses;
mod edge;
mod keywords;
mod projects;
mod results;
