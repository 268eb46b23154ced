use crate::{
    answer::Answer,
    endpoint::{Endpoint, Verb},
};
use actix_web::http::Method;
use std::collections::BTreeMap;

pub struct Routes {
    paths: BTreeMap<&'static str, BTreeMap<Verb, Served>>,
}

/// With what would otherwise be worked out for each request anew.
pub struct Served {
    pub endpoint: Endpoint,
    pub parameters: Vec<&'static str>,
}

impl Served {
    /// Whether it answers with a page of many rows.
    pub fn lists(&self) -> bool {
        self.parameters.contains(&"limit")
    }
}

pub struct Route<'a> {
    verbs: &'a BTreeMap<Verb, Served>,
    /// The path as it stands in the table.
    pub template: &'static str,
    /// One that nothing has when something else stands there.
    pub id: Option<i64>,
    /// Of a part, behind the first.
    pub part_id: Option<i64>,
}

impl Routes {
    pub fn of(endpoints: Vec<Endpoint>) -> Self {
        let mut paths: BTreeMap<&'static str, BTreeMap<Verb, Served>> = BTreeMap::new();
        for endpoint in endpoints {
            let parameters = (endpoint.parameters)();
            let served = Served {
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
            let (id, part_id) = captured(template, path)?;
            Some(Route {
                verbs,
                template,
                id: Some(id),
                part_id,
            })
        })
    }
}

pub fn options(allowed: &[&str]) -> Answer {
    let answer = Answer {
        cache: "no-store",
        ..Answer::text(204, String::new())
    };
    answer.header("Allow", allowed.join(", "))
}

/// The values of `{id}` and of a second name in braces. What is no id is taken for one that nothing has, so that it is
/// answered, and looked for, like one that is not there.
pub fn captured(template: &str, path: &str) -> Option<(i64, Option<i64>)> {
    let (before, after) = template.split_once("{id}")?;
    let rest = path.strip_prefix(before)?;
    let Some((between, part)) = after.split_once('{') else {
        return Some((one_id(rest.strip_suffix(after)?)?, None));
    };
    let (_, after) = part.split_once('}')?;
    let (text, part) = rest.strip_suffix(after)?.split_once(between)?;
    Some((one_id(text)?, Some(one_id(part)?)))
}

fn one_id(text: &str) -> Option<i64> {
    let is_one = !text.is_empty() && !text.contains('/');
    is_one.then(|| crate::object_id(text))
}

impl<'a> Route<'a> {
    pub fn endpoint(&self, method: &Method) -> Option<&'a Served> {
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

    pub fn options(&self) -> Answer {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_positive_integers_are_ids() {
        let id = |text: &str| {
            let (id, part) = captured("/p/{id}/keywords", &format!("/p/{text}/keywords"))?;
            assert_eq!(part, None);
            Some(id)
        };
        assert_eq!(id("42"), Some(42));
        for wrong in [
            "0",
            "-1",
            "+1",
            "042",
            "x",
            "9007199254740992",
            "1.5",
            "99999999999999999999",
        ] {
            assert_eq!(id(wrong), Some(crate::NOBODYS), "{wrong}");
        }
        assert_eq!(
            (id(""), id("1/2"), captured("/p/{id}", "/q/1")),
            (None, None, None)
        );
        let both = |path: &str| captured("/p/{id}/plans/{planId}", path);
        assert_eq!(both("/p/42/plans/7"), Some((42, Some(7))));
        assert_eq!(both("/p/x/plans/7"), Some((crate::NOBODYS, Some(7))));
        assert_eq!(both("/p/42/plans/x"), Some((42, Some(crate::NOBODYS))));
        for wrong in [
            "/p/42/plans",
            "/p/42/plans/",
            "/p//plans/7",
            "/p/42/plans/7/8",
            "/p/4/2/plans/7",
        ] {
            assert_eq!(both(wrong), None, "{wrong}");
        }
    }
}
