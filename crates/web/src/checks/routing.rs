use crate::endpoint::Endpoint;
use crate::response::ApiResponse;
use crate::route_table::{Verb, capture_ids};
use actix_web::http::Method;
use std::collections::BTreeMap;

pub struct Routes {
    paths: BTreeMap<&'static str, BTreeMap<Verb, RouteEntry>>,
}

/// Caches the parameter names, which are otherwise computed per request.
pub struct RouteEntry {
    pub endpoint: Endpoint,
    pub parameters: Vec<&'static str>,
}

impl RouteEntry {
    /// Whether it returns a paged list.
    pub fn is_list(&self) -> bool {
        self.parameters.contains(&"limit")
    }
}

pub struct Route<'a> {
    verbs: &'a BTreeMap<Verb, RouteEntry>,
    /// Path template of the route table.
    pub template: &'static str,
    /// A nonexistent id if the segment is invalid.
    pub id: Option<i64>,
    /// Of a nested resource.
    pub part_id: Option<i64>,
}

impl Routes {
    pub fn of(endpoints: Vec<Endpoint>) -> Self {
        let mut paths: BTreeMap<&'static str, BTreeMap<Verb, RouteEntry>> = BTreeMap::new();
        for endpoint in endpoints {
            let parameters = (endpoint.parameters)();
            let served = RouteEntry {
                parameters: parameters.iter().map(|it| it.name).collect(),
                endpoint,
            };
            let verbs = paths.entry(served.endpoint.path).or_default();
            verbs.insert(served.endpoint.verb, served);
        }
        Self { paths }
    }

    pub fn find(&self, path: &str) -> Option<Route<'_>> {
        if let Some((template, verbs)) = self.paths.get_key_value(path) {
            return Some(Route {
                verbs,
                template,
                id: None,
                part_id: None,
            });
        }
        self.paths.iter().find_map(|(template, verbs)| {
            let (id, part_id) = capture_ids(template, path)?;
            Some(Route {
                verbs,
                template,
                id: Some(id),
                part_id,
            })
        })
    }
}

pub fn options(allowed: &[&str]) -> ApiResponse {
    let answer = ApiResponse {
        cache: "no-store",
        ..ApiResponse::text(204, String::new())
    };
    answer.header("Allow", allowed.join(", "))
}

impl<'a> Route<'a> {
    pub fn endpoint(&self, method: &Method) -> Option<&'a RouteEntry> {
        self.verbs.get(&Verb::of(method)?)
    }

    pub fn allowed(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for verb in self.verbs.keys() {
            names.push(verb.name());
            if *verb == Verb::Get {
                names.push("HEAD");
            }
        }
        names.push("OPTIONS");
        names
    }

    pub fn options(&self) -> ApiResponse {
        let mut answer = options(&self.allowed());
        for verb in self.verbs.keys() {
            let header = match verb {
                Verb::Patch => "Accept-Patch",
                Verb::Post => "Accept-Post",
                Verb::Get | Verb::Put | Verb::Delete => continue,
            };
            answer = answer.header(header, verb.accepted_types().join(", "));
        }
        answer
    }
}
