//! Conditional requests (RFC 9110, 13).

use crate::{
    endpoint::Endpoint, http::entity_tag::ETagCondition, problem::Problem, refusals,
    response::ApiResponse, route_table::Verb,
};
use actix_web::HttpRequest;

pub struct Preconditions {
    verb: Verb,
    if_match: Option<ETagCondition>,
    if_none_match: Option<ETagCondition>,
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
        if_match: ETagCondition::if_match(request)?,
        if_none_match: ETagCondition::if_none_match(request)?,
    })
}

impl Preconditions {
    /// Must be checked in the transaction of the change.
    pub fn if_match_for_change(&self) -> Option<ETagCondition> {
        let is_change = matches!(self.verb, Verb::Patch | Verb::Delete);
        self.if_match.clone().filter(|_| is_change)
    }

    /// 304 if the client has the representation; 412 if `If-Match` fails.
    pub fn apply_to_read(&self, answer: ApiResponse) -> Result<ApiResponse, Problem> {
        let (Verb::Get, Some(tag)) = (self.verb, &answer.tag) else {
            return Ok(answer);
        };
        if self
            .if_match
            .as_ref()
            .is_some_and(|it| !it.matches_strong(tag))
        {
            return Err(refusals::precondition_failed(tag));
        }
        if self
            .if_none_match
            .as_ref()
            .is_some_and(|it| it.matches_weak(tag))
        {
            return Ok(answer.not_modified());
        }
        Ok(answer)
    }
}
