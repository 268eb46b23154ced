use serde::Deserialize;
use serde_json::Value;

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
pub struct World {
    pub execution_context_id: i64,
}

#[derive(Deserialize)]
pub struct Evaluated {
    pub result: Remote,
}

#[derive(Deserialize)]
pub struct Remote {
    #[serde(default)]
    pub value: Value,
}

#[derive(Deserialize)]
pub struct FrameNavigated {
    pub frame: Frame,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Frame {
    pub id: String,
    pub loader_id: String,
    pub url: String,
    pub unreachable_url: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Lifecycle {
    pub frame_id: String,
    pub loader_id: String,
    pub name: String,
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
