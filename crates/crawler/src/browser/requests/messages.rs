use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestWillBeSent {
    pub(super) request_id: String,
    pub(super) loader_id: String,
    pub(super) request: SentRequest,
    pub(super) timestamp: f64,
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) redirect_response: Option<Response>,
    pub(super) render_blocking_behavior: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct SentRequest {
    pub(super) url: String,
    pub(super) method: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResponseReceived {
    pub(super) request_id: String,
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) response: Response,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Response {
    pub(super) status: u16,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, Value>,
    #[serde(default)]
    pub(super) mime_type: String,
    #[serde(default)]
    pub(super) encoded_data_length: f64,
    pub(super) timing: Option<Timing>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Timing {
    /// In seconds.
    pub(super) request_time: f64,
    /// In ms after `request_time`, like the fields below.
    pub(super) send_end: f64,
    pub(super) receive_headers_start: f64,
    pub(super) receive_headers_end: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LoadingFinished {
    pub(super) request_id: String,
    pub(super) timestamp: f64,
    pub(super) encoded_data_length: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LoadingFailed {
    pub(super) request_id: String,
    pub(super) timestamp: f64,
    #[serde(default)]
    pub(super) error_text: String,
}
