use super::{Pipeline, RoutedRequest};
use crate::checks::admit;
use crate::checks::body;
use crate::csrf;
use crate::endpoint::{HandlerFuture, MailCall, Visitor, VisitorCall};
use crate::links::Operation;
use crate::problem::Problem;
use crate::response::ApiResponse;
use crate::route_table::Verb;
use crate::services::Services;
use std::sync::Arc;

impl Pipeline {
    /// Any site may send this: the signed link in the query is all that counts.
    pub(super) async fn serve_mail_program(
        &self,
        arrived: RoutedRequest<'_>,
        handler: fn(Arc<Services>, MailCall) -> HandlerFuture,
    ) -> Result<ApiResponse, Problem> {
        let services = &self.services;
        let address = admit::address(services, arrived.request);
        let _slot = admit::unknown(services, address)?;
        let query = arrived.query();
        body::raw(
            arrived.request,
            arrived.payload,
            services.config.unknown_body,
        )
        .await?;
        let handling = handler(Arc::clone(services), MailCall { query });
        self.with_timeout(handling).await
    }

    /// CSRF protection applies as well: another site must not sign a user in to the attacker's account.
    pub(super) async fn serve_visitor(
        &self,
        arrived: RoutedRequest<'_>,
        handler: fn(Arc<Services>, VisitorCall) -> HandlerFuture,
    ) -> Result<ApiResponse, Problem> {
        let (services, request) = (&self.services, arrived.request);
        let (visitor, endpoint) = (Visitor::of(services, request), &arrived.entry.endpoint);
        let signs_in = endpoint.operation == Operation::SignIn.name();
        let device = visitor.place.device.as_ref().filter(|_| signs_in);
        let _slot = match (admit::unknown(services, visitor.address), device) {
            // Other clients of the address must not block a known device.
            (Err(refusal), Some(mark)) => {
                let admitting = admit::device(services, mark, refusal);
                self.with_timeout(admitting).await?
            }
            (outcome, _) => outcome?,
        };
        if endpoint.verb != Verb::Get {
            csrf::check_origin(request, &services.config.public_base_url)?;
        }
        let query = arrived.query();
        let (body, _) = arrived.read(services.config.unknown_body).await?;
        let call = VisitorCall {
            visitor,
            query,
            body,
        };
        self.with_timeout(handler(Arc::clone(services), call)).await
    }
}
