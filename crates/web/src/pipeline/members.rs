//! Requests of signed-in users: session (401), origin and CSRF token (403), rate and concurrency (429); then Accept,
//! body and the rest as for agents.

use super::{Pipeline, RoutedRequest};
use crate::checks::respond::Trace;
use crate::checks::{admit, authenticate};
use crate::endpoint::{HandlerFuture, MemberCall, Visitor};
use crate::limits::Slot;
use crate::problem::{Code, Problem};
use crate::response::ApiResponse;
use crate::route_table::Verb;
use crate::services::Services;
use crate::{csrf, refusals, refused_authorizations, session_auth};
use actix_web::HttpRequest;
use domain::ids::ProjectId;
use domain::rights::{Grant, Right};
use domain::{session::PlainSession, use_cases::sessions::Member};
use std::sync::Arc;

/// Paths of one project begin so; `{id}` is the project.
const PROJECT_PATHS: &str = "/api/projects/{id}";

/// Pages name the account that they show, so that a page left open does not change another account after a switch.
const ACCOUNT_HEADER: &str = "x-sightline-account";

fn check_account(request: &HttpRequest, member: &Member) -> Result<(), Problem> {
    let Some(named) = request.headers().get(ACCOUNT_HEADER) else {
        return Ok(());
    };
    if named.as_bytes() == member.account.id.to_string().as_bytes() {
        return Ok(());
    }
    let account = member.account.name.as_str();
    let detail =
        format!("The page belongs to another account; the session works in {account} now.");
    let problem = Problem::new(Code::AccountChanged, detail);
    Err(problem.hint("Load the page again, or switch back to its account."))
}

pub(super) struct AdmittedMember {
    pub member: Member,
    secret: PlainSession,
    visitor: Visitor,
    _slot: Slot,
}

impl Pipeline {
    /// Requires a valid session, a request from our page, remaining rate, and the right for the project in the path.
    pub(super) async fn admit_member(
        &self,
        arrived: &RoutedRequest<'_>,
        right: Right,
        trace: &mut Trace,
    ) -> Result<AdmittedMember, Problem> {
        let (services, request) = (&self.services, arrived.request);
        let endpoint = &arrived.entry.endpoint;
        let visitor = Visitor::of(services, request);
        let found = self.member(request, &visitor).await;
        let refused = |problem| admit::count_refusal(services, visitor.address, problem);
        let (member, secret) = found.map_err(refused)?;
        trace.caller.account = Some(member.account.id);
        trace.caller.session = Some(member.session.id);
        if endpoint.verb != Verb::Get {
            csrf::check_origin(request, &services.config.public_base_url)?;
            csrf::check_token(request, secret.reveal())?;
            check_account(request, &member)?;
        }
        let caller_key = (member.account.id, member.session.id.into());
        admit::count_session(
            services,
            caller_key,
            member.user.id,
            endpoint.request_class(),
            &mut trace.caller,
        )?;
        let slot = admit::accepted(services, caller_key)?;
        self.check_right(&member, right, endpoint.verb)?;
        let of_project = arrived.route.template.starts_with(PROJECT_PATHS);
        if of_project
            && !arrived
                .route
                .id
                .is_some_and(|it| member.may_see(ProjectId(it)))
        {
            return Err(refusals::no_project());
        }
        Ok(AdmittedMember {
            member,
            secret,
            visitor,
            _slot: slot,
        })
    }

    /// Others get the same answer as for a path that does not exist.
    pub(super) async fn check_operator(&self, member: &Member) -> Result<(), Problem> {
        let core = &self.services.core;
        if !core.is_operator(member).await? {
            return Err(super::path_not_found());
        }
        if !member.session.is_fresh(core.clock.now()) {
            return Err(refusals::reauthentication_required());
        }
        Ok(())
    }

    fn check_right(&self, member: &Member, right: Right, verb: Verb) -> Result<(), Problem> {
        match member.user.role.grant(right) {
            Grant::None => {
                refused_authorizations::note_of_member(&self.services, member, right.name());
                Err(refusals::role_insufficient(member, right))
            }
            Grant::Fresh
                if verb != Verb::Get
                    && !member.session.is_fresh(self.services.core.clock.now()) =>
            {
                Err(refusals::reauthentication_required())
            }
            _ => Ok(()),
        }
    }

    async fn member(
        &self,
        request: &HttpRequest,
        visitor: &Visitor,
    ) -> Result<(Member, PlainSession), Problem> {
        let services = &self.services;
        if authenticate::bearer(request).is_some() {
            return Err(refusals::session_required(services.config.sessions.cookies, "Access tokens do not count here.").hint(
                "Sign in with POST /api/session and send the cookie, without Authorization; with a token use the Agent API under /api/agent/v1.",
            ));
        }
        let missing = || refusals::session_missing(services.config.sessions.cookies);
        let secret = visitor.session.clone().ok_or_else(missing)?;
        let _lookup = admit::lookup(services, visitor.address)?;
        let finding = session_auth::find_member(services, &secret);
        let member = match self.with_timeout(async { Ok(finding.await) }).await? {
            Ok(member) => member.ok_or_else(missing)?,
            Err(error) => return Err(refusals::storage_failure(&error)),
        };
        Ok((member, secret))
    }

    /// Serves a user's own settings.
    pub(super) async fn serve_member(
        &self,
        arrived: RoutedRequest<'_>,
        admitted: AdmittedMember,
        handler: fn(Arc<Services>, MemberCall) -> HandlerFuture,
    ) -> Result<ApiResponse, Problem> {
        let services = &self.services;
        let (id, query) = (arrived.route.id, arrived.query());
        let (body, wanted) = arrived.read(services.config.body).await?;
        let call = MemberCall {
            member: admitted.member,
            secret: admitted.secret,
            visitor: admitted.visitor,
            id,
            query,
            body,
        };
        let answer = self
            .with_timeout(handler(Arc::clone(services), call))
            .await?;
        wanted.apply_to_read(answer)
    }
}
