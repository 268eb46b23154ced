use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Version {
    pub(super) product: String,
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
pub(super) struct ResponseBody {
    pub(super) body: String,
    pub(super) base64_encoded: bool,
}
