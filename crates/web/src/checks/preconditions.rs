//! Conditional requests (RFC 9110, 13).

use crate::{
    answer::Answer, endpoint::Endpoint, http::entity_tag::Wanted, problem::Problem, refusals,
    route_table::Verb,
};
use actix_web::HttpRequest;

pub struct Preconditions {
    verb: Verb,
    if_match: Option<Wanted>,
    if_none_match: Option<Wanted>,
}

pub fn read(endpoint: &Endpoint, request: &HttpRequest) -> Result<Preconditions, Problem> {
    let verb = endpoint.verb;
    if !endpoint.is_conditional {
        return Ok(Preconditions {
            verb,
            if_match: None,
            if_none_match: None,
        });
    }
    Ok(Preconditions {
        verb,
        if_match: Wanted::if_match(request)?,
        if_none_match: Wanted::if_none_match(request)?,
    })
}

impl Preconditions {
    /// Must be checked in the transaction of the change.
    pub fn before_a_change(&self) -> Option<Wanted> {
        let is_change = matches!(self.verb, Verb::Patch | Verb::Delete);
        self.if_match.clone().filter(|_| is_change)
    }

    /// 304 if the client has the representation; 412 if `If-Match` fails.
    pub fn of_what_is_read(&self, answer: Answer) -> Result<Answer, Problem> {
        let (Verb::Get, Some(tag)) = (self.verb, &answer.tag) else {
            return Ok(answer);
        };
        if self
            .if_match
            .as_ref()
            .is_some_and(|it| !it.has_strongly(tag))
        {
            return Err(refusals::not_as_expected(tag));
        }
        if self
            .if_none_match
            .as_ref()
            .is_some_and(|it| it.has_weakly(tag))
        {
            return Ok(answer.not_modified());
        }
        Ok(answer)
    }
}
