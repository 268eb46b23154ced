//! Requests of people who are signed in: session (401), origin and CSRF token (403), rate and requests under way (429);
//! then Accept, body and the rest as for agents.

use super::{
    Asked, Pipeline, accept, admit, authenticate, body, once, preconditions, respond::Trace,
    routing::Served,
};
use crate::{
    agent_api::BASE,
    answer::Answer,
    caller::Caller,
    cookies::Cookie,
    csrf,
    endpoint::{AgentHandler, Handling, MemberCall, Verb, Visitor},
    limits::Slot,
    problem::{Code, Problem},
    refusals,
    services::Services,
    signed_in,
};
use actix_web::{HttpRequest, web};
use domain::{session::PlainSession, use_cases::sessions::Member};
use serde_json::{Map, Value};
use std::sync::Arc;

pub(super) struct Admitted {
    member: Member,
    secret: PlainSession,
    visitor: Visitor,
    _slot: Slot,
}

impl Pipeline {
    /// With a session that lasts, from a page of ours, and requests left.
    pub(super) async fn admit_member(
        &self,
        request: &HttpRequest,
        served: &Served,
        trace: &mut Trace,
    ) -> Result<Admitted, Problem> {
        let services = &self.services;
        let visitor = Visitor::of(services, request);
        let found = self.member(request, &visitor).await;
        let (member, secret) = found.map_err(|problem| match problem.code {
            Code::SessionRequired => {
                let counted = services.limiter.count_anonymous(visitor.address);
                counted.map_or_else(
                    |exhausted| admit::too_many(&exhausted, admit::OWN_COUNT).closing(),
                    |()| problem,
                )
            }
            _ => problem,
        })?;
        trace.caller.account = Some(member.account.id);
        if served.endpoint.verb != Verb::Get {
            csrf::check_origin(request, &services.config.public_base_url)?;
            csrf::check_token(request, secret.reveal())?;
        }
        let holder = (member.account.id, member.session.id.into());
        let counted = services
            .limiter
            .count_session(holder, served.endpoint.demand());
        let counted = counted.map_err(|exhausted| {
            trace.caller.standings.clone_from(&exhausted.standings);
            admit::too_many(&exhausted, "the header RateLimit tells what is left")
        });
        trace.caller.standings = counted?;
        let slot = admit::accepted(services, holder)?;
        Ok(Admitted {
            member,
            secret,
            visitor,
            _slot: slot,
        })
    }

    async fn member(
        &self,
        request: &HttpRequest,
        visitor: &Visitor,
    ) -> Result<(Member, PlainSession), Problem> {
        let services = &self.services;
        if authenticate::bearer(request).is_some() {
            return Err(required(services, "Access tokens do not count here.").hint(
                "Sign in with POST /api/session and send the cookie, without Authorization; with a token use the Agent API under /api/agent/v1.",
            ));
        }
        let missing = || signed_out(services);
        let secret = visitor.session.clone().ok_or_else(missing)?;
        let _lookup = admit::lookup(services, visitor.address)?;
        let finding = signed_in::member(services, &secret);
        let member = match self.patiently(async { Ok(finding.await) }).await? {
            Ok(member) => member.ok_or_else(missing)?,
            Err(error) => return Err(refusals::storage(&error)),
        };
        Ok((member, secret))
    }

    /// Serves what concerns the person alone.
    pub(super) async fn attend(
        &self,
        request: &HttpRequest,
        payload: web::Payload,
        admitted: Admitted,
        asked: Asked,
        served: &Served,
        handler: fn(Arc<Services>, MemberCall) -> Handling,
    ) -> Result<Answer, Problem> {
        let services = &self.services;
        accept::check(request)?;
        let verb = served.endpoint.verb;
        let body = body::read(verb, request, payload, services.config.body).await?;
        let wanted = preconditions::read(&served.endpoint, request)?;
        let call = MemberCall {
            member: admitted.member,
            secret: admitted.secret,
            visitor: admitted.visitor,
            id: asked.id,
            query: asked.query,
            body,
        };
        let answer = self.patiently(handler(Arc::clone(services), call)).await?;
        wanted.of_what_is_read(answer)
    }

    /// Serves what agents may do as well.
    #[expect(clippy::too_many_arguments, reason = "the parts of one request")]
    pub(super) async fn serve_member(
        &self,
        request: &HttpRequest,
        payload: web::Payload,
        admitted: Admitted,
        asked: Asked,
        served: &Served,
        handler: AgentHandler,
        trace: &Trace,
    ) -> Result<Answer, Problem> {
        let services = &self.services;
        accept::check(request)?;
        let verb = served.endpoint.verb;
        let body = body::read(verb, request, payload, services.config.body).await?;
        let wanted = preconditions::read(&served.endpoint, request)?;
        let account = admitted.member.account.id;
        let caller = Caller::Member(Box::new(admitted.member));
        let once = once::asked(request, verb, &body, caller.id())?;
        if let Some(once) = &once
            && let Some(answer) = once::repeated(services, account, once).await?
        {
            return Ok(answer);
        }
        let call = asked.by(caller, once.clone(), wanted.before_a_change(), body);
        let outcome = self
            .patiently(handler(Arc::clone(services), call))
            .await
            .and_then(|answer| wanted.of_what_is_read(answer));
        match &once {
            Some(once) => once::settle(services, account, once, outcome, &trace.id).await,
            None => outcome,
        }
    }
}

pub(crate) fn signed_out(services: &Services) -> Problem {
    let name = services.config.sessions.cookies.name(Cookie::Session);
    let problem = required(services, "The request carries no session that lasts.");
    problem.hint(format!(
        "Sign in with POST /api/session and send the cookie {name}."
    ))
}

fn required(services: &Services, detail: &str) -> Problem {
    let name = services.config.sessions.cookies.name(Cookie::Session);
    Problem::new(Code::SessionRequired, detail)
        .header(
            "WWW-Authenticate",
            format!("Cookie realm=\"sightline\", form-action=\"/sign-in\", cookie-name=\"{name}\""),
        )
        .next_action("POST", "/api/session", "Sign in")
}

/// Agents are told the Agent API's paths: people who are signed in call others.
pub(super) fn in_our_words(outcome: Result<Answer, Problem>) -> Result<Answer, Problem> {
    match outcome {
        Ok(mut answer) => {
            for (name, value) in &mut answer.headers {
                if *name == "Location" {
                    *value = our_path(value);
                }
            }
            if answer.body.contains(BASE)
                && let Ok(mut body) = serde_json::from_str::<Value>(&answer.body)
            {
                translate(&mut body);
                answer.body = body.to_string();
            }
            Ok(answer)
        }
        Err(mut problem) => {
            problem.next_actions.iter_mut().for_each(translate);
            problem.extra.values_mut().for_each(translate);
            if let Some(hint) = &mut problem.hint {
                *hint = hint.replace(&format!("{BASE}/"), "/api/");
            }
            Err(problem)
        }
    }
}

/// Translates the paths of things that can be called, and nothing that somebody wrote.
fn translate(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(translate),
        Value::Object(members) => {
            let is_a_call = members.contains_key("method") || members.contains_key("id");
            if is_a_call {
                rename(members, "href");
            }
            if members.contains_key("state") {
                rename(members, "next");
            }
            members.values_mut().for_each(translate);
        }
        _ => {}
    }
}

fn rename(members: &mut Map<String, Value>, name: &str) {
    if let Some(Value::String(path)) = members.get_mut(name) {
        *path = our_path(path);
    }
}

/// The path in the session API of one in the Agent API.
fn our_path(path: &str) -> String {
    let Some(rest) = path.strip_prefix(BASE) else {
        return path.to_owned();
    };
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let with_query = |place: &str, query: &str| match query {
        "" => format!("/api{place}"),
        query => format!("/api{place}?{query}"),
    };
    match place {
        "/analyze" => with_query("/analyses", query),
        "/models" => with_query("/settings/models", query),
        "/docs" | "/health" => path.to_owned(),
        "/results" => {
            let is_project = |it: &&str| it.starts_with("projectId=");
            let project = query.split('&').find(is_project);
            let project = project.and_then(|it| it.split_once('='));
            let others: Vec<&str> = query.split('&').filter(|it| !is_project(it)).collect();
            let id = project.map_or("", |(_, id)| id);
            with_query(&format!("/projects/{id}/results"), &others.join("&"))
        }
        place => with_query(place, query),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_of_the_agent_api_become_ours() {
        for (theirs, ours) in [
            ("/api/agent/v1/projects/7", "/api/projects/7"),
            ("/api/agent/v1/analyze?jobId=3", "/api/analyses?jobId=3"),
            ("/api/agent/v1/models", "/api/settings/models"),
            (
                "/api/agent/v1/results?type=serp&projectId=7&limit=5",
                "/api/projects/7/results?type=serp&limit=5",
            ),
            (
                "https://example.com/api/agent/v1/x",
                "https://example.com/api/agent/v1/x",
            ),
        ] {
            assert_eq!(our_path(theirs), ours);
        }
    }

    #[test]
    fn what_a_site_wrote_stays_as_it_is() {
        let mut body = json!({
            "nextActions": [{ "method": "GET", "href": "/api/agent/v1/projects" }],
            "items": [{ "link": { "href": "/api/agent/v1/projects" }, "text": "/api/agent/v1/models" }],
        });
        translate(&mut body);
        assert_eq!(body["nextActions"][0]["href"], "/api/projects");
        assert_eq!(body["items"][0]["link"]["href"], "/api/agent/v1/projects");
        assert_eq!(body["items"][0]["text"], "/api/agent/v1/models");
    }
}
