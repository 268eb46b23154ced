//! For every code of the catalog, a site with exactly that fault has exactly that issue, and a site without faults
//! has none. Sites are read from memory, pages by the crawler's reader.

#[cfg(test)]
mod catalogue;
#[cfg(test)]
#[path = "../sites/certified.rs"]
mod certified;
#[cfg(test)]
mod fault_sites;
#[cfg(test)]
mod memory_crawl;
#[cfg(test)]
mod other_faults;
#[cfg(test)]
mod over_http;
#[cfg(test)]
mod site_server;
#[cfg(test)]
mod suggestions;
