//! Answers and events of the DevTools protocol, as far as a load needs them.

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
pub(super) struct Version {
    pub(super) product: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Created {
    pub target_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attached {
    pub session_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Navigated {
    pub(super) loader_id: Option<String>,
    pub(super) error_text: Option<String>,
    pub(super) is_download: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct World {
    pub execution_context_id: i64,
}

#[derive(Deserialize)]
pub(super) struct Evaluated {
    pub(super) result: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResponseBody {
    pub(super) body: String,
    pub(super) base64_encoded: bool,
}

#[derive(Deserialize)]
pub(super) struct FrameNavigated {
    pub(super) frame: Frame,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Frame {
    pub(super) id: String,
    pub(super) loader_id: String,
    pub(super) url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Lifecycle {
    pub(super) frame_id: String,
    pub(super) name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetEvent {
    pub session_id: Option<String>,
    pub target_info: TargetInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetInfo {
    pub target_id: String,
    #[serde(rename = "type")]
    pub kind: String,
}
