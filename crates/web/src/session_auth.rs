//! Authenticates the session cookie, for pages and the API.

use crate::services::Services;
use domain::ports::storage::StorageError;
use domain::session::PlainSession;
use domain::use_cases::sessions::{Member, NotSignedIn};
use std::sync::Arc;

/// `None` if unknown or expired. Records its use, or removes an expired one, asynchronously.
pub async fn find_member(
    services: &Arc<Services>,
    secret: &PlainSession,
) -> Result<Option<Member>, StorageError> {
    match services.core.authenticate_session(secret.reveal()).await {
        Ok(member) => {
            if member.should_record_use {
                let (home, session) = (member.session.home, member.session.id);
                let services = Arc::clone(services);
                tokio::spawn(async move {
                    if let Err(error) = services.core.note_session_use(home, session).await {
                        tracing::debug!(%error, "The use of a session could not be noted.");
                    }
                });
            }
            Ok(Some(member))
        }
        Err(NotSignedIn::Unknown) => Ok(None),
        Err(NotSignedIn::Expired { session, .. }) => {
            let services = Arc::clone(services);
            tokio::spawn(async move {
                if let Err(error) = services.core.expire_session(&session).await {
                    tracing::debug!(%error, "A session that is over could not be put away.");
                }
            });
            Ok(None)
        }
        Err(NotSignedIn::Storage(error)) => Err(error),
    }
}
