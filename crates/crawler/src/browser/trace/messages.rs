use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use zune_jpeg::{
    JpegDecoder,
    zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions},
};

/// Pixels per side; Chromium's screenshots have at most 500.
const MAX_SCREENSHOT_SIDE: usize = 2_048;

#[derive(Deserialize)]
pub(super) struct Batch<'a> {
    #[serde(borrow)]
    pub(super) value: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Wire<'a> {
    pub(super) name: Cow<'a, str>,
    #[serde(default)]
    pub(super) ts: f64,
    #[serde(default)]
    pub(super) dur: f64,
    #[serde(default)]
    pub(super) pid: i64,
    #[serde(default)]
    pub(super) tid: i64,
    #[serde(borrow)]
    pub(super) args: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Args<D> {
    #[serde(default)]
    pub(super) frame: String,
    pub(super) data: Option<D>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Navigation {
    #[serde(default, rename = "documentLoaderURL")]
    pub(super) document: String,
}

#[derive(Deserialize)]
pub(super) struct Candidate {
    pub(super) size: Option<f64>,
}

#[derive(Deserialize)]
pub(super) struct LayoutShiftData {
    pub(super) weighted_score_delta: Option<f64>,
    #[serde(default)]
    pub(super) had_recent_input: bool,
    pub(super) is_main_frame: Option<bool>,
}

#[derive(Deserialize)]
pub(super) struct Screenshot<'a> {
    #[serde(borrow)]
    pub(super) snapshot: Cow<'a, str>,
}

/// RGB pixels of a JPEG.
pub(super) fn pixels(jpeg: &[u8]) -> Option<Vec<u8>> {
    let options = DecoderOptions::default()
        .set_max_width(MAX_SCREENSHOT_SIDE)
        .set_max_height(MAX_SCREENSHOT_SIDE)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    JpegDecoder::new_with_options(ZCursor::new(jpeg), options)
        .decode()
        .ok()
}
