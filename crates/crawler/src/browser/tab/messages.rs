use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Context {
    pub(super) browser_context_id: String,
}

#[expect(clippy::struct_field_names, reason = "they are the protocol's")]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestWillBeSent {
    pub(super) request_id: String,
    pub(super) loader_id: String,
    pub(super) frame_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestPaused {
    pub(super) request_id: String,
    pub(super) request: PausedRequest,
    pub(super) frame_id: String,
    pub(super) resource_type: String,
}

#[derive(Deserialize)]
pub(super) struct PausedRequest {
    pub(super) url: String,
}
