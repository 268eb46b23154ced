use super::messages::TargetEvent;
use super::protocol::{Protocol, ProtocolError};
use serde_json::json;

/// Closes the page that an event reports as opened, unless it is the tab's own.
pub async fn close_popup(
    protocol: &mut Protocol,
    event: &str,
    own_frame: &str,
) -> Result<(), ProtocolError> {
    if let Ok(event) = serde_json::from_str::<TargetEvent>(event)
        && event.target_info.kind == "page"
        && event.target_info.target_id != own_frame
    {
        let which = json!({"targetId": event.target_info.target_id});
        protocol.send(None, "Target.closeTarget", which).await?;
    }
    Ok(())
}
